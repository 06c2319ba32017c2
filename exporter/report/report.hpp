// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A report for people: one self-contained HTML file (docs/reference/report.md).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "exporter/report/report_schedule.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/results/runs_formats.hpp"

namespace amalthea::exporter {

/// Name of the schema of the data in the page.
inline constexpr std::string_view report_schema = "amalthea-report/1";

/// Results of an earlier analysis, reduced to what is compared.
struct Baseline {
  std::string name;  ///< of the file
  std::string json;  ///< an object of the results schema with some of its keys
};
/// Reads the output of `analyze --format json`; the error states what is wrong with it.
tl::expected<Baseline, std::string> read_baseline(std::string_view name, std::string_view text);

struct ReportView {
  ResultView analysis;
  const Schedule& schedule;
  const engine::ManyRuns* runs = nullptr;                    ///< may be null
  const Baseline* baseline = nullptr;                        ///< may be null
  std::vector<std::pair<std::string, std::string>> options;  ///< the options of the command: name and value
};

/// Only the data, one JSON object without line ends: `schema`, `results` (the results file without `metrics` and
/// `runnables`), `schedule`, `runs` and `baseline` (null if absent), `options`. docs/reference/report.md describes the
/// keys.
std::string render_report_data(const ReportView& view);

/// The whole page. Byte-for-byte identical for the same view.
std::string render_report_html(const ReportView& view);

}  // namespace amalthea::exporter
