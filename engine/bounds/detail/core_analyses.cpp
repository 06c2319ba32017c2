// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/core_analyses.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

namespace amalthea::engine::bounds {

const CoreAnalysis& analysis_for(const CoreView& view) {
  return **std::find_if(std::begin(core_analyses), std::end(core_analyses),
                        [&](const CoreAnalysis* analysis) { return analysis->is_for(view); });
}

std::string algorithm_of(const CoreView& view, SchedulerIndex scheduler) {
  const Scheduler& of_core = view.system.platform.schedulers[scheduler];
  return fmt::format("{} schedules by {}", of_core.name, to_string(of_core.kind));
}

}  // namespace amalthea::engine::bounds
