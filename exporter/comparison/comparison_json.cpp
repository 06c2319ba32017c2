// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "engine/verdict.hpp"
#include "exporter/comparison/comparison_formats.hpp"
#include "exporter/results/json_parts.hpp"
#include "exporter/results/verdict_text.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

/// Null without a value.
Json sample_json(const engine::Sample& sample) {
  if (sample.count() == 0) return nullptr;
  return {{"count", sample.count()},
          {"min_ps", sample.min().picoseconds()},
          {"mean_ps", sample.mean().picoseconds()},
          {"p50_ps", sample.percentile(500).picoseconds()},
          {"p99_ps", sample.percentile(990).picoseconds()},
          {"max_ps", sample.max().picoseconds()},
          {"exact", sample.exact()}};
}

Json task_json(const ComparisonView& view, TaskIndex index) {
  const traces::MeasuredTask& seen = view.measured.tasks[index];
  const engine::TaskResult& judged = view.measured.judged.tasks[index];
  Json json{{"name", view.system.tasks[index].name},
            {"activations", seen.activations},
            {"lost_activations", seen.lost},
            {"unfinished", seen.unfinished},
            {"response", sample_json(seen.response)},
            {"execution", sample_json(seen.execution)},
            {"longest_job", seen.longest.empty() ? Json(nullptr) : Json(seen.longest)},
            {"deadline_ps", picoseconds(view.system.tasks[index].deadline)},
            {"late", seen.late},
            {"preemptions", seen.metrics.preemptions},
            {"migrations", seen.metrics.migrations},
            {"metrics", Json::object()}};
  for (std::size_t metric = 0; metric < time_metrics; ++metric)
    if (const engine::Extent& extent = seen.metrics.times[metric]; extent.jobs() > 0)
      json["metrics"][std::string(to_string(static_cast<TimeMetric>(metric)))] = extent_json(extent);
  json["bound_ps"] = view.bounds == nullptr ? Json(nullptr) : picoseconds(view.bounds->tasks[index].bound.worst);
  json["simulated"] = nullptr;
  if (view.simulated != nullptr) {
    const engine::Sample& simulated = view.simulated->tasks[index].response;
    json["simulated"] = sample_json(simulated);
    if (simulated.count() > 0)
      json["simulated"]["distance"] =
          seen.response.count() > 0 ? Json(kolmogorov_distance(seen.response, simulated)) : Json(nullptr);
  }
  json["verdict"] = to_string(judged.verdict);
  json["reason"] = judged.reason;
  return json;
}

}  // namespace

std::string render_comparison_json(const ComparisonView& view) {
  const System& system = view.system;
  Json json = begun_json(comparison_schema, view.model);
  json["traces"] = Json::array();
  for (const traces::TraceFile& file : view.measured.files)
    json["traces"].push_back({{"file", file.path},
                              {"format", file.report.format},
                              {"events", file.report.events},
                              {"ignored", file.report.ignored},
                              {"begin_ps", file.begin.picoseconds()},
                              {"end_ps", file.end.picoseconds()},
                              {"truncated", file.truncated}});
  add_verdict(json, engine::assess(system, view.measured.judged, Diagnostics{}));
  json["simulated_runs"] = view.simulated == nullptr ? Json(nullptr) : Json(view.simulated->runs);
  json["tasks"] = Json::array();
  for (TaskIndex index = 0; index < system.tasks.size(); ++index)
    if (!system.tasks[index].folded_into) json["tasks"].push_back(task_json(view, index));
  json["runnables"] = Json::array();
  for (const traces::MeasuredRunnable& runnable : view.measured.runnables)
    json["runnables"].push_back({{"name", system.runnables[runnable.runnable].name},
                                 {"task", system.tasks[runnable.task].name},
                                 {"runs", runnable.runs},
                                 {"execution", sample_json(runnable.execution)},
                                 {"duration", sample_json(runnable.duration)}});
  json["operations"] = Json::array();
  for (const traces::MeasuredOperation& operation : view.measured.operations)
    json["operations"].push_back({{"name", system.graph[operation.node].name},
                                  {"task", system.tasks[operation.task].name},
                                  {"execution", sample_json(operation.execution)},
                                  {"duration", sample_json(operation.duration)},
                                  {"block", sample_json(operation.block)}});
  json["unmatched"] = Json::array();
  for (const traces::Unmatched& unmatched : view.measured.unmatched)
    json["unmatched"].push_back(
        {{"name", unmatched.name}, {"kind", traces::to_string(unmatched.kind)}, {"events", unmatched.events}});
  json["unused_patterns"] = view.measured.unused_rules;
  json["findings"] = findings_json(view.findings.all());
  return written(json);
}

}  // namespace amalthea::exporter
