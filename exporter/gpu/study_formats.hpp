// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of studies of GPU models (docs/reference/gpu.md).

#include <string>
#include <vector>

#include "engine/nvidia/placement_study.hpp"

namespace amalthea::exporter {

/// One object, with a line end.
std::string render_placement_study_json(const std::vector<engine::nvidia::PlacementStudyRow>& rows);
std::string render_placement_study_text(const std::vector<engine::nvidia::PlacementStudyRow>& rows, bool colour);

}  // namespace amalthea::exporter
