// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A model with the times that traces of the real system show.

#include <string>
#include <vector>

#include "analysis/measured_traces.hpp"
#include "exporter/rewriting/calibration.hpp"

namespace amalthea::analysis {

struct CalibrationRequest : TraceRequest {
  std::string form = "statistics";
  double percentile = 100;
  double margin = 0;  ///< percent
  bool isolated = false;
  bool copies = false;
  bool stimuli = false;
};
/// What concerns the traces, and what is written of them.
OptionTable calibration_options(CalibrationRequest& request);

struct Calibrated {
  exporter::Calibration changes;   ///< none if the traces contain no complete run of a runnable or kernel of the model
  std::vector<std::string> texts;  ///< of the model's files
};
/// `progress`: of reading the traces.
Outcome<Calibrated> calibrate(const Model& model, const CalibrationRequest& request, const traces::Progress& progress,
                              Diagnostics& findings);

/// A scenario of streams (engine/devices/stream_scenario.hpp) with the times of kernels and copies that traces show.
struct CalibratedScenario {
  exporter::Calibration changes;       ///< in the order of the scenario
  std::vector<std::string> unmatched;  ///< names of traces that are not in the scenario, or have no duration there
  std::string text;                    ///< only the durations differ
};
/// Of the request it takes names, columns, platform, percentile and margin. Only executions in a trace count: those of Nsight
/// Systems, of trace event JSON, and of CSV with any columns.
Outcome<CalibratedScenario> calibrate_scenario(const std::string& path, const std::string& text,
                                               const CalibrationRequest& request, const traces::Progress& progress);

}  // namespace amalthea::analysis
