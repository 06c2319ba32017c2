// SPDX-License-Identifier: Apache-2.0
#include "analysis/report.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "amalthea/source_text.hpp"
#include "analysis/certification.hpp"
#include "analysis/change_effects.hpp"
#include "analysis/diagnosis.hpp"
#include "analysis/plan.hpp"
#include "difference/comparison.hpp"
#include "engine/many_runs.hpp"
#include "engine/what_if.hpp"
#include "exporter/differences/difference_formats.hpp"
#include "exporter/report/first_page.hpp"
#include "exporter/report/report_schedule.hpp"
#include "exporter/results/result_formats.hpp"
#include "importer/building/mapping_constraints.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

/// An earlier model, analyzed as the request says.
Outcome<Earlier> analyze_earlier(const AnalysisRequest& request, const std::string& baseline_file,
                                 const importer::Limits& limits, Diagnostics& findings) {
  auto model = read({baseline_file}, limits, findings);
  const auto analyzed = model.and_then([&](const Model& read_model) {
    return resolve(request).and_then([&](const Resolved& how) { return analyze(read_model, how, findings); });
  });
  const std::string place = "--baseline " + baseline_file;
  if (!analyzed && analyzed.error().message.empty()) return misused(place, "the model cannot be analyzed");
  if (!analyzed) return tl::unexpected(analyzed.error());
  const exporter::ModelInfo info = exporter::model_info(*model);
  auto baseline = exporter::read_baseline(
      baseline_file, exporter::render_json({info, analyzed->system, analyzed->results, findings}, {}));
  if (!baseline) return misused(place, baseline.error());
  return Earlier{std::move(*baseline), std::move(*model), {}};
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
  auto model = read(results.files, limits, ignored);
  if (model && exporter::hash_of_model(*model) == results.hash) earlier.model = std::move(*model);
}

/// Of many tasks, fewer are tried with changes: each change analyzes all of them.
constexpr std::size_t most_analyzed = 1999;

/// What would help the first tasks whose deadline is missed or not judged, and which the plan does not mend or only with
/// less execution time.
std::vector<exporter::TriedChanges> tried_changes(const Model& model, const System& system,
                                                  const engine::AnalysisOptions& options,
                                                  const engine::Results& results, const exporter::Plan& plan,
                                                  std::size_t most) {
  std::vector<exporter::TriedChanges> all;
  if (results.stopped_early) return all;  // what was stopped would be stopped again
  Diagnostics ignored;                    // `explore` reports constraints that it cannot keep
  const auto allowed = importer::mapping_constraints(model, {&system}, false, ignored).allowed;
  most = std::min(most, most_analyzed / std::max<std::size_t>(1, system.tasks.size()) + 1);
  for (TaskIndex task = 0; task < system.tasks.size() && all.size() < most; ++task) {
    if (options.work != nullptr && options.work->stop) break;
    const engine::Verdict verdict = results.tasks[task].verdict;
    const auto mends = [&name = system.tasks[task].name](const exporter::PlanStep& step) {
      return step.kind != exporter::PlanStep::Kind::shorter &&
             std::find(step.mended.begin(), step.mended.end(), name) != step.mended.end();
    };
    if (std::any_of(plan.steps.begin(), plan.steps.end(), mends)) continue;
    if (system.tasks[task].folded_into || verdict == engine::Verdict::met || verdict == engine::Verdict::no_deadline)
      continue;
    if (auto tried = engine::what_if(system, options, results, allowed, task).tried; !tried.empty())
      all.push_back({task, std::move(tried)});
  }
  return all;
}

/// How many contributions of every task the page shows by default: fewer of each of many tasks, so that it does not grow
/// with the square of their number.
std::size_t contributions_in_page(const AnalysisRequest& request, std::size_t tasks) {
  constexpr std::uint64_t many = 300, least = 4, usual = engine::default_contributions;
  if (request.contributions != usual || tasks <= many) return request.contributions;
  return std::max(least, usual * many / tasks);
}

/// Response times over several runs; their findings are those of the analysis.
std::optional<engine::ManyRuns> random_runs(const ReportRequest& request, const Prepared& prepared,
                                            const BeginWork& begin) {
  if (request.runs == 0) return std::nullopt;
  Diagnostics ignored;
  engine::AnalysisOptions random = prepared.analysis;
  random.execution = engine::Execution::random;
  const auto work = begin ? begin(false) : nullptr;
  random.work = work.get();
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  return engine::simulate_runs(prepared.system, {random, request.runs, request.seed, threads}, ignored);
}

}  // namespace

