// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Models of the ITEA releases as text, and in memory.
///
/// In memory (EditableModel) an ITEA model of any of the three releases looks as 0.7.0 would have it wherever it can:
/// - A class is that of 0.7.0 (HwSystem, PeriodicActivation, ModeSwitch for a LabelSwitch), see
/// amalthea/detail/itea.hpp. An
///   element that 0.7.0 has no class for, and all below it, has no_class and keeps its "xsi:type" as it was written.
/// - Features have the names of 0.7.0 (buffered, name of a tag); those that it does not have keep theirs (`elements`,
///   `executableAllocation`), and may hold objects of a class that it has.
/// - References of features that 0.7.0 has are ids of 0.7.0 ("Control?type=Task") where the target has one that no
///   other object has. All others stand there as written: an `xmi:id`, a position ("//@swModel/@tasks.0") or
///   "file.amxmi#" and one of them; and so do all references of features that 0.7.0 does not have, as plain attributes
///   or as objects without class that have an "href". migration/detail/itea_reference.hpp finds what they lead to.
/// - `xmi:id`s are kept.
///
/// As text it is what the ITEA tools write: a namespace per package, whose name is the prefix; names of the release;
/// references by `xmi:id` where the target has one, by position where not, and in 1.3.0 by name where it has a name
/// that is its own. Order is that of the model, as no metamodel of these releases says another. No defaults are added.

#include <string>

#include "amalthea/detail/itea.hpp"
#include "amalthea/editable_model.hpp"

namespace amalthea::migration {

/// One file: the text of the tree below `root`, which may be a whole model or a part of one.
std::string write_itea_form(const Object& root, IteaRelease release);

}  // namespace amalthea::migration
