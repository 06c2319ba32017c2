// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "amalthea/identifier.hpp"
#include "difference/comparison.hpp"
#include "difference/detail/meaning.hpp"

namespace amalthea::difference {
namespace {

class Applier {
 public:
  Applier(EditableModel& model, const Comparison& comparison, Version version)
      : model_(model), comparison_(comparison), version_(version), meaning_(version), partners_(comparison.in_older) {}

  Application apply(const std::vector<Part>& parts) {
    std::vector<const Change*> chosen;
    for (const Change& change : comparison_.changes)
      if (std::find(parts.begin(), parts.end(), change.part) != parts.end()) chosen.push_back(&change);
    complete_ = chosen.size() == comparison_.changes.size();
    model_.keep_removed();
    list_ids();
    // References to what is changed are written when all names are final, and removals come last.
    for (const Kind kind : {Kind::renamed, Kind::added, Kind::moved, Kind::changed, Kind::reordered, Kind::removed})
      for (const Change* change : chosen)
        if (change->kind == kind) apply(*change);
    leave_out_loose_ends();
    model_.forget_removed();
    return done_;
  }

 private:
  void apply(const Change& change) {
    ++done_.applied;
    switch (change.kind) {
      case Kind::renamed:
        return change.older->set("name", change.after);
      case Kind::added:
        return add(*change.newer);
      case Kind::moved:
        if (Object* owner = owner_for(*change.newer)) return change.older->move_to(*owner, change.newer->feature());
        break;
      case Kind::changed:
        return replace(change);
      case Kind::reordered:
        return reorder(change);
      case Kind::removed:
        removed_.push_back(change.older);
        return;
    }
    --done_.applied;
    ++done_.left_out;
  }

  /// The counterpart of the owner, which may be a sub-model that the older model does not have.
  Object* owner_for(const Object& newer) {
    const Object* owner = newer.owner();
    if (owner == nullptr) return nullptr;
    if (const auto found = partners_.find(owner); found != partners_.end()) return found->second;
    if (owner->owner() == nullptr || owner->owner()->owner() != nullptr) return nullptr;
    Object& root = *model_.files().front().root;
    Object* made = root.child(owner->feature());
    if (made == nullptr) made = &root.create(owner->feature(), owner->cls());
    partners_.emplace(owner, made);
    return made;
  }

  void add(const Object& newer) {
    Object* owner = owner_for(newer);
    if (owner == nullptr || owner->is_removed()) {
      --done_.applied;
      ++done_.left_out;
      return;
    }
    copy(newer, *owner, following(newer, *owner));
  }

  /// The object before which it belongs: the counterpart of the next sibling that has one.
  const Object* following(const Object& newer, const Object& owner) const {
    bool behind = false;
    for (const OwnedObject& sibling : newer.owner()->children()) {
      if (behind && sibling->feature() == newer.feature())
        if (const auto found = partners_.find(sibling.get());
            found != partners_.end() && found->second->owner() == &owner)
          return found->second;
      behind = behind || sibling.get() == &newer;
    }
    return nullptr;
  }

  Object& copy(const Object& newer, Object& owner, const Object* before) {
    Object& made = owner.create(newer.feature(), newer.cls());
    if (before != nullptr) owner.add(newer.feature(), owner.take(made), before);
    partners_[&newer] = &made;
    for (const Field& field : newer.fields()) {
      const std::string_view name = newer.model().name(field.name);
      if (field.kind == FieldKind::value)
        made.set(name, field.text);
      else
        add_reference(made, name, field);
    }
    for (const OwnedObject& child : newer.children())
      // What the older model has elsewhere is moved here, or stays there.
      if (comparison_.in_older.count(child.get()) == 0) copy(*child, made, nullptr);
    return made;
  }

  void add_reference(Object& object, std::string_view name, const Field& field) {
    references_.push_back({&object, std::string(name), &field});
    object.add_reference(name, "");  // keeps its position; written at last
  }

  void replace(const Change& change) {
    Object &older = *change.older, &newer = *change.newer;
    if (change.form == Change::Form::attribute) {
      if (const auto value = newer.attribute(change.feature))
        older.set(change.feature, *value);
      else
        unset_value(older, change.feature);
    } else if (change.form == Change::Form::references) {
      older.unset(change.feature);
      for (const Field& field : newer.fields())
        if (field.kind != FieldKind::value && newer.model().name(field.name) == change.feature)
          add_reference(older, change.feature, field);
    } else {
      Object& owner = *older.owner();
      copy(newer, owner, &older);
      owner.remove(older);
    }
  }

  static void unset_value(Object& object, std::string_view name) {
    if (object.references(name).empty()) object.unset(name);
  }

  void reorder(const Change& change) {
    Object& owner = *change.older;
    std::vector<OwnedObject> taken = owner.take_all(change.feature);
    for (const OwnedObject& child : change.newer->children()) {
      const auto partner = partners_.find(child.get());
      if (child->feature() != change.feature || partner == partners_.end()) continue;
      const auto found = std::find_if(taken.begin(), taken.end(),
                                      [&](const OwnedObject& one) { return one.get() == partner->second; });
      if (found == taken.end()) continue;
      owner.add(change.feature, std::move(*found));
      taken.erase(found);
    }
    for (OwnedObject& rest : taken) owner.add(change.feature, std::move(rest));
  }

