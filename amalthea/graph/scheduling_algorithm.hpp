// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The scheduling algorithms: one row of traits for each. All other code asks for traits, not for names. A new algorithm
/// is a row here, and code for the traits that no other one has: its simulation (engine/cpu/) and its bounds
/// (engine/bounds/).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amalthea {

/// The algorithms that the simulation supports; all others are rejected by name.
enum class SchedulingAlgorithm : std::uint8_t {
  fixed_priority_preemptive,
  osek,                        ///< fixed priorities; equal ones in the order of activation
  rate_monotonic,              ///< the shorter the period, the more urgent
  deadline_monotonic,          ///< the shorter the relative deadline, the more urgent
  earliest_deadline_first,     ///< the earlier the absolute deadline, the more urgent
  priority_based_round_robin,  ///< tasks of equal priority take turns, each for a time slice
  grouping,                    ///< for a child scheduler: passes the parameters of its tasks on to its parent
  polling_periodic_server,     ///< a budget each period; unused budget is lost immediately
  deferrable_server,           ///< a budget each period, kept until its end
  constant_bandwidth_server,   ///< a budget, and a deadline that moves when the budget is exhausted (under EDF)
  priority_based,              ///< for interrupt controllers
};

/// What makes a task more urgent than another one of its scheduler. A child scheduler has the priority of its share, under
/// periods and relative deadlines its period, and under absolute deadlines the deadline of its server.
enum class UrgencyOrder : std::uint8_t { priority, period, relative_deadline, absolute_deadline };

/// Whether a scheduler has a budget, and what becomes of it.
enum class ServerKind : std::uint8_t {
  none,
  polling,             ///< lost when no task is ready
  deferrable,          ///< kept until the end of the period
  constant_bandwidth,  ///< filled again when it is exhausted, with a later deadline
};

struct SchedulingTraits {
  SchedulingAlgorithm algorithm;
  std::string_view name;  ///< AMALTHEA's
  UrgencyOrder order = UrgencyOrder::priority;
  ServerKind server = ServerKind::none;
  bool takes_turns = false;      ///< equally urgent tasks, each for a time slice
  bool passes_tasks_on = false;  ///< to its parent
  bool for_interrupts = false;   ///< schedules ISRs, and only they are scheduled so
};

/// In the order of the enumerators.
inline constexpr std::array<SchedulingTraits, 11> scheduling_algorithms{{
    {.algorithm = SchedulingAlgorithm::fixed_priority_preemptive, .name = "FixedPriorityPreemptive"},
    {.algorithm = SchedulingAlgorithm::osek, .name = "OSEK"},
    {.algorithm = SchedulingAlgorithm::rate_monotonic, .name = "RateMonotonic", .order = UrgencyOrder::period},
    {.algorithm = SchedulingAlgorithm::deadline_monotonic,
     .name = "DeadlineMonotonic",
     .order = UrgencyOrder::relative_deadline},
    {.algorithm = SchedulingAlgorithm::earliest_deadline_first,
     .name = "EarliestDeadlineFirst",
     .order = UrgencyOrder::absolute_deadline},
    {.algorithm = SchedulingAlgorithm::priority_based_round_robin,
     .name = "PriorityBasedRoundRobin",
     .takes_turns = true},
    {.algorithm = SchedulingAlgorithm::grouping, .name = "Grouping", .passes_tasks_on = true},
    {.algorithm = SchedulingAlgorithm::polling_periodic_server,
     .name = "PollingPeriodicServer",
     .server = ServerKind::polling},
    {.algorithm = SchedulingAlgorithm::deferrable_server, .name = "DeferrableServer", .server = ServerKind::deferrable},
    {.algorithm = SchedulingAlgorithm::constant_bandwidth_server,
     .name = "ConstantBandwidthServer",
     .order = UrgencyOrder::absolute_deadline,
     .server = ServerKind::constant_bandwidth},
    {.algorithm = SchedulingAlgorithm::priority_based, .name = "PriorityBased", .for_interrupts = true},
}};

constexpr const SchedulingTraits& traits_of(SchedulingAlgorithm algorithm) {
  return scheduling_algorithms[static_cast<std::size_t>(algorithm)];
}

static_assert([] {
  for (std::size_t at = 0; at < scheduling_algorithms.size(); ++at)
    if (static_cast<std::size_t>(scheduling_algorithms[at].algorithm) != at) return false;
  return true;
}());

constexpr std::string_view to_string(SchedulingAlgorithm algorithm) { return traits_of(algorithm).name; }

/// Whether priorities decide between its tasks, and nothing limits their time.
constexpr bool has_fixed_priorities(SchedulingAlgorithm algorithm) {
  const SchedulingTraits& traits = traits_of(algorithm);
  return traits.order == UrgencyOrder::priority && traits.server == ServerKind::none && !traits.passes_tasks_on;
}
/// Whether the absolute deadlines of jobs decide between its tasks, within a server or not.
constexpr bool uses_deadlines(SchedulingAlgorithm algorithm) {
  return traits_of(algorithm).order == UrgencyOrder::absolute_deadline;
}
/// By absolute deadlines, without a budget.
constexpr bool uses_only_deadlines(SchedulingAlgorithm algorithm) {
  return uses_deadlines(algorithm) && traits_of(algorithm).server == ServerKind::none;
}
constexpr bool is_server(SchedulingAlgorithm algorithm) { return traits_of(algorithm).server != ServerKind::none; }
/// Whether its tasks stop when its budget is exhausted.
constexpr bool stops_without_budget(SchedulingAlgorithm algorithm) {
  return traits_of(algorithm).server == ServerKind::polling || traits_of(algorithm).server == ServerKind::deferrable;
}

}  // namespace amalthea
