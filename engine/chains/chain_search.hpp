// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Chains that are no event chains of the model: named by their tasks, or found along labels.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"

namespace amalthea::engine {

/// "A->B->C", blanks around names do not count. A wrapper that fell away stands for its function. On failure what is
/// wrong with the text.
tl::expected<Chain, std::string> parse_chain(const System& system, std::string_view text);

/// A note for every two tasks of the chain that follow each other although nothing leads from the one to the other: no
/// label, no trigger, no event.
void report_gaps(const System& system, const Chain& chain, Diagnostics& diagnostics);

struct DerivedChains {
  std::vector<Chain> chains;
  bool complete = true;  ///< false: the search was given up at a limit
};

/// All paths of at least two tasks that pass labels on, from written to read, that visit no task twice and cannot be
/// made longer at either end; but for those that the system has already. Only tasks with periodic releases take part; a
/// task that another triggers counts as that other. Ordered by the tasks' order in the model, first task first; at most
/// `limit`.
DerivedChains derive_chains(const System& system, std::size_t limit);

/// More chains than anybody reads.
inline constexpr std::size_t max_derived_chains = 100;

/// Puts the derived chains behind those of the system; a warning when there are more than max_derived_chains.
void add_derived_chains(System& system, Diagnostics& diagnostics);

}  // namespace amalthea::engine
