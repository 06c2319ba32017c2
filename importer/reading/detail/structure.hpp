// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Matches the elements of a model with the metamodel.
///
/// The structure decides, not only the namespace: a tag that does not exist in the file's own version is searched in
/// the nearest version that has it, because files written during a development cycle have the namespace of the next
/// version.

#include <optional>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::importer {

/// Assigns every element its concrete EClass, registers xmi:ids and computed ids, and resolves every reference. Unknown
/// elements, classes and attributes are kept and reported; so are, once per file, those that do not exist in the
/// version of the namespace. References whose target is not in the model are reported and recorded in it.
void understand_structure(Model& model, Diagnostics& diagnostics);

/// The release adjacent to that of the namespace whose metamodel has every class, element and attribute of the file;
/// nothing if neither has. A file with content that its own release lacks, and for which there is such a release, was
/// written during a development cycle. Linear in the size of the file.
std::optional<Version> version_of_cycle(const Document& document);

/// Whether the finding is about a reference to a file that was not given (AM0205), which EMF does not resolve.
bool is_about_missing_file(const Diagnostic& finding);

}  // namespace amalthea::importer
