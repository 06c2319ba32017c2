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

/// For every task, whatever the order of equally urgent jobs. On one core, each task has the schedule in which its jobs
/// lose every tie; the order of the others does not matter to it. On several cores it may, so there the tasks whose
/// priority takes part in a tie, and all below, have no response. Above, the argument of Ha and Liu holds for any order:
/// where a job of the longest schedule runs and one of another schedule waits, the other schedule runs a job that waits
/// or has ended in the longest one.
/// Nothing if a job does not end before the next release of its task, or if the schedule does not repeat within this
/// number of jobs.
std::optional<std::vector<CpuBound>> longest_schedule(const std::vector<ScheduledTask>& tasks, std::size_t cores,
                                                      std::int64_t most_jobs, StepCount taken = {});

}  // namespace amalthea::engine::cpu
