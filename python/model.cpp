// SPDX-License-Identifier: Apache-2.0
#include "python/model.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "analysis/annotation.hpp"
#include "analysis/calibration.hpp"
#include "analysis/certification.hpp"
#include "analysis/change_effects.hpp"
#include "analysis/comparison.hpp"
#include "analysis/conversion.hpp"
#include "analysis/diagnosis.hpp"
#include "analysis/explanation.hpp"
#include "analysis/graph.hpp"
#include "analysis/headroom.hpp"
#include "analysis/new_model.hpp"
#include "analysis/plan.hpp"
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
#include "python/recording.hpp"
#include "review/review.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;

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

/// Lets the work tell how much of the traces was read.
traces::Progress shown_in(Work& work) {
  return [&work](std::uint64_t done, std::uint64_t of) {
    if (of > 0) work.done = static_cast<double>(done) / static_cast<double>(of);
  };
}

py::list as_list(const std::vector<File>& files) {
  py::list list;
  for (const auto& [name, bytes] : files) list.append(py::make_tuple(name, py::bytes(bytes)));
  return list;
}

/// A request with these options.
template <typename Request>
Request taken(const Options& options, analysis::OptionTable (*rows)(Request&)) {
  Request request;
  take(options, rows(request));
  return request;
}

}  // namespace

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
  if (known == nullptr && form != "dump" && form != "table")
    throw py::value_error(fmt::format("unknown format \"{}\"", form));
  if (!table.empty() && std::find(tables.begin(), tables.end(), table) == tables.end())
    throw py::value_error(fmt::format("unknown table \"{}\"", table));
  const py::gil_scoped_release released;
  Diagnostics findings;
  if (form == "table") return needed(analysis::table_text(model_, findings), findings);
  if (known == nullptr) return exporter::dump_model(model_);
  std::string text;
  exporter::ModelExportOptions options{table};
  if (known->tables && (table.empty() || table == "tasks")) options.execution = analysis::execution_times(model_);
  known->write(model_, options, findings, [&text](std::string_view piece) { text += piece; });
  return text;
}

py::dict PythonModel::analyze(const Options& options, bool trace, bool with_causes, const py::object& progress) const {
  analysis::AnalysisRequest request;
  analysis::HeadroomRequest headroom;
  take(options, analysis::joined({request_options(request), certificates_option(request), headroom_options(headroom)}));
  Recording recording;
  std::vector<std::string> tasks, units;
  py::dict found = found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    needed(check_headroom(headroom, request), findings);
    auto prepared = needed(prepare(model_, request, findings), findings);
    prepared.analysis.work = &work;
    if (trace) prepared.analysis.observer = &recording;
    const auto analyzed = needed(results_of(std::move(prepared), findings).and_then([&](analysis::Analyzed&& judged) {
      return with_proofs(model_, request, std::move(judged), findings);
    }),
                                 findings);
    std::optional<engine::Headroom> room;
    if (headroom.wanted) room = find_headroom(headroom, analyzed, analyzed.results, &work);
    std::optional<exporter::Causes> causes;
    if (with_causes) causes = analysis::diagnose(analyzed.system, analyzed.analysis, analyzed.results, findings);
    const exporter::ResultView view{info_,   analyzed.system,         analyzed.results,           findings,
                                    &model_, room ? &*room : nullptr, causes ? &*causes : nullptr};
    tasks = names_of(analyzed.system, false);
    units = names_of(analyzed.system, true);
    return {{{"results", exporter::render_json(view, {})}, {"text", exporter::render_text(view, {})}}};
  });
  found["tasks"] = tasks;
  found["units"] = units;
  found["trace"] = trace ? py::object(recording.take()) : py::none();
  return found;
}

