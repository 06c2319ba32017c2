// SPDX-License-Identifier: Apache-2.0
/// One instant after the other: steps end, stimuli release jobs, servers get their budgets, and consequences follow until
/// nothing changes (S-time-3).
#include "reference/execution.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/core.h>

#include "reference/data.hpp"
#include "reference/gpu_program.hpp"
#include "reference/program.hpp"
#include "reference/releases.hpp"

namespace reference {

namespace {

using Algorithm = Scheduler::Algorithm;
using Kind = Question::Kind;

enum class Phase : std::uint8_t { idle, ready, waiting, polling };

/// The current job of a task, and what belongs to the task.
struct Active {
  std::vector<std::int64_t> queue;  ///< pending jobs, the current one first
  std::int64_t job = -1;
  std::int64_t released = 0;  ///< jobs so far
  Index pc = 0;
  bool executing = false, started = false, granted = false;
  bool holding = false;      ///< has its core since it became non-preemptible
  int locks = 0;             ///< uninterruptible groups
  Time left = 0, whole = 0;  ///< of the operation, on the unit
  Phase phase = Phase::idle;
  State state = State::ready;
  Index unit = none, last = none;  ///< where it runs, and ran
  Time since = 0, ready_since = 0, turn = 0, slice_left = 0, deadline = never, ended = -1;
  std::vector<Index> held, stack;  ///< semaphores, runnables
  std::vector<std::int64_t> counters;
  std::vector<std::uint64_t> visited;
  std::uint64_t flags = 0;  ///< OS events
};

struct Core {
  Index task = none, next = none;
  Index cooperative = none;  ///< task within a runnable; no other cooperative task may run here
  bool taken = false;
};

struct Server {
  Time budget = 0, replenished = 0, deadline = 0;
  int running = 0;
};

/// What a scheduler decides about: its tasks, and its child schedulers.
struct Level {
  std::vector<Index> tasks, children;
};

bool is_server(Algorithm algorithm) {
  return algorithm == Algorithm::polling_server || algorithm == Algorithm::deferrable_server ||
         algorithm == Algorithm::constant_bandwidth_server;
}

class Executor {
 public:
  Executor(const Model& model, Behaviour& behaviour, const RunOptions& options)
      : model_(model), behaviour_(behaviour), options_(options), data_(model) {
    behaviour.restart();
    prepare_tasks();
    prepare_order();
    devices_ = devices(model, behaviour, options);
    for (Index stimulus = 0; stimulus < model.stimuli.size(); ++stimulus) {
      releases_.emplace_back(model, stimulus, behaviour, options.any_offsets);
      event_stimuli_ = event_stimuli_ || model.stimuli[stimulus].kind == Stimulus::Kind::event;
    }
    occurred_.assign(model.stimuli.size(), 0);
    for (const auto& mode : model.modes) modes_.push_back(mode.initial);
    for (const auto& semaphore : model.semaphores) users_.push_back(semaphore.users);
    waiters_.resize(model.semaphores.size());
    trace_ = options.trace || !model.constraints.empty();
    for (Index number = 0; number < model.schedulers.size(); ++number) {
      auto& server = servers_.emplace_back();
      if (!is_server(model.schedulers[number].algorithm)) continue;
      has_servers_ = true;
      if (model.schedulers[number].algorithm != Algorithm::polling_server)
        server.budget = model.schedulers[number].budget;  // S-server-1
      if (options.any_offsets && model.schedulers[number].algorithm != Algorithm::constant_bandwidth_server)
        server.replenished = ask(Kind::server_phase, number, 0, model.schedulers[number].period - 1);
    }
  }

