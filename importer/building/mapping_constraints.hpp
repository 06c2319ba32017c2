// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The units that tasks may run on, and the constraints of affinities and affinity constraints on a mapping.

#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"

namespace amalthea::importer {

struct MappingConstraints {
  /// Per task: the units that have a clock, a task scheduler and ticks for everything the task executes, of the kinds
  /// on which it can be placed, minus those that constraints forbid. A unit on which the analysis would leave open what
  /// an access costs (AM0482) is none, unless the task runs there already. An ISR, and a task without any such unit,
  /// keeps its own unit.
  std::vector<std::vector<UnitIndex>> allowed;
  std::vector<std::vector<TaskIndex>> together;  ///< on one unit
  std::vector<std::vector<TaskIndex>> apart;     ///< no two of them on one unit
};

/// `placements` are systems of the model with its device tasks placed in different ways, the first one as in the model.
/// The body of a task is inspected in all of them, since a removed wrapper has an empty one. A task may run on the
/// kinds of units (CPU, GPU) on which one of the systems has it.
///
/// Affinity constraints of processes, and those of runnables for the tasks that execute them:
/// - pairing: together; on a target's cores, or on those of its schedulers;
/// - separation: no task of the first group with any of the second; for a single group no two of its tasks. A target
///   does not allow other units. A single group with a target avoids the target.
/// Constraints that no mapping can satisfy, or that are not understood, are omitted with a warning.
///
/// With `keep_affinity` a task runs on the units of its affinity; without affinity on those of its scheduler.
MappingConstraints mapping_constraints(const Model& model, const std::vector<const System*>& placements,
                                       bool keep_affinity, Diagnostics& diagnostics);

}  // namespace amalthea::importer
