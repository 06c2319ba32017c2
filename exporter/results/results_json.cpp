// SPDX-License-Identifier: Apache-2.0
// The results file. docs/reference/json.md describes every key.

#include <array>

#include <nlohmann/json.hpp>

#include "exporter/results/causes.hpp"
#include "exporter/results/detail/headroom_parts.hpp"
#include "exporter/results/detail/requirement_text.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/ratchet.hpp"
#include "exporter/results/result_formats.hpp"
#include "exporter/results/results_json.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* no_runnable_bound = "bounds are those of tasks and operations; see simulated";

const char* source_name(Chain::Source source) {
  constexpr std::array<const char*, 3> names{"model", "request", "label flow"};
  return names[static_cast<std::size_t>(source)];
}

/// Unknown values are null with a reason.
Json statistics(const engine::Statistics& values, const char* reason_for_none) {
  const bool known = values.jobs > 0;
  const auto time = [known](Duration value) { return known ? Json(value.picoseconds()) : Json(nullptr); };
  Json json = {{"jobs", values.jobs},
               {"min_ps", time(values.min)},
               {"mean_ps", time(values.mean)},
               {"max_ps", time(values.max)},
               {"p99_ps", time(values.p99)}};
  if (!known) json["reason"] = reason_for_none;
  return json;
}

Json no_bound(const std::string& reason) { return {{"bcrt_ps", nullptr}, {"wcrt_ps", nullptr}, {"reason", reason}}; }

/// `instead` replaces the bound's own reason if it is more specific.
Json bound(const engine::Bound& bound, const std::string& instead = {}) {
  Json json = {{"bcrt_ps", picoseconds(bound.best)}, {"wcrt_ps", picoseconds(bound.worst)}};
  if (bound.exact) json["exact"] = true;
  if (bound.proved) json["proved_ps"] = bound.proved->picoseconds();
  if (bound.worst && bound.method != engine::BoundMethod::equations) json["method"] = to_string(bound.method);
  if (!bound.worst) json["reason"] = instead.empty() ? bound.reason : instead;
  return json;
}

class JsonRenderer {
 public:
  explicit JsonRenderer(const ResultView& view) : view_(view), system_(view.system), results_(view.results) {}

  Json render() const {
    Json json = begun_json(results_schema, view_.model);
    add_limits(json);
    json["platform"] = platform();
    if (view_.ratchet != nullptr) json["ratchet"] = ratchet_json(*view_.ratchet);
    if (view_.causes != nullptr && view_.causes->problems != Problems{}) add_causes(json);
    json["analysis"] = {
        {"execution", to_string(results_.execution)},         {"memory", results_.memory_model},
        {"line_rule", to_string(results_.line_rule)},         {"contention", to_string(results_.contention)},
        {"communication", to_string(results_.communication)}, {"strict", results_.strict}};
    json["simulation"] = simulation();
    json["tasks"] = list(system_.tasks.size(), [this](std::size_t i) { return task(static_cast<TaskIndex>(i)); });
    json["runnables"] =
        list(results_.runnables.size(), [this](std::size_t i) { return runnable(results_.runnables[i]); });
    json["operations"] =
        list(results_.operations.size(), [this](std::size_t i) { return operation(results_.operations[i]); });
    json["chains"] = list(system_.chains.size(), [this](std::size_t i) { return chain(i); });
    json["requirements"] = list(results_.requirements.size(), [this](std::size_t i) { return requirement(i); });
    json["constraints"] = list(results_.constraints.size(), [this](std::size_t i) { return constraint(i); });
    json["resources"] =
        list(results_.resources.size(), [this](std::size_t i) { return resource(results_.resources[i]); });
    if (view_.headroom != nullptr) json["headroom"] = headroom_json(view_, *view_.headroom);
    json["open"] = list(results_.open.size(), [this](std::size_t i) { return open(results_.open[i]); });
    json["findings"] = findings_json(view_.findings.all());
    return json;
  }

 private:
  void add_causes(Json& json) const {
    json["causes"] = causes_json(*view_.causes);
    for (std::size_t i = 0; i < view_.causes->all.size(); ++i)
      add_place(json["causes"]["list"][i], location_of(view_, view_.causes->all[i].origin));
  }

  void add_limits(Json& json) const {
    const engine::Assessment assessment = engine::assess(system_, results_, view_.findings);
    add_verdict(json, assessment);
    for (std::size_t i = 0; i < assessment.limits.size(); ++i)
      add_place(json["limits"][i], location_of(view_, assessment.limits[i].origin));
  }

  static Json open(const engine::OpenResult& one) {
    Json json = {{"rule", one.id}, {"limits", one.limits}};
    add_place(json, one.location);
    return json;
  }

