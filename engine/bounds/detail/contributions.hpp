// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Translates the parts of a bound into the contributions that the simulation reports.

#include <vector>

#include "engine/bounds/detail/problems.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine::bounds {

/// For a task of a core; `waiting` is what the time consists of for which it waits for GPUs.
std::vector<Contribution> contributions_on_core(const AnalyzedSystem& subject, const CoreProblem& problem,
                                                TaskIndex task, const std::vector<cpu::CpuShare>& shares,
                                                const std::vector<Contribution>& waiting);

/// For a task of the problem of the GPUs; `segments` are those whose own work is among the shares.
std::vector<Contribution> contributions_with_gpu(const AnalyzedSystem& subject, const Problems& problems,
                                                 TaskIndex task, const std::vector<nvidia::BoundShare>& shares,
                                                 const std::vector<TaskIndex>& segments);

}  // namespace amalthea::engine::bounds
