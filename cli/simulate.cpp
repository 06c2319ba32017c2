// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "engine/many_runs.hpp"
#include "exporter/results/runs_formats.hpp"

namespace amalthea::cli {
namespace {

struct SimulateOptions {
  InputOptions input;
  AnalysisInput analysis;
  std::uint64_t runs = 1;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string format = "text";
  std::string output;
  TraceOptions trace;
  std::uint64_t traced_run = 0;
};

int run(const SimulateOptions& options) {
  if (!check_output(options.output) || !check_trace(options.trace.path)) return ExitCode::unusable;
  if (options.traced_run >= options.runs) {
    return unusable(
        fmt::format("--trace-run {}: expected a run number from 0 to {}", options.traced_run, options.runs - 1));
  }
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  auto prepared =
      model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, diagnostics); });
  std::unique_ptr<exporter::TraceWriter> trace;
  if (prepared && !options.trace.path.empty()) {
    trace = make_trace(options.trace, exporter::model_info(*model));
    if (!trace) return ExitCode::unusable;
    prepared->analysis.observer = trace.get();
  }
  std::optional<engine::ManyRuns> runs;
  if (prepared) {
    StatusLine status;
    const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(options.jobs, options.runs));
    engine::ManyRunsOptions many{prepared->analysis, options.runs, options.seed, threads, [&](std::uint64_t done) {
                                   if (status.is_due()) status.show(fmt::format("{} of {} runs", done, options.runs));
                                 }};
    many.watched_run = options.traced_run;
    runs = engine::simulate_runs(prepared->system, many, diagnostics);
  }
  print_findings(diagnostics);
  if (!prepared) return prepared.error();
  if (!runs) return ExitCode::findings;
  if (!finish_trace(trace.get(), options.trace)) return ExitCode::unusable;
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::RunsView view{info, prepared->system, *runs, diagnostics};
  const std::string text = options.format == "json"
                               ? exporter::render_runs_json(view)
                               : exporter::render_runs_text(view, options.output.empty() && use_colour());
  if (!write_output(options.output, text)) return ExitCode::unusable;
  return exit_code_of(engine::assess(prepared->system, runs->judged, diagnostics), options.analysis);
}

}  // namespace

void add_simulate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* verb =
      app.add_subcommand("simulate", "Simulate random execution times and show response-time distributions");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  verb->add_option("--runs", options->runs,
                   "Number of independent runs. One run uses worst-case times, several use random times")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str()
      ->group(group::analysis);
  const CLI::Option* seed =
      verb->add_option("--seed", options->seed, "Random seed. The same seed draws the same values")
          ->check(CLI::Range(std::uint64_t{0}, engine::seed_limit - 1))
          ->capture_default_str()
          ->group(group::analysis);
  const CLI::Option* execution =
      verb->add_option("--execution", options->analysis.execution,
                       "Execution times. Default: random for several runs or with --seed, otherwise worst")
          ->check(CLI::IsMember({"worst", "average", "best", "random"}))
          ->group(rarely(group::analysis));
  add_simulation_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group(group::output);
  add_output_option(*verb, options->output);
  add_trace_options(*verb, options->trace);
  verb->add_option("--trace-run", options->traced_run, "Run that --trace records, counted from 0")
      ->capture_default_str()
      ->group(rarely(group::output));
  verb->add_option("--jobs", options->jobs, "Number of threads. Default: one per core. The results do not depend on it")
      ->check(CLI::Range(1U, 1024U))
      ->group(rarely(group::run));
  describe(*verb,
           {"amalthea simulate --runs 1000 model.amxmi", "amalthea simulate --runs 1000 --until 1s model.amxmi",
            "amalthea simulate --trace run.btf model.amxmi   # one run, worst case"},
           verdict_exit_codes);
  set_run(*verb, exit_code, [options, seed, execution] {
    if (execution->count() == 0 && (options->runs > 1 || seed->count() > 0)) options->analysis.execution = "random";
    return run(*options);
  });
}

}  // namespace amalthea::cli
