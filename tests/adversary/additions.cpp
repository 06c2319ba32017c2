// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/additions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/program/releases.hpp"

namespace adversary {
namespace {

using namespace amalthea;
using Random = std::mt19937;

int draw(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
bool one_in(Random& random, int n) { return draw(random, 1, n) == 1; }
template <typename Value>
const Value& any_of(const std::vector<Value>& values, Random& random) {
  return values[static_cast<std::size_t>(draw(random, 0, static_cast<int>(values.size()) - 1))];
}

bool is_host(const System& system, TaskIndex task) { return system.tasks[task].side == Side::host; }

std::vector<TaskIndex> hosts_of(const System& system) {
  std::vector<TaskIndex> hosts;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (is_host(system, task)) hosts.push_back(task);
  return hosts;
}

/// The positions of a body that belong to no alternative of a branch, section or runnable.
std::vector<std::size_t> open_positions(const System& system, TaskIndex task) {
  std::vector<std::size_t> positions;
  const auto& body = system.tasks[task].body;
  std::size_t closed_until = 0;
  bool section = false;
  for (std::size_t at = 0; at <= body.size(); ++at) {
    const auto* next = at < body.size() ? &system.graph[body[at]] : nullptr;
    const bool within = next != nullptr && next->runnable && !std::holds_alternative<Call>(next->activity);
    if (at >= closed_until && !section && !within) positions.push_back(at);
    if (next == nullptr) break;
    if (const auto* change = std::get_if<Uninterruptible>(&next->activity)) section = change->begins;
    if (const auto* branch = std::get_if<Branch>(&next->activity)) {
      std::size_t end = at + 1;
      for (const Branch::Alternative& alternative : branch->alternatives) end += alternative.length;
      closed_until = std::max(closed_until, end);
    }
  }
  return positions;
}

/// Moves what was appended since the body had this size.
void move_to(System& system, TaskIndex task, std::size_t position, std::size_t size) {
  auto& body = system.tasks[task].body;
  std::rotate(body.begin() + static_cast<std::ptrdiff_t>(position), body.begin() + static_cast<std::ptrdiff_t>(size),
              body.end());
}

Compute between(int lower, int upper) {
  Compute compute;
  compute.ticks.otherwise = Cycles{lower, (lower + upper) / 2, upper};
  return compute;
}

/// Appends it, often in a runnable of its own.
void append(System& system, TaskIndex task, Activity activity, Random& random) {
  std::optional<RunnableIndex> runnable;
  const auto enter = [&](GraphNode& node) {
    node.runnable = runnable;
    node.depth = runnable ? 1 : 0;
  };
  if (!one_in(random, 3)) {
    runnable = static_cast<RunnableIndex>(system.runnables.size());
    system.runnables.push_back({fmt::format("access{}", *runnable), {}});
    append_activity(system, task, Call{});
    enter(system.graph[system.tasks[task].body.back()]);
  }
  append_activity(system, task, std::move(activity));
  enter(system.graph[system.tasks[task].body.back()]);
}

/// Which alternative of a branch is so rare that no simulation takes it.
enum class Rare : std::uint8_t { either, filled };

/// Appends a branch: one alternative is `fill`, the other computes or is empty. Often one of them is rare.
template <typename Fill>
void append_branch(System& system, TaskIndex task, Fill fill, Rare which, Random& random) {
  auto& body = system.tasks[task].body;
  append_activity(system, task, Branch{});
  const NodeIndex node = body.back();
  Branch branch;
  const bool first = one_in(random, 2), certainly = which == Rare::filled, rare = certainly || one_in(random, 3);
  for (const bool other : {first, !first}) {
    const std::size_t begin = body.size();
    if (!other)
      fill();
    else if (one_in(random, 2))
      append_activity(system, task, between(0, draw(random, 1, 6)));
    const bool often = (!certainly && one_in(random, 2)) || (other ? rare : !rare);
    branch.alternatives.push_back({Probability{often ? 1000.0 : 1.0}, body.size() - begin});
  }
  system.graph[node].activity = std::move(branch);
}

/// Anywhere.
void insert(System& system, TaskIndex task, Activity activity, bool in_alternative, Random& random,
            Rare rare = Rare::either) {
  const std::size_t position = any_of(open_positions(system, task), random), size = system.tasks[task].body.size();
  if (in_alternative)
    append_branch(
        system, task, [&] { append(system, task, std::move(activity), random); }, rare, random);
  else
    append(system, task, std::move(activity), random);
  move_to(system, task, position, size);
}

/// A device task passes data through its kernels.
void access(System& system, TaskIndex task, LabelIndex label, bool write, Random& random) {
  if (is_host(system, task)) {
    const bool in_alternative = one_in(random, 24);
    if (write)
      insert(system, task, WriteLabel{label}, in_alternative, random);
    else
      insert(system, task, ReadLabel{label}, in_alternative, random);
    return;
  }
  for (const NodeIndex node : system.tasks[task].body)
    if (auto* kernel = std::get_if<Kernel>(&system.graph[node].activity)) {
      (write ? kernel->writes : kernel->reads).push_back(label);
      return;
    }
}

template <typename Kind>
bool has(const System& system, TaskIndex task) {
  const auto& body = system.tasks[task].body;
  return std::any_of(body.begin(), body.end(),
                     [&](NodeIndex node) { return std::holds_alternative<Kind>(system.graph[node].activity); });
}

void set_event(System& system, TaskIndex setter, EventIndex event, TaskIndex waiting, Random& random) {
  insert(system, setter, SetEvents{{event}, one_in(random, 2) ? std::optional(waiting) : std::nullopt},
         one_in(random, 10), random);
}

/// A unit at 1 MHz with a scheduler of its own; a core has fixed priorities.
UnitIndex add_unit(System& system, PuType type) {
  Platform& platform = system.platform;
  const auto added = static_cast<UnitIndex>(platform.units.size());
  ProcessingUnit unit = *std::find_if(platform.units.begin(), platform.units.end(),
                                      [](const ProcessingUnit& each) { return each.type == PuType::cpu; });
  unit.name = fmt::format("own{}", added);
  unit.frequency = Frequency::millihertz(1'000'000'000);
  if (type == PuType::gpu) {
    unit.type = type;
    unit.definition = static_cast<DefinitionIndex>(platform.definitions.size());
    platform.definitions.push_back({fmt::format("definition_own{}", added), type});
  }
  platform.units.push_back(std::move(unit));
  Scheduler scheduler;
  scheduler.name = fmt::format("scheduler_own{}", added);
  scheduler.units = {added};
  platform.schedulers.push_back(std::move(scheduler));
  return added;
}
UnitIndex add_core(System& system) { return add_unit(system, PuType::cpu); }

void add_chain(System& system, std::vector<TaskIndex> tasks) {
  system.chains.push_back(
      {fmt::format("chain{}", system.chains.size()), std::move(tasks), {}, Chain::Source::model, {}});
}

SchedulerIndex last_scheduler(const System& system) {
  return static_cast<SchedulerIndex>(system.platform.schedulers.size() - 1);
}

StimulusIndex add_stimulus(System& system, Occurrence occurrence) {
  Stimulus stimulus;
  stimulus.name = fmt::format("stimulus{}", system.stimuli.size());
  stimulus.occurrence = std::move(occurrence);
  system.stimuli.push_back(std::move(stimulus));
  return static_cast<StimulusIndex>(system.stimuli.size() - 1);
}

TaskIndex add_task(System& system, std::string_view kind, SchedulerIndex scheduler, int priority,
                   StimulusIndex stimulus) {
  const auto index = static_cast<TaskIndex>(system.tasks.size());
  Task task;
  task.name = fmt::format("{}{}", kind, index);
  task.unit = system.platform.schedulers[scheduler].units.front();
  task.scheduler = scheduler;
  task.priority = priority;
  system.tasks.push_back(std::move(task));
  system.stimuli[stimulus].activates = {index};
  return index;
}
TaskIndex add_task(System& system, std::string_view kind, SchedulerIndex scheduler, int priority,
                   Occurrence occurrence) {
  return add_task(system, kind, scheduler, priority, add_stimulus(system, std::move(occurrence)));
}

/// Every `period` microseconds, or up to `jitter` later; or at least that far apart.
Occurrence irregular(int period, int jitter, Random& random, int offset = 0) {
  Distribution distribution;
  if (one_in(random, 2)) {
    distribution.lower = Duration::microseconds(period).picoseconds();
    distribution.upper = Duration::microseconds(period + jitter).picoseconds();
    distribution.average = (distribution.lower + distribution.upper) / 2;
    return Sporadic{Duration::microseconds(offset), distribution};
  }
  distribution.upper = Duration::microseconds(jitter).picoseconds();
  distribution.average = distribution.upper / 2;
  return Periodic{Duration::microseconds(period), Duration::microseconds(offset), distribution};
}

bool is_caused(const Stimulus& stimulus) {
  return std::holds_alternative<InterProcess>(stimulus.occurrence) ||
         std::holds_alternative<EventDriven>(stimulus.occurrence);
}

/// Tasks that jobs of these tasks activate, and those themselves.
std::vector<bool> reached_from(const System& system, const std::vector<TaskIndex>& tasks) {
  std::vector<bool> reached(system.tasks.size());
  std::vector<TaskIndex> open = tasks;
  while (!open.empty()) {
    const TaskIndex task = open.back();
    open.pop_back();
    if (reached[task]) continue;
    reached[task] = true;
    for (const NodeIndex node : system.tasks[task].body) {
      const Activity& activity = system.graph[node].activity;
      const auto* trigger = std::get_if<Trigger>(&activity);
      const auto* set = std::get_if<SetEvents>(&activity);
      for (StimulusIndex stimulus = 0; stimulus < system.stimuli.size(); ++stimulus) {
        const auto* driven = std::get_if<EventDriven>(&system.stimuli[stimulus].occurrence);
        const bool causes = (trigger != nullptr && trigger->stimulus == stimulus) ||
                            (set != nullptr && driven != nullptr &&
                             std::find_first_of(set->events.begin(), set->events.end(), driven->events.begin(),
                                                driven->events.end()) != set->events.end());
        const auto& activates = system.stimuli[stimulus].activates;
        if (causes) open.insert(open.end(), activates.begin(), activates.end());
      }
    }
  }
  return reached;
}

}  // namespace

std::vector<TaskIndex> special_tasks(const System& system, bool devices) {
  std::vector<bool> chosen(system.tasks.size());
  for (const Stimulus& stimulus : system.stimuli)
    if (is_caused(stimulus) || stimulus.condition)
      for (const TaskIndex task : stimulus.activates) chosen[task] = true;
  std::vector<TaskIndex> tasks;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if ((devices || is_host(system, task)) && (chosen[task] || system.tasks[task].activation_limit > 0))
      tasks.push_back(task);
  return tasks;
}

bool has_branch(const System& system, TaskIndex task) { return has<Branch>(system, task); }

void share_triggers(System& system, Random random) {
  for (StimulusIndex stimulus = 0; stimulus < system.stimuli.size(); ++stimulus) {
    const std::vector<TaskIndex> activates = system.stimuli[stimulus].activates;
    if (!std::holds_alternative<InterProcess>(system.stimuli[stimulus].occurrence) || activates.empty() ||
        one_in(random, 2))
      continue;
    const bool devices =
        std::any_of(activates.begin(), activates.end(), [&](TaskIndex task) { return !is_host(system, task); });
    if (devices && !one_in(random, 4)) continue;
    const std::vector<bool> later = reached_from(system, activates);
    std::vector<TaskIndex> others;
    for (const TaskIndex task : hosts_of(system))
      if (!later[task]) others.push_back(task);
    if (others.empty()) continue;
    for (int more = one_in(random, 3) ? 2 : 1; more > 0; --more)
      insert(system, any_of(others, random), Trigger{stimulus}, one_in(random, 3), random);
  }
}

void limit_activations(System& system, Random random) {
  for (const TaskIndex task : hosts_of(system))
    if (one_in(random, 2)) system.tasks[task].activation_limit = one_in(random, 4) ? 2 : 1;
}

void vary_around_triggers(System& system, Random random) {
  for (const TaskIndex task : hosts_of(system)) {
    for (const std::size_t position : open_positions(system, task)) {
      if (position >= system.tasks[task].body.size()) break;
      const Activity& activity = system.graph[system.tasks[task].body[position]].activity;
      if (!std::holds_alternative<Trigger>(activity) && !std::holds_alternative<SetEvents>(activity)) continue;
      if (one_in(random, 3)) continue;
      const int before = draw(random, 0, 3);  // 0, 1: short or long; 2: short; 3: nothing
      for (const std::size_t place : {position + 1, position}) {
        const std::size_t size = system.tasks[task].body.size();
        const int kind = place == position ? before : 3 - before;
        if (kind == 3) continue;
        append_activity(system, task, kind == 2 ? between(1, 1) : between(draw(random, 0, 1), draw(random, 8, 24)));
        move_to(system, task, place, size);
      }
      break;  // other positions have moved
    }
  }
}

void add_waits(System& system, Random random) {
  std::vector<TaskIndex> setters;
  for (const TaskIndex task : hosts_of(system))
    if (!has<WaitEvents>(system, task) && !has<UseSemaphore>(system, task)) setters.push_back(task);
  if (setters.empty()) return;
  const auto waiting = static_cast<TaskIndex>(system.tasks.size());
  Task task = system.tasks[any_of(setters, random)];
  task.name = fmt::format("waiting{}", waiting);
  task.body.clear();
  task.contained.clear();
  task.priority = draw(random, 0, 4);
  system.tasks.push_back(std::move(task));
  Stimulus stimulus;
  stimulus.name = fmt::format("stimulus{}", system.stimuli.size());
  stimulus.occurrence = Periodic{Duration::microseconds(one_in(random, 2) ? 240 : 480), {}};
  stimulus.activates = {waiting};
  system.stimuli.push_back(std::move(stimulus));
  WaitEvents wait{{}, one_in(random, 2), one_in(random, 10)};
  for (int count = draw(random, 1, 2); count > 0; --count) {
    wait.events.push_back(static_cast<EventIndex>(system.events.size()));
    system.events.push_back({fmt::format("awaited{}", system.events.size())});
    for (int more = one_in(random, 4) ? 2 : 1; more > 0; --more)
      set_event(system, any_of(setters, random), wait.events.back(), waiting, random);
  }
  const bool clears_first = one_in(random, 2);
  if (one_in(random, 2)) append_activity(system, waiting, between(draw(random, 0, 2), draw(random, 2, 8)));
  if (clears_first) append_activity(system, waiting, ClearEvents{wait.events});
  if (one_in(random, 3)) append_activity(system, waiting, between(draw(random, 0, 2), draw(random, 2, 8)));
  append_activity(system, waiting, wait);
  if (!clears_first) append_activity(system, waiting, ClearEvents{wait.events});
  if (one_in(random, 2)) append_activity(system, waiting, between(draw(random, 0, 2), draw(random, 2, 8)));
}

void widen_waits(System& system, Random random) {
  for (const TaskIndex task : hosts_of(system))
    for (const NodeIndex node : system.tasks[task].body) {
      const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity);
      if (wait == nullptr || one_in(random, 2)) continue;
      const std::vector<bool> later = reached_from(system, {task});
      std::vector<TaskIndex> setters;
      for (const TaskIndex other : hosts_of(system))
        if (!later[other] && !has<WaitEvents>(system, other)) setters.push_back(other);
      if (setters.empty()) continue;
      const auto event = static_cast<EventIndex>(system.events.size());
      system.events.push_back({fmt::format("widened{}", event)});
      WaitEvents wider = *wait;
      wider.events.push_back(event);
      wider.all = one_in(random, 3);
      system.graph[node].activity = wider;
      set_event(system, any_of(setters, random), event, task, random);
      return;
    }
}

void fill_cores(System& system, Random random) {
  const auto periods = engine::periods_of(system);
  std::vector<double> load(system.platform.units.size());
  const auto each_compute = [&](TaskIndex task, const auto& use) {
    for (const NodeIndex node : system.tasks[task].body)
      if (auto* compute = std::get_if<Compute>(&system.graph[node].activity); compute && compute->ticks.otherwise)
        use(*compute->ticks.otherwise);
  };
  for (const TaskIndex task : hosts_of(system))
    each_compute(task, [&](const Cycles& cycles) {
      if (periods[task])
        load[system.tasks[task].unit] +=
            static_cast<double>(cycles.upper) * 1e6 / static_cast<double>(periods[task]->picoseconds());
    });
  const double target = draw(random, 65, 95) / 100.0;
  for (const TaskIndex task : hosts_of(system)) {
    const double before = load[system.tasks[task].unit];
    const double factor = before > 0 ? std::min(4.0, target / before) : 1;
    if (factor <= 1) continue;
    each_compute(task, [&](Cycles& cycles) {
      cycles.upper = static_cast<std::int64_t>(static_cast<double>(cycles.upper) * factor);
      cycles.average = (cycles.lower + cycles.upper) / 2;
    });
  }
}

void add_alternatives(System& system, Random random) {
  for (const TaskIndex task : hosts_of(system)) {
    if (!one_in(random, 2)) continue;
    const auto label = static_cast<LabelIndex>(system.labels.size());
    system.labels.push_back({fmt::format("chosen{}", label), DataSize{64}, MemoryIndex{0}, LabelSide::host, {}});
    const bool write = one_in(random, 2);
    const Rare rare = one_in(random, 2) ? Rare::filled : Rare::either;
    if (write)
      insert(system, task, WriteLabel{label}, true, random, rare);
    else
      insert(system, task, ReadLabel{label}, true, random, rare);
    if (one_in(random, 3)) continue;
    const TaskIndex other = any_of(hosts_of(system), random);  // perhaps the same
    const bool writes = other != task && one_in(random, 2) ? write : !write;
    append(system, other, writes ? Activity(WriteLabel{label}) : Activity(ReadLabel{label}), random);
  }
}

void switch_off(System& system, Random random) {
  std::vector<StimulusIndex> stimuli;
  for (StimulusIndex index = 0; index < system.stimuli.size(); ++index) {
    const Stimulus& stimulus = system.stimuli[index];
    if (std::holds_alternative<Periodic>(stimulus.occurrence) && !stimulus.condition && !stimulus.activates.empty())
      stimuli.push_back(index);
  }
  if (stimuli.empty()) return;
  const StimulusIndex stimulus = any_of(stimuli, random);
  const std::vector<bool> switched = reached_from(system, system.stimuli[stimulus].activates);
  std::vector<TaskIndex> setters;
  for (const TaskIndex task : hosts_of(system))
    if (!switched[task]) setters.push_back(task);
  if (setters.empty()) return;
  const auto mode = static_cast<ModeIndex>(system.modes.size());
  const auto literals = std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"on", "off"});
  system.modes.push_back({fmt::format("switch{}", mode), 0, literals});
  system.stimuli[stimulus].condition = ModeCondition{{{ModeTest{mode, Relation::equal, 0, {}}}}};
  const TaskIndex setter = any_of(setters, random);
  insert(system, setter, SetMode{mode, SetMode::Operation::set, 1}, true, random, Rare::filled);
  const std::size_t size = system.tasks[setter].body.size();
  append_activity(system, setter, SetMode{mode, SetMode::Operation::set, 0});
  move_to(system, setter, 0, size);
}

