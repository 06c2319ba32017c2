// SPDX-License-Identifier: Apache-2.0
/// What tasks do, and when: activities, conditions, tasks and stimuli.
#include "reference/reading.hpp"

#include <cmath>
#include <cstdlib>

namespace reference {

namespace {

Counter counter_of(const Node& node) {
  const Counter counter{whole(node, "prescaler", 1), whole(node, "offset", 0)};
  if (counter.prescaler < 1 || counter.offset < 0) throw Refused(at(node), "counter");
  return counter;
}

void statistic(const Node& value, Item& item) {
  if (!value) return;
  const bool several = type_of(value) == "MinAvgMaxStatistic";
  const auto least = real(value, several ? "min" : "value", 0), most = real(value, several ? "max" : "value", 0);
  if (least != std::floor(least) || most != std::floor(most) || least < 0 || least > most)
    throw Refused(at(value), "a statistic that is not whole, or in the wrong order");
  item.accesses_least = static_cast<std::int64_t>(least);
  item.accesses_most = static_cast<std::int64_t>(most);
}

}  // namespace

Ticks Reader::ticks_of(const Node& node) const {
  Ticks ticks;
  if (!node) return ticks;
  for (const auto& entry : node.children("extended")) {
    ticks.of.emplace_back(refer(entry, "key", true), range_of(entry.child("value")));
  }
  if (const auto all = node.child("default")) ticks.of.emplace_back(none, range_of(all));
  return ticks;
}

std::int64_t Reader::mode_value(const Node& node, Index label, const std::string& text) const {
  const auto& literals = model_.modes[label].literals;
  const auto literal = std::find(literals.begin(), literals.end(), text);
  if (literal != literals.end()) return literal - literals.begin();
  char* end = nullptr;
  const auto value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || !literals.empty()) throw Refused(at(node), fmt::format("mode '{}'", text));
  return value;
}

Condition::Term Reader::term_of(const Node& entry) const {
  Condition::Term term;
  const auto type = type_of(entry);
  if (type == "ChannelFillCondition" || type == "LocalModeCondition") return term;
  using R = Condition::Relation;
  term.relation = pick<R>(entry, entry.attribute("relation").value(),
                          "EQUAL NOT_EQUAL LESS_THAN LESS_THAN_OR_EQUAL GREATER_THAN GREATER_THAN_OR_EQUAL");
  if (type == "ModeValueCondition") {
    term.mode = refer(entry, "label", true);
    term.value = mode_value(entry, term.mode, entry.attribute("value").value());
  } else if (type == "ModeLabelCondition") {
    term.mode = refer(entry, "label1", true);
    term.other = refer(entry, "label2", true);
  } else {
    throw Refused(at(entry), type);
  }
  return term;
}

Condition Reader::condition_of(const Node& node) const {
  Condition condition;
  if (!node) return condition;
  for (const auto& entry : node.children("entries")) {
    auto& terms = condition.any_of.emplace_back();
    if (type_of(entry) != "ConditionConjunction") {
      terms.push_back(term_of(entry));
      continue;
    }
    for (const auto& inner : entry.children("entries")) terms.push_back(term_of(inner));
  }
  return condition;
}

std::vector<Item> Reader::items_of(const Node& parent) const {
  std::vector<Item> items;
  for (const auto& node : parent.children("items")) items.push_back(item_of(node));
  return items;
}

