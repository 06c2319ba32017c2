// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The active host tasks of a system as the core analyses see them: which tasks share a core, their ranks, which
/// sections of a job cannot be preempted by whom, and which analysis applies to a core.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"
#include "engine/bounds/detail/ranks.hpp"
#include "engine/bounds/detail/sections.hpp"

namespace amalthea::engine::bounds {

struct CoreAnalysis;  // core_analyses.hpp

/// A core, or several cores between which tasks migrate.
struct CoreModel {
  std::vector<UnitIndex> units;
  std::vector<TaskIndex> tasks;  ///< active ones
  const CoreAnalysis* analysis = nullptr;
  /// Analyzed separately from GPUs: the time for which its tasks wait for GPUs counts as part of their jobs.
  bool apart = false;

  bool several() const { return units.size() > 1; }
};

struct CoreModels {
  Ranks ranks;
  std::vector<TaskShape> shapes;  ///< of every active host task
  /// For every semaphore of SemaphoreCeilings::timed with an effective ceiling: the urgency that it gives.
  std::vector<std::optional<std::int64_t>> semaphore_urgency;
  std::vector<CoreModel> cores;                     ///< those with active tasks
  std::vector<std::optional<std::size_t>> core_of;  ///< of every active host task: index into the cores

  const CoreModel& core(TaskIndex task) const { return cores[*core_of[task]]; }
};

/// Tasks to which no analysis applies get a fault.
CoreModels core_models(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                       const Offloads& offloads, Faults& faults);

/// Everything the problems are built from.
struct ProblemInput {
  const AnalyzedSystem& subject;
  const std::vector<Activations>& activations;  ///< of every task
  const Offloads& offloads;
  const CoreModels& cores;
};

}  // namespace amalthea::engine::bounds
