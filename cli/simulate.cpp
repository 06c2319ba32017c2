// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/input.hpp"
#include "cli/shown_findings.hpp"
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
  std::string trace;
  std::uint64_t traced_run = 0;
};

/// Tells a terminal how many runs are done, at most once for every percent.
class Progress {
 public:
  explicit Progress(std::uint64_t runs)
      : runs_(runs), shown_(runs > 1 && !is_quiet() && ::isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(std::uint64_t done) {
    const std::uint64_t percent = done * 100 / runs_;
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    fmt::print(stderr, "\r{} of {} runs", done, runs_);
  }

 private:
  std::uint64_t runs_;
  bool shown_;
  std::uint64_t percent_ = 0;
};

int run(const SimulateOptions& options) {
  if (!check_output(options.output) || !check_trace(options.trace)) return ExitCode::unusable;
  if (options.traced_run >= options.runs) {
    return unusable(fmt::format("--trace-run {}: runs are counted from 0 to {}", options.traced_run, options.runs - 1));
  }
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  auto prepared =
      model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, diagnostics); });
  std::unique_ptr<exporter::TraceWriter> trace;
  if (prepared && !options.trace.empty()) {
    trace = make_trace(options.trace, exporter::model_info(*model));
    if (!trace) return ExitCode::unusable;
    prepared->analysis.observer = trace.get();
  }
  std::optional<engine::ManyRuns> runs;
  if (prepared) {
    Progress progress(options.runs);
    const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(options.jobs, options.runs));
    engine::ManyRunsOptions many{prepared->analysis, options.runs, options.seed, threads,
                                 [&](std::uint64_t done) { progress(done); }};
    many.watched_run = options.traced_run;
    runs = engine::simulate_runs(prepared->system, many, diagnostics);
  }
  print_findings(diagnostics);
  if (!prepared) return prepared.error();
  if (!runs) return ExitCode::findings;
  if (!finish_trace(trace.get())) return ExitCode::unusable;
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
      app.add_subcommand("simulate", "how response times are distributed over many runs with random execution times");
  add_input_options(*verb, options->input);
  verb->add_option("--runs", options->runs, "independent runs, each from time 0")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  const CLI::Option* seed =
      verb->add_option("--seed", options->seed, "of what is drawn; the same seed draws the same values")
          ->check(CLI::Range(std::uint64_t{0}, engine::seed_limit - 1))
          ->capture_default_str();
  const CLI::Option* execution =
      verb->add_option("--execution", options->analysis.execution,
                       "which execution times to take (default: random for several runs or with --seed, else worst)")
          ->check(CLI::IsMember({"worst", "average", "best", "random"}));
  verb->add_option("--jobs", options->jobs, "threads; the result does not depend on them (default: as many as cores)")
      ->check(CLI::Range(1U, 1024U));
  add_simulation_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  verb->add_option("--format", options->format, "output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb->add_option("-o,--output", options->output, "write to this file instead of standard output");
  add_trace_option(*verb, options->trace);
  verb->add_option("--trace-run", options->traced_run, "which of the runs --trace shows, counted from 0")
      ->capture_default_str();
  verb->footer(verdict_exit_codes);
  verb->callback([options, seed, execution, &exit_code] {
    if (execution->count() == 0 && (options->runs > 1 || seed->count() > 0)) options->analysis.execution = "random";
    exit_code = run(*options);
  });
}

}  // namespace amalthea::cli
