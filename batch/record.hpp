// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The result of a batch for one model: one line of JSON (docs/reference/batch.md).
///
/// `{"index", "of", "files", "key", "status", "verdict", "summary", "counts", "tasks", "requirements", "findings",
/// "error"?, "cause"?, "first_cause"?, "report"?, "results"?}`. The part from `status` on is the body: it depends only on
/// the model and the options.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <tl/expected.hpp>

#include "amalthea/diagnostic.hpp"
#include "batch/model_list.hpp"
#include "batch/processes.hpp"

namespace amalthea::batch {

/// Verdict on a whole model, the worst first: it could not be analyzed; then the verdicts of
/// docs/reference/verdicts.md; it states no limit, and nothing else is wrong with it; it has no task, as files have that
/// hold only a part of a model.
enum class ModelVerdict : std::uint8_t { failed, missed, unbounded, unknown, met, guaranteed, nothing, no_task };
inline constexpr std::size_t model_verdicts = 8;
std::string_view to_string(ModelVerdict verdict);

/// The body for an analyzed model, from its results (docs/reference/results.md).
std::string body_of_results(const nlohmann::ordered_json& results);
/// The body for the JSON of another verb, with the exit code that the verb has.
std::string body_of_verb(const nlohmann::ordered_json& results, int exit_code);
/// The body for a model that was not analyzed, from its findings; `message` is used if there is no error among them. It
/// has nothing to analyze, and did not fail, if its only error is that there is no task.
std::string body_of_failure(const std::vector<Diagnostic>& findings, std::string_view message);
/// The body for a process that did not finish.
std::string body_of_ending(const Outcome& outcome, const ProcessLimits& limits);

/// Whether the text is a body that every output can show: anything may stand in a cache or a log.
bool is_body(std::string_view text);

/// The line, without a line end.
std::string line_of(std::size_t index, std::size_t of, const ModelFiles& files, std::string_view key,
                    std::string_view body);

/// The part of a line that summaries use.
struct Record {
  std::size_t index = 0;  ///< among all models of the batch
  std::size_t of = 0;     ///< their number
  ModelFiles files;
  std::string key;
  std::string status;  ///< "analysed", "failed", "nothing to analyze", "out of time", "out of memory", "crashed"
  ModelVerdict verdict = ModelVerdict::failed;
  struct Counts {
    std::uint64_t guaranteed = 0, met = 0, unknown = 0, unbounded = 0, missed = 0;  ///< limits
    std::uint64_t errors = 0, warnings = 0;                                         ///< findings
  } counts;
  std::string why;               ///< why it was not analyzed, or why its verdict is worse than met
  std::string cause;             ///< of a failure: what it has in common with others, see cause_of
  std::string first_cause = {};  ///< of limits that do not hold: the first one, "Overload: …"
  std::string report = {};       ///< the file that --verb report wrote
};
/// Reads everything except the results. The error states why the line is invalid.
tl::expected<Record, std::string> parse_line(std::string_view line);

/// What failures of one cause have in common: the id of the finding at the end of the error, else the status ("out of
/// time"), else the error without names, numbers and places.
std::string cause_of(std::string_view status, std::string_view error);

/// The key and the body of a line; empty if it has none.
std::string_view key_in(std::string_view line);
std::string body_in(std::string_view line);

}  // namespace amalthea::batch
