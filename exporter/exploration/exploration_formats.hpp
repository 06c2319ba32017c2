// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The result of a search for a mapping: as text, JSON and Markdown, and the mapping as a file for `--mapping`.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/verdict.hpp"
#include "explore/exploration.hpp"
#include "exporter/exploration/mapping_comparison.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/rewriting/first_mapping.hpp"

namespace amalthea::exporter {

/// Name of the schema of the JSON (docs/reference/explore.md).
inline constexpr std::string_view exploration_schema = "amalthea-timing-exploration/1";

struct ExplorationObjective {
  std::string name;                 ///< display name
  std::string_view unit = "ratio";  ///< explore::unit_of
};

struct ExplorationView {
  const ModelInfo& model;
  const System& before;  ///< as mapped in the model
  const System& after;   ///< with the chosen solution
  const explore::Exploration& exploration;
  const std::vector<ExplorationObjective>& objectives;
  std::size_t chosen = 0;  ///< of Exploration::front, which is not empty
  /// other mappings to show beside before and after; may be empty
  const std::vector<ComparedMapping>& compared;
  /// of the whole model with the chosen solution; null: not analyzed
  const engine::Assessment* assessment = nullptr;
  /// of tasks that the model does not map, in `before`; null if it maps all
  const FirstMapping* created = nullptr;
  /// tasks that `before` and `after` leave late or unbounded by the analysis; null: not analyzed, so none is called late
  const std::vector<TaskIndex>* late_before = nullptr;
  const std::vector<TaskIndex>* late_after = nullptr;
  std::vector<std::string> worse = {};  ///< limits that `after` makes worse, in words
};

std::string render_exploration_text(const ExplorationView& view, bool colour);
std::string render_exploration_json(const ExplorationView& view);
/// A comparison of before, after and other mappings in Markdown.
std::string render_exploration_report(const ExplorationView& view);

/// What changes in the mapping of a task: "Core1 → Core5, priority 1 → 3"; "" for nothing.
std::string mapping_change(const System& before, const System& after, TaskIndex task);

/// The entry for one task in a mapping file.
struct MappingEntry {
  std::string task;
  std::string core;  ///< "" for a task that may continue to migrate as in the model
  std::optional<std::int64_t> priority;
  std::optional<bool> waits_actively;
  std::optional<Duration> time_slice;
};
/// The whole mapping of a system, task by task, without removed tasks.
std::vector<MappingEntry> mapping_entries(const System& system);
/// In the format of `--mapping` (docs/reference/memory.md).
std::string render_mapping_file(const std::vector<MappingEntry>& entries);

}  // namespace amalthea::exporter
