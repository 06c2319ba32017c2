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

#include "engine/what_if.hpp"
#include "exporter/differences/difference_formats.hpp"
#include "exporter/report/report_schedule.hpp"
#include "exporter/results/ratchet.hpp"
#include "exporter/results/result_view.hpp"
#include "exporter/results/runs_formats.hpp"

namespace amalthea::exporter {

/// Name of the schema of the data in the page.
inline constexpr std::string_view report_schema = "amalthea-report/1";

/// Results of an earlier analysis, reduced to what is compared.
struct Baseline {
  std::string name;                ///< of the file
  std::string json;                ///< an object of the results schema with some of its keys
  std::vector<std::string> files;  ///< of its model
  std::string hash;                ///< of its model, as hash_of_model states it
  std::vector<KnownLimit> limits;  ///< all that it judged
};
/// Reads the output of `analyze --format json`; the error states what is wrong with it.
tl::expected<Baseline, std::string> read_baseline(std::string_view name, std::string_view text);

/// What `engine::what_if` found for a task.
struct TriedChanges {
  TaskIndex task = 0;
  std::vector<engine::WhatIf> tried;
};

struct ReportView {
  ResultView analysis;
  const Schedule& schedule;
  const engine::ManyRuns* runs = nullptr;                    ///< may be null
  const Baseline* baseline = nullptr;                        ///< may be null
  std::vector<std::pair<std::string, std::string>> options;  ///< the options of the command: name and value
  std::vector<TriedChanges> what_ifs = {};
  /// How the model differs from that of the baseline; may be null.
  const DifferenceView* difference = nullptr;
  std::string no_difference = {};  ///< why the models are not compared: a sentence, or "" without a baseline
};

/// Only the data, one JSON object without line ends: `schema`, `results` (the results file without `metrics` and
/// `runnables`), `chain_steps`, `plan`, `what_ifs`, `schedule`, `runs`, `baseline` and `difference` (null if absent),
/// `options`. docs/reference/report.md describes the keys.
std::string render_report_data(const ReportView& view);

/// The whole page. Byte-for-byte identical for the same view.
std::string render_report_html(const ReportView& view);

}  // namespace amalthea::exporter
