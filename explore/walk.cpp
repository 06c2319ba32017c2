// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/walk.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace amalthea::explore::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double first_temperature = 1, last_temperature = 0.003;
/// Number of annealings of a walk; each after the first starts from its best candidate at half the temperature.
constexpr std::uint64_t rounds = 2;
/// This many consecutive moves without a new candidate end the walk: the space is small.
constexpr std::uint64_t max_idle_moves = 3000;
constexpr std::size_t max_late_sets = 200;

struct State {
  std::size_t placement = 0;
  Candidate genome;  ///< canonical for the placement, except that unused choices keep their last value
};

class Walker {
 public:
  Walker(const Space& space, const Facts& facts, Evaluator& evaluator, const WalkOptions& options)
      : space_(space),
        facts_(facts),
        evaluator_(evaluator),
        options_(options),
        random_(space.options.seed, walk_purpose, options.number, options.search),
        begin_(Clock::now()),
        counts_changes_(std::any_of(space.options.objectives.begin(), space.options.objectives.end(),
                                    [](const Objective& one) { return std::holds_alternative<FewestChanges>(one); })) {}

  WalkResult run() {
    State state = start();
    Judged judgement = judge(state);
    best_ = state;
    best_judgement_ = judgement;
    for (std::uint64_t round = 0; round < rounds && !is_over(); ++round) {
      const std::uint64_t from = result_.judged, to = options_.budget * (round + 1) / rounds;
      if (round > 0) {
        state = best_;
        judgement = best_judgement_;
      }
      anneal(state, judgement, from, to, first_temperature / static_cast<double>(1 + round));
    }
    result_.is_cut = result_.steps >= options_.steps;
    return std::move(result_);
  }

 private:
  /// Shared, since candidates that are not cached must live as long as the walk uses them.
  using Judged = std::shared_ptr<const Judgement>;

