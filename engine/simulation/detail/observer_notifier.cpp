// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/observer_notifier.hpp"

namespace amalthea::engine::simulation {

ObserverNotifier::ObserverNotifier(SimulationObserver& observer, bool events, const System& system, const Clock& clock,
                                   const CoreScheduling& cpu, const Jobs& jobs, const Cores& cores,
                                   const DeviceTasks& devices)
    : observer_(observer),
      events_(events),
      system_(system),
      clock_(clock),
      cpu_(cpu),
      jobs_(jobs),
      cores_(cores),
      devices_(devices),
      reported_(system.tasks.size()) {}

void ObserverNotifier::notify(TaskIndex task, ProcessEvent what, std::optional<UnitIndex> unit,
                              std::optional<TaskIndex> by) {
  observer_.process({task, jobs_[task].number, what, clock_.now(), unit, std::nullopt, by});
}

// ---- activations, jobs and steps

void ObserverNotifier::on(const StimulusOccurred& event) {
  if (events_) observer_.occurred(event.stimulus, event.by, clock_.now());
}

void ObserverNotifier::on(const Activated& event) {
  observer_.released(event.task, clock_.now(), event.lost);
  if (!events_) return;
  std::uint64_t& activated = reported_[event.task].activated;
  observer_.process({event.task, activated, event.lost ? ProcessEvent::mta_limit_exceeded : ProcessEvent::activate,
                     clock_.now(), std::nullopt, event.stimulus, event.by});
  if (!event.lost) ++activated;
}

void ObserverNotifier::on(const JobBegun& event) { reported_[event.task].state = ProcessState::active; }

void ObserverNotifier::on(const JobEnded& event) {
  const Job& job = jobs_[event.task];
  observer_.completed(event.task, job.number, job.release, clock_.now());
}

void ObserverNotifier::on(const StepBegun& event) {
  ReportedState& reported = reported_[event.task];
  if (!events_ || reported.step) return;
  reported.step = true;
  if (jobs_.on_device(event.task)) notify_device_task(event.task, ProcessState::running);
  observer_.step_begins(event.task, jobs_[event.task].number, jobs_[event.task].step, clock_.now());
}

void ObserverNotifier::on(const StepEnded& event) {
  if (events_) observer_.step_ends(event.task, jobs_[event.task].number, jobs_[event.task].step, clock_.now());
}

void ObserverNotifier::on(const StepChanged& event) { reported_[event.task].step = false; }

// ---- host tasks

void ObserverNotifier::on(const CoreGiven& event) {
  if (!events_) return;
  ProcessState& state = reported_[event.task].state;
  const bool still_waits = state == ProcessState::parking;
  notify(event.task,
         still_waits                     ? ProcessEvent::poll_parking
         : state == ProcessState::active ? ProcessEvent::start
                                         : ProcessEvent::resume,
         cpu_.unit(event.core));
  state = still_waits ? ProcessState::polling : ProcessState::running;
}

/// If the core goes to no task, or the task waits, that has already been reported.
void ObserverNotifier::on(const CoreLost& event) {
  if (!events_) return;
  ProcessState& state = reported_[event.task].state;
  if (state == ProcessState::running) {
    notify(event.task, ProcessEvent::preempt, cpu_.unit(event.core));
    state = ProcessState::ready;
  } else if (state == ProcessState::polling) {
    notify(event.task, ProcessEvent::park, cpu_.unit(event.core));
    state = ProcessState::parking;
  }
}

void ObserverNotifier::on(const HostJobEnds& event) {
  if (!events_) return;
  notify(event.task, ProcessEvent::terminate, cpu_.unit(event.core));
  reported_[event.task].state = ProcessState::not_active;
}

void ObserverNotifier::on(const WaitBegun& event) {
  ProcessState& state = reported_[event.task].state;
  if (!events_ || state != ProcessState::running) return;
  notify(event.task, event.polls ? ProcessEvent::poll : ProcessEvent::wait, cpu_.unit(event.core));
  state = event.polls ? ProcessState::polling : ProcessState::waiting;
}

void ObserverNotifier::on(const WaitEnded& event) {
  if (!events_) return;
  ProcessState& state = reported_[event.task].state;
  const auto core = cores_.core_of(event.task);
  const auto unit = core ? std::optional(cpu_.unit(*core)) : std::nullopt;
  if (state == ProcessState::polling) {
    notify(event.task, ProcessEvent::run, unit, event.by);
    state = ProcessState::running;
  } else if (state == ProcessState::parking || state == ProcessState::waiting) {
    notify(event.task, state == ProcessState::parking ? ProcessEvent::release_parking : ProcessEvent::release, unit,
           event.by);
    state = ProcessState::ready;
  }
}

// ---- device tasks and their operations

/// A device task, which conceptually has its own processor, becomes running, ready, waiting, or ended (not_active).
void ObserverNotifier::notify_device_task(TaskIndex task, ProcessState to) {
  ProcessState& state = reported_[task].state;
  if (state == to) return;
  const UnitIndex unit = system_.tasks[task].unit;
  if (state == ProcessState::waiting) {
    notify(task, ProcessEvent::release, unit);
    state = ProcessState::ready;
    if (to == ProcessState::ready) return;
  }
  if (state != ProcessState::running)
    notify(task, state == ProcessState::active ? ProcessEvent::start : ProcessEvent::resume, unit);
  if (to == ProcessState::ready) notify(task, ProcessEvent::preempt, unit);
  if (to == ProcessState::waiting) notify(task, ProcessEvent::wait, unit);
  if (to == ProcessState::not_active) notify(task, ProcessEvent::terminate, unit);
  state = to;
}

void ObserverNotifier::on(const DeviceJobEnds& event) {
  if (events_) notify_device_task(event.task, ProcessState::not_active);
}

void ObserverNotifier::on(const DeviceTaskSeen& event) {
  if (events_) notify_device_task(event.task, event.state);
}

void ObserverNotifier::notify_operation(TaskIndex task, ProcessEvent what) {
  observer_.operation({task, jobs_[task].number, jobs_[task].step, what, clock_.now(), devices_.engine_of(task)});
}

void ObserverNotifier::on(const OperationSubmitted& event) {
  if (!events_) return;
  reported_[event.task].operation = ProcessState::active;
  notify_operation(event.task, ProcessEvent::activate);
}

void ObserverNotifier::on(const OperationEnded& event) {
  if (!events_) return;
  notify_device_task(event.task, ProcessState::running);
  notify_operation(event.task, ProcessEvent::terminate);
}

void ObserverNotifier::on(const OperationSeen& event) {
  ProcessState& state = reported_[event.task].operation;
  if (event.executes == (state == ProcessState::running)) return;
  notify_operation(event.task, !event.executes                 ? ProcessEvent::preempt
                               : state == ProcessState::active ? ProcessEvent::start
                                                               : ProcessEvent::resume);
  state = event.executes ? ProcessState::running : ProcessState::ready;
}

void ObserverNotifier::on(const BlockStepped& event) {
  const gpu::BlockStep& step = event.step;
  observer_.block(
      {event.task, jobs_[event.task].number, jobs_[event.task].step, step.block, step.sm, step.begins, clock_.now()});
}

void ObserverNotifier::on(const EngineServed& event) { observer_.served(event.unit, event.slice); }

}  // namespace amalthea::engine::simulation
