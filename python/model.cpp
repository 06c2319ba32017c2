// SPDX-License-Identifier: Apache-2.0
#include "python/model.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <type_traits>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "analysis/annotation.hpp"
#include "analysis/change_effects.hpp"
#include "analysis/conversion.hpp"
#include "analysis/explanation.hpp"
#include "analysis/exploration.hpp"
#include "analysis/graph.hpp"
#include "analysis/headroom.hpp"
#include "analysis/report.hpp"
#include "analysis/simulation.hpp"
#include "difference/conflicts.hpp"
#include "exporter/differences/difference_formats.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/models/model_dump.hpp"
#include "exporter/models/model_exports.hpp"
#include "exporter/models/model_summary.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/runs_formats.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/building/used_classes.hpp"
#include "importer/reading/model_reader.hpp"
#include "python/failure.hpp"
#include "python/interruption.hpp"
#include "python/keywords.hpp"
#include "python/recording.hpp"
#include "review/review.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;
using namespace pybind11::literals;

/// The first error among the findings.
std::string error_in(const Diagnostics& findings) {
  for (const Diagnostic& finding : findings.all())
    if (finding.severity == Severity::error) return format(finding);
  return "the model cannot be analyzed";
}

/// The value, or an exception with the findings.
template <typename Value>
Value needed(analysis::Outcome<Value> outcome, const Diagnostics& findings) {
  using Kind = analysis::Failure::Kind;
  if (!outcome) {
    const Kind kind = outcome.error().kind;
    const std::string message = outcome.error().text();
    throw Failure(kind == Kind::refused      ? Failure::Kind::refused
                  : kind == Kind::unreadable ? Failure::Kind::unreadable
                                             : Failure::Kind::option,
                  message.empty() ? error_in(findings) : message, findings);
  }
  if constexpr (!std::is_void_v<Value>) return std::move(*outcome);
}

std::vector<std::string> names_of(const System& system, bool units) {
  std::vector<std::string> names;
  if (units)
    for (const ProcessingUnit& unit : system.platform.units) names.push_back(unit.name);
  else
    for (const Task& task : system.tasks) names.push_back(task.name);
  return names;
}

std::string name_of(const Document& document) {
  return std::filesystem::path(document.source().path()).filename().string();
}

}  // namespace

py::list as_list(const std::vector<File>& files) {
  py::list list;
  for (const auto& [name, bytes] : files) list.append(py::make_tuple(name, py::bytes(bytes)));
  return list;
}

PythonModel::PythonModel(const Options& options, const Reading& read) {
  take(options, analysis::limit_options(limits_));
  const py::gil_scoped_release released;
  auto model = read(limits_, findings_);
  if (!model) throw Failure(Failure::Kind::unreadable, error_in(findings_), findings_);
  model_ = std::move(*model);
  info_ = exporter::model_info(model_);
}

std::shared_ptr<PythonModel> PythonModel::read(const std::vector<std::string>& paths, const Options& options) {
  return std::make_shared<PythonModel>(options, [&](const importer::Limits& limits, Diagnostics& findings) {
    auto model = analysis::read(paths, limits, findings);
    return model ? std::optional(std::move(*model)) : std::nullopt;
  });
}

std::shared_ptr<PythonModel> PythonModel::parse(const std::vector<File>& files, const Options& options) {
  return std::make_shared<PythonModel>(options, [&](const importer::Limits& limits, Diagnostics& findings) {
    std::vector<importer::NamedBytes> named;
    for (const auto& [name, bytes] : files) named.push_back({name, bytes});
    auto model = importer::read_model_from_bytes(std::move(named), limits, findings);
    if (model) exporter::check_annotations(*model, findings);
    return model;
  });
}

std::string PythonModel::validate() const {
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  review::review_model(model_, findings);
  std::vector<Diagnostic> sorted = findings.all();
  exporter::sort_findings(sorted);
  return exporter::render_findings_json({info_, sorted, 0, {}});
}

std::string PythonModel::summary(const Options& options) const {
  importer::BuildOptions build;
  take(options, analysis::build_options(build));
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  const auto system = review::build_checked(model_, build, findings, review::few);
  return exporter::render_summary_json(
      {info_, model_, system ? &*system : nullptr, findings, importer::is_used_by_analysis});
}

