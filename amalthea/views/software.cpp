// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/software.hpp"

#include <unordered_map>
#include <utility>

#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"

namespace amalthea::views {
namespace {

using detail::for_each_member;

constexpr detail::Literals<Preemption, 4> preemptions{{{"preemptive", Preemption::preemptive},
                                                       {"cooperative", Preemption::cooperative},
                                                       {"non_preemptive", Preemption::non_preemptive},
                                                       {"unknown", Preemption::unknown}}};

Preemption preemption_of(Element element) {
  return detail::literal(element, "preemption", preemptions, Preemption::unstated);
}

std::optional<DataSize> size_of(Element element, Diagnostics& diagnostics) {
  return data_size_of(element.child("size"), diagnostics);
}

std::int64_t integer(Element element, std::string_view attribute, Diagnostics& diagnostics) {
  return detail::integer(element, attribute, diagnostics).value_or(0);
}

/// A type that is contained (up to 2.2.0) or referred to (from 3.0.0).
Element type_of(const Model& model, Element element, std::string_view feature) {
  const Element referred = model.reference(element, feature);
  return referred ? referred : element.child(feature);
}

std::vector<LocalModeLabel> local_labels_of(const Model& model, Element executable) {
  std::vector<LocalModeLabel> found;
  for (const Element child : executable.children())
    if (child.tag() == "localLabels")
      found.push_back({child, child.name(), model.reference(child, "mode"), child.attribute_or("defaultValue", "")});
  return found;
}

/// Label or runnable → its section, as sections state it in 0.7.0.
class SectionTable {
 public:
  SectionTable(const Model& model, std::string_view feature) : model_(model) {
    for_each_member(model, "SWModel", "sections", [&](Element section) {
      for (const Element member : model.references(section, feature))
        sections_.emplace(detail::key_of(member), section);
    });
  }
  Element section_of(Element member) const {
    if (const Element section = model_.reference(member, "section")) return section;
    const auto found = sections_.find(detail::key_of(member));
    return found == sections_.end() ? Element{} : found->second;
  }