  Execution run() {
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

 private:
  // ---------------------------------------------------------------- preparation

  void prepare_tasks() {
    active_.resize(model_.tasks.size());
    programs_.resize(model_.tasks.size());
    device_steps_.resize(model_.tasks.size());
    if (model_.os_events.size() > 64) throw Refused("events", "more than 64");
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
  std::vector<Index> path(Index task) const {
    std::vector<Index> out;
    for (auto at = model_.tasks[task].scheduler; at != none; at = model_.schedulers[at].parent) {
      if (model_.schedulers[at].algorithm != Algorithm::grouping) out.push_back(at);
      if (out.size() > model_.schedulers.size()) throw Refused(model_.schedulers[at].name, "its own parent");
    }
    return out;
  }

  void prepare_order() {
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
        if (model_.schedulers[scheduler].algorithm == Algorithm::round_robin && model_.schedulers[scheduler].slice <= 0)
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
      if (std::find(roots.begin(), roots.end(), paths_[task].back()) == roots.end())
        roots.push_back(paths_[task].back());
      std::sort(roots.begin(), roots.end());
    }
    ceilings_.assign(model_.semaphores.size(), std::numeric_limits<std::int64_t>::min() / 4);
    for (const auto task : cpu_tasks_) {
      each_op(task, [&](const Op& op) {
        if (op.kind == Op::Kind::request && model_.semaphores[op.target].ceiling)
          ceilings_[op.target] = std::max(ceilings_[op.target], urgency(task));
      });
    }
  }

  template <class Use>
  void each_op(Index task, const Use& use) const {
    for (const auto& op : programs_[task].ops) use(op);
  }

  // ---------------------------------------------------------------- order of tasks

  std::int64_t ask(Kind kind, Index entity, std::int64_t least, std::int64_t most) {
    return behaviour_.ask(kind, entity, least, most);
  }

  static Time or_never(Time time) { return time >= 0 ? time : never; }

  /// Larger is more urgent; for orders by fixed numbers (S-cores-2).
  std::int64_t urgency(Index task) const {
    const auto& one = model_.tasks[task];
    const auto algorithm = model_.schedulers[paths_[task].front()].algorithm;
    if (algorithm == Algorithm::rate_monotonic) return -or_never(one.period);
    if (algorithm == Algorithm::deadline_monotonic) return -or_never(one.deadline >= 0 ? one.deadline : one.period);
    return one.priority;
  }

  /// S-semaphore-3: the holder of a semaphore with a ceiling is above everything at the ceiling.
  std::int64_t level(Index task) const {
    auto out = 2 * urgency(task);
    for (const auto semaphore : active_[task].held) {
      if (model_.semaphores[semaphore].ceiling) out = std::max(out, 2 * ceilings_[semaphore] + 1);
    }
    return out;
  }

  std::int64_t level(Index child, Algorithm in) const {
    const auto& scheduler = model_.schedulers[child];
    const bool by_period = in == Algorithm::rate_monotonic || in == Algorithm::deadline_monotonic;
    return 2 * (by_period ? -or_never(scheduler.period > 0 ? scheduler.period : -1) : scheduler.priority);
  }

  /// S-cores-4: the deadline of a child under a scheduler by deadlines.
  Time deadline(Index child) const {
    const auto algorithm = model_.schedulers[child].algorithm;
    if (algorithm == Algorithm::constant_bandwidth_server) return servers_[child].deadline;
    if (is_server(algorithm)) return servers_[child].replenished;
    Time first = never;
    for (const auto other : cpu_tasks_) {
      if (runnable(other) && std::find(paths_[other].begin(), paths_[other].end(), child) != paths_[other].end())
        first = std::min(first, active_[other].deadline);
    }
    return first;
  }

  bool wants(Index scheduler) const {
    const auto& level = levels_[scheduler];
    return std::any_of(level.tasks.begin(), level.tasks.end(), [&](Index task) { return wanting_[task] != 0; }) ||
           std::any_of(level.children.begin(), level.children.end(), [&](Index child) { return wants(child); });
  }

  /// The default order of what is equally urgent: what runs, then what became ready first, then the order of the model.
  std::tuple<bool, Time, Index> earliness(Index scheduler) const {
    std::tuple<bool, Time, Index> first{true, never, none};
    for (const auto task : levels_[scheduler].tasks) {
      if (wanting_[task] != 0) first = std::min(first, earliness_of(task));
    }
    for (const auto child : levels_[scheduler].children) first = std::min(first, earliness(child));
    return first;
  }
  std::tuple<bool, Time, Index> earliness_of(Index task) const {
    return {active_[task].unit == none, active_[task].ready_since, task};
  }

  /// A task or a child scheduler, with its place in the order: smaller is more urgent.
  struct Entity {
    std::int64_t order = 0, second = 0;
    Index task = none, child = none;
    std::tuple<bool, Time, Index> earliness;
  };

  /// The most urgent task that wants a core, below this scheduler (S-cores-3). `merged`: further schedulers whose tasks
  /// compete with its own.
  Index select(Index number, const std::vector<Index>& merged) {
    const auto& scheduler = model_.schedulers[number];
    std::vector<Entity> best;
    const auto add = [&](const Entity& one) {
      if (!best.empty() && one.order > best.front().order) return;
      if (!best.empty() && one.order < best.front().order) best.clear();
      best.push_back(one);
    };
    for (const auto each : merged) {
      for (const auto task : levels_[each].tasks) {
        if (wanting_[task] == 0) continue;
        Entity one{-level(task), 0, task, none, earliness_of(task)};
        if (scheduler.algorithm == Algorithm::earliest_deadline) one.order = active_[task].deadline;
        if (scheduler.algorithm == Algorithm::constant_bandwidth_server) one.order = 0;
        if (scheduler.algorithm == Algorithm::round_robin) one.second = active_[task].turn;
        if (scheduler.osek) one.second = job(task).release;
        add(one);
      }
      for (const auto child : levels_[each].children) {
        if (!wants(child)) continue;
        Entity one{-level(child, scheduler.algorithm), 0, none, child, earliness(child)};
        if (scheduler.algorithm == Algorithm::earliest_deadline) one.order = deadline(child);
        if (scheduler.algorithm == Algorithm::constant_bandwidth_server) one.order = 0;
        add(one);
      }
    }
    auto second = never;  // turns and activations decide among tasks only
    for (const auto& one : best) second = one.task != none ? std::min(second, one.second) : second;
    best.erase(
        std::remove_if(best.begin(), best.end(), [&](const Entity& e) { return e.task != none && e.second > second; }),
        best.end());
    const auto& chosen = best[choose(best, Kind::ready_tie, number)];
    return chosen.task != none ? chosen.task : select(chosen.child, {chosen.child});
  }

  /// One of several, in the order of `earliness`, by a question.
  std::size_t choose(std::vector<Entity>& list, Kind kind, Index entity) {
    if (list.size() == 1) return 0;
    std::sort(list.begin(), list.end(), [](const Entity& a, const Entity& b) { return a.earliness < b.earliness; });
    return static_cast<std::size_t>(ask(kind, entity, 0, static_cast<std::int64_t>(list.size()) - 1));
  }

  Index next_task(Index cluster) {
    std::vector<Entity> interrupts;
    for (const int first : {0, 1, 2}) {
      for (const auto task : cpu_tasks_) {
        if (wanting_[task] == 0 || rank(task) != first) continue;
        if (first != 1) return task;
        const Entity one{-level(task), 0, task, none, earliness_of(task)};
        if (!interrupts.empty() && one.order > interrupts.front().order) continue;
        if (!interrupts.empty() && one.order < interrupts.front().order) interrupts.clear();
        interrupts.push_back(one);
      }
      if (!interrupts.empty())
        return interrupts[choose(interrupts, Kind::ready_tie, model_.tasks[interrupts[0].task].scheduler)].task;
    }
    const auto& roots = roots_[cluster];
    const bool plain = std::all_of(roots.begin(), roots.end(), [&](Index root) {
      return levels_[root].children.empty() && model_.schedulers[root].algorithm == Algorithm::fixed_priority;
    });
    if (plain) return select(roots.front(), roots);
    for (const auto root : roots) {
      if (wants(root)) return select(root, {root});
    }
    return none;
  }

  bool unpreemptible(Index task) const {
    const auto& a = active_[task];
    return a.holding && (a.locks > 0 || model_.tasks[task].preemption == Task::Preemption::none);
  }

  /// 0 uninterruptible, 1 interrupts, 2 non-preemptive tasks that have begun, 3 others (S-cores-5).
  int rank(Index task) const {
    if (active_[task].locks > 0 && active_[task].holding) return 0;
    if (model_.tasks[task].isr) return 1;
    return unpreemptible(task) ? 2 : 3;
  }

  /// Whether the task wants a core and its servers have budget (S-server-4).
  bool runnable(Index task) const {
    const auto& a = active_[task];
    if (a.job < 0 || a.phase == Phase::waiting || a.phase == Phase::idle) return false;
    if (unpreemptible(task)) return true;
    for (const auto scheduler : paths_[task]) {
      const auto algorithm = model_.schedulers[scheduler].algorithm;
      if (is_server(algorithm) && algorithm != Algorithm::constant_bandwidth_server && servers_[scheduler].budget <= 0)
        return false;
    }
    return true;
  }

  void schedule(Index cluster) {
    std::size_t wanting = 0, free = 0;
    for (const auto task : cpu_tasks_) {
      const bool wants = cluster_[model_.tasks[task].units[0]] == cluster && runnable(task);
      wanting_[task] = wants ? 1 : 0;
      wanting += wants ? 1u : 0u;
    }
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      if (cluster_[unit] != cluster) continue;
      cores_[unit].taken = false;
      cores_[unit].next = none;
      ++free;
    }
    for (; wanting > 0 && free > 0; --wanting) {
      auto task = next_task(cluster);
      wanting_[task] = 0;
      auto unit = place(task);
      if (unit == none && cooperates(task)) {  // S-cores-5: who waits for the end of a runnable lets it continue
        const auto core = std::find_if(cores_.begin(), cores_.end(), [&](const Core& one) {
          return one.cooperative != none && !one.taken && may_use(task, one);
        });
        if (core == cores_.end() || wanting_[core->cooperative] == 0) continue;
        if (wanting > 2 && ask(Kind::cooperation, model_.tasks[task].scheduler, 0, 1) == 1) continue;
        task = core->cooperative;
        wanting_[task] = 0;
        --wanting;
        unit = place(task);
      }
      if (unit == none) continue;
      cores_[unit].taken = true;
      cores_[unit].next = task;
      --free;
    }
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      if (cluster_[unit] == cluster && cores_[unit].task != cores_[unit].next && cores_[unit].task != none)
        preempt(cores_[unit].task);
    }
    for (Index unit = 0; unit < cores_.size(); ++unit) {
      if (cluster_[unit] == cluster && cores_[unit].task != cores_[unit].next) dispatch(cores_[unit].next, unit);
    }
  }

