// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model that Python holds, and the results of its analysis.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/work.hpp"
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

  /// The whole model as "json", "dot", "csv" (of one table) or "dump", or what a "table" can say of it.
  std::string exported(const std::string& form, const std::string& table) const;

  // What the verbs find, by "results" (JSON), "text" and other keys; "files" are names and bytes. Throw a Failure.

  /// Also "trace": columns or None, "tasks" and "units": names.
  pybind11::dict analyze(const Options& options, bool trace, bool with_causes, const pybind11::object& progress) const;
  /// For a part of the runs, that part.
  pybind11::dict simulate(const Options& options, const pybind11::object& progress) const;
  /// Of a task or runnable, with "picture", an SVG file.
  pybind11::dict explain(const std::string& name, const Options& options, const pybind11::object& progress) const;
  /// With "report", a page in Markdown, "mapping", the text of a mapping file, and the model with the new mapping.
  pybind11::dict explore(const Options& options, const pybind11::object& progress) const;
  /// "page", in HTML.
  pybind11::dict report(const Options& options, const pybind11::object& progress) const;
  /// The runnable graph of the system, or of a task, as "dot", "json" or "svg".
  std::string graph(const Options& options, const std::string& format) const;
  /// What changed from this model to a newer one; with `base`, what both changed in it, and the conflicts.
  pybind11::dict diff(const PythonModel& newer, const PythonModel* base, bool timing, const Options& options,
                      const pybind11::object& progress) const;
  pybind11::list files() const;
  pybind11::dict convert(const Options& options) const;
  pybind11::dict annotate(const Options& options, const pybind11::object& progress) const;
  /// Traces held against the model; "page" is in HTML, if wanted.
  pybind11::dict compare(const std::vector<std::string>& traces, bool page, const Options& options,
                         const pybind11::object& progress) const;
  /// The model with measured times.
  pybind11::dict calibrate(const std::vector<std::string>& traces, const Options& options,
                           const pybind11::object& progress) const;
  pybind11::list strip() const;

 private:
  struct Found {
    std::map<std::string, std::string> texts;
    std::vector<File> files = {};
  };
  using Job = std::function<Found(Work& work, Diagnostics& findings)>;
  pybind11::dict found_by(const pybind11::object& progress, const Job& job) const;
  /// The texts of the files of the model, with their names.
  std::vector<File> named(const std::vector<std::string>& texts) const;

  importer::Limits limits_;
  Model model_;
  exporter::ModelInfo info_;
  Diagnostics findings_;
};

/// A new model, from a table of tasks or from a template: its text, and what the table leaves open. Throws a Failure.
pybind11::tuple new_model(const std::string& table, const Options& options);

}  // namespace amalthea::python
