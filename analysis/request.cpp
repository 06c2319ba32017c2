// SPDX-License-Identifier: Apache-2.0
#include "analysis/request.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "analysis/mapping_file.hpp"
#include "engine/chains/chain_search.hpp"
#include "exporter/results/result_view.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

/// The text of the file that an option names; a failure says what is built in. Adds its hash to `files`.
template <typename Items, typename NameOf>
Outcome<std::string> chosen_file(const char* option, const std::string& path, const char* what, const Items& built_in,
                                 NameOf name_of, std::string& files) {
  auto text = importer::read_bytes(path);
  if (text) {
    files += fmt::format("\n{} {}", option, exporter::hash_of_text(*text));
    return std::move(*text);
  }
  const std::string place = fmt::format("{} {}", option, path);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return misused(place, text.error());
  std::string names;
  for (const auto& item : built_in) names += fmt::format("{}{}", names.empty() ? "" : ", ", item.name);
  std::string suggestion = did_you_mean(path, built_in, name_of);
  if (suggestion.empty()) suggestion = did_you_mean_file(path);
  return misused(place, fmt::format("neither a built-in {} ({}) nor a readable file", what, names), suggestion);
}

/// A built-in memory model by its name, or one from a JSON file.
Outcome<engine::MemoryModel> choose_memory(const std::string& memory, std::string& files) {
  if (const engine::MemoryModel* known = engine::find_memory_model(memory)) return *known;
  const auto text = chosen_file("--memory", memory, "memory model", engine::built_in_memory_models(),
                                &engine::MemoryModel::name, files);
  if (!text) return tl::unexpected(text.error());
  auto model = engine::parse_memory_model(*text);
  if (!model) return misread(memory, engine::format(model.error()));
  return std::move(*model);
}

}  // namespace

OptionTable limit_options(importer::Limits& limits) {
  return {
      row("max-size", &limits.max_file_size, "Largest accepted file, in bytes", rare(group::limits)),
      row("max-depth", &limits.max_depth, "Deepest accepted nesting of elements", rare(group::limits)),
      row("max-elements", &limits.max_elements, "Largest accepted number of elements in a file", rare(group::limits)),
      row("max-attributes", &limits.max_attributes_per_element, "Largest accepted number of attributes of an element",
          rare(group::limits), {.range = Range{0, 65535}}),
      row("max-unpacked", &limits.max_unpacked_size, "Largest accepted model in a ZIP archive, in unpacked bytes",
          rare(group::limits)),
      row("max-ratio", &limits.max_unpacked_ratio,
          "Largest accepted ratio of a model of more than 10 MB to its ZIP archive", rare(group::limits))};
}

OptionTable build_options(importer::BuildOptions& build) {
  return {row("keep-wrappers", &build.keep_wrappers,
              "Keep the wrapper and copies of an offloaded function that is mapped to a CPU. By default the function "
              "runs there without them",
              rare(group::analysis)),
          row("max-activities", &build.max_activities,
              "Largest accepted number of activities of all tasks. Every call of a runnable counts",
              rare(group::limits), {.range = Range{1, 100'000'000}})};
}

OptionTable lenient_option(bool& lenient) {
  return {row("lenient", &lenient,
              "Analyze a model despite errors. The analysis leaves out the parts that it cannot interpret, and the "
              "verdict is unknown (docs/reference/diagnostics.md)",
              rare(group::analysis))};
}

