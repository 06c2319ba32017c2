// SPDX-License-Identifier: Apache-2.0
#include "bench/tightness/every_schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

namespace amalthea::bench {
namespace {

constexpr std::size_t most_states = 200'000;
constexpr int oldest_job = 120;
constexpr int nobody = 255;

/// What happens at an instant depends on choices. They are tried one after the other, like the digits of a number.
class Choices {
 public:
  int choose(int low, int high) {
    if (at_ == digits_.size()) digits_.push_back({low, high});
    return digits_[at_++].first;
  }
  /// Whether there is another combination; starts it.
  bool next() {
    digits_.resize(at_);
    at_ = 0;
    while (!digits_.empty() && digits_.back().first == digits_.back().second) digits_.pop_back();
    if (digits_.empty()) return false;
    ++digits_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<int, int>> digits_;  ///< the choice, and the last one
  std::size_t at_ = 0;
};

struct TaskState {
  std::vector<int> ages;  ///< of its unfinished jobs, the first one at work
  int delay = 0;          ///< until the delayed release; 0: none is delayed
  int phase = 0, left = 0;
  int beside = 0, beside_left = 0;  ///< the same of the second device task; beyond its phases: it has ended
  std::array<bool, 2> overtaken{};  ///< by engine: its operation came after that of the second device task
  bool holds = false;               ///< has the core, and other tasks cannot take it
};

struct EngineState {
  int serves = nobody;
  int last = nobody;
  int elapsed = 0;  ///< of its slice
};

struct State {
  std::vector<TaskState> tasks;
  std::array<EngineState, 2> engines;  ///< copies, kernels
  int budget = 0;

  std::string key() const {
    std::string text;
    const auto add = [&](int value) { text.push_back(static_cast<char>(value)); };
    for (const TaskState& task : tasks) {
      add(static_cast<int>(task.ages.size()));
      for (const int age : task.ages) add(age);
      for (const int value : {task.delay, task.phase, task.left, task.beside, task.beside_left}) add(value);
      add((task.holds ? 1 : 0) + (task.overtaken[0] ? 2 : 0) + (task.overtaken[1] ? 4 : 0));
    }
    for (const EngineState& engine : engines)
      for (const int value : {engine.serves, engine.last, engine.elapsed}) add(value);
    add(budget);
    return text;
  }
};

class Search {
 public:
  explicit Search(const SmallSystem& system) : system_(system), longest_(system.tasks.size()) {
    for (const SmallTask& task : system.tasks) begin_ = std::max(begin_, task.offset);
    hyperperiod_ = system.hyperperiod();
  }

  std::optional<std::vector<int>> run() {
    State first;
    first.tasks.resize(system_.tasks.size());
    first.budget = system_.budget;
    visit(0, first);
    while (!open_.empty()) {
      const auto [now, state] = std::move(open_.back());
      open_.pop_back();
      Choices choices;
      do {
        State next = state;
        tick(now, next, choices);
        if (overflow_) return std::nullopt;
        visit(now + 1, next);
      } while (choices.next());
      if (visited_.size() > most_states) return std::nullopt;
    }
    return longest_;
  }

 private:
  void visit(int now, const State& state) {
    if (now >= begin_ + hyperperiod_) now -= hyperperiod_;
    std::string key = state.key();
    key.push_back(static_cast<char>(now & 255));
    key.push_back(static_cast<char>(now >> 8));
    if (visited_.insert(std::move(key)).second) open_.emplace_back(now, state);
  }

  const Phase& phase(const State& state, std::size_t task) const {
    return system_.tasks[task].phases[static_cast<std::size_t>(state.tasks[task].phase)];
  }
  bool on_core(const State& state, std::size_t task) const {
    return !state.tasks[task].ages.empty() && phase(state, task).kind == Phase::Kind::core;
  }
  static std::size_t engine_of(Phase::Kind kind) { return kind == Phase::Kind::copy ? 0 : 1; }
  /// Whether the task, or its second device task, has a copy or kernel at work.
  bool wants(const State& state, std::size_t task, Phase::Kind kind) const {
    return !state.tasks[task].ages.empty() && state.tasks[task].left > 0 && phase(state, task).kind == kind;
  }
  bool wants_beside(const State& state, std::size_t index, Phase::Kind kind) const {
    const TaskState& task = state.tasks[index];
    return task.beside_left > 0 && system_.tasks[index].beside[static_cast<std::size_t>(task.beside)].kind == kind;
  }
  bool has_ended_beside(const State& state, std::size_t task) const {
    return state.tasks[task].beside == static_cast<int>(system_.tasks[task].beside.size());
  }
  /// Whether it competes for a core.
  bool is_ready(const State& state, std::size_t task) const {
    if (state.tasks[task].ages.empty() || system_.tasks[task].is_device()) return false;
    return on_core(state, task) || system_.tasks[task].polls;
  }