py::dict PythonModel::simulate(const Options& options, const py::object& progress) const {
  const auto request = taken(options, analysis::simulation_request_options);
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    auto simulation = needed(prepare_simulation(model_, request, limits_, findings), findings);
    if (!request.witness.empty()) needed(seek_witness(simulation, request.witness, &work), findings);
    analysis::SimulationWatch watch;
    watch.work = &work;
    const auto found = needed(analysis::simulate(simulation, watch, findings), findings);
    if (!found.runs) return {{{"results", exporter::render_run_part(found.part)}}};
    const exporter::RunsView view{info_, simulation.system, *found.runs, findings,
                                  simulation.witness ? &*simulation.witness : nullptr};
    return {{{"results", exporter::render_runs_json(view)}, {"text", exporter::render_runs_text(view, false)}}};
  });
}

py::dict PythonModel::explain(const std::string& name, const Options& options, const py::object& progress) const {
  const auto request = taken(options, analysis::analysis_options);
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    const auto found = needed(analysis::explain(model_, request, name, findings, &work), findings);
    const exporter::ResultView view{info_, found.system, found.results, findings};
    if (!found.explanation) throw Failure(Failure::Kind::refused, found.no_job, findings);
    return {{{"results", exporter::render_explanation_json(view, found.asked, *found.explanation, found.tried)},
             {"text", exporter::render_explanation_text(view, found.asked, *found.explanation, found.tried, false)},
             {"picture", exporter::render_explanation_svg(view, *found.explanation)}}};
  });
}

py::dict PythonModel::explore(const Options& options, const py::object& progress) const {
  const auto request = taken(options, analysis::exploration_options);
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    Diagnostics of_compared;
    auto exploration = needed(prepare_exploration(model_, request, limits_, findings, of_compared), findings);
    if (request.plan) {
      const auto planned = needed(analysis::plan(exploration, findings), findings);
      const auto texts = remapped_texts(exploration, planned.after, findings);
      const engine::Assessment* const after = planned.assessment ? &*planned.assessment : nullptr;
      return {{{"results", exporter::render_plan_json(planned.plan, after, info_)},
               {"text", exporter::render_plan_text(planned.plan, after, false)},
               {"report", ""},
               {"mapping", exporter::render_mapping_file(exporter::mapping_entries(planned.after))}},
              texts ? named(*texts) : std::vector<File>{}};
    }
    analysis::ExplorationWatch watch;
    watch.work = &work;
    const auto explored = needed(analysis::explore(exploration, watch, findings), findings);
    if (!request.shard.empty()) return {};  // the checkpoint has the part
    const auto chosen = chosen_mapping(exploration, explored, findings);
    const auto view = view_of(info_, exploration, explored, chosen);
    const auto texts = remapped_texts(exploration, chosen.after, findings);
    return {{{"results", exporter::render_exploration_json(view)},
             {"text", exporter::render_exploration_text(view, false)},
             {"report", exporter::render_exploration_report(view)},
             {"mapping", exporter::render_mapping_file(exporter::mapping_entries(chosen.after))}},
            texts ? named(*texts) : std::vector<File>{}};
  });
}

py::dict PythonModel::report(const Options& options, const py::object& progress) const {
  const auto request = taken(options, analysis::report_options);
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    Diagnostics of_baseline;
    auto earlier = needed(read_earlier(request, request.baseline, limits_, of_baseline), of_baseline);
    const auto begin = [&](bool) { return std::shared_ptr<Work>(&work, [](Work*) {}); };
    return {{{"page", needed(analysis::report(model_, request, std::move(earlier), begin, findings), findings).html}}};
  });
}

std::string PythonModel::graph(const Options& options, const std::string& format) const {
  auto request = taken(options, analysis::graph_options);
  request.format = format;
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  return needed(analysis::graph(model_, request, findings), findings);
}

py::dict PythonModel::diff(const PythonModel& newer, const PythonModel* base, bool timing, const Options& options,
                           const py::object& progress) const {
  const auto request = taken(options, analysis::request_options);
  if (timing && base != nullptr) throw py::value_error("timing does not apply to the check of a merge (base)");
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
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
      const exporter::DifferenceView view{base->info_, info_,       to_string(models.release), changes, nullptr,
                                          &conflicts,  &newer.info_};
      return {{{"results", exporter::render_difference_json(view, false)}}};
    }
    const auto comparison = models.compare(0, 1);
    std::optional<exporter::ChangeEffects> effects;
    if (timing)
      effects = needed(change_effects(model_, newer.model_, comparison, resolved.options, findings), findings);
    const exporter::DifferenceView view{info_, newer.info_, to_string(models.release), comparison.changes,
                                        effects ? &*effects : nullptr};
    return {{{"results", exporter::render_difference_json(view, false)}}};
  });
}