void add_served_task(System& system, Random random) {
  const UnitIndex core = add_core(system);
  const SchedulerIndex outer = last_scheduler(system);
  const int period = 20 * draw(random, 1, 3), budget = draw(random, period / 5, period * 2 / 5);
  Scheduler server;
  server.name = fmt::format("server_own{}", core);
  server.kind =
      one_in(random, 2) ? SchedulingAlgorithm::polling_periodic_server : SchedulingAlgorithm::deferrable_server;
  server.units = {core};
  server.parent = outer;
  server.share = {3, Duration::microseconds(budget), Duration::microseconds(period)};
  system.platform.schedulers.push_back(std::move(server));
  const SchedulerIndex inner = last_scheduler(system);
  const TaskIndex served = add_task(system, "served", inner, 2, irregular(8 * period, period, random));
  append_activity(system, served, between(1, draw(random, 1, budget)));
  const TaskIndex above =
      add_task(system, "above", outer, 5, irregular(period * draw(random, 2, 3), period / 2, random));
  append_activity(system, above, between(0, draw(random, (period - budget) / 2, period - budget)));
  if (one_in(random, 4)) return;
  const TaskIndex below = add_task(system, "below", inner, 1, irregular(4 * period, period, random));
  append_activity(system, below, between(budget, budget));
}

