// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/constraints.hpp"

#include <utility>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

using detail::for_each_member;
using detail::literal_text;

void append(std::vector<Element>& to, const std::vector<Element>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// A group of any class: the feature of its members is named after their kind; in 0.7.0 they are in entries with
/// scopes.
EntityGroup group_of(const Model& model, Element element) {
  EntityGroup group;
  for (const std::string_view feature : {"runnables", "processes", "labels", "schedulers"})
    append(group.members, model.references(element, feature));
  group.tag = model.reference(element, "tag");
  group.grouping = literal_text(element, "groupingType");
  for (const Element entry : element.children())
    if (entry.tag() == "entries") {
      append(group.members, model.references(entry, "runnable"));
      append(group.process_scope, model.references(entry, "processScope"));
    }
  return group;
}

/// Whether a child contains a group of a pairing or separation: `group`, `groups`; up to 0.7.1 named after its members.
bool is_group(Element child) {
  const std::string_view tag = child.tag();
  return tag == "group" || tag == "groups" ||
         ((tag == "runnables" || tag == "processes" || tag == "labels" || tag == "schedulers") &&
          !child.attribute("href"));
}

AffinitySubject subject_of(std::string_view cls) {
  if (cls.starts_with("Runnable")) return AffinitySubject::runnables;
  if (cls.starts_with("Process")) return AffinitySubject::processes;
  if (cls.starts_with("Data")) return AffinitySubject::data;
  return cls.starts_with("Scheduler") ? AffinitySubject::schedulers : AffinitySubject::unknown;
}

AffinityTarget target_of(const Model& model, Element element) {
  AffinityTarget target;
  for (const std::string_view feature : {"cores", "schedulers", "memories", "processes", "callSequences"})
    append(target.places, model.references(element, feature));
  return target;
}

constexpr detail::Literals<LatencyConstraint::Type, 2> latency_types{
    {{"Age", LatencyConstraint::Type::age}, {"Reaction", LatencyConstraint::Type::reaction}}};

}  // namespace

std::vector<RunnableSequencingConstraint> runnable_sequencing_constraints(const Model& model) {
  std::vector<RunnableSequencingConstraint> found;
  for_each_member(model, "ConstraintsModel", "runnableSequencingConstraints", [&](Element element) {
    RunnableSequencingConstraint constraint{
        element, literal_text(element, "orderType"), model.references(element, "processScope"), {}};
    for (const Element child : element.children())
      if (child.tag() == "runnableGroups") constraint.groups.push_back(group_of(model, child));
    found.push_back(std::move(constraint));
  });
  return found;
}

std::vector<AffinityConstraint> affinity_constraints(const Model& model) {
  std::vector<AffinityConstraint> found;
  for_each_member(model, "ConstraintsModel", "affinityConstraints", [&](Element element) {
    AffinityConstraint constraint;
    constraint.element = element;
    constraint.name = element.name();
    const std::string_view cls = element.class_name();
    if (cls.ends_with("PairingConstraint")) constraint.kind = AffinityKind::pairing;
    if (cls.ends_with("SeparationConstraint")) constraint.kind = AffinityKind::separation;
    constraint.subject = subject_of(cls);
    for (const Element child : element.children()) {
      if (is_group(child)) constraint.groups.push_back(group_of(model, child));
      if (child.tag() == "target") constraint.target = target_of(model, child);
    }
    found.push_back(std::move(constraint));
  });
  return found;
}

std::vector<TimingConstraint> timing_constraints(const Model& model, Diagnostics& diagnostics) {
  std::vector<TimingConstraint> found;
  for_each_member(model, "ConstraintsModel", "timingConstraints", [&](Element element) {
    const auto time = [&](std::string_view child) { return time_of(element.child(child), diagnostics); };
    const auto target = [&](std::string_view feature) { return model.reference(element, feature); };
    TimingConstraint constraint{element, element.name(), UnknownConstraint{}};
    const std::string_view cls = element.class_name();
    if (cls == "EventChainLatencyConstraint" || cls == "AgeConstraint" || cls == "ReactionConstraint") {
      auto type = detail::literal(element, "type", latency_types, LatencyConstraint::Type::unstated);
      if (cls == "AgeConstraint") type = LatencyConstraint::Type::age;
      if (cls == "ReactionConstraint") type = LatencyConstraint::Type::reaction;
      constraint.kind = LatencyConstraint{target("scope"), type, time("minimum"), time("maximum")};
    } else if (cls == "DelayConstraint") {
      constraint.kind = DelayConstraint{target("source"), target("target"), time("lower"), time("upper"),
                                        literal_text(element, "mappingType")};
    } else if (cls == "OrderConstraint") {
      constraint.kind = OrderConstraint{target("source"), target("target")};
    } else if (cls == "RepetitionConstraint") {
      constraint.kind = RepetitionConstraint{target("event"), detail::integer(element, "span", diagnostics).value_or(0),
                                             time("lower"),   time("upper"),
                                             time("jitter"),  time("period")};
    } else if (cls == "EventSynchronizationConstraint" || cls == "SynchronisationConstraint" ||
               cls == "EventChainSynchronizationConstraint") {
      constraint.kind = SynchronizationConstraint{
          model.references(element, "events"), model.references(element, "scope"), literal_text(element, "type"),
          time("tolerance"), detail::flag(element, "multipleOccurrencesAllowed", false)};
    }
    found.push_back(std::move(constraint));
  });
  return found;
}

std::vector<DataAgeConstraint> data_age_constraints(const Model& model, Diagnostics& diagnostics) {
  std::vector<DataAgeConstraint> found;
  for_each_member(model, "ConstraintsModel", "dataAgeConstraints", [&](Element element) {
    DataAgeConstraint constraint;
    constraint.element = element;
    constraint.runnable = model.reference(element, "runnable");
    constraint.label = model.reference(element, "label");
    if (const Element age = element.child("dataAge")) {
      if (age.is("DataAgeCycle")) {
        constraint.least_cycles = detail::integer(age, "minimumCycle", diagnostics);
        constraint.max_cycles = detail::integer(age, "maximumCycle", diagnostics);
      }
      constraint.minimum = time_of(age.child("minimumTime"), diagnostics);
      constraint.maximum = time_of(age.child("maximumTime"), diagnostics);
    }
    found.push_back(std::move(constraint));
  });
  return found;
}

std::vector<DataGroup> data_groups(const Model& model) {
  std::vector<DataGroup> found;
  const auto collect = [&](std::string_view tag, bool stability) {
    for_each_member(model, "ConstraintsModel", tag, [&](Element element) {
      DataGroup group{element, stability, literal_text(element, "direction"), model.references(element, "labels"), {}};
      if (const Element scope = element.child("scope"))
        for (const std::string_view feature : {"process", "runnable", "component"})
          if (!group.scope) group.scope = model.reference(scope, feature);
      found.push_back(std::move(group));
    });
  };
  collect("dataCoherencyGroups", false);
  collect("dataStabilityGroups", true);
  return found;
}

std::vector<PhysicalSectionConstraint> physical_section_constraints(const Model& model) {
  std::vector<PhysicalSectionConstraint> found;
  for_each_member(model, "ConstraintsModel", "physicalSectionConstraints", [&](Element element) {
    found.push_back({element, model.reference(element, "section"), model.references(element, "memories")});
  });
  return found;
}

}  // namespace amalthea::views
