// SPDX-License-Identifier: Apache-2.0
#include "cli/compared_mappings.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fmt/core.h>

#include "analysis/model_analysis.hpp"
#include "cli/complaint.hpp"
#include "cli/mapping.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "exporter/exploration/exploration_formats.hpp"

namespace amalthea::cli {
namespace {

using importer::MappingChange;

bool has_task(const System& system, const std::string& name) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) { return task.name == name; });
}

/// The mapping of another model for the tasks of the explored one.
std::optional<std::vector<MappingChange>> changes_of_model(const std::string& file, const System& explored,
                                                           const importer::Limits& limits,
                                                           const importer::BuildOptions& build, bool lenient) {
  Diagnostics findings;
  const auto model = load({{file}, limits}, findings);
  const auto built = model ? analysis::build(*model, build, lenient, findings) : std::nullopt;
  print_findings(findings);
  if (!model) return std::nullopt;  // already reported
  if (!built) {
    complain(fmt::format("--compare {}: the model cannot be analyzed; correct it first", file));
    return std::nullopt;
  }
  const System& other = *built;
  std::vector<MappingChange> changes;
  for (exporter::MappingEntry& entry : exporter::mapping_entries(other)) {
    if (!has_task(explored, entry.task)) continue;
    if (entry.core.empty()) {
      const auto task = std::find_if(other.tasks.begin(), other.tasks.end(),
                                     [&](const Task& each) { return each.name == entry.task; });
      entry.core = other.platform.units[task->unit].name;
      if (!is_quiet())
        tell(
            "amalthea: note: --compare {}: task \"{}\" may run on several units; the comparison uses the first one, "
            "\"{}\"\n",
            file, entry.task, entry.core);
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
  if (changes.empty()) {
    complain(fmt::format("--compare {}: the model has none of the tasks; expected a model with tasks of the same names",
                         file));
    return std::nullopt;
  }
  return changes;
}

std::optional<std::vector<MappingChange>> changes_of(const std::string& file, const System& explored,
                                                     const importer::Limits& limits, const AnalysisInput& analysis) {
  if (std::filesystem::path(file).extension() != ".json")
    return changes_of_model(file, explored, limits, analysis.build, analysis.lenient);
  std::string hash;
  auto changes = read_mapping_file("--compare", file, hash);
  if (changes) return std::move(*changes);
  complain(changes.error());
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<exporter::ComparedMapping>> compared_mappings(const std::vector<std::string>& files,
                                                                        const Model& model,
                                                                        const importer::Limits& limits,
                                                                        const AnalysisInput& analysis,
                                                                        const Search& search) {
  std::vector<exporter::ComparedMapping> compared;
  for (const std::string& file : files) {
    auto changes = changes_of(file, search.problem.system, limits, analysis);
    if (!changes) return std::nullopt;
    importer::BuildOptions build = analysis.build;
    build.mapping = std::move(*changes);
    Diagnostics findings;
    auto mapped = importer::build_system(model, build, findings);
    if (!mapped || mapped->tasks.size() != search.problem.system.tasks.size() || !search.complete(*mapped)) {
      print_findings(findings);
      complain(fmt::format("--compare {}: the mapping does not fit the model", file));
      return std::nullopt;
    }
    try {
      // As it is: functions and tasks may be on units that the search would not select.
      auto judgement = explore::judge(search.problem, *mapped, search.options);
      compared.push_back({std::filesystem::path(file).stem().string(), std::move(*mapped), std::move(judgement)});
    } catch (const std::overflow_error&) {
      complain(fmt::format("--compare {}: a time exceeds the largest supported value (about 106 days)", file));
      return std::nullopt;
    }
  }
  return compared;
}

}  // namespace amalthea::cli
