// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/steps.hpp"

#include <algorithm>
#include <vector>

namespace amalthea::migration {

std::span<const StepRules> all_steps() {
  static const std::vector<StepRules> steps = [] {
    std::vector<StepRules> found = {
        to_itea_1_2_0(), to_itea_1_3_0(), to_0_7_0(), to_0_7_1(), to_0_7_2(), to_0_8_0(), to_0_8_1(),
        to_0_8_3(),      to_0_9_0(),      to_0_9_1(), to_0_9_3(), to_0_9_4(), to_0_9_5(), to_0_9_6(),
        to_0_9_7(),      to_1_0_0(),      to_1_2_0(), to_2_0_0(), to_3_0_0(),
    };
    // All others only add features. (2.1.0 makes the maxValue of a semaphore and the memory of a mapping mandatory;
    // there is no better value for unstated ones.)
    for (const Version version : all_versions())
      if (std::none_of(found.begin(), found.end(), [&](const StepRules& step) { return step.to == Release(version); }))
        found.push_back({version, {}});
    std::sort(found.begin(), found.end(),
              [](const StepRules& one, const StepRules& other) { return one.to < other.to; });
    return found;
  }();
  return steps;
}

}  // namespace amalthea::migration
