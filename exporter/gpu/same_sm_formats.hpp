// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The matrices of blocks that join the SM of an earlier one, as text, JSON and SVG (docs/reference/gpu.md).

#include <string>

#include "engine/nvidia/same_sm.hpp"

namespace amalthea::exporter {

std::string render_same_sm_text(const engine::nvidia::SameSmQuestion& question);
std::string render_same_sm_json(const engine::nvidia::SameSmQuestion& question);
/// Cells that the paper colors; each contains the warps that remain on the SM of x.
std::string render_same_sm_svg(const engine::nvidia::SameSmQuestion& question);

}  // namespace amalthea::exporter