  void begin_phase(State& state, std::size_t task, Choices& choices) {
    const Phase& begun = phase(state, task);
    state.tasks[task].left = choices.choose(begun.best, begun.worst);
    if (begun.kind == Phase::Kind::core) {
      state.tasks[task].beside = 0;
      return;
    }
    state.tasks[task].overtaken[engine_of(begun.kind)] = wants_beside(state, task, begun.kind);
    if (phase_before(state, task) == Phase::Kind::core && !system_.tasks[task].beside.empty())
      begin_beside(state, task, choices);
  }
  Phase::Kind phase_before(const State& state, std::size_t task) const {
    return system_.tasks[task].phases[static_cast<std::size_t>(std::max(0, state.tasks[task].phase - 1))].kind;
  }
  void begin_beside(State& state, std::size_t index, Choices& choices) {
    TaskState& task = state.tasks[index];
    const Phase& begun = system_.tasks[index].beside[static_cast<std::size_t>(task.beside)];
    task.beside_left = choices.choose(begun.best, begun.worst);
    task.overtaken[engine_of(begun.kind)] = false;
  }

  void tick(int now, State& state, Choices& choices) {
    for (std::size_t task = 0; task < system_.tasks.size(); ++task) end_phases(state, task, choices);
    for (std::size_t task = 0; task < system_.tasks.size(); ++task) release(now, state, task, choices);
    if (system_.budget > 0) settle_server(now, state);
    serve(state.engines[0], Phase::Kind::copy, state);
    serve(state.engines[1], Phase::Kind::kernel, state);
    execute(state);
    for (TaskState& task : state.tasks)
      for (int& age : task.ages) overflow_ = ++age > oldest_job || overflow_;
  }

  void end_phases(State& state, std::size_t index, Choices& choices) {
    TaskState& task = state.tasks[index];
    const bool offloads = !task.ages.empty() && !on_core(state, index);
    if (offloads && task.beside_left == 0 && !has_ended_beside(state, index) && ++task.beside >= 0 &&
        !has_ended_beside(state, index))
      begin_beside(state, index, choices);
    if (task.ages.empty() || task.left > 0) return;
    if (offloads && !has_ended_beside(state, index) && awaits_next(state, index)) return;
    task.holds = task.holds && system_.tasks[index].preemption == Preemption::non_preemptive;
    if (++task.phase < static_cast<int>(system_.tasks[index].phases.size())) {
      begin_phase(state, index, choices);
      return;
    }
    longest_[index] = std::max(longest_[index], task.ages.front());
    task.ages.erase(task.ages.begin());
    task.phase = 0;
    task.holds = false;
    if (!task.ages.empty()) begin_phase(state, index, choices);
  }

  /// Whether its next phase waits for all device tasks.
  bool awaits_next(const State& state, std::size_t index) const {
    const auto next = static_cast<std::size_t>(state.tasks[index].phase) + 1;
    return next < system_.tasks[index].phases.size() && system_.tasks[index].phases[next].kind == Phase::Kind::core;
  }

  void release(int now, State& state, std::size_t index, Choices& choices) {
    const SmallTask& stated = system_.tasks[index];
    TaskState& task = state.tasks[index];
    bool released = task.delay > 0 && --task.delay == 0;
    if (now >= stated.offset && (now - stated.offset) % stated.period == 0) {
      task.delay = choices.choose(0, stated.jitter);
      released = released || task.delay == 0;
    }
    if (!released) return;
    task.ages.push_back(0);
    if (task.ages.size() == 1) begin_phase(state, index, choices);
  }

  void settle_server(int now, State& state) {
    if (now % system_.server_period == 0) state.budget = system_.budget;
    bool idle = true;
    for (std::size_t task = 0; task < system_.tasks.size(); ++task) idle = idle && !is_ready(state, task);
    if (idle && system_.scheduling == SchedulingAlgorithm::polling_periodic_server) state.budget = 0;
  }

