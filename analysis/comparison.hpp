// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Traces of the real system held against its model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/measured_traces.hpp"
#include "engine/many_runs.hpp"
#include "exporter/report/report_schedule.hpp"

namespace amalthea::analysis {

struct ComparisonRequest : TraceRequest {
  std::uint64_t runs = 20;  ///< to compare with
  std::uint64_t seed = 1;
  std::string format = "text";         ///< "text", "json", "markdown", "html"
  std::size_t trace_events = 100'000;  ///< of each schedule in a page
};
/// What concerns the traces, and what they are compared with; all but the format.
OptionTable comparison_options(ComparisonRequest& request);

struct Compared : Prepared {
  traces::Comparison measured;
  std::optional<engine::Results> analyzed;     ///< nothing if the model leaves tasks unmapped
  std::optional<engine::ManyRuns> simulated;   ///< nor this
  std::optional<exporter::Schedule> schedule;  ///< of the first trace, for a page
  std::optional<exporter::Schedule> simulated_schedule;
  engine::Assessment assessment;  ///< of what was measured
};
/// A model without a mapping is compared too; AM0916 says what is left out. `progress`: of reading the traces.
Outcome<Compared> compare(const Model& model, const ComparisonRequest& request, const importer::Limits& limits,
                          const traces::Progress& progress, Diagnostics& findings);

/// What one trace contains, without a model. `columns` as in TraceRequest.
Outcome<traces::ListedTrace> list_trace(const std::string& path, const std::string& columns,
                                        const traces::Progress& progress, Diagnostics& findings);

/// In a format of the request. A page needs schedules.
std::string text_of(const Compared& compared, const Model& model, const Diagnostics& findings,
                    const std::string& format, bool colour);

}  // namespace amalthea::analysis
