#pragma once
/// \file
/// The registry of review rules. A new rule is one function, one line in rules.cpp and one row in docs/diagnostics.md.

#include <span>

#include "review/rule.hpp"

namespace amalthea::review {

/// All rules, by id.
std::span<const Rule> rules();

// demand.cpp
void check_overload(const Context&, Report&);
void check_hopeless_deadlines(const Context&, Report&);
// deadlines.cpp
void check_swapped_deadlines(const Context&, Report&);
void check_deadlines_beyond_period(const Context&, Report&);
// mapping.cpp
void check_executing_unit(const Context&, Report&);
void check_shared_units(const Context&, Report&);
void check_equal_priorities(const Context&, Report&);
void check_unmapped_labels(const Context&, Report&);
void check_idle_schedulers(const Context&, Report&);
void check_unclocked_units(const Context&, Report&);
void check_repeated_mappings(const Context&, Report&);
void check_unallocated_processes(const Context&, Report&);
// data.cpp
void check_unused_labels(const Context&, Report&);
void check_unread_labels(const Context&, Report&);
void check_unwritten_labels(const Context&, Report&);
void check_overwritten_inputs(const Context&, Report&);
// activation.cpp
void check_unused_stimuli(const Context&, Report&);
void check_untriggered_stimuli(const Context&, Report&);
void check_uncalled_runnables(const Context&, Report&);
void check_unawaited_events(const Context&, Report&);
void check_unused_events(const Context&, Report&);
void check_recursion(const Context&, Report&);
// chains.cpp
void check_unconnected_chains(const Context&, Report&);
void check_pointless_chains(const Context&, Report&);
void check_unsupported_chains(const Context&, Report&);
// quantities.cpp
void check_units(const Context&, Report&);
void check_negative_times(const Context&, Report&);
void check_periods(const Context&, Report&);
void check_probabilities(const Context&, Report&);
// constraints.cpp
void check_empty_constraints(const Context&, Report&);
void check_unjudgeable_constraints(const Context&, Report&);
// names.cpp
void check_missing_names(const Context&, Report&);

}  // namespace amalthea::review
