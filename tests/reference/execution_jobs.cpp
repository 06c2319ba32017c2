// SPDX-License-Identifier: Apache-2.0
/// From the occurrence of a stimulus to the end of a job, device tasks, and the trace of all that happens.
#include "reference/executor.hpp"

#include <algorithm>

namespace reference {

bool fits(const Event& event, const Occurrence& one) {
  const auto same = [](Index wanted, Index is) { return wanted == none || wanted == is; };
  return one.of == event.of && (event.type.empty() || event.type == one.type) && same(event.entity, one.entity) &&
         same(event.runnable, one.runnable) && same(event.process, one.task) && same(event.unit, one.unit);
}

/// S-release-8: condition, counter, modes, then activations.
void Executor::occur(Index number) {
  const auto& stimulus = model_.stimuli[number];
  if (!holds(stimulus.condition, number, Kind::alternative)) return;
  if (stimulus.counter.stated && !hits(stimulus.counter, occurred_[number]++)) return;
  emit(Event::Of::stimulus, "", number, none);
  for (const auto& [mode, value] : stimulus.modes) {
    modes_[mode] = value;
    emit(Event::Of::mode, "write", mode, none);
  }
  for (Index task = 0; task < model_.tasks.size(); ++task) {
    const auto& stimuli = model_.tasks[task].stimuli;
    if (std::find(stimuli.begin(), stimuli.end(), number) != stimuli.end()) activate(task);
  }
}

void Executor::activate(Index task) {
  auto& a = active_[task];
  const auto limit = model_.tasks[task].limit;
  const auto pending = static_cast<std::int64_t>(a.queue.size());
  // S-activation-2: a job that ends at this instant makes room, or not yet.
  const bool late = limit > 0 && pending + 1 == limit && a.ended == now_ && ask(Kind::activation, task, 0, 1) == 1;
  if (limit > 0 && (pending >= limit || late)) {
    result_.lost.push_back({task, now_});
    return;
  }
  Job one;
  one.task = task;
  one.number = a.released++;
  one.release = now_;
  a.queue.push_back(static_cast<std::int64_t>(result_.jobs.size()));
  result_.jobs.push_back(one);
  if (now_ < options_.until) ++open_;
  if (trace_ || event_stimuli_) {
    const auto current = a.job;
    a.job = a.queue.back();
    emit(Event::Of::process, "activate", task, task);
    a.job = current;
  }
  if (a.job < 0) begin(task);
}

/// The first pending job becomes the current one.
void Executor::begin(Index task) {
  auto& a = active_[task];
  a.job = a.queue.front();
  a.pc = 0;
  a.started = a.executing = a.holding = a.granted = false;
  a.since = job(task).release;
  a.state = State::ready;
  const auto& one = model_.tasks[task];
  const auto relative = one.deadline >= 0 ? one.deadline : one.period;
  a.deadline = relative >= 0 ? job(task).release + relative : never;  // S-cores-2
  if (one.device) {
    a.phase = Phase::ready;
    a.left = 0;
    device_progress(task);
  } else {
    ready(task);
  }
}

void Executor::ready(Index task) {
  auto& a = active_[task];
  const bool idle = a.phase == Phase::idle || a.phase == Phase::waiting;
  a.phase = Phase::ready;
  a.ready_since = a.turn = now_;
  a.slice_left = model_.schedulers[model_.tasks[task].scheduler].slice;
  for (const auto scheduler : paths_[task]) {
    if (idle && algorithm(scheduler) == Algorithm::bandwidth && !others_active(task, scheduler))
      new_deadline(scheduler);
  }
  dirty_.push_back(cluster_[model_.tasks[task].units[0]]);
}

void Executor::finish_job(Index task) {
  auto& a = active_[task];
  set_state(task, State::ready);
  emit(Event::Of::process, "terminate", task, task);
  job(task).end = now_;
  data_.end(task, now_);
  if (job(task).release < options_.until) --open_;
  if (!a.held.empty()) throw Refused(model_.tasks[task].name, "ends with a semaphore");
  a.queue.erase(a.queue.begin());
  a.job = -1;
  a.ended = now_;
  a.locks = 0;
  a.stack.clear();
  a.phase = Phase::idle;
  if (!model_.tasks[task].device) {
    free_section(task);
    leave_core(task);
  }
  if (!a.queue.empty()) begin(task);
}

void Executor::set_state(Index task, State state) {
  auto& a = active_[task];
  auto& one = job(task);
  one.in[static_cast<std::size_t>(a.state)] += now_ - a.since;
  if (a.state == State::running && !programs_[task].ops.empty()) {
    const auto& op = programs_[task].ops[std::min<std::size_t>(a.pc, programs_[task].ops.size() - 1)];
    if (op.overhead) one.overhead += now_ - a.since;
    if (op.kind == Op::Kind::access) one.memory += now_ - a.since;
  }
  a.since = now_;
  a.state = state;
}

void Executor::emit(Event::Of of, std::string_view type, Index entity, Index task) {
  if (!trace_ && !event_stimuli_) return;
  Occurrence one{now_, of, type, entity, task, none, none, -1};
  if (task != none) {
    const auto& a = active_[task];
    one.runnable = a.stack.empty() ? none : a.stack.back();
    one.unit = model_.tasks[task].device ? model_.tasks[task].units[0] : a.unit != none ? a.unit : a.last;
    one.job = a.job;
  }
  if (trace_) result_.events.push_back(one);
  if (!event_stimuli_) return;
  for (Index stimulus = 0; stimulus < model_.stimuli.size(); ++stimulus) {
    for (const auto event : model_.stimuli[stimulus].triggers) {
      if (fits(model_.events[event], one)) occur(stimulus);
    }
  }
}

bool Executor::holds(const Condition& condition, Index task, Kind kind) {
  if (condition.any_of.empty()) return true;
  for (const auto& terms : condition.any_of) {
    bool all = true;
    for (const auto& term : terms) {
      if (term.mode == none) {
        all = ask(kind, task, 0, 1) == 1 && all;
        continue;
      }
      const auto x = modes_[term.mode], y = term.other == none ? term.value : modes_[term.other];
      const bool relations[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};  // in the order of Condition::Relation
      const bool one = relations[static_cast<std::size_t>(term.relation)];
      all = all && one;
    }
    if (all) return true;
  }
  return false;
}

void Executor::device_progress(Index task) {
  auto& a = active_[task];
  const auto& steps = device_steps_[task];
  while (a.pc < steps.size()) {
    const auto& step = steps[a.pc];
    if (step.operation) {
      if (!a.started) {
        a.started = true;
        set_state(task, State::running);
        job(task).start = now_;
        emit(Event::Of::process, "start", task, task);
        data_.start(task, now_, job(task).release);
      }
      for (auto& device : devices_) {
        if (device.unit != model_.tasks[task].units[0]) continue;
        const auto number = device.gpu->submit(device.stream[task], step.what);
        operations_[{device.unit, number}] = result_.operations.size();
      }
      result_.operations.push_back({task, a.pc, a.job, now_, -1, -1});
      return;
    }
    const auto& item = *step.item;
    ++a.pc;
    if (item.kind == Item::Kind::set) set_events(item);
    if (item.kind == Item::Kind::trigger) occur(item.target);
    if (item.kind == Item::Kind::custom_event) emit(Event::Of::custom, "", item.target, task);
  }
  if (!a.started) {
    job(task).start = now_;
    data_.start(task, now_, job(task).release);
  }
  finish_job(task);
}

void Executor::devices_advance(Time to) {
  for (auto& device : devices_) {
    for (const auto number : device.gpu->advance(to)) {
      const auto found = operations_.find({device.unit, number});
      auto& operation = result_.operations[found->second];
      operation.start = device.gpu->operations()[number].start;
      operation.end = to;
      ended_.push_back(operation.task);
      operations_.erase(found);
    }
  }
}

}  // namespace reference
