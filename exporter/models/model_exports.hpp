// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model in formats other than AMALTHEA, selected by the extension of the file name.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/time.hpp"

namespace amalthea::exporter {

/// What a job of a task executes on its core.
struct ExecutionTimes {
  Duration best;   ///< rounded down to picoseconds
  Duration worst;  ///< rounded up
};

struct ModelExportOptions {
  std::string table;  ///< for CSV: one of model_tables(); "" for the first
  /// For CSV of tasks, by document and element; empty cells for all others.
  std::map<std::pair<std::uint32_t, std::uint32_t>, ExecutionTimes> execution = {};
};

/// Receives the text in pieces.
using Sink = std::function<void(std::string_view)>;

struct ModelExport {
  std::string_view extension;
  bool tables;  ///< contains one table
  void (*write)(const Model&, const ModelExportOptions&, Diagnostics&, const Sink&);
};

/// The format for a file with this name, or null. A new format is one function and one line in model_exports.cpp.
const ModelExport* model_export_of(std::string_view path);

/// The whole model: `amalthea-model/1`, docs/reference/convert.md. Objects with their containment, references by id.
void write_model_json(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics,
                      const Sink& sink);
/// Activations, calls, accesses and the mapping, for Graphviz.
void write_model_dot(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics, const Sink& sink);
/// One table with a header line.
void write_model_csv(const Model& model, const ModelExportOptions& options, Diagnostics& diagnostics, const Sink& sink);

/// "tasks", "runnables", "ticks", "labels", "mapping".
const std::vector<std::string>& model_tables();

}  // namespace amalthea::exporter
