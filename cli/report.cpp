// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "amalthea/source_text.hpp"
#include "analysis/change_effects.hpp"
#include "analysis/model_analysis.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/headroom.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "difference/comparison.hpp"
#include "engine/many_runs.hpp"
#include "engine/what_if.hpp"
#include "exporter/differences/difference_formats.hpp"
#include "exporter/report/report.hpp"
#include "exporter/report/report_schedule.hpp"
#include "exporter/results/result_formats.hpp"
#include "importer/building/mapping_constraints.hpp"
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
  std::size_t what_ifs = 5;
};

/// The settings of the report: all options with other than default values, and the files' names.
std::vector<std::pair<std::string, std::string>> options_of(const ReportOptions& options) {
  auto list = words_of(options.analysis);
  list.emplace_back("--trace-events", fmt::format("{}", options.trace_events));
  list.emplace_back("--what-ifs", fmt::format("{}", options.what_ifs));
  if (!options.baseline.empty()) list.emplace_back("--baseline", options.baseline);
  if (options.runs > 0) {
    list.emplace_back("--runs", fmt::format("{}", options.runs));
    list.emplace_back("--seed", fmt::format("{}", options.seed));
  }
  if (options.headroom.wanted) list.emplace_back("--headroom", "");
  return list;
}

/// What the report is compared with: earlier results, and their model if it can be read.
struct Earlier {
  std::optional<exporter::Baseline> results;
  std::optional<Model> model;
  std::string no_model;  ///< why there is none: a sentence
};

/// The results of the model, analyzed with the same options; false and messages if there are none.
bool analyze_baseline(const ReportOptions& options, Earlier& earlier) {
  Diagnostics findings;
  auto model = load({{options.baseline}, options.input.limits}, findings);
  auto prepared = model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, findings); });
  const auto results = prepared ? engine::analyze(prepared->system, prepared->analysis, findings) : std::nullopt;
  if (!results) {
    print_findings(findings);
    return complain(fmt::format("--baseline {}: the model cannot be analyzed", options.baseline));
  }
  const exporter::ModelInfo info = exporter::model_info(*model);
  auto baseline = exporter::read_baseline(options.baseline,
                                          exporter::render_json({info, prepared->system, *results, findings}, {}));
  if (!baseline) return complain(fmt::format("--baseline {}: {}", options.baseline, baseline.error()));
  earlier.results = std::move(*baseline);
  earlier.model = std::move(*model);
  return true;
}

/// The model of earlier results, if its files still are what they were.
void read_earlier_model(const importer::Limits& limits, Earlier& earlier) {
  const exporter::Baseline& results = *earlier.results;
  earlier.no_model = fmt::format(
      "The models are not compared: {} no longer has the content that was analyzed. Use --baseline with the earlier "
      "model to see its changes.",
      results.files.empty() ? "the model" : fmt::format("{}", fmt::join(results.files, ", ")));
  if (results.files.empty()) return;
  Diagnostics ignored;
  auto model = analysis::read(results.files, limits, ignored);
  if (model && exporter::hash_of_model(*model) == results.hash) earlier.model = std::move(*model);
}

/// False and a message if the file is neither a model nor results.
bool read_baseline(const ReportOptions& options, Earlier& earlier) {
  const std::string& path = options.baseline;
  if (path.empty()) return true;
  if (is_model_file_name(path)) return analyze_baseline(options, earlier);
  const auto refuse = [&path](const std::string& why) {
    return complain(
        fmt::format("--baseline {}: {}; use an earlier model, or create the file with: amalthea analyze "
                    "MODEL --format json -o FILE",
                    path, why));
  };
  const auto text = importer::read_bytes(path);
  if (!text) return refuse(text.error());
  auto read = exporter::read_baseline(path, *text);
  if (!read) return refuse(read.error());
  earlier.results = std::move(*read);
  read_earlier_model(options.input.limits, earlier);
  return true;
}

/// Two states of a model in one release, and what changed.
struct ModelDifference {
  ModelDifference(const Model& older_model, const Model& newer_model)
      : release(analysis::common_release({&older_model, &newer_model})),
        older(older_model, release, conversion),
        newer(newer_model, release, conversion) {
    if (older.converted && newer.converted)
      comparison = difference::compare(older.editable, newer.editable, release.version);
  }

  migration::Release release;
  Diagnostics conversion;
  analysis::ComparableModel older, newer;
  std::optional<difference::Comparison> comparison;  ///< nothing if a model cannot be converted
};

/// What would help the first tasks whose deadline is missed or not judged.
std::vector<exporter::TriedChanges> tried_changes(const Model& model, const System& system,
                                                  const engine::AnalysisOptions& options,
                                                  const engine::Results& results, std::size_t most) {
  std::vector<exporter::TriedChanges> all;
  if (results.stopped_early) return all;  // what was stopped would be stopped again
  Diagnostics ignored;                    // `explore` reports constraints that it cannot keep
  const auto allowed = importer::mapping_constraints(model, {&system}, false, ignored).allowed;
  for (TaskIndex task = 0; task < system.tasks.size() && all.size() < most; ++task) {
    const engine::Verdict verdict = results.tasks[task].verdict;
    if (system.tasks[task].folded_into || verdict == engine::Verdict::met || verdict == engine::Verdict::no_deadline)
      continue;
    if (auto tried = engine::what_if(system, options, results, allowed, task).tried; !tried.empty())
      all.push_back({task, std::move(tried)});
  }
  return all;
}

int run(const ReportOptions& options) {
  if (!check_output(options.output) || !headroom_is_possible(options.headroom, options.analysis))
    return ExitCode::unusable;
  Earlier earlier;
  if (!read_baseline(options, earlier)) return ExitCode::unusable;
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
  std::optional<ModelDifference> states;
  std::optional<exporter::ModelInfo> older_info;
  std::optional<exporter::DifferenceView> difference;
  if (earlier.model) {
    states.emplace(*earlier.model, *model);
    older_info = exporter::model_info(*earlier.model);
    if (states->comparison)
      difference.emplace(
          exporter::DifferenceView{*older_info, info, to_string(states->release), states->comparison->changes});
    else
      earlier.no_model = "The models are not compared: they cannot be converted to one AMALTHEA version.";
  }
  const exporter::ReportView view{
      {info, prepared->system, recorded->results, diagnostics, &*model, headroom ? &*headroom : nullptr},
      recorded->schedule,
      runs ? &*runs : nullptr,
      earlier.results ? &*earlier.results : nullptr,
      options_of(options),
      tried_changes(*model, prepared->system, prepared->analysis, recorded->results, options.what_ifs),
      difference ? &*difference : nullptr,
      earlier.no_model};
  if (!write_output(options.output, exporter::render_report_html(view))) return ExitCode::unusable;
  return exit_code_of(engine::assess(prepared->system, recorded->results, diagnostics), diagnostics, options.analysis);
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
            "Compare with an earlier state: a model file, or results that analyze --format json wrote")
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
  verb->add_option("--what-ifs", options->what_ifs,
                   "Largest number of failing tasks that are analyzed again with changes that may help. 0: none")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1000}))
      ->capture_default_str()
      ->group(rarely(group::output));
  describe(
      *verb,
      {"amalthea report -o report.html model.amxmi", "amalthea report --runs 1000 -o report.html model.amxmi",
       "amalthea report --baseline old.amxmi -o report.html model.amxmi"},
      std::string("Any browser opens the file, without a network (docs/reference/report.md).\n") + verdict_exit_codes);
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
