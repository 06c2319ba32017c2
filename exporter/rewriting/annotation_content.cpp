// SPDX-License-Identifier: Apache-2.0
#include "exporter/rewriting/annotation_content.hpp"
#include "exporter/results/verdict_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/results/lost_activations.hpp"
#include "engine/verdict.hpp"
#include "exporter/rewriting/annotation_reasons.hpp"
#include "exporter/rewriting/annotation_state.hpp"

namespace amalthea::exporter {
namespace {

using detail::RunnableDurations;
using Properties = std::vector<Property>;

/// Why an element of the model is not in the system: the text of a finding about it.
class Findings {
 public:
  explicit Findings(const Diagnostics& diagnostics) {
    for (const Diagnostic& finding : diagnostics.all())
      if (!finding.path.empty()) by_place_.emplace(std::pair(finding.location.file, finding.path), &finding);
  }

  std::string about(Element element, std::string_view otherwise) const {
    const auto found = by_place_.find(std::pair(element.document().source().path(), element.path()));
    return found == by_place_.end() ? std::string(otherwise) : found->second->message;
  }

 private:
  std::map<std::pair<std::string, std::string>, const Diagnostic*> by_place_;
};

void add(Properties& properties, std::string key, std::string text) {
  properties.push_back({std::move(key), std::move(text)});
}

void append(Properties& properties, Properties more) {
  std::move(more.begin(), more.end(), std::back_inserter(properties));
}

/// A key with the value, or one with the reason for its absence.
void add_known(Properties& properties, const std::string& key, std::optional<Duration> value, Rounding rounding,
               const std::string& reason) {
  if (value)
    properties.push_back({key, *value, rounding});
  else
    add(properties, key + ".reason", reason);
}

void add_statistics(Properties& properties, const std::string& key, const engine::Statistics& values) {
  properties.push_back({key + ".min", values.min, Rounding::down});
  properties.push_back({key + ".mean", values.mean});
  properties.push_back({key + ".max", values.max, Rounding::up});
}

/// Unique names: duplicates get a number, so that keys made of them differ.
std::vector<std::string> distinct(std::vector<std::string> names) {
  std::map<std::string, int> seen;
  for (std::string& name : names)
    if (const int count = ++seen[name]; count > 1) name += fmt::format("#{}", count);
  return names;
}

// ---------------------------------------------------------------- processes

Properties process_properties(const ResultView& view, TaskIndex index, AnnotationDetail detail) {
  const Task& task = view.system.tasks[index];
  const engine::TaskResult& result = view.results.tasks[index];
  Properties properties;
  add(properties, "summary", detail::summary_of(view.system, index, result));
  if (detail == AnnotationDetail::summary) return properties;
  const bool full = detail == AnnotationDetail::full;
  if (full) properties.push_back({"jobs", static_cast<std::int64_t>(result.response.jobs)});
  if (result.response.jobs == 0)
    add(properties, "responseTime.reason", "no job ended in the simulated time");
  else if (full)
    add_statistics(properties, "responseTime", result.response);
  else
    properties.push_back({"responseTime.max", result.response.max, Rounding::up});
  const std::string no_bound = result.bound.reason.empty() ? "no bound is computed" : result.bound.reason;
  if (full) add_known(properties, "bcrt", result.bound.best, Rounding::down, no_bound);
  add_known(properties, "wcrt", result.bound.worst, Rounding::up,
            result.verdict == engine::Verdict::unbounded ? result.reason : no_bound);
  if (result.bound.proved) properties.push_back({"wcrt.proved", *result.bound.proved, Rounding::up});
  if (task.deadline) properties.push_back({"deadline", *task.deadline});
  add(properties, "verdict", std::string(to_string(result.verdict)));
  if (full && result.guaranteed)
    properties.push_back({"guaranteed", *result.guaranteed});
  else if (full)
    add(properties, "guaranteed.reason",
        !task.deadline       ? "there is no deadline"
        : result.bound.worst ? engine::why_activations_may_be_lost(view.system, index, result.bound)
                             : no_bound);
  if (full) add(properties, "reason", result.reason);
  if (full || !result.bound.worst)
    append(properties, detail::contribution_properties(view.system, "contribution.longest", result.contributions));
  append(properties, detail::contribution_properties(view.system, "contribution.bound", result.bound.parts));
  return properties;
}

// ---------------------------------------------------------------- runnables

Properties runnable_properties(const ResultView& view, const RunnableDurations& durations) {
  Properties properties;
  if (durations.by_task.empty()) {
    add(properties, "reason", "no analyzed process calls it");
    return properties;
  }
  properties.push_back({"executions", static_cast<std::int64_t>(durations.all.jobs)});
  if (durations.all.jobs == 0) {
    add(properties, "duration.reason", "it did not end in the simulated time");
    return properties;
  }
  add_statistics(properties, "duration", durations.all);
  if (durations.by_task.size() == 1) return properties;
  std::vector<std::string> names;
  for (const engine::RunnableResult* result : durations.by_task) names.push_back(view.system.tasks[result->task].name);
  names = distinct(std::move(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string key = "duration.in." + names[i];
    if (durations.by_task[i]->duration.jobs > 0)
      add_statistics(properties, key, durations.by_task[i]->duration);
    else
      add(properties, key + ".reason", "it did not end in the simulated time");
  }
  return properties;
}

// ---------------------------------------------------------------- event chains

template <typename Latencies>
void add_latencies(Properties& properties, const std::string& key, const Latencies& latencies,
                   const std::string& unseen = {}) {
  add_known(properties, key + ".reaction", latencies.reaction, Rounding::up, unseen);
  add_known(properties, key + ".reducedReaction", latencies.reduced_reaction, Rounding::up, unseen);
  add_known(properties, key + ".age", latencies.age, Rounding::up, unseen);
  add_known(properties, key + ".reducedAge", latencies.reduced_age, Rounding::up, unseen);
}

void add_bounds(Properties& properties, const std::string& key, const std::optional<engine::LatencyBounds>& bounds,
                const std::string& reason) {
  if (bounds)
    add_latencies(properties, key, *bounds);
  else
    add(properties, key + ".reason", reason);
}

void add_let(Properties& properties, const engine::ChainResult& result) {
  if (!result.let) return add(properties, "let.reason", result.let_reason);
  add_latencies(properties, "let", *result.let);
  properties.push_back({"let.firstToFirst", result.let->first_to_first, Rounding::up});
  properties.push_back({"let.shortest", result.let->shortest, Rounding::down});
}

/// What the simulation observed under implicit communication.
void add_observed(Properties& properties, const engine::ObservedLatencies& observed) {
  properties.push_back({"simulated.reads", static_cast<std::int64_t>(observed.reads)});
  add_latencies(properties, "simulated", observed, "none ended in the simulated time");
}

Properties chain_properties(const ResultView& view, std::size_t index, AnnotationDetail detail) {
  const Chain& chain = view.system.chains[index];
  const engine::ChainResult& result = view.results.chains[index];
  const engine::Communication communication = view.results.communication;
  Properties properties;
  add(properties, "summary", detail::summary_of(view.system, chain, result, communication));
  if (detail == AnnotationDetail::summary) return properties;
  const bool full = detail == AnnotationDetail::full;
  std::string tasks;
  for (const TaskIndex task : chain.tasks)
    tasks += fmt::format("{}{}", tasks.empty() ? "" : " -> ", view.system.tasks[task].name);
  add(properties, "tasks", tasks);
  if (full || communication == engine::Communication::implicit) {
    add_bounds(properties, "implicit", result.implicit, result.implicit_reason);
    append(properties,
           detail::step_properties(view.system, "implicit.step", chain, result.implicit_steps, Rounding::up));
  }
  if (full || communication == engine::Communication::explicit_access)
    add_bounds(properties, "explicit", result.explicit_access, result.explicit_reason);
  if (full || communication == engine::Communication::let) add_let(properties, result);
  if (full || communication == engine::Communication::implicit) {
    add_observed(properties, result.observed);
    append(properties,
           detail::step_properties(view.system, "simulated.step", chain, result.observed_steps, Rounding::nearest));
  }
  for (std::size_t i = 0; i < chain.limits.size(); ++i) {
    const ChainLimit& limit = chain.limits[i];
    const std::string key = fmt::format("constraint.{}", i + 1);
    add(properties, key + ".name", limit.name);
    add(properties, key + ".type", limit.kind == ChainLimit::Kind::age ? "age" : "reaction");
    if (limit.minimum) properties.push_back({key + ".minimum", *limit.minimum});
    if (limit.maximum) properties.push_back({key + ".maximum", *limit.maximum});
    if (full) {
      add(properties, key + ".implicit", std::string(to_string(result.limits[i].implicit.verdict)));
      add(properties, key + ".explicit", std::string(to_string(result.limits[i].explicit_access.verdict)));
      add(properties, key + ".let", std::string(to_string(result.limits[i].let.verdict)));
    }
    const engine::ChainResult::Judgement& judged = result.limits[i].by(communication);
    add(properties, key + ".verdict", std::string(to_string(engine::verdict_on(judged.verdict, judged.guaranteed))));
    add(properties, key + ".reason", judged.reason);
  }
  return properties;
}

// ---------------------------------------------------------------- requirements and timing constraints

template <typename Result>
Properties limit_properties(const Result& result, AnnotationDetail detail) {
  const std::string verdict(to_string(engine::verdict_on(result.verdict, result.guaranteed)));
  if (detail == AnnotationDetail::summary) return {{"summary", verdict + "; " + result.reason}};
  return {{"verdict", verdict}, {"reason", result.reason}};
}

// ---------------------------------------------------------------- platform

std::string_view key_of(engine::ResourceKind kind) {
  constexpr std::array<std::string_view, 4> keys{"core", "executionEngine", "copyEngine", "server"};
  return keys[static_cast<std::size_t>(kind)];
}

void add_resource(const engine::ResourceResult& resource, const std::string& key, Properties& properties) {
  properties.push_back({key + ".utilization", resource.utilization});
  properties.push_back({key + ".demand", resource.demand});
  add(properties, key + ".verdict", resource.overloaded() ? "overloaded" : "ok");
}

/// The utilization of a unit's resources, with keys that begin with the kind of resource and end in `suffix`. A unit
/// without simulated activity has a reason instead.
void add_resources(const ResultView& view, UnitIndex unit, const std::string& suffix, Properties& properties) {
  bool any = false;
  for (const engine::ResourceResult& resource : view.results.resources) {
    if (resource.unit != unit || resource.server) continue;
    any = true;
    add_resource(resource, std::string(key_of(resource.kind)) + suffix, properties);
  }
  if (any) return;
  const bool gpu = view.system.platform.units[unit].type == PuType::gpu;
  add(properties, (gpu ? "executionEngine" : "core") + suffix + ".reason", "no analyzed process runs there");
}

/// The device tasks that share the engines of a GPU: how long each may use them at a time, and how much it needs.
void add_users(const ResultView& view, UnitIndex unit, Properties& properties) {
  for (const engine::ResourceResult& resource : view.results.resources) {
    if (resource.unit != unit || resource.server) continue;
    std::vector<std::string> users;
    for (const engine::EngineUse& use : resource.uses) users.push_back(view.system.tasks[use.task].name);
    users = distinct(std::move(users));
    for (std::size_t i = 0; i < users.size(); ++i) {
      const std::string engine(key_of(resource.kind));
      properties.push_back({engine + ".timeSlice." + users[i], resource.uses[i].time_slice});
      properties.push_back({engine + ".demand." + users[i], resource.uses[i].demand});
    }
  }
}

Properties scheduler_properties(const ResultView& view, const Scheduler& scheduler) {
  Properties properties;
  for (const engine::ResourceResult& resource : view.results.resources)
    if (resource.server && &view.system.platform.schedulers[*resource.server] == &scheduler)
      add_resource(resource, "server", properties);
  if (scheduler.units.empty()) {
    add(properties, "cores.reason", "it is responsible for no processing unit");
    return properties;
  }
  std::vector<std::string> names;
  for (const UnitIndex unit : scheduler.units) names.push_back(view.system.platform.units[unit].name);
  names = distinct(std::move(names));
  add(properties, "cores", fmt::format("{}", fmt::join(names, ", ")));
  for (std::size_t i = 0; i < names.size(); ++i) add_resources(view, scheduler.units[i], "." + names[i], properties);
  return properties;
}

// ---------------------------------------------------------------- all of it

/// Maps an element to its part of the system.
template <typename Parts>
std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_origin(const Parts& parts) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].origin.known()) found.emplace(std::pair(parts[i].origin.document, parts[i].origin.element), i);
  return found;
}

