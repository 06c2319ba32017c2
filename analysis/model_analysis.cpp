// SPDX-License-Identifier: Apache-2.0
#include "analysis/model_analysis.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/constraint.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "amalthea/views/properties.hpp"
#include "engine/chains/chain_search.hpp"
#include "engine/device_checks.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "engine/results/chain_result.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/first_mapping.hpp"
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

/// EMF does not write `buffered="false"`, so that states nothing.
std::optional<engine::Communication> stated_communication(Element access) {
  if (access.is("SenderReceiverRead") || access.is("SenderReceiverWrite"))
    return access.attribute_or("buffered", "") == "true" ? std::optional(engine::Communication::implicit)
                                                         : std::nullopt;
  if (!access.is("LabelAccess")) return std::nullopt;
  const std::string_view stated = access.attribute_or("implementation", "");
  if (stated == "implicit") return engine::Communication::implicit;
  if (stated == "explicit") return engine::Communication::explicit_access;
  if (stated == "timed") return engine::Communication::let;
  return std::nullopt;
}

/// Reports limits that depend on how data is exchanged, where an access to that data states another way than the one by
/// which the limit is judged.
class OtherCommunication {
 public:
  OtherCommunication(const Model& model, const System& system, Diagnostics& findings)
      : system_(system), findings_(findings) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, LabelIndex> labels;
    const auto key = [](Origin origin) { return std::pair(origin.document, origin.element); };
    for (const auto& document : model.documents()) {
      if (!document->find_name("implementation") && !document->find_name("buffered")) continue;
      for (std::uint32_t index = 0; index < document->size(); ++index) {
        const Element access = document->element(index);
        const auto way = stated_communication(access);
        if (!way) continue;
        if (labels.empty())
          for (LabelIndex label = 0; label < system.labels.size(); ++label)
            if (system.labels[label].origin.known()) labels.emplace(key(system.labels[label].origin), label);
        const Element data = model.reference(access, access.is("LabelAccess") ? "data" : "label");
        if (const auto label = data ? labels.find(key(data.origin())) : labels.end(); label != labels.end())
          stated_[label->second].emplace(*way, access);
      }
    }
  }

  void report(engine::Communication judged) {
    if (stated_.empty()) return;
    const JobPaths paths(system_);
    for (const Chain& chain : system_.chains) {
      if (chain.limits.empty()) continue;
      std::set<LabelIndex> exchanged = exchanged_by(chain.tasks, paths);
      for (const ChainEvent& event : chain.events) add_labels_of(event.event, exchanged);
      report(exchanged, judged, fmt::format("the latency of event chain \"{}\" is limited and", chain.name), true,
             chain.origin);
    }
    for (const Requirement& requirement : system_.requirements)
      if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject))
        report(exchanged_by(chain->tasks, paths), engine::Communication::implicit,
               fmt::format("the requirement of process chain \"{}\" is", requirement.subject_name), false,
               requirement.origin);
    for (const TimingConstraint& constraint : system_.constraints)
      report(labels_of(constraint), engine::Communication::explicit_access, fmt::format("{} is", describe(constraint)),
             false, constraint.origin);
  }

 private:
  /// What at least two of the tasks access.
  std::set<LabelIndex> exchanged_by(const std::vector<TaskIndex>& tasks, const JobPaths& paths) {
    std::set<LabelIndex> once, exchanged;
    for (const TaskIndex task : std::set<TaskIndex>(tasks.begin(), tasks.end())) {
      auto known = accessed_.find(task);
      if (known == accessed_.end()) known = accessed_.emplace(task, accessed_labels(system_, paths, task)).first;
      for (const LabelIndex label : known->second)
        if (!once.insert(label).second) exchanged.insert(label);
    }
    return exchanged;
  }

  void add_labels_of(const ObservableEvent& event, std::set<LabelIndex>& labels) const {
    const auto* of = std::get_if<ObservableEvent::OfLabel>(&event.what);
    if (of == nullptr) return;
    if (of->label)
      labels.insert(*of->label);
    else  // any
      for (const auto& [label, ways] : stated_) labels.insert(label);
  }

  std::set<LabelIndex> labels_of(const TimingConstraint& constraint) const {
    std::set<LabelIndex> labels;
    const auto add = [&](const ObservableEvent& event) { add_labels_of(event, labels); };
    const auto add_all = [&](const std::vector<ObservableEvent>& events) {
      for (const ObservableEvent& event : events) add(event);
    };
    if (const auto* delay = std::get_if<DelayLimit>(&constraint.kind)) add_all({delay->source, delay->target});
    if (const auto* order = std::get_if<EventOrder>(&constraint.kind)) add_all({order->source, order->target});
    if (const auto* repetition = std::get_if<Repetition>(&constraint.kind)) add(repetition->event);
    if (const auto* events = std::get_if<EventSynchronization>(&constraint.kind)) add_all(events->events);
    if (const auto* chains = std::get_if<ChainSynchronization>(&constraint.kind))
      for (const auto& events : chains->chains) add_all(events);
    if (const auto* age = std::get_if<DataAge>(&constraint.kind)) labels.insert(age->label);
    if (const auto* group = std::get_if<DataCoherency>(&constraint.kind))
      labels.insert(group->labels.begin(), group->labels.end());
    if (const auto* group = std::get_if<DataStability>(&constraint.kind))
      labels.insert(group->labels.begin(), group->labels.end());
    return labels;
  }

  void report(const std::set<LabelIndex>& labels, engine::Communication judged, const std::string& who, bool selectable,
              Origin limit) {
    for (const LabelIndex label : labels) {
      const auto found = stated_.find(label);
      if (found == stated_.end()) continue;
      for (const auto& [way, access] : found->second) {
        if (way == judged) continue;
        findings_.add("AM0497", Severity::warning,
                      fmt::format("{} judged for {} communication, but this access {}; {}", who, to_string(judged),
                                  access.is("LabelAccess") ? fmt::format("states the implementation {}",
                                                                         access.attribute_or("implementation", ""))
                                                           : "is buffered",
                                  selectable ? fmt::format("use --communication {}", to_string(way))
                                             : "remove it if it has no effect on timing"),
                      access.location(), access.path(), 1, {limit});
        return;
      }
    }
  }

  const System& system_;
  Diagnostics& findings_;
  std::map<LabelIndex, std::map<engine::Communication, Element>> stated_;  // the first access of each way
  std::map<TaskIndex, std::vector<LabelIndex>> accessed_;
};

}  // namespace

Outcome<System> complete(const Model& model, System system, const Options& options, Diagnostics& findings) {
  if (const auto added = add_chains(options, system, findings); !added) return tl::unexpected(added.error());
  if (!engine::resolve_instructions(system, options.engine.profile, findings)) return tl::unexpected(Failure{});
  if (!check_devices(model, system, options, findings)) return tl::unexpected(Failure{});
  OtherCommunication(model, system, findings).report(options.engine.communication);
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