void add_losing_setter(System& system, Random random) {
  const int period = 40;
  add_core(system);
  const SchedulerIndex sets = last_scheduler(system);
  add_core(system);
  const SchedulerIndex waits = last_scheduler(system);
  const auto event = static_cast<EventIndex>(system.events.size());
  system.events.push_back({fmt::format("awaited{}", event)});
  const TaskIndex setter = add_task(system, "losing", sets, 1, Periodic{Duration::microseconds(period), {}});
  system.tasks[setter].activation_limit = 1;
  append_activity(system, setter, between(0, draw(random, 1, 3)));
  append_activity(system, setter, SetEvents{{event}, std::nullopt});
  append_activity(system, setter, between(0, draw(random, 3, 6)));
  const TaskIndex above =
      add_task(system, "above", sets, 2, irregular(2 * period - draw(random, 0, 6), draw(random, 2, 12), random, 10));
  append_activity(system, above, between(0, period + draw(random, -2, 2)));
  const TaskIndex waiting = add_task(system, "waiting", waits, 1, irregular(480, 40, random));
  append_activity(system, waiting, ClearEvents{{event}});
  append_activity(system, waiting, WaitEvents{{event}, true, one_in(random, 4)});
  append_activity(system, waiting, between(0, draw(random, 1, 4)));
}

