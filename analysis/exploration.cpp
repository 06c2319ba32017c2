// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "analysis/detail/findings_of_mapping.hpp"
#include "analysis/mapping_file.hpp"
#include "analysis/shard.hpp"
#include "engine/finding_consequences.hpp"
#include "exporter/exploration/walk_parts.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/results/ratchet.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/file_bytes.hpp"
#include "importer/reading/model_reader.hpp"
#include "review/open_findings.hpp"

namespace amalthea::analysis {
namespace {

using importer::MappingChange;

bool has_task(const System& system, const std::string& name) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) { return task.name == name; });
}

/// Without a place in a file.
MappingChange change_to(exporter::MappingEntry entry) {
  MappingChange change;
  change.task = std::move(entry.task);
  change.core = std::move(entry.core);
  change.priority = entry.priority;
  change.waits_actively = entry.waits_actively;
  change.time_slice = entry.time_slice;
  return change;
}

/// The mapping of another model for the tasks of the explored one.
Outcome<std::vector<MappingChange>> changes_of_model(const std::string& file, const System& explored,
                                                     const importer::Limits& limits, const AnalysisRequest& request,
                                                     Diagnostics& findings, std::vector<std::string>& notes) {
  const auto model = read({file}, limits, findings);
  if (!model) return tl::unexpected(model.error());
  const auto built = build(*model, request.build, request.lenient, findings);
  if (!built) return misused("--compare " + file, "the model cannot be analyzed", "correct it first");
  const System& other = *built;
  std::vector<MappingChange> changes;
  for (exporter::MappingEntry& entry : exporter::mapping_entries(other)) {
    if (!has_task(explored, entry.task)) continue;
    if (entry.core.empty()) {
      const auto task = std::find_if(other.tasks.begin(), other.tasks.end(),
                                     [&](const Task& each) { return each.name == entry.task; });
      entry.core = other.platform.units[task->unit].name;
      notes.push_back(
          fmt::format("--compare {}: task \"{}\" may run on several units; the comparison uses the first one, \"{}\"",
                      file, entry.task, entry.core));
    }
    MappingChange change = change_to(std::move(entry));
    change.location = {file, 0, 0};
    changes.push_back(std::move(change));
  }
  if (changes.empty())
    return misused("--compare " + file, "the model has none of the tasks",
                   "expected a model with tasks of the same names");
  return changes;
}

Outcome<std::vector<MappingChange>> changes_of(const std::string& file, const System& explored,
                                               const importer::Limits& limits, const AnalysisRequest& request,
                                               Diagnostics& findings, std::vector<std::string>& notes) {
  if (std::filesystem::path(file).extension() != ".json")
    return changes_of_model(file, explored, limits, request, findings, notes);
  std::string hash;
  return read_mapping_file("--compare", file, hash);
}

/// From mapping files (`*.json`), and from models with the same tasks, whose mapping is used; in the order of
/// `request.compare`. `model`: the one that is explored. `notes`: where a mapping is read as one of several.
Outcome<std::vector<exporter::ComparedMapping>> compared_mappings(const Model& model, const ExplorationRequest& request,
                                                                  const importer::Limits& limits, const Search& search,
                                                                  Diagnostics& findings,
                                                                  std::vector<std::string>& notes) {
  std::vector<exporter::ComparedMapping> compared;
  for (const std::string& file : request.compare) {
    auto changes = changes_of(file, search.problem.system, limits, request, findings, notes);
    if (!changes) return tl::unexpected(changes.error());
    importer::BuildOptions how = request.build;
    how.mapping = std::move(*changes);
    Diagnostics of_mapping = findings;
    auto mapped = importer::build_system(model, how, of_mapping);
    if (!mapped || mapped->tasks.size() != search.problem.system.tasks.size() || !search.complete(*mapped)) {
      findings = std::move(of_mapping);
      return misused("--compare " + file, "the mapping does not fit the model");
    }
    try {
      // As it is: functions and tasks may be on units that the search would not select.
      auto judgement = explore::judge(search.problem, *mapped, search.options);
      Diagnostics ignored;
      const auto results = engine::analyze(*mapped, search.options.analysis, ignored);
      auto late = results ? engine::late_tasks(*mapped, *results) : std::vector<TaskIndex>{};
      compared.push_back(
          {std::filesystem::path(file).stem().string(), std::move(*mapped), std::move(judgement), std::move(late)});
    } catch (const std::overflow_error&) {
      return misused("--compare " + file, "a time exceeds the largest supported value (about 106 days)");
    }
  }
  return compared;
}

