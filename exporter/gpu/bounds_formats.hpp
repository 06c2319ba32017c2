// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of bounds under time slices (docs/reference/gpu.md).

#include <string>

#include "engine/nvidia/time_slice_analysis.hpp"

namespace amalthea::exporter {

/// One object, with a line end.
std::string render_bounds_json(const engine::nvidia::TimeSliceProblem& problem,
                               const engine::nvidia::TimeSliceBounds& bounds);
std::string render_bounds_text(const engine::nvidia::TimeSliceProblem& problem,
                               const engine::nvidia::TimeSliceBounds& bounds, bool colour);

}  // namespace amalthea::exporter
