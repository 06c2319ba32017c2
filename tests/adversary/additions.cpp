// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/additions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Appends a branch: one alternative is `fill`, the other computes or is empty. Often one of them is so rare that no
/// simulation takes it.
template <typename Fill>
void append_branch(System& system, TaskIndex task, Fill fill, Random& random) {
  auto& body = system.tasks[task].body;
  append_activity(system, task, Branch{});
  const NodeIndex node = body.back();
  Branch branch;
  const bool first = one_in(random, 2), rare = one_in(random, 3);
  for (const bool other : {first, !first}) {
    const std::size_t begin = body.size();
    if (!other)
      fill();
    else if (one_in(random, 2))
      append_activity(system, task, between(0, draw(random, 1, 6)));
    const bool often = one_in(random, 2) || (other ? rare : !rare);
    branch.alternatives.push_back({Probability{often ? 1000.0 : 1.0}, body.size() - begin});
  }
  system.graph[node].activity = std::move(branch);
}

/// Anywhere.
void insert(System& system, TaskIndex task, Activity activity, bool in_alternative, Random& random) {
  const std::size_t position = any_of(open_positions(system, task), random), size = system.tasks[task].body.size();
  if (in_alternative)
    append_branch(
        system, task, [&] { append(system, task, std::move(activity), random); }, random);
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
    if (is_caused(stimulus))
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
    if (write)
      insert(system, task, WriteLabel{label}, true, random);
    else
      insert(system, task, ReadLabel{label}, true, random);
    if (one_in(random, 3)) continue;
    const TaskIndex other = any_of(hosts_of(system), random);  // perhaps the same
    append(system, other, write ? Activity(ReadLabel{label}) : Activity(WriteLabel{label}), random);
  }
}

void add_chains(System& system, Random random) {
  const auto releases = engine::releases_of(system);
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
    system.chains.push_back(
        {fmt::format("chain{}", system.chains.size()), std::move(tasks), {}, Chain::Source::model, {}});
  }
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
