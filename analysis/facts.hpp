// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Facts about results, for every output that states them.

#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/results/results.hpp"

namespace amalthea::analysis {

/// Tasks that miss their deadlines or are unbounded. Removed wrappers do not count.
std::vector<TaskIndex> late_tasks(const System& system, const engine::Results& results);

}  // namespace amalthea::analysis
