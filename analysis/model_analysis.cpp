// SPDX-License-Identifier: Apache-2.0
#include "analysis/model_analysis.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/views/properties.hpp"
#include "engine/chains/chain_search.hpp"
#include "engine/device_checks.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/results/chain_result.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/first_mapping.hpp"
#include "importer/building/system_builder.hpp"
#include "importer/reading/file_bytes.hpp"
#include "importer/reading/model_reader.hpp"
#include "review/open_findings.hpp"
#include "review/review.hpp"
#include "scenario/model_of_scenario.hpp"

namespace amalthea::analysis {

constexpr std::string_view not_analyzed_id = "AM0344";

namespace {

/// Reports what follows from the errors. `lenient_helps`: the model could be built without what they concern.
void report_not_analyzed(bool lenient_helps, bool lenient, Diagnostics& findings) {
  const std::size_t errors = findings.errors();
  if (errors == 0) return;
  findings.add(not_analyzed_id, Severity::note,
               fmt::format("the model is not analyzed because of {}; fix {}{}",
                           errors == 1 ? "1 error" : fmt::format("{} errors", errors), errors == 1 ? "it" : "them",
                           lenient_helps ? ", or use --lenient to analyze the rest of the model (the verdict is then "
                                           "unknown)"
                           : lenient     ? "; --lenient does not help here, because the rest is incomplete"
                                         : ""));
}

/// Why the model cannot be analyzed with the mapping; nothing if it can.
std::optional<std::string> obstacle_behind(const Model& model, const exporter::FirstMapping& mapping) {
  std::vector<importer::NamedBytes> files;
  for (const auto& document : model.documents())
    files.push_back({document->source().path(), exporter::apply(*document, mapping.splices)});
  Diagnostics findings;
  const auto mapped = importer::read_model_from_bytes(std::move(files), {}, findings);
  if (!mapped || importer::build_system(*mapped, {}, findings)) return std::nullopt;
  const auto& all = findings.all();
  const auto error = std::find_if(all.begin(), all.end(),
                                  [](const Diagnostic& finding) { return finding.severity == Severity::error; });
  return error == all.end() ? std::nullopt : std::optional(error->message);
}

/// How a model that leaves tasks unmapped gets a first mapping, or why it cannot get one.
void report_first_mapping(const Model& model, Diagnostics& findings) {
  const std::vector<Element> unmapped = exporter::unmapped_tasks(model);
  const auto& all = findings.all();
  const auto is_reported = [&](std::string_view id) {
    return std::any_of(all.begin(), all.end(), [id](const Diagnostic& finding) { return finding.id == id; });
  };
  // Without that finding, a broken reference explains why a task is not allocated.
  if (unmapped.empty() || !is_reported(importer::unallocated_id) || is_reported(exporter::unmappable_id)) return;
  const auto created = exporter::first_mapping(model);
  if (!created) return exporter::report_unmappable(model, created.error(), findings);
  const bool others = findings.errors() > unmapped.size();
  if (const auto obstacle = others ? std::nullopt : obstacle_behind(model, *created))
    return exporter::report_unmappable(model, *obstacle, findings);
  findings.add(
      "AM0493", Severity::note,
      fmt::format("the model leaves {} unmapped; amalthea explore MODEL -o MAPPED.amxmi makes a first mapping{}, "
                  "and searches for a better one",
                  unmapped.size() == 1 ? "1 task" : fmt::format("{} tasks", unmapped.size()),
                  others ? " once the other errors are fixed" : ""),
      unmapped.front().location(), unmapped.front().path());
}

/// Appends the requested chains to those of the model.
Outcome<void> add_chains(const Options& options, System& system, Diagnostics& findings) {
  for (const std::string& text : options.chains) {
    auto chain = engine::parse_chain(system, text);
    if (!chain) return misused(fmt::format("--chain \"{}\"", text), chain.error());
    engine::report_gaps(system, *chain, findings);
    system.chains.push_back(std::move(*chain));
  }
  if (options.derive_chains) engine::add_derived_chains(system, findings);
  return {};
}

}  // namespace

namespace {

/// The text of the only file, if it is a scenario. Nothing of other files is consumed.
std::optional<std::string> scenario_in(const std::vector<std::string>& files) {
  std::error_code error;
  if (files.size() != 1 || !std::filesystem::is_regular_file(files.front(), error)) return std::nullopt;
  char first = '\0';
  if (!(std::ifstream(files.front()) >> first) || first != '{') return std::nullopt;
  auto text = importer::read_bytes(files.front());
  return text && scenario::is_scenario(*text) ? std::optional(std::move(*text)) : std::nullopt;
}

Location place_in(const std::string& file, const engine::TextError& error) {
  return {file, static_cast<std::uint32_t>(error.line), static_cast<std::uint32_t>(error.column)};
}

/// A scenario of a GPU as a model whose elements stand where the scenario has what they are made from.
std::optional<Model> model_of_scenario(const std::string& file, const std::string& text, const importer::Limits& limits,
                                       Diagnostics& findings) {
  auto made = scenario::model_of_scenario(file, text);
  if (!made) {
    findings.add("AM0122", Severity::error, made.error().message, place_in(file, made.error()));
    return std::nullopt;
  }
  for (const engine::TextError& assumed : made->assumptions)
    findings.add("AM0123", Severity::warning, assumed.message, place_in(file, assumed));
  return importer::read_model_from_bytes(file, std::move(made->text), limits, findings);
}

}  // namespace

Outcome<Model> read(const std::vector<std::string>& files, const importer::Limits& limits, Diagnostics& findings) {
  std::optional<Model> model;
  if (files.size() == 1 && files.front() == "-") {  // which can be read only once
    const std::string name = importer::standard_input_name;
    if (auto bytes = importer::read_file(name, limits, findings))
      model = scenario::is_scenario(*bytes)
                  ? model_of_scenario(name, *bytes, limits, findings)
                  : importer::read_model_from_bytes(name, std::move(*bytes), limits, findings);
  } else {
    const auto scenario = scenario_in(files);
    model = scenario ? model_of_scenario(files.front(), *scenario, limits, findings)
                     : importer::read_model(files, limits, findings);
  }
  if (!model) return tl::unexpected(Failure{Failure::Kind::unreadable, {}});
  exporter::check_annotations(*model, findings);
  return std::move(*model);
}

bool is_analyzed(const Diagnostics& findings, bool lenient) { return lenient || !findings.has_errors(); }

std::optional<System> build(const Model& model, const importer::BuildOptions& options, bool lenient,
                            Diagnostics& findings) {
  auto system = review::build_checked(model, options, findings, review::few);
  const auto& found = findings.all();
  // A task or a unit that a mapping misspells is an error of the mapping, not of the model.
  if (!system && std::any_of(found.begin(), found.end(), importer::is_about_mapping_change)) return std::nullopt;
  if (system && is_analyzed(findings, lenient)) return system;
  report_first_mapping(model, findings);
  report_not_analyzed(system.has_value(), lenient, findings);
  return std::nullopt;
}

namespace {

/// The custom property that the message names, on the element, what contains it, or the task of the kernel.
Element named_property(const Model& model, const System& system, const Diagnostic& finding) {
  const std::size_t begin = finding.message.find("gpu.");
  if (begin == std::string::npos) return {};
  const std::size_t end = finding.message.find_first_of(" ,;", begin);
  const std::string key = finding.message.substr(begin, end - begin);
  for (Element one = model.element(finding.location.element); one; one = one.parent())
    if (const auto property = custom_property(one, key)) return property->element;
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (system.graph[node].origin == finding.location.element)
      if (const auto property = custom_property(model.element(system.tasks[system.graph[node].task].origin), key))
        return property->element;
  return {};
}

/// The errors of the engine's check, at their places; the engine repeats what does not keep it from the analysis.
bool check_devices(const Model& model, const System& system, const Options& options, Diagnostics& findings) {
  Diagnostics found;
  if (engine::check_devices(system, options.engine.profile, found)) return true;
  for (const Diagnostic& finding : found.all()) {
    if (finding.severity != Severity::error) continue;
    const bool placed = finding.location.element.known();
    Element element = placed ? model.element(finding.location.element) : Element();
    if (const Element property = placed ? named_property(model, system, finding) : Element()) element = property;
    findings.add(finding.id, finding.severity, finding.message, placed ? element.location() : finding.location,
                 placed ? element.path() : finding.path);
  }
  return false;
}

std::optional<engine::Communication> stated_communication(Element access) {
  const std::string_view stated = access.attribute_or("implementation", "");
  if (stated == "implicit") return engine::Communication::implicit;
  if (stated == "explicit") return engine::Communication::explicit_access;
  if (stated == "timed") return engine::Communication::let;
  return std::nullopt;
}

/// Reports limited chains of which an access to data between two of their tasks states that it exchanges them in another
/// way than the one by which limits are judged.
void report_other_communication(const Model& model, const System& system, engine::Communication judged,
                                Diagnostics& findings) {
  for (const Chain& chain : system.chains) {
    if (chain.limits.empty()) continue;
    std::map<LabelIndex, std::set<TaskIndex>> users;
    std::map<LabelIndex, Element> other;
    for (const TaskIndex task : chain.tasks)
      for (const NodeIndex node : system.tasks[task].body) {
        const Activity& activity = system.graph[node].activity;
        const auto* read = std::get_if<ReadLabel>(&activity);
        const auto* write = std::get_if<WriteLabel>(&activity);
        if (read == nullptr && write == nullptr) continue;
        const LabelIndex label = read != nullptr ? read->label : write->label;
        users[label].insert(task);
        const Element access = model.element(system.graph[node].origin);
        if (const auto stated = stated_communication(access); stated && *stated != judged) other.emplace(label, access);
      }
    const auto shared =
        std::find_if(other.begin(), other.end(), [&](const auto& one) { return users[one.first].size() > 1; });
    if (shared == other.end()) continue;
    const Element access = shared->second;
    findings.add("AM0497", Severity::warning,
                 fmt::format("the latency of event chain \"{}\" is limited and judged for {} communication, but this "
                             "access states the implementation {}; use --communication {}",
                             chain.name, to_string(judged), access.attribute_or("implementation", ""),
                             to_string(*stated_communication(access))),
                 access.location(), access.path(), 1, {chain.origin});
  }
}

}  // namespace

Outcome<System> complete(const Model& model, System system, const Options& options, Diagnostics& findings) {
  if (const auto added = add_chains(options, system, findings); !added) return tl::unexpected(added.error());
  if (!engine::resolve_instructions(system, options.engine.profile, findings)) return tl::unexpected(Failure{});
  if (!check_devices(model, system, options, findings)) return tl::unexpected(Failure{});
  report_other_communication(model, system, options.engine.communication, findings);
  review::record_open_findings(model, findings, system);
  return system;
}

Outcome<System> prepare(const Model& model, const Options& options, Diagnostics& findings) {
  importer::BuildOptions how = options.build;
  how.tabulated_accesses = options.engine.compile.memory.source == engine::MemoryModel::Source::table;
  auto system = build(model, how, options.lenient, findings);
  if (!system) {
    const auto& found = findings.all();
    const bool misused = std::any_of(found.begin(), found.end(), importer::is_about_mapping_change);
    return tl::unexpected(Failure{misused ? Failure::Kind::misused : Failure::Kind::refused, {}});
  }
  review::apply_rules(model, &*system, findings, review::few);
  return complete(model, std::move(*system), options, findings);
}

tl::expected<Analysis, NotAnalyzed> analyze(const std::vector<std::string>& files, const Options& options) {
  Diagnostics findings;
  const auto failed = [&findings](Failure failure) {
    return tl::unexpected(NotAnalyzed{std::move(failure), std::move(findings)});
  };
  auto model = read(files, options.limits, findings);
  if (!model) return failed(std::move(model.error()));
  auto system = prepare(*model, options, findings);
  if (!system) return failed(std::move(system.error()));
  auto results = engine::analyze(*system, options.engine, findings);
  if (!results) return failed({});
  auto assessment = engine::assess(*system, *results, findings);
  return Analysis{std::move(*model), std::move(*system), std::move(*results), std::move(assessment),
                  std::move(findings)};
}

}  // namespace amalthea::analysis
