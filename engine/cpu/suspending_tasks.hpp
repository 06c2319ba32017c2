// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core, for tasks that suspend themselves: they wait for a GPU, or for
/// semaphores that other cores hold.
///
/// The equations are those of fixed_priority.hpp for changed tasks. Let W be the longest time for which a job waits, w
/// how often it does, B the blocking of task i, and G the sum, over the tasks of lower priority, of the longest section
/// in CpuTask::granted with a threshold of at least p_i; a cooperative task may first wait for a point of another one.
/// Let the window of a job of i begin at the last instant, up to its release, at which no job of i is pending, and none
/// of a task of higher or equal priority that never suspends.
/// - In the window the core executes tasks of at least priority p_i, or a job of i waits, or a task of lower priority
///   executes a section. Such a section began before the window, or while a job of i waited. Or another core granted a
///   semaphore to its task; each task of lower priority can issue one such request in each of these two cases. So i has
///   the execution time C + W + w B + (w + 1) G.
/// - Tasks of at least priority p_i that never suspend are released in the window, as usual. Polling counts as execution.
/// - A task j of at least priority p_i that suspends has the additional release jitter R_j - C_j (Chen et al., "Many
///   suspensions, many problems: a review of self-suspending tasks in real-time systems", Real-Time Systems 2019). Its
///   jobs end at most R_j after their release, one after the other. Let those that could execute less than C_j in the
///   window execute less by d: then those that are released in its last d execute at most d in total.
/// - Alternatively, all of these tasks have the execution time of i above, and no such jitter. The smaller bound counts.
/// All R together are the smallest fixed point, reached from below.
///
/// In a server (periodic_resource.hpp), let Z be the maximum time for which work that arrives waits for any supply. While
/// a job of i waits, tasks of lower priority may use up the budget, and a polling server may lose it. The window consists
/// of the waits of i and of at most as many intervals plus one, in each of which tasks of at least priority p_i are ready
/// throughout. An interval in which they execute x ends within s(x), the shortest window that always supplies x. Since
/// s(x) + s(y) <= Z + s(x + y), all of them together take at most w Z + s of the sum. So W + w Z need no supply, and all
/// else needs it, also polling. The jitter R_j - C_j does not depend on the supply.

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Whether a job of the task leaves its core to wait.
inline bool suspends(const CpuTask& task) { return task.waits > 0 && !task.polls; }

/// `owners` is parallel to the tasks: jobs of tasks with the same owner run one after the other. With a resource, the
/// tasks get only what it supplies; a job then needs at least a picosecond of execution before each wait.
std::vector<CpuBound> suspending_task_bounds(const std::vector<CpuTask>& tasks, const std::vector<std::size_t>& owners,
                                             const std::optional<PeriodicResource>& resource = std::nullopt,
                                             const Limits& limits = {});

/// The time of sections of tasks with a lower priority that other cores may let begin: G above.
Duration granted_blocking(const std::vector<CpuTask>& tasks, std::int64_t priority);

}  // namespace amalthea::engine::cpu
