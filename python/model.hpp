// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model that Python holds, and the results of its analysis.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/reading/limits.hpp"
#include "python/keywords.hpp"

namespace amalthea::python {

/// Name and content of a file.
using File = std::pair<std::string, std::string>;

class PythonModel {
 public:
  /// Throw a Failure if the files are not a model.
  static std::shared_ptr<PythonModel> read(const std::vector<std::string>& paths);
  static std::shared_ptr<PythonModel> parse(const std::vector<File>& files);

  const Model& model() const { return model_; }
  const exporter::ModelInfo& info() const { return info_; }
  const Diagnostics& findings() const { return findings_; }  ///< of reading

  // JSON, as the command writes it.
  std::string validate() const;
  std::string summary() const;
  std::string content() const;

  /// `{"results": JSON, "text": text, "trace": columns or None, "tasks": [name], "units": [name]}`.
  pybind11::dict analyze(const Options& options, bool trace, const pybind11::object& progress) const;
  /// `{"results": JSON, "text": text}`; for a part of the runs, that part.
  pybind11::dict simulate(const Options& options, const pybind11::object& progress) const;
  /// The same of a task or runnable, with "picture", an SVG file, or "" if there is no job to explain.
  pybind11::dict explain(const std::string& name, const Options& options, const pybind11::object& progress) const;
  /// The same as simulate, with "mapping", the text of a mapping file, and "files", the model with the new mapping.
  pybind11::dict explore(const Options& options, const pybind11::object& progress) const;

  /// An HTML page.
  std::string report(const Options& options, const pybind11::object& progress) const;
  /// The runnable graph of the system, or of a task, as "dot", "json" or "svg".
  std::string graph(const Options& options, const std::string& format) const;

  /// What changed from this model to a newer one, in one of the formats of the command.
  std::string diff(const PythonModel& newer, bool timing, const std::string& format, const Options& options,
                   const pybind11::object& progress) const;

  std::vector<File> files() const;
  /// The model in another release, and the JSON report of the conversion.
  std::pair<std::vector<File>, std::string> convert(const Options& options) const;
  std::vector<File> annotate(const Options& options, const pybind11::object& progress) const;
  std::vector<File> strip() const;

 private:
  explicit PythonModel(Model model, Diagnostics findings);
  Model model_;
  exporter::ModelInfo info_;
  Diagnostics findings_;
};

/// Limits for files that Python reads: those of the command.
importer::Limits limits();

}  // namespace amalthea::python
