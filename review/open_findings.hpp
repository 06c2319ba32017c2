// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which parts of a system a finding leaves open.

#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"

namespace amalthea::review {

/// Sets `system.open` to the findings that affect the verdict (engine/finding_consequences.hpp). A finding concerns the
/// part of the system that its element is, or that contains it. An element of a mapping concerns what it maps, a limit
/// its event chain, a part of an event chain all chains that contain it. A construct that is not simulated also concerns
/// what it refers to, or any part if it links its process to something unknown. So does a process or a runnable without
/// any content. Other elements of the ConstraintsModel may concern all limits, and all others any part. So does a
/// finding about several items that does not name their elements.
void record_open_findings(const Model& model, const Diagnostics& findings, System& system);

}  // namespace amalthea::review
