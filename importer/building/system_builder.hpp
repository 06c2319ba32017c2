// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Model → System: platform, tasks, data and the runnable graph.

#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "importer/building/mapping_change.hpp"

namespace amalthea::importer {

struct BuildOptions {
  /// Keep the wrapper and the copies of an offloaded function that is mapped to a CPU, as written. By default they
  /// fall away (WATERS 2019 challenge): the function takes the wrapper's releases and deadline and works on the
  /// host labels directly.
  bool keep_wrappers = false;
  /// Accesses cost what a table says (--memory), so that it is no matter where the model says nothing of it.
  bool tabulated_accesses = false;
  /// Where tasks run instead of where the model maps them; of several for one task the last counts.
  std::vector<MappingChange> mapping = {};
  /// Most activities of all tasks together, counting every call of a runnable anew.
  std::size_t max_activities = 300'000;
  /// Findings that have been told already: what an element lacks because of an error among them is not told again.
  const Diagnostics* told = nullptr;
};

/// Ids of findings that explain others: a scheduler lacks what its algorithm needs, tasks lack priorities.
extern const std::string_view missing_parameter_id, missing_priority_id;

/// Nothing when the model lacks something that its timing depends on; `diagnostics` then says what and where.
std::optional<System> build_system(const Model& model, const BuildOptions& options, Diagnostics& diagnostics);

}  // namespace amalthea::importer
