// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Jitters and bounds together: their smallest common solution, from below.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/problems.hpp"

namespace amalthea::engine::bounds {

struct Solution {
  std::string fault;                              ///< why there is none at all; "" when there is
  nvidia::TimeSliceBounds gpu;                    ///< parallel to the tasks of Problems::gpu
  std::vector<std::vector<cpu::CpuBound>> cores;  ///< parallel to Problems::cores and their tasks

  /// Nothing where it has no bound.
  std::optional<Duration> response_of(const ProblemTask& problem_task) const;
};

/// What is triggered comes with the jitter and the bound of its source as jitter: sets the jitters of the activations
/// and in the problems until none grows any more. What grows without end is unlimited and has a fault.
Solution solve(const AnalyzedSystem& subject, const CoreModels& cores, std::vector<Activations>& activations,
               Problems& problems, Faults& faults);

}  // namespace amalthea::engine::bounds
