// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/first_mapping.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/measured_traces.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"
#include "engine/many_runs.hpp"
#include "exporter/comparison/comparison_formats.hpp"
#include "exporter/report/comparison_report.hpp"
#include "importer/building/system_builder.hpp"

namespace amalthea::cli {
namespace {

struct CompareOptions {
  InputOptions input;
  AnalysisInput analysis;
  MeasuredTraces traces;
  std::uint64_t runs = 20;
  std::uint64_t seed = 1;
  std::size_t trace_events = 100'000;
  std::string format = "text";
  std::string output;
};

/// The model with a first mapping, if nothing but that keeps it from being simulated. A trace says what its tasks did
/// without it: what depends on the mapping is left out.
std::optional<analysis::Prepared> prepare_unmapped(const Model& model, const CompareOptions& options,
                                                   const Diagnostics& findings,
                                                   std::optional<analysis::MappedModel>& mapped) {
  const auto& all = findings.all();
  const bool only_unmapped = std::all_of(all.begin(), all.end(), [](const Diagnostic& finding) {
    return finding.severity != Severity::error || finding.id == importer::unallocated_id;
  });
  if (!only_unmapped) return std::nullopt;
  Diagnostics ignored;
  mapped = analysis::map_unmapped_tasks(model, options.analysis.build.keep_wrappers, options.input.limits, ignored);
  if (!mapped) return std::nullopt;
  auto prepared = analysis::prepare(mapped->model, options.analysis, ignored);
  return prepared ? std::optional(std::move(*prepared)) : std::nullopt;
}

void report_unmapped(const Model& model, Diagnostics& diagnostics) {
  const std::vector<Element> tasks = exporter::unmapped_tasks(model);
  diagnostics.add("AM0916", Severity::note,
                  fmt::format("the model leaves {} unmapped; the comparison shows what was measured, and leaves out "
                              "bounds, simulated times, cores and priorities; amalthea explore -o makes a mapping",
                              tasks.size() == 1 ? "1 task" : fmt::format("{} tasks", tasks.size())),
                  tasks.front().location(), tasks.front().path());
}

int run(const CompareOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const Diagnostics of_reading = diagnostics;
  auto prepared = model.and_then(
      [&](const Model& read) { return analysis::prepare(read, options.analysis, diagnostics).map_error(code_of); });
  std::optional<analysis::MappedModel> first_mapping;
  if (model && !prepared) {
    if (auto unmapped = prepare_unmapped(*model, options, diagnostics, first_mapping)) {
      prepared = std::move(*unmapped);
      diagnostics = of_reading;
      report_unmapped(*model, diagnostics);
    }
  }
  if (!prepared) {
    print_findings(diagnostics);
    return prepared.error();
  }
  const bool page = options.format == "html";
  exporter::ScheduleRecording measured_schedule(prepared->system, options.trace_events);
  exporter::ScheduleRecording simulated_schedule(prepared->system, options.trace_events);
  Diagnostics of_analysis;  // what concerns only the analysis says nothing about the trace
  engine::AnalysisOptions recorded = prepared->analysis;
  if (page) recorded.observer = &simulated_schedule.observer();
  std::optional<engine::Results> analyzed;
  if (!first_mapping) analyzed = engine::analyze(prepared->system, recorded, of_analysis);
  std::optional<engine::ManyRuns> simulated;
  if (options.runs > 0 && !first_mapping) {
    engine::ManyRunsOptions many{prepared->analysis, options.runs, options.seed, 1, {}};
    many.analysis.execution = engine::Execution::random;
    many.threads = std::clamp(std::thread::hardware_concurrency(), 1U,
                              static_cast<unsigned>(std::min<std::uint64_t>(options.runs, 64)));
    simulated = engine::simulate_runs(prepared->system, many, of_analysis);
  }
  auto measured = read_measured_traces(options.traces, *prepared, analyzed ? &*analyzed : nullptr, diagnostics,
                                       page ? &measured_schedule.observer() : nullptr, !first_mapping);
  print_findings(diagnostics);
  if (!measured) return measured.error();
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ComparisonView view{
      info,       prepared->system, *measured, analyzed ? &*analyzed : nullptr, simulated ? &*simulated : nullptr,
      diagnostics};
  std::string text;
  if (page) {
    const exporter::Schedule of_traces = measured_schedule.take(measured->files.front().end);
    std::optional<exporter::Schedule> of_simulation;
    if (analyzed) of_simulation = simulated_schedule.take(Instant::at(analyzed->horizon));
    text = exporter::render_comparison_html(view, {of_traces, of_simulation ? &*of_simulation : nullptr});
  } else if (options.format == "json") {
    text = exporter::render_comparison_json(view);
  } else if (options.format == "markdown") {
    text = exporter::render_comparison_markdown(view);
  } else {
    text = exporter::render_comparison_text(view, options.output.empty() && use_colour());
  }
  if (!write_output(options.output, text)) return ExitCode::unusable;
  if (diagnostics.has_errors()) return ExitCode::findings;
  return exit_code_of(engine::assess(prepared->system, measured->judged, Diagnostics{}), diagnostics,
                      options.analysis.allow_unknown);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "Hold traces of the real system against the model");
  verb->group(group::measured);
  add_measured_inputs(*verb, options->input, options->traces, options->analysis);
  add_options(*verb,
              {row("runs", &options->runs, "Number of simulated runs to compare with. 0: none", {group::analysis},
                   {.range = Range{0, 1'000'000}}),
               row("seed", &options->seed, "Random seed of the simulated runs", rare(group::analysis),
                   {.range = Range{0, engine::seed_limit - 1}}),
               row("format", &options->format,
                   "Output format. html: a page with the measured and the simulated schedule on one time axis",
                   {group::output}, {.choices = {"text", "json", "markdown", "html"}}),
               row("trace-events", &options->trace_events,
                   "Largest number of intervals of each schedule in a page. If there are more, it shows the beginning",
                   rare(group::output), {.range = Range{100, 10'000'000}})});
  add_output_option(*verb, options->output);
  describe(*verb,
           {"amalthea compare model.amxmi run.btf", "amalthea compare --format html -o run.html model.amxmi run.btf",
            "amalthea compare --names names.json model.amxmi run.btf"},
           "Exit codes:\n"
           "  0  every limit was met in the traces, and they contradict neither their\n"
           "     format nor the model\n"
           "  1  a limit was missed, or the traces contradict their format, the model\n"
           "     or a bound\n"
           "  2  wrong usage or unreadable input\n"
           "  4  the traces do not show whether a limit was met\n"
           "See docs/reference/compare.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
