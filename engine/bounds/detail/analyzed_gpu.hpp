// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which GPU is analysed, and why others are not.

#include <optional>

#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"

namespace amalthea::engine::bounds {

gpu::StreamOperationKind kind_of(const Activity& activity);

/// The GPU whose equations hold for all that it does; nothing when there is none. The device tasks of others have a
/// fault, and so have the hosts that wait for them, which wait for nobody then.
std::optional<UnitIndex> analyzed_gpu(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                      Offloads& offloads, Faults& faults);

}  // namespace amalthea::engine::bounds