  /// Round robin over the contexts: of every task one, and one of every second device task in a process of its own. A
  /// slice ends where another context has work; otherwise it renews itself.
  void serve(EngineState& engine, Phase::Kind kind, State& state) {
    const int contexts = 2 * static_cast<int>(system_.tasks.size());
    const auto has_work = [&](int context) {
      const auto task = static_cast<std::size_t>(context / 2);
      const bool shared = system_.tasks[task].one_process, second = context % 2 != 0;
      return (!second && wants(state, task, kind)) || (second != shared && wants_beside(state, task, kind));
    };
    if (engine.serves != nobody) {
      bool others = false;
      for (int context = 0; context < contexts; ++context)
        others = others || (context != engine.serves && has_work(context));
      const bool stays = has_work(engine.serves) && !(others && engine.elapsed == system_.slice);
      if (engine.elapsed == system_.slice) engine.elapsed = 0;
      if (!stays) engine.serves = nobody;
    }
    if (engine.serves == nobody) {
      engine.elapsed = 0;
      const int from = engine.last == nobody ? 0 : engine.last + 1;
      for (int step = contexts - 1; step >= 0; --step)
        if (has_work((from + step) % contexts)) engine.serves = (from + step) % contexts;
      if (engine.serves == nobody) return;
      engine.last = engine.serves;
    }
    ++engine.elapsed;
    TaskState& task = state.tasks[static_cast<std::size_t>(engine.serves / 2)];
    // The streams of a process take turns in the order of their arrival.
    const auto index = static_cast<std::size_t>(engine.serves / 2);
    const bool first = engine.serves % 2 == 0 && wants(state, index, kind);
    const bool waits =
        task.overtaken[engine_of(kind)] && system_.tasks[index].one_process && wants_beside(state, index, kind);
    --(first && !waits ? task.left : task.beside_left);
  }

  /// Whether a precedes b.
  bool precedes(const State& state, std::size_t a, std::size_t b) const {
    if (system_.scheduling != SchedulingAlgorithm::earliest_deadline_first)
      return system_.tasks[a].priority > system_.tasks[b].priority;
    const int of_a = system_.tasks[a].period - state.tasks[a].ages.front();
    const int of_b = system_.tasks[b].period - state.tasks[b].ages.front();
    if (of_a != of_b) return of_a < of_b;
    return state.tasks[a].ages.front() > state.tasks[b].ages.front();
  }

  void execute(State& state) {
    if (system_.budget > 0 && state.budget == 0) return;
    std::vector<std::size_t> ready;
    for (std::size_t task = 0; task < system_.tasks.size(); ++task)
      if (is_ready(state, task)) ready.push_back(task);
    std::stable_sort(ready.begin(), ready.end(), [&](std::size_t a, std::size_t b) {
      if (state.tasks[a].holds != state.tasks[b].holds) return state.tasks[a].holds;
      return precedes(state, a, b);
    });
    if (ready.size() > static_cast<std::size_t>(system_.cores)) ready.resize(static_cast<std::size_t>(system_.cores));
    for (const std::size_t task : ready) {
      if (system_.tasks[task].preemption != Preemption::preemptive) state.tasks[task].holds = true;
      if (on_core(state, task)) --state.tasks[task].left;
      if (system_.budget > 0) --state.budget;
    }
  }

  const SmallSystem& system_;
  int begin_ = 0, hyperperiod_ = 1;
  std::vector<int> longest_;
  std::vector<std::pair<int, State>> open_;
  std::unordered_set<std::string> visited_;
  bool overflow_ = false;
};

}  // namespace

std::optional<std::vector<int>> longest_responses(const SmallSystem& system) { return Search(system).run(); }

std::optional<std::vector<int>> longest_responses_for_all_offsets(const SmallSystem& system) {
  // Offsets that a common shift turns into each other count once. A server does not shift with the tasks.
  SmallSystem shifted = system;
  std::set<std::vector<int>> done;
  std::vector<int> offsets(system.tasks.size());
  std::vector<int> longest(system.tasks.size());
  for (;;) {
    if (done.count(offsets) == 0) {
      for (int shift = 0; shift < system.hyperperiod(); shift += std::max(1, system.server_period)) {
        std::vector<int> same = offsets;
        for (std::size_t task = 0; task < same.size(); ++task)
          same[task] = (same[task] + shift) % system.tasks[task].period;
        done.insert(std::move(same));
      }
      for (std::size_t task = 0; task < offsets.size(); ++task) shifted.tasks[task].offset = offsets[task];
      const auto found = longest_responses(shifted);
      if (!found) return std::nullopt;
      for (std::size_t task = 0; task < longest.size(); ++task) longest[task] = std::max(longest[task], (*found)[task]);
    }
    std::size_t digit = 0;
    while (digit < offsets.size() && ++offsets[digit] == system.tasks[digit].period) offsets[digit++] = 0;
    if (digit == offsets.size()) return longest;
  }
}

}  // namespace amalthea::bench