Item Reader::item_of(const Node& node) const {
  using K = Item::Kind;
  Item item;
  item.kind =
      pick<K>(node, type_of(node),
              "Ticks LabelAccess RunnableCall Group WaitEvent SetEvent ClearEvent InterProcessTrigger SemaphoreAccess "
              "ModeLabelAccess Switch ProbabilitySwitch WhileLoop SchedulePoint TerminateProcess CustomEventTrigger "
              "SynchronousServerCall",
              {K::ticks, K::label, K::call, K::group, K::wait, K::set, K::clear, K::trigger, K::semaphore, K::mode,
               K::switch_, K::probability, K::loop, K::schedule_point, K::terminate, K::custom_event, K::call});
  for (const char* name : {"data", "runnable", "serverRunnable", "process", "stimulus", "semaphore", "event"}) {
    if (node.attribute(name)) item.target = refer(node, name);
  }
  const bool whole_process = item.kind == K::set || item.kind == K::terminate || item.kind == K::schedule_point;
  const bool composed = item.kind == K::ticks || item.kind == K::group || item.kind == K::wait ||
                        item.kind == K::clear || item.kind == K::switch_ || item.kind == K::probability ||
                        item.kind == K::loop;
  if (item.target == none && !whole_process && !composed) throw Refused(at(node), "a reference is missing");
  item.ticks = ticks_of(node);
  statistic(node.child("statistic").child("value"), item);
  item.ordered = truth(node, "ordered", true);
  item.interruptible = truth(node, "interruptible", true);
  item.active = std::string(node.attribute("waitingBehaviour").value()) == "active";  // S-event-2
  item.all = std::string(node.attribute("maskType").value()) == "AND";
  item.events = refer_all(node.child("eventMask"), "events");
  if (const auto counter = node.child("counter")) {
    item.counts = true;
    item.counter = counter_of(counter);
  }
  item.condition = condition_of(node.child("condition"));
  item.items = items_of(node);
  access_of(node, item);
  return item;
}

/// What the kind of the activity adds.
void Reader::access_of(const Node& node, Item& item) const {
  using K = Item::Kind;
  const std::string access = node.attribute("access").value();
  switch (item.kind) {
    case K::label:
      item.write = pick<bool>(node, access, "read write -", {false, true, false});
      break;
    case K::wait:
    case K::set:
    case K::clear:
      if (item.events.empty()) throw Refused(at(node), "no event");
      break;
    case K::semaphore:
      item.release = pick<bool>(node, access, "request release exclusive", {false, true, false});
      item.exclusive = access == "exclusive";
      break;
    case K::mode: {
      const auto sign = pick<int>(node, access, "read set increment decrement", {0, 0, 1, -1});
      item.write = access != "read";
      item.step = sign != 0;
      item.value = item.step ? sign * whole(node, "step", 1) : 0;
      if (access == "set") item.value = mode_value(node, item.target, node.attribute("value").value());
      break;
    }
    case K::switch_:
    case K::probability:
      for (const char* list : {"entries", "defaultEntry"}) {
        for (const auto& entry : node.children(list)) {
          auto& one = item.items.emplace_back();
          one.kind = K::entry;
          one.otherwise = std::string(list) == "defaultEntry";
          one.probability = real(entry, "probability", 0);
          one.condition = condition_of(entry.child("condition"));
          one.items = items_of(entry);
        }
      }
      break;
    default:
      break;
  }
}

void Reader::mode_labels(const Node& sw) {
  std::size_t number = 0;
  for (const auto& node : sw.children("modeLabels")) {
    auto& label = model_.modes[number++];
    const auto mode = refer(node, "mode");
    if (mode != none) {
      for (const auto& literal : mode_nodes_[mode].children("literals"))
        label.literals.emplace_back(literal.attribute("name").value());
    }
    const std::string initial = node.attribute("initialValue").value();
    if (!initial.empty()) label.initial = mode_value(node, static_cast<Index>(number - 1), initial);
  }
}

void Reader::software(const Node& sw) {
  std::size_t number = 0;
  for (const auto& node : sw.children("labels")) {
    model_.labels[number].bytes = bytes_of(node.child("size"));
    model_.labels[number++].section = refer(node, "section");
  }
  number = 0;
  for (const auto& node : sw.children("runnables")) {
    auto& runnable = model_.runnables[number++];
    runnable.condition = condition_of(node.child("executionCondition"));
    runnable.section = refer(node, "section");
    runnable.properties = properties(
        node, "copy access memoryIntensity grid block registers sharedMemory cacheConfig instructions budget");
    runnable.items = items_of(node.child("activityGraph"));
  }
  number = 0;
  for (const char* list : {"tasks", "isrs"}) {
    for (const auto& node : sw.children(list)) {
      auto& task = model_.tasks[number];
      task.isr = number++ >= first_isr_;
      const std::string category = node.attribute("category").value();
      task.category = category == "CATEGORY_1" ? 1 : 2;
      using P = Task::Preemption;
      task.preemption = pick<P>(node, node.attribute("preemption").value(), "- preemptive cooperative non_preemptive",
                                {P::preemptive, P::preemptive, P::cooperative, P::none});
      task.limit = whole(node, "multipleTaskActivationLimit", 0);
      task.stimuli = refer_all(node, "stimuli");
      task.properties = properties(node,
                                   "grid block registers sharedMemory cacheConfig budget timeslice context "
                                   "contextPriority stream priority cuMask smMask mpsShare");
      task.items = items_of(node.child("activityGraph"));
    }
  }
  for (const auto& node : sw.children("processChains")) {
    chain_processes_.push_back(refer_all(node, "processes"));
  }
}

