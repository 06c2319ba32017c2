// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/problems.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/bounds/detail/step_times.hpp"
#include "engine/cpu/fixed_priority.hpp"

namespace amalthea::engine::bounds {
namespace {

/// As the analyses of cores see it; all but when its jobs come.
cpu::CpuTask cpu_task(const Known& known, TaskIndex host, const Faults& faults) {
  const TaskShape& shape = known.cores.shapes[host];
  cpu::CpuTask task;
  task.arrivals.period = longest_period;
  task.worst = execution_of(known.subject, host).worst;
  task.priority = known.cores.ranks.rank[host];
  task.sections = shape.sections;
  task.last = shape.last;
  task.cooperative = shape.cooperative;
  task.last_cooperative = shape.last_cooperative;
  task.lingers = shape.lingers;
  task.deadline = known.cores.ranks.relative_deadline[host].value_or(Duration{});
  // Times this long are of no use, and must not count for less.
  task.unlimited = !faults[host].empty() || task.worst >= nvidia::longest_analysed;
  return task;
}

CoreProblem::Member member_of(const CoreModel& core, const Task& task, TaskIndex index) {
  CoreProblem::Member member{index, is_interrupt(task), {}};
  for (std::size_t unit = 0; unit < core.units.size(); ++unit)
    if (task.units.empty() ? task.unit == core.units[unit]
                           : std::find(task.units.begin(), task.units.end(), core.units[unit]) != task.units.end())
      member.cores.push_back(unit);
  return member;
}

class ProblemBuilder {
 public:
  ProblemBuilder(const Known& known, Faults& faults) : known_(known), faults_(faults) {}

  Problems run(std::optional<UnitIndex> gpu) {
    const Subject& subject = known_.subject;
    problems_.of_task.resize(subject.tasks());
    problems_.cores.resize(known_.cores.cores.size());
    problems_.gpu = empty_gpu_problem(known_, gpu);
    if (gpu)
      for (const GpuContext& context : contexts_on(subject.system, *gpu, *subject.devices[*gpu])) add_context(context);
    for (TaskIndex task = 0; task < subject.tasks(); ++task) {
      if (!known_.cores.core_of[task] || !problems_.of_task[task].empty()) continue;
      if (known_.cores.core(task).apart)
        add_to_core(task);
      else
        add_host(task, nullptr);
    }
    for (const CoreModel& core : known_.cores.cores)
      if (!core.apart) add_blocking(core);
    return std::move(problems_);
  }

 private:
  /// The index of the entity.
  std::size_t add(GpuEntry entry, std::size_t activation) {
    entry.task.deadline = entry.task.period;
    problems_.entities.push_back({entry.member.task, activation, std::nullopt, problems_.gpu.members.size()});
    problems_.gpu.problem.tasks.push_back(std::move(entry.task));
    problems_.gpu.members.push_back(std::move(entry.member));
    return problems_.entities.size() - 1;
  }

  void add_context(const GpuContext& context) {
    std::vector<TaskIndex> active;
    for (const TaskIndex task : context.tasks)
      if (known_.activations[task].any()) active.push_back(task);
    if (active.empty()) return;
    std::size_t entity = 0;
    if (const auto driver = known_.offloads.driver[active.front()]) {  // and then it drives them all
      add_host(*driver, &context);
      entity = problems_.of_task[*driver].front();
    } else {
      GpuEntry entry = context_entry(known_, context, active, faults_);
      entry.task.core = problems_.gpu.problem.cores.size();
      problems_.gpu.problem.cores.push_back(entry.task.name);
      entity = add(std::move(entry), 0);
    }
    for (const TaskIndex device : active) problems_.of_task[device].assign(known_.activations[device].ways(), entity);
  }

