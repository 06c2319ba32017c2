// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "amalthea/detail/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "analysis/model_analysis.hpp"
#include "cli/complaint.hpp"
#include "cli/mapping.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"
#include "engine/chains/chain_search.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/primitives/write_file.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

/// Of what is neither the name of a built-in thing nor a file.
template <typename Items, typename NameOf>
std::string name_or_file_suggestion(const std::string& text, const Items& built_in, NameOf name_of) {
  std::string suggestion = did_you_mean(text, built_in, name_of);
  return suggestion.empty() ? did_you_mean_file(text) : suggestion;
}

/// The text of the file that an option names, or nothing and a message that says what is built in.
template <typename Items, typename NameOf>
std::optional<std::string> chosen_file(const char* option, const std::string& path, const char* what,
                                       const Items& built_in, NameOf name_of) {
  auto text = importer::read_bytes(path);
  if (text) return std::move(*text);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    complain(fmt::format("{} {}: {}", option, path, text.error()));
    return std::nullopt;
  }
  std::string names;
  for (const auto& item : built_in) names += fmt::format("{}{}", names.empty() ? "" : ", ", item.name);
  complain(fmt::format("{} {}: neither a built-in {} ({}) nor a readable file{}", option, path, what, names,
                       name_or_file_suggestion(path, built_in, name_of)));
  return std::nullopt;
}

/// A built-in memory model by its name, or one from a JSON file; nothing and a message when there is neither.
std::optional<engine::MemoryModel> choose_memory(const std::string& memory) {
  if (const engine::MemoryModel* known = engine::find_memory_model(memory)) return *known;
  const auto text =
      chosen_file("--memory", memory, "memory model", engine::built_in_memory_models(), &engine::MemoryModel::name);
  if (!text) return std::nullopt;
  auto model = engine::parse_memory_model(*text);
  if (model) return std::move(*model);
  complain(fmt::format("{}:{}", memory, engine::format(model.error())));
  return std::nullopt;
}

void add_memory_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--memory", options.memory,
                  "what memory accesses cost: none (the model's latencies without contention), model (as it says), "
                  "waters2019 (contention on the Jetson TX2) or a JSON file (docs/reference/memory.md)")
      ->capture_default_str();
  verb.add_option("--line-rule", options.line_rule,
                  "cache lines of an access: exact (bytes / line rounded up) or published (floor(bytes / line) + 1, as "
                  "in published results of WATERS 2019)")
      ->check(CLI::IsMember({"exact", "published"}))
      ->capture_default_str();
}

void add_mapping_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--map", options.map,
                  "TASK=CORE[:PRIORITY]: run the task there instead of where the model maps it; may be repeated")
      ->allow_extra_args(false);
  verb.add_option("--mapping", options.mapping_file,
                  "JSON file with such changes (docs/reference/memory.md); --map wins over it");
}

}  // namespace

std::optional<engine::DeviceProfile> choose_profile(const std::string& platform) {
  if (const engine::DeviceProfile* known = engine::find_profile(platform)) return *known;
  const auto text =
      chosen_file("--platform", platform, "profile", engine::built_in_profiles(), &engine::DeviceProfile::name);
  if (!text) return std::nullopt;
  auto profile = engine::parse_device_profile(*text);
  if (profile) return std::move(*profile);
  complain(fmt::format("{}:{}", platform, profile.error()));
  return std::nullopt;
}

void add_input_options(CLI::App& verb, InputOptions& options) {
  verb.add_option("MODEL", options.models,
                  "model file(s), or a folder of .amxmi files; several form one model; - is standard input")
      ->required();
  add_finding_options(verb);
  add_limit_options(verb, options.limits);
}

