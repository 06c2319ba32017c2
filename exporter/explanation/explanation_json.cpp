// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "engine/verdict.hpp"
#include "exporter/explanation/explanation_formats.hpp"
#include "exporter/explanation/what_if_json.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

Json interval(const System& system, const engine::Interval& one) {
  Json json = {{"task", system.tasks[one.task].name},
               {"from_ps", one.from.picoseconds()},
               {"to_ps", one.to.picoseconds()},
               {"state", to_string(one.standing.state)},
               {"reason", to_string(one.standing.reason.kind)}};
  json["by"] = name_or_null(system.tasks, one.standing.reason.by);
  json["unit"] = name_or_null(system.platform.units, one.unit);
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
                    {"guaranteed", or_null(with.guaranteed)},
                    {"max_ps", with.response.jobs > 0 ? Json(with.response.max.picoseconds()) : Json(nullptr)},
                    {"wcrt_ps", picoseconds(with.bound.worst)},
                    {"reason", with.reason},
                    {"ticks_less_percent", or_null(one.percent_less)},
                    {"worse", names_json(system.tasks, one.late)},
                    {"works", one.works}});
  }
  return json;
}

std::string render_explanation_json(const ResultView& view, const Asked& asked, const engine::Explanation& explanation,
                                    const engine::WhatIfs& tried) {
  const System& system = view.system;
  const engine::TaskResult& result = view.results.tasks[explanation.task];
  const auto& deadline = system.tasks[explanation.task].deadline;
  Json judged;
  add_verdict(judged, engine::assess(system, view.results, view.findings));
  Json json = {{"schema", "amalthea-explanation/1"},
               {"model", model_json(view.model)},
               {"task", system.tasks[explanation.task].name},
               {"runnable", asked.runnable.empty() ? Json(nullptr) : Json(asked.runnable)},
               {"about", asked.about},
               {"wrapper", name_or_null(system.tasks, asked.wrapper)},
               {"verdict", to_string(result.verdict)},
               {"reason", result.reason},
               {"assumptions", judged["assumptions"]},
               {"deadline_ps", picoseconds(deadline)},
               {"selected", explanation.first_late ? "first late" : "longest"},
               {"job", explanation.job},
               {"release_ps", explanation.release.picoseconds()},
               {"completion_ps", explanation.completion.picoseconds()}};
  for (const engine::Interval& one : explanation.own) json["story"].push_back(interval(system, one));
  json["others"] = Json::array();
  for (const engine::Interval& one : explanation.others) json["others"].push_back(interval(system, one));
  json["contributions"] = contributions_json(system, explanation.contributions);
  json["bound"] = {{"wcrt_ps", picoseconds(result.bound.worst)},
                   {"reason", result.bound.reason.empty() ? Json(nullptr) : Json(result.bound.reason)},
                   {"contributions", contributions_json(system, result.bound.parts)}};
  json["what_if"] = what_if_json(system, tried.tried);
  json["smallest_change"] = or_null(tried.smallest);
  json["in_vain"] = tried.in_vain;
  return written(json);
}

}  // namespace amalthea::exporter