/// For every such child of a sub-model, what `known` returns for its part of the system, else why it has none.
template <typename Parts, typename Known>
void add_properties(const Model& model, std::string_view sub_model, std::string_view tag, const Parts& parts,
                    const Findings& findings, std::vector<Annotation>& annotations, Known known) {
  const auto indices = by_origin(parts);
  for (const Element element : model.all(sub_model, tag)) {
    const Origin origin = element.origin();
    const auto found = indices.find(std::pair(origin.document, origin.element));
    if (found != indices.end())
      annotations.push_back({element, known(found->second)});
    else
      annotations.push_back({element, {{"reason", findings.about(element, "it was not analyzed")}}});
  }
}

/// For every analyzed requirement or timing constraint. Event chains state the verdicts on latency constraints.
template <typename Parts, typename Results>
void add_limits(const Model& model, const Parts& parts, const Results& results, AnnotationDetail detail,
                std::vector<Annotation>& annotations) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].origin.known())
      annotations.push_back({model.element(parts[i].origin), limit_properties(results[i], detail)});
}

void add_all_properties(const Model& model, const ResultView& view, AnnotationDetail detail,
                        std::vector<Annotation>& annotations) {
  const Findings findings(view.findings);
  const System& system = view.system;
  for (const std::string_view tag : {"tasks", "isrs"})
    add_properties(model, "swModel", tag, system.tasks, findings, annotations,
                   [&](std::size_t i) { return process_properties(view, static_cast<TaskIndex>(i), detail); });
  add_properties(model, "constraintsModel", "eventChains", system.chains, findings, annotations,
                 [&](std::size_t i) { return chain_properties(view, i, detail); });
  add_limits(model, system.requirements, view.results.requirements, detail, annotations);
  add_limits(model, system.constraints, view.results.constraints, detail, annotations);
  if (detail == AnnotationDetail::summary) return;
  std::vector<Properties> operations(system.runnables.size());
  for (const engine::OperationResult& operation : view.results.operations)
    if (const auto runnable = system.graph[operation.node].runnable)
      append(operations[*runnable], detail::operation_properties(system, operation));
  if (detail == AnnotationDetail::full) {
    const auto durations = detail::runnable_durations(view);
    add_properties(model, "swModel", "runnables", system.runnables, findings, annotations, [&](std::size_t i) {
      Properties properties = runnable_properties(view, durations[i]);
      append(properties, std::move(operations[i]));
      return properties;
    });
    for (const Scheduler& scheduler : system.platform.schedulers)
      if (scheduler.origin.known())
        annotations.push_back({model.element(scheduler.origin), scheduler_properties(view, scheduler)});
  } else {
    for (RunnableIndex runnable = 0; runnable < system.runnables.size(); ++runnable)
      if (!operations[runnable].empty() && system.runnables[runnable].origin.known())
        annotations.push_back({model.element(system.runnables[runnable].origin), std::move(operations[runnable])});
  }
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
    if (!system.platform.units[unit].origin.known()) continue;
    Annotation annotation{model.element(system.platform.units[unit].origin), {}};
    add_resources(view, unit, "", annotation.properties);
    add_users(view, unit, annotation.properties);
    annotations.push_back(std::move(annotation));
  }
}

