// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/headroom.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "engine/many_runs.hpp"
#include "exporter/report/report.hpp"
#include "exporter/report/report_schedule.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

struct ReportOptions {
  InputOptions input;
  AnalysisInput analysis;
  std::string output;
  std::string baseline;
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::size_t trace_events = 200'000;
  HeadroomInput headroom;
};

/// The settings of the report: all options with other than default values, and the files' names.
std::vector<std::pair<std::string, std::string>> options_of(const ReportOptions& options) {
  auto list = words_of(options.analysis);
  list.emplace_back("--trace-events", fmt::format("{}", options.trace_events));
  if (!options.baseline.empty()) list.emplace_back("--baseline", options.baseline);
  if (options.runs > 0) {
    list.emplace_back("--runs", fmt::format("{}", options.runs));
    list.emplace_back("--seed", fmt::format("{}", options.seed));
  }
  if (options.headroom.wanted) list.emplace_back("--headroom", "");
  return list;
}

/// False and a message if the file is unreadable or contains no results.
bool read_baseline(const std::string& path, std::optional<exporter::Baseline>& baseline) {
  if (path.empty()) return true;
  const auto refuse = [&path](const std::string& why) {
    return complain(fmt::format("--baseline {}: {}; create the file with: amalthea analyze MODEL --format json -o FILE",
                                path, why));
  };
  const auto text = importer::read_bytes(path);
  if (!text) return refuse(text.error());
  auto read = exporter::read_baseline(path, *text);
  if (!read) return refuse(read.error());
  baseline = std::move(*read);
  return true;
}

int run(const ReportOptions& options) {
  if (!check_output(options.output) || !headroom_is_possible(options.headroom, options.analysis))
    return ExitCode::unusable;
  std::optional<exporter::Baseline> baseline;
  if (!read_baseline(options.baseline, baseline)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto prepared =
      model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, diagnostics); });
  const auto recorded =
      prepared ? exporter::analyze_and_record(prepared->system, prepared->analysis, options.trace_events, diagnostics)
               : std::nullopt;
  std::optional<engine::ManyRuns> runs;
  if (recorded && options.runs > 0) {
    Diagnostics ignored;
    engine::AnalysisOptions random = prepared->analysis;
    random.execution = engine::Execution::random;
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    LongWork long_work(LongWork::CtrlC::ends_process);
    random.work = &long_work.work();
    runs = engine::simulate_runs(prepared->system, {random, options.runs, options.seed, threads}, ignored);
  }
  const auto headroom = recorded ? find_headroom(options.headroom, *prepared, recorded->results) : std::nullopt;
  print_findings(diagnostics);
  if (!prepared) return prepared.error();
  if (!recorded) return ExitCode::findings;
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ReportView view{
      {info, prepared->system, recorded->results, diagnostics, &*model, headroom ? &*headroom : nullptr},
      recorded->schedule,
      runs ? &*runs : nullptr,
      baseline ? &*baseline : nullptr,
      options_of(options)};
  if (!write_output(options.output, exporter::render_report_html(view))) return ExitCode::unusable;
  return exit_code_of(engine::assess(prepared->system, recorded->results, diagnostics), options.analysis);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write an HTML report with verdicts, schedule, chains and findings");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  add_headroom_options(*verb, options->headroom);
  add_output(*verb, "-o,--output", options->output, "HTML file to write")
      ->required()
      ->type_name("FILE")
      ->group(group::output);
  add_input(*verb, "--baseline", options->baseline,
            "Compare with earlier results. A file that analyze --format json wrote")
      ->type_name("FILE")
      ->group(group::output);
  CLI::Option* runs = verb->add_option("--runs", options->runs,
                                       "Also show response-time distributions over N runs. Execution times are random")
                          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
                          ->group(group::output);
  verb->add_option("--seed", options->seed, "Random seed of --runs")
      ->check(CLI::Range(std::uint64_t{0}, engine::seed_limit - 1))
      ->needs(runs)
      ->capture_default_str()
      ->group(rarely(group::output));
  verb->add_option("--trace-events", options->trace_events,
                   "Largest number of schedule intervals in the report. If there are more, the report shows the "
                   "beginning and the longest jobs")
      ->check(CLI::Range(std::size_t{100}, std::size_t{10'000'000}))
      ->capture_default_str()
      ->group(rarely(group::output));
  describe(
      *verb,
      {"amalthea report -o report.html model.amxmi", "amalthea report --runs 1000 -o report.html model.amxmi",
       "amalthea report --baseline results.json -o report.html model.amxmi"},
      std::string("Any browser opens the file, without a network (docs/reference/report.md).\n") + verdict_exit_codes);
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
