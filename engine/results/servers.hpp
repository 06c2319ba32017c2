// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Servers that limit the time of their tasks by a budget: polling and deferrable ones. A constant-bandwidth server never
/// stops its tasks.

#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Whether this scheduler limits the time of its tasks by a budget.
bool limits_time(const Scheduler& scheduler);
/// The budget per period of such a scheduler.
double share_of(const Scheduler& scheduler);
/// Whether the task runs in the scheduler, or in one within it.
bool runs_in(const System& system, const Task& task, SchedulerIndex scheduler);

/// One resource for each server with a budget above zero in which a task runs, without utilization and demand, in model
/// order.
std::vector<ResourceResult> servers_in_use(const System& system);

}  // namespace amalthea::engine
