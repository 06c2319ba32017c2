// SPDX-License-Identifier: Apache-2.0
/// The model as a whole: events, chains, constraints and requirements on top of software and platform.
#include <set>

#include "reference/folding.hpp"
#include "reference/reading_platform.hpp"

namespace reference {

namespace {

class Reader : protected Platform {
 public:
  explicit Reader(const Node& root) : Platform(root) {}

  Model read(const Node& root) {
    software();
    platform(root);
    read_all("events", model_.events, [&](const Node& node, Event& one) { event(node, one); });
    read_all("chains", model_.chains, [&](const Node& node, Chain& chain) {
      std::vector<Index> all;
      chain_events(node, all);
      for (const auto each : all) chain.links.push_back({each, none, none, false, false});
    });
    for (const auto& node : root.child("constraintsModel").children()) {
      if (std::string(node.name()) == "requirements")
        requirement(node);
      else if (std::string(node.name()) != "eventChains")
        constraint(node);
    }
    finish(model_);
    return std::move(model_);
  }

 private:
  void event(const Node& node, Event& event) const {
    event.of = static_cast<Event::Of>(place_of(at(node), type_of(node),
                                               "ProcessEvent ProcessChainEvent RunnableEvent LabelEvent StimulusEvent "
                                               "SemaphoreEvent ModeLabelEvent CustomEvent"));
    const bool custom = event.of == Event::Of::custom;
    if (text_of(node, "eventType") != "_all_" && !custom) event.type = text_of(node, "eventType");
    event.entity = custom ? static_cast<Index>(model_.events.size() - 1) : refer(node, "entity");
    event.runnable = refer(node, "runnable");
    event.process = refer(node, "process");
    event.unit = refer(node, "processingUnit");
  }

  /// The events of a chain in order, without repetitions of neighbours; parallel parts are left out
  /// (docs/reference/constraints.md).
  void chain_events(const Node& node, std::vector<Index>& into) const {
    const auto add = [&](Index event) {
      if (event != none && (into.empty() || into.back() != event)) into.push_back(event);
    };
    add(refer(node, "stimulus"));
    for (const auto& item : node.children("items")) {
      if (text_of(node, "itemType") == "parallel") continue;
      place_of(at(item), type_of(item), "EventChainContainer");
      chain_events(item.child("eventChain"), into);
    }
    add(refer(node, "response"));
  }

  void constraint(const Node& node) {
    using K = Constraint::Kind;
    const std::string list = node.name();
    auto& one = model_.constraints.emplace_back();
    one.name = text_of(node, "name");
    one.kind =
        pick<K>(at(node), list == "timingConstraints" ? type_of(node) : list,
                "DelayConstraint RepetitionConstraint EventSynchronizationConstraint EventChainLatencyConstraint "
                "dataAgeConstraints dataCoherencyGroups dataStabilityGroups",
                {K::delay, K::repetition, K::synchronization, K::latency, K::age, K::coherency, K::stability});
    for (const char* type : {"mappingType", "type", "direction"}) one.type += text_of(node, type);
    for (const char* event : {"source", "target", "event", "events"})
      for (const auto each : refer_all(node, event)) one.events.push_back(each);
    one.chains = refer_all(node, "scope");
    one.jitter = time_of(node, "jitter", 0);
    one.tolerance = time_of(node, "tolerance", 0);
    one.span = std::max<std::int64_t>(1, whole(node, "span", 0));
    one.multiple = truth(node, "multipleOccurrencesAllowed", false);
    one.runnable = refer(node, "runnable", one.kind == K::age);
    one.labels = refer_all(node, one.kind == K::age ? "label" : "labels");
    if (const auto scope = node.child("scope")) {
      one.of_runnables = pick<bool>(at(scope), type_of(scope), "ProcessScope RunnableScope", {false, true});
      one.scopes = {refer(scope, one.of_runnables ? "runnable" : "process", true)};
    }
    if (one.events.size() < (one.kind == K::delay        ? 2u
                             : one.kind == K::repetition ? 1u
                                                         : 0u) ||
        (one.labels.empty() && one.kind == K::age) || (one.chains.empty() && one.kind == K::latency))
      throw Refused(at(node), "a reference is missing");
    limits(node, one);
  }

  static void limits(const Node& node, Constraint& one) {
    using K = Constraint::Kind;
    const auto age = node.child("dataAge");
    if (one.kind == K::age) place_of(at(node), type_of(age), "DataAgeTime");
    const char* lower = one.kind == K::age ? "minimumTime" : one.kind == K::latency ? "minimum" : "lower";
    const char* upper = one.kind == K::age ? "maximumTime" : one.kind == K::latency ? "maximum" : "upper";
    const auto& stated = one.kind == K::age ? age : node;
    const auto period = node.child("period");
    one.lower_stated = bool(stated.child(lower));
    one.upper_stated = bool(stated.child(upper));
    const bool periodic = period && !one.lower_stated && !one.upper_stated;
    one.lower = time_of(stated, periodic ? "period" : lower, 0);
    one.upper = time_of(stated, periodic ? "period" : upper, never);
    if (periodic) one.lower_stated = one.upper_stated = true;
  }

  void requirement(const Node& node) {
    auto& one = model_.requirements.emplace_back();
    one.name = text_of(node, "name");
    one.of_chain = pick<bool>(at(node), type_of(node), "ProcessRequirement ProcessChainRequirement", {false, true});
    one.entity = refer(node, one.of_chain ? "processChain" : "process", true);
    if (one.of_chain) {
      one.processes = refer_all(nodes("process chains")[one.entity], "processes");
      one.entity = add_chain(model_, one.name, one.processes);
    }
    const auto limit = node.child("limit");
    one.counts = pick<bool>(at(limit), type_of(limit), "TimeRequirementLimit CountRequirementLimit", {false, true});
    one.metric = text_of(limit, "metric");
    one.upper = pick<bool>(at(limit), text_of(limit, "limitType"), "UpperLimit LowerLimit", {true, false});
    const auto value = one.counts ? 0 : time_of(limit.child("limitValue"));
    one.limit = one.counts ? real(limit, "limitValue", 0) : static_cast<double>(value);
    if (!one.of_chain && !one.counts && one.metric == "ResponseTime" && one.upper) {
      auto& deadline = model_.tasks[one.entity].deadline;
      deadline = deadline < 0 ? value : std::min(deadline, value);
    }
  }
};

}  // namespace

Model read(std::string_view amxmi) {
  pugi::xml_document document;
  const auto result = document.load_buffer(amxmi.data(), amxmi.size());
  if (!result) throw Refused("file", result.description());
  const auto root = document.document_element();
  if (text_of(root, "xmlns:am") != "http://app4mc.eclipse.org/amalthea/3.3.0")
    throw Refused("file", "another version than 3.3.0");
  for (const auto& child : root.children()) {
    place_of(at(child), child.name(),
             "commonElements swModel hwModel osModel stimuliModel eventModel constraintsModel mappingModel "
             "customProperties");
    if (std::string(child.name()) != "customProperties") check(child);
  }
  return Reader(root).read(root);
}

}  // namespace reference
