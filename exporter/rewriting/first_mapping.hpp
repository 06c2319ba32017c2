// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A first mapping of tasks that a model does not map: scheduler and task allocations, and schedulers for CPUs that have
/// none. It is inserted in the form of the file's version; no other byte changes.
///
/// The mapping is only complete, not good. A search starts from it (explore/first_mapping.hpp).

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "exporter/primitives/splice.hpp"

namespace amalthea::exporter {

/// The tasks without a TaskAllocation, and those without affinity whose scheduler is responsible for no unit. In document
/// order.
std::vector<Element> unmapped_tasks(const Model& model);

struct FirstMapping {
  struct Responsibility {
    std::string scheduler, unit;
    bool is_new = false;  ///< the model has no such scheduler
  };
  std::vector<Element> tasks;             ///< that get an allocation
  std::vector<Element> without_priority;  ///< those on CPUs for which the model states none, and which have 1 now
  std::vector<Responsibility> responsibilities;
  ModelSplices splices;  ///< by the positions of the documents
};

/// "tasks A, B and 3 more; scheduler S for Core0; new scheduler Scheduler_Core1 for Core1".
std::string describe(const FirstMapping& created);

/// A CPU with a clock and without a scheduler gets one: a scheduler of the model that is responsible for no unit, with
/// tasks or with a name that contains that of the unit if possible, or else a new one with fixed priorities. So does a
/// GPU for which an unmapped task states ticks. An unmapped task gets the first unit for which it has ticks, a GPU only
/// if it has an extended entry for it or no CPU executes it. The error states why that is impossible, as in "the model
/// has no CPU with a clock"; it is empty if no task is unmapped.
tl::expected<FirstMapping, std::string> first_mapping(const Model& model);

/// Reports at the first unmapped task why that is impossible; `unmappable_id` is the id of that finding.
void report_unmappable(const Model& model, const std::string& why, Diagnostics& findings);
extern const std::string_view unmappable_id;

}  // namespace amalthea::exporter
