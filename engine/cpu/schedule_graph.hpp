// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times of non-preemptive and cooperative tasks on one core whose releases are known: an exploration of all
/// schedules, in which schedules that have executed the same jobs form one state.
///
/// Nasri, Brandenburg, "An exact and sustainable analysis of non-preemptive scheduling", RTSS 2017. A state consists of
/// the parts of jobs that have executed, and the interval [e, l] in which the core becomes free. In such a state let
/// [r, R] be the interval in which the next part of each task becomes ready: the release of its job, or the end of the
/// previous part, which is in the past. The next part of task i can be the next to execute if it can begin within
///   from  max(e, r_i)
///   to    min(max(l, smallest R), smallest R of all tasks that precede i, less one picosecond if that is after the last part ends).
/// The first limit holds because the core is never idle while a job is ready. Unlike in the paper, the second
/// one includes the instant R at which the core may become free: a scheduler may decide before a release of the same
/// instant. Then the core becomes free within the
/// first plus the shortest time of the part to the second plus its longest time. States with the same parts and
/// intervals that touch become one.
///
/// Tasks of equal priority are explored in both orders. Releases are [O + k T, O + k T + J]. The graph of hyperperiods
/// ends when all states at the end of a hyperperiod lie within states at the ends of earlier ones. For non-preemptive
/// tasks without jitter the result is exact, if equal priorities, and ends and releases of one instant, may be taken in any order.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct GraphTask {
  /// What executes without preemption.
  struct Part {
    Duration best, worst;
  };
  Duration period, offset, jitter;
  std::int64_t priority = 0;  ///< larger is more urgent
  std::vector<Part> parts;    ///< of each job, in sequence; at least one
};

struct ScheduleGraph {
  std::vector<CpuBound> bounds;  ///< for every task
  std::size_t states = 0;        ///< number of explored states
};

/// Nothing if there are more states, or if the jobs pile up.
std::optional<ScheduleGraph> explore_schedules(const std::vector<GraphTask>& tasks, std::size_t most_states,
                                               StepCount taken = {});

}  // namespace amalthea::engine::cpu
