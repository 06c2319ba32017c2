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

}  // namespace amalthea::analysis
