// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether a model states what accesses to labels cost.

#include <algorithm>
#include <variant>

#include "amalthea/graph/system.hpp"

namespace amalthea::importer::detail {

/// Calls visit(label, written) for each label that an activity reads, then for each that it writes.
template <typename Visit>
void for_each_label(const Activity& activity, Visit visit) {
  if (const auto* read = std::get_if<ReadLabel>(&activity)) visit(read->label, false);
  if (const auto* write = std::get_if<WriteLabel>(&activity)) visit(write->label, true);
  if (const auto* copy = std::get_if<Copy>(&activity)) {
    for (const LabelIndex label : copy->sources) visit(label, false);
    for (const LabelIndex label : copy->destinations) visit(label, true);
  }
}

/// Whether the model states costs of accesses of this unit or to this memory.
inline bool states_costs(const Platform& platform, UnitIndex unit, MemoryIndex memory) {
  return !platform.units[unit].accesses.empty() ||
         std::any_of(platform.units.begin(), platform.units.end(), [memory](const ProcessingUnit& one) {
           return std::any_of(one.accesses.begin(), one.accesses.end(),
                              [memory](const MemoryAccess& access) { return access.memory == memory; });
         });
}

}  // namespace amalthea::importer::detail
