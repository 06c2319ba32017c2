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
  enum Stage : std::uint8_t {
    executes,
    asks,              ///< for its semaphore, as soon as it has the core
    waits,             ///< for its semaphore
    ended,             ///< has executed all
    preempted_at_end,  ///< needs the core once more
  } stage = executes;
  int place = 0, turn = 0;  ///< under round robin: in the queue of its core, and what is left of its slice
};

struct EngineState {
  int serves = nobody;
  int last = nobody;
  int elapsed = 0;  ///< of its slice
};

struct State {
  std::vector<TaskState> tasks;
  std::array<EngineState, 2> engines;  ///< copies, kernels
  int budget = 0, inner_budget = 0;
  std::vector<int> holders;  ///< by semaphore: the task, or nobody

  std::string key() const {
    std::string text;
    const auto add = [&](int value) { text.push_back(static_cast<char>(value)); };
    for (const TaskState& task : tasks) {
      add(static_cast<int>(task.ages.size()));
      for (const int age : task.ages) add(age);
      for (const int value : {task.delay, task.phase, task.left, task.beside, task.beside_left}) add(value);
      add((task.holds ? 1 : 0) + (task.overtaken[0] ? 2 : 0) + (task.overtaken[1] ? 4 : 0));
      for (const int value : {int{task.stage}, task.place, task.turn}) add(value);
    }
    for (const EngineState& engine : engines)
      for (const int value : {engine.serves, engine.last, engine.elapsed}) add(value);
    add(budget);
    add(inner_budget);
    for (const int holder : holders) add(holder);
    return text;
  }
};

class Search {
 public:
  /// `any_offsets`: a release may be less than a tick before others of its instant.
  Search(const SmallSystem& system, bool any_offsets)
      : system_(system), any_offsets_(any_offsets), longest_(system.tasks.size()) {
    for (const SmallTask& task : system.tasks) begin_ = std::max(begin_, task.offset);
    hyperperiod_ = system.hyperperiod();
  }

  std::optional<std::vector<int>> run() {
    State first;
    first.tasks.resize(system_.tasks.size());
    first.budget = system_.budget;
    first.inner_budget = system_.inner_budget;
    for (const SmallTask& task : system_.tasks)
      for (const Phase& phase : task.phases)
        if (phase.semaphore >= static_cast<int>(first.holders.size()))
          first.holders.resize(static_cast<std::size_t>(phase.semaphore) + 1, nobody);
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
    if (state.tasks[task].stage == TaskState::waits) return false;
    return on_core(state, task) || system_.tasks[task].polls;
  }
  /// Whether its servers let it execute.
  bool has_budget(const State& state, std::size_t task) const {
    return (system_.budget == 0 || state.budget > 0) && (!system_.tasks[task].in_inner || state.inner_budget > 0);
  }

  void begin_phase(State& state, std::size_t task, Choices& choices) {
    const Phase& begun = phase(state, task);
    state.tasks[task].left = choices.choose(begun.best, begun.worst);
    state.tasks[task].stage = begun.semaphore >= 0 ? TaskState::asks : TaskState::executes;
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
    // What a section has kept waiting, or the job has triggered, precedes its end.
    for (std::size_t task = 0; task < system_.tasks.size(); ++task)
      if (state.tasks[task].stage == TaskState::ended) {
        if (is_first(state, task))
          end_job(state, task, choices);
        else
          state.tasks[task].stage = TaskState::preempted_at_end;
      }
    // A server may see whether it is idle before the releases of the instant at which it is filled.
    const bool is_early = is_filled(now) && choices.choose(0, 1) == 1;
    if (is_early) settle_server(now, state);
    release_all(now, state, choices);
    if (system_.budget > 0 && !is_early) settle_server(now, state);
    serve(state.engines[0], Phase::Kind::copy, state);
    serve(state.engines[1], Phase::Kind::kernel, state);
    execute(state, choices, true);
    for (TaskState& task : state.tasks)
      for (int& age : task.ages) overflow_ = ++age > oldest_job || overflow_;
  }

