// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a batch says of one model: one line of JSON (docs/reference/batch.md).
///
/// `{"index", "of", "files", "key", "status", "verdict", "summary", "counts", "tasks", "requirements", "findings",
/// "error"?, "results"?}`. The part from `status` on is the body: the same for the same model and options, whoever
/// makes it and when.

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

/// Of a whole model, the worst first: it could not be analysed; then the verdicts of docs/reference/verdicts.md; it states
/// nothing that has to be met, and nothing else is wrong with it.
enum class ModelVerdict : std::uint8_t { failed, missed, unbounded, unknown, met, guaranteed, nothing };
inline constexpr std::size_t model_verdicts = 7;
std::string_view to_string(ModelVerdict verdict);

/// The body for a model that was analysed, from its results (docs/reference/results.md).
std::string body_of_results(const nlohmann::ordered_json& results);
/// The body for one that was not, from what was found in it; `message` is said if no error was found.
std::string body_of_failure(const std::vector<Diagnostic>& findings, std::string_view message);
/// The body for a process that did not come to its end.
std::string body_of_ending(const Outcome& outcome, const ProcessLimits& limits);

/// Whether it is a whole one: files may end in the middle.
bool is_body(std::string_view text);

/// The line, without a line end.
std::string line_of(std::size_t index, std::size_t of, const ModelFiles& files, std::string_view key,
                    std::string_view body);

/// What summaries say of a line.
struct Record {
  std::size_t index = 0;  ///< among all models of the batch
  std::size_t of = 0;     ///< how many these are
  ModelFiles files;
  std::string key;
  std::string status;  ///< "analysed", "failed", "out of time", "out of memory", "crashed"
  ModelVerdict verdict = ModelVerdict::failed;
  struct Counts {
    std::uint64_t guaranteed = 0, met = 0, unknown = 0, unbounded = 0, missed = 0;  ///< limits
    std::uint64_t errors = 0, warnings = 0;                                         ///< findings
  } counts;
  std::string why;  ///< it was not analysed, or its verdict is worse than met
};
/// Reads all but the results. Or says why the line is no line of a batch.
tl::expected<Record, std::string> parse_line(std::string_view line);

/// Where the key and the body are in a line; empty where they are not.
std::string_view key_in(std::string_view line);
std::string body_in(std::string_view line);

}  // namespace amalthea::batch
