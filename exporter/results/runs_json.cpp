// SPDX-License-Identifier: Apache-2.0
// Many runs as JSON. docs/reference/simulation.md describes every key.

#include <cmath>

#include <nlohmann/json.hpp>

#include "exporter/results/json_parts.hpp"
#include "exporter/results/runs_formats.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

/// Maximum number of bars in a chart.
constexpr std::int64_t max_bars = 50;

Json interval(const engine::Share& share) {
  return {{"share", share.value}, {"lower_95", share.lower}, {"upper_95", share.upper}};
}

class RunsJson {
 public:
  explicit RunsJson(const RunsView& view) : view_(view), system_(view.system), runs_(view.runs) {}

  Json render() const {
    Json json = begun_json(runs_schema, view_.model);
    add_verdict(json, engine::assess(system_, runs_.judged, view_.findings));
    json["simulation"] = {{"execution", to_string(runs_.execution)},
                          {"runs", runs_.runs},
                          {"seed", runs_.seed},
                          {"horizon_ps", runs_.horizon.picoseconds()},
                          {"hyperperiod_ps", picoseconds(runs_.hyperperiod)},
                          {"events", runs_.events},
                          {"stopped_runs", runs_.stopped}};
    if (view_.witness != nullptr) json["witness"] = witness(*view_.witness);
    json["tasks"] = Json::array();
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) json["tasks"].push_back(task(index));
    json["chains"] = Json::array();
    for (std::size_t index = 0; index < system_.chains.size(); ++index) json["chains"].push_back(chain(index));
    json["resources"] = Json::array();
    for (const engine::ResourceRuns& resource : runs_.resources)
      json["resources"].push_back(
          {{"name", name_of(system_, resource)},
           {"kind", to_string(resource.kind)},
           {"utilization", {{"mean", resource.mean}, {"min", resource.least}, {"max", resource.most}}}});
    json["findings"] = findings_json(view_.findings.all());
    return json;
  }

 private:
  Json witness(const engine::Witness& found) const {
    Json json = {{"task", system_.tasks[found.task].name},
                 {"response_ps", found.response.picoseconds()},
                 {"wcrt_ps", picoseconds(found.bound)},
                 {"simulations", found.simulations},
                 {"releases", Json::array()}};
    for (const engine::Witness::Moved& moved : found.moved)
      json["releases"].push_back({{"stimulus", system_.stimuli[moved.stimulus].name},
                                  {"stated_offset_ps", moved.stated.picoseconds()},
                                  {"offset_ps", moved.chosen.picoseconds()}});
    return json;
  }
  Json response(const engine::TaskRuns& task) const {
    const engine::Sample& sample = task.response;
    const bool known = sample.count() > 0;
    const auto time = [known](auto value) { return known ? Json(value().picoseconds()) : Json(nullptr); };
    Json json;
    json["min_ps"] = time([&] { return sample.min(); });
    json["mean_ps"] = time([&] { return sample.mean(); });
    json["mean_half_width_95_ps"] =
        task.means.runs() >= 2 ? Json(std::llround(task.means.half_width())) : Json(nullptr);
    json["standard_deviation_ps"] = time([&] { return sample.standard_deviation(); });
    for (const auto& [name, thousandths] :
         {std::pair{"p50_ps", 500}, {"p90_ps", 900}, {"p95_ps", 950}, {"p99_ps", 990}, {"p99_9_ps", 999}}) {
      const int rank = thousandths;
      json[name] = time([&sample, rank] { return sample.percentile(rank); });
    }
    json["max_ps"] = time([&] { return sample.max(); });
    json["exact"] = sample.exact();
    if (!known) json["reason"] = "no job ended in the simulated time";
    json["histogram"] = Json::array();
    if (known)
      for (const engine::Sample::Bin& bin : sample.bins(max_bars))
        json["histogram"].push_back(
            {{"lower_ps", bin.lower.picoseconds()}, {"upper_ps", bin.upper.picoseconds()}, {"jobs", bin.count}});
    return json;
  }

  Json task(TaskIndex index) const {
    const Task& task = system_.tasks[index];
    const engine::TaskRuns& runs = runs_.tasks[index];
    const Task& executed = task.folded_into ? system_.tasks[*task.folded_into] : task;
    Json json;
    json["name"] = task.name;
    json["core"] = system_.platform.units[executed.unit].name;
    json["period_ps"] = picoseconds(runs_.periods[index]);
    json["deadline_ps"] = picoseconds(task.deadline);
    json["jobs"] = runs.jobs();
    json["unfinished"] = runs.unfinished;
    json["lost_activations"] = runs.lost_activations;
    json["response"] = response(runs);
    json["bound"] = {{"bcrt_ps", picoseconds(runs.bound.best)}, {"wcrt_ps", picoseconds(runs.bound.worst)}};
    if (!runs.bound.worst) json["bound"]["reason"] = runs.bound.reason;
    json["late"] = nullptr;
    if (task.deadline && runs.jobs() > 0) {
      json["late"] = interval(engine::wilson_interval(runs.late, runs.jobs()));
      json["late"]["jobs"] = runs.late;
      json["late"]["runs"] = interval(engine::wilson_interval(runs.runs_with_late, runs_.runs));
      json["late"]["runs"]["runs"] = runs.runs_with_late;
    }
    json["worst_job"] = nullptr;
    if (runs.worst)
      json["worst_job"] = {{"run", runs.worst->run},
                           {"seed", runs.worst->seed},
                           {"release_ps", runs.worst->release.picoseconds()},
                           {"response_ps", runs.worst->response.picoseconds()}};
    json["verdict"] = to_string(runs.verdict);
    if (task.folded_into) json["folded_into"] = system_.tasks[*task.folded_into].name;
    return json;
  }

  Json chain(std::size_t index) const {
    return {{"name", system_.chains[index].name},
            {"tasks", names_json(system_.tasks, system_.chains[index].tasks)},
            {"simulated", observed_json(runs_.chains[index])}};
  }

  const RunsView& view_;
  const System& system_;
  const engine::ManyRuns& runs_;
};

}  // namespace

std::string render_runs_json(const RunsView& view) { return written(RunsJson(view).render()); }

}  // namespace amalthea::exporter