OptionTable page_options(ReportRequest& request) {
  return {row("trace-events", &request.trace_events,
              "Largest number of schedule intervals in the report. If there are more, the report shows the beginning "
              "and the longest jobs",
              rare(group::output), {.range = Range{100, 10'000'000}, .always_told = true}),
          row("what-ifs", &request.what_ifs,
              "Largest number of failing tasks that the plan does not mend and that are analyzed again with single "
              "changes. 0: none",
              rare(group::output), {.range = Range{0, 1000}, .always_told = true}),
          row("baseline", &request.baseline,
              "Compare with an earlier state: a model file, or results that analyze --format json wrote",
              {group::output}, {.takes = "FILE", .file = FileKind::read}),
          row("runs", &request.runs, "Also show response-time distributions over N runs. Execution times are random",
              {group::output}, {.range = Range{1, 1'000'000'000}, .usual = ""}),
          row("seed", &request.seed, "Random seed of --runs", rare(group::output),
              {.range = Range{0, engine::seed_limit - 1}, .needs = "runs"})};
}

OptionTable report_options(ReportRequest& request) {
  return joined({request_options(request), certificates_option(request), page_options(request),
                 headroom_options(request.headroom)});
}

Outcome<Earlier> read_earlier(const AnalysisRequest& request, const std::string& path, const importer::Limits& limits,
                              Diagnostics& findings) {
  if (path.empty()) return Earlier{};
  if (is_model_file_name(path)) return analyze_earlier(request, path, limits, findings);
  const auto refuse = [&path](const std::string& why) {
    return misused("--baseline " + path, why,
                   "use an earlier model, or create the file with: amalthea analyze MODEL --format json -o FILE");
  };
  const auto text = importer::read_bytes(path);
  if (!text) return refuse(text.error());
  auto results = exporter::read_baseline(path, *text);
  if (!results) return refuse(results.error());
  Earlier earlier{std::move(*results), {}, {}};
  read_earlier_model(limits, earlier);
  return earlier;
}

Outcome<Report> report(const Model& model, const ReportRequest& request, Earlier earlier, const BeginWork& begin,
                       Diagnostics& findings) {
  if (const auto possible = check_headroom(request.headroom, request); !possible)
    return tl::unexpected(possible.error());
  auto prepared = prepare(model, request, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  prepared->analysis.bounds.contributions = contributions_in_page(request, prepared->system.tasks.size());
  prepared->analysis.work = request.work;
  auto recorded = exporter::analyze_and_record(prepared->system, prepared->analysis, request.trace_events, findings);
  if (!recorded) return tl::unexpected(Failure{});
  if (const auto added = add_proofs(model, request, *prepared, recorded->results); !added)
    return tl::unexpected(added.error());
  const auto runs = random_runs(request, *prepared, begin);
  std::optional<engine::Headroom> headroom;
  if (request.headroom.wanted) {
    const auto work = begin ? begin(true) : nullptr;
    headroom = find_headroom(request.headroom, *prepared, recorded->results, work.get());
  }
  const exporter::ModelInfo info = exporter::model_info(model);
  const Diagnosed causes = diagnose_and_correct(prepared->system, prepared->analysis, recorded->results, findings);
  const auto planned = plan(model, request, *prepared, recorded->results, causes);
  std::optional<ComparedModels> states;
  std::optional<exporter::ModelInfo> older_info;
  difference::Comparison comparison;
  std::optional<exporter::DifferenceView> difference;
  if (earlier.model) {
    states.emplace(std::vector<const Model*>{&*earlier.model, &model});
    older_info = exporter::model_info(*earlier.model);
    if (!states->unconverted) {
      comparison = states->compare(0, 1);
      difference.emplace(exporter::DifferenceView{*older_info, info, to_string(states->release), comparison.changes});
    } else {
      earlier.no_model = "The models are not compared: they cannot be converted to one AMALTHEA version.";
    }
  }
  const exporter::ReportView view{
      {info, prepared->system, recorded->results, findings, &model, headroom ? &*headroom : nullptr, &causes.causes,
       nullptr, planned ? &planned->plan : nullptr},
      recorded->schedule,
      runs ? &*runs : nullptr,
      earlier.results ? &*earlier.results : nullptr,
      asked(request, report_options),
      tried_changes(model, prepared->system, prepared->analysis, recorded->results,
                    planned ? planned->plan : exporter::Plan{}, request.what_ifs),
      difference ? &*difference : nullptr,
      earlier.no_model};
  return Report{exporter::render_report_html(view),
                exporter::render_first_page_markdown(exporter::first_page(view.analysis)), causes.causes,
                engine::assess(prepared->system, recorded->results, findings)};
}

}  // namespace amalthea::analysis
