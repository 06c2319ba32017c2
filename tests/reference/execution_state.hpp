// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an execution knows at an instant, and the trace of what changes it. The executor has layers, each a class on
/// top of another one: state, order, cores, jobs, operations, and the course of time (execution.cpp).

#include <string_view>
#include <utility>
#include <vector>

#include "reference/data.hpp"
#include "reference/execution.hpp"
#include "reference/gpu_program.hpp"
#include "reference/program.hpp"
#include "reference/releases.hpp"

namespace reference {

/// The current job of a task, and what belongs to the task.
struct Active {
  std::vector<std::int64_t> queue;  ///< pending jobs, the current one first
  std::int64_t job = -1;
  std::int64_t released = 0;  ///< jobs so far
  Index pc = 0;
  bool executing = false, granted = false;
  bool holding = false;      ///< has its core since it became non-preemptible
  int locks = 0;             ///< uninterruptible groups
  Time left = 0, whole = 0;  ///< of the operation, on the unit
  State state = State::ready;
  Index unit = none, last = none;  ///< where it runs, and ran
  Time since = 0, ready_since = 0, turn = 0, slice_left = 0, deadline = never, ended = -1;
  std::vector<std::pair<Index, std::int64_t>> held;  ///< semaphores, and how many of each
  std::vector<Index> stack;                          ///< runnables
  std::vector<std::int64_t> counters;
  std::vector<std::uint64_t> visited;
  std::uint64_t flags = 0;  ///< OS events
};

struct Core {
  Index task = none, next = none;
  Index cooperative = none;  ///< task within a runnable; no other cooperative task may run here
};

struct Server {
  Time budget = 0, replenished = 0, deadline = 0;
  int running = 0;
};

class ExecutionState {
 protected:
  using Algorithm = Scheduler::Algorithm;
  using Kind = Question::Kind;
  using Of = Event::Of;

  ExecutionState(const Model& model, Behaviour& behaviour, const RunOptions& options)
      : model_(model), behaviour_(behaviour), options_(options), data_(model) {}
  virtual ~ExecutionState() = default;
  virtual void occur(Index stimulus) = 0;

  Job& job(Index task) { return result_.jobs[static_cast<std::size_t>(active_[task].job)]; }
  Algorithm algorithm(Index scheduler) const { return model_.schedulers[scheduler].algorithm; }
  bool cooperates(Index task) const { return model_.tasks[task].preemption == Task::Preemption::cooperative; }
  bool turns(Index task) const { return algorithm(model_.tasks[task].scheduler) == Algorithm::turns; }
  std::int64_t ask(Kind kind, Index entity, std::int64_t least, std::int64_t most) {
    return behaviour_.ask(kind, entity, least, most);
  }
  /// One of so many, by a question.
  std::size_t pick(Kind kind, Index entity, std::size_t count) {
    return static_cast<std::size_t>(ask(kind, entity, 0, static_cast<std::int64_t>(count) - 1));
  }

  bool holds(const Condition& condition, Index entity, Kind kind) {
    if (condition.any_of.empty()) return true;
    for (const auto& terms : condition.any_of) {
      bool all = true;
      for (const auto& term : terms) {
        if (term.mode == none) {
          all = ask(kind, entity, 0, 1) == 1 && all;
          continue;
        }
        const auto x = modes_[term.mode], y = term.other == none ? term.value : modes_[term.other];
        const bool relations[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};  // in the order of Condition::Relation
        all = all && relations[static_cast<std::size_t>(term.relation)];
      }
      if (all) return true;
    }
    return false;
  }

  void set_state(Index task, State state) {
    auto& a = active_[task];
    auto& one = job(task);
    const auto past = now_ - a.since;
    one.in[static_cast<std::size_t>(a.state)] += past;
    if (a.state == State::running && a.pc < programs_[task].ops.size()) {
      const auto& op = programs_[task].ops[a.pc];
      if (op.overhead) one.overhead += past;
      if (op.kind == Item::Kind::label) one.memory += past;
    }
    a.since = now_;
    a.state = state;
  }

  void emit(Of of, std::string_view type, Index entity, Index task) {
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
      for (const auto event : model_.stimuli[stimulus].triggers)
        if (fits(model_.events[event], one)) occur(stimulus);
    }
  }

  const Model& model_;
  Behaviour& behaviour_;
  const RunOptions& options_;
  Execution result_;
  Data data_;
  Time now_ = 0;
  std::int64_t open_ = 0;  ///< jobs that have not ended
  std::int64_t steps_ = 0;
  bool trace_ = false, event_stimuli_ = false, interacts_ = false, has_servers_ = false;
  std::vector<Program> programs_;
  std::vector<std::vector<DeviceStep>> device_steps_;
  std::vector<Active> active_;
  std::vector<Core> cores_;
  std::vector<Index> cpu_tasks_, cluster_;  ///< by core: one of those that are scheduled together
  std::vector<std::vector<Index>> paths_;   ///< by task: its schedulers, from its own to the root
  std::vector<std::vector<Index>> waiters_;
  std::vector<std::int64_t> modes_, users_, occurred_;
  std::vector<Releases> releases_;
  std::vector<Server> servers_;
  std::vector<Device> devices_;
  std::vector<Index> due_, dirty_, yielded_, ended_;  ///< tasks; dirty: cores
};

}  // namespace reference