OptionTable simulation_options(AnalysisRequest& request) {
  return joined(
      {{row("until", &request.until, "Simulated time, such as 2s (default: hyperperiod)", {group::analysis},
            {.takes = "TIME"}),
        row("max-steps", &request.max_steps,
            "Largest number of simulation steps. A simulation that needs more stops early", rare(group::limits),
            {.range = Range{1, 1'000'000'000'000}}),
        row("platform", &request.platform,
            "GPU profile: built-in name, such as tx2, or JSON file. Default: the one that the model names. May be "
            "repeated as UNIT=NAME, for one GPU each",
            {group::analysis}, {.takes = "NAME", .file = FileKind::read_for_unit}),
        row("memory", &request.memory,
            "Memory model: built-in name or JSON file. model: latencies and contention as in the model; none: its "
            "latencies without contention; waters2019: contention on the Jetson TX2 (docs/reference/memory.md)",
            {group::analysis}, {.takes = "NAME", .file = FileKind::read, .always_told = true}),
        row("line-rule", &request.line_rule,
            "How many cache lines an access needs. exact: bytes / line, rounded up; published: floor(bytes / line) + "
            "1, as in published results for WATERS 2019",
            rare(group::analysis), {.choices = {"exact", "published"}, .always_told = true}),
        row("contention", &request.contention,
            "Which interference the simulation assumes for label accesses with a table of --memory. static: that of "
            "all cores and GPUs with tasks, all the time; dynamic: that of the cores and GPUs that access memory at "
            "the same time. Bounds always assume the worst",
            rare(group::analysis), {.choices = {"static", "dynamic"}, .always_told = true}),
        row("bounds", &request.bounds,
            "How to bound response times. quick: for all offsets that waits for other tasks allow; exact: where "
            "tighter, for the stated offsets, by exploring all schedules of cores whose releases are known "
            "(docs/theory/bounds.md)",
            {group::analysis}, {.choices = {"quick", "exact"}}),
        row("bound-states", &request.bound_states,
            "With --bounds exact, the largest number of states to explore for a core. Beyond it, the core keeps its "
            "other bounds",
            rare(group::analysis)),
        row("contributions", &request.contributions,
            "How many contributions to each longest response time and bound to keep apart. The others are added up, "
            "one "
            "sum for each kind",
            rare(group::analysis), {.range = Range{1, 1'000'000}}),
        row("map", &request.map,
            "Run a task on another core: TASK=CORE[:PRIORITY]. Overrides the model; may be repeated", {group::analysis},
            {.takes = "TASK=CORE"}),
        row("mapping", &request.mapping_file,
            "JSON file with a mapping (docs/reference/memory.md). --map takes precedence", rare(group::analysis),
            {.takes = "FILE", .file = FileKind::read}),
        row("communication", &request.communication,
            "How tasks of a chain pass data on. implicit: read at job start, write at job end; explicit: where the "
            "model places the accesses; let: logical execution time, read at release, write one period later. Latency "
            "constraints are judged accordingly",
            rare(group::chains), {.choices = {"implicit", "explicit", "let"}, .always_told = true})},
       build_options(request.build),
       lenient_option(request.lenient),
       {row("strict", &request.strict, "Make the verdict unknown if it rests on an assumption",
            rare(group::verdict))}});
}

OptionTable analysis_options(AnalysisRequest& request) {
  const OptionTable execution = {row("execution", &request.execution, "Execution times to use", {group::analysis},
                                     {.choices = {"worst", "average", "best"}, .always_told = true})};
  return joined({execution, simulation_options(request)});
}

OptionTable chain_options(AnalysisRequest& request) {
  return {row("chain", &request.chains,
              "Also compute the end-to-end latency of a task chain, such as \"A->B->C\". May be repeated; event chains "
              "of the model are always included",
              {group::chains}, {.takes = "CHAIN", .keyword = "chains"}),
          row("derive-chains", &request.derive_chains,
              fmt::format("Also derive chains from labels that periodic tasks exchange. At most {}",
                          engine::max_derived_chains),
              rare(group::chains))};
}

OptionTable request_options(AnalysisRequest& request) {
  return joined({analysis_options(request), chain_options(request)});
}

namespace {

/// A profile, and the text of its file if it is not built in.
struct ReadProfile {
  engine::DeviceProfile profile;
  std::string text;
};
Outcome<ReadProfile> read_profile(const std::string& platform, std::string& files) {
  if (const engine::DeviceProfile* known = engine::find_profile(platform)) return ReadProfile{*known, {}};
  auto text =
      chosen_file("--platform", platform, "profile", engine::built_in_profiles(), &engine::DeviceProfile::name, files);
  if (!text) return tl::unexpected(text.error());
  auto profile = engine::parse_device_profile(*text);
  if (!profile) return misread(platform, profile.error());
  return ReadProfile{std::move(*profile), std::move(*text)};
}

Outcome<void> choose_profiles(const AnalysisRequest& request, Resolved& resolved) {
  auto& changes = resolved.options.build.profiles;
  for (const std::string& asked : request.platform) {
    if (asked.empty()) continue;
    const std::size_t equals = asked.find('=');
    std::error_code error;
    const bool of_unit = equals != asked.npos && !std::filesystem::exists(asked, error);
    importer::ProfileChange change{
        of_unit ? asked.substr(0, equals) : "", of_unit ? asked.substr(equals + 1) : asked, {}};
    if (of_unit && (change.unit.empty() || change.name.empty()))
      return misused("--platform " + asked, "expected NAME or UNIT=NAME");
    if (std::any_of(changes.begin(), changes.end(), [&](const auto& other) { return other.unit == change.unit; }))
      return misused("--platform " + asked,
                     of_unit ? fmt::format("\"{}\" gets two profiles", change.unit) : "all GPUs get two profiles",
                     of_unit ? "state one" : "state one, or one for each GPU: --platform UNIT=NAME");
    auto read = read_profile(change.name, resolved.files);
    if (!read) return tl::unexpected(read.error());
    change.text = std::move(read->text);
    changes.push_back(std::move(change));
    if (of_unit) continue;
    resolved.profile = std::make_shared<const engine::DeviceProfile>(std::move(read->profile));
    resolved.options.engine.profile = resolved.profile.get();
  }
  return {};
}

}  // namespace

