// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What tasks do, and when: activities, conditions, tasks and stimuli.

#include <cmath>

#include "reference/reading.hpp"

namespace reference {

class Software : protected Names {
 protected:
  using Names::Names;
  Model model_;

  void software() {
    read_all("mode labels", model_.modes, [&](const Node& node, ModeLabel& label) {
      const auto mode = refer(node, "mode");
      if (mode != none) {
        for (const auto& literal : nodes("modes")[mode].children("literals"))
          label.literals.push_back(text_of(literal, "name"));
      }
      if (node.attribute("initialValue")) label.initial = mode_value(node, label, "initialValue");
    });
    read_all("stimuli", model_.stimuli, [&](const Node& node, Stimulus& one) { stimulus(node, one); });
    read_all("labels", model_.labels, [&](const Node& node, Label& label) {
      label.bytes = bytes_of(node.child("size"));
      label.section = refer(node, "section");
    });
    read_all("runnables", model_.runnables, [&](const Node& node, Runnable& runnable) {
      runnable.condition = condition_of(node.child("executionCondition"));
      runnable.properties = properties(
          node, "copy access memoryIntensity grid block registers sharedMemory cacheConfig instructions budget");
      runnable.items = items_of(node.child("activityGraph"));
    });
    read_all("tasks", model_.tasks, [&](const Node& node, Task& one) { task(node, one); });
  }

  Ticks ticks_of(const Node& node) const {
    Ticks ticks;
    for (const auto& entry : node.children("extended"))
      ticks.of.emplace_back(refer(entry, "key", true), range_of(entry.child("value")));
    if (const auto all = node.child("default")) ticks.of.emplace_back(none, range_of(all));
    return ticks;
  }

 private:
  static std::int64_t mode_value(const Node& node, const ModeLabel& label, const char* attribute) {
    const auto text = text_of(node, attribute);
    const auto literal = std::find(label.literals.begin(), label.literals.end(), text);
    if (literal != label.literals.end()) return literal - label.literals.begin();
    if (!label.literals.empty()) throw Refused(at(node), "mode " + text);
    return whole_of(text, at(node));
  }

  Condition::Term term_of(const Node& entry) const {
    Condition::Term term;
    const auto type = place_of(at(entry), type_of(entry),
                               "ModeValueCondition ModeLabelCondition ChannelFillCondition LocalModeCondition");
    if (type > 1) return term;
    term.relation = static_cast<Condition::Relation>(
        place_of(at(entry), text_of(entry, "relation"),
                 "EQUAL NOT_EQUAL LESS_THAN LESS_THAN_OR_EQUAL GREATER_THAN GREATER_THAN_OR_EQUAL"));
    term.mode = refer(entry, type == 0 ? "label" : "label1", true);
    if (type == 0) term.value = mode_value(entry, model_.modes[term.mode], "value");
    if (type == 1) term.other = refer(entry, "label2", true);
    return term;
  }

  Condition condition_of(const Node& node) const {
    Condition condition;
    for (const auto& entry : node.children("entries")) {
      auto& terms = condition.any_of.emplace_back();
      if (type_of(entry) != "ConditionConjunction") {
        terms.push_back(term_of(entry));
      } else {
        for (const auto& inner : entry.children("entries")) terms.push_back(term_of(inner));
      }
    }
    return condition;
  }

  static Counter counter_of(const Node& node) {
    if (!node) return {};
    const Counter counter{whole(node, "prescaler", 1), whole(node, "offset", 0), true};
    if (counter.prescaler < 1 || counter.offset < 0) throw Refused(at(node), "counter");
    return counter;
  }

  std::vector<Item> items_of(const Node& parent) const {
    std::vector<Item> items;
    for (const auto& node : parent.children("items")) items.push_back(item_of(node));
    return items;
  }

  Item item_of(const Node& node) const {
    using K = Item::Kind;
    static constexpr struct {
      K kind;
      const char* target;  ///< the attribute that refers to it; empty: there is none
    } kinds[] = {{K::ticks, ""},
                 {K::label, "data"},
                 {K::call, "runnable"},
                 {K::group, ""},
                 {K::wait, ""},
                 {K::set, "process"},
                 {K::clear, ""},
                 {K::trigger, "stimulus"},
                 {K::semaphore, "semaphore"},
                 {K::mode, "data"},
                 {K::switch_, ""},
                 {K::probability, ""},
                 {K::loop, ""},
                 {K::schedule_point, ""},
                 {K::terminate, ""},
                 {K::custom_event, "event"},
                 {K::call, "serverRunnable"}};
    const auto& kind = kinds[place_of(
        at(node), type_of(node),
        "Ticks LabelAccess RunnableCall Group WaitEvent SetEvent ClearEvent InterProcessTrigger SemaphoreAccess "
        "ModeLabelAccess Switch ProbabilitySwitch WhileLoop SchedulePoint TerminateProcess CustomEventTrigger "
        "SynchronousServerCall")];
    Item item;
    item.kind = kind.kind;
    if (*kind.target != '\0') item.target = refer(node, kind.target, item.kind != K::set);
    item.ticks = ticks_of(node);
    statistic(node.child("statistic").child("value"), item);
    item.ordered = truth(node, "ordered", true);
    item.interruptible = truth(node, "interruptible", true);
    item.active = text_of(node, "waitingBehaviour") == "active";  // S-event-2
    item.all = text_of(node, "maskType") == "AND";
    item.events = refer_all(node.child("eventMask"), "events");
    if (item.events.empty() && (item.kind == K::wait || item.kind == K::set || item.kind == K::clear))
      throw Refused(at(node), "no event");
    item.counter = counter_of(node.child("counter"));
    item.condition = condition_of(node.child("condition"));
    item.items = items_of(node);
    for (const char* list : {"entries", "defaultEntry"}) {
      for (const auto& entry : node.children(list)) {
        auto& one = item.items.emplace_back();
        one.kind = K::entry;
        one.otherwise = list[0] == 'd';
        one.probability = real(entry, "probability", 0);
        one.condition = condition_of(entry.child("condition"));
        one.items = items_of(entry);
      }
    }
    access_of(node, item);
    return item;
  }