void add_waiting_rivals(System& system, Random random) {
  const int cores = draw(random, 1, 2), period = 10 * draw(random, 4, 5), wait = draw(random, 8, 14), work = 8;
  std::vector<UnitIndex> units = {add_core(system)};
  if (cores > 1) {
    units.push_back(add_core(system));
    system.platform.schedulers.pop_back();
    system.platform.schedulers.back().units = units;
  }
  const SchedulerIndex shared = last_scheduler(system);
  for (int rival = 0; rival < cores; ++rival) {
    add_core(system);
    const auto event = static_cast<EventIndex>(system.events.size());
    system.events.push_back({fmt::format("awaited{}", event)});
    const StimulusIndex request = add_stimulus(system, InterProcess{});
    const TaskIndex task = add_task(system, "rival", shared, 2 + rival, irregular(period, draw(random, 0, 6), random));
    append_activity(system, task, Trigger{request});
    append_activity(system, task, WaitEvents{{event}, true, false});
    append_activity(system, task, ClearEvents{{event}});
    append_activity(system, task, between(1, work));
    const TaskIndex partner = add_task(system, "partner", last_scheduler(system), 1, request);
    append_activity(system, partner, between(0, wait));
    append_activity(system, partner, SetEvents{{event}, task});
    if (cores > 1) system.tasks[task].units = units;
  }
  // Just too long to fit between two late jobs of a rival.
  const TaskIndex delayed = add_task(system, "delayed", shared, 1, irregular(240, 40, random));
  const int free = period - wait - work;
  append_activity(system, delayed, between(free, free + draw(random, 1, 6)));
  if (cores > 1) system.tasks[delayed].units = units;
}

