// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"
#include "migration/detail/rule.hpp"

namespace amalthea::migration {
namespace {

std::string_view id_of(const Field& field) {
  return field.kind == FieldKind::remote && field.text.starts_with(any_file) ? field.text.substr(any_file.size())
                                                                             : field.text;
}

/// The object and all its referable descendants, with their ids.
void collect_ids(Object& object, Version version, std::vector<std::pair<Object*, std::string>>& ids) {
  if (auto id = computed_id(object, version)) ids.emplace_back(&object, std::move(*id));
  for (const OwnedObject& child : object.children()) collect_ids(*child, version, ids);
}

/// References to unnamed objects use their xmi:id.
void collect_xmi_ids(Object& object, std::unordered_map<std::string, Object*>& ids) {
  if (const auto id = object.attribute("xmi:id")) ids.emplace(*id, &object);
  for (const OwnedObject& child : object.children()) collect_xmi_ids(*child, ids);
}

bool can_have_properties(const Object& object, Version version) {
  if (object.cls() == no_class) return false;
  // A class that is removed by then becomes a similar one.
  return metamodel::exists(object.cls(), version)
             ? metamodel::find_feature(object.cls(), "customProperties", version) != nullptr
             : metamodel::find_feature_any_version(object.cls(), "customProperties", version) != nullptr;
}

/// Comments of an object that goes stay with what was around it.
void hand_over_comments(const Object& object, Object& owner) {
  if (const Comments* const found = object.model().comments(object)) {
    const Comments comments = *found;
    std::vector<std::string_view>& after = object.model().comments_for_change(owner).at_end;
    after.insert(after.end(), comments.before.begin(), comments.before.end());
    after.insert(after.end(), comments.at_end.begin(), comments.at_end.end());
  }
  for (const OwnedObject& child : object.children()) hand_over_comments(*child, owner);
}

void add_property(Object& holder, std::string_view key, std::string_view text) {
  Object& property = holder.create("customProperties", "CustomProperty");
  property.set("key", key);
  property.create("value", "StringObject").set("value", text);
}

}  // namespace

Objects Step::parts(std::string_view feature) const {
  Objects found;
  for (const EditableModel::File& file : model.files())
    for (Object* const part : file.root->children(feature)) found.push_back(part);
  return found;
}

Object& Step::root_of(const Object& object) const {
  const Object* at = &object;
  while (at->owner() != nullptr) at = at->owner();
  for (const EditableModel::File& file : model.files())
    if (file.root.get() == at) return *file.root;
  return *model.files().front().root;
}

Object& Step::part(const Object& object, std::string_view feature, std::string_view class_name) {
  Object& root = root_of(object);
  Object* const part = root.child(feature);
  return part != nullptr ? *part : root.create(feature, class_name);
}

void Step::changed(const Object& object, std::string_view what) { record_.changed(object, what); }

void Step::altered(const Object& object, std::string_view what) { record_.altered(object, what); }

Object& Step::holder_of(Object& object) const {
  Object* at = &object;
  while (!can_have_properties(*at, to.version) && at->owner() != nullptr) at = at->owner();
  return *at;
}

void Step::keep(Object& object, std::string_view what, std::string_view text, const std::optional<Location>& location) {
  Object& holder = holder_of(object);
  const std::string release = from.is_itea() ? fmt::format("itea-{}", to_string(from).substr(5)) : to_string(from);
  const std::string base = fmt::format("{}{}.{}", kept_prefix, release, what);
  std::unordered_set<std::string_view> taken;
  for (const Object* const property : holder.children("customProperties"))
    taken.insert(property->attribute_or("key", ""));
  std::string key = base;
  for (std::size_t number = 2; taken.contains(key); ++number) key = fmt::format("{}.{}", base, number);
  add_property(holder, key, text);
  record_.kept(holder, location.value_or(object.location()), what, key);
}

void Step::keep_as(Object& object, std::string_view key, std::string_view text) {
  Object& holder = holder_of(object);
  add_property(holder, key, text);
  record_.kept(holder, object.location(), key, key);
}

Object& Step::keep_as_object(Object& object, std::string_view key, std::string_view class_name) {
  Object& holder = holder_of(object);
  Object& property = holder.create("customProperties", "CustomProperty");
  property.set("key", key);
  record_.kept(holder, object.location(), key, key);
  return property.create("value", class_name);
}

void Step::keep_field(Object& object, std::string_view feature) {
  std::string text;
  bool found = false;
  if (const auto value = object.attribute(feature)) {
    text = *value;
    found = true;
  }
  for (const Field& target : object.references(feature)) {
    // A position means nothing once it is text.
    const auto id = target.target != nullptr && target.text.find("//@") != std::string_view::npos
                        ? computed_id(*target.target, from.version)
                        : std::nullopt;
    text.append(text.empty() ? "" : " ").append(id ? *id : std::string(target.text));
    found = true;
  }
  if (!found) return;
  object.unset(feature);
  keep(object, feature, text);
}

void Step::keep_child(Object& owner, Object& child) {
  const std::string feature(child.feature());
  const Version version = to < from ? to.version : from.version;
  std::string text = write_fragment(child, version);
  const Location location = child.location();
  owner.remove(child);
  keep(owner, feature, text, location);
}

void Step::drop(Object& object, std::initializer_list<std::string_view> used) {
  Object* const owner = object.owner();
  if (owner == nullptr) return;
  const auto says_more = [&](const Field& field) {
    const std::string_view name = model.name(field.name);
    if (name.starts_with("xmi:") || std::find(used.begin(), used.end(), name) != used.end()) return false;
    const Feature* const feature =
        object.cls() == no_class ? nullptr : metamodel::find_feature(object.cls(), name, from.version);
    if (feature == nullptr || feature->kind != FeatureKind::attribute) return true;
    const auto value = written_value(*feature, from.version, field.text);
    return !value || value != default_value(*feature, from.version);
  };
  if (!object.children().empty() || std::any_of(object.fields().begin(), object.fields().end(), says_more))
    keep_child(*owner, object);
  else
    remove(object);
}

void Step::remove(Object& object) {
  Object* const owner = object.owner();
  if (owner == nullptr) return;
  hand_over_comments(object, *owner);
  owner->remove(object);
}

void Step::replace(Object& object, Object& by) {
  by.fields() = std::exchange(object.fields(), {});
  while (!object.children().empty()) {
    Object& child = *object.children().front();
    child.move_to(by, child.feature());
  }
  remove(object);
}

// ---- identity

template <typename Change>
void Step::follow(Object& object, Change change) {
  std::vector<std::pair<Object*, std::string>> before;
  collect_ids(object, from.version, before);
  change();
  for (auto& [named, id] : before)
    if (auto after = computed_id(*named, from.version); after && *after != id)
      moved_.insert_or_assign(std::move(id), std::move(*after));
}

void Step::rename_class(std::string_view before, std::string_view after) {
  for (Object* const object : objects_of(before)) {
    object->set_class(after);
    changed(*object);
  }
  retyped_.insert_or_assign(std::string(before), std::string(after));
}

void Step::set_class(Object& object, std::string_view class_name) {
  follow(object, [&] { object.set_class(class_name); });
}

void Step::set_name(Object& object, std::string_view name) {
  follow(object, [&] { object.set("name", name); });
}

void Step::move(Object& object, Object& owner, std::string_view feature) {
  follow(object, [&] { object.move_to(owner, feature); });
}

std::string Step::id(const Object& object) const { return computed_id(object, from.version).value_or(""); }

Object* Step::find(const Object& holder, const Field& reference) {
  if (reference.target != nullptr && !reference.target->is_removed()) return reference.target;
  if (ids_.empty())
    for (const EditableModel::File& file : model.files()) {
      std::vector<std::pair<Object*, std::string>> ids;
      collect_ids(*file.root, from.version, ids);
      auto& table = ids_.emplace_back(file.root.get(), std::unordered_map<std::string, Object*>{}).second;
      for (auto& [object, id] : ids) table.insert_or_assign(std::move(id), object);
      collect_xmi_ids(*file.root, table);
    }
  const std::string id(id_of(reference));
  const Object* const own = reference.kind == FieldKind::local ? &root_of(holder) : nullptr;
  for (const auto& [root, table] : ids_) {
    if (own != nullptr && root != own) continue;
    if (const auto found = table.find(id); found != table.end() && !found->second->is_removed()) return found->second;
  }
  return nullptr;
}

void Step::refer(Object& holder, std::string_view feature, Object& target) const {
  if (&root_of(holder) == &root_of(target))
    holder.add_reference(feature, id(target), &target);
  else
    holder.add_remote_reference(feature, fmt::format("{}{}", any_file, id(target)), target.cls(), &target);
}

void Step::begin_rule(std::string_view rule) {
  record_.begin(rule, to);
  objects_before_ = model.object_count();
}

void Step::end_rule() {
  record_.objects(static_cast<std::ptrdiff_t>(model.object_count()) - static_cast<std::ptrdiff_t>(objects_before_));
  ids_.clear();
  if (moved_.empty() && retyped_.empty()) return;
  model.for_each([&](Object& object) {
    for (Field& field : object.fields()) {
      if (field.kind == FieldKind::value) continue;
      const std::string_view id = id_of(field);
      const std::string_view address = field.text.substr(0, field.text.size() - id.size());
      std::string after;
      if (const auto moved = moved_.find(std::string(id)); moved != moved_.end()) {
        after = moved->second;
      } else if (const std::size_t mark = id.rfind(type_mark); mark != std::string_view::npos && !retyped_.empty()) {
        const auto retyped = retyped_.find(std::string(id.substr(mark + type_mark.size())));
        if (retyped == retyped_.end()) continue;
        after.append(id.substr(0, mark + type_mark.size())).append(retyped->second);
      } else {
        continue;
      }
      field.text = model.keep(std::string(address) + after);
      if (field.target_class != no_class)
        if (const std::size_t mark = after.rfind(type_mark); mark != std::string::npos)
          field.target_class =
              metamodel::find_class(after.substr(mark + type_mark.size())).value_or(field.target_class);
    }
  });
  moved_.clear();
  retyped_.clear();
}

// ---- features

void Step::rename_feature(std::string_view class_name, std::string_view before, std::string_view after) {
  const auto key = model.find_name(before);
  if (!key) return;
  for (Object* const object : objects_of(class_name)) {
    const bool has = std::any_of(object->fields().begin(), object->fields().end(),
                                 [&](const Field& field) { return field.name == *key; }) ||
                     object->child(before) != nullptr;
    if (!has) continue;
    object->rename_feature(before, after);
    changed(*object);
  }
}

void Step::rename_literal(std::string_view class_name, std::string_view attribute, std::string_view before,
                          std::string_view after) {
  if (!model.find_name(attribute)) return;
  for (Object* const object : objects_of(class_name))
    if (object->attribute(attribute) == before) {
      object->set(attribute, after);
      changed(*object);
    }
}

Objects all_children(const Object& object) {
  Objects all;
  for (const OwnedObject& child : object.children()) all.push_back(child.get());
  return all;
}

Object& copy(const Object& object, Object& owner) {
  Object& twin = owner.create(object.feature(), object.cls());
  twin.fields() = object.fields();
  twin.unset("xmi:id");
  for (const OwnedObject& child : object.children()) copy(*child, twin);
  return twin;
}

}  // namespace amalthea::migration
