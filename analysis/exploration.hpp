// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The search for a mapping, from a model to the mapping that it finds, its verdict, and the changed files.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/work.hpp"
#include "analysis/exploration_problem.hpp"
#include "analysis/first_mapping.hpp"
#include "explore/exploration.hpp"
#include "exporter/exploration/exploration_formats.hpp"

namespace amalthea::analysis {

/// A request that fits its model. The model as it was read must outlive it.
struct Exploration {
  ExplorationRequest request;
  importer::Limits limits;
  std::shared_ptr<const MappedModel> mapped;  ///< null if the model maps all tasks
  const Model* model = nullptr;               ///< the mapped one, or the one that was read
  Search search;
  std::vector<exporter::ComparedMapping> compared;
  std::vector<std::string> notes;
  std::string key;                            ///< a hash of what all results depend on
  std::vector<std::size_t> walks;             ///< those to make
  std::vector<explore::WalkRecord> finished;  ///< from a checkpoint or from parts
};
/// `of_compared` gets the findings of other models. Findings have the lines of the files.
Outcome<Exploration> prepare_exploration(const Model& model, const ExplorationRequest& request,
                                         const importer::Limits& limits, Diagnostics& findings,
                                         Diagnostics& of_compared);

/// How a caller follows a search; all may be empty.
struct ExplorationWatch {
  Work* work = nullptr;  ///< ends it with what it has by then
  std::function<void(std::uint64_t judged, std::size_t late)> progress;
  std::function<void(const std::string& text)> failed;  ///< to write a checkpoint; the search goes on
};
struct Explored {
  explore::Exploration exploration;  ///< without a front if only a part of the walks was made
  bool interrupted = false;
};
/// A part of the walks is left in the checkpoint.
Outcome<Explored> explore(Exploration& exploration, const ExplorationWatch& watch, Diagnostics& findings);

/// The solution that the request chooses, analyzed.
struct ChosenMapping {
  const explore::Solution* solution = nullptr;
  System after;
  std::vector<exporter::ExplorationObjective> objectives;
  std::optional<engine::Assessment> assessment;  ///< nothing if it cannot be analyzed
  /// Late tasks by the analysis of the mapping before the search, and of this one; nothing if it cannot be analyzed.
  std::optional<std::vector<TaskIndex>> late_before, late_after;
  std::vector<std::string> worse;  ///< limits that fail, or fail more so, only with it: exporter::change_text
  Diagnostics findings;            ///< those so far, and those of its analysis
  bool keeps_limits = false;       ///< no task is late, no constraint broken, no deadline impossible
};
ChosenMapping chosen_mapping(const Exploration& exploration, const Explored& explored, const Diagnostics& findings);
/// `info`: of the model as it was read.
exporter::ExplorationView view_of(const exporter::ModelInfo& info, const Exploration& exploration,
                                  const Explored& explored, const ChosenMapping& chosen);
/// The text of every file with that mapping. Annotations are removed, because they are for the old one.
Outcome<std::vector<std::string>> remapped_texts(const Exploration& exploration, const System& after,
                                                 Diagnostics& findings);

}  // namespace amalthea::analysis