  const Placement& placement(const State& state) const { return space_.placements[state.placement]; }

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_.next() % count); }
  bool by_chance(double share) { return random_.uniform() < share; }
  template <typename T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  bool is_over() const {
    if (result_.judged >= options_.budget || result_.steps >= options_.steps || idle_ >= max_idle_moves) return true;
    if (options_.until_feasible && result_.feasible) return true;
    if (space_.options.analysis.work != nullptr && space_.options.analysis.work->stop) return true;
    return options_.seconds && std::chrono::duration<double>(Clock::now() - begin_).count() >= *options_.seconds;
  }

  // ---- judging

  Judged judge(const State& state) {
    Member member{state.placement, canonical(placement(state), state.genome), {}};
    if (counts_changes_) member.candidate = with_few_priorities(placement(state), std::move(member.candidate));
    const std::uint64_t hash = hash_of(member.candidate) ^ (state.placement * 0x9e3779b97f4a7c15);
    if (const auto known = known_.find(hash); known != known_.end()) {
      ++idle_;
      return known->second;
    }
    idle_ = 0;
    ++result_.judged;
    member.judgement = evaluator_.judge(state.placement, member.candidate);
    result_.steps += member.judgement.steps;
    member.judgement.bounds.clear();
    auto judged = std::make_shared<const Judgement>(member.judgement);
    if (known_.size() < options_.max_remembered) known_.emplace(hash, judged);
    result_.archive.add(member);
    const Judgement& judgement = *judged;
    result_.feasible = result_.feasible || (judgement.broken == 0 && judgement.late.empty());
    if (judgement.broken == 0 && result_.late.size() < max_late_sets) {
      std::vector<TaskIndex> owners;
      for (const TaskIndex task : judgement.late) owners.push_back(placement(state).owner[task]);
      std::sort(owners.begin(), owners.end());
      result_.late.insert(std::move(owners));
    }
    if (options_.judged) options_.judged(judgement);
    return judged;
  }

  double energy(const State& state, const Judgement& judgement) const {
    double energy = 20 * static_cast<double>(judgement.broken);
    if (!judgement.late.empty()) {
      const double excess = judgement.excess;
      energy += 4 * static_cast<double>(judgement.late.size()) + 3 * excess / (1 + excess);
      energy += 2 * evaluator_.overload(state.placement, state.genome);
    }
    if (judgement.unbounded > 0)
      // The cost of a late task: what is given up early for deadlines is rarely recovered.
      energy += 4 * static_cast<double>(judgement.unbounded) +
                2 * evaluator_.overload(state.placement, state.genome, Evaluator::By::all_tasks);
    for (std::size_t i = 0; i < judgement.objectives.size(); ++i)
      energy += options_.weights[i] * std::min(5.0, judgement.objectives[i] / options_.scales[i]);
    return energy;
  }

  bool is_better(const State& state, const Judgement& judgement) const {
    if (is_closer(judgement, *best_judgement_)) return true;
    return !is_closer(*best_judgement_, judgement) && energy(state, judgement) < energy(best_, *best_judgement_);
  }

  void anneal(State& state, Judged judgement, std::uint64_t from, std::uint64_t to, double hottest) {
    double now = energy(state, *judgement);
    while (result_.judged < to && !is_over()) {
      const double done =
          static_cast<double>(result_.judged - from) / static_cast<double>(std::max<std::uint64_t>(1, to - from));
      const double temperature = hottest * std::pow(last_temperature / hottest, done);
      State next = state;
      late_ = &judgement->late;
      move(next);
      if (by_chance(0.2)) move(next);
      if (!is_worth_judging(state, next)) {
        ++idle_;
        continue;
      }
      const Judged found = judge(next);
      const double then = energy(next, *found);
      if (is_better(next, *found)) {
        best_ = next;
        best_judgement_ = found;
      }
      if (then <= now || by_chance(std::exp((now - then) / temperature))) {
        state = std::move(next);
        judgement = found;
        now = then;
      }
    }
  }

  bool is_worth_judging(const State& state, const State& next) const {
    constexpr double negligible = 1e-9;
    const auto& constraints = space_.problem.constraints;
    const double overload = evaluator_.overload(next.placement, next.genome);
    if (overload > negligible && overload > evaluator_.overload(state.placement, state.genome) + negligible)
      return false;
    const std::size_t broken = broken_constraints(constraints, placement(next), next.genome);
    return broken == 0 || broken <= broken_constraints(constraints, placement(state), state.genome);
  }

  // ---- initial candidates

  State start() {
    State state{0, original_candidate(space_.problem.system)};
    for (TaskIndex task = 0; task < state.genome.size(); ++task)
      if (placement(state).movable[task] && !placement(state).may_migrate[task]) state.genome[task].migrates = false;
    if (options_.start == Start::original) return state;
    if (options_.start == Start::random) {
      place(state, below(space_.placements.size()));
      for (TaskIndex task = 0; task < state.genome.size(); ++task) {
        if (placement(state).waiting[task] && by_chance(0.5)) state.genome[task].waits_actively = false;
        if (placement(state).sliced[task] && !space_.slices[task].empty())
          state.genome[task].slice = one_of(space_.slices[task]);
      }
    }
    distribute(state);
    return state;
  }

  /// Assigns the movable tasks by decreasing demand, groups as a whole.
  void distribute(State& state) {
    const Demands& demands = facts_.demands[state.placement];
    const Placement& placed = placement(state);
    std::vector<double> load(placed.system.platform.units.size(), 0);
    std::vector<TaskIndex> leaders;
    std::vector<double> weight(state.genome.size(), 0);
    for (TaskIndex task = 0; task < state.genome.size(); ++task) {
      if (!placed.host[task]) continue;
      if (!placed.movable[task] || placed.units[task].empty()) {
        load[state.genome[task].unit] += demands.on_unit[task][state.genome[task].unit];
        continue;
      }
      for (const TaskIndex member : placed.groups[task])
        if (placed.host[member])
          weight[task] += *std::max_element(demands.on_unit[member].begin(), demands.on_unit[member].end());
      if (first_movable(placed, placed.groups[task]) == task) leaders.push_back(task);
    }
    std::stable_sort(leaders.begin(), leaders.end(), [&](TaskIndex a, TaskIndex b) { return weight[a] > weight[b]; });
    for (const TaskIndex leader : leaders) {
      UnitIndex chosen = one_of(placed.units[leader]);
      if (options_.start != Start::random || by_chance(0.7)) chosen = fitting_unit(state, leader, load);
      for (const TaskIndex member : placed.groups[leader])
        if (placed.movable[member]) {
          set_unit(state, member, chosen);
          load[chosen] += demands.on_unit[member][chosen];
        }
    }
    for (UnitIndex unit = 0; unit < placed.system.platform.units.size(); ++unit) order_by_deadline(state, unit);
  }

  static TaskIndex first_movable(const Placement& placed, const std::vector<TaskIndex>& group) {
    for (const TaskIndex task : group)
      if (placed.movable[task]) return task;
    return group.front();
  }

  /// First fit selects the unit where the task needs the least time, up to four fifths utilization; worst fit the one
  /// with the most remaining capacity. Units that violate a constraint are last.
  UnitIndex fitting_unit(State& state, TaskIndex leader, const std::vector<double>& load) {
    const Demands& demands = facts_.demands[state.placement];
    const auto& units = placement(state).units[leader];
    const auto& group = placement(state).groups[leader];
    UnitIndex best = units.front();
    std::tuple<std::size_t, double> least{~std::size_t{0}, 0};
    const UnitIndex before = state.genome[leader].unit;
    for (const UnitIndex unit : units) {
      double own = 0;
      for (const TaskIndex member : group)
        if (placement(state).host[member]) own += demands.on_unit[member][unit];
      for (const TaskIndex member : group)
        if (placement(state).movable[member]) set_unit(state, member, unit);
      const std::size_t broken = broken_constraints(space_.problem.constraints, placement(state), state.genome);
      const double after = load[unit] + own;
      const bool first_fit = options_.start == Start::first_fit && after <= 0.8;
      const std::tuple<std::size_t, double> value{broken, first_fit ? own - 10 : after};
      if (value < least) {
        least = value;
        best = unit;
      }
    }
    set_unit(state, leader, before);
    return best;
  }

  /// Tasks that migrate in the model migrate again on their original units, as long as constraints hold.
  void set_unit(State& state, TaskIndex task, UnitIndex unit) const {
    const Placement& placed = placement(state);
    state.genome[task].unit = unit;
    state.genome[task].migrates = placed.may_migrate[task] && unit == placed.own[task].unit;
  }

  // ---- priorities

  Duration urgency(const State& state, TaskIndex task) const {
    const Placement& placed = placement(state);
    if (placed.system.tasks[task].deadline) return *placed.system.tasks[task].deadline;
    // Tasks without a deadline follow all others.
    return Duration::seconds(1'000'000) + placed.periods[task].value_or(Duration::seconds(1'000'000));
  }

  /// Tasks on the unit with free priorities, the most urgent first.
  std::vector<TaskIndex> order_on(const State& state, UnitIndex unit) const {
    std::vector<TaskIndex> order;
    for (TaskIndex task = 0; task < state.genome.size(); ++task)
      if (placement(state).ranked[task] && state.genome[task].unit == unit) order.push_back(task);
    std::stable_sort(order.begin(), order.end(),
                     [&](TaskIndex a, TaskIndex b) { return state.genome[a].priority > state.genome[b].priority; });
    return order;
  }
  static void rank(State& state, const std::vector<TaskIndex>& order) {
    auto priority = static_cast<std::int64_t>(order.size());
    for (const TaskIndex task : order) state.genome[task].priority = priority--;
  }
  void order_by_deadline(State& state, UnitIndex unit) const {
    auto order = order_on(state, unit);
    std::stable_sort(order.begin(), order.end(),
                     [&](TaskIndex a, TaskIndex b) { return urgency(state, a) < urgency(state, b); });
    rank(state, order);
  }

  /// The task has moved to its unit.
  void insert(State& state, TaskIndex task) {
    if (!placement(state).ranked[task]) return;
    auto order = order_on(state, state.genome[task].unit);
    order.erase(std::find(order.begin(), order.end(), task));
    auto at = order.begin();
    if (by_chance(0.3))
      at += static_cast<std::ptrdiff_t>(below(order.size() + 1));
    else
      while (at != order.end() && urgency(state, *at) <= urgency(state, task)) ++at;
    order.insert(at, task);
    rank(state, order);
  }

  // ---- moves

  void move(State& state) {
    for (int tries = 0; tries < 10; ++tries) {
      const double kind = random_.uniform();
      const bool done = kind < 0.35   ? move_task(state)
                        : kind < 0.5  ? swap_tasks(state)
                        : kind < 0.75 ? change_order(state)
                        : kind < 0.83 ? change_placement(state)
                        : kind < 0.9  ? change_waiting(state)
                                      : change_slice(state);
      if (done) return;
    }
  }

  template <typename Wanted>
  std::optional<TaskIndex> some_task(const State& state, Wanted wanted) {
    std::vector<TaskIndex> tasks;
    for (TaskIndex task = 0; task < state.genome.size(); ++task)
      if (wanted(task)) tasks.push_back(task);
    if (tasks.empty()) return std::nullopt;
    // Half of the moves concern a task on the core of a late one.
    if (!late_->empty() && by_chance(0.5)) {
      const TaskIndex late = one_of(*late_);
      std::vector<TaskIndex> near;
      for (const TaskIndex task : tasks)
        if (state.genome[task].unit == state.genome[late].unit) near.push_back(task);
      if (!near.empty()) return one_of(near);
    }
    return one_of(tasks);
  }

  void put(State& state, TaskIndex task, UnitIndex unit) {
    for (const TaskIndex member : placement(state).groups[task]) {
      if (!placement(state).movable[member] || state.genome[member].unit == unit) continue;
      const UnitIndex before = state.genome[member].unit;
      set_unit(state, member, unit);
      if (placement(state).ranked[member]) rank(state, order_on(state, before));
      insert(state, member);
    }
  }

  bool move_task(State& state) {
    const auto task = some_task(state, [&](TaskIndex candidate) {
      return placement(state).movable[candidate] && placement(state).units[candidate].size() > 1;
    });
    if (!task) return false;
    const UnitIndex unit = one_of(placement(state).units[*task]);
    if (unit == state.genome[*task].unit) return false;
    put(state, *task, unit);
    return true;
  }

  bool swap_tasks(State& state) {
    const auto can_be_on = [&](TaskIndex task, UnitIndex unit) {
      const auto& units = placement(state).units[task];
      return std::find(units.begin(), units.end(), unit) != units.end();
    };
    const auto first = some_task(state, [&](TaskIndex task) { return placement(state).movable[task]; });
    if (!first) return false;
    const UnitIndex here = state.genome[*first].unit;
    std::vector<TaskIndex> partners;
    for (TaskIndex task = 0; task < state.genome.size(); ++task)
      if (placement(state).movable[task] && state.genome[task].unit != here &&
          can_be_on(*first, state.genome[task].unit) && can_be_on(task, here))
        partners.push_back(task);
    if (partners.empty()) return false;
    const TaskIndex second = one_of(partners);
    const UnitIndex there = state.genome[second].unit;
    put(state, *first, there);
    put(state, second, here);
    return true;
  }

  bool change_order(State& state) {
    const auto task = some_task(state, [&](TaskIndex candidate) { return placement(state).ranked[candidate]; });
    if (!task) return false;
    const UnitIndex unit = state.genome[*task].unit;
    auto order = order_on(state, unit);
    if (order.size() < 2) return false;
    if (by_chance(0.2)) {
      order_by_deadline(state, unit);
      return true;
    }
    // A late task moves up, others move anywhere.
    const bool late = std::find(late_->begin(), late_->end(), *task) != late_->end();
    const auto from = static_cast<std::size_t>(std::find(order.begin(), order.end(), *task) - order.begin());
    const std::size_t to = late && from > 0 ? below(from) : below(order.size());
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), *task);
    rank(state, order);
    return true;
  }

  /// For functions that move to CPUs or become active there: a unit and a position in the order.
  void place(State& state, std::size_t index) {
    const Placement& from = placement(state);
    const Placement& to = space_.placements[index];
    state.placement = index;
    for (TaskIndex task = 0; task < state.genome.size(); ++task) {
      Choice& choice = state.genome[task];
      if (to.active[task] && !to.host[task]) {
        choice.unit = to.system.tasks[task].unit;
        if (!choice.slice) choice.slice = to.system.tasks[task].time_slice;
      }
      if (!to.host[task] || from.host[task]) continue;
      if (!to.waiting[task]) choice.waits_actively = to.own[task].waits_actively;
      const auto& units = to.units[task];
      if (to.movable[task] && !units.empty() && std::find(units.begin(), units.end(), choice.unit) == units.end())
        set_unit(state, task, one_of(units));
      else if (!to.movable[task])
        choice.unit = to.system.tasks[task].unit;
      insert(state, task);
    }
  }

  bool change_placement(State& state) {
    if (space_.placements.size() < 2) return false;
    // Placements one change away, or any if there are none.
    std::vector<std::size_t> near, others;
    for (std::size_t index = 0; index < space_.placements.size(); ++index) {
      if (index == state.placement) continue;
      std::size_t changes = 0;
      for (const TaskIndex task : space_.functions)
        if (space_.placements[index].on_cpu[task] != placement(state).on_cpu[task]) ++changes;
      (changes == 1 ? near : others).push_back(index);
    }
    const bool far = near.empty() || (!others.empty() && by_chance(0.2));
    const Placement& before = placement(state);
    place(state, one_of(far ? others : near));
    // The previous choices rarely fit tasks that are new on the GPU, and tasks that wait for them.
    for (TaskIndex task = 0; task < state.genome.size(); ++task) {
      if (placement(state).waiting[task] && !before.active[task] && by_chance(0.7))
        state.genome[task].waits_actively = false;
      if (placement(state).sliced[task] && !space_.slices[task].empty() && by_chance(0.5))
        state.genome[task].slice = one_of(space_.slices[task]);
    }
    if (by_chance(0.3)) distribute(state);
    return true;
  }

  bool change_waiting(State& state) {
    const auto task = some_task(state, [&](TaskIndex candidate) { return placement(state).waiting[candidate]; });
    if (!task) return false;
    state.genome[*task].waits_actively = !state.genome[*task].waits_actively;
    return true;
  }

  bool change_slice(State& state) {
    const auto task = some_task(state, [&](TaskIndex candidate) {
      return placement(state).sliced[candidate] && space_.slices[candidate].size() > 1;
    });
    if (!task) return false;
    const Duration slice = one_of(space_.slices[*task]);
    if (state.genome[*task].slice == slice) return false;
    state.genome[*task].slice = slice;
    return true;
  }

  const Space& space_;
  const Facts& facts_;
  Evaluator& evaluator_;
  const WalkOptions& options_;
  RandomStream random_;
  Clock::time_point begin_;
  bool counts_changes_;  ///< as an objective
  WalkResult result_;
  std::unordered_map<std::uint64_t, Judged> known_;
  std::uint64_t idle_ = 0;
  State best_;
  Judged best_judgement_;
  const std::vector<TaskIndex>* late_ = nullptr;
};

}  // namespace

WalkResult walk(const Space& space, const Facts& facts, Evaluator& evaluator, const WalkOptions& options) {
  return Walker(space, facts, evaluator, options).run();
}

}  // namespace amalthea::explore::detail
