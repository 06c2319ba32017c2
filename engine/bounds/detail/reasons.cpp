// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/reasons.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/demand.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/global_fixed_priority.hpp"
#include "engine/results/servers.hpp"

namespace amalthea::engine::bounds {
namespace {

/// "core a, b"
std::string core_name(const System& system, const CoreModel& core) {
  std::string name;
  for (const UnitIndex unit : core.units)
    name += fmt::format("{}{}", name.empty() ? "core " : ", ", system.platform.units[unit].name);
  return name;
}

/// The task that may occupy the task's core forever; "" if there is none.
std::string endless_blocking(const AnalyzedSystem& subject, const CoreProblem& problem, TaskIndex task) {
  const auto blocking = cpu::blocking_bounds(problem.tasks);
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    if (problem.members[i].task != task) continue;
    for (const cpu::CpuShare& share : blocking[i].parts)
      if (share.time >= endless)
        return fmt::format("{} may block its core while it waits for an event",
                           subject.name(problem.members[*share.by].task));
  }
  return {};
}

/// The demand of everything in a server, or on the core, that may precede a task of this rank. Servers within it demand
/// at most their budgets.
double demand_in(std::optional<std::size_t> server, bool by_rank, const CoreProblem& problem, std::int64_t rank) {
  double demand = 0;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i)
    if (problem.members[i].server == server && (!by_rank || problem.tasks[i].priority >= rank))
      demand += cpu::utilization({problem.tasks[i]});
  for (std::size_t inner = 0; inner < problem.servers.size(); ++inner)
    if (problem.servers[inner].parent == server) {
      const cpu::PeriodicResource& resource = problem.servers[inner].resource;
      demand +=
          std::min(demand_in(inner, by_rank, problem, rank), static_cast<double>(resource.budget.picoseconds()) /
                                                                 static_cast<double>(resource.period.picoseconds()));
    }
  return demand;
}

/// The innermost server of the task that is overloaded for it; "" if there is none.
std::string overload_of_server(const ProblemInput& input, const CoreModel& core, const CoreProblem& problem,
                               TaskIndex task, std::size_t at) {
  for (auto server = problem.members[at].server; server; server = problem.servers[*server].parent) {
    const Scheduler& scheduler = input.subject.system.platform.schedulers[problem.servers[*server].scheduler];
    const double demand =
        demand_in(server, core.analysis->by_rank, problem, input.cores.ranks.rank[task]) / share_of(scheduler);
    if (demand > 1 + 1e-9) return overloaded_server(input.subject.system, problem.servers[*server].scheduler, demand);
  }
  return {};
}

/// Of a task whose jobs wait for a GPU or events for longer than its period, so that they queue up; "" if they do not.
std::string waits_beyond_period(const AnalyzedSystem& subject, const Problems& problems, const Solution& solution,
                                std::size_t core, std::size_t at) {
  const cpu::CpuTask& task = problems.cores[core].tasks[at];
  if (task.waiting <= task.arrivals.period) return {};
  for (const ProblemTask& problem_task : problems.problem_tasks) {
    if (problem_task.core != core || problem_task.at != at) continue;
    for (const Contribution& part : solution.waits[problem_task.task])
      if (part.kind == ContributionKind::event && part.time > task.arrivals.period)
        return fmt::format("a job may wait for {} for {}, but its period is {}", subject.name(*part.by),
                           format_duration(part.time), format_duration(task.arrivals.period));
    if (!problem_task.waiting) continue;
    const std::string& why = solution.gpu.tasks[*problem_task.waiting].reason;
    return fmt::format("a job may wait for the GPU for {}, but its period is {}{}", format_duration(task.waiting),
                       format_duration(task.arrivals.period), why.empty() ? "" : "; " + why);
  }
  return {};
}