/// The text of a file of the model with the new mapping, without annotations: those are for the old mapping.
std::optional<std::string> unannotated_text(const Document& document, std::string text, const importer::Limits& limits,
                                            Diagnostics& diagnostics) {
  if (!exporter::is_annotated(document)) return text;
  exporter::report_dropped_annotations(document, diagnostics);
  Diagnostics known;  // for example of references to the other files
  const auto read = importer::read_model_from_bytes(document.source().path(), std::move(text), limits, known);
  if (!read) return std::nullopt;
  return exporter::strip(*read->documents().front());
}

/// Checks as far as possible before the search.
Outcome<void> check_solution(std::uint64_t solution, std::size_t objectives) {
  const std::size_t most = objectives == 1 ? 1 : explore::max_solutions;
  if (solution >= 1 && solution <= most) return {};
  return misused(fmt::format("--solution {}", solution),
                 "the largest number is " + (most == 1 ? "1, because there is one objective" : std::to_string(most)));
}

bool has_walk(const std::vector<explore::WalkRecord>& walks, std::size_t number) {
  return std::any_of(walks.begin(), walks.end(), [&](const auto& walk) { return walk.number == number; });
}

/// Adds the walks of a file, if it is one of this search and repeats no walk.
Outcome<void> read_walks(const std::string& path, Exploration& exploration) {
  const auto text = importer::read_bytes(path);
  if (!text) return misused(path, text.error());
  auto part = exporter::parse_walk_part(*text, exploration.search.problem.system.tasks.size());
  if (!part) return misused(path, part.error());
  if (part->key != exploration.key)
    return misused(path, "the part belongs to another model, or to other options or another version of amalthea");
  for (explore::WalkRecord& walk : part->walks) {
    if (has_walk(exploration.finished, walk.number))
      return misused(path, fmt::format("walk {} is in several parts", walk.number + 1));
    exploration.finished.push_back(std::move(walk));
  }
  return {};
}

/// Which walks are known, and which to make.
Outcome<void> divide_walks(Exploration& exploration) {
  const ExplorationRequest& request = exploration.request;
  std::error_code error;
  std::vector<std::string> files = request.merge;
  if (!request.checkpoint.empty() && std::filesystem::exists(request.checkpoint, error))
    files.push_back(request.checkpoint);
  for (const std::string& path : files)
    if (auto known = read_walks(path, exploration); !known) return known;
  Shard shard;
  if (!request.shard.empty()) {
    const auto parsed = parse_shard(request.shard);
    if (!parsed) return tl::unexpected(parsed.error());
    if (request.checkpoint.empty()) return misused("--shard requires --checkpoint FILE, in which the part is written");
    shard = *parsed;
  }
  std::string missing;
  for (std::size_t number = 0; number < explore::walk_count; ++number) {
    if (has_walk(exploration.finished, number) || !shard.has(number)) continue;
    exploration.walks.push_back(number);
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", number + 1);
  }
  if (request.merge.empty() || exploration.walks.empty()) return {};
  return misused("--merge", fmt::format("the parts lack walks {} of {}", missing, explore::walk_count));
}

Outcome<void> write_walks(const Exploration& exploration) {
  if (exploration.request.checkpoint.empty()) return {};
  const auto done = exporter::write_file(exploration.request.checkpoint,
                                         exporter::render_walk_part({exploration.key, exploration.finished}));
  return done ? Outcome<void>() : misused(done.error());
}

/// Makes the walks that are not known.
void make_walks(Exploration& exploration, const explore::Options& options, const ExplorationWatch& watch) {
  const bool keeps = !exploration.request.checkpoint.empty();
  auto made = explore::walk(exploration.search.problem, options, exploration.walks, [&](const auto& done) {
    if (!keeps) return;
    exploration.finished.push_back(done);
    if (const auto written = write_walks(exploration); !written && watch.failed) watch.failed(written.error().text());
  });
  for (explore::WalkRecord& walk : made)
    if (!has_walk(exploration.finished, walk.number)) exploration.finished.push_back(std::move(walk));
}

/// The mapping of a system as changes of a model.
std::vector<MappingChange> changes_to(const System& system) {
  std::vector<MappingChange> changes;
  for (exporter::MappingEntry& entry : exporter::mapping_entries(system))
    changes.push_back(change_to(std::move(entry)));
  return changes;
}

}  // namespace

