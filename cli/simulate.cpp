// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/simulation.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/runs_formats.hpp"

namespace amalthea::cli {
namespace {

struct SimulateOptions {
  InputOptions input;
  analysis::SimulationRequest request;
  bool allow_unknown = false;
  std::string format = "text";
  std::string output;
  TraceOptions trace;
  std::uint64_t traced_run = 0;
};

bool options_fit(const SimulateOptions& options) {
  if (options.traced_run >= options.request.runs)
    return complain(fmt::format("--trace-run {}: expected a run number from 0 to {}", options.traced_run,
                                options.request.runs - 1));
  return options.request.shard.empty() || !options.output.empty() ||
         complain("--shard requires -o FILE, in which the part is written");
}

/// False, after a message, if there is no witness; then `code` is that of the command.
bool witness_is_found(analysis::Simulation& simulation, const std::string& task, const Diagnostics& diagnostics,
                      int& code) {
  if (task.empty()) return true;
  LongWork search(LongWork::CtrlC::stops, StatusLine::Log::no, [] { return std::string("searching for a witness"); });
  const auto sought = analysis::seek_witness(simulation, task, &search.work());
  search.end();
  if (sought) return true;
  if (sought.error().kind == analysis::Failure::Kind::refused) print_findings(diagnostics);
  code = code_of(sought.error());
  return false;
}

int write_part(const SimulateOptions& options, const exporter::RunPart& part, std::uint64_t runs) {
  if (part.totals.runs == runs)
    return write_data(options.output, exporter::render_run_part(part)) ? ExitCode::all_well : ExitCode::unusable;
  tell("amalthea: warning: interrupted after {} of {} runs; the part is not written\n", part.totals.runs, runs);
  return ExitCode::interrupted;
}

int run(const SimulateOptions& options) {
  if (!check_output(options.output) || !check_output(options.request.checkpoint) || !check_trace(options.trace.path) ||
      !options_fit(options))
    return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  auto simulation = model.and_then([&](const Model& read) {
    return analysis::prepare_simulation(read, options.request, options.input.limits, diagnostics).map_error(code_of);
  });
  if (!simulation) {
    print_findings(diagnostics);
    return simulation.error();
  }
  analysis::SimulationWatch watch;
  std::unique_ptr<exporter::TraceWriter> trace;
  if (!options.trace.path.empty()) {
    trace = make_trace(options.trace, exporter::model_info(*model));
    if (!trace) return ExitCode::unusable;
  }
  int code = ExitCode::all_well;
  if (!witness_is_found(*simulation, options.request.witness, diagnostics, code)) return code;
  const std::uint64_t runs = simulation->end - simulation->first;
  std::atomic<std::uint64_t> done = 0;
  LongWork long_work(LongWork::CtrlC::stops, StatusLine::Log::no,
                     [&] { return fmt::format("{} of {} runs", done.load(), runs); });
  watch.work = &long_work.work();
  watch.observer = trace.get();
  watch.observed_run = options.traced_run;
  watch.progress = [&](std::uint64_t end) { done = end - simulation->first; };
  watch.note = [](const std::string& text) {
    if (!is_quiet()) tell("amalthea: note: {}\n", text);
  };
  watch.failed = [](const std::string& text) { complain(text); };
  const auto found = analysis::simulate(*simulation, watch, diagnostics).map_error(code_of);
  long_work.end();
  const bool interrupted = long_work.was_interrupted();
  print_findings(diagnostics);
  if (!found) return found.error();
  if (!finish_trace(trace.get(), options.trace)) return ExitCode::unusable;
  if (simulation->is_part) return write_part(options, found->part, runs);
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::RunsView view{info, simulation->system, *found->runs, diagnostics,
                                simulation->witness ? &*simulation->witness : nullptr};
  const std::string text = options.format == "json"
                               ? exporter::render_runs_json(view)
                               : exporter::render_runs_text(view, options.output.empty() && use_colour());
  if (!write_output(options.output, text)) return ExitCode::unusable;
  if (interrupted) {
    tell("amalthea: warning: interrupted; these results are partial\n");
    return ExitCode::interrupted;
  }
  return exit_code_of(engine::assess(simulation->system, found->runs->judged, diagnostics), diagnostics,
                      options.allow_unknown);
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb = app.add_subcommand("simulate", "Simulate random execution times and show the response times");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_judging_options(*verb, analysis::runs_options(options->request), options->allow_unknown);
  add_options(*verb,
              {row("format", &options->format, "Output format", {group::output}, {.choices = {"text", "json"}})});
  add_output_option(*verb, options->output);
  add_trace_options(*verb, options->trace);
  add_options(
      *verb, {row("trace-run", &options->traced_run, "Run that --trace records, counted from 0", rare(group::output))});
  add_options(*verb, analysis::sharing_options(options->request));
  describe(*verb,
           {"amalthea simulate --runs 1000 model.amxmi", "amalthea simulate --runs 1000 --until 1s model.amxmi",
            "amalthea simulate --trace run.btf model.amxmi   # one run, worst case"},
           verdict_exit_codes);
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
