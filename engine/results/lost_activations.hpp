// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether activations of a task can be lost because of its activation limit. Every guarantee that needs all jobs asks
/// this function: a bound holds only for jobs that are released.

#include <string>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Why activations of the task may be lost in some run; "" if none can: it has no limit, or `bound`, that of its response
/// time, shows that the limit is never exceeded. A removed wrapper has the limit of its function.
std::string why_activations_may_be_lost(const System& system, TaskIndex task, const Bound& bound);

}  // namespace amalthea::engine