  /// With the context in which it offloads.
  void add_host(TaskIndex host, const GpuContext* context) {
    const Activations& activations = known_.activations[host];
    GpuEntry entry = host_entry(known_, host, context, faults_);
    entry.task.period = longest_period;
    auto& entities = problems_.of_task[host];
    if (entry.task.unlimited) {
      entities.assign(activations.ways(), add(std::move(entry), 0));
      return;
    }
    for (std::size_t activation = 0; activation < activations.all.size(); ++activation) {
      entry.task.period = activations.all[activation].period;
      entities.push_back(add(entry, activation));
    }
  }

  void add_to_core(TaskIndex host) {
    const Activations& activations = known_.activations[host];
    blame(faults_, host, activations.fault);
    cpu::CpuTask task = cpu_task(known_, host, faults_);
    if (task.unlimited)
      blame(faults_, host, fmt::format("a job may take {} or more", format_duration(nvidia::longest_analysed)));
    const std::size_t core = *known_.cores.core_of[host];
    CoreProblem& problem = problems_.cores[core];
    auto& entities = problems_.of_task[host];
    for (std::size_t activation = 0; activation < (task.unlimited ? 1 : activations.all.size()); ++activation) {
      if (!task.unlimited) {
        const Activation& comes = activations.all[activation];
        task.arrivals = {comes.period, {}, comes.minimum_distance};
      }
      entities.push_back(problems_.entities.size());
      problems_.entities.push_back({host, activation, core, problem.tasks.size()});
      problem.tasks.push_back(task);
      problem.members.push_back(member_of(known_.cores.cores[core], known_.subject.task(host), host));
    }
    const std::size_t first = entities.front();
    entities.resize(activations.ways(), first);
  }

  /// Of tasks on a core that they share with such as wait for a GPU.
  void add_blocking(const CoreModel& core) {
    std::vector<cpu::CpuTask> tasks;
    for (const TaskIndex task : core.tasks) tasks.push_back(cpu_task(known_, task, faults_));
    const auto blocking = cpu::blocking_bounds(tasks);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const TaskIndex task = core.tasks[i];
      if (!blocking[i].response || blocking[i].response->is_zero()) continue;
      const bool for_ever = *blocking[i].response >= endless;
      if (for_ever && faults_[task].empty()) faults_[task] = endless_blocking(core, blocking[i]);
      for (const std::size_t entity : problems_.of_task[task]) {
        nvidia::GpuTask& blocked = problems_.gpu.problem.tasks[problems_.entities[entity].at];
        if (for_ever) blocked.unlimited = true;
        for (std::size_t part = 0; part < blocking[i].parts.size() && !for_ever; ++part) {
          const auto& by = problems_.of_task[core.tasks[*blocking[i].parts[part].by]];
          blocked.blocking.push_back({problems_.entities[by.front()].at, blocking[i].parts[part].time});
        }
      }
    }
  }

  std::string endless_blocking(const CoreModel& core, const cpu::CpuBound& blocking) const {
    for (const cpu::CpuShare& share : blocking.parts)
      if (share.time >= endless)
        return fmt::format("{} may block its core while it waits for an event",
                           known_.subject.name(core.tasks[*share.by]));
    return "lower-priority tasks may block its core";
  }

  const Known& known_;
  Faults& faults_;
  Problems problems_;
};

}  // namespace

Duration& Problems::jitter_of(const Entity& entity) {
  return entity.core ? cores[*entity.core].tasks[entity.at].arrivals.jitter : gpu.problem.tasks[entity.at].jitter;
}

bool Problems::is_unlimited(const Entity& entity) const {
  return entity.core ? cores[*entity.core].tasks[entity.at].unlimited : gpu.problem.tasks[entity.at].unlimited;
}

void Problems::set_unlimited(const Entity& entity) {
  (entity.core ? cores[*entity.core].tasks[entity.at].unlimited : gpu.problem.tasks[entity.at].unlimited) = true;
}

Problems problems_of(const Known& known, std::optional<UnitIndex> gpu, Faults& faults) {
  return ProblemBuilder(known, faults).run(gpu);
}

}  // namespace amalthea::engine::bounds
