// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model in forms that are no AMALTHEA files, by the ending of the file's name.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

namespace amalthea::exporter {

struct ModelExportOptions {
  std::string table;  ///< of CSV: one of model_tables(); "" for the first
};

/// Receives the text in pieces.
using Sink = std::function<void(std::string_view)>;

struct ModelExport {
  std::string_view extension;
  bool tables;  ///< holds one table
  void (*write)(const Model&, const ModelExportOptions&, Diagnostics&, const Sink&);
};

/// The form for a file of this name, or null. A new form is one function and one line in model_exports.cpp.
const ModelExport* model_export_of(std::string_view path);

/// Everything in the model: `amalthea-model/1`, docs/reference/convert.md. Objects as they are contained, references by id.
void write_model_json(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics,
                      const Sink& sink);
/// Who activates, calls, reads and writes whom, and what runs and lies where, for Graphviz.
void write_model_dot(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics, const Sink& sink);
/// One table with a line of titles.
void write_model_csv(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics, const Sink& sink);

/// "tasks", "runnables", "ticks", "labels", "mapping".
const std::vector<std::string>& model_tables();

}  // namespace amalthea::exporter
