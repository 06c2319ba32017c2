// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which parts of a system a finding leaves open.

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"

namespace amalthea::review {

/// Sets `system.open` to the findings that affect the verdict (engine/finding_consequences.hpp). A finding concerns the
/// part of the system that its element is, or that contains it. An element of a mapping concerns what it maps, a limit
/// its event chain. Other elements of the ConstraintsModel may concern all limits, and all others any part. So does a
/// finding about several items that does not name their elements.
void record_open_findings(const Model& model, const Diagnostics& findings, System& system);

}  // namespace amalthea::review
