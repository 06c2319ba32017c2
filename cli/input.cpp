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
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/mapping.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "engine/chains/chain_search.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/primitives/write_file.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

/// The suggestion for something that is neither a built-in name nor a file.
template <typename Items, typename NameOf>
std::string name_or_file_suggestion(const std::string& text, const Items& built_in, NameOf name_of) {
  std::string suggestion = did_you_mean(text, built_in, name_of);
  return suggestion.empty() ? did_you_mean_file(text) : suggestion;
}

/// The text of the file that an option names, or nothing and a message that says what is built in. Adds its hash to
/// `files`.
template <typename Items, typename NameOf>
std::optional<std::string> chosen_file(const char* option, const std::string& path, const char* what,
                                       const Items& built_in, NameOf name_of, std::string& files) {
  auto text = importer::read_bytes(path);
  if (text) {
    files += fmt::format("\n{} {}", option, exporter::hash_of_text(*text));
    return std::move(*text);
  }
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
std::optional<engine::MemoryModel> choose_memory(const std::string& memory, std::string& files) {
  if (const engine::MemoryModel* known = engine::find_memory_model(memory)) return *known;
  const auto text = chosen_file("--memory", memory, "memory model", engine::built_in_memory_models(),
                                &engine::MemoryModel::name, files);
  if (!text) return std::nullopt;
  auto model = engine::parse_memory_model(*text);
  if (model) return std::move(*model);
  complain(fmt::format("{}:{}", memory, engine::format(model.error())));
  return std::nullopt;
}

void add_memory_options(CLI::App& verb, AnalysisInput& options) {
  add_input(verb, "--memory", options.memory,
            "Memory model: built-in name or JSON file. model: latencies and contention as in the "
            "model; none: its latencies without contention; waters2019: contention on the Jetson TX2 "
            "(docs/reference/memory.md)")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group::analysis);
  verb.add_option("--line-rule", options.line_rule,
                  "How many cache lines an access needs. exact: bytes / line, rounded up; published: floor(bytes / "
                  "line) + 1, as in published results for WATERS 2019")
      ->check(CLI::IsMember({"exact", "published"}))
      ->capture_default_str()
      ->group(rarely(group::analysis));
  verb.add_option(
          "--contention", options.contention,
          "Which interference the simulation assumes for label accesses with a table of --memory. static: that "
          "of all cores and GPUs with tasks, all the time; dynamic: that of the cores and GPUs that access memory "
          "at the same time. Bounds always assume the worst")
      ->check(CLI::IsMember({"static", "dynamic"}))
      ->capture_default_str()
      ->group(rarely(group::analysis));
}

void add_bound_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--bounds", options.bounds,
                  "How to bound response times. quick: for all offsets that waits for other tasks allow; exact: where "
                  "tighter, for the stated offsets, by exploring all schedules of cores whose releases are known "
                  "(docs/theory/bounds.md)")
      ->check(CLI::IsMember({"quick", "exact"}))
      ->capture_default_str()
      ->group(group::analysis);
  verb.add_option(
          "--bound-states", options.bound_states,
          "With --bounds exact, the largest number of states to explore for a core. Beyond it, the core keeps its "
          "other bounds")
      ->capture_default_str()
      ->group(rarely(group::analysis));
}

void add_mapping_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--map", options.map,
                  "Run a task on another core: TASK=CORE[:PRIORITY]. Overrides the model; may be repeated")
      ->type_name("TASK=CORE")
      ->allow_extra_args(false)
      ->group(group::analysis);
  add_input(verb, "--mapping", options.mapping_file,
            "JSON file with a mapping (docs/reference/memory.md). --map takes precedence")
      ->type_name("FILE")
      ->group(rarely(group::analysis));
}

std::optional<engine::DeviceProfile> choose_profile(const std::string& platform, std::string& files) {
  if (const engine::DeviceProfile* known = engine::find_profile(platform)) return *known;
  const auto text =
      chosen_file("--platform", platform, "profile", engine::built_in_profiles(), &engine::DeviceProfile::name, files);
  if (!text) return std::nullopt;
  auto profile = engine::parse_device_profile(*text);
  if (profile) return std::move(*profile);
  complain(fmt::format("{}:{}", platform, profile.error()));
  return std::nullopt;
}

}  // namespace

std::optional<engine::DeviceProfile> choose_profile(const std::string& platform) {
  std::string files;
  return choose_profile(platform, files);
}

