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
    add(Op::Kind::end);
    for (const auto& op : program_.ops) {
      using K = Op::Kind;
      program_.interacts = program_.interacts || op.kind == K::set || op.kind == K::wait || op.kind == K::trigger ||
                           op.kind == K::request || op.kind == K::release || op.kind == K::mode ||
                           op.kind == K::custom || op.kind == K::access;
    }
    return std::move(program_);
  }

 private:
  Index here() const { return static_cast<Index>(program_.ops.size()); }

  Op& add(Op::Kind kind, const Item* item = nullptr) {
    auto& op = program_.ops.emplace_back();
    op.kind = kind;
    op.item = item;
    op.runnable = runnable_;
    if (item != nullptr) op.target = item->target;
    return op;
  }

  /// S-time-1: extended ticks count before the default.
  void execute(const Ticks& ticks, bool overhead) {
    if (ticks.of.empty()) return;
    const auto first = static_cast<Index>(program_.costs.size());
    for (const auto number : task_.units) {
      const auto& unit = model_.units[number];
      const Range* found = nullptr;
      for (const auto& [definition, range] : ticks.of) {
        if (definition == unit.definition || (definition == none && found == nullptr)) found = &range;
      }
      if (found == nullptr) throw Refused(task_.name, "no ticks for " + unit.name);
      program_.costs.push_back({*found, {}, unit.hertz});
    }
    auto& op = add(Op::Kind::execute);
    op.overhead = overhead;
    op.cost = first;
  }

  void overhead(const std::string& call) {
    const auto& all = model_.schedulers[task_.scheduler].overhead;
    const auto found = all.find(call);
    if (found != all.end()) execute(found->second, true);
  }

  /// S-memory-1
  void access(const Item& item) {
    const auto& label = model_.labels[item.target];
    const auto first = static_cast<Index>(program_.costs.size());
    for (const auto number : task_.units) {
      const auto& unit = model_.units[number];
      Cost cost;
      cost.hertz = unit.hertz;
      if (label.memory != none && unit.access[label.memory].stated) {
        const auto& way = unit.access[label.memory];
        const auto& latency = item.write ? way.write : way.read;
        const auto lines = (label.bytes + model_.line_bytes - 1) / model_.line_bytes;
        cost.cycles = {item.accesses.least * lines * latency.least, item.accesses.most * lines * latency.most};
        if (way.bytes_per_second > 0)
          cost.at_least = {item.accesses.least * duration(label.bytes, way.bytes_per_second),
                           item.accesses.most * duration(label.bytes, way.bytes_per_second)};
      }
      program_.costs.push_back(cost);
    }
    add(Op::Kind::access, &item).cost = first;
  }

  void alternatives(const Item& item, Op::Kind kind) {
    const auto choice = here();
    add(kind, &item);
    std::vector<Index> jumps;
    for (const auto& entry : item.items) {
      const auto target = here();
      program_.ops[choice].targets.push_back(target);
      items(entry.items);
      jumps.push_back(here());
      add(Op::Kind::jump);
    }
    program_.ops[choice].targets.push_back(here());
    for (const auto jump : jumps) program_.ops[jump].target = here();
  }

  void call(const Item& item) {
    const auto& runnable = model_.runnables[item.target];
    if (++depth_ > 50) throw Refused(runnable.name, "calls itself");
    if (depth_ == 1 && locked_ == 0) add(Op::Kind::boundary);
    const auto test = here();
    if (!runnable.condition.any_of.empty()) add(Op::Kind::test).condition = &runnable.condition;
    const auto outer = runnable_;
    runnable_ = item.target;
    add(Op::Kind::call).target = item.target;
    items(runnable.items);
    add(Op::Kind::leave).target = item.target;
    runnable_ = outer;
    if (!runnable.condition.any_of.empty()) program_.ops[test].target = here();
    --depth_;
  }

  void items(const std::vector<Item>& list) {
    for (const auto& item : list) one(item);
  }

  void one(const Item& item) {
    using K = Item::Kind;
    const auto counter = here();
    if (item.counter.stated) add(Op::Kind::count, &item).slot = program_.counters++;
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
      case K::group:
        locked_ += item.interruptible ? 0 : 1;
        if (!item.interruptible) add(Op::Kind::lock);
        item.ordered || item.items.size() < 2 ? items(item.items) : any_order(item);
        if (!item.interruptible) add(Op::Kind::unlock);
        locked_ -= item.interruptible ? 0 : 1;
        break;
      case K::wait:
        overhead("apiWaitEvent"), add(Op::Kind::wait, &item);
        break;
      case K::set:
        overhead("apiSetEvent"), add(Op::Kind::set, &item);
        break;
      case K::clear:
        overhead("apiClearEvent"), add(Op::Kind::clear, &item);
        break;
      case K::trigger:
        overhead("apiActivateTask"), add(Op::Kind::trigger, &item);
        break;
      case K::semaphore: {
        const bool spin = model_.semaphores[item.target].spin;
        if (item.release) {
          overhead(spin ? "apiReleaseSpinlock" : "apiReleaseResource");
          add(Op::Kind::release, &item);
        } else {
          overhead(spin ? "apiRequestSpinlock" : "apiRequestResource");
          add(Op::Kind::request, &item);
        }
        break;
      }
      case K::mode:
        add(Op::Kind::mode, &item);
        break;
      case K::switch_:
        alternatives(item, Op::Kind::choose);
        break;
      case K::probability:
        alternatives(item, Op::Kind::choose);
        break;
      case K::loop: {
        const auto start = here();
        add(Op::Kind::loop, &item).condition = &item.condition;
        items(item.items);
        add(Op::Kind::jump).target = start;
        program_.ops[start].target = here();
        break;
      }
      case K::schedule_point:
        overhead("apiSchedule"), add(Op::Kind::point);
        break;
      case K::terminate:
        ends_.push_back(here());
        add(Op::Kind::jump);
        break;
      case K::custom_event:
        add(Op::Kind::custom, &item);
        break;
      case K::entry:
        break;
    }
    if (item.counter.stated) program_.ops[counter].target = here();
  }

  /// S-order-1: the items of an unordered group in any order, one after the other.
  void any_order(const Item& item) {
    const auto choice = here();
    if (item.items.size() > 60) throw Refused(task_.name, "an unordered group of more than 60");
    add(Op::Kind::any_order, &item).slot = program_.orders++;
    for (const auto& inner : item.items) {
      const auto target = here();
      program_.ops[choice].targets.push_back(target);
      one(inner);
      add(Op::Kind::jump).target = choice;
    }
    program_.ops[choice].targets.push_back(here());
  }

  const Model& model_;
  const Task& task_;
  Program program_;
  Index runnable_ = none;
  int depth_ = 0, locked_ = 0;
  std::vector<Index> ends_;
};

}  // namespace

Program compile(const Model& model, Index task) { return Compiler(model, task).compile(); }

}  // namespace reference
