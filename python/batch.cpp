// SPDX-License-Identifier: Apache-2.0
#include "python/batch.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "batch/batch.hpp"
#include "batch/summary.hpp"
#include "exporter/results/result_view.hpp"
#include "python/failure.hpp"
#include "python/interruption.hpp"
#include "python/keywords.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;

template <typename Value>
Value needed(analysis::Outcome<Value> outcome) {
  if (!outcome) throw Failure(Failure::Kind::option, outcome.error().text(), {});
  return std::move(*outcome);
}
void must(const tl::expected<void, std::string>& done) {
  if (!done) throw Failure(Failure::Kind::option, done.error(), {});
}

/// The lines of the batch. `module_file`: results depend on the build of this module, not on that of the interpreter.
std::vector<std::string> lines_of(const batch::BatchRequest& request, const std::vector<std::string>& summaries,
                                  const std::string& module_file, const py::object& progress) {
  for (const std::string& path : summaries)
    if (!batch::is_summary_file(path)) must(tl::unexpected("summary " + path + ": unknown extension"));
  Work state;
  std::vector<std::string> lines;
  run_interruptibly(state, progress, [&] {
    auto work = needed(batch::prepare_batch(request, needed(batch::models_of(request))));
    work.options += "\n" + exporter::hash_of_file(module_file).value_or("");
    work.work = &state;
    batch::Summary summary(work.models);
    work.done = [&](const batch::Record& record, const std::string& line) {
      summary.add(record);
      lines.push_back(line);
    };
    work.progress = [&](std::size_t done, std::size_t of, std::size_t) {
      state.done = static_cast<double>(done) / static_cast<double>(of);
    };
    must(batch::run_batch(work));
    if (state.stop) return;
    for (const std::string& path : summaries) must(batch::write_summary(path, summary, request.output));
  });
  return lines;
}

}  // namespace

void add_batch(py::module_& module) {
  module.def(
      "batch",
      [](const std::vector<std::string>& paths, const std::string& manifest, const std::string& output,
         const std::string& cache, const std::vector<std::string>& summaries, const Options& options,
         const py::object& progress) {
        batch::BatchRequest request;
        request.paths = paths;
        request.manifest = manifest;
        request.output = output;
        request.cache = cache;
        take(options, analysis::joined({process_options(request), analysis::limit_options(request.limits),
                                        analysis::request_options(request.analysis)}));
        const py::object self = py::module_::import("amalthea_timing._core").attr("__file__");
        return lines_of(request, summaries, self.cast<std::string>(), progress);
      },
      py::arg("paths"), py::arg("manifest"), py::arg("output"), py::arg("cache"), py::arg("summaries"),
      py::arg("options"), py::arg("progress"));
  module.def(
      "merge_batch",
      [](const std::vector<std::string>& parts) {
        std::vector<std::string> lines;
        must(batch::merge_parts(parts, [&](std::string_view line) { lines.emplace_back(line); }));
        return lines;
      },
      py::arg("parts"));
}

}  // namespace amalthea::python
