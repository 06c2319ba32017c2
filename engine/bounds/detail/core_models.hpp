// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the active host tasks of a system are to the analyses of their cores: who shares a core with whom, who is how
/// urgent, which parts of a job are left to whom, and which analysis fits a core.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"
#include "engine/bounds/detail/ranks.hpp"
#include "engine/bounds/detail/sections.hpp"

namespace amalthea::engine::bounds {

struct CoreAnalysis;  // core_analyses.hpp

/// A core, or several that tasks move between.
struct CoreModel {
  std::vector<UnitIndex> units;
  std::vector<TaskIndex> tasks;  ///< active ones
  const CoreAnalysis* analysis = nullptr;
  bool apart = false;  ///< analysed apart from GPUs

  bool several() const { return units.size() > 1; }
};

struct CoreModels {
  Ranks ranks;
  std::vector<TaskShape> shapes;                    ///< of every active host task
  std::vector<CoreModel> cores;                     ///< those with active tasks
  std::vector<std::optional<std::size_t>> core_of;  ///< of every active host task: index into the cores

  const CoreModel& core(TaskIndex task) const { return cores[*core_of[task]]; }
};

/// Tasks that no analysis fits have a fault.
CoreModels core_models(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                       const Offloads& offloads, Faults& faults);

/// All that is known of the tasks before their problems are put.
struct ProblemInput {
  const AnalyzedSystem& subject;
  const std::vector<Activations>& activations;  ///< of every task
  const Offloads& offloads;
  const CoreModels& cores;
};

}  // namespace amalthea::engine::bounds
