// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What there is to decide: placements of functions on CPU or GPU, units per task, who may wait how, slices.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/device_profile.hpp"
#include "explore/exploration.hpp"

namespace amalthea::explore::detail {

/// Random numbers of a search, beside the purposes of the engine (amalthea/distribution.hpp); owner: the walk, number:
/// which search.
inline constexpr std::uint64_t walk_purpose = 3;

/// The system with some functions on CPUs and others on the GPU, and what of its tasks can be decided.
struct Placement {
  std::vector<bool> on_cpu;  ///< of the functions that can be either; false of all other tasks
  System system;
  std::vector<std::optional<Duration>> periods;  ///< see engine::periods_of
  /// Whose deadline a task carries: its own, or that of a wrapper that fell away.
  std::vector<TaskIndex> owner;
  std::vector<std::vector<NodeIndex>> waits;  ///< of host tasks, the activities in which they wait for events
  std::vector<bool> active;                   ///< did not fall away
  std::vector<bool> host;                     ///< active and on a CPU
  std::vector<bool> movable;                  ///< between CPUs
  std::vector<bool> ranked;                   ///< its priority is free
  std::vector<bool> waiting;                  ///< its way of waiting is free
  std::vector<bool> sliced;                   ///< its time slice is free
  std::vector<bool> may_migrate;              ///< the model lets it, and constraints hold wherever it goes
  Candidate own;                              ///< what the system decides
  /// Of every task, by space_of: who moves with it, itself too, and the units for all of these that move. Where there
  /// is no such unit everybody moves alone, and the constraint stays broken.
  std::vector<std::vector<TaskIndex>> groups;
  std::vector<std::vector<UnitIndex>> units;
};

/// No more placements than these are tried: of many functions some combinations only.
inline constexpr std::size_t max_placements = 64;

struct Space {
  const Problem& problem;
  const Options& options;
  std::vector<const engine::DeviceProfile*> devices;  ///< parallel to Platform::units
  std::vector<TaskIndex> functions;                   ///< that can run on CPUs and GPUs
  std::vector<Placement> placements;                  ///< the model's own first
  std::vector<std::vector<UnitIndex>> cpus;           ///< of every task: where it may run and can be scheduled
  std::vector<std::vector<Duration>> slices;          ///< of every task: to choose from, where it is on a GPU
  std::vector<std::vector<TaskIndex>> groups;         ///< of every task: who has to be on one unit with it, itself too
};
/// Calls Problem::place.
Space space_of(const Problem& problem, const Options& options);

/// What a candidate's functions are: index into `placements`, or nothing.
std::optional<std::size_t> placement_of(const Space& space, const Candidate& candidate);

Placement describe_placement(System system, std::vector<bool> on_cpu, const Problem& problem, const Options& options);
std::vector<TaskIndex> functions_of(const Problem& problem);
/// Of `functions`, which a candidate has on CPUs.
std::vector<bool> functions_on_cpu(const System& system, const std::vector<TaskIndex>& functions,
                                   const Candidate& candidate);

bool is_allowed(const Problem& problem, TaskIndex task, UnitIndex unit);
inline bool is_cpu(const Platform& platform, UnitIndex unit) {
  return unit < platform.units.size() && platform.units[unit].type == PuType::cpu;
}
/// The one that takes a task over as it comes to a unit; nothing where there is none.
std::optional<SchedulerIndex> scheduler_on(const Platform& platform, SchedulerIndex own, UnitIndex unit);

}  // namespace amalthea::explore::detail
