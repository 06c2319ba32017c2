// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Why a task without a fault has no bound, in a sentence.

#include <string>

#include "engine/bounds/detail/fixed_point.hpp"

namespace amalthea::engine::bounds {

std::string why_unbounded(const ProblemInput& input, const Problems& problems, const Solution& solution,
                          const Faults& faults, const ProblemTask& problem_task);

}  // namespace amalthea::engine::bounds
