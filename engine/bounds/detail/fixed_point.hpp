// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Solves jitters and bounds together: their smallest common fixed point, from below.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/problems.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine::bounds {

struct Solution {
  std::string fault;                              ///< why there is no solution; "" if there is one
  nvidia::TimeSliceBounds gpu;                    ///< parallel to the tasks of Problems::gpu
  std::vector<std::vector<cpu::CpuBound>> cores;  ///< parallel to Problems::cores and their tasks

  std::vector<std::vector<Contribution>> waits;  ///< for every task: the parts of its waits for events and semaphores
  std::vector<bool> awaits_signal;               ///< for every task: EventWaits::awaits_signal

  /// The waits of a job, at this place in the problem of the GPUs, for device tasks that are active beside each other:
  /// those that take longest together.
  std::vector<nvidia::WaitSegment> longest_waits(const nvidia::TimeSliceProblem& problem, std::size_t at) const;
  /// Nothing if it has no bound.
  std::optional<Duration> response_of(const ProblemTask& problem_task) const;
};

/// The jitter of a triggered task is the jitter plus the bound of its source. This function updates the jitters of the
/// activations and of the problems until none changes. A task whose jitter diverges becomes unlimited and gets a fault.
/// `activations` are those of the input.
Solution solve(const ProblemInput& input, const Triggers& triggers, std::vector<Activations>& activations,
               Problems& problems, Faults& faults);

}  // namespace amalthea::engine::bounds
