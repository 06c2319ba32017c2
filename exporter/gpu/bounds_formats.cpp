// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/answers.hpp"

#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
namespace nvidia = engine::nvidia;
using nvidia::BoundPart;

bool offloads(const nvidia::TaskBound& bound) { return !bound.gpu_segments.empty(); }

/// Display text of a part.
std::string label(const nvidia::TimeSliceProblem& problem, const nvidia::BoundShare& share) {
  const std::string_view by = share.by ? std::string_view(problem.tasks[*share.by].name) : std::string_view();
  switch (share.part) {
    case BoundPart::execution:
      return "own execution";
    case BoundPart::gpu:
      return "own copies and kernels";
    case BoundPart::slowed_by_copies:
      return fmt::format("own kernels slowed by copies of {}", by);
    case BoundPart::slowed_by_kernels:
      return fmt::format("own copies slowed by kernels of {}", by);
    case BoundPart::slowed_by_cpu:
      return fmt::format("own copies and kernels slowed by CPU traffic of {}", by);
    case BoundPart::own_switches:
      return "GPU context switch to this task";
    case BoundPart::preemption:
      return fmt::format("core used by {}", by);
    case BoundPart::blocking:
      return fmt::format("blocked by {} (not preemptible)", by);
    case BoundPart::slices:
      return fmt::format("GPU used by {}", by);
    case BoundPart::overruns:
      return fmt::format("GPU used by {} beyond its time slice", by);
    case BoundPart::switches:
      return fmt::format("GPU context switch to {}", by);
    case BoundPart::streams:
      return fmt::format("GPU used by {} in the same context", by);
  }
  return {};
}

}  // namespace

std::string render_json(const BoundsAnswer& answer) {
  const auto& [problem, bounds] = answer;
  ordered_json json;
  json["tasks"] = ordered_json::array();
  bool all = true;
  for (std::size_t index = 0; index < bounds.tasks.size(); ++index) {
    const nvidia::GpuTask& task = problem.tasks[index];
    const nvidia::TaskBound& bound = bounds.tasks[index];
    all = all && bound.in_time;
    ordered_json row;
    row["name"] = task.name;
    row["core"] = problem.cores[task.core];
    row["wait"] = offloads(bound) ? ordered_json(name_of(task.wait)) : ordered_json(nullptr);
    row["period_ps"] = task.period.picoseconds();
    row["deadline_ps"] = task.deadline.picoseconds();
    row["response_ps"] = bound.response ? ordered_json(bound.response->picoseconds()) : ordered_json(nullptr);
    row["best_ps"] = bound.best.picoseconds();
    row["in_time"] = bound.in_time;
    row["reason"] = bound.reason;
    row["gpu_segments_ps"] = ordered_json::array();
    for (const Duration segment : bound.gpu_segments) row["gpu_segments_ps"].push_back(segment.picoseconds());
    row["parts"] = ordered_json::array();
    for (const nvidia::BoundShare& share : bound.parts)
      row["parts"].push_back({{"part", name_of(share.part)},
                              {"by", share.by ? ordered_json(problem.tasks[*share.by].name) : ordered_json(nullptr)},
                              {"time_ps", share.time.picoseconds()}});
    json["tasks"].push_back(std::move(row));
  }
  json["demand"] = {{"cores", ordered_json::array()},
                    {"copy_engine", bounds.copy_demand},
                    {"execution_engine", bounds.execution_demand}};
  for (std::size_t core = 0; core < problem.cores.size(); ++core)
    json["demand"]["cores"].push_back({{"core", problem.cores[core]}, {"demand", bounds.core_demand[core]}});
  json["in_time"] = all;
  return json.dump() + "\n";
}

std::string render_text(const BoundsAnswer& answer, bool colour) {
  const auto& [problem, bounds] = answer;
  auto table = TextTable::of("task", "core", "waits", ">best", ">bound", ">deadline", "", "");
  for (std::size_t index = 0; index < bounds.tasks.size(); ++index) {
    const nvidia::GpuTask& task = problem.tasks[index];
    const nvidia::TaskBound& bound = bounds.tasks[index];
    table.add(task.name, problem.cores[task.core], offloads(bound) ? name_of(task.wait) : "-",
              format_duration(bound.best, Rounding::down),
              bound.response ? format_duration(*bound.response, Rounding::up) : "none", format_duration(task.deadline),
              bound.in_time ? TextTable::Cell{"in time", Colour::good} : TextTable::Cell{"not guaranteed", Colour::bad},
              bound.reason);
  }
  std::string out = table.render(colour);
  for (std::size_t index = 0; index < bounds.tasks.size(); ++index) {
    const nvidia::TaskBound& bound = bounds.tasks[index];
    if (!bound.response && !offloads(bound)) continue;
    out += heading(problem.tasks[index].name, colour);
    auto parts = TextTable::of("contribution", ">time");
    for (const nvidia::BoundShare& share : bound.parts)
      parts.add(label(problem, share), format_duration(share.time, Rounding::up));
    if (!parts.empty()) out += parts.render(colour);
    for (std::size_t segment = 0; segment < bound.gpu_segments.size(); ++segment)
      out += fmt::format("GPU segment {}: at most {} from its start to its end\n", segment + 1,
                         format_duration(bound.gpu_segments[segment], Rounding::up));
  }
  out += heading("Long-term demand", colour);
  for (std::size_t core = 0; core < problem.cores.size(); ++core)
    out += fmt::format("core {}: {:.4f}\n", one_line(problem.cores[core]), bounds.core_demand[core]);
  out += fmt::format("copy engine: {:.4f}\nexecution engine: {:.4f}\n", bounds.copy_demand, bounds.execution_demand);
  return out;
}

}  // namespace amalthea::exporter
