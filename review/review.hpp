// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A design review of a model: does it conform to its metamodel, can it be analysed, and what looks unintended in it.

#include <cstddef>
#include <optional>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::review {

/// How many findings of a kind somebody reads who has not asked for a review.
inline constexpr std::size_t few = 10;
inline constexpr std::size_t many = 1000;

/// Adds what checking against the metamodel and building the system find. The system is there whenever it could be
/// built, whatever the metamodel says. Of each kind of conformance finding `most` are listed.
std::optional<System> build_checked(const Model& model, importer::BuildOptions options, Diagnostics& diagnostics,
                                    std::size_t most = many);

/// Adds what all rules find; of each rule `most` findings are listed. `system` is null for a model that cannot be
/// built, which is reviewed as far as that is possible without. What is in `diagnostics` about a place is not said
/// again.
void apply_rules(const Model& model, const System* system, Diagnostics& diagnostics, std::size_t most = many);

/// Both.
void review_model(const Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::review