void add_findings_of_mapping(const Exploration& exploration, System& mapped, Diagnostics& findings) {
  auto resolved = resolve(exploration.request);
  if (!resolved) return;
  resolved->options.build.mapping = changes_to(mapped);
  Diagnostics found;
  if (!prepare(*exploration.model, *resolved, found)) return;  // a mapping of schedulers that the model lacks
  if (exploration.mapped) found = exploration.mapped->in_files(found, 0);
  const std::size_t known = findings.all().size();
  for (const Diagnostic& one : found.all()) {
    const engine::Consequence consequence = engine::consequence_of(one);
    if (consequence != engine::Consequence::assumption && consequence != engine::Consequence::unknown) continue;
    const auto& all = findings.all();
    const bool is_known =
        std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(known), [&](const auto& old) {
          return old.id == one.id && old.message == one.message && old.elements == one.elements &&
                 old.location.file == one.location.file && old.location.line == one.location.line &&
                 old.location.column == one.location.column;
        });
    if (!is_known) findings.add(one.id, one.severity, one.message, one.location, one.path, one.count, one.elements);
  }
  if (findings.all().size() > known) review::record_open_findings(*exploration.model, findings, mapped);
}

Outcome<Exploration> prepare_exploration(const Model& model, const ExplorationRequest& request,
                                         const importer::Limits& limits, Diagnostics& findings,
                                         Diagnostics& of_compared) {
  const auto resolved = resolve(request);
  if (!resolved) return tl::unexpected(resolved.error());
  Exploration exploration;
  exploration.request = request;
  exploration.limits = limits;
  exploration.model = &model;
  if (auto mapped = map_unmapped_tasks(model, request.build.keep_wrappers, limits, findings)) {
    exploration.mapped = std::make_shared<const MappedModel>(std::move(*mapped));
    exploration.model = &exploration.mapped->model;
  }
  const std::size_t reading = findings.all().size();
  auto search = prepare(*exploration.model, *resolved, findings).and_then([&](Prepared&& prepared) {
    return make_search(*exploration.model, request, std::make_shared<const Prepared>(std::move(prepared)), findings);
  });
  if (exploration.mapped) findings = exploration.mapped->in_files(findings, reading);
  if (!search) return tl::unexpected(search.error());
  exploration.search = std::move(*search);
  exploration.notes = std::move(exploration.search.notes);
  if (const auto fits = check_solution(request.solution, exploration.search.options.objectives.size()); !fits)
    return tl::unexpected(fits.error());
  auto compared =
      compared_mappings(*exploration.model, request, limits, exploration.search, of_compared, exploration.notes);
  if (!compared) return tl::unexpected(compared.error());
  exploration.compared = std::move(*compared);
  ExplorationRequest sought = request;  // without what says where results go, and which part is made
  sought.solution = 1;
  sought.compare.clear();
  sought.shard.clear();
  sought.merge.clear();
  sought.checkpoint.clear();
  sought.jobs = 0;
  exploration.key = exporter::hash_of_text(fmt::format(
      "{} {}\n{}\nlimits{}{}{}", exporter::tool_name, exporter::tool_version, exporter::hash_of_model(model),
      asked_text(limits, limit_options), resolved->files + hashes_of_profiles(exploration.search.problem.system),
      asked_text(sought, exploration_options)));
  if (const auto divided = divide_walks(exploration); !divided) return tl::unexpected(divided.error());
  return exploration;
}

