// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/input.hpp"
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
};

/// What makes the report what it is: all options but those that keep their default, and the files' names.
std::vector<std::pair<std::string, std::string>> options_of(const ReportOptions& options) {
  std::vector<std::pair<std::string, std::string>> list = {
      {"--execution", options.analysis.execution},
      {"--memory", options.analysis.memory},
      {"--line-rule", options.analysis.line_rule},
      {"--trace-events", fmt::format("{}", options.trace_events)},
  };
  const auto add = [&list](const char* name, const std::string& value) {
    if (!value.empty()) list.emplace_back(name, value);
  };
  if (options.analysis.build.keep_wrappers) list.emplace_back("--keep-wrappers", "");
  if (options.analysis.lenient) list.emplace_back("--lenient", "");
  add("--until", options.analysis.until);
  if (options.analysis.max_steps != engine::default_simulation_steps)
    add("--max-steps", fmt::format("{}", options.analysis.max_steps));
  add("--platform", options.analysis.platform);
  add("--mapping", options.analysis.mapping_file);
  for (const std::string& change : options.analysis.map) add("--map", change);
  for (const std::string& chain : options.analysis.chains) add("--chain", chain);
  if (options.analysis.derive_chains) list.emplace_back("--derive-chains", "");
  add("--communication", options.analysis.communication);
  if (options.analysis.strict) list.emplace_back("--strict", "");
  add("--baseline", options.baseline);
  if (options.runs > 0) {
    add("--runs", fmt::format("{}", options.runs));
    add("--seed", fmt::format("{}", options.seed));
  }
  return list;
}

/// False and a message when the file cannot be read or holds no results.
bool read_baseline(const std::string& path, std::optional<exporter::Baseline>& baseline) {
  if (path.empty()) return true;
  const auto text = importer::read_bytes(path);
  if (!text) return complain(fmt::format("--baseline {}: {}", path, text.error()));
  auto read = exporter::read_baseline(path, *text);
  if (!read) return complain(fmt::format("--baseline {}: {}", path, read.error()));
  baseline = std::move(*read);
  return true;
}

int run(const ReportOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
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
    Diagnostics told_already;
    engine::AnalysisOptions random = prepared->analysis;
    random.execution = engine::Execution::random;
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    runs = engine::simulate_runs(prepared->system, {random, options.runs, options.seed, threads}, told_already);
  }
  print_findings(diagnostics);
  if (!prepared) return prepared.error();
  if (!recorded) return ExitCode::findings;
  const exporter::ModelInfo info = exporter::model_info(*model);
  const exporter::ReportView view{{info, prepared->system, recorded->results, diagnostics},
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
  CLI::App* verb = app.add_subcommand(
      "report",
      "one HTML file for people: verdict, deadlines, schedule, chains, loads, findings (docs/reference/report.md)");
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  verb->add_option("-o,--output", options->output, "the HTML file")->required();
  verb->add_option("--baseline", options->baseline,
                   "results of an earlier analyze --format json: also say what got better or worse since");
  CLI::Option* runs =
      verb->add_option("--runs", options->runs,
                       "also show how response times are distributed over so many runs with random execution times")
          ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  verb->add_option("--seed", options->seed, "of what --runs draws")
      ->check(CLI::Range(std::uint64_t{0}, engine::seed_limit - 1))
      ->needs(runs)
      ->capture_default_str();
  verb->add_option("--trace-events", options->trace_events,
                   "most intervals of the schedule to put into the file; when there are more, its beginning and the "
                   "longest jobs are")
      ->check(CLI::Range(std::size_t{100}, std::size_t{10'000'000}))
      ->capture_default_str();
  verb->footer("Exit codes are those of analyze. The file opens in any browser, without a network.");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
