// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/conditions.hpp"

#include <utility>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"

namespace amalthea::views {
namespace {

constexpr detail::Literals<std::optional<Relation>, 6> relations{
    {{"EQUAL", Relation::equal},
     {"NOT_EQUAL", Relation::not_equal},
     {"LESS_THAN", Relation::less},
     {"LESS_THAN_OR_EQUAL", Relation::less_or_equal},
     {"GREATER_THAN", Relation::greater},
     {"GREATER_THAN_OR_EQUAL", Relation::greater_or_equal}}};

std::optional<Relation> relation_of(Element condition) {
  return detail::literal(condition, "relation", relations, std::optional<Relation>());
}

/// The label and value of a ModeValue in both of its forms: `valueProvider` and a reference to a literal (up to 0.9.3),
/// `label` and text (from 0.9.4).
struct LabelAndValue {
  Element label;
  std::string_view value;
  Element literal;
  bool refers = false;  ///< the value is a reference
};

LabelAndValue label_and_value(const Model& model, Element element) {
  LabelAndValue read;
  for (const std::string_view feature : {"label", "valueProvider", "key"})
    if (!read.label) read.label = model.reference(element, feature);
  read.literal = model.reference(element, "value");
  if (read.literal && read.literal.is("ModeLiteral")) {
    read.value = read.literal.name();
    read.refers = true;
  } else {
    read.value = element.attribute_or("value", "");
    read.literal = literal_named(model, read.label, read.value);
  }
  return read;
}

SimpleCondition simple_condition(const Model& model, Element element, Diagnostics& diagnostics) {
  SimpleCondition condition{element, UnknownCondition{}};
  const std::string_view cls = element.class_name();
  if (cls == "ModeLabelCondition") {
    condition.test = ModeLabelCondition{model.reference(element, "label1"), relation_of(element),
                                        model.reference(element, "label2")};
  } else if (cls == "ChannelFillCondition") {
    condition.test = ChannelFillCondition{};
    detail::integer(element, "fillLevel", diagnostics);
  } else if (cls == "LocalModeCondition") {
    condition.test = LocalModeCondition{};
    check_value_source(element.child("valueSource"), diagnostics);
  } else if (cls == "ModeValueCondition" || cls == "ModeCondition" || cls == "ModeValue" ||
             cls == "ModeValueListEntry" || cls == "ModeAssignment") {
    const LabelAndValue read = label_and_value(model, element);
    // Up to 0.9.3 there is no relation: the condition is that the label equals the literal.
    const bool old = cls == "ModeValue" || cls == "ModeValueListEntry" || read.refers;
    condition.test =
        ModeValueCondition{read.label, old ? Relation::equal : relation_of(element), read.value, read.literal};
  }
  return condition;
}

}  // namespace

Element literal_named(const Model& model, Element mode_label, std::string_view name) {
  if (!mode_label || name.empty()) return {};
  const Element mode = model.reference(mode_label, "mode");
  return mode ? mode.child_named("literals", name) : Element();
}

std::optional<Condition> condition_of(const Model& model, Element disjunction, Diagnostics& diagnostics) {
  if (!disjunction) return std::nullopt;
  Condition condition;
  condition.element = disjunction;
  for (const Element entry : disjunction.children()) {
    if (entry.tag() != "entries") continue;
    Conjunction conjunction;
    conjunction.element = entry;
    if (entry.class_name().ends_with("Conjunction")) {
      for (const Element part : entry.children())
        if (part.tag() == "entries") conjunction.all_of.push_back(simple_condition(model, part, diagnostics));
    } else {
      conjunction.all_of.push_back(simple_condition(model, entry, diagnostics));
    }
    condition.any_of.push_back(std::move(conjunction));
  }
  return condition;
}

Condition any_literal(Element entry, Element label, const std::vector<Element>& literals) {
  Condition condition;
  condition.element = entry;
  for (const Element literal : literals) {
    Conjunction conjunction;
    conjunction.element = entry;
    conjunction.all_of.push_back({entry, ModeValueCondition{label, Relation::equal, literal.name(), literal}});
    condition.any_of.push_back(std::move(conjunction));
  }
  return condition;
}

std::vector<ModeAssignment> mode_assignments(const Model& model, Element list) {
  std::vector<ModeAssignment> assignments;
  if (!list) return assignments;
  for (const Element entry : list.children()) {
    if (entry.tag() != "entries") continue;
    const LabelAndValue read = label_and_value(model, entry);
    assignments.push_back({entry, read.label, read.value, read.literal});
  }
  return assignments;
}

void check_value_source(Element source, Diagnostics& diagnostics) {
  if (!source) return;
  if (source.is("IntegerConst")) detail::integer(source, "value", diagnostics);
  if (source.is("ArithmeticExpression"))
    for (const std::string_view operand : {"operand1", "operand2"})
      check_value_source(source.child(operand), diagnostics);
}

}  // namespace amalthea::views
