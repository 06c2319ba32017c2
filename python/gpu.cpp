// SPDX-License-Identifier: Apache-2.0
#include "python/gpu.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "analysis/gpu.hpp"
#include "exporter/primitives/write_file.hpp"
#include "python/failure.hpp"
#include "python/keywords.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;
namespace gpu = analysis::gpu;
using analysis::Option;

/// A text as the command line reads it; lists of texts or numbers as they are.
py::object spelled(const Option& row, const py::handle& given) {
  const bool numbers = std::holds_alternative<std::vector<std::int64_t>*>(row.value);
  if (std::holds_alternative<std::string*>(row.value)) return py::str(given);
  if (!numbers && !std::holds_alternative<std::vector<std::string>*>(row.value))
    return py::reinterpret_borrow<py::object>(given);
  py::list parts;
  for (const py::handle& each : py::isinstance<py::list>(given) || py::isinstance<py::tuple>(given)
                                    ? py::list(py::reinterpret_borrow<py::object>(given))
                                    : py::list(py::make_tuple(given)))
    for (const py::handle& part :
         row.form.by_commas ? py::list(py::str(each).attr("split")(",")) : py::list(py::make_tuple(py::str(each))))
      parts.append(numbers ? py::object(py::int_(py::reinterpret_borrow<py::object>(part)))
                           : py::reinterpret_borrow<py::object>(part));
  return parts;
}

/// Those that are given, spelled. False is a flag that is not given.
Options given_among(const Options& options, const analysis::OptionTable& rows) {
  Options given;
  for (const auto& [key, value] : options) {
    if (value.is_none() || value.is(py::bool_(false))) continue;
    auto name = key.cast<std::string>();
    const auto row = std::find_if(rows.begin(), rows.end(), [word = name](const Option& each) {
      return each.keyword() == word ||
             (!each.form.alias.empty() && Option{each.form.alias, {}, {}, {}}.keyword() == word);
    });
    if (row != rows.end()) name = row->keyword();
    given[name.c_str()] = row != rows.end() ? spelled(*row, value) : py::reinterpret_borrow<py::object>(value);
  }
  for (const Option& row : rows) {
    const bool is_given = given.contains(row.keyword().c_str());
    if (row.form.required && !is_given)
      throw Failure(Failure::Kind::option, fmt::format("--{} is required", row.name), {});
    if (is_given && !row.form.needs.empty() && !given.contains(find_option(rows, row.form.needs)->keyword().c_str()))
      throw Failure(Failure::Kind::option, fmt::format("--{} requires --{}", row.name, row.form.needs), {});
  }
  return given;
}

template <typename Form>
std::string json_of(const Form& form) {
  return exporter::render_json(form);
}
std::string json_of(const exporter::StreamsDrawing& drawing) { return exporter::render_json(drawing.drawn); }

using Arguments = std::vector<std::string>;
using Text = std::optional<std::string>;

/// The answer as JSON. The files that the options name are written.
template <typename Request>
std::string answered(const Arguments& arguments, const Text& text, const Options& options) {
  Request request;
  if constexpr (requires { request.scenario; }) request.scenario = {arguments.at(0), text};
  if constexpr (requires { request.streams; }) request.streams = arguments;
  const analysis::OptionTable rows = gpu::options(request);
  take(given_among(options, rows), rows);
  const py::gil_scoped_release released;
  const auto answer = gpu::answer(request);
  if (!answer)
    throw Failure(
        answer.error().kind == analysis::Failure::Kind::unreadable ? Failure::Kind::unreadable : Failure::Kind::option,
        answer.error().text(), {});
  for (const auto& [path, bytes] : answer->files)
    if (const auto written = exporter::write_file(path, bytes); !written)
      throw Failure(Failure::Kind::option, written.error(), {});
  return std::visit([](const auto& form) { return json_of(form); }, answer->form);
}

std::string answer(const std::string& verb, const Arguments& arguments, const Text& text, const Options& options) {
  static const std::map<std::string, std::string (*)(const Arguments&, const Text&, const Options&)> verbs = {
      {"bounds", answered<gpu::BoundsRequest>},
      {"interference", answered<gpu::InterferenceRequest>},
      {"makespan", answered<gpu::MakespanRequest>},
      {"occupancy", answered<gpu::OccupancyRequest>},
      {"partition", answered<gpu::PartitionRequest>},
      {"place", answered<gpu::PlaceRequest>},
      {"rta", answered<gpu::RtaRequest>},
      {"run", answered<gpu::RunRequest>},
      {"study_order", answered<gpu::LaunchOrderRequest>},
      {"study_policies", answered<gpu::PolicyStudyRequest>},
      {"study_placement", answered<gpu::PlacementStudyRequest>},
      {"warps", answered<gpu::WarpsRequest>}};
  return verbs.at(verb)(arguments, text, options);
}

}  // namespace

void add_gpu(py::module_& module) {
  module.def("gpu", &answer, py::arg("verb"), py::arg("arguments"), py::arg("text"), py::arg("options"),
             "The answer of a GPU model as JSON; the text is the content of a scenario.");
}

}  // namespace amalthea::python
