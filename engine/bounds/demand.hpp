// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Long-run demand on every resource, and the tasks that become unbounded because of it.

#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/program/program.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Maximum long-run release rate of every task, in jobs per picosecond: the sum over its stimuli (arrival_rate). A
/// triggered task inherits the rate of its triggers.
std::vector<double> job_rates(const System& system, const std::vector<Program>& programs);

/// Whether jobs of the task may poll for an event.
bool polls(const System& system, TaskIndex task);

/// The reason of a task in a server that is overloaded; `demand` is relative to the budget.
std::string overloaded_server(const System& system, SchedulerIndex server, double demand);

/// Sets the demand of every resource in `results`, and the device tasks that it consists of, without time slices.
void add_demands(const System& system, const std::vector<Program>& programs, Results& results);

/// For every task whose response time grows without bound, the reason; "" for the others. `contexts` holds the contexts
/// of every GPU, parallel to Platform::units. A task is unbounded when
/// - its execution or copy engine is overloaded and its need exceeds its weighted fair share of it,
/// - it polls for an event of a task on its own core that has no higher priority, or for its own event,
/// - it waits for an event of an unbounded task,
/// - the tasks of at least its priority on its core demand more than the core provides; a task that polls for an
///   unbounded task demands the whole core,
/// - the tasks of at least its priority in a server that it runs in demand more than the budget.
std::vector<std::string> unbounded_reasons(const System& system, const std::vector<Program>& programs,
                                           const std::vector<std::vector<GpuContext>>& contexts);

}  // namespace amalthea::engine