  /// A free core for the task: the one that it has or had, else one that nobody wants, else any (S-cores-6).
  Index place(Index task) {
    const auto& a = active_[task];
    const auto allowed = [&](Index unit) {
      const auto& core = cores_[unit];
      return !core.taken &&
             (core.cooperative == none || core.cooperative == task || !cooperates(task) || !runnable(core.cooperative));
    };
    if (unpreemptible(task)) return allowed(a.last) ? a.last : none;
    if (a.unit != none && allowed(a.unit)) return a.unit;
    auto& choices = choices_;
    choices.clear();
    for (const bool idle : {true, false}) {
      for (const auto unit : model_.tasks[task].units) {
        const bool unwanted = cores_[unit].task == none || !runnable(cores_[unit].task);
        if (unwanted != idle || !allowed(unit)) continue;
        choices.insert(unit == a.last && idle ? choices.begin() : choices.end(), unit);
      }
    }
    if (choices.empty()) return none;
    return choices[static_cast<std::size_t>(
        ask(Kind::core_choice, task, 0, static_cast<std::int64_t>(choices.size()) - 1))];
  }

  bool may_use(Index task, const Core& core) const {
    const auto& units = model_.tasks[task].units;
    return std::find(units.begin(), units.end(), static_cast<Index>(&core - cores_.data())) != units.end();
  }