void add_tied_chain(System& system, Random random) {
  add_core(system);
  const SchedulerIndex own = last_scheduler(system);
  const Duration shorter = Duration::microseconds(40), longer = Duration::microseconds(10 * draw(random, 5, 7));
  const bool ascends = one_in(random, 2);
  const TaskIndex first = add_task(system, "first", own, 1, Periodic{ascends ? shorter : longer, {}});
  append_activity(system, first, between(1, draw(random, 12, 18)));
  const TaskIndex second = add_task(system, "second", own, 1, Periodic{ascends ? longer : shorter, {}});
  append_activity(system, second, between(1, draw(random, 6, 12)));
  add_chain(system, {first, second});
}

void add_losing_chain(System& system, Random random) {
  add_core(system);
  const SchedulerIndex own = last_scheduler(system);
  const auto every = [](int period) { return Periodic{Duration::microseconds(period), {}}; };
  const TaskIndex above = add_task(system, "above", own, 2, every(40));
  append_activity(system, above, between(0, draw(random, 26, 30)));
  const TaskIndex losing = add_task(system, "losing", own, 1, every(40));
  system.tasks[losing].activation_limit = 1;
  append_activity(system, losing, between(0, draw(random, 16, 20)));
  add_core(system);
  const TaskIndex first = add_task(system, "first", last_scheduler(system), 1, every(one_in(random, 2) ? 40 : 80));
  append_activity(system, first, between(0, draw(random, 1, 4)));
  add_chain(system, {first, losing});
}

