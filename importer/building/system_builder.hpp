// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Model → System: platform, tasks, data and the runnable graph.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "importer/building/mapping_change.hpp"

namespace amalthea::importer {

/// The profile of a GPU in place of the one that the model names.
struct ProfileChange {
  std::string unit;  ///< "": of all GPUs, which the caller has to see to; files that the model names are not read then
  std::string name;  ///< built-in, or of a file
  std::string text;  ///< of a file
};

struct BuildOptions {
  /// Keep the wrapper and the copies of an offloaded function that is mapped to a CPU. By default they are removed
  /// (WATERS 2019 challenge): the function gets the wrapper's releases and deadline and accesses the host labels
  /// directly.
  bool keep_wrappers = false;
  /// A table defines the cost of accesses (--memory), so that costs missing in the model are irrelevant.
  bool tabulated_accesses = false;
  /// Where tasks run instead of the model's mapping; the last change for a task counts.
  std::vector<MappingChange> mapping = {};
  /// One for each unit at most.
  std::vector<ProfileChange> profiles = {};
  /// Largest number of activities of all tasks together. Every call of a runnable counts.
  std::size_t max_activities = 300'000;
  /// Whether the runnable graph has the edges of sequences, triggers and data. Summaries and reviews need none of them,
  /// and without them a large system is built faster.
  bool flow = true;
  /// Findings that are already reported: something missing because of an error among them is not reported again.
  const Diagnostics* reported = nullptr;
};

/// Ids of findings that explain others: a scheduler without a parameter of its algorithm, tasks without priorities, a
/// task that is allocated to no scheduler, a model without tasks, and an event chain whose latency is open.
extern const std::string_view missing_parameter_id, missing_priority_id, unallocated_id, no_task_id, open_chain_id;

/// Nothing if the model lacks something that affects timing; `diagnostics` then states what and where.
std::optional<System> build_system(const Model& model, const BuildOptions& options, Diagnostics& diagnostics);

}  // namespace amalthea::importer
