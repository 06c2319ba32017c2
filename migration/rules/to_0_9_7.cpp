// SPDX-License-Identifier: Apache-2.0
// 0.9.5 → 0.9.7: activity graphs, items of event chains, component interfaces.
//
// No definition of 0.9.6 is available. Content converted to it has the form of 0.9.7; a file of 0.9.6 may have that of
// 0.9.5.

#include <iterator>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- event chains

constexpr std::string_view chain_classes[] = {"EventChain", "SubEventChain"};

void copy_reference(const Object& from, std::string_view feature, Object& to) {
  for (const Field& target : from.references(feature)) to.add_reference_like(feature, target);
}

void chain_items(Step& step) {
  for (const std::string_view cls : chain_classes)
    for (Object* const chain : step.objects_of(cls)) {
      const bool segments = chain->child("segments") != nullptr, strands = chain->child("strands") != nullptr;
      if (!segments && !strands) continue;
      step.changed(*chain);
      if (segments && strands) {
        // Both: the strands are one more part of the sequence.
        step.altered(*chain, "has segments and strands; the strands became the last segment");
        Object& inner = chain->create("segments", "EventChainContainer").create("eventChain", "SubEventChain");
        copy_reference(*chain, "stimulus", inner);
        copy_reference(*chain, "response", inner);
        inner.set("itemType", "parallel");
        for (OwnedObject& strand : chain->take_all("strands")) inner.add("items", std::move(strand));
      }
      chain->rename_feature(segments ? "segments" : "strands", "items");
      chain->set("itemType", segments ? "sequence" : "parallel");
    }
}

void chain_items_back(Step& step) {
  for (const std::string_view cls : chain_classes)
    for (Object* const chain : step.objects_of(cls)) {
      if (chain->attribute("minItemsCompleted") == "1") chain->unset("minItemsCompleted");  // its default
      if (chain->child("items") == nullptr && !chain->attribute("itemType")) continue;
      const bool parallel = chain->attribute("itemType") == "parallel";
      chain->rename_feature("items", parallel ? "strands" : "segments");
      chain->unset("itemType");
      step.changed(*chain);
    }
}

// ---- components

/// The interface with this name in any file, or a new one beside the components of `port`.
Object& interface_named(Step& step, const Object& port, std::string_view name) {
  for (Object* const found : step.objects_of("MainInterface"))
    if (found->name() == name) return *found;
  Object& created = step.part(port, "componentsModel", "ComponentsModel").create("interfaces", "MainInterface");
  created.set("name", name);
  return created;
}

void component_ports(Step& step) {
  for (Object* const port : step.objects_of("InterfacePort")) {
    const std::string name(port->attribute_or("interfaceName", ""));
    port->unset("interfaceName");
    if (name.empty()) continue;
    Object& interface = interface_named(step, *port, name);
    const std::string id = computed_id(interface, step.to.version).value_or("");
    if (&step.root_of(interface) == &step.root_of(*port))
      port->add_reference("interface", id, &interface);
    else
      port->add_remote_reference("interface", fmt::format("amlt:/#{}", id), interface.cls(), &interface);
    step.changed(*port, "refers to an interface instead of its name");
  }
  step.rename_class("InterfacePort", "ComponentPort");
}

/// Ports of interfaces that have only a name.
void component_ports_back(Step& step) {
  Objects named;
  for (Object* const port : step.objects_of("ComponentPort")) {
    const auto references = port->references("interface");
    Object* const interface = references.empty() ? nullptr : step.find(*port, references.front());
    if (interface == nullptr || !interface->is("MainInterface") || !interface->children().empty()) continue;
    port->unset("interface");
    port->set("interfaceName", interface->name());
    named.push_back(interface);
    step.changed(*port);
  }
  step.rename_class("ComponentPort", "InterfacePort");
  for (Object* const interface : named) {
    std::size_t uses = 0;
    const std::string id = step.id(*interface);
    step.model.for_each([&](const Object& object) {
      for (const Field& field : object.fields())
        if (field.kind != FieldKind::value && field.text.ends_with(id)) ++uses;
    });
    if (uses == 0) step.drop(*interface, {"name"});
  }
}

// Other changes: descriptions and dependencies that moved to supertypes, additions, and new mandatory features without
// a better value. Every migration handles ids by segments and `xmi:id`.
constexpr Rule rules_to_0_9_7[] = {
    {"activityGraph is the new name of callGraph",
     "This applies to tasks, ISRs and runnables. The class becomes ActivityGraph.",
     {{"callGraph", "activityGraph", "Task"},
      {"callGraph", "activityGraph", "ISR"},
      {"callGraph", "activityGraph", "Runnable"},
      {"CallGraph", "ActivityGraph"}}},
    {"event chains have items", "Segments become sequential items, and strands become parallel ones.", chain_items,
     chain_items_back},
    {"components have processes",
     "processes is the new name of tasks.",
     {{"tasks", "processes", "Component"}, {"tasks", "processes", "Composite"}}},
    {"component ports refer to interfaces",
     "An InterfacePort becomes a ComponentPort, and the name of its interface becomes a MainInterface.",
     component_ports, component_ports_back},
    {"ModeValueCondition is the new name of ModeCondition",
     "It compares a label with a value.",
     {{"ModeCondition", "ModeValueCondition"}}},
};

}  // namespace

StepRules to_0_9_6() { return {Version::v0_9_6, rules_to_0_9_7}; }

StepRules to_0_9_7() {
  static const std::vector<Rule> without_undo = [] {
    std::vector<Rule> copies(std::begin(rules_to_0_9_7), std::end(rules_to_0_9_7));
    for (Rule& rule : copies) rule.undo = nullptr;
    return copies;
  }();
  return {Version::v0_9_7, without_undo};
}

}  // namespace amalthea::migration
