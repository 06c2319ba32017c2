// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Exact response times of preemptive tasks whose releases are known, on identical cores: the schedule in which every
/// job takes its longest time.
///
/// Ha, Liu, "Validating timing constraints in multiprocessor and distributed real-time systems", ICDCS 1994: if jobs are
/// independent and preemptible, may migrate between identical cores and have fixed priorities, then no job ends later
/// when some jobs take less time. Under fixed priorities and under EDF the priority of a job is fixed once its release
/// is. Jobs of one task are independent as long as each ends before the next release. If this is so in the longest
/// schedule, it is so in every schedule.
///
/// The schedule repeats once the state at the start of two hyperperiods is equal.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct ScheduledTask {
  Duration period, offset;
  Duration worst;
  std::int64_t priority = 0;  ///< larger is more urgent
  std::optional<Duration>
      deadline;  ///< under EDF: among equal priorities, the earlier absolute deadline is more urgent
};

/// For every task. Jobs of equal urgency run in the order of their release, then of the tasks. Nothing if a job does not
/// end before the next release of its task, or if the schedule does not repeat within this number of jobs.
std::optional<std::vector<CpuBound>> longest_schedule(const std::vector<ScheduledTask>& tasks, std::size_t cores,
                                                      std::int64_t most_jobs);

}  // namespace amalthea::engine::cpu