/// The origin of the results, independent of the location of files.
Properties provenance(const Model& model, const ResultView& view, const AnnotationRequest& request) {
  const engine::Results& results = view.results;
  Properties properties;
  engine::Assessment assessment = engine::assess(view.system, results, view.findings);
  // The places of findings move with the annotations.
  for (engine::JudgedLimit& limit : assessment.limits)
    if (limit.kind == engine::JudgedLimit::Kind::finding) limit.name = limit.name.substr(0, limit.name.find(" at "));
  add(properties, "verdict", verdict_sentence(assessment));
  std::string assumed;
  for (const engine::Assumption& assumption : assessment.assumptions)
    assumed += fmt::format("{}{}", assumed.empty() ? "" : "; ", assumption.text);
  if (!assumed.empty()) add(properties, "assumed", assumed);
  add(properties, "origin.tool", fmt::format("{} {}", tool_name, tool_version));
  add(properties, "origin.model", view.model.hash);
  if (model.documents().size() > 1) add(properties, "origin.state", state_of_model(model));
  add(properties, "origin.execution", std::string(to_string(results.execution)));
  if (!request.until.empty()) add(properties, "origin.until", request.until);
  properties.push_back({"origin.horizon", results.horizon});
  add(properties, "origin.memory", results.memory_model);
  add(properties, "origin.lineRule", std::string(to_string(results.line_rule)));
  add(properties, "origin.contention", std::string(to_string(results.contention)));
  add(properties, "origin.communication", std::string(to_string(results.communication)));
  std::string platforms;
  for (UnitIndex unit = 0; unit < results.device_profiles.size(); ++unit)
    if (!results.device_profiles[unit].empty())
      platforms += fmt::format("{}{}={}", platforms.empty() ? "" : ", ", view.system.platform.units[unit].name,
                               results.device_profiles[unit]);
  if (!platforms.empty()) add(properties, "origin.platform", platforms);
  if (request.keep_wrappers) add(properties, "origin.wrappers", "kept as written");
  if (!request.mapping.empty()) add(properties, "origin.mapping", fmt::format("{}", fmt::join(request.mapping, ", ")));
  return properties;
}

