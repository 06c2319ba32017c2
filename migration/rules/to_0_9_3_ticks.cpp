// SPDX-License-Identifier: Apache-2.0
// 0.9.2 → 0.9.3: ExecutionNeed with the key Instructions → Ticks, and back.

#include <algorithm>
#include <string>
#include <vector>

#include "amalthea/emf_form.hpp"
#include "migration/detail/deviation.hpp"
#include "migration/rules/to_0_9_3.hpp"

namespace amalthea::migration {
namespace {

constexpr std::string_view instructions = "Instructions";

/// "Instructions", also if written like a reference: "Instructions?type=HwFeatureCategory".
std::string_view key_of(const Object& entry) {
  std::string_view key = entry.attribute_or("key", "");
  if (const auto reference = entry.reference("key"); key.empty() && reference) {
    key = *reference;
    key.remove_prefix(std::min(key.size(), key.find('#') + 1));
  }
  return key.substr(0, std::min(key.find("?type="), key.find("%3Ftype")));
}

/// Instructions per cycle of a processing unit with this definition; 1 if unstated.
double instructions_per_cycle(Step& step, const Object& definition) {
  for (const Field& feature : definition.references("features")) {
    const Object* const found = step.find(definition, feature);
    if (found == nullptr || found->owner() == nullptr || found->owner()->name() != instructions) continue;
    if (!found->name().starts_with("IPC") && !found->name().starts_with("ipc")) continue;
    const double value = number_in(found->attribute_or("value", "1")).value_or(1);
    return value > 0 ? value : 1;
  }
  return 1;
}

/// NeedConstant or NeedDeviation → the discrete value of 0.9.3. False if it is empty.
bool convert_need(Step& step, Object& need, double divisor) {
  if (need.is("NeedConstant")) {
    need.set_class("DiscreteValueConstant");
    if (const auto value = need.attribute("value")) need.set("value", divided(*value, divisor));
    return true;
  }
  if (!need.is("NeedDeviation")) return need.class_name().starts_with("DiscreteValue");
  Object* const deviation = need.child("deviation");
  return deviation != nullptr && convert_deviation(step, need, *deviation, DeviationFamily::discrete, divisor);
}

// ---- ExecutionNeed

/// Entries of `default`, taken out: those that become Ticks, and the others.
struct Needs {
  OwnedObject instructions;  ///< the value
  std::vector<OwnedObject> others;
};

Needs take_needs(Step& step, Object& owner, std::string_view feature, double divisor) {
  Needs needs;
  // Converted before they are taken out, so that kept content has an owner.
  for (Object* const entry : owner.children(feature))
    if (Object* const value = entry->child("value"))
      if (!convert_need(step, *value, key_of(*entry) == instructions ? divisor : 1)) step.drop(*value);
  for (Object* const entry : owner.children(feature)) {
    Object* const value = entry->child("value");
    const std::string key(key_of(*entry));
    if (value == nullptr) {
      if (key == instructions)
        step.drop(*entry, {"key"});
      else
        step.drop(*entry);
      continue;
    }
    if (key == instructions) {
      if (needs.instructions == nullptr) needs.instructions = entry->take(*value);
      step.drop(*entry, {"key"});
      continue;
    }
    if (!entry->attribute("key")) {
      entry->unset("key");
      entry->set("key", key);
    }
    needs.others.push_back(owner.take(*entry));
  }
  return needs;
}

bool other_needs(const Object& extended) {
  for (const Object* const value : extended.children("value"))
    if (key_of(*value) != instructions) return true;
  return false;
}

void convert_extended(Step& step, Object& item) {
  for (Object* const entry : item.children("extended")) {
    if (!entry->is("ExecutionNeedExtended")) continue;
    if (other_needs(*entry)) step.keep(item, "extended", write_fragment(*entry, step.from.version));
    const auto key = entry->references("key");
    const Object* const definition = key.empty() ? nullptr : step.find(item, key.front());
    const double rate = definition != nullptr ? instructions_per_cycle(step, *definition) : 1;
    Needs needs = take_needs(step, *entry, "value", rate);
    if (needs.instructions == nullptr) {
      if (needs.others.empty())
        step.drop(*entry);
      else
        step.remove(*entry);  // it is kept as a whole
      continue;
    }
    entry->set_class("TicksEntry");
    entry->add("value", std::move(needs.instructions));
  }
}

/// The child that follows, or null.
const Object* next_of(const Object& child) {
  const auto& siblings = child.owner()->children();
  for (std::size_t i = 0; i + 1 < siblings.size(); ++i)
    if (siblings[i].get() == &child) return siblings[i + 1].get();
  return nullptr;
}

/// Whether some unit executes a number of instructions per cycle other than one.
bool any_other_rate(Step& step) {
  for (const Object* const definition : step.objects_of("ProcessingUnitDefinition"))
    if (instructions_per_cycle(step, *definition) != 1) return true;
  return false;
}

// ---- reverse direction

/// The value of an entry: a NeedConstant, or a NeedDeviation around it.
void add_need(Object& entry, OwnedObject value) {
  if (value->is("DiscreteValueConstant")) {
    value->set_class("NeedConstant");
    entry.add("value", std::move(value));
    return;
  }
  convert_deviation_back(*value, DeviationFamily::discrete);
  entry.create("value", "NeedDeviation").add("deviation", std::move(value));
}

/// A value of ticks becomes an entry with the key Instructions.
void need_entry(Object& owner, std::string_view feature) {
  Object* const value = owner.child(feature);
  if (value == nullptr) return;
  OwnedObject taken = owner.take(*value);
  Object& entry = owner.create(feature, "NeedEntry");
  entry.set("key", instructions);
  add_need(entry, std::move(taken));
}

void other_needs_back(Step& step) {
  for (Object* const item : step.objects_of("ExecutionNeed"))
    for (Object* const entry : item->children("needs")) {
      Object* const value = entry->child("value");
      if (value == nullptr || !had_form(*value)) continue;
      add_need(*entry, entry->take(*value));
      entry->move_to(*item, "default");
      step.changed(*item);
    }
}

}  // namespace

bool had_form(const Object& value) {
  const std::string_view cls = value.class_name();
  return cls == "DiscreteValueConstant" ||
         (cls.starts_with("DiscreteValue") && cls != "DiscreteValueStatistics" && cls != "DiscreteValueHistogram");
}

void ticks_for_instructions(Step& step) {
  const bool other_rate = any_other_rate(step);
  for (Object* const item : step.objects_of("ExecutionNeed")) {
    if (item->owner() == nullptr || (item->child("default") == nullptr && item->child("extended") == nullptr)) continue;
    Object& owner = *item->owner();
    const bool in_scheduler = item->feature() == "computationItems";
    Needs needs = take_needs(step, *item, "default", 1);
    convert_extended(step, *item);
    if (needs.instructions != nullptr && other_rate)
      step.altered(
          *item,
          "the default number of instructions becomes ticks, without regard to the instructions per cycle of a unit");
    if (needs.instructions != nullptr) item->add("default", std::move(needs.instructions));
    const bool ticks = item->child("default") != nullptr || item->child("extended") != nullptr;
    step.changed(*item);

    Object* rest = item;
    if (ticks) {
      item->set_class("Ticks");
      if (needs.others.empty()) continue;
      if (!in_scheduler) {
        const std::string feature(item->feature());
        const Object* const next = next_of(*item);
        rest = &owner.create(feature, "ExecutionNeed");
        if (next != nullptr) rest = &owner.add(feature, owner.take(*rest), next);
      }
    }
    for (OwnedObject& other : needs.others) {
      if (in_scheduler)
        step.keep(owner, "computationItems.default", write_fragment(*other, step.to.version));
      else
        rest->add("needs", std::move(other));
    }
    if (!ticks && in_scheduler) step.drop(*item);
  }
}

/// Ticks that represent the same number of instructions on every unit.
void instructions_for_ticks(Step& step) {
  other_needs_back(step);
  for (Object* const ticks : step.objects_of("Ticks")) {
    const std::string_view owner = ticks->owner() != nullptr ? ticks->owner()->class_name() : std::string_view{};
    if (owner == "OsAPIInstructions" || owner == "OsISRInstructions") continue;  // of another rule
    bool same = true;
    if (const Object* const otherwise = ticks->child("default")) same = had_form(*otherwise);
    for (const Object* const entry : ticks->children("extended")) {
      const Object* const value = entry->child("value");
      const auto key = entry->references("key");
      const Object* const definition = key.empty() ? nullptr : step.find(*ticks, key.front());
      same = same && value != nullptr && had_form(*value) &&
             (definition == nullptr || instructions_per_cycle(step, *definition) == 1);
    }
    if (!same) continue;
    need_entry(*ticks, "default");
    for (Object* const entry : ticks->children("extended")) {
      need_entry(*entry, "value");
      entry->set_class("ExecutionNeedExtended");
    }
    ticks->set_class("ExecutionNeed");
    step.changed(*ticks);
  }
}

}  // namespace amalthea::migration
