// SPDX-License-Identifier: Apache-2.0
#include "python/model.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "cli/exploration_input.hpp"
#include "cli/first_mapping.hpp"
#include "cli/input.hpp"
#include "cli/remapped_model.hpp"
#include "cli/streams.hpp"
#include "engine/many_runs.hpp"
#include "engine/verdict.hpp"
#include "explore/exploration.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/models/model_exports.hpp"
#include "exporter/models/model_summary.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/runs_formats.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/conversion_report.hpp"
#include "importer/building/used_classes.hpp"
#include "importer/reading/model_reader.hpp"
#include "migration/migration.hpp"
#include "python/failure.hpp"
#include "python/interruption.hpp"
#include "python/recording.hpp"
#include "review/review.hpp"

namespace amalthea::python {
namespace {

namespace py = pybind11;

/// The options of the command, from keywords of Python.
class Reader {
 public:
  explicit Reader(const Options& options) : options_(options) {}

  template <typename Value>
  void take(const char* name, Value& value) {
    if (!options_.contains(name)) return;
    known_.insert(name);
    const py::object given = options_[name];
    if (given.is_none()) return;
    try {
      value = given.cast<Value>();
    } catch (const py::cast_error&) {
      throw py::type_error(fmt::format("{}: unexpected type", name));
    }
  }
  /// All names must have been taken.
  void end() const {
    for (const auto& [name, value] : options_)
      if (!known_.contains(name.cast<std::string>()))
        throw py::type_error(fmt::format("unknown option \"{}\"", name.cast<std::string>()));
  }

 private:
  const Options& options_;
  std::set<std::string> known_;
};

cli::AnalysisInput analysis_input(Reader& reader) {
  cli::AnalysisInput input;
  reader.take("execution", input.execution);
  reader.take("until", input.until);
  reader.take("max_steps", input.max_steps);
  reader.take("platform", input.platform);
  reader.take("memory", input.memory);
  reader.take("line_rule", input.line_rule);
  reader.take("contention", input.contention);
  reader.take("mapping", input.mapping_file);
  reader.take("map", input.map);
  reader.take("chains", input.chains);
  reader.take("derive_chains", input.derive_chains);
  reader.take("communication", input.communication);
  reader.take("strict", input.strict);
  reader.take("lenient", input.lenient);
  reader.take("keep_wrappers", input.build.keep_wrappers);
  return input;
}

/// The first error among the messages of the command, without its prefix.
std::string error_in(const std::string& messages, const Diagnostics& findings) {
  constexpr std::string_view prefix = "amalthea: error: ";
  if (const auto at = messages.find(prefix); at != std::string::npos) {
    const auto begin = at + prefix.size();
    return messages.substr(begin, messages.find('\n', begin) - begin);
  }
  for (const Diagnostic& finding : findings.all())
    if (finding.severity == Severity::error) return format(finding);
  return "the model cannot be analyzed";
}

/// Runs work of the command's layer and collects what it says. A failure becomes an exception with the findings.
class Session {
 public:
  [[noreturn]] void fail(int code) const {
    throw Failure(code == 2 ? Failure::Kind::option : Failure::Kind::refused, error_in(said_.messages(), findings),
                  findings);
  }
  template <typename Value>
  Value& need(tl::expected<Value, int>& value) const {
    if (!value) fail(value.error());
    return *value;
  }
  template <typename Value>
  Value& need(std::optional<Value>& value, int code) const {
    if (!value) fail(code);
    return *value;
  }
  Diagnostics findings;

