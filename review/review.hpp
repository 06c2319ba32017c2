// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Design review of a model: whether it conforms to its metamodel, whether it can be analyzed, and what is probably
/// unintended.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::review {

/// Maximum number of findings of a kind if the user did not request a review.
inline constexpr std::size_t few = 10;
inline constexpr std::size_t many = 1000;

/// Adds the findings of the metamodel check and of building the system. Returns the system if it could be built,
/// whatever the metamodel check finds. Lists up to `most` conformance findings of each kind.
std::optional<System> build_checked(const Model& model, importer::BuildOptions options, Diagnostics& diagnostics,
                                    std::size_t most = many);

/// Adds the findings of all rules, up to `most` for each rule. `system` is null for a model that cannot be built; it is
/// reviewed as far as possible. Findings in `diagnostics` for the same location are not repeated.
void apply_rules(const Model& model, const System* system, Diagnostics& diagnostics, std::size_t most = many);

/// Both.
void review_model(const Model& model, Diagnostics& diagnostics);

/// The elements that state the times of two deadlines that look swapped, where each is stated once.
std::vector<std::pair<Element, Element>> swapped_deadlines(const Model& model, const System& system);

}  // namespace amalthea::review