  static void statistic(const Node& value, Item& item) {
    if (!value) return;
    const bool several = type_of(value) == "MinAvgMaxStatistic";
    const auto least = real(value, several ? "min" : "value", 0), most = real(value, several ? "max" : "value", 0);
    if (least != std::floor(least) || most != std::floor(most) || least < 0 || least > most)
      throw Refused(at(value), "a statistic that is not whole, or in the wrong order");
    item.accesses = {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)};
  }

  /// What the kinds of accesses mean.
  void access_of(const Node& node, Item& item) const {
    using K = Item::Kind;
    const auto access = text_of(node, "access");
    if (item.kind == K::label) item.write = pick<bool>(at(node), access, "read write -", {false, true, false});
    if (item.kind == K::semaphore) {
      item.release = pick<bool>(at(node), access, "request release exclusive", {false, true, false});
      item.exclusive = access == "exclusive";
    }
    if (item.kind != K::mode) return;
    const auto sign = pick<int>(at(node), access, "read set increment decrement", {0, 0, 1, -1});
    item.write = access != "read";
    item.step = sign != 0;
    if (item.step) item.value = sign * whole(node, "step", 1);
    if (access == "set") item.value = mode_value(node, model_.modes[item.target], "value");
  }

  void task(const Node& node, Task& task) const {
    using P = Task::Preemption;
    task.isr = std::string(node.name()) == "isrs";
    task.category = text_of(node, "category") == "CATEGORY_1" ? 1 : 2;
    task.preemption = pick<P>(at(node), text_of(node, "preemption"), "- preemptive cooperative non_preemptive",
                              {P::preemptive, P::preemptive, P::cooperative, P::none});
    task.limit = whole(node, "multipleTaskActivationLimit", 0);
    task.stimuli = refer_all(node, "stimuli");
    task.properties = properties(node,
                                 "grid block registers sharedMemory cacheConfig budget timeslice context "
                                 "contextPriority stream priority cuMask smMask mpsShare");
    task.items = items_of(node.child("activityGraph"));
  }

  void stimulus(const Node& node, Stimulus& one) const {
    one.kind = static_cast<Stimulus::Kind>(place_of(
        at(node), type_of(node),
        "PeriodicStimulus RelativePeriodicStimulus PeriodicSyntheticStimulus SingleStimulus PeriodicBurstStimulus "
        "ArrivalCurveStimulus VariableRateStimulus InterProcessStimulus EventStimulus"));
    one.condition = condition_of(node.child("executionCondition"));
    for (const auto& entry : node.child("setModeValueList").children("entries")) {
      const auto label = refer(entry, "label", true);
      one.modes.emplace_back(label, mode_value(entry, model_.modes[label], "value"));
    }
    one.counter = counter_of(node.child("counter"));
    one.triggers = refer_all(node, "triggeringEvents");
    recurrence(node, one);
  }

  /// When the stimulus occurs.
  static void recurrence(const Node& node, Stimulus& one) {
    using K = Stimulus::Kind;
    one.offset = time_of(node, one.kind == K::single ? "occurrence" : "offset", 0);
    one.period = time_of(node, "recurrence", 0);
    one.least_distance = time_of(node, "minDistance", time_of(node, "occurrenceMinDistance", 0));
    if (const auto jitter = node.child("jitter")) one.jitter = range_of(jitter);
    if (one.jitter.least != 0) {  // S-release-2
      one.offset += one.jitter.least;
      one.jitter = {0, one.jitter.most - one.jitter.least};
    }
    if (const auto next = node.child("nextOccurrence")) one.distance = range_of(next);
    for (const auto& time : node.children("occurrenceTimes")) one.instants.push_back(time_of(time));
    one.burst_length = time_of(node, "burstLength", 0);
    one.burst_count = whole(node, "occurrenceCount", 1);
    for (const auto& entry : node.children("entries"))
      one.borders.push_back({whole(entry, "numberOfOccurrences", 1), time_of(entry, "lowerTimeBorder", 0),
                             time_of(entry, "upperTimeBorder", never)});
    one.step = time_of(node, "step", 0);
    if (const auto rate = node.child("occurrencesPerStep")) {
      const bool constant = type_of(rate) == "ContinuousValueConstant";
      if (!constant && !rate.attribute("upperBound")) throw Refused(at(rate), "a distribution without bounds");
      one.least_per_step = real(rate, constant ? "value" : "lowerBound", 0);
      one.most_per_step = real(rate, constant ? "value" : "upperBound", 0);
    }
    one.increase = real(node, "maxIncreasePerStep", -1);
    one.decrease = real(node, "maxDecreasePerStep", -1);
    const bool recurs = one.kind == K::periodic || one.kind == K::synthetic || one.kind == K::burst;
    if (one.offset < 0 || (recurs && one.period <= 0) || (one.kind == K::relative && one.distance.least <= 0) ||
        (one.kind == K::rate && one.step < 1'000'000))
      throw Refused(at(node), "recurrence or offset");
  }
};

}  // namespace reference
