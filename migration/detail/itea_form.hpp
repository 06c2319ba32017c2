// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models of the ITEA releases, as text and in memory.
///
/// In memory (EditableModel) an ITEA model of any of the three releases has the form of 0.7.0 as far as possible:
/// - A class is that of 0.7.0 (HwSystem, PeriodicActivation, ModeSwitch for a LabelSwitch), see
/// amalthea/primitives/itea.hpp. An
///   element that 0.7.0 has no class for, and all below it, has no_class and keeps its "xsi:type" as it was written.
/// - Features have the names of 0.7.0 (buffered, name of a tag). Features that 0.7.0 lacks keep theirs (`elements`,
///   `executableAllocation`), and may hold objects of a class that it has.
/// - References of features of 0.7.0 are ids of 0.7.0 ("Control?type=Task") if the target has a unique one. All others
///   are kept as written: an `xmi:id`, a position ("//@swModel/@tasks.0") or "file.amxmi#" and one of them. References
///   of features that 0.7.0 lacks are also kept, as plain attributes or as objects without class that have an "href".
///   migration/detail/itea_reference.hpp finds their targets.
/// - `xmi:id`s are kept.
///
/// As text it has the form of the ITEA tools: a namespace per package, whose name is the prefix; names of the release;
/// references by `xmi:id` if the target has one, else by position, and in 1.3.0 by name if it is unique. The order is
/// that of the model, since no metamodel of these releases is available. No defaults are added.

#include <string>

#include "amalthea/editable_model.hpp"
#include "amalthea/primitives/itea.hpp"

namespace amalthea::migration {

/// One file: the text of the tree below `root`, which may be a whole model or a part of one.
std::string write_itea_form(const Object& root, IteaRelease release);

}  // namespace amalthea::migration
