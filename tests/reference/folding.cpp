// SPDX-License-Identifier: Apache-2.0
#include "reference/folding.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace reference {

namespace {

/// The host task that alone triggers this task and waits for it, if the rule S-device-6 applies; else none.
Index wrapper_of(const Model& model, Index function) {
  const auto& task = model.tasks[function];
  if (task.isr || task.device || task.scheduler == none || task.stimuli.size() != 1) return none;
  if (model.stimuli[task.stimuli[0]].kind != Stimulus::Kind::triggered) return none;
  std::set<Index> gpus, sets;
  for (const auto& unit : model.units)
    if (unit.gpu) gpus.insert(unit.definition);
  bool for_gpu = false;
  each_item(model, task.items, none, [&](const Item& item, Index) {
    for (const auto& [definition, range] : item.ticks.of) for_gpu = for_gpu || gpus.count(definition) > 0;
    if (item.kind == Item::Kind::set) sets.insert(item.events.begin(), item.events.end());
  });
  if (!for_gpu) return none;
  Index wrapper = none;
  for (const auto other : tasks_with(model, [&](const Item&item, Index) {
         return item.kind == Item::Kind::trigger && item.target == task.stimuli[0];
       })) {
    bool waits = false;
    each_item(model, model.tasks[other].items, none, [&](const Item& item, Index) {
      for (const auto event : item.events) waits = waits || (item.kind == Item::Kind::wait && sets.count(event) > 0);
    });
    if (wrapper != none || !waits || model.tasks[other].device) return none;
    wrapper = other;
  }
  for (Index other = 0; other < model.tasks.size(); ++other)
    if (other != function && contains(model.tasks[other].stimuli, task.stimuli[0])) return none;
  return wrapper;
}

/// Device labels and events are left out (S-device-6).
void fold_items(const Model& model, std::vector<Item>& items) {
  std::erase_if(items, [&](const Item& item) {
    return item.kind == Item::Kind::set || (item.kind == Item::Kind::label && !model.labels[item.target].host);
  });
  for (auto& item : items) fold_items(model, item.items);
}

void fold(Model& model, Index function, Index wrapper) {
  auto& task = model.tasks[function];
  auto& host = model.tasks[wrapper];
  std::set<Index> called;
  each_item(model, task.items, none, [&](const Item& item, Index) {
    if (item.kind == Item::Kind::call) called.insert(item.target);
  });
  const auto callers = tasks_with(
      model, [&](const Item& item, Index) { return item.kind == Item::Kind::call && called.count(item.target) > 0; });
  if (callers.size() > 1) throw Refused(task.name, "shares a runnable with another task");
  fold_items(model, task.items);
  for (const auto runnable : called) fold_items(model, model.runnables[runnable].items);
  task.stimuli = host.stimuli;
  task.period = host.period;
  task.deadline = host.deadline;
  host.stimuli.clear();
  host.dropped = true;
  const auto instead = [&](Index& process) {
    if (process == wrapper) process = function;
  };
  for (auto& event : model.events) {
    if (event.of == Event::Of::process) instead(event.entity);
    instead(event.process);
  }
  for (auto& requirement : model.requirements) {
    if (!requirement.of_chain) instead(requirement.entity);
    for (auto& process : requirement.processes) instead(process);
  }
}

}  // namespace

std::vector<Index> accessors(const Model& model, Index label, Index runnable, std::string_view type) {
  return tasks_with(model, [&](const Item& item, Index in) {
    return item.kind == Item::Kind::label && item.target == label && (runnable == none || in == runnable) &&
           (type.empty() || item.write == (type == "write"));
  });
}

