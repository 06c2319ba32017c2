// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Chains that are not event chains of the model: named by their tasks, or derived from labels.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"

namespace amalthea::engine {

/// Parses "A->B->C"; blanks around names are ignored. A removed wrapper stands for its function. The error states what
/// is wrong with the text.
tl::expected<Chain, std::string> parse_chain(const System& system, std::string_view text);

/// A note for any two consecutive tasks of the chain that nothing connects: no label, no trigger, no event.
void report_gaps(const System& system, const Chain& chain, Diagnostics& diagnostics);

struct DerivedChains {
  std::vector<Chain> chains;
  bool complete = true;  ///< false: the search stopped at a limit
};

/// All paths of at least two tasks that pass labels from writer to reader, visit no task twice and cannot be extended
/// at either end, except those that the system already has. Only tasks with periodic releases take part; a triggered
/// task counts as the task that triggers it. Ordered by the order of the tasks in the model, first task first; at most
/// `limit`.
DerivedChains derive_chains(const System& system, std::size_t limit);

/// Maximum number of derived chains that are analyzed.
inline constexpr std::size_t max_derived_chains = 100;

/// Appends the derived chains to those of the system; a warning if there are more than max_derived_chains.
void add_derived_chains(System& system, Diagnostics& diagnostics);

}  // namespace amalthea::engine