void add_row_chain(System& system, Random random) {
  std::vector<SchedulerIndex> cores;
  for (int core = draw(random, 1, 2); core > 0; --core) {
    add_core(system);
    cores.push_back(last_scheduler(system));
  }
  std::vector<TaskIndex> chain = {
      add_task(system, "head", any_of(cores, random), draw(random, 1, 4), irregular(60, draw(random, 0, 12), random))};
  append_activity(system, chain.back(), between(1, draw(random, 2, 10)));
  for (int step = draw(random, 1, 3); step > 0; --step) {
    const StimulusIndex next = add_stimulus(system, InterProcess{});
    append_activity(system, chain.back(), Trigger{next});
    if (one_in(random, 4)) append_activity(system, chain.back(), between(0, 3));
    chain.push_back(add_task(system, fmt::format("step{}", step), any_of(cores, random), draw(random, 1, 4), next));
    append_activity(system, chain.back(), between(0, draw(random, 1, 6)));
  }
  const TaskIndex beside = add_task(system, "beside", any_of(cores, random), draw(random, 1, 4),
                                    Periodic{Duration::microseconds(10 * draw(random, 3, 9)), {}});
  append_activity(system, beside, between(0, draw(random, 2, 8)));
  if (one_in(random, 3)) chain.insert(one_in(random, 2) ? chain.begin() : chain.end(), beside);
  add_chain(system, std::move(chain));
}

