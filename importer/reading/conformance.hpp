// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether files hold what the metamodel of their own version allows: values of the right type, no feature left out
/// or written too often, no class or feature of another version. Reading a model does not need this; a review does.

#include <cstddef>
#include <string>
#include <string_view>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::importer {

/// Checks every element of every document. What reading has already reported (elements, attributes, classes that no
/// version has, references that lead nowhere) is not said again. Of each kind of finding the first `most` are
/// listed. Models from before 0.7.0 have no metamodel to be checked against; a file of a development cycle is checked
/// against the release that it is of (version_of_cycle). Takes time linear in the size of the files.
void check_conformance(const Model& model, Diagnostics& diagnostics, std::size_t most = 1000);

/// Of the findings about what the metamodel requires and is not there.
extern const std::string_view missing_feature_id;

/// Whether Java, and so EMF, reads `text` as a value of the type: "EInt", "ELong", "EBigInteger", "EDouble",
/// "EFloat", "EBoolean" or their "…Object" forms; true for any other type. No blanks around integers and booleans,
/// none but ASCII digits, booleans in any case.
bool is_value_of(std::string_view type, std::string_view text);

/// Whether the text is an address as AMALTHEA writes them: decimal, 0x… or octal, no sign, below 2^63.
bool is_address(std::string_view text);

/// "0.8.3", "0.8.0 to 0.8.3 and 1.0.0"; the set must not be empty.
std::string describe(VersionSet versions);

}  // namespace amalthea::importer
