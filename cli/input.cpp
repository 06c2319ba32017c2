// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "amalthea/quantity.hpp"
#include "cli/complaint.hpp"
#include "cli/mapping.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"
#include "engine/chains/chain_search.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/simulation/simulation.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/write_file.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/reading/model_reader.hpp"
#include "importer/reading/structure.hpp"
#include "review/review.hpp"

namespace amalthea::cli {
namespace {

/// Of what is neither the name of a built-in thing nor a file.
template <typename Items, typename NameOf>
std::string name_or_file_suggestion(const std::string& text, const Items& built_in, NameOf name_of) {
  std::string suggestion = did_you_mean(text, built_in, name_of);
  return suggestion.empty() ? did_you_mean_file(text) : suggestion;
}

/// A built-in memory model by its name, or one from a JSON file; nothing and a message when there is neither.
std::optional<engine::MemoryModel> choose_memory(const std::string& memory) {
  if (const engine::MemoryModel* known = engine::find_memory_model(memory)) return *known;
  const auto text = read_small_file(memory);
  if (!text) {
    std::string names;
    for (const auto& model : engine::built_in_memory_models())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", model.name);
    complain(
        fmt::format("--memory {}: neither a built-in memory model ({}) nor a readable file{}", memory, names,
                    name_or_file_suggestion(memory, engine::built_in_memory_models(), &engine::MemoryModel::name)));
    return std::nullopt;
  }
  auto model = engine::parse_memory_model(*text);
  if (!model) {
    complain(fmt::format("{}:{}", memory, engine::format(model.error())));
    return std::nullopt;
  }
  return std::move(*model);
}

void add_memory_options(CLI::App& verb, AnalysisInput& options) {
  verb.add_option("--memory", options.memory,
                  "what memory accesses cost: none (the model's latencies without contention), model (as it says), "
                  "waters2019 (contention on the Jetson TX2) or a JSON file (docs/memory.md)")
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
                  "JSON file with such changes (docs/memory.md); --map wins over it");
}

/// Puts the chains that were asked for behind those of the model; false and a message when one cannot be understood.
bool add_chains(const AnalysisInput& options, System& system, Diagnostics& diagnostics) {
  for (const std::string& text : options.chains) {
    auto chain = engine::parse_chain(system, text);
    if (!chain) {
      complain(fmt::format("--chain \"{}\": {}", text, chain.error()));
      return false;
    }
    engine::report_gaps(system, *chain, diagnostics);
    system.chains.push_back(std::move(*chain));
  }
  if (options.derive_chains) engine::add_derived_chains(system, diagnostics);
  return true;
}

}  // namespace

