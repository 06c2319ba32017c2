// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model of one AMALTHEA release → the same model of another.

#include <functional>
#include <string>
#include <string_view>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "migration/record.hpp"
#include "migration/release.hpp"

namespace amalthea::migration {

/// Takes the model from release to release, each step by the rules of its file (`to_0_9_3.cpp`).
/// Upwards everything arrives: what a newer release has no place for becomes custom properties (AM0701). Files that
/// hold older structure than their namespace says are converted from that (AM0703). Downwards the rules are undone
/// where that is possible, and what is left that the older release does not know are obstacles (AM0710): then false is
/// returned and the model is of no use. Ids, references and `xmi:id` are those of the new release afterwards.
bool migrate(EditableModel& model, Release from, Release to, Record& record, Diagnostics& diagnostics);

/// The text of one file in the form that release's tools write: EMF's, or that of the ITEA tools.
std::string write(const Object& root, const Release& release);
/// The same, handed over in pieces.
void write(const Object& root, const Release& release, const std::function<void(std::string_view)>& write);

}  // namespace amalthea::migration