void add_hasty_host(System& system, Random random) {
  const UnitIndex gpu = add_unit(system, PuType::gpu);
  const SchedulerIndex device_scheduler = last_scheduler(system);
  add_unit(system, PuType::cpu);
  const SchedulerIndex hosts = last_scheduler(system);
  add_unit(system, PuType::cpu);
  const auto event = static_cast<EventIndex>(system.events.size());
  for (const EventIndex each : {event, event + 1}) system.events.push_back({fmt::format("awaited{}", each)});
  const StimulusIndex request = add_stimulus(system, InterProcess{});
  const TaskIndex host = add_task(system, "hasty", hosts, 1, Periodic{Duration::microseconds(120), {}});
  append_activity(system, host, Trigger{request});
  append_activity(system, host, WaitEvents{{event, event + 1}, false, one_in(random, 4)});
  append_activity(system, host, ClearEvents{{event, event + 1}});
  const TaskIndex device = add_task(system, "device", device_scheduler, 0, request);
  system.tasks[device].side = Side::device;
  system.tasks[device].unit = gpu;
  system.tasks[device].time_slice = Duration::microseconds(100);
  system.tasks[device].gpu.runlist_slots = 2;
  Kernel kernel;
  kernel.ticks = between(1, draw(random, 40, 60)).ticks;
  append_activity(system, device, std::move(kernel));
  append_activity(system, device, SetEvents{{event}, host});
  const TaskIndex signal =
      add_task(system, "signal", last_scheduler(system), 1, Periodic{Duration::microseconds(20), {}});
  append_activity(system, signal, between(0, 1));
  append_activity(system, signal, SetEvents{{event + 1}, host});
  add_chain(system, {device});
}

