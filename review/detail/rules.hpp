// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The registry of review rules. A new rule is one function, one line in rules.cpp and one row in
/// docs/reference/diagnostics.md.

#include <span>

#include "review/detail/rule.hpp"

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
void check_call_arguments(const Context&, Report&);
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
// names.cpp
void check_missing_names(const Context&, Report&);
void check_property_keys(const Context&, Report&);
// hardware.cpp
void check_module_definitions(const Context&, Report&);
void check_port_types(const Context&, Report&);
void check_connection_ends(const Context&, Report&);
void check_connection_interfaces(const Context&, Report&);
void check_connection_directions(const Context&, Report&);
void check_port_connections(const Context&, Report&);
void check_access_paths(const Context&, Report&);
void check_address_ranges(const Context&, Report&);
void check_unit_features(const Context&, Report&);
void check_instruction_rates(const Context&, Report&);
void check_frequencies(const Context&, Report&);
// memory.cpp
void check_memory_sizes(const Context&, Report&);
void check_memory_addresses(const Context&, Report&);
void check_empty_elements(const Context&, Report&);
// limits.cpp
void check_limit_order(const Context&, Report&);
void check_impossible_limits(const Context&, Report&);
void check_missing_deadlines(const Context&, Report&);
void check_deviations(const Context&, Report&);
// modes.cpp
void check_mode_values(const Context&, Report&);
void check_impossible_conditions(const Context&, Report&);
void check_empty_conditions(const Context&, Report&);
// scheduling.cpp
void check_parameter_names(const Context&, Report&);
void check_parameter_values(const Context&, Report&);
void check_mandatory_parameters(const Context&, Report&);
void check_semaphores(const Context&, Report&);

}  // namespace amalthea::review
