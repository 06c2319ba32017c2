// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of the longest makespan of an SM (docs/reference/makespan.md).

#include <cstdint>
#include <optional>
#include <string>

#include "engine/nvidia/makespan/annealing.hpp"
#include "engine/nvidia/makespan/search.hpp"

namespace amalthea::exporter {

struct MakespanView {
  const engine::nvidia::makespan::Problem& problem;
  const engine::nvidia::makespan::SearchResult& result;
  /// If `result` is from annealing: upper bounds only.
  const engine::nvidia::makespan::AnnealingResult* annealing = nullptr;
};

std::string render_makespan_json(const MakespanView& view);
std::string render_makespan_text(const MakespanView& view);

}  // namespace amalthea::exporter
