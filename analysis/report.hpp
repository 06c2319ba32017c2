// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The page that shows everything about a model, and what has changed since an earlier state.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "amalthea/work.hpp"
#include "analysis/headroom.hpp"
#include "analysis/option.hpp"
#include "analysis/request.hpp"
#include "exporter/report/report.hpp"
#include "exporter/results/causes.hpp"

namespace amalthea::analysis {

struct ReportRequest : AnalysisRequest {
  HeadroomRequest headroom;
  std::string baseline;    ///< a model or results; "": none
  std::uint64_t runs = 0;  ///< with random execution times
  std::uint64_t seed = 1;
  std::size_t trace_events = 200'000;
  std::size_t what_ifs = 5;
  Work* work = nullptr;  ///< ends the analysis early; may be null
};
/// What the page shows beside the analysis.
OptionTable page_options(ReportRequest& request);
/// That, and the analysis.
OptionTable report_options(ReportRequest& request);

/// What a report is compared with: earlier results, and their model if it can be read.
struct Earlier {
  std::optional<exporter::Baseline> results;
  std::optional<Model> model;
  std::string no_model;  ///< why there is none: a sentence
};
/// `path`: a model, which is analyzed as the request says, or results; empty without one. `findings`: of the earlier model.
Outcome<Earlier> read_earlier(const AnalysisRequest& request, const std::string& path, const importer::Limits& limits,
                              Diagnostics& findings);

/// Begins long work that a caller follows; the last part of it may be stopped with what it has. May be empty.
using BeginWork = std::function<std::shared_ptr<Work>(bool can_be_stopped)>;

struct Report {
  std::string html;
  std::string markdown;  ///< its first page alone
  exporter::Causes causes;
  engine::Assessment assessment;
};
Outcome<Report> report(const Model& model, const ReportRequest& request, Earlier earlier, const BeginWork& begin,
                       Diagnostics& findings);

}  // namespace amalthea::analysis
