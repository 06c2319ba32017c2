// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// No limit is met or guaranteed that depends on something that the model leaves open (System::open).

#include <cstddef>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// Withdraws the verdicts *met* and *guaranteed* of every deadline, requirement, latency and constraint that can depend
/// on an open finding; the reason names the finding. *Missed* and *unbounded* stay: they were observed. Findings that are
/// assumptions count if the results are strict. `more`: further open findings. Fills Results::open.
void withhold_open_verdicts(const System& system, const std::vector<OpenFinding>& more, Results& results);

/// The findings from the `first` on that leave something open, as such about all parts.
std::vector<OpenFinding> open_findings(const Diagnostics& findings, std::size_t first);

}  // namespace amalthea::engine