void add_input_options(CLI::App& verb, InputOptions& options, ListFiles list) {
  add_input(
      verb, "MODEL", options.models,
      "Model files or a folder: all of them form one model; - is standard input. To analyze the files of a folder one "
      "by one, use amalthea batch",
      std::move(list))
      ->required();
  add_finding_options(verb);
  add_limit_options(verb, options.limits);
}

void add_output_option(CLI::App& verb, std::string& output, std::vector<std::string> companions) {
  add_output(verb, "-o,--output", output, "Write to this file instead of standard output", std::move(companions))
      ->type_name("FILE")
      ->group(group::output);
}

void add_limit_options(CLI::App& verb, importer::Limits& limits) {
  verb.add_option("--max-size", limits.max_file_size, "Largest accepted file, in bytes")
      ->capture_default_str()
      ->group(rarely(group::limits));
  verb.add_option("--max-depth", limits.max_depth, "Deepest accepted nesting of elements")
      ->capture_default_str()
      ->group(rarely(group::limits));
  verb.add_option("--max-elements", limits.max_elements, "Largest accepted number of elements in a file")
      ->capture_default_str()
      ->group(rarely(group::limits));
  verb.add_option("--max-attributes", limits.max_attributes_per_element,
                  "Largest accepted number of attributes of an element")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->group(rarely(group::limits));
  verb.add_option("--max-unpacked", limits.max_unpacked_size,
                  "Largest accepted model in a ZIP archive, in unpacked bytes")
      ->capture_default_str()
      ->group(rarely(group::limits));
  verb.add_option("--max-ratio", limits.max_unpacked_ratio,
                  "Largest accepted ratio of a model of more than 10 MB to its ZIP archive")
      ->capture_default_str()
      ->group(rarely(group::limits));
}

std::string words_of(const importer::Limits& limits) {
  return fmt::format("{} {} {} {} {} {}", limits.max_file_size, limits.max_unpacked_size, limits.max_unpacked_ratio,
                     limits.max_depth, limits.max_elements, limits.max_attributes_per_element);
}

std::vector<std::pair<std::string, std::string>> words_of(const AnalysisInput& options) {
  const AnalysisInput usual;
  std::vector<std::pair<std::string, std::string>> words = {{"--execution", options.execution},
                                                            {"--memory", options.memory},
                                                            {"--line-rule", options.line_rule},
                                                            {"--contention", options.contention}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.emplace_back(name, value);
  };
  const auto add_flag = [&](const char* name, bool set) {
    if (set) words.emplace_back(name, "");
  };
  const auto add_number = [&](const char* name, std::uint64_t value, std::uint64_t usually) {
    if (value != usually) words.emplace_back(name, fmt::format("{}", value));
  };
  if (options.bounds != usual.bounds) add("--bounds", options.bounds);
  add_number("--bound-states", options.bound_states, usual.bound_states);
  add_flag("--keep-wrappers", options.build.keep_wrappers);
  add_number("--max-activities", options.build.max_activities, usual.build.max_activities);
  add_flag("--lenient", options.lenient);
  add("--until", options.until);
  add_number("--max-steps", options.max_steps, usual.max_steps);
  add("--platform", options.platform);
  add("--mapping", options.mapping_file);
  for (const std::string& change : options.map) add("--map", change);
  for (const std::string& chain : options.chains) add("--chain", chain);
  add_flag("--derive-chains", options.derive_chains);
  add("--communication", options.communication);
  add_flag("--strict", options.strict);
  return words;
}

void add_build_options(CLI::App& verb, importer::BuildOptions& options) {
  verb.add_flag("--keep-wrappers", options.keep_wrappers,
                "Keep the wrapper and copies of an offloaded function that is mapped to a CPU. By default the function "
                "runs there without them")
      ->group(rarely(group::analysis));
  verb.add_option("--max-activities", options.max_activities,
                  "Largest accepted number of activities of all tasks. Every call of a runnable counts")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}))
      ->capture_default_str()
      ->group(rarely(group::limits));
}

void add_lenient_option(CLI::App& verb, bool& lenient) {
  verb.add_flag("--lenient", lenient,
                "Analyze a model despite errors. The analysis leaves out the parts that it cannot interpret, and the "
                "verdict is "
                "unknown "
                "(docs/reference/diagnostics.md)")
      ->group(rarely(group::analysis));
}