  /// A section may begin before releases of the same instant.
  void release_all(int now, State& state, Choices& choices) {
    std::vector<std::size_t> released;
    for (std::size_t task = 0; task < system_.tasks.size(); ++task)
      if (is_released(now, state, task, choices)) released.push_back(task);
    // The end of a slice may precede releases of the same instant, or follow them.
    const bool turns_end = std::any_of(state.tasks.begin(), state.tasks.end(), is_at_turn_end);
    const bool late = turns_end && !released.empty() && choices.choose(0, 1) == 1;
    if (!late) end_turns(state);
    const bool matters = !released.empty() && system_.budget == 0 && has_sections();
    const int first = matters ? choices.choose(0, any_offsets_ ? static_cast<int>(released.size()) + 1 : 1) : 0;
    if (first > 1) add_job(state, released[static_cast<std::size_t>(first) - 2], choices);
    if (first > 0) execute(state, choices, false);
    for (std::size_t at = 0; at < released.size(); ++at)
      if (static_cast<int>(at) + 2 != first) add_job(state, released[at], choices);
    if (late) end_turns(state);
  }
  static bool is_at_turn_end(const TaskState& task) { return task.place > 0 && task.turn == 0; }
  void end_turns(State& state) const {
    for (std::size_t task = 0; task < state.tasks.size(); ++task)
      if (is_at_turn_end(state.tasks[task])) go_behind(state, task);
  }
  bool has_sections() const {
    return std::any_of(system_.tasks.begin(), system_.tasks.end(), [](const SmallTask& task) {
      return task.preemption != Preemption::preemptive ||
             std::any_of(task.phases.begin(), task.phases.end(),
                         [](const Phase& phase) { return phase.semaphore >= 0; });
    });
  }

  void end_phases(State& state, std::size_t index, Choices& choices) {
    TaskState& task = state.tasks[index];
    const bool offloads = !task.ages.empty() && !on_core(state, index);
    if (offloads && task.beside_left == 0 && !has_ended_beside(state, index) && ++task.beside >= 0 &&
        !has_ended_beside(state, index))
      begin_beside(state, index, choices);
    if (task.ages.empty() || task.left > 0 || task.stage > TaskState::asks) return;
    if (offloads && !has_ended_beside(state, index) && awaits_next(state, index)) return;
    const int semaphore = phase(state, index).semaphore;
    const std::vector<Phase>& phases = system_.tasks[index].phases;
    const bool more = task.phase + 1 < static_cast<int>(phases.size());
    const bool keeps = more && phases[static_cast<std::size_t>(task.phase) + 1].semaphore == semaphore;
    if (semaphore >= 0 && !keeps) give_on(state, static_cast<std::size_t>(semaphore));
    if (more) {
      task.holds = task.holds && system_.tasks[index].preemption == Preemption::non_preemptive;
      ++task.phase;
      begin_phase(state, index, choices);
      if (keeps) task.stage = TaskState::executes;
      return;
    }
    bool triggers = false;
    for (std::size_t other = 0; other < system_.tasks.size(); ++other)
      if (system_.tasks[other].triggered_by == static_cast<int>(index)) {
        triggers = true;
        add_job(state, other, choices);
      }
    if (semaphore >= 0 || triggers)
      task.stage = TaskState::ended;
    else
      end_job(state, index, choices);
  }

  /// To the most urgent task that waits for it.
  void give_on(State& state, std::size_t semaphore) {
    state.holders[semaphore] = nobody;
    int best = nobody;
    for (std::size_t task = 0; task < system_.tasks.size(); ++task)
      if (state.tasks[task].stage == TaskState::waits && phase(state, task).semaphore == static_cast<int>(semaphore) &&
          (best == nobody || system_.tasks[task].priority > system_.tasks[static_cast<std::size_t>(best)].priority))
        best = static_cast<int>(task);
    if (best == nobody) return;
    state.holders[semaphore] = best;
    state.tasks[static_cast<std::size_t>(best)].stage = TaskState::executes;
  }

  void end_job(State& state, std::size_t index, Choices& choices) {
    TaskState& task = state.tasks[index];
    longest_[index] = std::max(longest_[index], task.ages.front());
    task.ages.erase(task.ages.begin());
    task.phase = 0;
    task.holds = false;
    task.stage = TaskState::executes;
    leave_queue(state, index);
    if (!task.ages.empty()) begin_job(state, index, choices);
  }

  /// Whether its next phase waits for all device tasks.
  bool awaits_next(const State& state, std::size_t index) const {
    const auto next = static_cast<std::size_t>(state.tasks[index].phase) + 1;
    return next < system_.tasks[index].phases.size() && system_.tasks[index].phases[next].kind == Phase::Kind::core;
  }