std::optional<engine::DeviceProfile> choose_profile(const std::string& platform) {
  if (const engine::DeviceProfile* known = engine::find_profile(platform)) return *known;
  std::ifstream file(platform);
  if (!file) {
    std::string names;
    for (const auto& profile : engine::built_in_profiles())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", profile.name);
    complain(fmt::format("--platform {}: neither a built-in profile ({}) nor a readable file{}", platform, names,
                         name_or_file_suggestion(platform, engine::built_in_profiles(), &engine::DeviceProfile::name)));
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  auto profile = engine::parse_device_profile(text.str());
  if (!profile) {
    complain(fmt::format("{}: {}", platform, profile.error()));
    return std::nullopt;
  }
  return std::move(*profile);
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
}

void add_build_options(CLI::App& verb, importer::BuildOptions& options) {
  verb.add_flag("--keep-wrappers", options.keep_wrappers,
                "simulate wrapper and copies of an offloaded function as written even when it is mapped to a CPU");
}

void add_lenient_option(CLI::App& verb, bool& lenient) {
  verb.add_flag("--lenient", lenient,
                "go on with a model that EMF refuses, without what is not understood (docs/diagnostics.md); the errors "
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
    if (is_shown(finding)) fmt::print(stderr, "{}\n", format(finding));
}

std::optional<Model> load(const InputOptions& options, Diagnostics& diagnostics, int& exit_code) {
  auto model = importer::read_model(options.models, options.limits, diagnostics);
  if (model)
    exporter::check_annotations(*model, diagnostics);
  else
    exit_code = ExitCode::unusable;
  return model;
}

namespace {

/// Whether there is something in the model that EMF refuses. What references into files that were not given mean for
/// timing has been asked when the system was built.
bool is_refused(const Diagnostics& diagnostics) {
  const auto& found = diagnostics.all();
  return std::any_of(found.begin(), found.end(), [](const Diagnostic& finding) {
    return finding.severity == Severity::error && !importer::is_about_missing_file(finding);
  });
}

/// Takes the system of a model away that is refused. Whether there still is one.
bool check_refusal(bool lenient, Diagnostics& diagnostics, std::optional<System>& system) {
  if (system && !lenient && is_refused(diagnostics)) {
    system.reset();
    diagnostics.add("AM0344", Severity::note,
                    "the model is not analysed, as part of it is not understood; --lenient goes on without that part, "
                    "and with a verdict that is unknown");
  }
  return system.has_value();
}

}  // namespace

std::optional<Built> load_and_build(const InputOptions& input, const importer::BuildOptions& build, bool lenient,
                                    Diagnostics& diagnostics, int& exit_code) {
  auto model = load(input, diagnostics, exit_code);
  auto system = model ? review::build_checked(*model, build, diagnostics, review::few) : std::nullopt;
  check_refusal(lenient, diagnostics, system);
  print_findings(diagnostics);
  if (!model) return std::nullopt;
  return Built{std::move(*model), std::move(system)};
}

exporter::ModelInfo model_info(const Model& model) {
  exporter::ModelInfo info;
  for (const auto& document : model.documents()) info.files.push_back(document->source().path());
  info.version = model.documents().front()->version_text();
  info.hash = exporter::hash_of_model(model);
  return info;
}

namespace {

/// The options without a model.
struct Understood {
  engine::AnalysisOptions analysis;
  std::unique_ptr<const engine::DeviceProfile> profile;
  importer::BuildOptions build;
};

/// Nothing, and a message, where one cannot be understood.
std::optional<Understood> understand(const AnalysisInput& options) {
  Understood understood;
  engine::AnalysisOptions& analysis = understood.analysis;
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
  auto memory = choose_memory(options.memory);
  if (!memory) return std::nullopt;
  analysis.compile.memory = std::move(*memory);
  if (options.line_rule == "published") analysis.compile.line_rule = engine::LineRule::published;
  if (options.communication == "explicit") analysis.communication = engine::Communication::explicit_access;
  if (options.communication == "let") analysis.communication = engine::Communication::let;
  analysis.strict = options.strict;
  understood.build = options.build;
  understood.build.tabulated_accesses = analysis.compile.memory.source == engine::MemoryModel::Source::table;
  auto changes = read_mapping_changes(options.mapping_file, options.map);
  if (!changes) {
    complain(changes.error());
    return std::nullopt;
  }
  understood.build.mapping = std::move(*changes);
  return understood;
}

}  // namespace

bool are_understood(const AnalysisInput& options) { return understand(options).has_value(); }

std::optional<PreparedAnalysis> prepare_analysis(const Model& model, const AnalysisInput& options,
                                                 Diagnostics& diagnostics, int& exit_code) {
  exit_code = ExitCode::unusable;
  auto understood = understand(options);
  if (!understood) return std::nullopt;
  exit_code = ExitCode::findings;
  auto system = review::build_checked(model, understood->build, diagnostics, review::few);
  if (!check_refusal(options.lenient, diagnostics, system)) {
    const auto& found = diagnostics.all();
    if (std::any_of(found.begin(), found.end(), importer::is_about_mapping_change)) exit_code = ExitCode::unusable;
    return std::nullopt;
  }
  review::apply_rules(model, &*system, diagnostics, review::few);
  if (!add_chains(options, *system, diagnostics)) {
    exit_code = ExitCode::unusable;
    return std::nullopt;
  }
  if (!engine::resolve_instructions(*system, understood->analysis.profile, diagnostics)) return std::nullopt;
  exit_code = ExitCode::all_well;
  return PreparedAnalysis{std::move(*system), std::move(understood->analysis), std::move(understood->profile)};
}

std::optional<Analysed> analyze_model(const Model& model, const AnalysisInput& options, Diagnostics& diagnostics,
                                      int& exit_code) {
  auto prepared = prepare_analysis(model, options, diagnostics, exit_code);
  if (!prepared) return std::nullopt;
  auto results = engine::analyze(prepared->system, prepared->analysis, diagnostics);
  if (!results) {
    exit_code = ExitCode::findings;
    return std::nullopt;
  }
  return Analysed{std::move(prepared->system), std::move(*results)};
}

int exit_code_of(const engine::Assessment& assessment, const AnalysisInput& options) {
  if (assessment.verdict >= engine::OverallVerdict::unbounded) return ExitCode::findings;
  const bool unknown = assessment.verdict == engine::OverallVerdict::unknown && !options.allow_unknown;
  return unknown ? ExitCode::unknown : ExitCode::all_well;
}

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

bool write_output(const std::string& path, const std::string& text) {
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
