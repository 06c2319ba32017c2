// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The search space: placements of functions on CPU or GPU, units per task, waiting behavior, time slices.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/device_profile.hpp"
#include "explore/exploration.hpp"

namespace amalthea::explore::detail {

/// Random streams of a search, in addition to those of the engine (amalthea/distribution.hpp); owner: the walk, number:
/// the search.
inline constexpr std::uint64_t walk_purpose = 3;

/// The system with some functions on CPUs and others on the GPU, and the free choices for its tasks.
struct Placement {
  std::vector<bool> on_cpu;  ///< for functions that can be on both; false for all other tasks
  System system;
  std::vector<std::optional<Duration>> periods;  ///< see engine::periods_of
  /// The task whose deadline a task carries: itself, or a removed wrapper.
  std::vector<TaskIndex> owner;
  std::vector<std::vector<NodeIndex>> waits;  ///< for host tasks, the activities in which they wait for events
  std::vector<bool> active;                   ///< not removed
  std::vector<bool> host;                     ///< active and on a CPU
  std::vector<bool> movable;                  ///< between CPUs
  std::vector<bool> ranked;                   ///< its priority is free
  std::vector<bool> waiting;                  ///< its waiting behavior is free
  std::vector<bool> sliced;                   ///< its time slice is free
  std::vector<bool> may_migrate;              ///< the model allows it, and all constraints hold on every unit
  Candidate own;                              ///< the choices in the system
  /// The choices of the model. For a task that the model drops, or has on the other side, those in the system.
  Candidate stated;
  /// For every task, computed by space_of: the tasks that move with it, including itself, and the units on which all of
  /// these can run. If there is no such unit, every task moves alone, and the constraint remains violated.
  std::vector<std::vector<TaskIndex>> groups;
  std::vector<std::vector<UnitIndex>> units;
};

/// Maximum number of placements; with many functions only some combinations are tried.
inline constexpr std::size_t max_placements = 64;

struct Space {
  const Problem& problem;
  const Options& options;
  std::vector<const engine::DeviceProfile*> devices;  ///< parallel to Platform::units
  std::vector<TaskIndex> functions;                   ///< that can run on CPUs and GPUs
  std::vector<Placement> placements;                  ///< the model's own first
  std::vector<std::vector<UnitIndex>> cpus;           ///< for every task: units it may run on and that can schedule it
  /// for every task: the time slices to choose from, if it is on a GPU
  std::vector<std::vector<Duration>> slices;
  /// for every task: the tasks that must be on the same unit, including itself
  std::vector<std::vector<TaskIndex>> groups;
};
/// Calls Problem::place.
Space space_of(const Problem& problem, const Options& options);

/// The placement of a candidate: index into `placements`, or nothing.
std::optional<std::size_t> placement_of(const Space& space, const Candidate& candidate);

Placement describe_placement(System system, std::vector<bool> on_cpu, const Problem& problem, const Options& options);
std::vector<TaskIndex> functions_of(const Problem& problem);
/// Those of `functions` that a candidate has on CPUs.
std::vector<bool> functions_on_cpu(const System& system, const std::vector<TaskIndex>& functions,
                                   const Candidate& candidate);

/// Whether the unit has ticks for all computations of the task.
bool has_ticks(const System& system, TaskIndex task, UnitIndex unit);
bool is_allowed(const Problem& problem, TaskIndex task, UnitIndex unit);
inline bool is_cpu(const Platform& platform, UnitIndex unit) {
  return unit < platform.units.size() && platform.units[unit].type == PuType::cpu;
}

}  // namespace amalthea::explore::detail
