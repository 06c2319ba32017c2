// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text, JSON, CSV and a drawing of warp scheduling (docs/reference/gpu.md).

#include <string>
#include <vector>

#include "engine/nvidia/warp_study.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::exporter {

/// One object, with a line end.
std::string render_warps_json(const engine::nvidia::WarpScenario& scenario, const engine::nvidia::WarpRun& run);
/// The trace by cycle, a table of the kernels, and what their warps waited for.
std::string render_warps_text(const engine::nvidia::WarpScenario& scenario, const engine::nvidia::WarpRun& run,
                              bool colour);

std::string render_warp_study_json(const engine::nvidia::WarpStudy& study,
                                   const std::vector<engine::nvidia::WarpStudyRow>& rows);
/// A header line, then one line per row. Times are means over the programs, in cycles.
std::string render_warp_study_csv(const engine::nvidia::WarpStudy& study,
                                  const std::vector<engine::nvidia::WarpStudyRow>& rows);
/// Gain or loss of the second kernel relative to GTO: a row per share of stalls, a column per policy.
std::string render_warp_study_text(const engine::nvidia::WarpStudy& study,
                                   const std::vector<engine::nvidia::WarpStudyRow>& rows, bool colour);
/// The same as curves, in SVG.
std::string render_warp_study_svg(const engine::nvidia::WarpStudy& study,
                                  const std::vector<engine::nvidia::WarpStudyRow>& rows);

}  // namespace amalthea::exporter
