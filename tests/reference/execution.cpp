// SPDX-License-Identifier: Apache-2.0
/// One instant after the other: steps end, stimuli release jobs, servers get
/// their budgets, and consequences follow until nothing changes (S-time-3).
#include "reference/executor.hpp"

#include <algorithm>
#include <limits>

namespace reference {

Executor::Executor(const Model& model, Behaviour& behaviour, const RunOptions& options)
    : model_(model), behaviour_(behaviour), options_(options), data_(model) {
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

Execution Executor::run() {
  result_.busy.assign(model_.units.size(), 0);
  const Time limit = options_.tail < never ? options_.until + options_.tail : 2 * options_.until;
  for (;;) {
    const Time at = next();
    if (at > limit || (at >= options_.until && open_ == 0)) break;
    advance(at);
    instant();
  }
  for (Index task = 0; task < active_.size(); ++task) {
    if (active_[task].job >= 0) set_state(task, active_[task].state);
  }
  result_.end = now_;
  result_.passages = data_.finish(result_.jobs);
  return std::move(result_);
}

void Executor::prepare_tasks() {
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

/// S-cores-1: schedulers from the task's own to its root; groupings are transparent.
std::vector<Index> Executor::path(Index task) const {
  std::vector<Index> out;
  for (auto at = model_.tasks[task].scheduler; at != none; at = model_.schedulers[at].parent) {
    if (algorithm(at) != Algorithm::grouping) out.push_back(at);
    if (out.size() > model_.schedulers.size()) throw Refused(model_.schedulers[at].name, "its own parent");
  }
  return out;
}

/// S-server-1
void Executor::prepare_servers() {
  for (Index number = 0; number < model_.schedulers.size(); ++number) {
    const auto& scheduler = model_.schedulers[number];
    auto& server = servers_.emplace_back();
    if (!is_server(scheduler.algorithm)) continue;
    has_servers_ = true;
    if (scheduler.algorithm != Algorithm::polling) server.budget = scheduler.budget;
    if (options_.any_offsets && scheduler.algorithm != Algorithm::bandwidth)
      server.replenished = ask(Kind::server_phase, number, 0, scheduler.period - 1);
  }
}

void Executor::prepare_order() {
  const auto count = model_.tasks.size();
  paths_.resize(count);
  wanting_.resize(count);
  levels_.resize(model_.schedulers.size());
  cores_.resize(model_.units.size());
  cluster_.resize(model_.units.size());
  for (Index unit = 0; unit < model_.units.size(); ++unit) cluster_[unit] = unit;
  for (Index task = 0; task < count; ++task) {
    const auto& one = model_.tasks[task];
    if (one.device || one.scheduler == none || one.stimuli.empty()) continue;
    paths_[task] = path(task);
    for (const auto scheduler : paths_[task]) {
      if (algorithm(scheduler) == Algorithm::turns && model_.schedulers[scheduler].slice <= 0)
        throw Refused(model_.schedulers[scheduler].name, "no time slice");
    }
    for (const auto unit : one.units) {
      const auto from = cluster_[unit], to = cluster_[one.units[0]];
      std::replace(cluster_.begin(), cluster_.end(), from, to);
    }
    cpu_tasks_.push_back(task);
    levels_[paths_[task].front()].tasks.push_back(task);
    for (std::size_t i = 0; i + 1 < paths_[task].size(); ++i) {
      auto& children = levels_[paths_[task][i + 1]].children;
      if (std::find(children.begin(), children.end(), paths_[task][i]) == children.end())
        children.push_back(paths_[task][i]);
    }
  }
  roots_.resize(model_.units.size());
  for (const auto task : cpu_tasks_) {
    if (model_.tasks[task].isr) continue;
    auto& roots = roots_[cluster_[model_.tasks[task].units[0]]];
    if (std::find(roots.begin(), roots.end(), paths_[task].back()) == roots.end()) roots.push_back(paths_[task].back());
    std::sort(roots.begin(), roots.end());
  }
  ceilings_.assign(model_.semaphores.size(), std::numeric_limits<std::int64_t>::min() / 4);
  for (const auto task : cpu_tasks_) {
    for (const auto& op : programs_[task].ops) {
      if (op.kind == Op::Kind::request && model_.semaphores[op.target].ceiling)
        ceilings_[op.target] = std::max(ceilings_[op.target], urgency(task));
    }
  }
}

Time Executor::next() const {
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

void Executor::advance(Time to) {
  const auto past = to - now_;
  for (Index unit = 0; unit < cores_.size(); ++unit) {
    const auto task = cores_[unit].task;
    if (task == none) continue;
    auto& a = active_[task];
    if (a.executing) a.left -= past;
    if (turns(task)) a.slice_left -= past;
    result_.busy[unit] += past;
  }
  for (auto& server : servers_) server.budget = std::max<Time>(0, server.budget - past * server.running);
  now_ = to;
  steps_ = 0;
  devices_advance(to);
}

void Executor::instant() {
  for (const auto& core : cores_) {
    if (core.task != none && active_[core.task].executing && active_[core.task].left == 0) due_.push_back(core.task);
  }
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
                (op.kind == Op::Kind::access && shares_memory(model_, device.unit, model_.labels[op.target].memory));
    }
    device.gpu->cpu_traffic(traffic);
    device.gpu->settle();
  }
}

/// Jobs that go on at this instant, in any order.
void Executor::all_due() {
  while (!due_.empty()) {
    const auto size = static_cast<std::int64_t>(due_.size());
    const auto chosen = size > 1 && interacts_ ? ask(Kind::simultaneous_events, 1, 0, size - 1) : 0;
    const auto task = due_[static_cast<std::size_t>(chosen)];
    due_.erase(due_.begin() + chosen);
    progress(task);
  }
}

void Executor::settle() {
  servers();
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
        if (active_[task].unit != none && !active_[task].executing && active_[task].phase == Phase::ready) {
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

Execution run(const Model& model, Behaviour& behaviour, const RunOptions& options) {
  return Executor(model, behaviour, options).run();
}

}  // namespace reference
