// SPDX-License-Identifier: Apache-2.0
// Nested event chains: a SubEventChain that contained an EventChain becomes an EventChainContainer with a
// SubEventChain. A SubEventChain has no id, so nothing can refer to it any more.

#include <string>
#include <unordered_set>
#include <vector>

#include "migration/rules/to_0_8_1_parts.hpp"

namespace amalthea::migration::to_0_8_1_parts {
namespace {

bool is_item(const Object& object) { return object.feature() == "segments" || object.feature() == "strands"; }

struct Chains {
  std::unordered_set<std::string> free, inner;  // ids

  explicit Chains(const Step& step) {
    for (const Object* const chain : step.objects_of("EventChain")) {
      const Object* const owner = chain->owner();
      (owner != nullptr && owner->is("SubEventChain") ? inner : free).insert(step.id(*chain));
    }
  }
  /// Whether the reference refers to a nested chain. Unknown for a chain in a missing file.
  bool is_inner(const Field& reference) const {
    const std::string_view text = reference.text;
    const std::string id(reference.kind == FieldKind::remote ? text.substr(text.find('#') + 1) : text);
    return !free.contains(id) && (inner.contains(id) || reference.kind == FieldKind::local);
  }
};

}  // namespace

void part_from_sub_chains(Step& step) {
  const Chains chains(step);
  if (chains.inner.empty()) return;
  for (Object* const object : step.objects_of("EventChainReference")) {
    const std::vector<Field> target = object->references("eventChain");
    if (target.empty() || !chains.is_inner(target.front())) continue;
    object->unset("eventChain");
    step.keep_as(*object, "eventChain", target.front().text);
  }
  for (const std::string_view cls : {"EventChainLatencyConstraint", "EventChainSynchronizationConstraint"})
    for (Object* const constraint : step.objects_of(cls)) {
      Object* list = nullptr;
      const std::vector<Field> targets = constraint->references("scope");
      for (const Field& target : targets) {
        if (!chains.is_inner(target)) continue;
        if (list == nullptr) list = &step.keep_as_object(*constraint, "scope", "ListObject");
        list->create("values", "StringObject").set("value", target.text);
      }
      if (list == nullptr) continue;
      constraint->unset("scope");
      for (const Field& target : targets) {
        if (chains.is_inner(target)) continue;
        constraint->add_reference_like("scope", target);
      }
    }
}

void contain_sub_chains(Step& step) {
  for (Object* const item : step.objects_of("SubEventChain")) {
    if (!is_item(*item)) continue;
    for (Object* const chain : item->children("eventChain")) chain->set_class("SubEventChain");
    item->set_class("EventChainContainer");
    step.changed(*item);
  }
}

void release_sub_chains(Step& step) {
  for (Object* const item : step.objects_of("EventChainContainer")) {
    for (Object* const chain : item->children("eventChain")) chain->set_class("EventChain");
    item->set_class("SubEventChain");
    step.changed(*item);
  }
}

}  // namespace amalthea::migration::to_0_8_1_parts
