// SPDX-License-Identifier: Apache-2.0
#include "analysis/graph.hpp"

#include <optional>

#include "amalthea/primitives/near_miss.hpp"
#include "analysis/request.hpp"
#include "exporter/graph/graph_formats.hpp"

namespace amalthea::analysis {

OptionTable graph_options(GraphRequest& request) {
  return joined({{row("task", &request.task, "Draw only this task", {group::output}, {.takes = "TASK"})},
                 build_options(request.build),
                 lenient_option(request.lenient)});
}

Outcome<std::string> graph(const Model& model, const GraphRequest& request, Diagnostics& findings) {
  const auto system = build(model, request.build, request.lenient, findings);
  if (!system) return tl::unexpected(Failure{});
  std::optional<TaskIndex> task;
  for (TaskIndex index = 0; index < system->tasks.size(); ++index)
    if (system->tasks[index].name == request.task) task = index;
  if (!request.task.empty() && !task)
    return misused("--task " + request.task, "the model has no such task",
                   did_you_mean_or_list(request.task, system->tasks, &Task::name));
  const auto render = request.format == "json"  ? exporter::render_graph_json
                      : request.format == "svg" ? exporter::render_graph_svg
                                                : exporter::render_graph_dot;
  return render(*system, task);
}

}  // namespace amalthea::analysis
