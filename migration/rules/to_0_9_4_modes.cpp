// SPDX-License-Identifier: Apache-2.0
// 0.9.3 → 0.9.4: a mode is an enumeration or a number, so values are text instead of references to literals.

#include <optional>
#include <vector>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "migration/detail/rule.hpp"
#include "migration/rules/to_0_9_4.hpp"

namespace amalthea::migration {
namespace {

constexpr std::string_view literal_mark = "?type=ModeLiteral";

struct LiteralName {
  std::string mode;     ///< the id of its mode without the class: "E"
  std::string literal;  ///< decoded
};

/// "amlt:/#E/E_0?type=ModeLiteral" → E, E_0. Nothing if the reference names a literal in another way.
std::optional<LiteralName> literal_of(Step& step, const Object& holder, const Field& reference) {
  if (const Object* const literal = step.find(holder, reference); literal != nullptr && literal->owner() != nullptr)
    return LiteralName{encode_name(literal->owner()->name()), std::string(literal->name())};
  const std::string id = reference.kind == FieldKind::remote ? id_of_href(reference.text) : std::string(reference.text);
  if (!id.ends_with(literal_mark)) return std::nullopt;
  const std::string_view names = std::string_view(id).substr(0, id.size() - literal_mark.size());
  const std::size_t slash = names.rfind('/');
  if (slash == std::string_view::npos) return LiteralName{"", decode_name(names)};
  return LiteralName{std::string(names.substr(0, slash)), decode_name(names.substr(slash + 1))};
}

/// In files with an older version, the name of a literal is read as if it were a reference.
bool text_instead(Object& object, std::string_view before, std::string_view after) {
  std::string text;
  for (const Field& word : object.references(before)) {
    if (word.text.find_first_of("?#") != std::string_view::npos) return false;
    text.append(text.empty() ? "" : " ").append(word.text);
  }
  if (text.empty()) return false;
  object.unset(before);
  object.set(after, text);
  return true;
}

/// What a name does not say of a reference: of which mode the literal is if there is none, and what else was named.
void note_target(Step& step, Object& object, std::string_view feature, const std::vector<Field>& references) {
  if (step.find(object, references.front()) == nullptr)
    step.changed(object, fmt::format("\"{}\" led nowhere", references.front().text));
  for (std::size_t i = 1; i < references.size(); ++i) step.keep(object, feature, references[i].text);
}

/// A reference to a literal becomes the attribute `after` with its name.
bool name_instead(Step& step, Object& object, std::string_view before, std::string_view after) {
  const auto references = object.references(before);
  if (references.empty() || text_instead(object, before, after)) return false;
  const auto named = literal_of(step, object, references.front());
  if (!named) return false;
  note_target(step, object, before, references);
  object.unset(before);
  object.set(after, named->literal);
  return true;
}

/// The reverse: the literal in the mode of the label that `label` refers to.
bool literal_instead(Step& step, Object& object, std::string_view label, std::string_view before,
                     std::string_view after) {
  const auto value = object.attribute(before);
  const auto labels = object.references(label);
  if (!value || labels.empty()) return false;
  const Object* const mode_label = step.find(object, labels.front());
  const auto modes = mode_label != nullptr ? mode_label->references("mode") : std::vector<Field>{};
  if (modes.empty()) return false;
  const Field& mode = modes.front();
  const std::size_t mark = mode.text.rfind("?type=");
  if (mark == std::string_view::npos) return false;
  const std::string reference = fmt::format("{}/{}{}", mode.text.substr(0, mark), encode_name(*value), literal_mark);
  object.unset(before);
  if (mode.kind == FieldKind::remote)
    object.add_remote_reference(after, reference);
  else if (&step.root_of(*mode_label) == &step.root_of(object))
    object.add_reference(after, reference);
  else
    object.add_remote_reference(after, fmt::format("amlt:/#{}", reference));
  return true;
}

/// Label and value of a former ModeValue.
void convert_mode_value(Step& step, Object& value, std::string_view cls) {
  value.set_class(cls);
  value.rename_feature("valueProvider", "label");
  name_instead(step, value, "value", "value");
  step.changed(value);
}

}  // namespace

void mode_of_label(Step& step) {
  for (Object* const label : step.objects_of("ModeLabel")) {
    const auto references = label->references("initialValue");
    if (references.empty() || text_instead(*label, "initialValue", "initialValue")) continue;
    const Field reference = references.front();
    const auto named = literal_of(step, *label, reference);
    if (!named) continue;
    note_target(step, *label, "initialValue", references);
    label->unset("initialValue");
    label->set("initialValue", named->literal);
    step.changed(*label);
    if (named->mode.empty() || !label->references("mode").empty()) continue;
    const std::string mode = fmt::format("{}?type=EnumMode", named->mode);
    if (reference.kind == FieldKind::remote)
      label->add_remote_reference("mode", fmt::format("amlt:/#{}", mode), *metamodel::find_class("EnumMode"));
    else
      label->add_reference("mode", mode);
  }
}

void mode_of_label_back(Step& step) {
  for (Object* const label : step.objects_of("ModeLabel")) {
    const auto value = label->attribute("initialValue");
    const auto modes = label->references("mode");
    if (!value || modes.empty()) continue;
    const std::size_t mark = modes.front().text.rfind("?type=");
    if (mark == std::string_view::npos || modes.front().text.substr(mark) == "?type=NumericMode") continue;
    const std::string reference =
        fmt::format("{}/{}{}", modes.front().text.substr(0, mark), encode_name(*value), literal_mark);
    const bool remote = modes.front().kind == FieldKind::remote;
    label->unset("initialValue");
    label->unset("mode");
    if (remote)
      label->add_remote_reference("initialValue", reference);
    else
      label->add_reference("initialValue", reference);
    step.changed(*label);
  }
}

void mode_label_access(Step& step) {
  for (Object* const access : step.objects_of("ModeLabelAccess")) {
    const bool writes = access->attribute("access") == "write";
    if (writes) access->set("access", "set");
    if (name_instead(step, *access, "modeValue", "value") || writes) step.changed(*access);
  }
}

void mode_label_access_back(Step& step) {
  for (Object* const access : step.objects_of("ModeLabelAccess")) {
    const bool writes = access->attribute("access") == "set";
    if (writes) access->set("access", "write");
    if (access->attribute("step") == "1") access->unset("step");  // written with its default
    if (literal_instead(step, *access, "data", "value", "modeValue") || writes) step.changed(*access);
  }
}

void mode_assignments(Step& step) {
  for (Object* const value : step.objects_of("ModeValue"))
    if (value->owner() != nullptr && value->owner()->is("ModeValueList"))
      convert_mode_value(step, *value, "ModeAssignment");
}

void mode_assignments_back(Step& step) {
  for (Object* const value : step.objects_of("ModeAssignment")) {
    literal_instead(step, *value, "label", "value", "value");
    value->set_class("ModeValue");
    value->rename_feature("label", "valueProvider");
    step.changed(*value);
  }
}

void mode_conditions(Step& step) {
  for (Object* const value : step.objects_of("ModeValue")) {
    convert_mode_value(step, *value, "ModeCondition");
    value->set("relation", "EQUAL");
  }
  for (const auto& [before, after] : {std::pair{"ModeValueDisjunction", "ModeConditionDisjunction"},
                                      std::pair{"ModeValueConjunction", "ModeConditionConjunction"}})
    for (Object* const condition : step.objects_of(before)) {
      condition->set_class(after);
      step.changed(*condition);
    }
}

void mode_conditions_back(Step& step) {
  for (Object* const condition : step.objects_of("ModeCondition")) {
    if (condition->attribute("relation") != "EQUAL" || !literal_instead(step, *condition, "label", "value", "value"))
      continue;
    condition->unset("relation");
    condition->set_class("ModeValue");
    condition->rename_feature("label", "valueProvider");
    step.changed(*condition);
  }
  for (const auto& [before, after] : {std::pair{"ModeConditionDisjunction", "ModeValueDisjunction"},
                                      std::pair{"ModeConditionConjunction", "ModeValueConjunction"}})
    for (Object* const condition : step.objects_of(before)) {
      condition->set_class(after);
      step.changed(*condition);
    }
}

void mode_value_maps(Step& step) {
  for (Object* const entry : step.objects_of("ModeValueMapEntry"))
    if (name_instead(step, *entry, "value", "value")) step.changed(*entry);
}

// ---- conditions of stimuli

namespace {

using Conjunction = std::vector<const Object*>;  // of ModeConditions

std::vector<Conjunction> alternatives(const Object& disjunction) {
  std::vector<Conjunction> found;
  for (const Object* const entry : disjunction.children("entries")) {
    if (!entry->is("ModeConditionConjunction")) {
      found.push_back({entry});
      continue;
    }
    Conjunction parts;
    for (const Object* const part : entry->children("entries")) parts.push_back(part);
    found.push_back(std::move(parts));
  }
  return found;
}

/// A ModeCondition, and whether it is negated.
using Term = std::pair<const Object*, bool>;

void create_condition(Object& owner, const Term& term) {
  Object& condition = owner.create("entries", "ModeCondition");
  for (const Field& label : term.first->references("label")) condition.add_reference_like("label", label);
  condition.set("value", term.first->attribute_or("value", ""));
  condition.set("relation", term.second ? "NOT_EQUAL" : "EQUAL");
}

/// Once they are part of another one.
void drop_conditions(Step& step, Object& disjunction) {
  for (Object* const entry : disjunction.children("entries")) {
    for (Object* const part : entry->children("entries")) step.drop(*part, {"label", "value", "relation"});
    step.drop(*entry, {"label", "value", "relation"});
  }
  step.drop(disjunction);
}

/// "enabling and not disabling" as alternatives, or nothing where these are too many.
std::optional<std::vector<std::vector<Term>>> without(const std::vector<Conjunction>& enabling,
                                                      const std::vector<Conjunction>& disabling) {
  constexpr std::size_t most = 64;
  std::vector<std::vector<Term>> all;
  for (const Conjunction& conjunction : enabling) {
    std::vector<Term>& terms = all.emplace_back();
    for (const Object* const condition : conjunction) terms.emplace_back(condition, false);
  }
  if (all.empty()) all.emplace_back();  // always enabled
  for (const Conjunction& excluded : disabling) {
    std::vector<std::vector<Term>> narrowed;
    for (const std::vector<Term>& terms : all)
      for (const Object* const condition : excluded) {
        narrowed.push_back(terms);
        narrowed.back().emplace_back(condition, true);
      }
    all = std::move(narrowed);
    if (all.empty() || all.size() > most) return std::nullopt;
  }
  return all;
}

}  // namespace

void execution_condition(Step& step) {
  const auto key = step.model.find_name("enablingModeValueList");
  const auto other_key = step.model.find_name("disablingModeValueList");
  if (!key && !other_key) return;
  Objects stimuli;
  step.model.for_each([&](Object& object) {
    if (object.child("enablingModeValueList") != nullptr || object.child("disablingModeValueList") != nullptr)
      stimuli.push_back(&object);
  });
  for (Object* const stimulus : stimuli) {
    stimulus->rename_feature("enablingModeValueList", "executionCondition");
    step.changed(*stimulus);
    Object* const disabling = stimulus->child("disablingModeValueList");
    if (disabling == nullptr) continue;
    Object* const enabling = stimulus->child("executionCondition");
    const auto excluded = alternatives(*disabling);
    const auto all = without(enabling != nullptr ? alternatives(*enabling) : std::vector<Conjunction>{}, excluded);
    if (excluded.empty()) {
      step.keep_child(*stimulus, *disabling);
      continue;
    }
    if (!all) {
      step.altered(*stimulus, "its execution condition cannot express modes that disable it; they have no effect");
      step.keep_child(*stimulus, *disabling);
      continue;
    }
    Object& condition = stimulus->create("executionCondition", "ModeConditionDisjunction");
    for (const std::vector<Term>& terms : *all) {
      const bool one = terms.size() == 1;
      Object& owner = one ? condition : condition.create("entries", "ModeConditionConjunction");
      for (const Term& term : terms) create_condition(owner, term);
    }
    if (enabling != nullptr) drop_conditions(step, *enabling);
    drop_conditions(step, *disabling);
  }
}

void execution_condition_back(Step& step) {
  if (!step.model.find_name("executionCondition")) return;
  step.model.for_each([&](Object& object) {
    if (object.feature() != "stimuli" || object.child("executionCondition") == nullptr) return;
    object.rename_feature("executionCondition", "enablingModeValueList");
    step.changed(object);
  });
}

}  // namespace amalthea::migration