void add_analysis_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--execution", options.execution, "Execution times to use")
      ->check(CLI::IsMember({"worst", "average", "best"}))
      ->capture_default_str()
      ->group(group::analysis);
  add_simulation_options(verb, options);
}

void add_simulation_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--until", options.until, "Simulated time, such as 2s (default: hyperperiod)")
      ->type_name("TIME")
      ->group(group::analysis);
  verb.add_option("--max-steps", options.max_steps,
                  "Largest number of simulation steps. A simulation that needs more stops early")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
      ->capture_default_str()
      ->group(rarely(group::limits));
  add_input(verb, "--platform", options.platform,
            "GPU profile: built-in name or JSON file. Built in are tx2, xavier and others. Default: the profile "
            "that the model "
            "names")
      ->type_name("NAME")
      ->group(group::analysis);
  add_memory_options(verb, options);
  add_bound_options(verb, options);
  add_mapping_options(verb, options);
  verb.add_option(
          "--communication", options.communication,
          "How tasks of a chain pass data on. implicit: read at job start, write at job end; explicit: where the "
          "model places the accesses; let: logical execution time, read at release, write one period later. "
          "Latency constraints are judged accordingly")
      ->check(CLI::IsMember({"implicit", "explicit", "let"}))
      ->capture_default_str()
      ->group(rarely(group::chains));
  add_build_options(verb, options.build);
  add_lenient_option(verb, options.lenient);
  CLI::Option* strict =
      verb.add_flag("--strict", options.strict, "Make the verdict unknown if it rests on an assumption")
          ->group(rarely(group::verdict));
  verb.add_flag("--allow-unknown", options.allow_unknown,
                "Exit with 0 instead of 4 if the verdict is unknown, unless an error is the cause")
      ->excludes(strict)
      ->group(rarely(group::verdict));
}

void add_chain_option(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--chain", options.chains,
                  "Also compute the end-to-end latency of a task chain, such as \"A->B->C\". May be repeated; event "
                  "chains of the model are always included")
      ->type_name("CHAIN")
      ->allow_extra_args(false)
      ->group(group::chains);
}

void add_chain_options(CLI::App& verb, AnalysisInput& options) {
  add_chain_option(verb, options);
  verb.add_flag("--derive-chains", options.derive_chains,
                fmt::format("Also derive chains from labels that periodic tasks exchange. At most {}",
                            engine::max_derived_chains))
      ->group(rarely(group::chains));
}

void print_findings(const Diagnostics& diagnostics) {
  std::vector<Diagnostic> sorted = diagnostics.all();
  exporter::sort_findings(sorted);
  // What happens in the end, such as that the model is not analyzed, is read last.
  std::stable_partition(sorted.begin(), sorted.end(), [](const Diagnostic& finding) {
    return !finding.location.file.empty() || finding.severity == Severity::error;
  });
  for (const Diagnostic& finding : sorted)
    if (is_shown(finding)) tell("{}{}\n", finding.location.file.empty() ? "amalthea: " : "", format(finding));
}

namespace {

int code_of(const analysis::Failure& failure) {
  // the message begins with the name of the option
  if (!failure.message.empty()) complain("--" + failure.message);
  return failure.kind == analysis::Failure::Kind::refused ? ExitCode::findings : ExitCode::unusable;
}

}  // namespace

namespace {

/// A folder may hold the parts of one model, or variants that belong apart.
void note_folders(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (is_quiet() || !std::filesystem::is_directory(path, error)) continue;
    if (const std::size_t files = model_files({path}).size(); files > 1)
      tell(
          "amalthea: note: {}: the {} model files in this folder form one model; for a separate result per file, use "
          "amalthea batch\n",
          path, files);
  }
}

}  // namespace

tl::expected<Model, int> load(const InputOptions& options, Diagnostics& diagnostics) {
  note_folders(options.models);
  return analysis::read(options.models, options.limits, diagnostics).map_error(code_of);
}

