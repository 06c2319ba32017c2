// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which GPUs are analyzed, and why others are not.

#include <vector>

#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"

namespace amalthea::engine::bounds {

/// The GPUs with active device tasks for which the equations hold. Device tasks of other GPUs get a fault, and so do
/// the host tasks that wait for them; the analysis ignores these waits. The same goes for device tasks of contexts in
/// which the time of a block is unknown (shared_sms.hpp).
std::vector<UnitIndex> analyzed_gpus(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                     Offloads& offloads, Faults& faults);

}  // namespace amalthea::engine::bounds