namespace {

/// The process in which a link's event happens, if there is just one (docs/theory/chains.md).
void place(const Model& model, Chain::Link& link) {
  const auto& event = model.events[link.event];
  std::vector<Index> tasks;
  if (event.process != none) {
    tasks = {event.process};
  } else if (event.of == Event::Of::process && event.entity != none) {
    tasks = {event.entity};
  } else if (event.of == Event::Of::runnable && event.entity != none) {
    tasks = tasks_with(model, [&](const Item&, Index in) { return in == event.entity; });
  } else if (event.of == Event::Of::label && event.entity != none) {
    tasks = accessors(model, event.entity, event.runnable, event.type);
  } else if (event.of == Event::Of::stimulus && event.entity != none) {
    for (Index task = 0; task < model.tasks.size(); ++task)
      if (contains(model.tasks[task].stimuli, event.entity)) tasks.push_back(task);
  }
  link.task = tasks.size() == 1 ? tasks[0] : none;
  if (event.of == Event::Of::label) link.label = event.entity;
  link.write = event.of == Event::Of::label && event.type == "write";
  link.activation = event.of == Event::Of::stimulus || (event.of == Event::Of::process && event.type == "activate");
}

/// The least distance of occurrences in the long run; -1: none.
Time distance(const Stimulus& stimulus) {
  using K = Stimulus::Kind;
  if (stimulus.kind == K::periodic) return stimulus.period;
  if (stimulus.kind == K::relative) return stimulus.distance.least;
  if (stimulus.kind == K::burst) return stimulus.period / stimulus.burst_count;
  if (stimulus.kind == K::synthetic && !stimulus.instants.empty())
    return stimulus.period / static_cast<Time>(stimulus.instants.size());
  const auto millionths = std::llround(stimulus.most_per_step * 1e6);
  if (stimulus.kind == K::rate && millionths > 0)
    return static_cast<Time>(static_cast<Wide>(stimulus.step) * 1'000'000 / millionths);
  Time out = 0;
  for (const auto& border : stimulus.borders)
    if (border.occurrences > 1) out = std::max(out, border.lower / (border.occurrences - 1));
  return out > 0 ? out : -1;
}

/// S-cores-2: the distance of the only stimulus of a task, or the period of the only task that triggers it.
void periods(Model& model) {
  std::vector<std::vector<Index>> triggers(model.stimuli.size());
  for (Index task = 0; task < model.tasks.size(); ++task) {
    each_item(model, model.tasks[task].items, none, [&](const Item& item, Index) {
      if (item.kind == Item::Kind::trigger) triggers[item.target].push_back(task);
      for (Index stimulus = 0; item.kind == Item::Kind::custom_event && stimulus < triggers.size(); ++stimulus)
        if (const auto& by = model.stimuli[stimulus].triggers; std::find(by.begin(), by.end(), item.target) != by.end())
          triggers[stimulus].push_back(task);
    });
  }
  for (std::size_t round = 0; round <= model.tasks.size(); ++round) {
    for (auto& task : model.tasks) {
      if (task.stimuli.size() != 1) continue;
      const auto& by = triggers[task.stimuli[0]];
      const auto& one = model.stimuli[task.stimuli[0]];
      task.period = distance(one);
      const bool always = one.condition.any_of.empty() && one.counter.prescaler == 1 && one.counter.offset == 0;
      const bool caused = std::all_of(one.triggers.begin(), one.triggers.end(),
                                      [&](Index event) { return model.events[event].of == Event::Of::custom; });
      if (one.kind >= Stimulus::Kind::triggered && caused && always && by.size() == 1)
        task.period = model.tasks[by[0]].period;
    }
  }
}

}  // namespace

void finish(Model& model) {
  periods(model);
  std::vector<std::pair<Index, Index>> functions;
  for (Index task = 0; task < model.tasks.size(); ++task) {
    const auto wrapper = wrapper_of(model, task);
    if (wrapper != none) functions.emplace_back(task, wrapper);
  }
  for (Index task = 0; task < model.tasks.size(); ++task) {  // S-device-1
    bool function = false;
    for (const auto& one : functions) function = function || one.first == task;
    if (model.tasks[task].device || function) continue;
    each_item(model, model.tasks[task].items, none, [&](const Item& item, Index) {
      if (item.kind == Item::Kind::label) model.labels[item.target].host = true;
    });
  }
  for (const auto& [function, wrapper] : functions) fold(model, function, wrapper);
  for (auto& chain : model.chains) {
    if (!chain.tasks.empty()) continue;  // a process chain
    bool known = !chain.links.empty();
    for (auto& link : chain.links) {
      place(model, link);
      known = known && link.task != none;
      if (known && (chain.tasks.empty() || chain.tasks.back() != link.task)) chain.tasks.push_back(link.task);
    }
    if (!known) chain.tasks.clear();
  }
}

Index add_chain(Model& model, std::string name, const std::vector<Index>& tasks) {
  auto& chain = model.chains.emplace_back();
  chain.name = std::move(name);
  chain.tasks = tasks;
  for (const auto task : tasks) chain.links.push_back({none, task, none, false, false});
  return static_cast<Index>(model.chains.size() - 1);
}

}  // namespace reference
