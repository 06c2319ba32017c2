// SPDX-License-Identifier: Apache-2.0
// ITEA 1.2.0 (AMALTHEA 1.1.0) → ITEA 1.3.0 (AMALTHEA 1.1.1).
//
// Names that 0.7.0 and 1.3.0 share need no rule: in memory tagName is name and maximumCyle is maximumCycle already, and
// SchedulingSWUnit has no package. Labels that control switches become modes in to_itea_1_3_0_modes.cpp.

#include <string>
#include <unordered_map>
#include <vector>

#include "migration/detail/itea_reference.hpp"
#include "migration/detail/steps.hpp"
#include "migration/rules/to_itea_1_3_0_modes.hpp"

namespace amalthea::migration {
namespace {

// ---- files

void file_names(Step& step) {
  for (std::size_t i = 0; i < step.model.files().size(); ++i) {
    const EditableModel::File& file = step.model.files()[i];
    const std::size_t dot = file.path.rfind('.');
    if (dot == std::string::npos || !std::string_view(file.path).substr(dot).starts_with(".amxmi-")) continue;
    step.changed(*file.root, file.path);
    rename_file(step.model, i, file.path + ".amxmi");
  }
}

// ---- components

void components(Step& step) {
  struct ContainerFeature {
    std::string_view of, feature;
  };
  static constexpr ContainerFeature container_features[] = {{"Component", "components"},
                                                            {"Composite", "components"},
                                                            {"System", "systems"},
                                                            {"ComponentInstance", "componentInstances"},
                                                            {"Connector", "connectors"}};
  step.model.for_each([&](Object& object) {
    if (object.feature() != "elements") return;
    for (const ContainerFeature& container_feature : container_features) {
      if (!object.is(container_feature.of)) continue;
      object.set_feature(container_feature.feature);
      step.changed(object);
    }
  });
}

// ---- enumerations

/// An unset attribute has the first literal of its enumeration. That is `_undefined_` in 1.3.0 and was this one before.
struct FirstLiteral {
  std::string_view of, attribute, literal;
};
constexpr FirstLiteral first_literals[] = {
    {"AccessPrecedenceSpec", "orderType", "ignoreWR"},
    {"Bridge", "schedPolicy", "RROBIN"},
    {"Bus", "busType", "CAN"},
    {"Bus", "schedPolicy", "RROBIN"},
    {"ComplexPin", "direction", "R"},
    {"ComplexPin", "type", "ANALOG"},
    {"ComplexPort", "direction", "R"},
    {"CrossbarSwitch", "schedPolicy", "RROBIN"},
    {"FInterfacePort", "kind", "PROVIDES"},
    {"HwCoreConjunction", "conjunction", "and"},
    {"HwCoreProperty", "comparator", "equal"},
    {"HwMemoryConjunction", "conjunction", "and"},
    {"HwMemoryProperty", "comparator", "equal"},
    {"LabelAccess", "access", "read"},
    {"MappingModel", "addressMappingType", "none"},
    {"MemoryType", "type", "RAM"},
    {"NetworkType", "schedPolicy", "RROBIN"},
    {"OrderPrecedenceSpec", "orderType", "order"},
    {"ProcessPrototype", "preemption", "cooperative"},
    {"ProcessRunnableGroup", "groupingType", "allOfThem"},
    {"Quartz", "type", "DYNAMIC"},
    {"RunnableSequencingConstraint", "orderType", "successor"},
    {"SemaphoreAccess", "access", "request"},
    {"SignedTime", "unit", "ps"},
    {"Task", "preemption", "cooperative"},
    {"Time", "unit", "ps"},
    {"WaitEvent", "maskType", "AND"},
};

/// A file with a single bus, bridge or crossbar switch does not state its policy, like in AMALTHEA's own migration.
bool is_lone_network_type(const Object& object) { return object.owner() == nullptr && !object.is("NetworkType"); }

void enumeration_defaults(Step& step) {
  std::unordered_map<ClassId, std::vector<const FirstLiteral*>> by_class;
  for (const FirstLiteral& literal : first_literals)
    if (const auto cls = metamodel::find_class(literal.of)) by_class[*cls].push_back(&literal);
  const auto state = [&](Object& object, std::string_view attribute, std::string_view literal) {
    if (object.attribute(attribute)) return;
    object.set(attribute, literal);
    step.changed(object, attribute);
  };
  step.model.for_each([&](Object& object) {
    if (object.cls() == no_class) {  // 0.7.0 lacks the class
      const std::string_view type = object.attribute_or("xsi:type", object.owner() == nullptr ? object.feature() : "");
      // Like in AMALTHEA's own migration: for features only, not for attributes.
      if (type.substr(type.find(':') + 1) == "FeatureTypes" && object.feature() != "attribute")
        state(object, "value", "floatingPointUnit");
      return;
    }
    const auto found = by_class.find(object.cls());
    if (found == by_class.end()) return;
    for (const FirstLiteral* literal : found->second)
      if (literal->attribute != "schedPolicy" || !is_lone_network_type(object))
        state(object, literal->attribute, literal->literal);
  });
}

void waiting_behaviour(Step& step) {
  for (const std::string_view cls : {"WaitEvent", "SynchronousServerCall"})
    for (Object* const object : step.objects_of(cls))
      if (object->attribute("waitingBehaviour") == "unspecified") {
        object->unset("waitingBehaviour");
        step.changed(*object);
      }
}

// ---- deadlines

/// The requirements of a process: in its own file, or else in any with a whole model; null if there is none.
Object* constraints_for(Step& step, const Object& process) {
  Object* root = &step.root_of(process);
  if (!root->is("Amalthea")) {
    root = nullptr;
    for (const EditableModel::File& file : step.model.files())
      if (root == nullptr && file.root->is("Amalthea")) root = file.root.get();
  }
  return root == nullptr ? nullptr : &step.part(*root, "constraintsModel", "ConstraintsModel");
}

void deadlines(Step& step) {
  const IteaReferences references(step.model);
  Objects processes;
  step.model.for_each([&](Object& object) {
    if ((object.is("Task") || object.is("ISR") || object.is("ProcessPrototype")) && object.child("deadline") != nullptr)
      processes.push_back(&object);
  });
  for (Object* const process : processes) {
    Object& deadline = *process->child("deadline");
    Object* const constraints = constraints_for(step, *process);
    if (constraints == nullptr) {
      step.keep_child(*process, deadline);
      continue;
    }
    Object& requirement = constraints->create("requirements", "ProcessRequirement");
    if (const auto name = process->attribute("name")) requirement.set("name", *name);
    requirement.set("severity", "Cosmetic");
    refer(requirement, "process", *process, references);
    Object& limit = requirement.create("limit", "TimeRequirementLimit");
    limit.set("limitType", "UpperLimit");
    limit.set("metric", "ResponseTime");
    Object& value = limit.create("limitValue", "SignedTime");
    value.set("value", deadline.attribute_or("value", "0"));
    value.set("unit", deadline.attribute_or("unit", "ps"));
    step.drop(deadline, {"value", "unit"});
    step.changed(*process);
  }
}

// ---- custom properties

void reference_objects(Step& step) {
  const IteaReferences references(step.model);
  for (Object* const object : step.objects_of("ReferenceObject")) {
    const Object* const target = references.target(*object, "value");
    if (target == nullptr || target->cls() == no_class || object->owner() == nullptr) continue;
    if (metamodel::is_referable(target->cls(), oldest_version)) continue;
    const std::string text(object->reference("value").value_or(""));
    step.keep(*object, "value", text);
    step.drop(*object, {"value"});
  }
}

constexpr Rule rules_to_itea_1_3_0[] = {
    {"references by position are resolved", "Later rules may move the objects; the references follow them.",
     hold_positions},
    {"the name of every file ends in .amxmi", "model.amxmi-sw becomes model.amxmi-sw.amxmi. References follow.",
     file_names},
    {"elements of component models are components, systems, instances or connectors",
     "ComponentsModel, Composite and System have a feature for each kind of element.", components},
    {"label values of a stimulus are mode values",
     "Labels that stimuli depend on become mode labels. Their values become literals of one mode per file.",
     stimulus_label_values},
    {"label switches are mode switches",
     "Labels that switches depend on become mode labels. Their values become literals of one mode per file.",
     label_switches},
    {"labels have no initial value", "The initial value becomes a custom property.", initial_values},
    {"the deadline of a process is a requirement on its response time",
     "It becomes the upper limit of a ProcessRequirement in the constraints model.", deadlines},
    {"enumerations begin with an undefined literal", "The former default of an attribute is written explicitly.",
     enumeration_defaults},
    {"an unspecified waiting behavior is left out", "The literal `unspecified` no longer exists.", waiting_behaviour},
    {"reference objects refer to objects that have a name", "Other references become text in a custom property.",
     reference_objects},
    {"references by position are written again", "They name the new positions of the objects (see the first rule).",
     release_positions},
};

}  // namespace

StepRules to_itea_1_3_0() { return {IteaRelease::v1_3_0, rules_to_itea_1_3_0}; }

}  // namespace amalthea::migration