  bool cooperates(Index task) const { return model_.tasks[task].preemption == Task::Preemption::cooperative; }

  void count_running(Index task, int change) {
    for (const auto scheduler : paths_[task]) servers_[scheduler].running += change;
  }

  void leave_core(Index task) {
    auto& a = active_[task];
    if (a.unit == none) return;
    cores_[a.unit].task = none;
    a.last = a.unit;
    a.unit = none;
    count_running(task, -1);
    dirty_.push_back(cluster_[a.last]);
  }

  void preempt(Index task) {
    auto& a = active_[task];
    if (!a.stack.empty()) emit(Occurrence::Kind::runnable_suspend, a.stack.back(), task);
    leave_core(task);
    dirty_.pop_back();
    ++job(task).preemptions;
    emit(a.phase == Phase::polling ? Occurrence::Kind::park : Occurrence::Kind::preempt, task, task);
    set_state(task, a.phase == Phase::polling ? State::parking : State::ready);
  }

  void dispatch(Index task, Index unit) {
    auto& a = active_[task];
    cores_[unit].task = task;
    a.unit = unit;
    count_running(task, 1);
    if (a.started && a.last != unit && a.last != none) {
      ++job(task).migrations;
      if (cores_[a.last].cooperative == task) cores_[a.last].cooperative = none;
      if (a.executing) migrate(task, a.last, unit);
    }
    a.last = unit;
    a.holding = true;
    const bool first = !a.started;
    if (first) {
      a.started = true;
      job(task).start = now_;
      data_.start(task, now_, job(task).release);
    }
    set_state(task, a.phase == Phase::polling ? State::polling : State::running);
    emit(first                       ? Occurrence::Kind::start
         : a.phase == Phase::polling ? Occurrence::Kind::poll_parking
                                     : Occurrence::Kind::resume,
         task, task);
    if (!first && !a.stack.empty()) emit(Occurrence::Kind::runnable_resume, a.stack.back(), task);
    if (!a.executing) due_.push_back(task);
  }

  std::size_t place_of(Index task, Index unit) const {
    const auto& units = model_.tasks[task].units;
    return static_cast<std::size_t>(std::find(units.begin(), units.end(), unit) - units.begin());
  }

  /// S-cores-7: the rest of an operation takes the same share of the time on the other core.
  void migrate(Index task, Index from, Index to) {
    auto& a = active_[task];
    const auto& program = programs_[task];
    const auto* costs = &program.costs[program.ops[a.pc].cost];
    const auto range = [&](Index unit) {
      const auto& cost = costs[place_of(task, unit)];
      return Range{std::max(duration(cost.cycles.least, cost.hertz), cost.at_least.least),
                   std::max(duration(cost.cycles.most, cost.hertz), cost.at_least.most)};
    };
    const auto p = range(from), q = range(to);
    const Time whole = p.most == p.least ? q.most
                                         : q.least + static_cast<Time>(static_cast<Wide>(q.most - q.least) *
                                                                       (a.whole - p.least) / (p.most - p.least));
    if (whole == a.whole || a.whole == 0) return;
    a.left = static_cast<Time>(static_cast<Wide>(a.left) * whole / a.whole);
    a.whole = whole;
  }

  // ---------------------------------------------------------------- jobs

  Job& job(Index task) { return result_.jobs[static_cast<std::size_t>(active_[task].job)]; }

