// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Checks whether the annotations in a model match its current state, and removes annotations.
///
/// The state of a model is its content without annotations. `amalthea annotate` records it at the root of every file in
/// which it writes: as `origin.model`, and for several files also as `origin.state` (docs/reference/annotation.md).

#include <string>

#include "amalthea/editable_model.hpp"
#include "amalthea/element.hpp"
#include "amalthea/location.hpp"

namespace amalthea::exporter {

/// Whether the file contains anything inserted by `annotate`. Fast.
bool is_annotated(const Document& document);

/// "sha256:…" of the file without annotations, unpacked; for several files, of their hashes in ascending order, so that
/// the order of the files is irrelevant.
std::string state_of_model(const Model& model);

/// Reports every annotated file whose annotations were made for another state of the model (AM0553). Annotations
/// without sufficient data are not judged: those without a record at the root, and for several files those without
/// `origin.state`. Very fast without annotations.
void check_annotations(const Model& model, Diagnostics& diagnostics);

/// Reports that the output of an annotated file has no annotations (AM0554).
void report_dropped_annotations(const Document& document, Diagnostics& diagnostics);

/// Removes the annotations of `model`, from which `editable` was created, from `editable`, and reports it (AM0554).
void drop_annotations(const Model& model, EditableModel& editable, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
