// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Options and steps shared by several verbs: the model, the limits, the analysis.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <tl/expected.hpp>

#include "amalthea/detail/near_miss.hpp"
#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/system.hpp"
#include "analysis/model_analysis.hpp"
#include "cli/file_options.hpp"
#include "engine/analysis.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/verdict.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/building/system_builder.hpp"
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
/// The limits alone.
void add_limit_options(CLI::App& verb, importer::Limits& limits);
/// All of them, as text.
std::string words_of(const importer::Limits& limits);

struct AnalysisInput {
  importer::BuildOptions build;
  std::string execution = "worst";
  std::string until;
  std::uint64_t max_steps = engine::default_simulation_steps;
  std::string platform;
  std::string memory = "model";
  std::string line_rule = "exact";
  std::string contention = "static";
  std::string bounds = "quick";
  std::uint64_t bound_states = engine::BoundOptions{}.states;
  std::string mapping_file;
  std::vector<std::string> map;
  std::vector<std::string> chains;  ///< "A->B->C" by task names
  bool derive_chains = false;
  std::string communication = "implicit";
  bool strict = false;
  bool allow_unknown = false;
  bool lenient = false;
};
/// What results depend on, except the model and the contents of files: options and their values. Omits most that have
/// their default.
std::vector<std::pair<std::string, std::string>> words_of(const AnalysisInput& options);
/// --lenient.
void add_lenient_option(CLI::App& verb, bool& lenient);
void add_build_options(CLI::App& verb, importer::BuildOptions& options);
/// --execution and the options of add_simulation_options.
void add_analysis_options(CLI::App& verb, AnalysisInput& options);
/// What is simulated, and for how long.
void add_simulation_options(CLI::App& verb, AnalysisInput& options);
void add_chain_option(CLI::App& verb, AnalysisInput& options);
/// That, and --derive-chains.
void add_chain_options(CLI::App& verb, AnalysisInput& options);

/// A built-in device profile by its name, or one from a JSON file; nothing and a message if there is neither.
std::optional<engine::DeviceProfile> choose_profile(const std::string& platform);

/// Prints findings to standard error, one per line, ordered by location, except those hidden by -q and --suppress.
void print_findings(const Diagnostics& diagnostics);

/// The model, or the exit code. Findings are collected, not printed.
tl::expected<Model, int> load(const InputOptions& options, Diagnostics& diagnostics);

/// Of a --memory-limit.
inline constexpr std::uint64_t max_mebibytes = std::uint64_t{1} << 40U;

/// Options of an analysis, independent of the model. Files that they name have been read, once: they may be pipes.
struct Understood {
  analysis::Options options;
  std::shared_ptr<const engine::DeviceProfile> profile;  ///< of --platform; `options` points to it
  std::string files;                                     ///< hashes of the contents of files
};
/// Nothing, and a message, if an option is invalid.
std::optional<Understood> understand(const AnalysisInput& options);

/// The input of an analysis.
struct PreparedAnalysis {
  System system;
  engine::AnalysisOptions analysis;
  std::shared_ptr<const engine::DeviceProfile> profile;  ///< of --platform; `analysis` points to it
  importer::BuildOptions build;                          ///< how the system was built from the model
};
/// Model → system, with the options applied, or the exit code. Findings, including those of a review, are collected,
/// not printed. A model with errors is not analyzed; with --lenient a model that EMF would reject is.
tl::expected<PreparedAnalysis, int> prepare_analysis(const Model& model, const AnalysisInput& options,
                                                     Diagnostics& diagnostics);
tl::expected<PreparedAnalysis, int> prepare_analysis(const Model& model, const Understood& understood,
                                                     Diagnostics& diagnostics);

struct Analyzed {
  System system;
  engine::Results results;
};
/// Model → results, or the exit code. Findings are collected, not printed.
tl::expected<Analyzed, int> analyze_model(const Model& model, const Understood& understood, Diagnostics& diagnostics);

/// The exit code for the verdict of an analysis: `findings` if something is missed or unbounded, `unknown` if something
/// was not judged and that is not allowed. Errors among the findings are never allowed.
int exit_code_of(const engine::Assessment& assessment, const Diagnostics& findings, const AnalysisInput& options);
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

/// Whether text output may be colored: standard output is a terminal and NO_COLOR is not set.
bool use_colour();

/// The only task of this name; otherwise a message that begins with the option.
std::optional<TaskIndex> find_task(const System& system, const std::string& option, const std::string& name);

}  // namespace amalthea::cli
