// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// References at the end of a conversion.

#include "amalthea/editable_model.hpp"
#include "amalthea/location.hpp"
#include "amalthea/metamodel.hpp"

namespace amalthea::migration {

/// Gives objects the ids that `version` writes, and lets every reference that knows its target lead there: by the id of
/// the target, or by its `xmi:id` or its position where others have that id, too. From 0.9.7 on every object that has
/// an id is written with it; before, none is. An `xmi:id` by which a reference names an object stays in every version.
/// References whose target is gone are findings (AM0704); of these, at most `most` are listed.
void settle_references(EditableModel& model, Version version, Diagnostics& diagnostics, std::size_t most);

}  // namespace amalthea::migration
