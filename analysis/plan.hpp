// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdict → a plan: the fewest changes after which every limit is met or guaranteed that can be.
///
/// The plan begins with the mistakes that the diagnosis suspects. Then it changes single values: the unit of a task,
/// its priority, how it waits, its time slice, the side of a function, the offset of a stimulus. What no such change
/// mends gets shorter execution times. Every combination is judged by a complete analysis. Work is limited by counts, so
/// that results do not depend on the machine.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diagnosis.hpp"
#include "analysis/exploration.hpp"
#include "engine/results/results.hpp"
#include "exporter/results/plan.hpp"

namespace amalthea::analysis {

struct Planned {
  exporter::Plan plan;
  System mapped;  ///< the system of the model with the changes of the mapping and offsets, without the other steps
};

/// Simulated instants of all analyses together: about a second for each million.
inline constexpr std::uint64_t quick_plan = 2'000'000, thorough_plan = 10'000'000;

/// `search`: of the prepared system. `results` and `causes` are those of its analysis.
Planned plan(const Search& search, const engine::Results& results, const Diagnosed& causes,
             std::uint64_t events = quick_plan);

/// The same for a model whose tasks may run wherever they have ticks for the unit, as `explore` assumes.
Outcome<Planned> plan(const Model& model, const AnalysisRequest& request, const Prepared& prepared,
                      const engine::Results& results, const Diagnosed& causes);

/// For a request of `explore`. Findings as of an analysis of the model.
struct PlannedMapping {
  exporter::Plan plan;
  System after;                                  ///< Planned::mapped
  std::optional<engine::Assessment> assessment;  ///< of `after`; nothing if it cannot be analyzed
};
Outcome<PlannedMapping> plan(const Exploration& exploration, Diagnostics& findings);

}  // namespace amalthea::analysis
