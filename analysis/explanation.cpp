// SPDX-License-Identifier: Apache-2.0
#include "analysis/explanation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/quantity.hpp"
#include "engine/small_changes.hpp"
#include "engine/verdict.hpp"
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

/// What a name stands for: a task, or a limit.
struct Subject {
  std::optional<TaskIndex> task;
  std::optional<std::uint32_t> chain, requirement, constraint;
};

template <typename Items>
std::optional<std::uint32_t> named(const Items& items, const std::string& name) {
  for (std::uint32_t index = 0; index < items.size(); ++index)
    if (items[index].name == name) return index;
  return std::nullopt;
}

/// A chain by its name or by that of one of its limits, a requirement, a constraint; none of them: nothing.
std::optional<Subject> limit_named(const System& system, const std::string& name) {
  if (const auto chain = named(system.chains, name)) return Subject{{}, chain, {}, {}};
  for (std::uint32_t chain = 0; chain < system.chains.size(); ++chain)
    if (named(system.chains[chain].limits, name)) return Subject{{}, chain, {}, {}};
  if (const auto requirement = named(system.requirements, name)) return Subject{{}, {}, requirement, {}};
  if (const auto constraint = named(system.constraints, name)) return Subject{{}, {}, {}, constraint};
  return std::nullopt;
}

/// The task of this name, that of the runnable, which `asked` then states, or a limit.
Outcome<Subject> subject_of(const System& system, const std::string& name, exporter::Asked& asked) {
  const auto same = [&](const Task& task) { return task.name == name; };
  const auto task = std::find_if(system.tasks.begin(), system.tasks.end(), same);
  if (task == system.tasks.end()) {
    if (tasks_with_runnable(system, name).empty())
      if (const auto limit = limit_named(system, name)) return *limit;
    asked.runnable = name;
    return task_of_runnable(system, name).map([](TaskIndex found) { return Subject{found, {}, {}, {}}; });
  }
  if (std::count_if(task, system.tasks.end(), same) > 1)
    return misused({}, fmt::format("the model has several tasks named \"{}\"", name),
                   "rename them, or use one variant of the model");
  return Subject{static_cast<TaskIndex>(task - system.tasks.begin()), {}, {}, {}};
}

// ---- the task that a limit is most about, and what is known about the limit

/// The steps of the longest latency seen, or of the bound; the task that adds most.
TaskIndex about_chain(Explained& found, std::uint32_t index) {
  std::vector<std::string>& about = found.asked.about;
  const Chain& chain = found.system.chains[index];
  const engine::ChainResult& result = found.results.chains[index];
  found.verdict = engine::OverallVerdict::guaranteed;
  for (std::size_t i = 0; i < chain.limits.size(); ++i) {
    const engine::ChainResult::Judgement& judged = result.limits[i].by(found.results.communication);
    found.verdict = std::max(*found.verdict, engine::verdict_on(judged.verdict, judged.guaranteed));
    about.push_back(fmt::format("latency constraint {} of chain {}: {}: {}", chain.limits[i].name, chain.name,
                                to_string(engine::verdict_on(judged.verdict, judged.guaranteed)), judged.reason));
  }
  const bool seen = !result.observed_steps.empty();
  const auto& steps = seen ? result.observed_steps : result.implicit_steps;
  if (steps.empty()) {
    about.push_back(fmt::format("chain {}: {}", chain.name,
                                chain.gap.empty() ? "no latency was seen, and there is no bound" : chain.gap));
    return chain.tasks.empty() ? 0 : chain.tasks.front();
  }
  std::size_t most = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    about.push_back(fmt::format(
        "{}{}: waits {}, then runs {}", i == 0 ? (seen ? "longest reaction seen: " : "bound: ") : "",
        found.system.tasks[chain.tasks[i]].name, format_duration(steps[i].wait), format_duration(steps[i].run)));
    if (steps[i].wait + steps[i].run > steps[most].wait + steps[most].run) most = i;
  }
  about.push_back(fmt::format("most of it is that of {}", found.system.tasks[chain.tasks[most]].name));
  return chain.tasks[most];
}

/// Of several tasks the one with the worst verdict.
std::optional<TaskIndex> worst_of(const Analyzed& found, const std::vector<TaskIndex>& tasks) {
  std::optional<TaskIndex> worst;
  for (const TaskIndex task : tasks)
    if (!worst || engine::verdict_on(found.results.tasks[task]) > engine::verdict_on(found.results.tasks[*worst]))
      worst = task;
  return worst;
}