 private:
  cli::CapturedStreams said_;
};

constexpr int refused = 1, misused = 2;

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

importer::Limits limits() { return {}; }

PythonModel::PythonModel(Model model, Diagnostics findings)
    : model_(std::move(model)), info_(exporter::model_info(model_)), findings_(std::move(findings)) {}

std::shared_ptr<PythonModel> PythonModel::read(const std::vector<std::string>& paths) {
  const py::gil_scoped_release released;
  Diagnostics findings;
  auto model = analysis::read(paths, limits(), findings);
  if (!model) throw Failure(Failure::Kind::unreadable, error_in({}, findings), findings);
  return std::shared_ptr<PythonModel>(new PythonModel(std::move(*model), std::move(findings)));
}

std::shared_ptr<PythonModel> PythonModel::parse(const std::vector<File>& files) {
  const py::gil_scoped_release released;
  std::vector<importer::NamedBytes> named;
  for (const auto& [name, bytes] : files) named.push_back({name, bytes});
  Diagnostics findings;
  auto model = importer::read_model_from_bytes(std::move(named), limits(), findings);
  if (!model) throw Failure(Failure::Kind::unreadable, error_in({}, findings), findings);
  exporter::check_annotations(*model, findings);
  return std::shared_ptr<PythonModel>(new PythonModel(std::move(*model), std::move(findings)));
}

std::string PythonModel::validate() const {
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  review::review_model(model_, findings);
  std::vector<Diagnostic> sorted = findings.all();
  exporter::sort_findings(sorted);
  return exporter::render_findings_json({info_, sorted, 0, {}});
}

std::string PythonModel::summary() const {
  const py::gil_scoped_release released;
  Diagnostics findings = findings_;
  const auto system = review::build_checked(model_, {}, findings, review::few);
  return exporter::render_summary_json(
      {info_, model_, system ? &*system : nullptr, findings, importer::is_used_by_analysis});
}

std::string PythonModel::content() const {
  const py::gil_scoped_release released;
  std::string json;
  Diagnostics findings;
  exporter::write_model_json(model_, {}, findings, [&json](std::string_view text) { json += text; });
  return json;
}

py::dict PythonModel::analyze(const Options& options, bool trace, const py::object& progress) const {
  Reader reader(options);
  const cli::AnalysisInput input = analysis_input(reader);
  reader.end();
  Work work;
  Recording recording;
  std::string json, text;
  std::vector<std::string> tasks, units;
  run_interruptibly(work, progress, [&] {
    Session session;
    session.findings = findings_;
    auto prepared = cli::prepare_analysis(model_, input, session.findings);
    auto& [system, analysis, profile, build] = session.need(prepared);
    analysis.work = &work;
    if (trace) analysis.observer = &recording;
    auto results = engine::analyze(system, analysis, session.findings);
    const exporter::ResultView view{info_, system, session.need(results, refused), session.findings, &model_};
    json = exporter::render_json(view, {});
    text = exporter::render_text(view, {});
    tasks = names_of(system, false);
    units = names_of(system, true);
  });
  py::dict found;
  found["results"] = json;
  found["text"] = text;
  found["tasks"] = tasks;
  found["units"] = units;
  found["trace"] = trace ? py::object(recording.take()) : py::none();
  return found;
}

py::dict PythonModel::simulate(const Options& options, const py::object& progress) const {
  Reader reader(options);
  cli::AnalysisInput input = analysis_input(reader);
  std::uint64_t runs = 1, seed = 1;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  reader.take("runs", runs);
  reader.take("seed", seed);
  reader.take("jobs", jobs);
  reader.end();
  if (runs == 0 || jobs == 0) throw py::value_error("runs and jobs: expected at least 1");
  if (seed >= engine::seed_limit) throw py::value_error("seed: expected a number below 2^53");
  if (!options.contains("execution") && (runs > 1 || options.contains("seed"))) input.execution = "random";
  Work work;
  std::string json, text;
  run_interruptibly(work, progress, [&] {
    Session session;
    session.findings = findings_;
    auto prepared = cli::prepare_analysis(model_, input, session.findings);
    auto& [system, analysis, profile, build] = session.need(prepared);
    analysis.work = &work;
    const engine::ManyRunsOptions many{analysis, runs, seed, jobs};
    auto found = engine::simulate_runs(system, many, session.findings);
    const exporter::RunsView view{info_, system, session.need(found, refused), session.findings};
    json = exporter::render_runs_json(view);
    text = exporter::render_runs_text(view, false);
  });
  py::dict found;
  found["results"] = json;
  found["text"] = text;
  return found;
}

py::dict PythonModel::explore(const Options& options, const py::object& progress) const {
  Reader reader(options);
  const cli::AnalysisInput input = analysis_input(reader);
  cli::ExplorationInput search_input;
  std::size_t solution = 1;
  reader.take("objectives", search_input.objectives);
  reader.take("keep", search_input.keep);
  reader.take("pins", search_input.pins);
  reader.take("together", search_input.together);
  reader.take("apart", search_input.apart);
  reader.take("affinity", search_input.keep_affinity);
  reader.take("candidates", search_input.candidates);
  reader.take("search_steps", search_input.steps);
  reader.take("seconds", search_input.seconds);
  reader.take("seed", search_input.seed);
  reader.take("jobs", search_input.jobs);
  reader.take("solution", solution);
  reader.end();
  Work work;
  std::string json, text, mapping;
  std::vector<File> changed;
  run_interruptibly(work, progress, [&] {
    Session session;
    session.findings = findings_;
    const auto mapped = cli::map_unmapped_tasks(model_, input.build.keep_wrappers, limits(), session.findings);
    const Model& model = mapped ? mapped->model : model_;
    std::size_t known = session.findings.all().size();
    const auto settle_lines = [&] {
      if (mapped) session.findings = mapped->in_files(session.findings, known);
      known = session.findings.all().size();
    };
    auto prepared = cli::prepare_analysis(model, input, session.findings);
    settle_lines();
    const cli::PreparedAnalysis& analysis = session.need(prepared);
    auto made = cli::make_search(model, input, analysis, search_input, session.findings);
    settle_lines();
    cli::Search& search = session.need(made, misused);
    search.options.analysis.work = &work;
    const explore::Exploration exploration = explore::explore(search.problem, search.options);
    if (solution < 1 || solution > exploration.front.size())
      throw Failure(Failure::Kind::option,
                    fmt::format("solution: expected a number from 1 to {}", exploration.front.size()),
                    session.findings);
    const auto applied = explore::applied(search.problem, exploration.front[solution - 1].candidate);
    const System& after = applied.value();
    std::vector<exporter::ExplorationObjective> objectives;
    for (const explore::Objective& objective : search.options.objectives)
      objectives.push_back({explore::describe(search.problem.system, objective), explore::unit_of(objective)});
    Diagnostics analyzing = session.findings;
    search.options.analysis.work = nullptr;
    std::optional<engine::Assessment> assessment;
    if (const auto results = engine::analyze(after, search.options.analysis, analyzing))
      assessment = engine::assess(after, *results, analyzing);
    const exporter::ExplorationView view{info_,
                                         search.problem.system,
                                         after,
                                         exploration,
                                         objectives,
                                         solution - 1,
                                         {},
                                         assessment ? &*assessment : nullptr,
                                         mapped ? &mapped->created : nullptr};
    json = exporter::render_exploration_json(view);
    text = exporter::render_exploration_text(view, false);
    mapping = exporter::render_mapping_file(exporter::mapping_entries(after));
    if (const auto texts = cli::remapped_texts(model, input.build.keep_wrappers, after, limits(), session.findings))
      for (std::size_t i = 0; i < texts->size(); ++i)
        changed.emplace_back(name_of(*model_.documents()[i]), (*texts)[i]);
  });
  py::dict found;
  found["results"] = json;
  found["text"] = text;
  found["mapping"] = mapping;
  py::list files;
  for (const auto& [name, bytes] : changed) files.append(py::make_tuple(name, py::bytes(bytes)));
  found["files"] = files;
  return found;
}

std::vector<File> PythonModel::files() const {
  std::vector<File> files;
  for (const auto& document : model_.documents())
    files.emplace_back(name_of(*document), std::string(document->source().bytes()));
  return files;
}

std::pair<std::vector<File>, std::string> PythonModel::convert(const std::string& release) const {
  const auto to = migration::parse_release(release);
  if (!to) throw py::value_error(fmt::format("\"{}\": expected an AMALTHEA release such as \"3.3.0\"", release));
  const py::gil_scoped_release released;
  migration::Release from = migration::release_of(*model_.documents().front());
  for (const auto& document : model_.documents()) from = std::min(from, migration::release_of(*document));
  Diagnostics findings;
  EditableModel editable(model_, SharedIds::apart);
  exporter::drop_annotations(model_, editable, findings);
  constexpr std::size_t places = 1000;
  migration::Record record(findings, places);
  const std::size_t before = editable.object_count();
  if (!migration::migrate(editable, from, *to, record, findings))
    throw Failure(Failure::Kind::refused, error_in({}, findings), findings);
  std::vector<File> files;
  for (const EditableModel::File& file : editable.files())
    files.emplace_back(std::filesystem::path(file.path).filename().string(), migration::write(*file.root, *to));
  return {std::move(files), exporter::render_conversion_json(
                                {info_.files, from, *to, before, editable.object_count(), record, findings})};
}

std::vector<File> PythonModel::annotate(const Options& options, const std::vector<std::string>& forms,
                                        const std::string& detail, const py::object& progress) const {
  Reader reader(options);
  const cli::AnalysisInput input = analysis_input(reader);
  reader.end();
  exporter::AnnotationRequest request;
  request.properties = request.measurements = request.requirements = false;
  for (const std::string& form : forms) {
    if (form != "properties" && form != "measurements" && form != "requirements")
      throw py::value_error(fmt::format("\"{}\": expected properties, measurements or requirements", form));
    (form == "properties"     ? request.properties
     : form == "measurements" ? request.measurements
                              : request.requirements) = true;
  }
  if (detail != "full" && detail != "brief" && detail != "summary")
    throw py::value_error(fmt::format("\"{}\": expected full, brief or summary", detail));
  request.detail = detail == "summary" ? exporter::AnnotationDetail::summary
                   : detail == "brief" ? exporter::AnnotationDetail::brief
                                       : exporter::AnnotationDetail::full;
  request.until = input.until;
  request.keep_wrappers = input.build.keep_wrappers;
  Work work;
  std::vector<File> annotated;
  run_interruptibly(work, progress, [&] {
    Session session;
    std::vector<importer::NamedBytes> bare;
    for (const auto& document : model_.documents())
      bare.push_back({document->source().path(), exporter::strip(*document)});
    auto read = importer::read_model_from_bytes(std::move(bare), limits(), session.findings);
    const Model& model = session.need(read, misused);
    if (!exporter::can_hold(model, request, session.findings)) session.fail(misused);
    auto prepared = cli::prepare_analysis(model, input, session.findings);
    auto& [system, analysis, profile, build] = session.need(prepared);
    analysis.work = &work;
    auto results = engine::analyze(system, analysis, session.findings);
    const exporter::ModelInfo info = exporter::model_info(model);
    const exporter::ResultView view{info, system, session.need(results, refused), session.findings};
    const auto annotations = exporter::annotations_of(model, view, request, session.findings);
    for (const auto& document : model.documents())
      annotated.emplace_back(name_of(*document), exporter::annotate(*document, annotations));
  });
  return annotated;
}

std::vector<File> PythonModel::strip() const {
  std::vector<File> files;
  for (const auto& document : model_.documents()) files.emplace_back(name_of(*document), exporter::strip(*document));
  return files;
}

}  // namespace amalthea::python
