// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Checks whether files conform to the metamodel of their own version: values of the right type, no feature missing or
/// written too often, no class or feature of another version. Reading a model does not need this; a review does.

#include <cstddef>
#include <string>
#include <string_view>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"

namespace amalthea::importer {

/// Checks every element of every document. Does not repeat what reading has reported (unknown elements, attributes and
/// classes, references without a target). Lists the first `most` findings of each kind. Models before 0.7.0 have no
/// metamodel to check against; a file of a development cycle is checked against its actual release (version_of_cycle).
/// Linear in the size of the files.
void check_conformance(const Model& model, Diagnostics& diagnostics, std::size_t most = 1000);

/// Ids of the findings about missing required features: of any class, and of those of which timing depends on all.
extern const std::string_view missing_feature_id, missing_timing_feature_id;

/// Whether Java, and therefore EMF, accepts `text` as a value of the type: "EInt", "ELong", "EBigInteger", "EDouble",
/// "EFloat", "EBoolean" or their "…Object" forms; true for any other type. No blanks around integers and booleans, only
/// ASCII digits, booleans in any case.
bool is_value_of(std::string_view type, std::string_view text);

/// Whether the text is an address in AMALTHEA's format: decimal, 0x… or octal, no sign, below 2^63.
bool is_address(std::string_view text);

/// "0.8.3", "0.8.0 to 0.8.3 and 1.0.0"; the set must not be empty.
std::string describe(VersionSet versions);

}  // namespace amalthea::importer