  template <typename Make>
  static Json list(std::size_t size, Make make) {
    Json array = Json::array();
    for (std::size_t i = 0; i < size; ++i) array.push_back(make(i));
    return array;
  }

  Json platform() const {
    Json gpus = Json::array();
    for (UnitIndex unit = 0; unit < system_.platform.units.size(); ++unit) {
      const ProcessingUnit& candidate = system_.platform.units[unit];
      if (candidate.type != PuType::gpu) continue;
      gpus.push_back({{"name", candidate.name},
                      {"profile", results_.device_profiles[unit]},
                      {"frequency_mhz", static_cast<double>(candidate.frequency.millihertz()) / 1e9}});
    }
    const Json first = gpus.empty() ? Json(nullptr) : gpus.front();
    Json json = {{"name", system_.platform.name}, {"gpu", first}, {"gpus", gpus}};
    return json;
  }

  Json simulation() const {
    return {{"execution", to_string(results_.execution)},
            {"horizon_ps", results_.horizon.picoseconds()},
            {"hyperperiod_ps", picoseconds(results_.hyperperiod)},
            {"events", results_.events},
            {"stopped_early", results_.stopped_early}};
  }

  std::string task_name(TaskIndex task) const { return system_.tasks[task].name; }

  Json task(TaskIndex index) const {
    const Task& task = system_.tasks[index];
    const engine::TaskResult& result = results_.tasks[index];
    const Task& executed = task.folded_into ? system_.tasks[*task.folded_into] : task;
    const bool unbounded = result.verdict == engine::Verdict::unbounded;
    Json json;
    json["name"] = task.name;
    json["core"] = system_.platform.units[executed.unit].name;
    json["side"] = executed.side == Side::device ? "device" : "host";
    json["priority"] = executed.priority;
    json["period_ps"] = picoseconds(results_.periods[index]);
    json["deadline_ps"] = picoseconds(task.deadline);
    json["bound"] = bound(result.bound, unbounded ? result.reason : "");
    json["bound"]["contributions"] = contributions_json(system_, result.bound.parts);
    json["simulated"] = statistics(result.response, "no job ended in the simulated time");
    json["simulated"]["unfinished"] = result.unfinished;
    json["simulated"]["lost_activations"] = result.lost_activations;
    json["simulated"]["missed_deadlines"] = result.missed_deadlines;
    json["metrics"] = metrics(result.metrics);
    json["verdict"] = to_string(result.verdict);
    json["guaranteed"] = or_null(result.guaranteed);
    json["reason"] = result.reason;
    json["worst_release_ps"] = result.worst_release ? Json(result.worst_release->picoseconds()) : Json(nullptr);
    json["contributions"] = contributions_json(system_, result.contributions);
    if (task.folded_into) json["folded_into"] = task_name(*task.folded_into);
    return json;
  }

  /// Keyed by AMALTHEA's names; null if no job has a value.
  static Json metrics(const engine::ProcessMetrics& metrics) {
    Json json;
    for (std::size_t i = 0; i < time_metrics; ++i)
      json[std::string(to_string(static_cast<TimeMetric>(i)))] = extent_json(metrics.times[i]);
    json["activations"] = metrics.activations;
    json["preemptions"] = metrics.preemptions;
    json["migrations"] = metrics.migrations;
    return json;
  }

  Json requirement(std::size_t index) const {
    const Requirement& requirement = system_.requirements[index];
    const engine::RequirementResult& result = results_.requirements[index];
    const auto text = [](std::string_view value) { return value.empty() ? Json(nullptr) : Json(value); };
    Json json = {{"name", requirement.name},
                 {"kind", to_string(requirement.kind)},
                 {"subject", text(requirement.subject_name)},
                 {"severity", text(to_string(requirement.severity))},
                 {"metric", text(metric_name(requirement))},
                 {"limit_type", text(to_string(requirement.limit_type))}};
    if (const auto* time = std::get_if<Requirement::TimeLimit>(&requirement.limit)) {
      const auto* observed = std::get_if<Duration>(&result.observed);
      json["limit_ps"] = picoseconds(time->value);
      json["observed_ps"] = observed != nullptr ? Json(observed->picoseconds()) : Json(nullptr);
      json["bound_ps"] = picoseconds(result.bound);
    } else {
      json["limit"] = nullptr;
      json["observed"] = nullptr;
      if (const auto* count = std::get_if<Requirement::CountLimit>(&requirement.limit)) json["limit"] = count->value;
      if (const auto* percent = std::get_if<Requirement::PercentageLimit>(&requirement.limit))
        json["limit"] = percent->value;
      if (const auto* frequency = std::get_if<Requirement::FrequencyLimit>(&requirement.limit))
        json["limit"] = or_null(frequency->hertz);
      if (const auto* cpu = std::get_if<Requirement::CpuLimit>(&requirement.limit)) {
        json["limit"] = cpu->value;
        json["unit"] = name_or_null(system_.platform.units, cpu->unit);
      }
      if (const auto* count = std::get_if<std::int64_t>(&result.observed)) json["observed"] = *count;
      if (const auto* percent = std::get_if<double>(&result.observed)) json["observed"] = *percent;
    }
    json["verdict"] = to_string(result.verdict);
    json["guaranteed"] = or_null(result.guaranteed);
    json["reason"] = result.reason;
    return json;
  }

