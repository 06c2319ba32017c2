// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Long-run demand on every resource, and which tasks cannot keep up because of it.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/program/program.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Jobs per picosecond of every task in the long run, at the most: the sum over its stimuli (arrival_rate); a triggered
/// task follows its triggers.
std::vector<double> job_rates(const System& system, const std::vector<Program>& programs);

/// Sets the demand of every resource in `results`.
void add_demands(const System& system, const std::vector<Program>& programs, Results& results);

/// For every task whose response time grows without end, why; "" for the others. `contexts` are those of every GPU,
/// parallel to Platform::units. A task is unbounded when
/// - its execution or copy engine is overloaded and its need exceeds its weighted fair share of it,
/// - it polls for an event of a task on its own core that is not more urgent, or is that task,
/// - it waits for an event of an unbounded task,
/// - the tasks of at least its priority on its core demand more than the core can give; a task that polls for an
///   unbounded task demands all of it.
std::vector<std::string> unbounded_reasons(const System& system, const std::vector<Program>& programs,
                                           const std::vector<std::vector<GpuContext>>& contexts);

}  // namespace amalthea::engine