  void begin_job(State& state, std::size_t index, Choices& choices) {
    begin_phase(state, index, choices);
    go_behind(state, index);
  }

  static void leave_queue(State& state, std::size_t index) {
    const int place = std::exchange(state.tasks[index].place, 0);
    for (TaskState& other : state.tasks)
      if (place > 0 && other.place > place) --other.place;
    state.tasks[index].turn = 0;
  }
  /// With a whole slice.
  void go_behind(State& state, std::size_t index) const {
    if (system_.turn == 0) return;
    leave_queue(state, index);
    int last = 0;
    for (const TaskState& other : state.tasks) last = std::max(last, other.place);
    state.tasks[index].place = last + 1;
    state.tasks[index].turn = system_.turn;
  }

  void add_job(State& state, std::size_t index, Choices& choices) {
    state.tasks[index].ages.push_back(0);
    if (state.tasks[index].ages.size() == 1) begin_job(state, index, choices);
  }

  bool is_released(int now, State& state, std::size_t index, Choices& choices) const {
    const SmallTask& stated = system_.tasks[index];
    if (stated.triggered_by >= 0) return false;
    TaskState& task = state.tasks[index];
    bool released = task.delay > 0 && --task.delay == 0;
    if (now >= stated.offset && (now - stated.offset) % stated.period == 0) {
      task.delay = choices.choose(0, stated.jitter);
      released = released || task.delay == 0;
    }
    return released;
  }

  bool is_filled(int now) const {
    if (system_.scheduling != SchedulingAlgorithm::polling_periodic_server) return false;
    return now % system_.server_period == 0 ||
           (system_.inner_budget > 0 && (now + system_.inner_phase) % system_.inner_period == 0);
  }
  void settle_server(int now, State& state) {
    if (now % system_.server_period == 0) state.budget = system_.budget;
    if (system_.inner_budget > 0 && (now + system_.inner_phase) % system_.inner_period == 0)
      state.inner_budget = system_.inner_budget;
    bool idle = true, inner_idle = true;
    for (std::size_t task = 0; task < system_.tasks.size(); ++task) {
      if (!is_ready(state, task)) continue;
      idle = false;
      inner_idle = inner_idle && !system_.tasks[task].in_inner;
    }
    if (system_.scheduling != SchedulingAlgorithm::polling_periodic_server) return;
    if (idle) state.budget = 0;
    if (inner_idle) state.inner_budget = 0;
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

  /// Beside tasks inside the inner server if `beside_inner`; those have the priority of their server beside others. The
  /// holder of a semaphore with a ceiling is above everything at the ceiling.
  int urgency(const State& state, std::size_t task, bool beside_inner) const {
    const bool as_server = system_.tasks[task].in_inner && !beside_inner;
    int urgency = 2 * (as_server ? system_.inner_priority : system_.tasks[task].priority);
    for (std::size_t semaphore = 0; system_.ceilings && semaphore < state.holders.size(); ++semaphore)
      if (state.holders[semaphore] == static_cast<int>(task))
        for (const SmallTask& user : system_.tasks)
          for (const Phase& phase : user.phases)
            if (phase.semaphore == static_cast<int>(semaphore)) urgency = std::max(urgency, 2 * user.priority + 1);
    return urgency;
  }

  /// Whether a precedes b.
  bool precedes(const State& state, std::size_t a, std::size_t b) const {
    if (system_.scheduling != SchedulingAlgorithm::earliest_deadline_first) {
      const int of_a = urgency(state, a, system_.tasks[b].in_inner),
                of_b = urgency(state, b, system_.tasks[a].in_inner);
      return of_a != of_b ? of_a > of_b : state.tasks[a].place < state.tasks[b].place;
    }
    const int of_a = system_.tasks[a].period - state.tasks[a].ages.front();
    const int of_b = system_.tasks[b].period - state.tasks[b].ages.front();
    if (of_a != of_b) return of_a < of_b;
    return state.tasks[a].ages.front() > state.tasks[b].ages.front();
  }
  /// The same, of two tasks of a core. What is within a part keeps those from the core that are not preemptive at all, or
  /// as cooperative.
  bool runs_before(const State& state, std::size_t a, std::size_t b) const {
    const auto keeps = [&](std::size_t holder, std::size_t other) {
      return state.tasks[holder].holds && (system_.tasks[holder].preemption == Preemption::non_preemptive ||
                                           system_.tasks[other].preemption == Preemption::cooperative);
    };
    if (keeps(a, b)) return true;
    return !keeps(b, a) && precedes(state, a, b);
  }
  bool share_core(std::size_t a, std::size_t b) const {
    return !system_.partitioned || system_.tasks[a].core == system_.tasks[b].core;
  }
  bool is_first(const State& state, std::size_t task) const {
    for (std::size_t other = 0; other < system_.tasks.size(); ++other)
      if (other != task && share_core(other, task) && is_ready(state, other) && has_budget(state, other) &&
          runs_before(state, other, task))
        return false;
    return true;
  }

  /// For a tick, or only what takes no time: who begins a part, and gets a semaphore.
  void execute(State& state, Choices& choices, bool for_tick) {
    for (int core = 0; core < (system_.partitioned ? system_.cores : 1); ++core) {
      std::vector<std::size_t> run;
      const std::size_t units = system_.partitioned ? 1 : static_cast<std::size_t>(system_.cores);
      while (run.size() < units) {
        std::optional<std::size_t> best;
        for (std::size_t task = 0; task < system_.tasks.size(); ++task) {
          if (system_.partitioned && system_.tasks[task].core != core) continue;
          if (!is_ready(state, task) || !has_budget(state, task)) continue;
          if (std::find(run.begin(), run.end(), task) != run.end()) continue;
          if (!best || runs_before(state, task, *best)) best = task;
        }
        if (!best) break;
        if (state.tasks[*best].stage == TaskState::preempted_at_end) {
          end_job(state, *best, choices);
          continue;
        }
        if (state.tasks[*best].stage == TaskState::asks) {
          int& holder = state.holders[static_cast<std::size_t>(phase(state, *best).semaphore)];
          state.tasks[*best].stage = holder == nobody ? TaskState::executes : TaskState::waits;
          if (holder == nobody) holder = static_cast<int>(*best);
          continue;
        }
        run.push_back(*best);
      }
      for (const std::size_t task : run) {
        if (system_.tasks[task].preemption != Preemption::preemptive) state.tasks[task].holds = true;
        if (!for_tick) continue;
        if (on_core(state, task)) --state.tasks[task].left;
        if (system_.budget > 0) --state.budget;
        if (system_.tasks[task].in_inner) --state.inner_budget;
        if (system_.turn > 0) --state.tasks[task].turn;  // the end of a job precedes that of its slice
      }
    }
  }

  const SmallSystem& system_;
  bool any_offsets_ = false;
  int begin_ = 0, hyperperiod_ = 1;
  std::vector<int> longest_;
  std::vector<std::pair<int, State>> open_;
  std::unordered_set<std::string> visited_;
  bool overflow_ = false;
};

}  // namespace