void add_limit_options(CLI::App& verb, importer::Limits& limits) {
  verb.add_option("--max-size", limits.max_file_size, "largest file accepted, in bytes")
      ->capture_default_str()
      ->group("Limits");
  verb.add_option("--max-depth", limits.max_depth, "deepest nesting of elements accepted")
      ->capture_default_str()
      ->group("Limits");
  verb.add_option("--max-elements", limits.max_elements, "most elements accepted in one file")
      ->capture_default_str()
      ->group("Limits");
  verb.add_option("--max-attributes", limits.max_attributes_per_element, "most attributes accepted on an element")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->group("Limits");
  verb.add_option("--max-unpacked", limits.max_unpacked_size,
                  "largest model accepted in a ZIP archive, in bytes unpacked")
      ->capture_default_str()
      ->group("Limits");
  verb.add_option("--max-ratio", limits.max_unpacked_ratio,
                  "how many times larger than its ZIP archive a model of more than 10 MB may be")
      ->capture_default_str()
      ->group("Limits");
}

void add_build_options(CLI::App& verb, importer::BuildOptions& options) {
  verb.add_flag("--keep-wrappers", options.keep_wrappers,
                "simulate wrapper and copies of an offloaded function as written even when it is mapped to a CPU");
  verb.add_option("--max-activities", options.max_activities,
                  "most activities of all tasks, counting every call of a runnable anew")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->capture_default_str()
      ->group("Limits");
}

void add_lenient_option(CLI::App& verb, bool& lenient) {
  verb.add_flag(
      "--lenient", lenient,
      "go on with a model that EMF refuses, without what is not understood (docs/reference/diagnostics.md); the errors "
      "stay errors");
}

void add_analysis_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--execution", options.execution, "which execution times to take")
      ->check(CLI::IsMember({"worst", "average", "best"}))
      ->capture_default_str();
  add_simulation_options(verb, options);
}

void add_simulation_options(CLI::App& verb, AnalysisInput& options) {
  add_build_options(verb, options.build);
  add_lenient_option(verb, options.lenient);
  verb.add_option("--until", options.until, "time to simulate, e.g. 2s or 500ms (default: the hyperperiod)");
  verb.add_option("--max-steps", options.max_steps, "most steps of one simulation; one that needs more is stopped")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
      ->capture_default_str()
      ->group("Limits");
  verb.add_option(
      "--platform", options.platform,
      "GPU profile: a built-in name (tx2, xavier, pegasus, …) or a JSON file (default: what the model says)");
  add_memory_options(verb, options);
  add_mapping_options(verb, options);
  verb.add_option(
          "--communication", options.communication,
          "how tasks of a chain hand data on, by which its latency constraints are judged: implicit (read at the "
          "start of a job, write at its end), explicit (where accesses stand) or let (at release, a period later)")
      ->check(CLI::IsMember({"implicit", "explicit", "let"}))
      ->capture_default_str();
  verb.add_flag("--strict", options.strict, "what is assumed makes the verdict unknown");
  verb.add_flag("--allow-unknown", options.allow_unknown, "exit code 0 also where the verdict is unknown");
}

void add_chain_option(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--chain", options.chains,
                  "a chain of tasks by their names, such as \"A->B->C\", whose end-to-end latencies are wanted beside "
                  "those of the model's event chains; may be given several times")
      ->allow_extra_args(false);
}

void add_chain_options(CLI::App& verb, AnalysisInput& options) {
  add_chain_option(verb, options);
  verb.add_flag("--derive-chains", options.derive_chains,
                fmt::format("also the chains along which labels pass between periodic tasks (at most {})",
                            engine::most_derived_chains));
}

void print_findings(const Diagnostics& diagnostics) {
  std::vector<Diagnostic> sorted = diagnostics.all();
  exporter::sort_findings(sorted);
  for (const Diagnostic& finding : sorted)
    if (is_shown(finding)) say(format(finding));
}

namespace {

int code_of(const analysis::Failure& failure) {
  if (!failure.message.empty()) complain("--" + failure.message);  // it begins with what the option is called, too
  return failure.kind == analysis::Failure::Kind::refused ? ExitCode::findings : ExitCode::unusable;
}

}  // namespace

tl::expected<Model, int> load(const InputOptions& options, Diagnostics& diagnostics) {
  return analysis::read(options.models, options.limits, diagnostics).map_error(code_of);
}

