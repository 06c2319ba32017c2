// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which GPU is analyzed, and why others are not.

#include <optional>

#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"

namespace amalthea::engine::bounds {

/// The GPU for which the equations hold; nothing if there is none. Device tasks of other GPUs get a fault, and so do
/// the host tasks that wait for them; the analysis ignores these waits.
std::optional<UnitIndex> analyzed_gpu(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                      Offloads& offloads, Faults& faults);

}  // namespace amalthea::engine::bounds
