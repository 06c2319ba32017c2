// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random systems for tests of properties that hold for every system: one generator for all of them.
///
/// Every extension of the engine is added here as a SystemFeature, so that it is combined with everything else. Two
/// features *meet* in a task if the task, its scheduler, a task that activates it, or a task that it offloads to the
/// GPU has them.

#include <array>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/program/memory_contention.hpp"
#include "engine/results/results.hpp"

namespace test {

enum class SystemFeature : std::uint8_t {
  // stimuli
  periodic,
  offset,
  jitter,
  minimum_distance,
  sporadic,
  synthetic,
  burst,
  arrival_curve,
  variable_rate,
  single,
  trigger,          ///< inter-process stimulus
  trigger_chain,    ///< a triggered task triggers another
  event_stimulus,   ///< an event stimulus that occurs when an event is set
  several_stimuli,  ///< for one task
  counter,          ///< one occurrence in so many
  condition,        ///< a stimulus that depends on a mode, or sets one
  // tasks
  activation_limit,
  interrupt,
  cooperative,
  non_preemptive,
  schedule_point,
  uninterruptible,
  runnables,
  varying_times,
  branch,  ///< by probability, or one in so many
  mode_branch,
  effect_branch,  ///< triggers, waits, semaphores, sections in alternatives
  loop,
  early_end,  ///< Terminate in an alternative
  ceiling,    ///< semaphore with a priority ceiling
  semaphore,  ///< without a ceiling, shared between cores
  counting_semaphore,
  polled_semaphore,
  shared_ceiling,      ///< semaphore with a priority ceiling, shared between cores
  memory,              ///< labels whose accesses cost time
  memory_table,        ///< the cost of accesses grows with the cores and GPUs that use the memory
  dynamic_contention,  ///< with those that do so at the same time
  overhead,            ///< of the operating system
  rounding,            ///< cycles that are not whole picoseconds
  host_wait,           ///< a wait for a task on a CPU that has stimuli of its own
  host_call,           ///< a wait for a task on a CPU that the waiting task triggers
  any_wait,            ///< a wait for any of several events
  // schedulers
  fixed_priority,
  osek,
  rate_monotonic,
  deadline_monotonic,
  earliest_deadline,
  round_robin,
  child_scheduler,
  server,
  nested_server,       ///< a server within another one
  constant_bandwidth,  ///< a constant-bandwidth server
  deadline_child,      ///< a child scheduler that schedules by deadlines
  several_cores,
  global,         ///< one scheduler and tasks on all cores
  unequal_cores,  ///< with clocks and memories of their own
  // GPU
  offload,
  polling,
  passive_waiting,
  work_beside,     ///< work of the host while the GPU works for it
  several_visits,  ///< to the GPU in one job
  device_alone,    ///< a device task for which no host waits
  device_trigger,  ///< a device task that activates a host task
  shared_context,
  shared_stream,
  copy,
  memset,
  blocks,
  context_switch,
  interference,
  cpu_traffic,  ///< label accesses slow copies and kernels down
  copy_engines,
  coarse_preemption,  ///< at blocks or kernels
  amd,                ///< an AMD GPU
  cu_mask,            ///< a mask of its compute units
  // what is asked of the system
  deadline,
  chain,
  // later ones, so that systems without them stay as they were
  data_chain,     ///< a chain over labels, accessed anywhere in the tasks: in branches, calls, loops, writes first
  rare_access,    ///< accesses that may not happen
  chain_limit,    ///< on both latencies, near the bounds
  constraint,     ///< timing constraints of all classes but those of two event chains
  requirement,    ///< other than deadlines
  tie,            ///< equal priorities, periods, offsets and deadlines
  several_roots,  ///< another outermost scheduler on a core
  spinlock,
  exclusive,            ///< takes all units of a counting semaphore
  context_priority,     ///< the GPU serves contexts by priority
  sm_mask,              ///< a mask of SMs, or of compute units
  occupancy,            ///< registers and shared memory limit the blocks on an SM
  kernel_instructions,  ///< of warps, in place of the time of a block
  kernel_mask,          ///< a mask of SMs of a single kernel
  same_sm,              ///< blocks of kernels slow each other down on an SM
  clusters,             ///< ... and in the same or another cluster
  pageable_memory,      ///< copies whose host memory is not page-locked
  copy_time,            ///< copies with a stated time
  null_stream,
  stream_priority,
  stream_preemption,  ///< takes time
  constant_traffic,   ///< of CPUs, beside that of the tasks
  mps,                ///< processes share one context
  several_gpus,
};
inline constexpr std::size_t feature_count = static_cast<std::size_t>(SystemFeature::several_gpus) + 1;
using SystemFeatures = std::bitset<feature_count>;

std::string_view name_of(SystemFeature);
SystemFeatures features_of(std::initializer_list<SystemFeature>);
SystemFeatures gpu_features();    ///< only for systems with a GPU
SystemFeatures gpu_properties();  ///< of these: properties of its tasks, kernels, copies and profile that came last
inline SystemFeatures all_features() { return SystemFeatures{}.set(); }

struct RandomSystem {
  amalthea::System system;
  amalthea::engine::DeviceProfile profile;  ///< of every GPU
  amalthea::engine::MemoryModel memory;
  amalthea::engine::Contention contention = amalthea::engine::Contention::static_;
  std::vector<SystemFeatures> met;  ///< parallel to System::tasks: the features that meet in each
  SystemFeatures has() const;
  bool meets(SystemFeature a, SystemFeature b) const;
};

struct RandomSystemOptions {
  SystemFeatures may = all_features();  ///< nothing else occurs
  SystemFeatures must;                  ///< must occur, and meet if there are two
  int one_in = 8;                       ///< each of the others is tried with this probability
  bool few = false;                     ///< one or two tasks, and what they trigger, call or await
};

/// Times are microseconds and small: periods up to 240, so that 1000 show most effects.
RandomSystem random_system(std::mt19937& random, const RandomSystemOptions& options = {});

/// Systems in each of which two features meet: all pairs of `may` in turn; and others at random. All features can meet:
/// if a task can have only one of two, the task that activates it has the other.
class PairedSystems {
 public:
  explicit PairedSystems(std::uint32_t seed, SystemFeatures may = all_features());
  RandomSystem next();
  std::size_t pairs() const { return pairs_.size(); }

 private:
  std::mt19937 random_;
  SystemFeatures may_;
  std::vector<std::pair<SystemFeature, SystemFeature>> pairs_;
  std::size_t at_ = 0;
};

/// How often each pair of features has met.
class PairTable {
 public:
  void add(const RandomSystem& system);
  /// Pairs that never met, one per line.
  std::string missing() const;
  /// The whole table, one line for every feature: how often it met itself, then each of those before it.
  std::string text() const;

 private:
  std::array<std::array<std::uint64_t, feature_count>, feature_count> count_{};
};

}  // namespace test