namespace {

/// The options without a model.
struct Understood {
  analysis::Options options;
  std::unique_ptr<const engine::DeviceProfile> profile;
};

/// Nothing, and a message, where one cannot be understood.
std::optional<Understood> understand(const AnalysisInput& options) {
  Understood understood;
  engine::AnalysisOptions& analysis = understood.options.engine;
  if (options.execution == "average") analysis.execution = engine::Execution::average;
  if (options.execution == "best") analysis.execution = engine::Execution::best;
  if (options.execution == "random") analysis.execution = engine::Execution::random;
  if (!options.platform.empty()) {
    auto chosen = choose_profile(options.platform);
    if (!chosen) return std::nullopt;
    understood.profile = std::make_unique<const engine::DeviceProfile>(std::move(*chosen));
    analysis.profile = understood.profile.get();
  }
  if (!options.until.empty()) {
    const auto until = parse_time_text(options.until);
    if (!until || *until <= Duration{} || *until > longest_simulation) {
      complain(fmt::format("--until {}: expected a time such as 2s, 500ms or 250us, above zero and below 26 days",
                           options.until));
      return std::nullopt;
    }
    analysis.until = *until;
  }
  analysis.max_steps = options.max_steps;
  auto memory = choose_memory(options.memory);
  if (!memory) return std::nullopt;
  analysis.compile.memory = std::move(*memory);
  if (options.line_rule == "published") analysis.compile.line_rule = engine::LineRule::published;
  if (options.communication == "explicit") analysis.communication = engine::Communication::explicit_access;
  if (options.communication == "let") analysis.communication = engine::Communication::let;
  analysis.strict = options.strict;
  understood.options.build = options.build;
  understood.options.chains = options.chains;
  understood.options.derive_chains = options.derive_chains;
  understood.options.lenient = options.lenient;
  auto changes = read_mapping_changes(options.mapping_file, options.map);
  if (!changes) {
    complain(changes.error());
    return std::nullopt;
  }
  understood.options.build.mapping = std::move(*changes);
  return understood;
}

}  // namespace

bool are_understood(const AnalysisInput& options) { return understand(options).has_value(); }

tl::expected<PreparedAnalysis, int> prepare_analysis(const Model& model, const AnalysisInput& options,
                                                     Diagnostics& diagnostics) {
  auto understood = understand(options);
  if (!understood) return tl::unexpected(int{ExitCode::unusable});
  auto system = analysis::prepare(model, understood->options, diagnostics).map_error(code_of);
  if (!system) return tl::unexpected(system.error());
  return PreparedAnalysis{std::move(*system), std::move(understood->options.engine), std::move(understood->profile)};
}

tl::expected<Analysed, int> analyze_model(const Model& model, const AnalysisInput& options, Diagnostics& diagnostics) {
  auto prepared = prepare_analysis(model, options, diagnostics);
  if (!prepared) return tl::unexpected(prepared.error());
  auto results = engine::analyze(prepared->system, prepared->analysis, diagnostics);
  if (!results) return tl::unexpected(int{ExitCode::findings});
  return Analysed{std::move(prepared->system), std::move(*results)};
}

int exit_code_of(const engine::Assessment& assessment, const AnalysisInput& options) {
  if (assessment.verdict >= engine::OverallVerdict::unbounded) return ExitCode::findings;
  const bool unknown = assessment.verdict == engine::OverallVerdict::unknown && !options.allow_unknown;
  return unknown ? ExitCode::unknown : ExitCode::all_well;
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

bool write_output(const std::string& path, const std::string& text) {
  const bool painted = is_standard_output(path) && use_colour();
  return write_data(path, painted ? exporter::visible_painted_text(text) : visible_text(text));
}

bool write_data(const std::string& path, const std::string& text) {
  if (is_standard_output(path)) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
    complain("cannot write to standard output");
    return false;
  }
  const auto written = exporter::write_file(path, text);
  if (!written) complain(written.error());
  return written.has_value();
}

bool check_output(const std::string& path) {
  if (is_standard_output(path)) return true;
  const auto possible = exporter::check_writable(path);
  if (!possible) complain(possible.error());
  return possible.has_value();
}

bool use_colour() { return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace amalthea::cli
