// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model that Python holds, and the results of its analysis.

#include <functional>
#include <memory>
#include <optional>
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
  /// Throw a Failure if the files are not a model. Options: limits on input, also on files that are read later.
  static std::shared_ptr<PythonModel> read(const std::vector<std::string>& paths, const Options& options);
  static std::shared_ptr<PythonModel> parse(const std::vector<File>& files, const Options& options);
  using Reading = std::function<std::optional<Model>(const importer::Limits&, Diagnostics&)>;
  PythonModel(const Options& options, const Reading& read);

  const Model& model() const { return model_; }
  const exporter::ModelInfo& info() const { return info_; }
  const Diagnostics& findings() const { return findings_; }  ///< of reading

  // JSON, as the command writes it.
  std::string validate() const;
  std::string summary(const Options& options) const;

  /// The whole model as "json", "dot", "csv" (of one table) or "dump".
  std::string exported(const std::string& form, const std::string& table) const;

  /// `{"results": JSON, "text": text, "trace": columns or None, "tasks": [name], "units": [name]}`.
  pybind11::dict analyze(const Options& options, bool trace, const pybind11::object& progress) const;
  /// `{"results": JSON, "text": text}`; for a part of the runs, that part.
  pybind11::dict simulate(const Options& options, const pybind11::object& progress) const;
  /// The same of a task or runnable, with "picture", an SVG file, or "" if there is no job to explain.
  pybind11::dict explain(const std::string& name, const Options& options, const pybind11::object& progress) const;
  /// The same as simulate, with "report", a page in Markdown, "mapping", the text of a mapping file, and "files", the
  /// model with the new mapping.
  pybind11::dict explore(const Options& options, const pybind11::object& progress) const;

  /// An HTML page.
  std::string report(const Options& options, const pybind11::object& progress) const;
  /// The runnable graph of the system, or of a task, as "dot", "json" or "svg".
  std::string graph(const Options& options, const std::string& format) const;

  /// What changed from this model to a newer one; with `base`, what both changed in it, and the conflicts. As JSON.
  std::string diff(const PythonModel& newer, const PythonModel* base, bool timing, const Options& options,
                   const pybind11::object& progress) const;

  std::vector<File> files() const;
  /// The model in another release, and the JSON report of the conversion.
  std::pair<std::vector<File>, std::string> convert(const Options& options) const;
  std::vector<File> annotate(const Options& options, const pybind11::object& progress) const;
  std::vector<File> strip() const;

 private:
  importer::Limits limits_;
  Model model_;
  exporter::ModelInfo info_;
  Diagnostics findings_;
};

/// Names and bytes, for Python.
pybind11::list as_list(const std::vector<File>& files);

}  // namespace amalthea::python