Outcome<engine::DeviceProfile> choose_profile(const std::string& platform, std::string& files) {
  return read_profile(platform, files).map([](ReadProfile&& read) { return std::move(read.profile); });
}

Outcome<Resolved> resolve(const AnalysisRequest& request) {
  Resolved resolved;
  engine::AnalysisOptions& analysis = resolved.options.engine;
  if (request.execution == "average") analysis.execution = engine::Execution::average;
  if (request.execution == "best") analysis.execution = engine::Execution::best;
  if (request.execution == "random") analysis.execution = engine::Execution::random;
  resolved.options.build = request.build;
  if (const auto chosen = choose_profiles(request, resolved); !chosen) return tl::unexpected(chosen.error());
  if (!request.until.empty()) {
    const auto until = parse_time_text(request.until);
    if (!until || *until <= Duration{} || *until > longest_simulation)
      return misused("--until " + request.until,
                     "expected a time with a unit, such as 2s, 500ms or 250us, above zero and below 26 days");
    analysis.until = *until;
  }
  analysis.max_steps = request.max_steps;
  auto memory = choose_memory(request.memory, resolved.files);
  if (!memory) return tl::unexpected(memory.error());
  analysis.compile.memory = std::move(*memory);
  if (request.line_rule == "published") analysis.compile.line_rule = engine::LineRule::published;
  if (request.contention == "dynamic") analysis.contention = engine::Contention::dynamic;
  analysis.bounds.for_offsets = request.bounds == "exact";
  analysis.bounds.states = request.bound_states;
  analysis.bounds.contributions = request.contributions;
  if (request.communication == "explicit") analysis.communication = engine::Communication::explicit_access;
  if (request.communication == "let") analysis.communication = engine::Communication::let;
  analysis.strict = request.strict;
  resolved.options.chains = request.chains;
  resolved.options.derive_chains = request.derive_chains;
  resolved.options.lenient = request.lenient;
  auto changes = read_mapping_changes(request.mapping_file, request.map, resolved.files);
  if (!changes) return tl::unexpected(changes.error());
  resolved.options.build.mapping = std::move(*changes);
  return resolved;
}

Outcome<Prepared> prepare(const Model& model, const AnalysisRequest& request, Diagnostics& findings) {
  return resolve(request).and_then([&](const Resolved& resolved) { return prepare(model, resolved, findings); });
}

Outcome<Prepared> prepare(const Model& model, const Resolved& resolved, Diagnostics& findings) {
  return prepare(model, resolved.options, findings).map([&](System&& system) {
    return Prepared{std::move(system), resolved.options.engine, resolved.profile, resolved.options.build};
  });
}

std::string hashes_of_profiles(const System& system) {
  std::string hashes;
  for (const ProcessingUnit& unit : system.platform.units)
    if (!unit.profile_text.empty() && !unit.profile_is_asked)
      hashes += fmt::format("\ngpu.platform {}", exporter::hash_of_text(unit.profile_text));
  return hashes;
}

Outcome<Analyzed> results_of(Prepared prepared, Diagnostics& findings) {
  auto results = engine::analyze(prepared.system, prepared.analysis, findings);
  if (!results) return tl::unexpected(Failure{});
  auto assessment = engine::assess(prepared.system, *results, findings);
  return Analyzed{std::move(prepared), std::move(*results), std::move(assessment)};
}

Outcome<Analyzed> analyze(const Model& model, const Resolved& resolved, Diagnostics& findings) {
  return prepare(model, resolved, findings).and_then([&](Prepared&& prepared) {
    return results_of(std::move(prepared), findings);
  });
}

Outcome<TaskIndex> task_named(const System& system, const std::string& place, std::string_view name) {
  std::optional<TaskIndex> found;
  std::size_t count = 0;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].kind == ProcessKind::task && system.tasks[task].name == name) {
      found = task;
      ++count;
    }
  if (count == 1) return *found;
  if (count == 0)
    return misused(place, fmt::format("the model has no task \"{}\"", name),
                   did_you_mean_or_list(name, system.tasks, &Task::name));
  return misused(place, fmt::format("the model has {} tasks named \"{}\"", count, name), "rename all but one");
}

}  // namespace amalthea::analysis
