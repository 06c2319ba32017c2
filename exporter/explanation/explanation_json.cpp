// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/explanation/what_if_json.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

Json parts(const System& system, const std::vector<engine::Contribution>& contributions) {
  Json json = Json::array();
  for (const engine::Contribution& part : contributions) {
    json.push_back({{"kind", to_string(part.kind)},
                    {"by", part.by ? Json(system.tasks[*part.by].name) : Json(nullptr)},
                    {"ps", part.time.picoseconds()}});
    if (part.traffic != engine::TrafficKind::none) json.back()["traffic"] = to_string(part.traffic);
  }
  return json;
}

Json interval(const System& system, const engine::Interval& one) {
  Json json = {{"task", system.tasks[one.task].name},
               {"from_ps", one.from.picoseconds()},
               {"to_ps", one.to.picoseconds()},
               {"state", to_string(one.standing.state)},
               {"reason", to_string(one.standing.reason.kind)}};
  json["by"] = one.standing.reason.by ? Json(system.tasks[*one.standing.reason.by].name) : Json(nullptr);
  json["unit"] = one.unit ? Json(system.platform.units[*one.unit].name) : Json(nullptr);
  json["runnable"] = nullptr;
  if (one.node)
    if (const auto runnable = system.graph[*one.node].runnable) json["runnable"] = system.runnables[*runnable].name;
  return json;
}

}  // namespace

Json what_if_json(const System& system, const std::vector<engine::WhatIf>& tried) {
  Json json = Json::array();
  for (const engine::WhatIf& one : tried) {
    const engine::TaskResult& with = one.result;
    json.push_back({{"kind", to_string(one.kind)},
                    {"change", one.change},
                    {"values", one.values},
                    {"verdict", to_string(with.verdict)},
                    {"guaranteed", with.guaranteed ? Json(*with.guaranteed) : Json(nullptr)},
                    {"max_ps", with.response.jobs > 0 ? Json(with.response.max.picoseconds()) : Json(nullptr)},
                    {"wcrt_ps", with.bound.worst ? Json(with.bound.worst->picoseconds()) : Json(nullptr)},
                    {"reason", with.reason},
                    {"ticks_less_percent", one.percent_less ? Json(*one.percent_less) : Json(nullptr)},
                    {"worse", Json::array()},
                    {"works", one.works}});
    for (const TaskIndex other : one.late) json.back()["worse"].push_back(system.tasks[other].name);
  }
  return json;
}

std::string render_explanation_json(const ResultView& view, const Asked& asked, const engine::Explanation& explanation,
                                    const engine::WhatIfs& tried) {
  const System& system = view.system;
  const engine::TaskResult& result = view.results.tasks[explanation.task];
  const auto& deadline = system.tasks[explanation.task].deadline;
  Json json = {{"schema", "amalthea-explanation/1"},
               {"model", {{"files", view.model.files}, {"version", view.model.version}, {"hash", view.model.hash}}},
               {"task", system.tasks[explanation.task].name},
               {"runnable", asked.runnable.empty() ? Json(nullptr) : Json(asked.runnable)},
               {"wrapper", asked.wrapper ? Json(system.tasks[*asked.wrapper].name) : Json(nullptr)},
               {"verdict", to_string(result.verdict)},
               {"reason", result.reason},
               {"deadline_ps", deadline ? Json(deadline->picoseconds()) : Json(nullptr)},
               {"job", explanation.job},
               {"release_ps", explanation.release.picoseconds()},
               {"completion_ps", explanation.completion.picoseconds()}};
  for (const engine::Interval& one : explanation.own) json["story"].push_back(interval(system, one));
  json["others"] = Json::array();
  for (const engine::Interval& one : explanation.others) json["others"].push_back(interval(system, one));
  json["contributions"] = parts(system, result.contributions);
  json["bound"] = {{"wcrt_ps", result.bound.worst ? Json(result.bound.worst->picoseconds()) : Json(nullptr)},
                   {"reason", result.bound.reason.empty() ? Json(nullptr) : Json(result.bound.reason)},
                   {"contributions", parts(system, result.bound.parts)}};
  json["what_if"] = what_if_json(system, tried.tried);
  json["smallest_change"] = tried.smallest ? Json(*tried.smallest) : Json(nullptr);
  json["in_vain"] = tried.in_vain;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace amalthea::exporter
