// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where tasks may run at all, and what the model's affinities and affinity constraints demand of a mapping.

#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"

namespace amalthea::importer {

struct MappingConstraints {
  /// Per task: the units that have a clock, a task scheduler and ticks for all that the task executes, of the kinds on
  /// which it can be placed, less those that constraints forbid. The unit of an ISR, and of a task that nothing else is
  /// left for, is its own.
  std::vector<std::vector<UnitIndex>> allowed;
  std::vector<std::vector<TaskIndex>> together;  ///< on one unit
  std::vector<std::vector<TaskIndex>> apart;     ///< no two of them on one unit
};

/// `placements` are systems of the model with its device tasks placed in different ways, the first as the model maps
/// them; a task's body is looked at in all of them, as that of a wrapper is empty where it fell away. A task may run on
/// the kinds of units (CPU, GPU) on which one of them has it.
///
/// Affinity constraints of processes, and those of runnables for the tasks that execute these:
/// - pairing: together; on a target's cores, or on those of its schedulers;
/// - separation: nobody of the first group with anybody of the second, of a group alone no two; a target makes no
///   exception for other units. A group alone with a target stays away from it.
/// What cannot be kept in any mapping, or is not understood, is left out with a warning.
///
/// With `keep_affinity` a task runs on the units of its affinity, without one on those of its scheduler.
MappingConstraints mapping_constraints(const Model& model, const std::vector<const System*>& placements,
                                       bool keep_affinity, Diagnostics& diagnostics);

}  // namespace amalthea::importer