std::string PythonModel::exported(const std::string& form, const std::string& table) const {
  const auto* const known = exporter::model_export_of("model." + form);
  const auto& tables = exporter::model_tables();
  if (known == nullptr && form != "dump") throw py::value_error(fmt::format("unknown format \"{}\"", form));
  if (!table.empty() && std::find(tables.begin(), tables.end(), table) == tables.end())
    throw py::value_error(fmt::format("unknown table \"{}\"", table));
  const py::gil_scoped_release released;
  if (known == nullptr) return exporter::dump_model(model_);
  std::string text;
  Diagnostics findings;
  known->write(model_, {table}, findings, [&text](std::string_view piece) { text += piece; });
  return text;
}

py::dict PythonModel::analyze(const Options& options, bool trace, const py::object& progress) const {
  analysis::AnalysisRequest request;
  analysis::HeadroomRequest headroom;
  take(options, analysis::joined({request_options(request), headroom_options(headroom)}));
  Work work;
  Recording recording;
  std::string json, text;
  std::vector<std::string> tasks, units;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_;
    needed(check_headroom(headroom, request), findings);
    auto prepared = needed(prepare(model_, request, findings), findings);
    prepared.analysis.work = &work;
    if (trace) prepared.analysis.observer = &recording;
    const auto analyzed = needed(results_of(std::move(prepared), findings), findings);
    std::optional<engine::Headroom> found;
    if (headroom.wanted) found = find_headroom(headroom, analyzed, analyzed.results, &work);
    const exporter::ResultView view{info_,    analyzed.system, analyzed.results,
                                    findings, &model_,         found ? &*found : nullptr};
    json = exporter::render_json(view, {});
    text = exporter::render_text(view, {});
    tasks = names_of(analyzed.system, false);
    units = names_of(analyzed.system, true);
  });
  const py::object intervals = trace ? py::object(recording.take()) : py::none();
  return py::dict("results"_a = json, "text"_a = text, "tasks"_a = tasks, "units"_a = units, "trace"_a = intervals);
}

py::dict PythonModel::simulate(const Options& options, const py::object& progress) const {
  analysis::SimulationRequest request;
  take(options, simulation_request_options(request));
  Work work;
  std::string json, text;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_;
    auto simulation = needed(prepare_simulation(model_, request, limits_, findings), findings);
    if (!request.witness.empty()) needed(seek_witness(simulation, request.witness, &work), findings);
    analysis::SimulationWatch watch;
    watch.work = &work;
    const auto found = needed(analysis::simulate(simulation, watch, findings), findings);
    if (!found.runs) {
      json = exporter::render_run_part(found.part);
      return;
    }
    const exporter::RunsView view{info_, simulation.system, *found.runs, findings,
                                  simulation.witness ? &*simulation.witness : nullptr};
    json = exporter::render_runs_json(view);
    text = exporter::render_runs_text(view, false);
  });
  return py::dict("results"_a = json, "text"_a = text);
}

py::dict PythonModel::explain(const std::string& name, const Options& options, const py::object& progress) const {
  analysis::AnalysisRequest request;
  take(options, analysis_options(request));
  Work work;
  std::string json, text, picture;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_;
    const auto found = needed(analysis::explain(model_, request, name, findings, &work), findings);
    const exporter::ResultView view{info_, found.system, found.results, findings};
    if (!found.explanation) throw Failure(Failure::Kind::refused, found.no_job, findings);
    json = exporter::render_explanation_json(view, found.asked, *found.explanation, found.tried);
    text = exporter::render_explanation_text(view, found.asked, *found.explanation, found.tried, false);
    picture = exporter::render_explanation_svg(view, *found.explanation);
  });
  return py::dict("results"_a = json, "text"_a = text, "picture"_a = picture);
}

py::dict PythonModel::explore(const Options& options, const py::object& progress) const {
  analysis::ExplorationRequest request;
  take(options, exploration_options(request));
  Work work;
  std::string json, text, report, mapping;
  std::vector<File> changed;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_, of_compared;
    auto exploration = needed(prepare_exploration(model_, request, limits_, findings, of_compared), findings);
    analysis::ExplorationWatch watch;
    watch.work = &work;
    const auto explored = needed(analysis::explore(exploration, watch, findings), findings);
    if (!request.shard.empty()) return;  // the checkpoint has the part
    const auto chosen = chosen_mapping(exploration, explored, findings);
    const auto view = view_of(info_, exploration, explored, chosen);
    json = exporter::render_exploration_json(view);
    text = exporter::render_exploration_text(view, false);
    report = exporter::render_exploration_report(view);
    mapping = exporter::render_mapping_file(exporter::mapping_entries(chosen.after));
    if (const auto texts = remapped_texts(exploration, chosen.after, findings))
      for (std::size_t i = 0; i < texts->size(); ++i)
        changed.emplace_back(name_of(*model_.documents()[i]), (*texts)[i]);
  });
  return py::dict("results"_a = json, "text"_a = text, "report"_a = report, "mapping"_a = mapping,
                  "files"_a = as_list(changed));
}

