// SPDX-License-Identifier: Apache-2.0
// To 0.9.1: times as values. New mandatory content cannot be invented; a model without it is incomplete in either
// release.

#include <string>

#include "amalthea/identifier.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

/// Only where a value of any kind is allowed.
void time_objects(Step& step) {
  for (Object* const time : step.objects_of("Time"))
    if (const Object* const owner = time->owner();
        owner != nullptr && (owner->is("CustomProperty") || owner->is("ListObject"))) {
      step.set_class(*time, "TimeObject");
      step.changed(*time);
    }
}

/// "Instructions" for "amlt:/#Instructions?type=HwFeatureCategory".
std::string_view category_name(std::string_view reference) {
  constexpr std::string_view type = "?type=HwFeatureCategory";
  if (!reference.ends_with(type)) return {};
  reference.remove_suffix(type.size());
  if (const std::size_t hash = reference.rfind('#'); hash != std::string_view::npos) reference.remove_prefix(hash + 1);
  return reference;
}

/// During the development of 0.9.0 the key of a need was a reference to the feature category that is its name now.
void need_keys(Step& step) {
  for (Object* const entry : step.objects_of("NeedEntry")) {
    std::string name(category_name(entry->attribute_or("key", "")));
    for (const Field& target : entry->references("key"))
      if (name.empty()) name = category_name(target.text);
    Object* const proxy = entry->child("key");
    if (name.empty() && proxy != nullptr) name = category_name(proxy->attribute_or("href", ""));
    if (name.empty()) continue;
    if (proxy != nullptr) step.drop(*proxy, {"href", "xsi:type"});
    entry->unset("key");
    entry->set("key", decode_name(name));
    step.changed(*entry);
  }
}

constexpr Rule rules_to_0_9_1[] = {
    {"a time is a value", "TimeObject of custom properties becomes Time.", {{"TimeObject", "Time"}}, time_objects},
    {"the key of a need is the name of a category", "References of intermediate versions of 0.9.0 become names.",
     need_keys},
};

}  // namespace

StepRules to_0_9_1() { return {Version::v0_9_1, rules_to_0_9_1}; }

}  // namespace amalthea::migration
