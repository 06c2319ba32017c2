// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The analyses of cores that are analyzed separately from GPUs: one entry for each kind of core.

#include <cstddef>
#include <string>
#include <vector>

#include "engine/bounds/detail/core_models.hpp"
#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/rows.hpp"
#include "engine/cpu/semaphore_holders.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {

/// What an analysis needs to decide whether it applies to a core.
struct CoreView {
  const System& system;
  const Ranks& ranks;
  const std::vector<TaskShape>& shapes;
  const CoreModel& core;
};

/// The tasks of a core, one for each activation pattern.
struct CoreProblem {
  struct Member {
    TaskIndex task = 0;  ///< entries with the same task run one after the other
    bool interrupt = false;
    bool non_preemptive = false;
    std::optional<std::size_t> server = {};  ///< the innermost one that it runs in: index into the servers
    std::vector<std::size_t> cores;          ///< cores it may run on: indices into CoreModel::units
    std::int64_t own_rank = 0;               ///< without that of others with which it shares a semaphore
    std::vector<cpu::SemaphoreSection> held = {};
  };
  std::vector<cpu::CpuTask> tasks;
  std::vector<Member> members;     ///< parallel to `tasks`
  std::vector<cpu::RowStep> rows;  ///< the same; empty if no two of them are in the same row
  bool uses_rows = true;
  bool by_deadline = false;  ///< a scheduler of the core schedules by deadlines
  /// A task may wait for one with a later deadline, which holds a semaphore.
  bool waits_for_semaphores = false;
  bool one_holder = true;  ///< each of these semaphores has one unit, and the tasks request no others that may wait
  struct Server {
    cpu::PeriodicResource resource;
    SchedulerIndex scheduler = 0;
    std::optional<std::size_t> parent = {};  ///< the server that it runs in
    bool by_deadline = false;                ///< some scheduler further out schedules by deadlines
  };
  std::vector<Server> servers;
  cpu::Limits limits;
};

struct CoreAnalysis {
  /// Whether it applies to the schedulers and units of a core.
  bool (*is_for)(const CoreView& view);
  /// Parallel to the tasks; `by` and `obstacle` are indices into them.
  std::vector<cpu::CpuBound> (*bounds)(const CoreProblem& problem);
  bool by_rank = true;    ///< only tasks of at least a task's rank can overload the core for it
  bool with_gpu = false;  ///< the equations of nvidia/time_slice_analysis.hpp also apply to such cores
};

// A new analysis is a separate file that defines it, and a name here. The first one that applies to a core analyzes it.
extern const CoreAnalysis globally_by_deadline, on_several_cores, by_deadline, by_fixed_priority;
inline constexpr const CoreAnalysis* core_analyses[] = {&globally_by_deadline, &on_several_cores, &by_deadline,
                                                        &by_fixed_priority};

const CoreAnalysis& analysis_for(const CoreView& view);

/// "NAME schedules by ALGORITHM"
std::string algorithm_of(const CoreView& view, SchedulerIndex scheduler);

}  // namespace amalthea::engine::bounds