std::optional<std::vector<int>> longest_responses(const SmallSystem& system) { return Search(system, false).run(); }

std::optional<std::vector<int>> longest_responses_for_all_offsets(const SmallSystem& system) {
  // Offsets that a common shift turns into each other count once. A server does not shift with the tasks.
  SmallSystem shifted = system;
  std::vector<int> longest(system.tasks.size());
  for (shifted.inner_phase = 0; shifted.inner_phase < std::max(1, system.inner_period); ++shifted.inner_phase) {
    std::set<std::vector<int>> done;
    std::vector<int> offsets(system.tasks.size());
    for (bool more = true; more;) {
      if (done.count(offsets) == 0) {
        const int step = std::lcm(std::max(1, system.server_period), std::max(1, system.inner_period));
        for (int shift = 0; shift < system.hyperperiod(); shift += step) {
          std::vector<int> same = offsets;
          for (std::size_t task = 0; task < same.size(); ++task)
            same[task] = (same[task] + shift) % system.tasks[task].period;
          done.insert(std::move(same));
        }
        for (std::size_t task = 0; task < offsets.size(); ++task) shifted.tasks[task].offset = offsets[task];
        const auto found = Search(shifted, true).run();
        if (!found) return std::nullopt;
        for (std::size_t task = 0; task < longest.size(); ++task)
          longest[task] = std::max(longest[task], (*found)[task]);
      }
      std::size_t digit = 0;
      const auto last = [&](std::size_t task) {
        return system.tasks[task].triggered_by >= 0 ? 1 : system.tasks[task].period;
      };
      while (digit < offsets.size() && ++offsets[digit] == last(digit)) offsets[digit++] = 0;
      more = digit < offsets.size();
    }
  }
  return longest;
}

}  // namespace amalthea::bench
