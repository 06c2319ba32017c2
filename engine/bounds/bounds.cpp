// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/bounds.hpp"

#include <algorithm>
#include <utility>

#include "engine/bounds/dependencies.hpp"
#include "engine/bounds/detail/analyzed_gpus.hpp"
#include "engine/bounds/detail/core_analyses.hpp"
#include "engine/bounds/detail/exact_responses.hpp"
#include "engine/bounds/detail/offset_responses.hpp"
#include "engine/bounds/detail/pending.hpp"
#include "engine/bounds/detail/report.hpp"
#include "engine/results/coverage.hpp"

namespace amalthea::engine {

namespace {

/// The bounds that may depend on a wait for a signal.
void mark_awaiting(const System& system, const bounds::Solution& solution, SystemBounds& bounds) {
  std::vector<Part> waiting;
  for (TaskIndex task = 0; task < solution.awaits_signal.size(); ++task)
    if (solution.awaits_signal[task]) waiting.push_back({Part::Kind::task, task});
  if (waiting.empty()) return;
  const Dependencies dependencies(system);
  const Dependencies::Reached reached = dependencies.reached_from(waiting);
  for (TaskIndex task = 0; task < bounds.tasks.size(); ++task)
    bounds.tasks[task].awaits_signal = reached.contains({Part::Kind::task, task});
}

bool is_any(const std::vector<bool>& tasks) { return std::find(tasks.begin(), tasks.end(), true) != tasks.end(); }

/// How many parts the analysis of a core keeps: only coverage looks at more than what is asked for.
std::size_t parts_of_core(std::size_t usual, std::size_t most, bool is_any_awaiting) {
  return most < default_contributions && !is_any_awaiting ? most : std::max(usual, most);
}

/// Keeps the largest parts only, after what all of them say about coverage.
void cut_parts(const System& system, const std::vector<bool>& awaiting, std::size_t most, SystemBounds& bounds) {
  const bool any = is_any(awaiting);
  const auto awaits = [&](const Contribution& part) { return part.by ? awaiting[*part.by] : any && part.others > 0; };
  for (TaskIndex task = 0; task < bounds.tasks.size(); ++task) {
    Bound& bound = bounds.tasks[task];
    bound.awaits_limited = awaiting[system.tasks[task].folded_into.value_or(task)] ||
                           std::any_of(bound.parts.begin(), bound.parts.end(), awaits);
    keep_largest(bound.parts, most);
  }
}

std::vector<AnalyzedCore> analyzed_cores(const bounds::CoreModels& models,
                                         const std::vector<bounds::Activations>& activations,
                                         bounds::Problems&& problems) {
  std::vector<AnalyzedCore> cores;
  for (std::size_t core = 0; core < models.cores.size(); ++core) {
    const bounds::CoreModel& model = models.cores[core];
    AnalyzedCore& analyzed = cores.emplace_back();
    analyzed.units = model.units;
    analyzed.tasks = model.tasks;
    analyzed.by_deadline = model.analysis == &bounds::by_deadline;
    analyzed.servers = !problems.cores[core].servers.empty();
    analyzed.semaphores = problems.cores[core].waits_for_semaphores;
    analyzed.entries.resize(problems.cores[core].tasks.size());
  }
  for (const bounds::ProblemTask& problem_task : problems.problem_tasks) {
    if (!problem_task.core) continue;
    AnalyzedCore::Entry& entry = cores[*problem_task.core].entries[problem_task.at];
    entry.task = problem_task.task;
    entry.input = std::move(problems.cores[*problem_task.core].tasks[problem_task.at]);
    const auto& all = activations[problem_task.task].all;
    if (problem_task.activation >= all.size() || !all[problem_task.activation].source) continue;
    const bounds::Activation::Source& source = *all[problem_task.activation].source;
    entry.trigger = {source.task, std::nullopt, source.before};
    if (const auto& of_source = problems.of_task[source.task]; source.activation < of_source.size())
      if (const auto& from = problems.problem_tasks[of_source[source.activation]];
          from.task == source.task && from.core == problem_task.core)
        entry.trigger->entry = from.at;
  }
  return cores;
}

/// `with_events`: also of tasks that wait for events of tasks on CPUs. Sets `waits`: whether there are any.
SystemBounds bounds_of(const bounds::AnalyzedSystem& subject, const BoundOptions& options, bool with_events,
                       bool& waits) {
  using namespace bounds;
  Faults faults(subject.tasks());
  const Triggers triggers = triggers_of(subject);
  std::vector<Activations> activations = activations_of(subject, triggers);
  Offloads offloads = offloads_of(subject, triggers, activations, with_events, faults);
  waits = std::any_of(offloads.event_waits.begin(), offloads.event_waits.end(),
                      [](const auto& of_task) { return !of_task.empty(); });
  const CoreModels cores = core_models(subject, activations, offloads, faults);
  const auto gpus = analyzed_gpus(subject, activations, offloads, faults);
  const ProblemInput input{subject, activations, offloads, cores};
  Problems problems = problems_of(input, gpus, faults);
  const std::vector<bool> awaiting = tasks_awaiting_limited(subject.system);
  for (CoreProblem& core : problems.cores)
    core.limits.parts = parts_of_core(core.limits.parts, options.contributions, is_any(awaiting));
  const Solution solution = solve(input, triggers, activations, problems, faults);
  SystemBounds bounds = report(input, problems, solution, faults);
  if (options.for_offsets) {
    add_offset_responses(input, problems, faults, options, bounds);
    add_exact_responses(input, bounds);
  }
  add_pending(input, bounds);
  if (waits) mark_awaiting(subject.system, solution, bounds);
  cut_parts(subject.system, awaiting, options.contributions, bounds);
  bounds.cores = analyzed_cores(cores, activations, std::move(problems));
  return bounds;
}

void keep_smaller(const Bound& other, Bound& bound) {
  const auto best = std::max(bound.best, other.best);
  const bool fewer = other.pending && (!bound.pending || *other.pending < *bound.pending);
  if (other.worst && (!bound.worst || *other.worst < *bound.worst || (*other.worst == *bound.worst && fewer)))
    bound = other;
  else if (other.worst && *other.worst == *bound.worst)
    bound.awaits_signal = other.awaits_signal;
  bound.best = best;
}

}  // namespace

SystemBounds system_bounds(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
                           const std::vector<const DeviceProfile*>& devices, const BoundOptions& options) {
  constexpr std::uint64_t steps_of_a_step = 4;  // by the time that it takes
  for (const Program& program : worst) options.taken.add(steps_of_a_step * (program.steps.size() + 1));
  const bounds::AnalyzedSystem subject{system, best, worst, devices, options.taken};
  bool waits = false;
  SystemBounds bounds = bounds_of(subject, options, true, waits);
  if (!waits) return bounds;
  // Some equations for cores whose tasks wait for events are less precise for the other tasks.
  const SystemBounds others = bounds_of(subject, options, false, waits);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) keep_smaller(others.tasks[task], bounds.tasks[task]);
  for (auto& [node, bound] : bounds.operations) keep_smaller(others.operations.at(node), bound);
  return bounds;
}

SystemBounds system_bounds(const System& system, const std::vector<const DeviceProfile*>& devices,
                           CompileOptions compile, const BoundOptions& options) {
  compile.flatten_branches = compile.every_alternative = compile.all_units = true;
  return system_bounds(system, compile_programs(system, Execution::best, devices, compile),
                       compile_programs(system, Execution::worst, devices, compile), devices, options);
}

}  // namespace amalthea::engine
