// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a search for a mapping found: as text, JSON and Markdown, and the mapping as a file for `--mapping`.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/verdict.hpp"
#include "explore/exploration.hpp"
#include "exporter/exploration/mapping_comparison.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

/// Name of the schema of the JSON (docs/reference/explore.md).
inline constexpr std::string_view exploration_schema = "amalthea-timing-exploration/1";

struct ExplorationObjective {
  std::string name;         ///< for people
  bool in_seconds = false;  ///< else it is a ratio
};

struct ExplorationView {
  const ModelInfo& model;
  const System& before;  ///< as the model maps it
  const System& after;   ///< with the chosen solution
  const explore::Exploration& exploration;
  const std::vector<ExplorationObjective>& objectives;
  std::size_t chosen = 0;                          ///< of Exploration::front, which is not empty
  const std::vector<ComparedMapping>& compared;    ///< what else to show beside before and after; may be empty
  const engine::Assessment* assessment = nullptr;  ///< of the whole model with the chosen solution; null: not analysed
};

std::string render_exploration_text(const ExplorationView& view, bool colour);
std::string render_exploration_json(const ExplorationView& view);
/// A comparison of before, after and other mappings in Markdown.
std::string render_exploration_report(const ExplorationView& view);

/// What a mapping file says of one task.
struct MappingEntry {
  std::string task;
  std::string core;  ///< "" for a task that may go on migrating as the model lets it
  std::optional<std::int64_t> priority;
  std::optional<bool> waits_actively;
  std::optional<Duration> time_slice;
};
/// The whole mapping of a system, task by task; without what fell away.
std::vector<MappingEntry> mapping_entries(const System& system);
/// As `--mapping` reads it (docs/reference/memory.md).
std::string render_mapping_file(const std::vector<MappingEntry>& entries);

}  // namespace amalthea::exporter