  Json constraint(std::size_t index) const {
    const TimingConstraint& constraint = system_.constraints[index];
    const engine::ConstraintResult& result = results_.constraints[index];
    return {{"name", constraint.name},
            {"class", constraint.class_name},
            {"file", constraint.location.file},
            {"line", constraint.location.line},
            {"column", constraint.location.column},
            {"verdict", to_string(result.verdict)},
            {"guaranteed", or_null(result.guaranteed)},
            {"judged", result.judged},
            {"reason", result.reason}};
  }

  Json runnable(const engine::RunnableResult& result) const {
    return {{"name", system_.runnables[result.runnable].name},
            {"task", task_name(result.task)},
            {"bound", no_bound(no_runnable_bound)},
            {"simulated", statistics(result.duration, "did not run in the simulated time")}};
  }

  Json operation(const engine::OperationResult& result) const {
    const GraphNode& node = system_.graph[result.node];
    const auto* copy = std::get_if<Copy>(&node.activity);
    Json json = {{"name", node.name},
                 {"task", task_name(result.task)},
                 {"kind", kind_name(node.activity)},
                 {"bytes", copy != nullptr ? Json(copy->size.bytes) : Json(nullptr)}};
    json["runnable"] = name_or_null(system_.runnables, node.runnable);
    if (result.basis) json["basis"] = name_of(*result.basis);
    json["bound"] = bound(result.bound);
    json["simulated"] = statistics(result.duration, "did not run in the simulated time");
    return json;
  }

  static Json latency_bounds(const std::optional<engine::LatencyBounds>& bounds, const std::string& reason) {
    Json json;
    add_latencies(json, bounds);
    if (!bounds) json["reason"] = reason;
    return json;
  }

  static Json let_latencies(const engine::ChainResult& result) {
    Json json;
    add_latencies(json, result.let);
    json["first_to_first_ps"] = result.let ? Json(result.let->first_to_first.picoseconds()) : Json(nullptr);
    json["shortest_ps"] = result.let ? Json(result.let->shortest.picoseconds()) : Json(nullptr);
    if (!result.let) json["reason"] = result.let_reason;
    return json;
  }

  Json chain(std::size_t index) const {
    const Chain& chain = system_.chains[index];
    const engine::ChainResult& result = results_.chains[index];
    Json json = {{"name", chain.name},
                 {"source", source_name(chain.source)},
                 {"tasks", names_json(system_.tasks, chain.tasks)},
                 {"implicit", latency_bounds(result.implicit, result.implicit_reason)},
                 {"simulated", observed_json(result.observed)},
                 {"explicit", latency_bounds(result.explicit_access, result.explicit_reason)},
                 {"let", let_latencies(result)}};
    json["constraints"] = list(chain.limits.size(), [&](std::size_t i) {
      const ChainLimit& limit = chain.limits[i];
      const engine::ChainResult::Judgement& judged = result.limits[i].by(results_.communication);
      return Json{{"name", limit.name},
                  {"type", limit.kind == ChainLimit::Kind::age ? "age" : "reaction"},
                  {"minimum_ps", picoseconds(limit.minimum)},
                  {"maximum_ps", picoseconds(limit.maximum)},
                  {"implicit", to_string(result.limits[i].implicit.verdict)},
                  {"explicit", to_string(result.limits[i].explicit_access.verdict)},
                  {"let", to_string(result.limits[i].let.verdict)},
                  {"verdict", to_string(judged.verdict)},
                  {"guaranteed", or_null(judged.guaranteed)},
                  {"reason", judged.reason}};
    });
    return json;
  }

  Json resource(const engine::ResourceResult& result) const {
    return {{"name", name_of(system_, result)},
            {"kind", to_string(result.kind)},
            {"utilization", result.utilization},
            {"demand", result.demand},
            {"verdict", result.overloaded() ? "overloaded" : "ok"}};
  }

  const ResultView& view_;
  const System& system_;
  const engine::Results& results_;
};

}  // namespace

nlohmann::ordered_json results_json(const ResultView& view) { return JsonRenderer(view).render(); }

std::string render_json(const ResultView& view, const RenderOptions&) { return written(results_json(view)); }

}  // namespace amalthea::exporter