py::list PythonModel::files() const {
  std::vector<std::string> texts;
  for (const auto& document : model_.documents()) texts.emplace_back(document->source().bytes());
  return as_list(named(texts));
}

py::dict PythonModel::convert(const Options& options) const {
  const auto request = taken(options, analysis::conversion_options);
  return found_by(py::none(), [&](Work&, Diagnostics& findings) -> Found {
    const auto to = needed(target_of(request), findings);
    const analysis::Conversion conversion(model_, to, request.places);
    if (!conversion.done) throw Failure(Failure::Kind::refused, error_in(conversion.findings), conversion.findings);
    Found found{{{"results", exporter::render_conversion_json(report_of(conversion, model_))}}};
    for (const EditableModel::File& file : conversion.editable.files())
      found.files.emplace_back(std::filesystem::path(file.path).filename().string(), migration::write(*file.root, to));
    return found;
  });
}

py::dict PythonModel::annotate(const Options& options, const py::object& progress) const {
  const auto request = taken(options, analysis::annotation_options);
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    return {{}, named(needed(analysis::annotate(model_, request, limits_, findings, &work), findings).texts)};
  });
}

py::dict PythonModel::compare(const std::vector<std::string>& traces, bool page, const Options& options,
                              const py::object& progress) const {
  analysis::ComparisonRequest request;
  request.trace_files = traces;
  if (page) request.format = "html";
  take(options, analysis::joined({simulation_options(request), comparison_options(request)}));
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    const auto found = needed(analysis::compare(model_, request, limits_, shown_in(work), findings), findings);
    return {{{"results", text_of(found, model_, findings, "json", false)},
             {"page", page ? text_of(found, model_, findings, "html", false) : ""}}};
  });
}

py::dict PythonModel::calibrate(const std::vector<std::string>& traces, const Options& options,
                                const py::object& progress) const {
  analysis::CalibrationRequest request;
  request.trace_files = traces;
  take(options, analysis::joined({simulation_options(request), calibration_options(request)}));
  return found_by(progress, [&](Work& work, Diagnostics& findings) -> Found {
    const auto found = needed(analysis::calibrate(model_, request, shown_in(work), findings), findings);
    return {{{"text", exporter::render_calibration(found.changes, false)}}, named(found.texts)};
  });
}

py::list PythonModel::strip() const {
  std::vector<std::string> texts;
  for (const auto& document : model_.documents()) texts.push_back(exporter::strip(*document));
  return as_list(named(texts));
}

std::vector<File> PythonModel::named(const std::vector<std::string>& texts) const {
  std::vector<File> files;
  for (std::size_t i = 0; i < texts.size(); ++i)
    files.emplace_back(std::filesystem::path(model_.documents()[i]->source().path()).filename().string(), texts[i]);
  return files;
}

py::dict PythonModel::found_by(const py::object& progress, const Job& job) const {
  Work work;
  Diagnostics findings = findings_;
  Found found;
  run_interruptibly(work, progress, [&] { found = job(work, findings); });
  py::dict all = py::cast(found.texts);
  all["files"] = as_list(found.files);
  return all;
}

py::tuple new_model(const std::string& table, const Options& options) {
  auto request = taken(options, analysis::new_model_options);
  request.table = table;
  if (table.empty() == request.from_template.empty())
    throw Failure(Failure::Kind::option, "expected one of table and template", {});
  Diagnostics findings;
  const auto made = [&] {
    const py::gil_scoped_release released;
    return needed(analysis::new_model(request, "model.amxmi", {}, findings), findings);
  }();
  return py::make_tuple(made.text, made.assumptions);
}

}  // namespace amalthea::python