/// Reports that a version has no such class.
void refuse(const Document& document, std::string_view what, std::string_view option, VersionSet versions,
            Diagnostics& diagnostics) {
  diagnostics.add(
      "AM0550", Severity::error,
      fmt::format("AMALTHEA {} has no {}; --as {} works for {} to {}; omit it, or convert the model",
                  document.version_text(), what, option, to_string(versions.first()), to_string(versions.last())),
      {document.source().path()});
}

/// The versions that have all of these classes.
VersionSet versions_with(std::initializer_list<std::string_view> classes) {
  std::uint32_t bits = ~std::uint32_t{0};
  for (const std::string_view name : classes) {
    const auto cls = metamodel::find_class(name);
    bits &= cls ? metamodel::info(*cls).versions.bits() : 0;
  }
  return VersionSet::from_bits(bits);
}

}  // namespace

std::vector<RunnableDurations> detail::runnable_durations(const ResultView& view) {
  std::vector<RunnableDurations> durations(view.system.runnables.size());
  std::vector<amalthea::detail::Int128> sums(durations.size(), 0);
  for (const engine::RunnableResult& result : view.results.runnables) {
    RunnableDurations& all = durations[result.runnable];
    all.by_task.push_back(&result);
    const engine::Statistics& seen = result.duration;
    if (seen.jobs == 0) continue;
    const bool first = all.all.jobs == 0;
    all.all.min = first ? seen.min : std::min(all.all.min, seen.min);
    all.all.max = first ? seen.max : std::max(all.all.max, seen.max);
    all.all.jobs += seen.jobs;
    sums[result.runnable] += static_cast<amalthea::detail::Int128>(seen.mean.picoseconds()) *
                             static_cast<amalthea::detail::Int128>(seen.jobs);
  }
  for (std::size_t i = 0; i < durations.size(); ++i)
    if (durations[i].all.jobs > 0)
      durations[i].all.mean = Duration::picoseconds(amalthea::detail::divide(
          sums[i], static_cast<amalthea::detail::Int128>(durations[i].all.jobs), Rounding::nearest));
  return durations;
}

