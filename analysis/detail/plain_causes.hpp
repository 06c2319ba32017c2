// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Causes of problems that no suspicion explains: open findings, overloads, real misses, lost guarantees.

#include <string>
#include <vector>

#include "analysis/detail/suspicions.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/causes.hpp"

namespace amalthea::analysis {

/// Appends them. `repaired`: the system with the changes that are suspected already. `left`: the limits that remain to be explained, of the assessment of `facts.results`. `relieved`: the
/// resources, parallel to Results::resources, whose overload a suspicion explains.
void add_plain_causes(const Facts& facts, const System& repaired, const engine::Assessment& assessment, const std::vector<bool>& left,
                      const std::vector<bool>& relieved, const Diagnostics& findings,
                      std::vector<exporter::Cause>& causes);

}  // namespace amalthea::analysis
