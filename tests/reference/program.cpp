// SPDX-License-Identifier: Apache-2.0
#include "reference/program.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace reference {

namespace {

class Compiler {
 public:
  Compiler(const Model& model, Index task) : model_(model), task_(model.tasks[task]) {}

  Program compile() {
    const auto interrupt = fmt::format("isrCategory{}Overhead ", task_.category);
    if (task_.isr) overhead(interrupt + "preExecutionOverhead");
    items(task_.items);
    for (const auto end : ends_) program_.ops[end].target = here();
    overhead(task_.isr ? interrupt + "postExecutionOverhead" : "apiTerminateTask");
    add(K::end);
    for (const auto& op : program_.ops)
      program_.interacts = program_.interacts || (op.kind >= K::label && op.kind <= K::custom_event);
    return std::move(program_);
  }

 private:
  using K = Item::Kind;

  Index here() const { return static_cast<Index>(program_.ops.size()); }

  Op& add(K kind, const Item* item = nullptr) {
    auto& op = program_.ops.emplace_back();
    op.kind = kind;
    op.item = item;
    if (item != nullptr) op.target = item->target;
    return op;
  }

  void execute(const Ticks& ticks, bool overhead) {
    if (ticks.of.empty()) return;
    auto& op = add(K::ticks);
    op.overhead = overhead;
    op.cost = static_cast<Index>(program_.costs.size());
    for (const auto number : task_.units) {
      const auto& unit = model_.units[number];
      program_.costs.push_back({ticks_on(ticks, unit, task_.name), {}, unit.hertz});
    }
  }

  void overhead(const std::string& call) {
    const auto& all = model_.schedulers[task_.scheduler].overhead;
    const auto found = all.find(call);
    if (found != all.end()) execute(found->second, true);
  }

  void access(const Item& item) {
    add(K::label, &item).cost = static_cast<Index>(program_.costs.size());
    for (const auto number : task_.units) {
      auto cost = access_cost(model_, model_.units[number], model_.labels[item.target], item.write);
      for (auto* each : {&cost.cycles, &cost.at_least})
        *each = {each->least * item.accesses.least, each->most * item.accesses.most};
      program_.costs.push_back(cost);
    }
  }

  /// A switch, or the items of an unordered group (S-order-1): in any order, one after the other.
  void alternatives(const Item& item) {
    const auto choice = here();
    const bool all = item.kind == K::group;
    if (item.items.size() > 60) throw Refused(task_.name, "more than 60 alternatives");
    add(item.kind, &item).slot = all ? program_.orders++ : none;
    std::vector<Index> jumps;
    for (const auto& inner : item.items) {
      program_.ops[choice].targets.push_back(here());
      one(inner);
      jumps.push_back(here());
      add(K::jump).target = choice;
    }
    program_.ops[choice].targets.push_back(here());
    for (const auto jump : jumps)
      if (!all) program_.ops[jump].target = here();
  }

  void call(const Item& item) {
    const auto& runnable = model_.runnables[item.target];
    const bool tested = !runnable.condition.any_of.empty();
    if (++depth_ > 50) throw Refused(runnable.name, "calls itself");
    if (depth_ == 1 && locked_ == 0) add(K::boundary);
    const auto test = here();
    if (tested) add(K::test).condition = &runnable.condition;
    add(K::call, &item);
    items(runnable.items);
    add(K::leave);
    if (tested) program_.ops[test].target = here();
    --depth_;
  }

  void items(const std::vector<Item>& list) {
    for (const auto& item : list) one(item);
  }

  void one(const Item& item) {
    const auto counter = here();
    if (item.counter.stated) add(K::count, &item).slot = program_.counters++;
    switch (item.kind) {
      case K::ticks:
        execute(item.ticks, false);
        break;
      case K::label:
        access(item);
        break;
      case K::call:
        call(item);
        break;
      case K::entry:
        items(item.items);
        break;
      case K::group:
        locked_ += item.interruptible ? 0 : 1;
        if (!item.interruptible) add(K::lock);
        item.ordered || item.items.size() < 2 ? items(item.items) : alternatives(item);
        if (!item.interruptible) add(K::unlock);
        locked_ -= item.interruptible ? 0 : 1;
        break;
      case K::switch_:
      case K::probability:
        alternatives(item);
        break;
      case K::loop: {
        const auto start = here();
        add(K::loop, &item).condition = &item.condition;
        items(item.items);
        add(K::jump).target = start;
        program_.ops[start].target = here();
        break;
      }
      case K::terminate:
        ends_.push_back(here());
        add(K::jump);
        break;
      default:
        overhead(name_of_call(item));
        add(item.kind, &item);
    }
    if (item.counter.stated) program_.ops[counter].target = here();
  }

  std::string name_of_call(const Item& item) const {
    if (item.kind == K::semaphore)
      return fmt::format("api{}{}", item.release ? "Release" : "Request",
                         model_.semaphores[item.target].spin ? "Spinlock" : "Resource");
    return item.kind == K::wait             ? "apiWaitEvent"
           : item.kind == K::set            ? "apiSetEvent"
           : item.kind == K::clear          ? "apiClearEvent"
           : item.kind == K::trigger        ? "apiActivateTask"
           : item.kind == K::schedule_point ? "apiSchedule"
                                            : "";
  }

  const Model& model_;
  const Task& task_;
  Program program_;
  int depth_ = 0, locked_ = 0;
  std::vector<Index> ends_;
};

}  // namespace

Cost access_cost(const Model& model, const Unit& unit, const Label& label, bool write) {
  Cost cost;
  cost.hertz = unit.hertz;
  if (label.memory == none || label.memory >= unit.access.size() || !unit.access[label.memory].stated) return cost;
  const auto& way = unit.access[label.memory];
  const auto& latency = write ? way.write : way.read;
  const auto lines = (label.bytes + model.line_bytes - 1) / model.line_bytes;
  cost.cycles = {lines * latency.least, lines * latency.most};
  if (way.bytes_per_second > 0) cost.at_least.least = cost.at_least.most = duration(label.bytes, way.bytes_per_second);
  return cost;
}

const Range& ticks_on(const Ticks& ticks, const Unit& unit, const std::string& where) {
  const Range* found = nullptr;
  for (const auto& [definition, range] : ticks.of)
    if (definition == unit.definition || (definition == none && found == nullptr)) found = &range;
  if (found == nullptr) throw Refused(where, "no ticks for " + unit.name);
  return *found;
}

Program compile(const Model& model, Index task) { return Compiler(model, task).compile(); }

}  // namespace reference