std::optional<TaskIndex> about_requirement(Explained& found, std::uint32_t index) {
  const Requirement& one = found.system.requirements[index];
  const engine::RequirementResult& result = found.results.requirements[index];
  found.verdict = engine::verdict_on(result.verdict, result.guaranteed);
  found.asked.about.push_back(
      fmt::format("requirement {}: {}: {}", one.name, to_string(*found.verdict), result.reason));
  if (const auto* of = std::get_if<Requirement::OfProcess>(&one.subject)) return of->task;
  if (const auto* of = std::get_if<Requirement::OfChain>(&one.subject)) return worst_of(found, of->tasks);
  if (const auto* of = std::get_if<Requirement::OfRunnable>(&one.subject))
    return worst_of(found, tasks_with_runnable(found.system, found.system.runnables[of->runnable].name));
  return std::nullopt;
}

/// The tasks in which the event occurs.
void add_tasks(const System& system, const ObservableEvent& event, std::vector<TaskIndex>& tasks) {
  std::visit(
      [&](const auto& of) {
        if constexpr (requires { of.task; })
          if (of.task) tasks.push_back(*of.task);
        if constexpr (requires { of.runnable; })
          if (of.runnable)
            for (const TaskIndex task : tasks_with_runnable(system, system.runnables[*of.runnable].name))
              tasks.push_back(task);
        if constexpr (requires { of.stimulus; })
          if (of.stimulus)
            for (const TaskIndex task : system.stimuli[*of.stimulus].activates) tasks.push_back(task);
      },
      event.what);
}

std::optional<TaskIndex> about_constraint(Explained& found, std::uint32_t index) {
  const TimingConstraint& one = found.system.constraints[index];
  const engine::ConstraintResult& result = found.results.constraints[index];
  found.verdict = engine::verdict_on(result.verdict, result.guaranteed);
  found.asked.about.push_back(fmt::format("{}: {}: {}", describe(one), to_string(*found.verdict), result.reason));
  std::vector<TaskIndex> tasks;
  const auto add = [&](const ObservableEvent& event) { add_tasks(found.system, event, tasks); };
  const auto add_runnable = [&](RunnableIndex runnable) {
    for (const TaskIndex task : tasks_with_runnable(found.system, found.system.runnables[runnable].name))
      tasks.push_back(task);
  };
  std::visit(
      [&](const auto& of) {
        if constexpr (requires { of.source; }) add(of.source);
        if constexpr (requires { of.target; }) add(of.target);
        if constexpr (requires { of.event; }) add(of.event);
        if constexpr (requires { of.events; })
          for (const ObservableEvent& event : of.events) add(event);
        if constexpr (requires { of.chains; })
          for (const auto& chain : of.chains)
            for (const ObservableEvent& event : chain) add(event);
        if constexpr (requires { of.runnable; }) add_runnable(of.runnable);
        if constexpr (requires { of.scope; }) {
          tasks.insert(tasks.end(), of.scope.tasks.begin(), of.scope.tasks.end());
          for (const RunnableIndex runnable : of.scope.runnables) add_runnable(runnable);
        }
        if constexpr (requires { of.groups; })
          for (const auto& group : of.groups)
            for (const RunnableIndex runnable : group.members) add_runnable(runnable);
      },
      one.kind);
  return worst_of(found, tasks);
}

/// The task to explain; notes what leads to it.
Outcome<TaskIndex> task_of(Explained& found, const Subject& subject, const std::string& name) {
  std::optional<TaskIndex> task = subject.task;
  if (subject.chain && !found.system.chains[*subject.chain].tasks.empty()) task = about_chain(found, *subject.chain);
  if (subject.requirement) task = about_requirement(found, *subject.requirement);
  if (subject.constraint) task = about_constraint(found, *subject.constraint);
  if (task) return *task;
  const std::vector<std::string>& about = found.asked.about;
  return misused({}, fmt::format("\"{}\" is about no task{}", name, about.empty() ? "" : "; " + about.front()));
}

}  // namespace

Outcome<Explained> explain(const Model& model, const AnalysisRequest& request, const std::string& name,
                           Diagnostics& findings, Work* work) {
  auto prepared = prepare(model, request, findings);
  if (!prepared) return tl::unexpected(prepared.error());
  prepared->analysis.work = work;
  Explained found;
  const auto subject = subject_of(prepared->system, name, found.asked);
  if (!subject) return tl::unexpected(subject.error());
  auto analyzed = results_of(std::move(*prepared), findings);
  if (!analyzed) return tl::unexpected(analyzed.error());
  static_cast<Analyzed&>(found) = std::move(*analyzed);
  const auto task = task_of(found, *subject, name);
  if (!task) return tl::unexpected(task.error());
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