Outcome<Explored> explore(Exploration& exploration, const ExplorationWatch& watch, Diagnostics& findings) {
  explore::Options options = exploration.search.options;
  options.analysis.work = watch.work;
  options.progress = watch.progress;
  const auto is_interrupted = [&] { return watch.work != nullptr && watch.work->stop; };
  Explored explored;
  try {
    make_walks(exploration, options, watch);
    if (!exploration.request.shard.empty()) {
      explored.interrupted = is_interrupted();
      const auto kept = explored.interrupted ? Outcome<void>() : write_walks(exploration);
      return kept.map([&] { return explored; });
    }
    explored.exploration = explore::conclude(exploration.search.problem, options, exploration.finished);
  } catch (const std::invalid_argument& wrong) {
    if (exploration.request.merge.empty() && exploration.request.checkpoint.empty()) throw;
    return misused("--merge or --checkpoint",
                   fmt::format("the parts are not as a search writes them: {}", wrong.what()));
  } catch (const std::overflow_error&) {
    engine::report_time_overflow(findings);
    return tl::unexpected(Failure{});
  }
  explored.interrupted = is_interrupted();
  if (explored.interrupted)
    findings.add("AM0571", Severity::warning,
                 fmt::format("the search was interrupted after {} of {} mappings; it may have missed better ones",
                             explored.exploration.judged, options.candidates));
  else if (explored.exploration.is_cut)
    findings.add("AM0570", Severity::warning,
                 fmt::format("the search ended after {} steps, with {} mappings judged; to judge more of {}, raise "
                             "--search-steps",
                             explored.exploration.steps, explored.exploration.judged, options.candidates));
  std::error_code error;
  if (!explored.interrupted && !exploration.request.checkpoint.empty())
    std::filesystem::remove(exploration.request.checkpoint, error);
  const std::size_t solutions = explored.exploration.front.size();
  if (solutions == 0) return tl::unexpected(Failure{});
  if (exploration.request.solution > solutions)
    return misused(fmt::format("--solution {}", exploration.request.solution),
                   fmt::format("the largest number is {}", solutions));
  return explored;
}

ChosenMapping chosen_mapping(const Exploration& exploration, const Explored& explored, const Diagnostics& findings) {
  const Search& search = exploration.search;
  ChosenMapping chosen;
  chosen.solution = &explored.exploration.front[exploration.request.solution - 1];
  auto after = explore::applied(search.problem, chosen.solution->candidate);
  if (!after) throw std::logic_error("a solution cannot be applied to the model");
  chosen.after = std::move(*after);
  for (const explore::Objective& objective : search.options.objectives)
    chosen.objectives.push_back({explore::describe(search.problem.system, objective), explore::unit_of(objective)});
  chosen.findings = findings;
  add_findings_of_mapping(exploration, chosen.after, chosen.findings);
  if (const auto results = engine::analyze(chosen.after, search.options.analysis, chosen.findings)) {
    chosen.assessment = engine::assess(chosen.after, *results, chosen.findings);
    chosen.late_after = engine::late_tasks(chosen.after, *results);
  }
  Diagnostics ignored;
  if (const auto results = engine::analyze(search.problem.system, search.options.analysis, ignored)) {
    chosen.late_before = engine::late_tasks(search.problem.system, *results);
    if (chosen.assessment)
      for (const auto& change :
           exporter::ratchet(exporter::known_limits(*chosen.assessment),
                             exporter::known_limits(engine::assess(search.problem.system, *results, findings)), {})
               .worse)
        chosen.worse.push_back(exporter::change_text(change));
  }
  const explore::Judgement& judgement = chosen.solution->judgement;
  chosen.keeps_limits = judgement.late.empty() && judgement.broken == 0 && explored.exploration.impossible.empty();
  return chosen;
}

exporter::ExplorationView view_of(const exporter::ModelInfo& info, const Exploration& exploration,
                                  const Explored& explored, const ChosenMapping& chosen) {
  return {info,
          exploration.search.problem.system,
          chosen.after,
          explored.exploration,
          chosen.objectives,
          exploration.request.solution - 1,
          exploration.compared,
          chosen.assessment ? &*chosen.assessment : nullptr,
          exploration.mapped ? &exploration.mapped->created : nullptr,
          chosen.late_before ? &*chosen.late_before : nullptr,
          chosen.late_after ? &*chosen.late_after : nullptr,
          chosen.worse};
}

Outcome<std::vector<std::string>> remapped_texts(const Exploration& exploration, const System& after,
                                                 Diagnostics& findings) {
  const Model& model = *exploration.model;
  Diagnostics known;  // already reported
  importer::BuildOptions build;
  build.keep_wrappers = exploration.request.build.keep_wrappers;
  const auto before = importer::build_system(model, build, known);
  if (!before)
    return misused({}, "the mapping cannot be written, because the model cannot be analyzed without --map",
                   "correct it first");
  const auto splices = exporter::remap(model, *before, after, findings);
  if (!splices) return tl::unexpected(Failure{});
  std::vector<std::string> texts;
  for (const auto& document : model.documents()) {
    auto text = unannotated_text(*document, exporter::apply(*document, *splices), exploration.limits, findings);
    if (!text)
      return misused(
          fmt::format("cannot write the new mapping to {}: the file would exceed the limits on input (--max-size "
                      "and others)",
                      document->source().path()));
    texts.push_back(std::move(*text));
  }
  return texts;
}

}  // namespace amalthea::analysis
