// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mappings of one model side by side: bounds of tasks, reactions of chains.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "explore/exploration.hpp"

namespace amalthea::exporter {

class TextTable;

/// A mapping from another source, judged like those of the search.
struct ComparedMapping {
  std::string name;
  System system;  ///< with the mapping applied
  explore::Judgement judgement;
  std::vector<TaskIndex> late = {};  ///< by the analysis of the mapping
};

/// A column of a comparison.
struct MappingColumn {
  std::string name;
  const System& system;
  const explore::Judgement& judgement;
};

/// Longest reactions of the system's chains, in order, under implicit communication and within the bounds of their
/// tasks; nothing for a chain without a bound.
std::vector<std::optional<Duration>> chain_reactions(const System& system, const explore::Judgement& judgement);
/// The same under Logical Execution Time, where responses are irrelevant as long as they are within periods.
std::vector<std::optional<Duration>> let_reactions(const System& system);

/// Unit and bound (in ms) of every task; then the numbers of late tasks, tasks without a bound and, if any, violated
/// constraints.
TextTable compare_tasks(const std::vector<MappingColumn>& columns);
/// The reactions of all chains, in ms; an empty table without chains.
TextTable compare_chains(const std::vector<MappingColumn>& columns);

/// In milliseconds, three decimals, rounded up since it is an upper bound; "-" without one.
std::string at_most_ms(std::optional<Duration> time);

}  // namespace amalthea::exporter