  void set_state(Index task, State state) {
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

  void emit(Occurrence::Kind kind, Index entity, Index task) {
    if (!trace_ && !event_stimuli_) return;
    Occurrence one;
    one.time = now_;
    one.kind = kind;
    one.entity = entity;
    one.task = task;
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

  bool holds(const Condition& condition, Index task, Kind kind) {
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

  static bool hits(const Counter& counter, std::int64_t number) {
    return number >= counter.offset && (number - counter.offset) % counter.prescaler == 0;
  }

  /// S-release-8: condition, counter, modes, then activations.
  void occur(Index number) {
    const auto& stimulus = model_.stimuli[number];
    if (!holds(stimulus.condition, number, Kind::alternative)) return;
    if (stimulus.counts && !hits(stimulus.counter, occurred_[number]++)) return;
    emit(Occurrence::Kind::stimulus, number, none);
    for (const auto& [mode, value] : stimulus.modes) {
      modes_[mode] = value;
      emit(Occurrence::Kind::mode_write, mode, none);
    }
    for (Index task = 0; task < model_.tasks.size(); ++task) {
      const auto& stimuli = model_.tasks[task].stimuli;
      if (std::find(stimuli.begin(), stimuli.end(), number) != stimuli.end()) activate(task);
    }
  }

  void activate(Index task) {
    auto& a = active_[task];
    const auto limit = model_.tasks[task].limit;
    const auto pending = static_cast<std::int64_t>(a.queue.size());
    // S-activation-2: a job that ends at this instant makes room, or not yet.
    const bool late =
        limit > 0 && pending + 1 == limit && a.ended == now_ && ask(Kind::simultaneous_events, task, 0, 1) == 1;
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
      emit(Occurrence::Kind::activate, task, task);
      a.job = current;
    }
    if (a.job < 0) begin(task);
  }

  /// The first pending job becomes the current one.
  void begin(Index task) {
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

  void ready(Index task) {
    auto& a = active_[task];
    const bool idle = a.phase == Phase::idle || a.phase == Phase::waiting;
    a.phase = Phase::ready;
    a.ready_since = a.turn = now_;
    a.slice_left = model_.schedulers[model_.tasks[task].scheduler].slice;
    for (const auto scheduler : paths_[task]) {
      const auto& one = model_.schedulers[scheduler];
      if (!idle || one.algorithm != Algorithm::constant_bandwidth_server || others_active(task, scheduler)) continue;
      auto& server = servers_[scheduler];  // S-server-5
      if (server.deadline <= now_ ||
          static_cast<Wide>(server.budget) * one.period >= static_cast<Wide>(server.deadline - now_) * one.budget) {
        server.deadline = now_ + one.period;
        server.budget = one.budget;
      }
    }
    dirty_.push_back(cluster_[model_.tasks[task].units[0]]);
  }

  bool others_active(Index task, Index scheduler) const {
    for (const auto other : cpu_tasks_) {
      if (other != task && active_[other].job >= 0 && active_[other].phase != Phase::waiting &&
          std::find(paths_[other].begin(), paths_[other].end(), scheduler) != paths_[other].end())
        return true;
    }
    return false;
  }

  void finish_job(Index task) {
    auto& a = active_[task];
    set_state(task, State::ready);
    emit(Occurrence::Kind::terminate, task, task);
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

  void free_section(Index task) {
    for (auto& core : cores_) {
      if (core.cooperative == task) core.cooperative = none;
    }
  }

  // ---------------------------------------------------------------- operations

  Time cost_of(Index task, const Op& op) {
    const auto& cost = programs_[task].costs[op.cost + place_of(task, active_[task].unit)];
    const auto cycles = ask(Kind::execution_time, task, cost.cycles.least, cost.cycles.most);
    const auto time = duration(cycles, cost.hertz);
    if (cost.at_least.most == 0) return time;
    return std::max(time, cost.at_least.least == cost.at_least.most
                              ? cost.at_least.least
                              : ask(Kind::execution_time, task, cost.at_least.least, cost.at_least.most));
  }

  /// Executes what takes no time, up to the next operation that does.
  void progress(Index task) {
    auto& a = active_[task];
    const auto& program = programs_[task];
    for (;;) {
      if (a.unit == none || a.job < 0) return;
      if (++steps_ > 1'000'000) throw Refused(model_.tasks[task].name, "a circle that takes no time");
      const auto& op = program.ops[a.pc];
      const auto* item = op.item;
      switch (op.kind) {
        case Op::Kind::execute:
        case Op::Kind::access:
          if (!a.executing) {
            if (op.kind == Op::Kind::access && !item->write) accessed(task, op);
            set_state(task, State::running);
            a.left = a.whole = cost_of(task, op);
            a.executing = true;
            if (cooperates(task)) cores_[a.unit].cooperative = task;
          }
          if (a.left > 0) return;
          set_state(task, State::running);
          a.executing = false;
          if (op.kind == Op::Kind::access && item->write) accessed(task, op);
          break;
        case Op::Kind::wait:
          if (!satisfied(task)) return suspend(task, item->active);
          resume_from_poll(task);
          break;
        case Op::Kind::set:
          set_events(*item);
          break;
        case Op::Kind::clear:
          for (const auto event : item->events) a.flags &= ~(std::uint64_t{1} << event);
          break;
        case Op::Kind::trigger:
          occur(op.target);
          break;
        case Op::Kind::request:
          if (!a.granted && users_[op.target] >= model_.semaphores[op.target].most) {
            if (std::find(waiters_[op.target].begin(), waiters_[op.target].end(), task) == waiters_[op.target].end())
              waiters_[op.target].push_back(task);
            return suspend(task, item->active);
          }
          if (!a.granted) {
            ++users_[op.target];
            a.held.push_back(op.target);
          }
          a.granted = false;
          resume_from_poll(task);
          emit(Occurrence::Kind::lock, op.target, task);
          break;
        case Op::Kind::release:
          release(task, op.target);
          break;
        case Op::Kind::mode: {
          auto& mode = modes_[op.target];
          if (item->write) mode = item->step ? mode + item->value : item->value;
          using K = Occurrence::Kind;
          emit(!item->write      ? K::mode_read
               : !item->step     ? K::mode_write
               : item->value > 0 ? K::mode_increment
                                 : K::mode_decrement,
               op.target, task);
          break;
        }
        case Op::Kind::custom:
          emit(Occurrence::Kind::custom, op.target, task);
          break;
        case Op::Kind::call:
          if (!a.stack.empty()) emit(Occurrence::Kind::runnable_suspend, a.stack.back(), task);
          a.stack.push_back(op.target);
          emit(Occurrence::Kind::runnable_start, op.target, task);
          break;
        case Op::Kind::leave:
          emit(Occurrence::Kind::runnable_terminate, op.target, task);
          a.stack.pop_back();
          if (!a.stack.empty()) emit(Occurrence::Kind::runnable_resume, a.stack.back(), task);
          break;
        case Op::Kind::boundary:
          if (cooperates(task) && cores_[a.unit].cooperative == task) {  // S-cores-5
            free_section(task);
            ++a.pc;
            return yield(task);
          }
          break;
        case Op::Kind::point:  // S-cores-5
          if (a.locks > 0 ||
              (model_.tasks[task].preemption == Task::Preemption::none && ask(Kind::preemption, task, 0, 1) == 1))
            break;
          free_section(task);
          a.holding = false;
          ++a.pc;
          return yield(task);
        case Op::Kind::lock:
          ++a.locks;
          break;
        case Op::Kind::unlock:
          if (--a.locks == 0) {
            ++a.pc;
            return yield(task);
          }
          break;
        case Op::Kind::count:
          if (!hits(item->counter, a.counters[op.slot]++)) {
            a.pc = op.target;
            continue;
          }
          break;
        case Op::Kind::test:
        case Op::Kind::loop:
          if (!holds(*op.condition, task, op.kind == Op::Kind::loop ? Kind::iterations : Kind::alternative)) {
            a.pc = op.target;
            continue;
          }
          break;
        case Op::Kind::choose:
          a.pc = op.targets[choice(task, *item)];
          continue;
        case Op::Kind::any_order:
          a.pc = op.targets[unvisited(task, op)];
          continue;
        case Op::Kind::jump:
          a.pc = op.target;
          continue;
        case Op::Kind::end:
          return finish_job(task);
      }
      ++a.pc;
      if (!a.executing && std::find(dirty_.begin(), dirty_.end(), cluster_[a.unit]) != dirty_.end() &&
          ask(Kind::preemption, task, 0, 1) == 0)
        return yield(task);  // S-cores-8
    }
  }

  /// The job may lose its core here.
  void yield(Index task) {
    dirty_.push_back(cluster_[active_[task].unit]);
    yielded_.push_back(task);
  }

  std::size_t choice(Index task, const Item& item) {
    if (item.kind == Item::Kind::probability) {
      auto& open = open_choices_;
      open.clear();
      for (std::size_t i = 0; i < item.items.size(); ++i) {
        if (item.items[i].probability > 0) open.push_back(i);
      }
      if (open.empty()) return item.items.size();
      return open[static_cast<std::size_t>(
          ask(Kind::alternative, task, 0, static_cast<std::int64_t>(open.size()) - 1))];
    }
    for (std::size_t i = 0; i < item.items.size(); ++i) {
      if (item.items[i].otherwise || holds(item.items[i].condition, task, Kind::alternative)) return i;
    }
    return item.items.size();
  }

  std::size_t unvisited(Index task, const Op& op) {
    auto& visited = active_[task].visited[op.slot];
    auto& open = open_choices_;
    open.clear();
    for (std::size_t i = 0; i + 1 < op.targets.size(); ++i) {
      if ((visited >> i & 1) == 0) open.push_back(i);
    }
    if (open.empty()) {
      visited = 0;
      return op.targets.size() - 1;
    }
    const auto chosen =
        open[static_cast<std::size_t>(ask(Kind::access_position, task, 0, static_cast<std::int64_t>(open.size()) - 1))];
    visited |= std::uint64_t{1} << chosen;
    return chosen;
  }

  void accessed(Index task, const Op& op) {
    data_.access(task, op.target, op.item->write, now_);
    emit(op.item->write ? Occurrence::Kind::write : Occurrence::Kind::read, op.target, task);
  }

  // ---------------------------------------------------------------- events and semaphores

  bool satisfied(Index task) const {
    const auto& a = active_[task];
    const auto& item = *programs_[task].ops[a.pc].item;
    std::uint64_t mask = 0;
    for (const auto event : item.events) mask |= std::uint64_t{1} << event;
    return item.all ? (a.flags & mask) == mask : (a.flags & mask) != 0;
  }

  /// The job waits: actively it keeps its core, passively it leaves it.
  void suspend(Index task, bool active) {
    auto& a = active_[task];
    if (active) {
      if (a.phase == Phase::polling) return;
      a.phase = Phase::polling;
      emit(Occurrence::Kind::poll, task, task);
      return set_state(task, State::polling);
    }
    a.phase = Phase::waiting;
    a.holding = false;
    free_section(task);
    emit(Occurrence::Kind::wait, task, task);
    set_state(task, State::waiting);
    leave_core(task);
  }

  void resume_from_poll(Index task) {
    auto& a = active_[task];
    if (a.phase != Phase::polling) return;
    a.phase = Phase::ready;
    set_state(task, State::running);
    emit(Occurrence::Kind::run, task, task);
  }

  /// What the job waits for has come.
  void wake(Index task) {
    auto& a = active_[task];
    if (a.phase == Phase::waiting) {
      set_state(task, State::ready);
      emit(Occurrence::Kind::release, task, task);
      ready(task);
    } else if (a.unit != none) {
      due_.push_back(task);
    } else {
      a.phase = Phase::ready;
      set_state(task, State::ready);
      emit(Occurrence::Kind::release_parking, task, task);
    }
  }

  void set_events(const Item& item) {
    for (Index task = 0; task < active_.size(); ++task) {
      if (item.target != none && item.target != task) continue;  // S-event-1
      auto& a = active_[task];
      for (const auto event : item.events) a.flags |= std::uint64_t{1} << event;
      if (a.phase != Phase::waiting && a.phase != Phase::polling) continue;
      if (programs_[task].ops[a.pc].kind == Op::Kind::wait && satisfied(task)) wake(task);
    }
  }

  void release(Index task, Index semaphore) {
    auto& held = active_[task].held;
    const auto found = std::find(held.rbegin(), held.rend(), semaphore);
    if (found != held.rend()) held.erase(std::next(found).base());
    emit(Occurrence::Kind::unlock, semaphore, task);
    dirty_.push_back(cluster_[active_[task].unit]);
    auto& waiters = waiters_[semaphore];
    if (waiters.empty()) {
      users_[semaphore] = std::max<std::int64_t>(0, users_[semaphore] - 1);
    } else {  // S-semaphore-2
      std::vector<Index> best;
      for (const auto waiter : waiters) {
        const auto order = best.empty() ? 0 : more_urgent(waiter, best.front());
        if (order < 0) best.clear();
        if (order <= 0) best.push_back(waiter);
      }
      const auto chosen = best[static_cast<std::size_t>(
          ask(Kind::semaphore_tie, semaphore, 0, static_cast<std::int64_t>(best.size()) - 1))];
      waiters.erase(std::find(waiters.begin(), waiters.end(), chosen));
      active_[chosen].granted = true;  // from now on, at the ceiling
      active_[chosen].held.push_back(semaphore);
      wake(chosen);
    }
  }

  int more_urgent(Index a, Index b) const {
    const auto scheduler = paths_[a].front();
    if (scheduler == paths_[b].front() && model_.schedulers[scheduler].algorithm == Algorithm::earliest_deadline)
      return active_[a].deadline < active_[b].deadline ? -1 : active_[a].deadline > active_[b].deadline ? 1 : 0;
    return urgency(a) > urgency(b) ? -1 : urgency(a) < urgency(b) ? 1 : 0;
  }

  // ---------------------------------------------------------------- device tasks

  void device_progress(Index task) {
    auto& a = active_[task];
    const auto& steps = device_steps_[task];
    while (a.pc < steps.size()) {
      const auto& step = steps[a.pc];
      if (step.operation) {
        if (!a.started) {
          a.started = true;
          set_state(task, State::running);
          job(task).start = now_;
          emit(Occurrence::Kind::start, task, task);
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
      if (item.kind == Item::Kind::custom_event) emit(Occurrence::Kind::custom, item.target, task);
    }
    if (!a.started) {
      job(task).start = now_;
      data_.start(task, now_, job(task).release);
    }
    finish_job(task);
  }

  void devices_advance(Time to) {
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

  // ---------------------------------------------------------------- time

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
      const auto algorithm = model_.schedulers[number].algorithm;
      if (!is_server(algorithm)) continue;
      const auto& server = servers_[number];
      if (algorithm != Algorithm::constant_bandwidth_server) at = std::min(at, server.replenished);
      if (server.running > 0 && server.budget > 0)
        at = std::min(at, now_ + (server.budget + server.running - 1) / server.running);
    }
    for (const auto& device : devices_) at = std::min(at, device.gpu->next());
    return at;
  }

  bool turns(Index task) const {
    return model_.schedulers[model_.tasks[task].scheduler].algorithm == Algorithm::round_robin;
  }

  void advance(Time to) {
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

  void instant() {
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
    for (Index number = 0; number < servers_.size(); ++number) {
      const auto algorithm = model_.schedulers[number].algorithm;
      begins = begins || (algorithm == Algorithm::polling_server && servers_[number].replenished == now_);
    }
    // S-time-4: cores may turn to other jobs before the releases of the same instant, or after them.
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
    servers();
    for (;;) {
      if (!due_.empty()) {
        all_due();
      } else if (!dirty_.empty()) {
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

  // ---------------------------------------------------------------- servers and turns

  void servers() {
    for (Index number = 0; number < servers_.size(); ++number) {
      const auto& scheduler = model_.schedulers[number];
      if (!is_server(scheduler.algorithm)) continue;
      auto& server = servers_[number];
      if (scheduler.algorithm == Algorithm::constant_bandwidth_server) {
        if (server.budget > 0) continue;
        server.budget = scheduler.budget;  // S-server-5
        server.deadline += scheduler.period;
      } else if (server.replenished == now_) {
        server.budget = scheduler.budget;
        server.replenished += scheduler.period;
      } else if (server.budget > 0) {
        continue;
      }
      for (const auto unit : scheduler.units) dirty_.push_back(cluster_[unit]);
    }
    for (const auto& core : cores_) {
      if (core.task == none || !turns(core.task) || active_[core.task].slice_left > 0) continue;
      auto& a = active_[core.task];
      a.turn = now_;
      a.slice_left = model_.schedulers[model_.tasks[core.task].scheduler].slice;
      dirty_.push_back(cluster_[a.unit]);
    }
  }

  /// S-server-2: a polling server without a job that is ready loses its budget.
  void idle_servers() {
    for (Index number = 0; number < servers_.size(); ++number) {
      if (model_.schedulers[number].algorithm != Algorithm::polling_server || servers_[number].budget == 0) continue;
      if (!others_active(none, number)) servers_[number].budget = 0;
    }
  }

  const Model& model_;
  Behaviour& behaviour_;
  const RunOptions& options_;
  Execution result_;
  Data data_;
  Time now_ = 0;
  std::int64_t open_ = 0, steps_ = 0;
  bool trace_ = false, event_stimuli_ = false, interacts_ = false, has_servers_ = false;
  std::vector<Program> programs_;
  std::vector<std::vector<DeviceStep>> device_steps_;
  std::vector<Active> active_;
  std::vector<Core> cores_;
  std::vector<Index> cluster_, cpu_tasks_, choices_;
  std::vector<std::size_t> open_choices_;
  std::vector<std::vector<Index>> paths_, waiters_;
  std::vector<Level> levels_;
  std::vector<std::vector<Index>> roots_;  ///< by cluster
  std::vector<char> wanting_;              ///< tasks that want a core and have none yet
  std::vector<std::int64_t> ceilings_, modes_, users_, occurred_;
  std::vector<Releases> releases_;
  std::vector<Server> servers_;
  std::vector<Device> devices_;
  std::map<std::pair<Index, std::uint32_t>, std::size_t> operations_;
  std::vector<Index> due_, dirty_, yielded_, ended_;
};

}  // namespace

bool fits(const Event& event, const Occurrence& one) {
  using O = Event::Of;
  using K = Occurrence::Kind;
  static const char* const types[] = {
      // in the order of Occurrence::Kind
      "activate",     "start",           "preempt",   "resume", "wait",      "release",   "poll",      "run",  "park",
      "poll_parking", "release_parking", "terminate", "start",  "suspend",   "resume",    "terminate", "read", "write",
      "lock",         "unlock",          "read",      "write",  "increment", "decrement", "",          ""};
  const auto of = one.kind <= K::terminate            ? O::process
                  : one.kind <= K::runnable_terminate ? O::runnable
                  : one.kind <= K::write              ? O::label
                  : one.kind <= K::unlock             ? O::semaphore
                  : one.kind <= K::mode_decrement     ? O::mode
                  : one.kind == K::stimulus           ? O::stimulus
                                                      : O::custom;
  const auto same = [](Index wanted, Index is) { return wanted == none || wanted == is; };
  return of == event.of && (event.type.empty() || event.type == types[static_cast<std::size_t>(one.kind)]) &&
         same(event.entity, one.entity) && same(event.runnable, one.runnable) && same(event.process, one.task) &&
         same(event.unit, one.unit);
}

Execution run(const Model& model, Behaviour& behaviour, const RunOptions& options) {
  return Executor(model, behaviour, options).run();
}

}  // namespace reference