void add_instructions(System& system, Random random) {
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    auto* kernel = std::get_if<Kernel>(&system.graph[node].activity);
    if (kernel == nullptr || !kernel->launch || one_in(random, 3)) continue;
    KernelInstructions instructions;
    for (int runs = draw(random, 1, 3); runs > 0; --runs)
      instructions.text += fmt::format("{}{}{}", instructions.text.empty() ? "" : " ", draw(random, 1, 3),
                                       any_of(std::vector{'L', 'C', 'S'}, random));
    kernel->ticks = Ticks{};
    kernel->instructions = std::move(instructions);
    kernel->launch->threads = 32 * draw(random, 1, 3);
    if (one_in(random, 2)) kernel->launch->blocks = draw(random, 1, 2);
  }
}

void add_chains(System& system, Random random) {
  const auto releases = engine::recurrent_releases_of(system);
  for (int more = draw(random, 1, 3); more > 0; --more) {
    const bool devices = one_in(random, 3);
    std::vector<TaskIndex> special = special_tasks(system, devices), tasks = hosts_of(system);
    if (!one_in(random, 4))  // chains of other tasks have no bounds
      for (auto* some : {&special, &tasks}) std::erase_if(*some, [&](TaskIndex task) { return !releases[task]; });
    std::shuffle(tasks.begin(), tasks.end(), random);
    if (!special.empty() && !one_in(random, 3)) {
      const TaskIndex chosen = any_of(special, random);
      std::erase(tasks, chosen);
      tasks.resize(std::min<std::size_t>(tasks.size(), one_in(random, 2) ? 1 : 0));
      tasks.insert(one_in(random, 2) ? tasks.begin() : tasks.end(), chosen);
    } else {
      tasks.resize(std::min<std::size_t>(tasks.size(), static_cast<std::size_t>(draw(random, 1, 3))));
    }
    if (tasks.empty()) return;
    add_chain(system, std::move(tasks));
  }
  // Along a row of triggers, whatever its tasks do besides.
  std::vector<std::vector<TaskIndex>> rows;
  for (TaskIndex task = 0; task < releases.size(); ++task)
    if (releases[task] && releases[task]->trigger_path.size() > 1 && !system.tasks[task].folded_into)
      rows.push_back(releases[task]->trigger_path);
  if (!rows.empty()) add_chain(system, any_of(rows, random));
}

void pass_data(System& system, Random random) {
  for (const Chain& chain : system.chains)
    for (std::size_t at = 0; at + 1 < chain.tasks.size(); ++at) {
      const auto label = static_cast<LabelIndex>(system.labels.size());
      const bool host = is_host(system, chain.tasks[at]) || is_host(system, chain.tasks[at + 1]);
      system.labels.push_back(
          {fmt::format("data{}", label), DataSize{64}, MemoryIndex{0}, host ? LabelSide::host : LabelSide::device, {}});
      access(system, chain.tasks[at], label, true, random);
      access(system, chain.tasks[at + 1], label, false, random);
    }
}

}  // namespace adversary
