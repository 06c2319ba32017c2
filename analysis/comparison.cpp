// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "analysis/first_mapping.hpp"
#include "exporter/comparison/comparison_formats.hpp"
#include "exporter/report/comparison_report.hpp"

namespace amalthea::analysis {
namespace {

/// A trace says what tasks did without a mapping of the model: what depends on the mapping is left out.
void report_unmapped(const Model& model, Diagnostics& findings) {
  const std::vector<Element> tasks = exporter::unmapped_tasks(model);
  findings.add("AM0916", Severity::note,
               fmt::format("the model leaves {} unmapped; the comparison shows what was measured, and leaves out "
                           "bounds, simulated times, cores and priorities; amalthea explore -o makes a mapping",
                           tasks.size() == 1 ? "1 task" : fmt::format("{} tasks", tasks.size())),
               tasks.front().location(), tasks.front().path());
}

/// The model as it is or, if nothing but a mapping keeps it from being simulated, with a first one; `mapped` tells.
Outcome<Prepared> prepare_mapped(const Model& model, const ComparisonRequest& request, const importer::Limits& limits,
                                 bool& mapped, Diagnostics& findings) {
  const Diagnostics of_reading = findings;
  auto prepared = prepare(model, request, findings);
  if (prepared) return prepared;
  const auto& all = findings.all();
  const bool only_unmapped = std::all_of(all.begin(), all.end(), [](const Diagnostic& finding) {
    return finding.severity != Severity::error || finding.id == importer::unallocated_id;
  });
  if (!only_unmapped) return prepared;
  Diagnostics ignored;
  const auto with_mapping = map_unmapped_tasks(model, request.build.keep_wrappers, limits, ignored);
  if (!with_mapping) return prepared;
  auto prepared_with = prepare(with_mapping->model, request, ignored);
  if (!prepared_with) return prepared;
  mapped = false;
  findings = of_reading;
  report_unmapped(model, findings);
  return prepared_with;
}

}  // namespace

OptionTable comparison_options(ComparisonRequest& request) {
  return joined({trace_options(request),
                 {row("runs", &request.runs, "Number of simulated runs to compare with. 0: none", {group::analysis},
                      {.range = Range{0, 1'000'000}}),
                  row("seed", &request.seed, "Random seed of the simulated runs", rare(group::analysis),
                      {.range = Range{0, engine::seed_limit - 1}}),
                  row("trace-events", &request.trace_events,
                      "Largest number of intervals of each schedule in a page. If there are more, it shows the "
                      "beginning",
                      rare(group::output), {.range = Range{100, 10'000'000}})}});
}

Outcome<Compared> compare(const Model& model, const ComparisonRequest& request, const importer::Limits& limits,
                          const traces::Progress& progress, Diagnostics& findings) {
  bool mapped = true;
  auto prepared = prepare_mapped(model, request, limits, mapped, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  Compared found;
  static_cast<Prepared&>(found) = std::move(*prepared);
  const bool page = request.format == "html";
  exporter::ScheduleRecording of_traces(found.system, request.trace_events);
  exporter::ScheduleRecording of_simulation(found.system, request.trace_events);
  Diagnostics of_analysis;  // what concerns only the analysis says nothing about the trace
  if (mapped) {
    engine::AnalysisOptions recorded = found.analysis;
    if (page) recorded.observer = &of_simulation.observer();
    found.analyzed = engine::analyze(found.system, recorded, of_analysis);
  }
  if (mapped && request.runs > 0) {
    engine::ManyRunsOptions many{found.analysis, request.runs, request.seed, 1, {}};
    many.analysis.execution = engine::Execution::random;
    many.threads = std::clamp(std::thread::hardware_concurrency(), 1U,
                              static_cast<unsigned>(std::min<std::uint64_t>(request.runs, 64)));
    found.simulated = engine::simulate_runs(found.system, many, of_analysis);
  }
  const engine::Results* const bounds = found.analyzed ? &*found.analyzed : nullptr;
  auto measured =
      read_traces(request, found, {bounds, page ? &of_traces.observer() : nullptr, mapped, progress}, findings);
  if (!measured) return tl::unexpected(measured.error());
  found.measured = std::move(*measured);
  if (page) found.schedule = of_traces.take(found.measured.files.front().end);
  if (page && bounds != nullptr) found.simulated_schedule = of_simulation.take(Instant::at(bounds->horizon));
  found.assessment = engine::assess(found.system, found.measured.judged, Diagnostics{});
  return found;
}

Outcome<traces::ListedTrace> list_trace(const std::string& path, const std::string& columns,
                                        const traces::Progress& progress, Diagnostics& findings) {
  auto listed = traces::list_trace({.path = path, .progress = progress, .columns = columns}, findings);
  if (!listed) return misused(std::move(listed.error()));
  return std::move(*listed);
}

std::string text_of(const Compared& compared, const Model& model, const Diagnostics& findings,
                    const std::string& format, bool colour) {
  const exporter::ModelInfo info = exporter::model_info(model);
  const auto address = [](const auto& part) { return part ? &*part : nullptr; };
  const exporter::ComparisonView view{
      info, compared.system, compared.measured, address(compared.analyzed), address(compared.simulated), findings};
  if (format == "html")
    return exporter::render_comparison_html(view, {*compared.schedule, address(compared.simulated_schedule)});
  return format == "json"       ? exporter::render_comparison_json(view)
         : format == "markdown" ? exporter::render_comparison_markdown(view)
                                : exporter::render_comparison_text(view, colour);
}

}  // namespace amalthea::analysis
