// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an analysis finds with the mapping that a search has chosen.

#include "analysis/exploration.hpp"

namespace amalthea::analysis {

/// Adds what leaves limits open, or is assumed, only with the mapping of `mapped`, and records it there. The search
/// itself sees no findings, so without them a mapping may seem better than `analyze` finds it.
void add_findings_of_mapping(const Exploration& exploration, System& mapped, Diagnostics& findings);

}  // namespace amalthea::analysis
