// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random kernels whose warps share SMs, for the reference (tests/reference/shared_gpu.hpp), and as the analysis sees them.

#include <random>
#include <string>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/nvidia/warps.hpp"
#include "reference/shared_gpu.hpp"

namespace test {

/// With this policy and without pipelines, if it is not "".
reference::SharedSystem draw_shared_system(std::mt19937_64& random, const std::string& policy);

/// So small that every schedule can be visited. One of SMs and sub-cores is alone or both are two; 2 or 3 tasks.
reference::SharedSystem draw_small_shared_system(std::mt19937_64& random);

void add_instruction(reference::SharedKernel& kernel, const std::string& pipelines,
                     amalthea::engine::nvidia::WarpUnit unit, long latency);

/// Of each task. A cycle is a microsecond. No bounds if the analysis refuses the system. `offsets`: in halves of cycles, for
/// bounds that hold for them; none: for all.
std::vector<amalthea::engine::Bound> bounds_of(const reference::SharedSystem& drawn,
                                               const std::vector<long>& offsets = {});

/// To understand a system that fails.
std::string text_of(const reference::SharedSystem& drawn);

}  // namespace test