bool can_hold(const Model& model, const AnnotationRequest& request, Diagnostics& diagnostics) {
  const VersionSet measurements = versions_with({"MeasurementModel", "TaskMeasurement"});
  const VersionSet requirements = versions_with({"ConstraintsModel", "ProcessRequirement", "TimeRequirementLimit"});
  bool possible = true;
  for (const auto& document : model.documents()) {
    if (request.measurements && !measurements.contains(document->version())) {
      refuse(*document, "measurement model", "measurements", measurements, diagnostics);
      possible = false;
    }
    if (request.requirements && !requirements.contains(document->version())) {
      refuse(*document, "requirements on processes", "requirements", requirements, diagnostics);
      possible = false;
    }
  }
  return possible;
}

std::vector<Annotation> annotations_of(const Model& model, const ResultView& view, const AnnotationRequest& request,
                                       Diagnostics& diagnostics) {
  std::vector<Annotation> annotations;
  if (request.properties) add_all_properties(model, view, request.detail, annotations);
  if (request.measurements) detail::add_measurements(model, view, annotations, diagnostics);
  if (request.requirements) detail::add_requirements(model, view, annotations, diagnostics);
  std::set<const Document*> documents;
  for (const Annotation& annotation : annotations) documents.insert(&annotation.element.document());
  if (documents.empty()) documents.insert(model.documents().front().get());
  const Properties origin = provenance(model, view, request);
  for (const auto& document : model.documents())
    if (documents.contains(document.get())) annotations.push_back({document->root(), origin});
  return annotations;
}

}  // namespace amalthea::exporter
