// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Converts a model of one AMALTHEA release to another release.

#include <functional>
#include <string>
#include <string_view>

#include "amalthea/editable_model.hpp"
#include "amalthea/location.hpp"
#include "migration/record.hpp"
#include "migration/release.hpp"

namespace amalthea::migration {

/// Migrates the model from release to release, each step by the rules of its file (`to_0_9_3.cpp`). Upwards nothing is
/// lost: what a newer release does not support becomes custom properties (AM0701). Files with older structure than
/// their namespace are converted from that structure (AM0703). Downwards the rules are undone if possible; remaining
/// content that the older release does not support is an obstacle (AM0710): then it returns false, and the model must
/// not be used. Ids, references and `xmi:id` are those of the new release afterwards.
bool migrate(EditableModel& model, Release from, Release to, Record& record, Diagnostics& diagnostics);

/// What a rule does, in one sentence. Empty for a name that no rule has.
std::string_view rule_summary(std::string_view rule);

/// The text of one file in the form of that release's tools: EMF's, or that of the ITEA tools.
std::string write(const Object& root, const Release& release);
/// The same, passed on in pieces.
void write(const Object& root, const Release& release, const std::function<void(std::string_view)>& write);

}  // namespace amalthea::migration
