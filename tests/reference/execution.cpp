// SPDX-License-Identifier: Apache-2.0
/// One instant after the other: steps end, stimuli release jobs, servers get their budgets, and consequences follow
/// until nothing changes (S-time-3).
#include "reference/execution_operations.hpp"

namespace reference {

namespace {

class Executor : protected ExecutionOperations {
 public:
  Executor(const Model& model, Behaviour& behaviour, const RunOptions& options)
      : ExecutionOperations(model, behaviour, options) {
    behaviour.restart();
    prepare_tasks();
    prepare_order();
    devices_ = devices(model, behaviour, options);
    for (Index stimulus = 0; stimulus < model.stimuli.size(); ++stimulus) {
      releases_.emplace_back(model, stimulus, behaviour, options.any_offsets);
      event_stimuli_ = event_stimuli_ || model.stimuli[stimulus].kind == Stimulus::Kind::by_event;
    }
    occurred_.assign(model.stimuli.size(), 0);
    for (const auto& mode : model.modes) modes_.push_back(mode.initial);
    for (const auto& semaphore : model.semaphores) users_.push_back(semaphore.users);
    waiters_.resize(model.semaphores.size());
    trace_ = options.trace || !model.constraints.empty();
    prepare_servers();
  }

  Execution run() {
    for (;;) {
      const Time at = next();
      if (at > 2 * options_.until || (at >= options_.until && open_ == 0)) break;
      advance(at);
      instant();
    }
    for (Index task = 0; task < active_.size(); ++task)
      if (active_[task].job >= 0) set_state(task, active_[task].state);
    result_.end = now_;
    result_.passages = data_.finish(result_.jobs);
    return std::move(result_);
  }

 private:
  void prepare_tasks() {
    active_.resize(model_.tasks.size());
    programs_.resize(model_.tasks.size());
    device_steps_.resize(model_.tasks.size());
    for (Index number = 0; number < model_.tasks.size(); ++number) {
      const auto& task = model_.tasks[number];
      if (task.stimuli.empty() || task.dropped) continue;
      if (task.scheduler == none) throw Refused(task.name, "no scheduler");
      if (task.device) {
        device_steps_[number] = device_program(model_, number);
        continue;
      }
      programs_[number] = compile(model_, number);
      active_[number].counters.assign(programs_[number].counters, 0);
      active_[number].visited.assign(programs_[number].orders, 0);
      interacts_ = interacts_ || programs_[number].interacts;
    }
  }

  Time next() const {
    Time at = never;
    for (const auto& core : cores_) {
      if (core.task == none) continue;
      const auto& a = active_[core.task];
      if (a.executing) at = std::min(at, now_ + a.left);
      if (turns(core.task)) at = std::min(at, now_ + a.slice_left);
    }
    for (const auto& one : releases_) at = std::min(at, one.next());
    for (Index number = 0; number < servers_.size(); ++number) {
      if (!is_server(algorithm(number))) continue;
      const auto& server = servers_[number];
      if (algorithm(number) != Algorithm::bandwidth) at = std::min(at, server.replenished);
      if (server.running > 0 && server.budget > 0)
        at = std::min(at, now_ + (server.budget + server.running - 1) / server.running);
    }
    for (const auto& device : devices_) at = std::min(at, device.gpu->next());
    return at;
  }

  void advance(Time to) {
    const auto past = to - now_;
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      const auto task = cores_[unit].task;
      if (task == none) continue;
      auto& a = active_[task];
      if (a.executing) a.left -= past;
      if (turns(task)) a.slice_left -= past;
    }
    for (auto& server : servers_) server.budget = std::max<Time>(0, server.budget - past * server.running);
    now_ = to;
    steps_ = 0;
    devices_advance(to);
  }

  void instant() {
    for (const auto& core : cores_)
      if (core.task != none && active_[core.task].executing && active_[core.task].left == 0) due_.push_back(core.task);
    const bool ended = !due_.empty() || !ended_.empty();
    all_due();
    while (!ended_.empty()) {
      const auto task = ended_.front();
      ended_.erase(ended_.begin());
      ++active_[task].pc;
      device_progress(task);
    }
    bool begins = false;
    for (const auto& one : releases_) begins = begins || one.next() == now_;
    for (Index number = 0; number < servers_.size(); ++number)
      begins = begins || (algorithm(number) == Algorithm::polling && servers_[number].replenished == now_);
    // S-time-4: cores may turn to other jobs before the releases of the same
    // instant, or after them.
    const bool early = begins && (ended || has_servers_) && ask(Kind::simultaneous_events, 0, 0, 1) == 1;
    if (early) settle();
    for (Index stimulus = 0; stimulus < releases_.size(); ++stimulus) {
      for (std::int64_t guard = 0; releases_[stimulus].next() == now_; ++guard) {
        if (guard > 10000) throw Refused(model_.stimuli[stimulus].name, "occurs without end");
        releases_[stimulus].pop();
        occur(stimulus);
      }
    }
    settle();
    for (auto& device : devices_) {
      bool traffic = false;
      for (const auto& core : cores_) {
        if (core.task == none || !active_[core.task].executing) continue;
        const auto& op = programs_[core.task].ops[active_[core.task].pc];
        traffic = traffic ||
                  (op.kind == Item::Kind::label && shares_memory(model_, device.unit, model_.labels[op.target].memory));
      }
      device.gpu->cpu_traffic(traffic);
      device.gpu->settle();
    }
  }

  /// Jobs that go on at this instant, in any order.
  void all_due() {
    while (!due_.empty()) {
      const auto size = static_cast<std::int64_t>(due_.size());
      const auto chosen = size > 1 && interacts_ ? ask(Kind::simultaneous_events, 1, 0, size - 1) : 0;
      const auto task = due_[static_cast<std::size_t>(chosen)];
      due_.erase(due_.begin() + chosen);
      progress(task);
    }
  }

  void settle() {
    renew_budgets_and_slices();
    for (;;) {
      if (!due_.empty()) {
        all_due();
      } else if (!dirty_.empty() || !yielded_.empty()) {
        std::sort(dirty_.begin(), dirty_.end());
        dirty_.erase(std::unique(dirty_.begin(), dirty_.end()), dirty_.end());
        const auto clusters = std::move(dirty_);
        dirty_.clear();
        for (const auto cluster : clusters) schedule(cluster);
        for (const auto task : yielded_) {
          if (active_[task].unit != none && !active_[task].executing && active_[task].state != State::polling) {
            active_[task].holding = true;
            if (std::find(due_.begin(), due_.end(), task) == due_.end()) due_.push_back(task);
          }
        }
        yielded_.clear();
      } else {
        break;
      }
    }
    idle_servers();
  }
};

}  // namespace

bool fits(const Event& event, const Occurrence& one) {
  const auto same = [](Index wanted, Index is) { return wanted == none || wanted == is; };
  return one.of == event.of && (event.type.empty() || event.type == one.type) && same(event.entity, one.entity) &&
         same(event.runnable, one.runnable) && same(event.process, one.task) && same(event.unit, one.unit);
}

Execution run(const Model& model, Behaviour& behaviour, const RunOptions& options) {
  return Executor(model, behaviour, options).run();
}

}  // namespace reference
