// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Output formats of an analysis, by name. A new format is one new file and one line in result_formats.cpp.

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "exporter/findings/finding_formats.hpp"
#include "exporter/results/result_view.hpp"

namespace amalthea::exporter {

struct RenderOptions {
  bool colour = false;               ///< ANSI colors; only used by formats for people
  bool metrics = false;              ///< also the states of processes; formats for programs always have them
  bool verbose = false;              ///< also what every guarantee covers; formats for programs always have it
  std::string_view table = "tasks";  ///< one of result_tables(), for formats with a single table
};

struct ResultFormat {
  std::string_view name;
  std::string (*render)(const ResultView&, const RenderOptions&);
  /// For a model that was not analyzed; null: such a model has no output.
  std::string (*render_findings)(const FindingView&) = nullptr;
};

std::span<const ResultFormat> result_formats();
/// Null if there is no such format.
const ResultFormat* find_result_format(std::string_view name);

/// For people: aligned tables, why tasks miss deadlines, findings.
std::string render_text(const ResultView&, const RenderOptions&);
/// The same in Markdown (GitHub's, with tables), to paste into a review.
std::string render_markdown(const ResultView&, const RenderOptions&);
/// For programs: the schema `amalthea-timing/1` (docs/results.schema.json), times in integer picoseconds.
std::string render_json(const ResultView&, const RenderOptions&);
/// For spreadsheets: one table with a header line, according to RFC 4180. Titles are the keys of the JSON form, with
/// those of inner objects after a dot; unknown values are empty.
std::string render_csv(const ResultView&, const RenderOptions&);

/// JUnit XML: one test case per limit.
std::string render_junit(const ResultView&, const RenderOptions&);
/// Workflow commands of GitHub Actions for violated limits, limits that were not judged, errors and warnings.
std::string render_github(const ResultView&, const RenderOptions&);
/// SARIF 2.1.0: all findings, violated limits, and limits that were not judged.
std::string render_sarif(const ResultView&, const RenderOptions&);
std::string render_codequality(const ResultView&, const RenderOptions&);

/// The same for the JSON of results, or of a model that was not analyzed (docs/reference/batch.md): one suite, and
/// commands. `file` is that of limits whose position is unknown.
std::string junit_suite_of(const nlohmann::ordered_json& results, const std::string& file);
std::string github_commands(const nlohmann::ordered_json& results, const std::string& file);

/// The values of RenderOptions::table.
std::span<const std::string_view> result_tables();

}  // namespace amalthea::exporter
