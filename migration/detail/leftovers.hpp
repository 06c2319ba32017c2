// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a release has no place for in a model: kept aside on the way to a newer one, an obstacle on the way to an older
/// one.

#include <cstddef>

#include "amalthea/diagnostic.hpp"
#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Moves into custom properties what step.to does not have: classes, features, literals, values of the wrong type, and
/// objects and references where their class may not be. Before the last step only what step.from did have: the rest may
/// belong to a release still to come.
void keep_leftovers(Step& step, bool last);

/// Moves into custom properties what stands a second time where step.from has a place for one only, all but the last of
/// it: EMF reads that one.
void keep_surplus(Step& step);

/// The same things as findings (AM0710), without changing anything. Returns how many there are; at most 1000 are
/// listed.
std::size_t find_obstacles(const EditableModel& model, Version version, Diagnostics& diagnostics);

/// The oldest release whose structure is in the model: that of its files or, in files that hold older structure than
/// their namespace says, that of the oldest class or feature.
Version structure_of(const EditableModel& model, Version version);

}  // namespace amalthea::migration