void Reader::stimuli(const Node& parent) {
  std::size_t number = 0;
  for (const auto& node : parent.children("stimuli")) stimulus(node, model_.stimuli[number++]);
}

void Reader::stimulus(const Node& node, Stimulus& stimulus) const {
  using K = Stimulus::Kind;
  stimulus.kind = pick<K>(
      node, type_of(node),
      "PeriodicStimulus RelativePeriodicStimulus PeriodicSyntheticStimulus SingleStimulus PeriodicBurstStimulus "
      "ArrivalCurveStimulus VariableRateStimulus InterProcessStimulus EventStimulus");
  stimulus.condition = condition_of(node.child("executionCondition"));
  for (const auto& entry : node.child("setModeValueList").children("entries")) {
    const auto label = refer(entry, "label", true);
    stimulus.modes.emplace_back(label, mode_value(entry, label, entry.attribute("value").value()));
  }
  if (const auto counter = node.child("counter")) {
    stimulus.counts = true;
    stimulus.counter = counter_of(counter);
  }
  stimulus.triggers = refer_all(node, "triggeringEvents");
  recurrence(node, stimulus);
}

/// When the stimulus occurs.
void Reader::recurrence(const Node& node, Stimulus& stimulus) {
  using K = Stimulus::Kind;
  stimulus.offset = time_of(node, "offset", 0);
  stimulus.period = time_of(node, "recurrence", 0);
  stimulus.least_distance = time_of(node, "minDistance", time_of(node, "occurrenceMinDistance", 0));
  if (const auto jitter = node.child("jitter")) stimulus.jitter = range_of(jitter);
  if (stimulus.jitter.least != 0) {  // S-release-2
    stimulus.offset += stimulus.jitter.least;
    stimulus.jitter = {0, stimulus.jitter.most - stimulus.jitter.least};
  }
  if (const auto next = node.child("nextOccurrence")) stimulus.distance = range_of(next);
  for (const auto& time : node.children("occurrenceTimes")) stimulus.instants.push_back(time_of(time));
  if (stimulus.kind == K::single) stimulus.offset = time_of(node, "occurrence", 0);
  stimulus.burst_length = time_of(node, "burstLength", 0);
  stimulus.burst_count = whole(node, "occurrenceCount", 1);
  for (const auto& entry : node.children("entries")) {
    stimulus.borders.push_back({whole(entry, "numberOfOccurrences", 1), time_of(entry, "lowerTimeBorder", 0),
                                time_of(entry, "upperTimeBorder", never)});
  }
  stimulus.step = time_of(node, "step", 0);
  if (const auto rate = node.child("occurrencesPerStep")) {
    const bool constant = type_of(rate) == "ContinuousValueConstant";
    if (!constant && !rate.attribute("upperBound")) throw Refused(at(rate), "a distribution without bounds");
    stimulus.least_per_step = real(rate, constant ? "value" : "lowerBound", 0);
    stimulus.most_per_step = real(rate, constant ? "value" : "upperBound", 0);
  }
  stimulus.increase = real(node, "maxIncreasePerStep", -1);
  stimulus.decrease = real(node, "maxDecreasePerStep", -1);
  const bool recurs = stimulus.kind == K::periodic || stimulus.kind == K::synthetic || stimulus.kind == K::burst;
  if (stimulus.offset < 0 || (recurs && stimulus.period <= 0) ||
      (stimulus.kind == K::relative && stimulus.distance.least <= 0) ||
      (stimulus.kind == K::variable_rate && stimulus.step < 1'000'000))
    throw Refused(at(node), "recurrence or offset");
}

}  // namespace reference
