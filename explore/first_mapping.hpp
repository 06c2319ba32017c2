// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A sensible start for tasks that a model does not map, where nothing else is known about them.

#include <vector>

#include "amalthea/graph/system.hpp"

namespace amalthea::explore {

/// Distributes tasks over the CPUs: by decreasing utilization, each goes to the CPU that is left with the smallest
/// utilization, among those with a scheduler and with ticks for the task. Tasks on GPUs and removed wrappers stay where
/// they are. Throws std::overflow_error if times exceed the range.
System distributed(System system, const std::vector<TaskIndex>& tasks);

/// Gives tasks on CPUs the priorities 1, 2 …: the shorter the deadline (or the period, without a deadline), the higher.
System ranked(System system, std::vector<TaskIndex> tasks);

}  // namespace amalthea::explore
