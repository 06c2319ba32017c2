#pragma once
/// \file
/// What the metamodel says about the elements of a model that has been read.
///
/// Structure decides, not the namespace alone: a tag that the file's own version does not have is looked up in the
/// nearest version that has it, because files written during a development cycle carry the next version's namespace.

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::importer {

/// Gives every element its concrete EClass and registers xmi:ids and computed ids. Elements and classes that no
/// version has are kept and reported.
void give_classes_and_ids(Model& model, Diagnostics& diagnostics);

/// Reports, and notes in the model, references whose target is not in it; reports attributes that no version has.
void check_references(Model& model, Diagnostics& diagnostics);

}  // namespace amalthea::importer
