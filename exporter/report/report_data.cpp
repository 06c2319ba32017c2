// SPDX-License-Identifier: Apache-2.0
// The data of a report's page. docs/reference/report.md describes every key.

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/explanation/what_if_json.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/report/detail/schedule_json.hpp"
#include "exporter/report/report.hpp"
#include "exporter/results/plan.hpp"
#include "exporter/results/results_json.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

/// The displayed data of many runs.
Json runs_json(const ReportView& view) {
  if (view.runs == nullptr) return nullptr;
  const Json all =
      Json::parse(render_runs_json({view.analysis.model, view.analysis.system, *view.runs, view.analysis.findings}));
  Json json = {{"simulation", all["simulation"]}, {"tasks", Json::array()}};
  for (const Json& task : all["tasks"])
    json["tasks"].push_back({{"name", task["name"]},
                             {"jobs", task["jobs"]},
                             {"response", task["response"]},
                             {"late", task["late"]},
                             {"worst_job", task["worst_job"]},
                             {"verdict", task["verdict"]}});
  return json;
}

/// The steps of each chain, [wait, run] each.
Json chain_steps_json(const engine::Results& results) {
  Json chains = Json::array();
  const auto list = [](const std::vector<engine::ChainStep>& steps) {
    Json json = Json::array();
    for (const engine::ChainStep& step : steps) json.push_back({step.wait.picoseconds(), step.run.picoseconds()});
    return json;
  };
  for (const engine::ChainResult& chain : results.chains)
    chains.push_back({{"observed", list(chain.observed_steps)}, {"implicit", list(chain.implicit_steps)}});
  return chains;
}

Json what_ifs_json(const ReportView& view) {
  Json json = Json::array();
  for (const TriedChanges& one : view.what_ifs)
    json.push_back({{"task", view.analysis.system.tasks[one.task].name},
                    {"tried", what_if_json(view.analysis.system, one.tried)}});
  return json;
}

Json difference_json(const ReportView& view) {
  if (view.difference == nullptr)
    return view.no_difference.empty() ? Json(nullptr) : Json{{"reason", view.no_difference}};
  const DifferenceView& difference = *view.difference;
  Json json = {{"before", difference.older.files},
               {"after", difference.newer.files},
               {"compared_as", difference.compared_as},
               {"changes", Json::array()}};
  for (const difference::Change& change : difference.changes) {
    const Object* object = change.newer != nullptr ? change.newer : change.older;
    Json one = {{"part", to_string(change.part)},
                {"kind", to_string(change.kind)},
                {"object", subject_text(change)},
                {"what", change_text(change)},
                {"location", nullptr}};
    if (object != nullptr)
      if (const Location location = object->location(); !location.file.empty())
        one["location"] = fmt::format("{}:{}:{}", location.file, location.line, location.column);
    json["changes"].push_back(std::move(one));
  }
  return json;
}

// ---- baseline

/// A number, or null for anything else.
Json number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? *found : Json(nullptr);
}
Json text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? *found : Json(nullptr);
}
const Json& object_of(const Json& object, const char* key) {
  static const Json empty = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : empty;
}

/// Applies `reduce` to every named object of the list.
template <typename Reduce>
Json reduced_list(const Json& object, const char* key, Reduce reduce) {
  Json list = Json::array();
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return list;
  for (const Json& entry : *found) {
    if (!entry.is_object() || !text_of(entry, "name").is_string()) continue;
    Json reduced = {{"name", entry["name"]}};
    reduce(entry, reduced);
    list.push_back(std::move(reduced));
  }
  return list;
}

Json reduced_baseline(const Json& results) {
  Json json;
  json["schema"] = results_schema;
  json["tool"] = {{"version", text_of(object_of(results, "tool"), "version")}};
  json["model"] = {{"hash", text_of(object_of(results, "model"), "hash")}};
  json["simulation"] = {{"execution", text_of(object_of(results, "simulation"), "execution")},
                        {"horizon_ps", number_of(object_of(results, "simulation"), "horizon_ps")}};
  json["tasks"] = reduced_list(results, "tasks", [](const Json& task, Json& out) {
    out["verdict"] = text_of(task, "verdict");
    out["core"] = text_of(task, "core");
    out["deadline_ps"] = number_of(task, "deadline_ps");
    out["simulated"] = {{"max_ps", number_of(object_of(task, "simulated"), "max_ps")}};
    out["bound"] = {{"wcrt_ps", number_of(object_of(task, "bound"), "wcrt_ps")}};
  });
  json["chains"] = reduced_list(results, "chains", [](const Json& chain, Json& out) {
    for (const char* way : {"simulated", "implicit", "explicit", "let"})
      out[way] = {{"reaction_ps", number_of(object_of(chain, way), "reaction_ps")},
                  {"age_ps", number_of(object_of(chain, way), "age_ps")}};
  });
  json["resources"] = reduced_list(results, "resources", [](const Json& resource, Json& out) {
    out["kind"] = text_of(resource, "kind");
    out["utilization"] = number_of(resource, "utilization");
    out["demand"] = number_of(resource, "demand");
  });
  return json;
}

}  // namespace

tl::expected<Baseline, std::string> read_baseline(std::string_view name, std::string_view text) {
  const auto read = outside_json<Json>(text);
  if (!read) return tl::unexpected(read.error());
  const Json& results = *read;
  if (!results.is_object() || text_of(results, "schema") != Json(results_schema))
    return tl::unexpected(fmt::format("it is not the output of analyze --format json (schema {})", results_schema));
  Baseline baseline{std::string(name),
                    reduced_baseline(results).dump(-1, ' ', false, Json::error_handler_t::replace),
                    {},
                    {},
                    known_limits(results)};
  const Json& model = object_of(results, "model");
  if (const Json hash = text_of(model, "hash"); hash.is_string()) baseline.hash = hash;
  if (const auto files = model.find("files"); files != model.end() && files->is_array())
    for (const Json& file : *files)
      if (file.is_string()) baseline.files.push_back(file);
  return baseline;
}

std::string render_report_data(const ReportView& view) {
  Json json;
  json["schema"] = report_schema;
  json["results"] = results_json(view.analysis);
  json["results"].erase("runnables");
  for (Json& task : json["results"]["tasks"]) task.erase("metrics");
  json["chain_steps"] = chain_steps_json(view.analysis.results);
  json["plan"] = view.analysis.plan != nullptr ? plan_json(*view.analysis.plan) : Json(nullptr);
  json["what_ifs"] = what_ifs_json(view);
  json["schedule"] = schedule_json(view.analysis.system, view.schedule);
  json["runs"] = runs_json(view);
  json["baseline"] = nullptr;
  if (view.baseline != nullptr)
    json["baseline"] = {{"name", view.baseline->name}, {"results", Json::parse(view.baseline->json)}};
  json["difference"] = difference_json(view);
  json["options"] = Json::array();
  for (const auto& [name, value] : view.options) json["options"].push_back({name, value});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace amalthea::exporter
