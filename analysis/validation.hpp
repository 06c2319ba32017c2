// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The review of a model, and what of it counts as a failure.

#include <optional>
#include <string>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "analysis/option.hpp"

namespace amalthea::analysis {

struct ValidationRequest {
  std::string fail_on = "error";  ///< "error", "warning", "note", "never"
};
OptionTable validation_options(ValidationRequest& request);
/// The lowest severity that fails; nothing for "never".
std::optional<Severity> failing(const ValidationRequest& request);

/// Adds all findings of a review. False: some fail, with those that were there before.
bool validate(const Model& model, const ValidationRequest& request, Diagnostics& findings);

}  // namespace amalthea::analysis
