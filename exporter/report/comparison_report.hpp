// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Measured traces beside the model as one self-contained HTML file, with the measured and the simulated schedule on one
/// time axis (docs/reference/compare.md).

#include <string>
#include <string_view>

#include "exporter/comparison/comparison_formats.hpp"
#include "exporter/report/report_schedule.hpp"

namespace amalthea::exporter {

/// Name of the schema of the data in the page.
inline constexpr std::string_view comparison_report_schema = "amalthea-comparison-report/1";

struct ComparisonSchedules {
  const Schedule& measured;             ///< of the first trace
  const Schedule* simulated = nullptr;  ///< may be null
};

/// Byte-for-byte identical for the same view.
std::string render_comparison_html(const ComparisonView& view, const ComparisonSchedules& schedules);

}  // namespace amalthea::exporter
