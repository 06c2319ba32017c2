// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether the annotations in a model are of the state that the model is in, and models that go on without them.
///
/// The state of a model is its content without annotations. `amalthea annotate` records it at the root of every file
/// in which it writes: as `origin.model`, and of several files also as `origin.state` (docs/reference/annotation.md).

#include <string>

#include "amalthea/diagnostic.hpp"
#include "amalthea/editable_model.hpp"
#include "amalthea/element.hpp"

namespace amalthea::exporter {

/// Whether anything in the file was inserted by `annotate`. Cheap.
bool is_annotated(const Document& document);

/// "sha256:…" of the file without annotations, unpacked; of several files, of their hashes in ascending order, so that
/// it does not matter in which order the files are given.
std::string state_of_model(const Model& model);

/// Says of every annotated file whose annotations were made of another state of the model (AM0553). Annotations that
/// do not say enough are not judged: those without a record at the root, and of several files those that have no
/// `origin.state`. Costs next to nothing where nothing is annotated.
void check_annotations(const Model& model, Diagnostics& diagnostics);

/// Says of an annotated file that what is written of it has no annotations (AM0554).
void report_dropped_annotations(const Document& document, Diagnostics& diagnostics);

/// Takes the annotations of `model`, which `editable` was made of, out of `editable`, and says so (AM0554).
void drop_annotations(const Model& model, EditableModel& editable, Diagnostics& diagnostics);

}  // namespace amalthea::exporter
