// The results file. docs/results.md describes every key.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/analysis.hpp"
#include "exporter/json_parts.hpp"
#include "exporter/result_formats.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* no_runnable_bound = "bounds are those of tasks and operations; see simulated";

Json picoseconds(std::optional<Duration> duration) { return duration ? Json(duration->picoseconds()) : Json(nullptr); }

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

/// `instead` of the bound's own reason, where it says more.
Json bound(const engine::Bound& bound, const std::string& instead = {}) {
  Json json = {{"bcrt_ps", picoseconds(bound.best)}, {"wcrt_ps", picoseconds(bound.worst)}};
  if (!bound.worst) json["reason"] = instead.empty() ? bound.reason : instead;
  return json;
}

class JsonRenderer {
 public:
  explicit JsonRenderer(const ResultView& view) : view_(view), system_(view.system), results_(view.results) {}

  Json render() const {
    Json json;
    json["schema"] = results_schema;
    json["tool"] = {{"name", tool_name}, {"version", tool_version}};
    json["model"] = {{"files", view_.model.files}, {"version", view_.model.version}, {"hash", view_.model.hash}};
    json["platform"] = platform();
    json["simulation"] = simulation();
    json["tasks"] = list(system_.tasks.size(), [this](std::size_t i) { return task(static_cast<TaskIndex>(i)); });
    json["runnables"] =
        list(results_.runnables.size(), [this](std::size_t i) { return runnable(results_.runnables[i]); });
    json["operations"] =
        list(results_.operations.size(), [this](std::size_t i) { return operation(results_.operations[i]); });
    json["chains"] = list(system_.chains.size(), [this](std::size_t i) { return chain(system_.chains[i]); });
    json["resources"] =
        list(results_.resources.size(), [this](std::size_t i) { return resource(results_.resources[i]); });
    json["findings"] = findings_json(view_.findings.all());
    return json;
  }

 private:
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

  Json contributions(const std::vector<engine::Contribution>& parts) const {
    return list(parts.size(), [&](std::size_t i) {
      return Json{{"kind", to_string(parts[i].kind)},
                  {"by", parts[i].by ? Json(task_name(*parts[i].by)) : Json(nullptr)},
                  {"ps", parts[i].time.picoseconds()}};
    });
  }

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
    json["bound"]["contributions"] = contributions(result.bound.parts);
    json["simulated"] = statistics(result.response, "no job ended in the simulated time");
    json["simulated"]["unfinished"] = result.unfinished;
    json["simulated"]["lost_activations"] = result.lost_activations;
    json["simulated"]["missed_deadlines"] = result.missed_deadlines;
    json["verdict"] = to_string(result.verdict);
    json["guaranteed"] = result.guaranteed ? Json(*result.guaranteed) : Json(nullptr);
    json["reason"] = result.reason;
    json["worst_release_ps"] = result.worst_release ? Json(result.worst_release->picoseconds()) : Json(nullptr);
    json["contributions"] = contributions(result.contributions);
    if (task.folded_into) json["folded_into"] = task_name(*task.folded_into);
    return json;
  }

  Json runnable(const engine::RunnableResult& result) const {
    return {{"name", system_.runnables[result.runnable].name},
            {"task", task_name(result.task)},
            {"bound", no_bound(no_runnable_bound)},
            {"simulated", statistics(result.duration, "never ran in the simulated time")}};
  }

  Json operation(const engine::OperationResult& result) const {
    const GraphNode& node = system_.graph[result.node];
    const auto* copy = std::get_if<Copy>(&node.activity);
    Json json = {{"name", node.name},
                 {"task", task_name(result.task)},
                 {"kind", kind_name(node.activity)},
                 {"bytes", copy != nullptr ? Json(copy->size.bytes) : Json(nullptr)}};
    json["runnable"] = node.runnable ? Json(system_.runnables[*node.runnable].name) : Json(nullptr);
    json["bound"] = bound(result.bound);
    json["simulated"] = statistics(result.duration, "never ran in the simulated time");
    return json;
  }

  Json chain(const Chain& chain) const {
    constexpr const char* reason = "chain latencies are not computed";
    return {
        {"name", chain.name},
        {"tasks", list(chain.tasks.size(), [&](std::size_t i) { return Json(task_name(chain.tasks[i])); })},
        {"implicit", {{"reaction_ps", nullptr}, {"age_ps", nullptr}, {"reason", reason}}},
        {"let", {{"reaction_ps", nullptr}, {"reduced_reaction_ps", nullptr}, {"age_ps", nullptr}, {"reason", reason}}}};
  }

  Json resource(const engine::ResourceResult& result) const {
    return {{"name", system_.platform.units[result.unit].name},
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

std::string render_json(const ResultView& view, const RenderOptions&) {
  // Names that are not valid UTF-8 are possible in ISO-8859 files read byte by byte; they are replaced, not refused.
  return JsonRenderer(view).render().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace amalthea::exporter
