// SPDX-License-Identifier: Apache-2.0
// The native part of the Python package amalthea_timing. Results pass as JSON; the package wraps them.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

#include "analysis/built_with.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/results/result_view.hpp"
#include "python/batch.hpp"
#include "python/editing.hpp"
#include "python/failure.hpp"
#include "python/gpu.hpp"
#include "python/model.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;

/// JSON with the schema amalthea-findings/1.
std::string findings_json(const exporter::ModelInfo& info, const Diagnostics& findings) {
  std::vector<Diagnostic> sorted = findings.all();
  exporter::sort_findings(sorted);
  return exporter::render_findings_json({info, sorted, 0, {}});
}

void raise_failure(const Failure& failure) {
  const char* name = failure.kind == Failure::Kind::unreadable ? "UnreadableError"
                     : failure.kind == Failure::Kind::option   ? "OptionError"
                                                               : "ModelError";
  const py::object type = py::module_::import("amalthea_timing.errors").attr(name);
  const py::object error = type(failure.what(), findings_json({}, failure.findings));
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The native part of amalthea_timing.";
  module.attr("version") = std::string(exporter::tool_version);
  module.attr("built_with") = analysis::built_with();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      raise_failure(failure);
    }
  });
  py::class_<PythonModel, std::shared_ptr<PythonModel>>(module, "Model", "A model that was read.")
      .def_static("read", &PythonModel::read, py::arg("paths"), py::arg("options"))
      .def_static("parse", &PythonModel::parse, py::arg("files"), py::arg("options"))
      .def_property_readonly("files", [](const PythonModel& model) { return model.info().files; })
      .def_property_readonly("release", [](const PythonModel& model) { return model.info().version; })
      .def_property_readonly("hash", [](const PythonModel& model) { return model.info().hash; })
      .def("findings", [](const PythonModel& model) { return findings_json(model.info(), model.findings()); })
      .def("validate", &PythonModel::validate)
      .def("summary", &PythonModel::summary, py::arg("options"))
      .def("export", &PythonModel::exported, py::arg("form"), py::arg("table"))
      .def("analyze", &PythonModel::analyze, py::arg("options"), py::arg("trace"), py::arg("causes"),
           py::arg("progress"))
      .def("simulate", &PythonModel::simulate, py::arg("options"), py::arg("progress"))
      .def("explain", &PythonModel::explain, py::arg("name"), py::arg("options"), py::arg("progress"))
      .def("explore", &PythonModel::explore, py::arg("options"), py::arg("progress"))
      .def("report", &PythonModel::report, py::arg("options"), py::arg("progress"))
      .def("graph", &PythonModel::graph, py::arg("options"), py::arg("format"))
      .def("diff", &PythonModel::diff, py::arg("newer"), py::arg("base"), py::arg("timing"), py::arg("options"),
           py::arg("progress"))
      .def("bytes", &PythonModel::files)
      .def("convert", &PythonModel::convert, py::arg("options"))
      .def("annotate", &PythonModel::annotate, py::arg("options"), py::arg("progress"))
      .def("compare", &PythonModel::compare, py::arg("traces"), py::arg("page"), py::arg("options"),
           py::arg("progress"))
      .def("calibrate", &PythonModel::calibrate, py::arg("traces"), py::arg("options"), py::arg("progress"))
      .def("strip", &PythonModel::strip)
      .def("edit", [](const std::shared_ptr<PythonModel>& model) { return Tree::of(model); });
  module.def("new_model", &new_model, py::arg("table"), py::arg("options"));
  add_batch(module);
  add_editing(module);
  add_gpu(module);
}

}  // namespace amalthea::python
