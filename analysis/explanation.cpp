// SPDX-License-Identifier: Apache-2.0
#include "analysis/explanation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "engine/small_changes.hpp"
#include "importer/building/mapping_constraints.hpp"

namespace amalthea::analysis {
namespace {

/// The tasks that execute a runnable, by its name.
std::vector<TaskIndex> tasks_with_runnable(const System& system, const std::string& name) {
  std::vector<TaskIndex> found;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const auto& body = system.tasks[task].body;
    if (std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
          const auto& runnable = system.graph[node].runnable;
          return runnable && system.runnables[*runnable].name == name;
        }))
      found.push_back(task);
  }
  return found;
}

/// The task to explain for a name that is no task's, if there is exactly one.
Outcome<TaskIndex> task_of_runnable(const System& system, const std::string& name) {
  const std::vector<TaskIndex> tasks = tasks_with_runnable(system, name);
  if (tasks.size() == 1) return tasks.front();
  if (tasks.empty())
    return misused({}, fmt::format("the model has no task \"{}\"", name),
                   did_you_mean_or_list(name, system.tasks, &Task::name));
  std::string names;
  for (const TaskIndex task : tasks)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", system.tasks[task].name);
  return misused({}, fmt::format("several tasks execute the runnable \"{}\": {}", name, names), "name one of them");
}

/// The task of this name, or that of the runnable, which `asked` then states.
Outcome<TaskIndex> task_to_explain(const System& system, const std::string& name, exporter::Asked& asked) {
  const auto same = [&](const Task& task) { return task.name == name; };
  const auto task = std::find_if(system.tasks.begin(), system.tasks.end(), same);
  if (task == system.tasks.end()) {
    asked.runnable = name;
    return task_of_runnable(system, name);
  }
  if (std::count_if(task, system.tasks.end(), same) > 1)
    return misused({}, fmt::format("the model has several tasks named \"{}\"", name),
                   "rename them, or use one variant of the model");
  return static_cast<TaskIndex>(task - system.tasks.begin());
}

}  // namespace

Outcome<Explained> explain(const Model& model, const AnalysisRequest& request, const std::string& name,
                           Diagnostics& findings, Work* work) {
  auto prepared = prepare(model, request, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  prepared->analysis.work = work;
  Explained found;
  const auto task = task_to_explain(prepared->system, name, found.asked);
  if (!task) return tl::unexpected(task.error());
  auto analyzed = results_of(std::move(*prepared), findings);
  if (!analyzed) return tl::unexpected(analyzed.error());
  static_cast<Analyzed&>(found) = std::move(*analyzed);
  found.task = found.system.tasks[*task].folded_into.value_or(*task);
  found.asked.wrapper = engine::wrapper_of(found.system, found.task);
  if (auto explanation = engine::explain(found.system, found.analysis, found.results, found.task))
    found.explanation = std::move(*explanation);
  else
    found.no_job = explanation.error();
  if (found.results.stopped_early) return found;  // what was stopped would be stopped again
  Diagnostics ignored;                            // `explore` reports constraints that it cannot keep
  const auto allowed = importer::mapping_constraints(model, {&found.system}, false, ignored).allowed;
  found.tried = engine::what_if(found.system, found.analysis, found.results, allowed, found.task);
  return found;
}

}  // namespace amalthea::analysis
