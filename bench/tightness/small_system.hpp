// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Systems so small that every schedule of them can be visited (every_schedule.hpp), drawn by class.
///
/// One tick is one microsecond. Priorities differ, so that ties do not matter.

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::bench {

/// Part of a job: on its core, or a copy or kernel. Its time is a whole number of ticks from `best` to `worst`.
struct Phase {
  enum class Kind : std::uint8_t { core, copy, kernel };
  Kind kind = Kind::core;
  int best = 1, worst = 1;
  int semaphore = -1;  ///< held from its start to its end, and in the next phase if that has the same; -1: none
};

struct SmallTask {
  int period = 1, offset = 0;
  int jitter = 0;  ///< < period
  int priority = 0;
  Preemption preemption = Preemption::preemptive;
  bool polls = true;          ///< while the GPU works for it
  int core = 0;               ///< of a partitioned system
  int triggered_by = -1;      ///< the task whose last action releases it; -1: its period does
  bool in_inner = false;      ///< runs in the inner server
  std::vector<Phase> phases;  ///< between two core phases there is a schedule point
  /// Copies and kernels of a second device task, which is triggered with the first one and awaited with it.
  std::vector<Phase> beside = {};
  bool one_process = false;  ///< its device tasks share a context, each with a stream of its own

  bool is_device() const { return phases.front().kind != Phase::Kind::core; }
};

/// Unless it is partitioned, all tasks share the cores and one GPU, on which each device task has a context of its own
/// unless stated.
struct SmallSystem {
  SchedulingAlgorithm scheduling = SchedulingAlgorithm::fixed_priority_preemptive;
  int cores = 1;
  int slice = 1;  ///< of every context
  bool partitioned = false;
  bool ceilings = false;                                    ///< of all semaphores
  int turn = 0;                                             ///< the slice of round robin
  int budget = 0, server_period = 0;                        ///< of a server; `scheduling` is its algorithm
  int inner_budget = 0, inner_period = 0, inner_phase = 0;  ///< of a server within it
  int inner_priority = 0;                                   ///< among the tasks beside it
  std::vector<SmallTask> tasks;

  int hyperperiod() const;
};

enum class SystemClass : std::uint8_t {
  preemptive,
  jitter,  ///< preemptive with release jitter
  non_preemptive,
  non_preemptive_jitter,
  cooperative,
  mixed,  ///< preemptive and non-preemptive tasks
  earliest_deadline,
  global,
  polling,
  suspending,
  slices,             ///< device tasks alone: kernels of several contexts
  one_after_another,  ///< hosts that offload twice
  at_once,            ///< hosts with two device tasks at the same time
  server,
  nested_server,
  round_robin,
  semaphore,         ///< one core, no ceiling
  shared_semaphore,  ///< two cores, no ceiling
  last_section,      ///< one core, jobs end with a section with a ceiling
  cooperative_row,   ///< cooperative tasks that trigger each other and have sections with a ceiling
};
inline constexpr SystemClass all_classes[] = {SystemClass::preemptive,
                                              SystemClass::jitter,
                                              SystemClass::non_preemptive,
                                              SystemClass::non_preemptive_jitter,
                                              SystemClass::cooperative,
                                              SystemClass::mixed,
                                              SystemClass::earliest_deadline,
                                              SystemClass::global,
                                              SystemClass::polling,
                                              SystemClass::suspending,
                                              SystemClass::slices,
                                              SystemClass::one_after_another,
                                              SystemClass::at_once,
                                              SystemClass::server,
                                              SystemClass::nested_server,
                                              SystemClass::round_robin,
                                              SystemClass::semaphore,
                                              SystemClass::shared_semaphore,
                                              SystemClass::last_section,
                                              SystemClass::cooperative_row};
std::string_view name_of(SystemClass);

SmallSystem draw_system(SystemClass kind, std::mt19937& random);

/// The same system as the analysis sees it.
System system_of(const SmallSystem& small);
/// Its GPU.
engine::DeviceProfile profile_of(const SmallSystem& small);

}  // namespace amalthea::bench