 private:
  const Model& model_;
  std::unordered_map<std::uint64_t, Element> sections_;
};

std::vector<Element> activations_of(const Model& model, Element element) {
  auto activations = model.references(element, "activations");
  return activations.empty() ? model.references(element, "activation") : activations;  // `activation` up to 0.8.0
}

RunnableParameter parameter_of(const Model& model, Element element) {
  RunnableParameter parameter{element, element.name(), detail::literal_text(element, "direction"),
                              model.reference(element, "dataType"), std::nullopt};
  if (const Element on = element.child("dependsOn"))
    parameter.depends_on = DataDependency{on, model.references(on, "labels"), model.references(on, "parameters"),
                                          model.references(on, "callArguments")};
  return parameter;
}

Precedence precedence_of(const Model& model, Element element) {
  return {element, model.reference(element, "origin"), model.reference(element, "target"),
          model.reference(element, "label"), detail::literal_text(element, "orderType")};
}

std::vector<Element> literals_of(Element mode) {
  std::vector<Element> literals;
  for (const Element child : mode.children())
    if (child.tag() == "literals") literals.push_back(child);
  return literals;
}

}  // namespace

std::vector<Process> processes(const Model& model, Diagnostics& diagnostics) {
  std::vector<Process> found;
  for_each_part(model, "SWModel", [&](Element part) {
    for (const Element element : part.children()) {
      const bool task = element.tag() == "tasks";
      if ((!task && element.tag() != "isrs") || element.attribute("href")) continue;
      Process process;
      process.element = element;
      process.name = element.name();
      process.kind = task ? ProcessKind::task : ProcessKind::isr;
      process.stimuli = model.references(element, "stimuli");
      process.preemption = preemption_of(element);
      process.activation_limit = integer(element, "multipleTaskActivationLimit", diagnostics);
      process.isr_category = detail::literal_text(element, "category");
      process.priority = detail::integer(element, "priority", diagnostics);
      process.osek_group = detail::integer(element, "osekTaskGroup", diagnostics);
      process.size = size_of(element, diagnostics);
      process.local_labels = local_labels_of(model, element);
      process.tags = model.references(element, "tags");
      found.push_back(std::move(process));
    }
  });
  return found;
}

std::vector<Runnable> runnables(const Model& model, Diagnostics& diagnostics) {
  std::vector<Runnable> found;
  const SectionTable sections(model, "runEntities");
  for_each_member(model, "SWModel", "runnables", [&](Element element) {
    Runnable runnable;
    runnable.element = element;
    runnable.name = element.name();
    runnable.size = size_of(element, diagnostics);
    runnable.activations = activations_of(model, element);
    runnable.deadline = time_of(element.child("deadline"), diagnostics);
    runnable.callback = detail::flag(element, "callback", false);
    runnable.service = detail::flag(element, "service", false);
    runnable.section = sections.section_of(element);
    runnable.asil_level = detail::literal_text(element, "asilLevel");
    for (const Element child : element.children())
      if (child.tag() == "parameters") runnable.parameters.push_back(parameter_of(model, child));
    runnable.execution_condition = condition_of(model, element.child("executionCondition"), diagnostics);
    runnable.local_labels = local_labels_of(model, element);
    runnable.name_space = model.reference(element, "namespace");
    runnable.tags = model.references(element, "tags");
    found.push_back(std::move(runnable));
  });
  return found;
}

std::vector<Label> labels(const Model& model, Diagnostics& diagnostics) {
  std::vector<Label> found;
  for_each_label(model, diagnostics, [&found](const Label& label) { found.push_back(label); });
  return found;
}

void for_each_label(const Model& model, Diagnostics& diagnostics, const std::function<void(const Label&)>& visit) {
  const SectionTable sections(model, "labels");
  for_each_member(model, "SWModel", "labels", [&](Element element) {
    Label label;
    label.element = element;
    label.name = element.name();
    label.display_name = element.attribute_or("displayName", "");
    label.size = size_of(element, diagnostics);
    label.constant = detail::flag(element, "constant", false);
    label.is_volatile = detail::flag(element, "bVolatile", false);
    label.data_stability =
        detail::literal_text(element, element.attribute("dataStability") ? "dataStability" : "buffered");
    label.stability_level = detail::literal_text(element, "stabilityLevel");
    label.section = sections.section_of(element);
    label.data_type = type_of(model, element, "dataType");
    label.name_space = model.reference(element, "namespace");
    label.tags = model.references(element, "tags");
    visit(label);
  });
}

std::vector<Channel> channels(const Model& model, Diagnostics& diagnostics) {
  std::vector<Channel> found;
  for_each_member(model, "SWModel", "channels", [&](Element element) {
    found.push_back({element, element.name(), element.attribute_or("displayName", ""), size_of(element, diagnostics),
                     type_of(model, element, "elementType"), integer(element, "defaultElements", diagnostics),
                     integer(element, "maxElements", diagnostics), model.reference(element, "namespace"),
                     model.references(element, "tags")});
  });
  return found;
}

std::vector<Mode> modes(const Model& model) {
  std::vector<Mode> found;
  for_each_member(model, "SWModel", "modes", [&](Element element) {
    found.push_back({element, element.name(), element.is("NumericMode"), literals_of(element)});
  });
  return found;
}

std::vector<ModeLabel> mode_labels(const Model& model, Diagnostics& diagnostics) {
  std::vector<ModeLabel> found;
  for_each_member(model, "SWModel", "modeLabels", [&](Element element) {
    ModeLabel label;
    label.element = element;
    label.name = element.name();
    label.display_name = element.attribute_or("displayName", "");
    label.size = size_of(element, diagnostics);
    label.mode = model.reference(element, "mode");
    // A reference up to 0.9.3, then text.
    if (const Element literal = model.reference(element, "initialValue"); literal && literal.is("ModeLiteral")) {
      label.initial_literal = literal;
      label.initial_value = literal.name();
      if (!label.mode) label.mode = literal.parent();
    } else {
      label.initial_value = element.attribute_or("initialValue", "");
      label.initial_literal = literal_named(model, element, label.initial_value);
    }
    label.tags = model.references(element, "tags");
    found.push_back(std::move(label));
  });
  return found;
}

std::vector<ProcessPrototype> process_prototypes(const Model& model, Diagnostics& diagnostics) {
  std::vector<ProcessPrototype> found;
  for_each_member(model, "SWModel", "processPrototypes", [&](Element element) {
    ProcessPrototype prototype;
    prototype.element = element;
    prototype.name = element.name();
    prototype.size = size_of(element, diagnostics);
    prototype.preemption = preemption_of(element);
    prototype.first_runnable = model.reference(element, "firstRunnable");
    prototype.last_runnable = model.reference(element, "lastRunnable");
    prototype.activation = model.reference(element, "activation");
    prototype.priority = detail::integer(element, "priority", diagnostics);
    for (const Element child : element.children()) {
      if (child.tag() == "accessPrecedenceSpec") prototype.access_precedences.push_back(precedence_of(model, child));
      if (child.tag() == "orderPrecedenceSpec") prototype.order_precedences.push_back(precedence_of(model, child));
      if (child.tag() == "chainedPrototypes")
        prototype.chained.push_back({child, model.reference(child, "prototype"), integer(child, "apply", diagnostics),
                                     integer(child, "offset", diagnostics)});
      if (child.tag() == "runnableCalls") prototype.runnable_calls.push_back(child);
    }
    prototype.tags = model.references(element, "tags");
    found.push_back(std::move(prototype));
  });
  return found;
}

std::vector<Section> sections(const Model& model, Diagnostics& diagnostics) {
  std::vector<Section> found;
  std::unordered_map<std::uint64_t, std::size_t> indices;
  for_each_member(model, "SWModel", "sections", [&](Element element) {
    indices.emplace(detail::key_of(element), found.size());
    found.push_back({element, element.name(), detail::literal_text(element, "asilLevel"), size_of(element, diagnostics),
                     model.references(element, "labels"), model.references(element, "runEntities")});
  });
  const auto add = [&](std::string_view tag, std::vector<Element> Section::*members) {
    for_each_member(model, "SWModel", tag, [&](Element element) {
      const Element section = model.reference(element, "section");
      if (!section) return;
      if (const auto index = indices.find(detail::key_of(section)); index != indices.end())
        (found[index->second].*members).push_back(element);
    });
  };
  add("labels", &Section::labels);
  add("runnables", &Section::runnables);
  return found;
}

std::vector<ProcessChain> process_chains(const Model& model) {
  std::vector<ProcessChain> found;
  for_each_member(model, "SWModel", "processChains", [&](Element element) {
    found.push_back({element, element.name(), model.references(element, "processes")});
  });
  return found;
}

std::vector<OsEvent> os_events(const Model& model, Diagnostics& diagnostics) {
  std::vector<OsEvent> found;
  for_each_member(model, "SWModel", "events", [&](Element element) {
    found.push_back({element, element.name(), integer(element, "communicationOverheadInBit", diagnostics),
                     model.references(element, "tags")});
  });
  return found;
}

std::vector<CustomEntity> custom_entities(const Model& model, Diagnostics& diagnostics) {
  std::vector<CustomEntity> found;
  for_each_member(model, "SWModel", "customEntities", [&](Element element) {
    found.push_back({element, element.name(), element.attribute_or("typeName", ""), size_of(element, diagnostics),
                     model.references(element, "tags")});
  });
  return found;
}

std::vector<Tag> tags(const Model& model) {
  std::vector<Tag> found;
  for (const auto& document : model.documents()) {
    const auto collect = [&found](Element part) {
      for (const Element child : part.children())
        if (child.is("Tag") && child.tag() == "tags" && !child.attribute("href"))
          found.push_back({child, child.name(), child.attribute_or("tagType", "")});
    };
    collect(document->root());
    for (const Element part : document->root().children()) collect(part);
  }
  return found;
}

}  // namespace amalthea::views
