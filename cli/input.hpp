// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Options and steps shared by several verbs: the model, the limits, the analysis.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>
#include <tl/expected.hpp>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "analysis/request.hpp"
#include "cli/file_options.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/reading/limits.hpp"

namespace amalthea::cli {

/// MODEL…, the limits for untrusted input, and the findings to show.
struct InputOptions {
  std::vector<std::string> models;
  importer::Limits limits;
};
void add_input_options(CLI::App& verb, InputOptions& options, ListFiles list = model_files);
/// -o for text that otherwise goes to standard output. `companions`: endings of files that are written next to it.
void add_output_option(CLI::App& verb, std::string& output, std::vector<std::string> companions = {});

struct AnalysisInput : analysis::AnalysisRequest {
  bool allow_unknown = false;
};
/// --allow-unknown, for a verb that has --strict.
void add_allow_unknown(CLI::App& verb, bool& allow_unknown);
/// These rows, and that.
void add_judging_options(CLI::App& verb, const analysis::OptionTable& rows, bool& allow_unknown);
void add_analysis_options(CLI::App& verb, AnalysisInput& options);

/// Prints why there is no result; returns the exit code.
int code_of(const analysis::Failure& failure);

/// Prints findings to standard error, one per line, ordered by location, except those hidden by -q and --suppress. On a
/// terminal, each with the line that it is about.
void print_findings(const Diagnostics& diagnostics);

/// The model, or the exit code. Findings are collected, not printed.
tl::expected<Model, int> load(const InputOptions& options, Diagnostics& diagnostics);

/// The exit code for the verdict of an analysis: `findings` if something is missed or unbounded, `unknown` if something
/// was not judged and that is not allowed. Errors among the findings are never allowed.
int exit_code_of(const engine::Assessment& assessment, const Diagnostics& findings, bool allow_unknown);
/// The meaning of the exit codes, for the help of verbs.
inline constexpr const char* verdict_exit_codes =
    "Exit codes:\n"
    "  0  every limit is met or guaranteed\n"
    "  1  a limit is missed, a task is unbounded, or the model has an error\n"
    "  2  wrong usage or unreadable input\n"
    "  4  something that limits timing could not be judged\n"
    "See docs/reference/verdicts.md.";

/// Whether `path` stands for standard output: it is empty, "-" or "/dev/stdout".
bool is_standard_output(const std::string& path);

/// Writes text for people, or JSON, to a file or to standard output, with control characters spelled out
/// (visible_text); false and a message if the file cannot be written. main checks standard output.
bool write_output(const std::string& path, const std::string& text);
/// The same for what others read byte by byte: models, traces, lists of files.
bool write_data(const std::string& path, const std::string& text);

/// Checks in advance whether write_output(path, …) can succeed; false and a message if not.
bool check_output(const std::string& path);

/// For a file whose extension matches no format of the list: `; did you mean ".btf"?`, or nothing.
template <typename Formats>
std::string extension_suggestion(std::string_view path, const Formats& formats) {
  const std::string_view ending = path.substr(std::min(path.rfind('.'), path.size()));
  return did_you_mean(ending, formats, [](const auto& format) { return std::string_view(format.extension); });
}

/// Whether what is written there is read on a terminal: it is standard output, and that is one.
bool is_terminal(const std::string& path);
/// Whether text output may be colored: standard output is a terminal and NO_COLOR is not set.
bool use_colour();

}  // namespace amalthea::cli
