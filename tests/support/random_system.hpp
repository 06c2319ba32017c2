// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Random systems for tests of properties that hold for every system: one generator for all of them.
///
/// What is added to the engine is added here as a SystemFeature, so that it meets everything else. Two features *meet*
/// in a task that has them itself, or whose scheduler, whoever activates it, or what it offloads to the GPU has.

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
  trigger_chain,    ///< who is triggered triggers
  event_stimulus,   ///< occurs as an event is set
  several_stimuli,  ///< of one task
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
  branch,  ///< by chance, or one in so many
  mode_branch,
  loop,
  early_end,  ///< Terminate in an alternative
  ceiling,    ///< semaphore with a priority ceiling
  semaphore,  ///< without, shared between cores
  counting_semaphore,
  polled_semaphore,
  memory,     ///< labels whose accesses cost time
  overhead,   ///< of the operating system
  rounding,   ///< cycles that are no whole picoseconds
  host_wait,  ///< for another task on a CPU
  // schedulers
  fixed_priority,
  osek,
  rate_monotonic,
  deadline_monotonic,
  earliest_deadline,
  round_robin,
  child_scheduler,
  server,
  several_cores,
  global,  ///< one scheduler and tasks on all cores
  // GPU
  offload,
  polling,
  passive_waiting,
  work_beside,     ///< of the host, while the GPU works for it
  several_visits,  ///< to the GPU in one job
  device_alone,    ///< device task for which nobody waits
  device_trigger,  ///< device task that activates a host task
  shared_context,
  shared_stream,
  copy,
  memset,
  blocks,
  context_switch,
  interference,
  copy_engines,
  coarse_preemption,  ///< at blocks or kernels
  // what is asked of the system
  deadline,
  chain,
};
inline constexpr std::size_t feature_count = static_cast<std::size_t>(SystemFeature::chain) + 1;
using SystemFeatures = std::bitset<feature_count>;

std::string_view name_of(SystemFeature);
SystemFeatures features_of(std::initializer_list<SystemFeature>);
SystemFeatures gpu_features();  ///< what only systems with a GPU have
inline SystemFeatures all_features() { return SystemFeatures{}.set(); }

struct RandomSystem {
  amalthea::System system;
  amalthea::engine::DeviceProfile profile;  ///< of every GPU
  std::vector<SystemFeatures> met;          ///< parallel to System::tasks: what meets in each
  SystemFeatures has() const;
  bool meets(SystemFeature a, SystemFeature b) const;
};

struct RandomSystemOptions {
  SystemFeatures may = all_features();  ///< nothing else occurs
  SystemFeatures must;                  ///< occur, and if there are two, meet
  int one_in = 8;                       ///< of the others every so-manieth is tried
};

/// Times are microseconds and small: periods up to 240, so that 1000 see most of what happens.
RandomSystem random_system(std::mt19937& random, const RandomSystemOptions& options = {});

/// Systems in each of which two features meet, all pairs of those that `may` occur in turn; and others by chance. There
/// are no two features that cannot meet: of those that a task has only one of, whoever activates it has the other.
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

/// How often each pair has met.
class PairTable {
 public:
  void add(const RandomSystem& system);
  /// Pairs that never met, one in a line.
  std::string missing() const;
  /// The whole table, a line for every feature: how often it met itself, then each of those before it.
  std::string text() const;

 private:
  std::array<std::array<std::uint64_t, feature_count>, feature_count> count_{};
};

}  // namespace test
