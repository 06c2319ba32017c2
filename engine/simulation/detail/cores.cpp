// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/cores.hpp"

#include <algorithm>

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

Cores::Cores(const System& system, Clock& clock, CoreScheduling& cpu, Jobs& jobs, TimelessActivities& activities,
             Branches& branches, const Listeners& listeners)
    : system_(system),
      clock_(clock),
      cpu_(cpu),
      jobs_(jobs),
      activities_(activities),
      branches_(branches),
      listeners_(listeners),
      cores_(cpu.cores()),
      served_(system.platform.schedulers.size()),
      moved_(cpu.domains()),
      ends_(cpu.cores()),
      at_(system.tasks.size()),
      last_(system.tasks.size()) {}

Duration Cores::busy(CoreIndex index) const {
  const Core& core = cores_[index];
  return core.running ? core.busy + (clock_.now() - core.since) : core.busy;
}

Duration Cores::served(SchedulerIndex server) const {
  Duration served = served_[server];
  for (const Core& core : cores_)
    if (core.running) {
      const auto& servers = cpu_.servers_of(*core.running);
      if (std::find(servers.begin(), servers.end(), server) != servers.end()) served += clock_.now() - core.since;
    }
  return served;
}

/// Books the time the core has been in use since `since`, and the progress of the running step.
void Cores::book(CoreIndex index) {
  Core& core = cores_[index];
  if (core.running) {
    const Duration elapsed = clock_.now() - core.since;
    core.busy += elapsed;
    for (const SchedulerIndex server : cpu_.servers_of(*core.running)) served_[server] += elapsed;
    if (ends_[index] != Instant::never()) {
      Duration& remaining = jobs_[*core.running].remaining;
      remaining -= core.actual == core.stated ? elapsed
                                              : std::min(remaining, scale(elapsed, core.stated.picoseconds(),
                                                                          core.actual.picoseconds(), Rounding::down));
    }
  }
  core.since = clock_.now();
}

void Cores::end_steps() {
  while (ends_.first() == clock_.now()) {
    const CoreIndex core = ends_.who();
    const TaskIndex task = *cores_[core].running;
    book(core);
    set_end(core, Instant::never());
    jobs_[task].remaining = Duration{};
    jobs_.end_step(task);
    cpu_.call(cpu_.domain_of(task));
    run_timeless_steps(core);
  }
}

void Cores::schedule(CoreScheduling::DomainIndex domain) {
  const auto& cores = cpu_.cores_of(domain);
  while (cpu_.undecided(domain)) {
    clock_.count_step();
    cpu_.decide(domain, clock_.now());
    for (const CoreIndex core : cores) stop_unless_decided(core);
    for (const CoreIndex core : cores) dispatch(core, cpu_.running(core));
    for (const CoreIndex core : cores) {
      run_timeless_steps(core);
      if (cpu_.undecided(domain)) break;  // a job ended, or woke a task that may be more urgent
      begin_step(core);
    }
  }
  if (cpu_.is_plain(domain) && !moved_[domain]) return;
  moved_[domain] = false;
  listeners_.notify(Decided{domain});
}

void Cores::stop_unless_decided(CoreIndex index) {
  const Core& core = cores_[index];
  if (!core.running || core.running == cpu_.running(index)) return;
  if (!cpu_.is_running(*core.running)) listeners_.notify(Preempted{*core.running});
  dispatch(index, std::nullopt);
}

void Cores::dispatch(CoreIndex index, std::optional<TaskIndex> task) {
  Core& core = cores_[index];
  if (core.running == task) return;
  book(index);
  moved_[cpu_.domain_of_core(index)] = true;
  if (core.running) {
    listeners_.notify(CoreLost{*core.running, index});
    at_[*core.running].reset();
  }
  core.running = task;
  core.polling = false;
  if (ends_[index] != Instant::never()) set_end(index, Instant::never());
  if (!task) return;
  if (!jobs_[*task].started) jobs_[*task].started = clock_.now();
  at_[*task] = index;
  listeners_.notify(CoreGiven{*task, index, last_[*task] && last_[*task] != index});
  last_[*task] = index;
}

/// Runs the running task through activities that take no time: up to one that does, a wait that is not satisfied
/// (passive waiting leaves the core), or the end of the job. A job that ends now makes room for an activation at this
/// instant.
void Cores::run_timeless_steps(CoreIndex index) {
  Core& core = cores_[index];
  while (core.running) {
    const TaskIndex task = *core.running;
    if (jobs_.at_end(task)) {
      end_job(index);
      return;
    }
    const Step& step = jobs_.step(task);
    if (reaches_schedule_point(task)) return;
    if (step.kind == StepKind::execute && !jobs_[task].remaining.is_zero()) return;
    if (step.kind == StepKind::wait && !activities_.satisfied(task)) {
      jobs_[task].waiting = true;
      wait(index, activities_.wait_of(task).active);
      return;
    }
    if (step.kind == StepKind::request_semaphore && !activities_.request(task)) {
      wait(index, activities_.use_of(task).active);
      return;
    }
    core.polling = false;
    if (step.kind == StepKind::branch) {
      branches_.take(task);
      continue;
    }
    if (step.kind != StepKind::execute && step.kind != StepKind::wait) activities_.act(task);
    jobs_.end_step(task);
  }
}

/// A cooperative task can be preempted before a runnable that it calls itself begins: once, then it continues.
bool Cores::reaches_schedule_point(TaskIndex task) {
  if (system_.tasks[task].preemption != Preemption::cooperative || jobs_[task].at_point) return false;
  const bool call =
      std::holds_alternative<Call>(jobs_.activity(task)) && system_.graph[jobs_.step(task).node].depth <= 1;
  if (!call && jobs_.step(task).kind != StepKind::schedule_point) return false;
  jobs_[task].at_point = true;
  cpu_.pass_point(task);
  return true;
}

void Cores::wait(CoreIndex index, bool actively) {
  const TaskIndex task = *cores_[index].running;
  cores_[index].polling = actively;
  listeners_.notify(WaitBegun{task, index, actively});
  if (actively) return;
  cpu_.leave(task);
  dispatch(index, std::nullopt);
}

void Cores::end_job(CoreIndex index) {
  const TaskIndex task = *cores_[index].running;
  listeners_.notify(HostJobEnds{task, index});
  cpu_.leave(task);
  dispatch(index, std::nullopt);
  jobs_.end_job(task);
}

void Cores::begin_step(CoreIndex index) {
  const Core& core = cores_[index];
  if (!core.running || core.polling || ends_[index] != Instant::never()) return;
  jobs_.begin_step(*core.running);
  book(index);
  set_end(index, clock_.now() + jobs_[*core.running].remaining);
}

void Cores::set_end(CoreIndex index, Instant end) {
  ends_.set(index, end);
  cores_[index].actual = cores_[index].stated = {};
  changed_.push_back(index);
}

void Cores::set_speed(CoreIndex index, Duration actual, Duration stated) {
  Core& core = cores_[index];
  book(index);
  core.actual = actual;
  core.stated = stated;
  const Duration remaining = jobs_[*core.running].remaining;
  ends_.set(index, clock_.now() + (actual == stated
                                       ? remaining
                                       : scale(remaining, actual.picoseconds(), stated.picoseconds(), Rounding::up)));
}

}  // namespace amalthea::engine::simulation
