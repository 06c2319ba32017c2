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

/// A mapping that somebody has made, judged as the search judges its own.
struct ComparedMapping {
  std::string name;
  System system;  ///< with the mapping
  explore::Judgement judgement;
};

/// A column of a comparison.
struct MappingColumn {
  std::string name;
  const System& system;
  const explore::Judgement& judgement;
};

/// Longest reactions of the system's chains, in their order, under implicit communication and within the bounds of
/// their tasks; nothing where one has none.
std::vector<std::optional<Duration>> chain_reactions(const System& system, const explore::Judgement& judgement);
/// The same under Logical Execution Time, where responses do not count as long as they are within periods.
std::vector<std::optional<Duration>> let_reactions(const System& system);

/// Where every task is and its bound, in ms; then how many are late and without a bound, and where there are any, how
/// many constraints are broken.
TextTable compare_tasks(const std::vector<MappingColumn>& columns);
/// The reactions of all chains, in ms; an empty table where there are none.
TextTable compare_chains(const std::vector<MappingColumn>& columns);

/// In milliseconds, three decimals, rounded up, as befits a bound; "-" without one.
std::string at_most_ms(std::optional<Duration> time);

}  // namespace amalthea::exporter