std::string why_unbounded_on_core(const ProblemInput& input, const Problems& problems, const Solution& solution,
                                  const Faults& faults, TaskIndex task, std::size_t at) {
  const std::size_t index = *input.cores.core_of[task];
  const CoreModel& core = input.cores.cores[index];
  const CoreProblem& problem = problems.cores[index];
  const std::vector<cpu::CpuBound>& bounds = solution.cores[index];
  const std::string where = core_name(input.subject.system, core);
  if (bounds[at].reason == cpu::NoBound::unlimited) {
    const std::size_t obstacle = bounds[at].obstacle;
    const TaskIndex other = problem.members[obstacle].task;
    const std::string& why = faults[other];
    if (other != task) {
      std::string because = why;
      if (because.empty() && bounds[obstacle].reason != cpu::NoBound::unlimited)
        because = why_unbounded_on_core(input, problems, solution, faults, other, obstacle);
      if (!because.empty()) because = ": " + because;
      if (problem.tasks[obstacle].polls && core.analysis->by_rank && !problem.by_deadline &&
          problem.tasks[obstacle].priority >= problem.tasks[at].priority)
        return fmt::format("{} polls on {} with the same or a higher priority and has no bound{}",
                           input.subject.name(other), where, because);
      return fmt::format("{}, which may delay it on {}, has no bound{}", input.subject.name(other), where, because);
    }
    // With several activations, another one may be the unbounded one.
    return why.empty() ? why_unbounded_on_core(input, problems, solution, faults, task, obstacle) : why;
  }
  if (std::string blocking = endless_blocking(input.subject, problem, task); !blocking.empty()) return blocking;
  if (std::string waiting = waits_beyond_period(input.subject, problems, solution, index, at); !waiting.empty())
    return waiting;
  if (std::string overload = overload_of_server(input, core, problem, task, at); !overload.empty()) return overload;
  if (core.several())
    return fmt::format("with the interference on {}, more than {} of its jobs may be pending", where,
                       cpu::most_pending_jobs);
  if (bounds[at].reason == cpu::NoBound::no_supply)
    return fmt::format("its server on {} may not get its budget in every period", where);
  const double demand = demand_in({}, core.analysis->by_rank, problem, input.cores.ranks.rank[task]);
  if (bounds[at].reason == cpu::NoBound::overload)
    return fmt::format("{} is overloaded{}: utilization {:.2f} %", where,
                       core.analysis->by_rank ? " by tasks of the same or a higher priority" : "", 100 * demand);
  return fmt::format(
      "the fixed-point iteration does not converge within its step limit; the utilization of {} is {:.2f} %", where,
      100 * demand);
}

/// The obstacle of a host may have a reason of its own.
std::string why_unbounded_with_gpu(const ProblemInput& input, const GpuProblem& gpu,
                                   const nvidia::TimeSliceBounds& bounds, const Faults& faults, TaskIndex task,
                                   std::size_t at) {
  const auto& core_of = input.cores.core_of;
  const auto& rank = input.cores.ranks.rank;
  for (std::size_t i = 0; input.subject.is_host(task) && i < gpu.members.size(); ++i) {
    const TaskIndex other = gpu.members[i].task;
    if (gpu.problem.tasks[i].unlimited && other != task && input.subject.is_host(other) &&
        core_of[other] == core_of[task] && rank[other] >= rank[task])
      return fmt::format("{}, with the same or a higher priority on {}, has no bound: {}", input.subject.name(other),
                         input.subject.system.platform.units[input.subject.task(task).unit].name, faults[other]);
  }
  return bounds.tasks[at].reason;
}

}  // namespace

std::string why_unbounded(const ProblemInput& input, const Problems& problems, const Solution& solution,
                          const Faults& faults, const ProblemTask& problem_task) {
  return problem_task.core
             ? why_unbounded_on_core(input, problems, solution, faults, problem_task.task, problem_task.at)
             : why_unbounded_with_gpu(input, problems.gpu, solution.gpu, faults, problem_task.task, problem_task.at);
}

}  // namespace amalthea::engine::bounds