std::optional<Understood> understand(const AnalysisInput& options) {
  Understood understood;
  engine::AnalysisOptions& analysis = understood.options.engine;
  if (options.execution == "average") analysis.execution = engine::Execution::average;
  if (options.execution == "best") analysis.execution = engine::Execution::best;
  if (options.execution == "random") analysis.execution = engine::Execution::random;
  if (!options.platform.empty()) {
    auto chosen = choose_profile(options.platform, understood.files);
    if (!chosen) return std::nullopt;
    understood.profile = std::make_shared<const engine::DeviceProfile>(std::move(*chosen));
    analysis.profile = understood.profile.get();
  }
  if (!options.until.empty()) {
    const auto until = parse_time_text(options.until);
    if (!until || *until <= Duration{} || *until > longest_simulation) {
      complain(fmt::format(
          "--until {}: expected a time with a unit, such as 2s, 500ms or 250us, above zero and below 26 days",
          options.until));
      return std::nullopt;
    }
    analysis.until = *until;
  }
  analysis.max_steps = options.max_steps;
  auto memory = choose_memory(options.memory, understood.files);
  if (!memory) return std::nullopt;
  analysis.compile.memory = std::move(*memory);
  if (options.line_rule == "published") analysis.compile.line_rule = engine::LineRule::published;
  if (options.contention == "dynamic") analysis.contention = engine::Contention::dynamic;
  analysis.bounds.for_offsets = options.bounds == "exact";
  analysis.bounds.states = options.bound_states;
  if (options.communication == "explicit") analysis.communication = engine::Communication::explicit_access;
  if (options.communication == "let") analysis.communication = engine::Communication::let;
  analysis.strict = options.strict;
  understood.options.build = options.build;
  understood.options.chains = options.chains;
  understood.options.derive_chains = options.derive_chains;
  understood.options.lenient = options.lenient;
  auto changes = read_mapping_changes(options.mapping_file, options.map, understood.files);
  if (!changes) {
    complain(changes.error());
    return std::nullopt;
  }
  understood.options.build.mapping = std::move(*changes);
  return understood;
}

tl::expected<PreparedAnalysis, int> prepare_analysis(const Model& model, const AnalysisInput& options,
                                                     Diagnostics& diagnostics) {
  const auto understood = understand(options);
  if (!understood) return tl::unexpected(int{ExitCode::unusable});
  return prepare_analysis(model, *understood, diagnostics);
}

tl::expected<PreparedAnalysis, int> prepare_analysis(const Model& model, const Understood& understood,
                                                     Diagnostics& diagnostics) {
  auto system = analysis::prepare(model, understood.options, diagnostics).map_error(code_of);
  if (!system) return tl::unexpected(system.error());
  return PreparedAnalysis{std::move(*system), understood.options.engine, understood.profile, understood.options.build};
}

tl::expected<Analyzed, int> analyze_model(const Model& model, const Understood& understood, Diagnostics& diagnostics) {
  auto prepared = prepare_analysis(model, understood, diagnostics);
  if (!prepared) return tl::unexpected(prepared.error());
  auto results = engine::analyze(prepared->system, prepared->analysis, diagnostics);
  if (!results) return tl::unexpected(int{ExitCode::findings});
  return Analyzed{std::move(prepared->system), std::move(*results)};
}

int exit_code_of(const engine::Assessment& assessment, const Diagnostics& findings, const AnalysisInput& options) {
  if (assessment.verdict >= engine::OverallVerdict::unbounded) return ExitCode::findings;
  const bool allowed = options.allow_unknown && findings.errors() == 0;
  const bool unknown = assessment.verdict == engine::OverallVerdict::unknown && !allowed;
  return unknown ? ExitCode::unknown : ExitCode::all_well;
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdout"; }

bool write_output(const std::string& path, const std::string& text) {
  const bool painted = is_standard_output(path) && use_colour();
  return write_data(path, painted ? exporter::visible_painted_text(text) : visible_text(text));
}

bool write_data(const std::string& path, const std::string& text) {
  if (is_standard_output(path)) {
    print_text(text);
    flush_output();
    return true;
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

std::optional<TaskIndex> find_task(const System& system, const std::string& option, const std::string& name) {
  std::optional<TaskIndex> found;
  std::size_t count = 0;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].kind == ProcessKind::task && system.tasks[task].name == name) {
      found = task;
      ++count;
    }
  if (count == 1) return found;
  complain(count == 0
               ? fmt::format("{}: the model has no task \"{}\"{}", option, name,
                             did_you_mean_or_list(name, system.tasks, &Task::name))
               : fmt::format("{}: the model has {} tasks named \"{}\"; rename all but one", option, count, name));
  return std::nullopt;
}

}  // namespace amalthea::cli
