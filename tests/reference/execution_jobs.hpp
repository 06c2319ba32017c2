// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// From the occurrence of a stimulus to the end of a job, what jobs wait for, and device tasks.

#include "reference/execution_cores.hpp"

namespace reference {

class ExecutionJobs : protected ExecutionCores {
 protected:
  using ExecutionCores::ExecutionCores;

  /// S-release-8: condition, counter, modes, then activations.
  void occur(Index number) override {
    const auto& stimulus = model_.stimuli[number];
    if (!holds(stimulus.condition, number, Kind::alternative)) return;
    if (!stimulus.counter.hits(occurred_[number]++)) return;
    emit(Of::stimulus, "", number, none);
    for (const auto& [mode, value] : stimulus.modes) {
      modes_[mode] = value;
      emit(Of::mode, "write", mode, none);
    }
    for (Index task = 0; task < model_.tasks.size(); ++task)
      if (contains(model_.tasks[task].stimuli, number)) activate(task);
  }

  void finish_job(Index task) {
    auto& a = active_[task];
    set_state(task, State::ready);
    emit(Of::process, "terminate", task, task);
    job(task).end = now_;
    data_.end(task, now_);
    if (job(task).release < options_.until) --open_;
    if (!a.held.empty()) throw Refused(model_.tasks[task].name, "ends with a semaphore");
    a.queue.erase(a.queue.begin());
    a.job = -1;
    a.ended = now_;
    a.locks = 0;
    a.stack.clear();
    if (!model_.tasks[task].device) {
      free_section(task);
      leave_core(task);
    }
    if (!a.queue.empty()) begin(task);
  }

  bool satisfied(Index task) const {
    const auto& item = *programs_[task].ops[active_[task].pc].item;
    const auto set = active_[task].flags & bits(item.events);
    return item.all ? set == bits(item.events) : set != 0;
  }
  static std::uint64_t bits(const std::vector<Index>& events) {
    std::uint64_t out = 0;
    for (const auto event : events) out |= std::uint64_t{1} << event;
    return out;
  }

  /// What the job waits for has come.
  void wake(Index task) {
    if (active_[task].state == State::waiting) {
      set_state(task, State::ready);
      emit(Of::process, "release", task, task);
      ready(task);
    } else if (active_[task].unit != none) {
      due_.push_back(task);
    } else {
      set_state(task, State::ready);
      emit(Of::process, "release_parking", task, task);
    }
  }

  void set_events(const Item& item) {
    for (Index task = 0; task < active_.size(); ++task) {
      if (item.target != none && item.target != task) continue;  // S-event-1
      auto& a = active_[task];
      a.flags |= bits(item.events);
      const bool waits = a.state == State::waiting || a.state == State::polling || a.state == State::parking;
      if (waits && programs_[task].ops[a.pc].kind == Item::Kind::wait && satisfied(task)) wake(task);
    }
  }

  /// What a device task does up to the end of its next operation.
  void device_progress(Index task) {
    auto& a = active_[task];
    const auto& steps = device_steps_[task];
    const auto start = [&](bool runs) {
      if (job(task).start >= 0) return;
      job(task).start = now_;
      if (runs) set_state(task, State::running);
      if (runs) emit(Of::process, "start", task, task);
      data_.start(task, now_, job(task).release);
    };
    for (; a.pc < steps.size(); ++a.pc) {
      const auto& step = steps[a.pc];
      if (step.operation) {
        start(true);
        for (auto& device : devices_) {
          if (device.unit != model_.tasks[task].units[0]) continue;
          device.gpu->submit(device.stream[task], step.what);
          device.operations.push_back(result_.operations.size());
        }
        result_.operations.push_back({task, a.pc, a.job, now_, -1, -1});
        return;
      }
      if (step.item->kind == Item::Kind::set) set_events(*step.item);
      if (step.item->kind == Item::Kind::trigger) occur(step.item->target);
      if (step.item->kind == Item::Kind::custom_event) emit(Of::custom, "", step.item->target, task);
    }
    start(false);
    finish_job(task);
  }

  void devices_advance(Time to) {
    for (auto& device : devices_) {
      for (const auto number : device.gpu->advance(to)) {
        auto& operation = result_.operations[device.operations[number]];
        operation.start = device.gpu->operations()[number].start;
        operation.end = to;
        ended_.push_back(operation.task);
      }
    }
  }

 private:
  void activate(Index task) {
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
    const auto current = std::exchange(a.job, a.queue.back());
    emit(Of::process, "activate", task, task);
    a.job = current;
    if (a.job < 0) begin(task);
  }

  /// The first pending job becomes the current one.
  void begin(Index task) {
    auto& a = active_[task];
    const auto& one = model_.tasks[task];
    a.job = a.queue.front();
    a.pc = 0;
    a.executing = a.holding = a.granted = false;
    a.since = job(task).release;
    a.state = State::ready;
    const auto relative = one.deadline >= 0 ? one.deadline : one.period;
    a.deadline = relative >= 0 ? job(task).release + relative : never;  // S-cores-2
    one.device ? device_progress(task) : ready(task);
  }

  void ready(Index task) {
    active_[task].ready_since = now_;
    new_turn(task);
    join_servers(task);
    dirty_.push_back(cluster_[model_.tasks[task].units[0]]);
  }
};

}  // namespace reference
