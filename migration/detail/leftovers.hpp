// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Content of a model that a release does not support: kept as custom properties on the way to a newer release, an
/// obstacle on the way to an older one.

#include <cstddef>

#include "amalthea/location.hpp"
#include "migration/detail/rule.hpp"

namespace amalthea::migration {

/// Moves everything into custom properties that step.to does not support: classes, features, literals, values of the
/// wrong type, and objects and references whose class is not allowed. Before the last step, only what step.from
/// supported: the rest may belong to a later release.
void keep_leftovers(Step& step, bool last);

/// Moves into custom properties what stands a second time where step.from has a place for one only, all but the last of
/// it: EMF reads that one.
void keep_surplus(Step& step);

/// The same things as findings (AM0710), without changing anything. Returns how many there are; at most 1000 are
/// listed.
std::size_t find_obstacles(const EditableModel& model, Version version, Diagnostics& diagnostics);

/// The oldest release whose structure the model contains: that of its files or, if files hold older structure than
/// their namespace, that of the oldest class or feature.
Version structure_of(const EditableModel& model, Version version);

}  // namespace amalthea::migration