  /// Writes the new references, removes what is removed, and takes back what would lead nowhere.
  void leave_out_loose_ends() {
    const std::unordered_set<const Object*> leaving(removed_.begin(), removed_.end());
    write_references(true);
    follow_names();
    write_references(false);
    leave_out_holders();
    std::unordered_set<std::string> used;
    model_.for_each([&](Object& object) {
      for (const Object* at = &object; at != nullptr; at = at->owner())
        if (leaving.count(at) == 1) return;
      for (const Field& field : object.fields())
        if (field.kind != FieldKind::value) used.insert(detail::Meaning::target_id(field));
    });
    for (Object* object : removed_) {
      if (object->is_removed()) continue;
      if (!complete_ && is_used(*object, used)) {
        --done_.applied;
        ++done_.left_out;
      } else {
        object->owner()->remove(*object);
      }
    }
  }

  bool is_used(const Object& object, const std::unordered_set<std::string>& used) const {
    if (const auto id = computed_id(object, version_); id && used.count(*id) == 1) return true;
    return std::any_of(object.children().begin(), object.children().end(),
                       [&](const OwnedObject& child) { return is_used(*child, used); });
  }

  struct Reference {
    Object* holder;
    std::string name;
    const Field* field;  ///< of the newer model
  };

  /// `of_names`: those from which names are made.
  void write_references(bool of_names) {
    std::unordered_set<std::string> ids;
    model_.for_each([&](Object& object) {
      if (auto id = computed_id(object, version_)) ids.insert(std::move(*id));
      if (const auto id = object.attribute("xmi:id")) ids.emplace(*id);
    });
    // A position holds an empty reference for each of its targets.
    for (const Reference& reference : references_) {
      if (reference.holder->is_removed() || makes_names(reference) != of_names) continue;
      const auto key = model_.find_name(reference.name);
      auto& fields = reference.holder->fields();
      const auto place = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
        return field.name == *key && field.kind == FieldKind::local && field.text.empty();
      });
      if (place == fields.end()) continue;
      const std::string id = complete_ ? detail::Meaning::target_id(*reference.field) : id_here(*reference.field);
      if (complete_ || ids.count(id) == 1) {
        const bool alone = model_.files().size() == 1;
        place->kind = alone ? FieldKind::local : FieldKind::remote;
        place->text = model_.keep(alone ? id : "amlt:/#" + id);
        place->target_class = no_class;
        place->target = nullptr;
      } else {
        fields.erase(place);
        loose_.push_back(&reference);
      }
    }
  }

  static bool makes_names(const Reference& reference) {
    return reference.name == "namespace" || reference.holder->is("CallArgument");
  }

  /// References are ids: those to renamed objects, and to what is named after these, follow.
  void list_ids() {
    model_.for_each([&](Object& object) {
      if (auto id = computed_id(object, version_)) ids_before_.emplace(&object, std::move(*id));
    });
  }
  void follow_names() {
    model_.for_each([&](Object& object) {
      for (Field& field : object.fields()) {
        if (field.kind == FieldKind::value || field.target == nullptr) continue;
        const auto before = ids_before_.find(field.target);
        if (before == ids_before_.end() || detail::Meaning::target_id(field) != before->second) continue;
        const auto now = computed_id(*field.target, version_);
        if (!now || *now == before->second) continue;
        field.text = model_.keep(field.kind == FieldKind::local ? *now : "amlt:/#" + *now);
      }
    });
  }

  void leave_out_holders() {
    for (const Reference* reference : loose_)
      if (!reference->holder->is_removed() && reference->holder->owner() != nullptr &&
          meaning_.is_required(*reference->holder, reference->name)) {
        reference->holder->owner()->remove(*reference->holder);
        --done_.applied;
        ++done_.left_out;
      }
  }

  std::string id_here(const Field& field) const {
    if (field.target != nullptr) {
      const auto partner = partners_.find(field.target);
      if (partner != partners_.end())
        if (auto id = computed_id(*partner->second, version_)) return *id;
    }
    return detail::Meaning::target_id(field);
  }

  EditableModel& model_;
  const Comparison& comparison_;
  Version version_;
  detail::Meaning meaning_;
  std::unordered_map<const Object*, Object*> partners_;
  std::vector<Object*> removed_;
  std::unordered_map<const Object*, std::string> ids_before_;
  std::vector<Reference> references_;
  std::vector<const Reference*> loose_;
  bool complete_ = false;  ///< all changes: the result is the newer model, with whatever is wrong in it
  Application done_;
};

}  // namespace

Application apply(EditableModel& older, const Comparison& comparison, const std::vector<Part>& parts, Version version) {
  return Applier(older, comparison, version).apply(parts);
}

}  // namespace amalthea::difference
