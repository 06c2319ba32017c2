// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The resulting bounds, for each task and each operation.

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/detail/fixed_point.hpp"

namespace amalthea::engine::bounds {

SystemBounds report(const ProblemInput& input, const Problems& problems, const Solution& solution,
                    const Faults& faults);

}  // namespace amalthea::engine::bounds
