// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::bounds {

/// Every core whose order is defined by ranks.
const CoreAnalysis by_fixed_priority{
    [](const CoreView&) { return true; }, [](const CoreView&) { return std::string(); },
    [](const CoreProblem& problem) { return cpu::fixed_priority_bounds(problem.tasks); }, true, true};

}  // namespace amalthea::engine::bounds
