// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the metamodel says about the elements of a model that has been read.
///
/// Structure decides, not the namespace alone: a tag that the file's own version does not have is looked up in the
/// nearest version that has it, because files written during a development cycle carry the next version's namespace.

#include <optional>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::importer {

/// Gives every element its concrete EClass, registers xmi:ids and computed ids, and looks up every reference. Elements,
/// classes and attributes that no version has are kept and reported; so are, once per file, those that the version
/// named by the namespace does not have. References whose target is not in the model are reported and noted in it.
void understand_structure(Model& model, Diagnostics& diagnostics);

/// The release next to the one that the namespace states whose metamodel has every class, element and attribute of the
/// file; nothing where neither has. A file that has something its own release has not, and for which there is one, was
/// written during a development cycle. Takes time linear in the size of the file.
std::optional<Version> version_of_cycle(const Document& document);

/// Whether the finding is about a reference into a file that was not given (AM0205), which EMF leaves open.
bool is_about_missing_file(const Diagnostic& finding);

}  // namespace amalthea::importer
