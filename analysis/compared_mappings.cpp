// SPDX-License-Identifier: Apache-2.0
#include "analysis/compared_mappings.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "analysis/facts.hpp"
#include "analysis/mapping_file.hpp"
#include "analysis/model_analysis.hpp"
#include "exporter/exploration/exploration_formats.hpp"

namespace amalthea::analysis {
namespace {

using importer::MappingChange;

bool has_task(const System& system, const std::string& name) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) { return task.name == name; });
}

/// The mapping of another model for the tasks of the explored one.
Outcome<std::vector<MappingChange>> changes_of_model(const std::string& file, const System& explored,
                                                     const importer::Limits& limits, const AnalysisRequest& request,
                                                     Diagnostics& findings, std::vector<std::string>& notes) {
  const auto model = read({file}, limits, findings);
  if (!model) return tl::unexpected(model.error());
  const auto built = build(*model, request.build, request.lenient, findings);
  if (!built) return misused(fmt::format("--compare {}: the model cannot be analyzed; correct it first", file));
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
    MappingChange change;
    change.task = std::move(entry.task);
    change.core = std::move(entry.core);
    change.priority = entry.priority;
    change.waits_actively = entry.waits_actively;
    change.time_slice = entry.time_slice;
    change.location = {file, 0, 0};
    changes.push_back(std::move(change));
  }
  if (changes.empty())
    return misused(fmt::format(
        "--compare {}: the model has none of the tasks; expected a model with tasks of the same names", file));
  return changes;
}

Outcome<std::vector<MappingChange>> changes_of(const std::string& file, const System& explored,
                                               const importer::Limits& limits, const AnalysisRequest& request,
                                               Diagnostics& findings, std::vector<std::string>& notes) {
  if (std::filesystem::path(file).extension() != ".json")
    return changes_of_model(file, explored, limits, request, findings, notes);
  std::string hash;
  auto changes = read_mapping_file("--compare", file, hash);
  if (!changes) return misused(changes.error());
  return std::move(*changes);
}

}  // namespace

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
      return misused(fmt::format("--compare {}: the mapping does not fit the model", file));
    }
    try {
      // As it is: functions and tasks may be on units that the search would not select.
      auto judgement = explore::judge(search.problem, *mapped, search.options);
      Diagnostics ignored;
      const auto results = engine::analyze(*mapped, search.options.analysis, ignored);
      auto late = results ? late_tasks(*mapped, *results) : judgement.late;
      compared.push_back(
          {std::filesystem::path(file).stem().string(), std::move(*mapped), std::move(judgement), std::move(late)});
    } catch (const std::overflow_error&) {
      return misused(fmt::format("--compare {}: a time exceeds the largest supported value (about 106 days)", file));
    }
  }
  return compared;
}

}  // namespace amalthea::analysis