std::string PythonModel::report(const Options& options, const py::object& progress) const {
  analysis::ReportRequest request;
  take(options, report_options(request));
  Work work;
  std::string page;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_, of_baseline;
    auto earlier = needed(read_earlier(request, limits_, of_baseline), of_baseline);
    const auto begin = [&](bool) { return std::shared_ptr<Work>(&work, [](Work*) {}); };
    page = needed(analysis::report(model_, request, std::move(earlier), begin, findings), findings).html;
  });
  return page;
}

std::string PythonModel::graph(const Options& options, const std::string& format) const {
  analysis::GraphRequest request;
  take(options, graph_options(request));
  request.format = format;
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  return needed(analysis::graph(model_, request, findings), findings);
}

std::string PythonModel::diff(const PythonModel& newer, const PythonModel* base, bool timing, const Options& options,
                              const py::object& progress) const {
  analysis::AnalysisRequest request;
  take(options, request_options(request));
  if (timing && base != nullptr) throw py::value_error("timing does not apply to the check of a merge (base)");
  Work work;
  std::string text;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings;
    auto resolved = needed(resolve(request), findings);
    resolved.options.engine.work = &work;
    std::vector<const Model*> states = {&model_, &newer.model_};
    if (base != nullptr) states.push_back(&base->model_);
    const analysis::ComparedModels models(states);
    if (models.unconverted) throw Failure(Failure::Kind::refused, error_in(models.findings), models.findings);
    if (base != nullptr) {
      const auto ours = models.compare(2, 0), theirs = models.compare(2, 1);
      const auto conflicts = difference::conflicts(ours, theirs, models.release.version);
      auto changes = ours.changes;
      changes.insert(changes.end(), theirs.changes.begin(), theirs.changes.end());
      text = exporter::render_difference_json(
          {base->info_, info_, to_string(models.release), changes, nullptr, &conflicts, &newer.info_}, false);
      return;
    }
    const auto comparison = models.compare(0, 1);
    std::optional<exporter::ChangeEffects> effects;
    if (timing)
      effects = needed(change_effects(model_, newer.model_, comparison, resolved.options, findings), findings);
    text = exporter::render_difference_json(
        {info_, newer.info_, to_string(models.release), comparison.changes, effects ? &*effects : nullptr}, false);
  });
  return text;
}

std::vector<File> PythonModel::files() const {
  std::vector<File> files;
  for (const auto& document : model_.documents())
    files.emplace_back(name_of(*document), std::string(document->source().bytes()));
  return files;
}

std::pair<std::vector<File>, std::string> PythonModel::convert(const Options& options) const {
  analysis::ConversionRequest request;
  take(options, conversion_options(request));
  const py::gil_scoped_release released;
  const auto to = needed(target_of(request), {});
  const analysis::Conversion conversion(model_, to, request.places);
  if (!conversion.done) throw Failure(Failure::Kind::refused, error_in(conversion.findings), conversion.findings);
  std::vector<File> files;
  for (const EditableModel::File& file : conversion.editable.files())
    files.emplace_back(std::filesystem::path(file.path).filename().string(), migration::write(*file.root, to));
  return {std::move(files), exporter::render_conversion_json(report_of(conversion, model_))};
}

std::vector<File> PythonModel::annotate(const Options& options, const py::object& progress) const {
  analysis::AnnotationRequest request;
  take(options, annotation_options(request));
  Work work;
  std::vector<File> annotated;
  run_interruptibly(work, progress, [&] {
    Diagnostics findings = findings_;
    const auto found = needed(analysis::annotate(model_, request, limits_, findings, &work), findings);
    for (std::size_t i = 0; i < found.texts.size(); ++i)
      annotated.emplace_back(name_of(*model_.documents()[i]), found.texts[i]);
  });
  return annotated;
}

std::vector<File> PythonModel::strip() const {
  std::vector<File> files;
  for (const auto& document : model_.documents()) files.emplace_back(name_of(*document), exporter::strip(*document));
  return files;
}

}  // namespace amalthea::python
