// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Traces of the real system, and how they are read beside a model.

#include <string>
#include <vector>

#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "engine/results/results.hpp"
#include "engine/simulation/simulation_observer.hpp"
#include "traces/comparison.hpp"

namespace amalthea::analysis {

struct TraceRequest : AnalysisRequest {
  std::vector<std::string> trace_files;
  std::string columns;   ///< of CSV (traces::TraceInput::columns)
  std::string names;     ///< a file of rules for names; "": none
  std::string from, to;  ///< times of the trace; "": its begin, its end
};
/// All but the files.
OptionTable trace_options(TraceRequest& request);

/// The rules of that file.
Outcome<traces::NameRules> read_names(const std::string& path);

/// How measured and analyzed times are held together; all may be left out.
struct TraceReading {
  const engine::Results* bounds = nullptr;  ///< of an analysis
  engine::SimulationObserver* observer = nullptr;
  bool mapped = true;  ///< by the model itself (traces::ComparisonInput)
  traces::Progress progress = {};
};
/// What the traces show of the system.
Outcome<traces::Comparison> read_traces(const TraceRequest& request, const Prepared& prepared,
                                        const TraceReading& reading, Diagnostics& findings);

}  // namespace amalthea::analysis
