// SPDX-License-Identifier: Apache-2.0
/// Events, chains, constraints and requirements.
#include "reference/reading.hpp"

namespace reference {

namespace {

void limits(const Node& node, Constraint& constraint, const char* lower, const char* upper) {
  constraint.lower_stated = bool(node.child(lower));
  constraint.upper_stated = bool(node.child(upper));
  constraint.lower = time_of(node, lower, 0);
  constraint.upper = time_of(node, upper, never);
}

}  // namespace

void Reader::events(const Node& parent) {
  std::size_t number = 0;
  for (const auto& node : parent.children("events")) {
    auto& event = model_.events[number++];
    using O = Event::Of;
    event.of = pick<O>(node, type_of(node),
                       "ProcessEvent ProcessChainEvent RunnableEvent LabelEvent StimulusEvent SemaphoreEvent "
                       "ModeLabelEvent CustomEvent ChannelEvent ComponentEvent EventSet");
    if (event.of == O::channel || event.of == O::component || event.of == O::set)
      throw Refused(at(node), type_of(node));
    event.type = event.of == O::custom ? "" : node.attribute("eventType").value();
    if (event.type == "_all_") event.type.clear();
    event.entity = event.of == O::custom ? static_cast<Index>(number - 1) : refer(node, "entity");
    event.runnable = refer(node, "runnable");
    event.process = refer(node, "process");
    event.unit = refer(node, "processingUnit");
  }
}

/// The events of a chain in order, without repetitions of neighbours; parallel parts are left out (docs/reference/constraints.md).
void Reader::chain_events(const Node& node, std::vector<Index>& into) const {
  const auto add = [&](Index event) {
    if (event != none && (into.empty() || into.back() != event)) into.push_back(event);
  };
  add(refer(node, "stimulus"));
  if (std::string(node.attribute("itemType").value()) != "parallel") {
    for (const auto& item : node.children("items")) {
      if (type_of(item) != "EventChainContainer") throw Refused(at(item), type_of(item));
      chain_events(item.child("eventChain"), into);
    }
  }
  add(refer(node, "response"));
}

void Reader::constraints(const Node& parent) {
  using K = Constraint::Kind;
  std::size_t number = 0;
  for (const auto& node : parent.children("eventChains")) {
    std::vector<Index> all;
    chain_events(node, all);
    for (const auto event : all) model_.chains[number].links.push_back({event, none, none, false, false});
    ++number;
  }
  for (const auto& node : parent.children("timingConstraints")) timing_constraint(node);
  for (const auto& node : parent.children("dataAgeConstraints")) data_age(node);
  for (const auto& node : parent.children("dataCoherencyGroups")) group(node, K::coherency);
  for (const auto& node : parent.children("dataStabilityGroups")) group(node, K::stability);
  for (const auto& node : parent.children("runnableSequencingConstraints")) {
    auto& one = add(node, K::sequencing);
    one.type = node.attribute("orderType").value();
    one.scopes = refer_all(node, "processScope");
    for (const auto& group : node.children("runnableGroups")) one.groups.push_back(refer_all(group, "runnables"));
  }
  for (const auto& node : parent.children("physicalSectionConstraints")) {
    auto& one = add(node, K::section);
    one.section = refer(node, "section", true);
    one.memories = refer_all(node, "memories");
  }
  for (const auto& node : parent.children("requirements")) requirement(node);
}

Constraint& Reader::add(const Node& node, Constraint::Kind kind) {
  auto& constraint = model_.constraints.emplace_back();
  constraint.name = node.attribute("name").value();
  constraint.kind = kind;
  return constraint;
}

void Reader::timing_constraint(const Node& node) {
  using K = Constraint::Kind;
  auto& one = add(node, pick<K>(node, type_of(node),
                                "DelayConstraint RepetitionConstraint EventSynchronizationConstraint "
                                "EventChainSynchronizationConstraint EventChainLatencyConstraint"));
  one.type = node.attribute(one.kind == K::delay ? "mappingType" : "type").value();
  if (one.kind == K::delay) {
    one.events = {refer(node, "source", true), refer(node, "target", true)};
  } else if (one.kind == K::repetition) {
    one.events = {refer(node, "event", true)};
  } else if (one.kind == K::synchronization) {
    one.events = refer_all(node, "events");
  } else {
    one.chains = refer_all(node, "scope");
  }
  one.kind == K::chain_latency ? limits(node, one, "minimum", "maximum") : limits(node, one, "lower", "upper");
  one.jitter = time_of(node, "jitter", 0);
  one.tolerance = time_of(node, "tolerance", 0);
  one.span = std::max<std::int64_t>(1, whole(node, "span", 0));
  one.multiple = truth(node, "multipleOccurrencesAllowed", false);
  if (const auto period = node.child("period"); period && !one.lower_stated && !one.upper_stated) {
    one.lower = one.upper = time_of(period);
    one.lower_stated = one.upper_stated = true;
  }
}

void Reader::data_age(const Node& node) {
  using K = Constraint::Kind;
  const auto age = node.child("dataAge");
  const bool cycles = type_of(age) == "DataAgeCycle";
  auto& one = add(node, cycles ? K::data_age_cycle : K::data_age_time);
  one.runnable = refer(node, "runnable", true);
  one.labels = {refer(node, "label", true)};
  if (!cycles) return limits(age, one, "minimumTime", "maximumTime");
  one.lower = whole(age, "minimumCycle", 0);
  one.upper = whole(age, "maximumCycle", 0);
  one.lower_stated = one.lower > 0;
  one.upper_stated = one.upper > 0 || one.lower == 0;
  if (!one.upper_stated) one.upper = never;
}

void Reader::group(const Node& node, Constraint::Kind kind) {
  auto& one = add(node, kind);
  one.type = node.attribute("direction").value();
  one.labels = refer_all(node, "labels");
  const auto scope = node.child("scope");
  const bool process = pick<bool>(scope, type_of(scope), "ProcessScope RunnableScope", {true, false});
  one.scope = process ? Constraint::Scope::process : Constraint::Scope::runnable;
  one.scopes = {refer(scope, process ? "process" : "runnable", true)};
}

void Reader::requirement(const Node& node) {
  auto& one = model_.requirements.emplace_back();
  one.name = node.attribute("name").value();
  const auto type = type_of(node);
  using O = Requirement::Of;
  one.of = pick<O>(node, type, "ProcessRequirement RunnableRequirement ProcessChainRequirement",
                   {O::process, O::runnable, O::chain});
  one.entity = refer(node,
                     one.of == O::process    ? "process"
                     : one.of == O::runnable ? "runnable"
                                             : "processChain",
                     true);
  if (one.of == O::chain) {
    one.processes = chain_processes_[one.entity];
    one.entity = add_chain(model_, one.name, one.processes);
  }
  const auto limit = node.child("limit");
  using M = Requirement::Measure;
  one.measure =
      pick<M>(limit, type_of(limit),
              "TimeRequirementLimit CountRequirementLimit PercentageRequirementLimit CPUPercentageRequirementLimit",
              {M::time, M::count, M::percentage, M::cpu});
  one.metric = limit.attribute("metric").value();
  one.upper = pick<bool>(limit, limit.attribute("limitType").value(), "UpperLimit LowerLimit", {true, false});
  one.limit =
      one.measure == M::time ? static_cast<double>(time_of(limit.child("limitValue"))) : real(limit, "limitValue", 0);
  one.unit = refer(limit, "hardwareContext");
  if (one.of == O::process && one.measure == M::time && one.metric == "ResponseTime" && one.upper) {
    auto& deadline = model_.tasks[one.entity].deadline;
    const auto value = static_cast<Time>(one.limit);
    deadline = deadline < 0 ? value : std::min(deadline, value);
  }
}

}  // namespace reference
