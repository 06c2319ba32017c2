// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/references.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/identifier.hpp"
#include "migration/detail/itea_reference.hpp"
#include "migration/detail/rule.hpp"

namespace amalthea::migration {
namespace {

/// Positions of objects in their files, as EMF counts. Each owner is counted once: it may have very many children.
class Positions {
 public:
  explicit Positions(Version version) : version_(version) {}

  /// "//@swModel/@tasks.3": a feature that can hold one object only has no number.
  std::string of(const Object& object) {
    const Object* const owner = object.owner();
    if (owner == nullptr) return "/";
    const Feature* const feature =
        owner->cls() == no_class ? nullptr : metamodel::find_feature(owner->cls(), object.feature(), version_);
    const std::string step = fmt::format("{}/@{}", of(*owner), object.feature());
    return feature != nullptr && !feature->many() ? step
                                                  : fmt::format("{}.{}", step, counted(*owner).numbers.at(&object));
  }

  /// The object at the position below a root, null for none.
  const Object* find(const Object& root, std::string_view position) {
    const Object* at = &root;
    for (std::size_t begin = position.find("/@"); begin != std::string_view::npos && at != nullptr;) {
      const std::size_t end = position.find("/@", begin + 2);
      const std::string_view step = position.substr(begin + 2, end == std::string_view::npos ? end : end - begin - 2);
      const std::size_t dot = std::min(step.rfind('.'), step.size());
      std::size_t index = 0;
      std::from_chars(step.data() + std::min(dot + 1, step.size()), step.data() + step.size(), index);
      const Children& children = counted(*at);
      const auto same = children.of_feature.find(step.substr(0, dot));
      at = same != children.of_feature.end() && index < same->second.size() ? same->second[index] : nullptr;
      begin = end;
    }
    return at;
  }

 private:
  struct Children {
    std::unordered_map<std::string_view, std::vector<const Object*>> of_feature;
    std::unordered_map<const Object*, std::size_t> numbers;  ///< among those of the same feature
  };

  const Children& counted(const Object& owner) {
    const auto [entry, is_new] = owners_.try_emplace(&owner);
    Children& children = entry->second;
    if (!is_new) return children;
    for (const OwnedObject& child : owner.children()) {
      std::vector<const Object*>& same = children.of_feature[child->feature()];
      children.numbers.emplace(child.get(), same.size());
      same.push_back(child.get());
    }
    return children;
  }

  Version version_;
  std::unordered_map<const Object*, Children> owners_;
};

/// What the ids of the files mean when they are read again.
class Ids {
 public:
  Ids(const EditableModel& model, Version version) : version_(version), positions_(version) {
    for (const EditableModel::File& file : model.files()) {
      File& known = files_.emplace_back();
      known.root = file.root.get();
      known.name = file_name(file.path);
      collect(known, *file.root);
    }
  }

  /// What a text leads to from this file, null for nothing.
  const Object* find(const Object& root, const Field& field) const {
    if (field.kind == FieldKind::local) return in_file(*file_of(root), field.text);
    const std::size_t hash = field.text.find('#');
    if (hash == std::string_view::npos) return nullptr;
    const std::string_view name = field.text.substr(0, hash);
    for (const File& file : files_)
      if (name.starts_with("amlt:") || file.name == file_name(name))
        if (const Object* const found = in_file(file, field.text.substr(hash + 1))) return found;
    return nullptr;
  }

  /// How the target is named in its own file. `by_xmi_id`: that has to stay.
  std::string name_of(const Object& target, bool& by_xmi_id) const {
    const File& file = *file_of(root_of(target));
    if (auto id = computed_id(target, version_); id && in_file(file, *id) == &target) return *id;
    const std::string own(target.attribute_or("xmi:id", ""));
    const auto known = file.xmi_ids.find(own);
    by_xmi_id = !own.empty() && own.find_first_of(" #?/%") == std::string::npos && known != file.xmi_ids.end() &&
                known->second == &target && !file.computed.contains(own);
    return by_xmi_id ? own : positions_.of(target);
  }

  std::string_view name_of_file(const Object& root) const { return file_of(root)->name; }

 private:
  struct File {
    const Object* root = nullptr;
    std::string_view name;
    /// In the end an xmi:id with "?type=" is the computed id of its object.
    std::unordered_map<std::string, const Object*> xmi_ids, computed;
  };

  void collect(File& file, const Object& object) {
    if (const auto id = object.attribute("xmi:id"); id && id->find(type_mark) == std::string_view::npos)
      file.xmi_ids.insert_or_assign(std::string(*id), &object);
    if (auto id = computed_id(object, version_)) file.computed.insert_or_assign(std::move(*id), &object);
    for (const OwnedObject& child : object.children()) collect(file, *child);
  }

  const Object* in_file(const File& file, std::string_view written) const {
    if (written.starts_with('/')) return positions_.find(*file.root, written);
    const std::string id(written);
    if (const auto found = file.xmi_ids.find(id); found != file.xmi_ids.end()) return found->second;
    const auto found = file.computed.find(id);
    return found == file.computed.end() ? nullptr : found->second;
  }

  const File* file_of(const Object& root) const {
    return &*std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.root == &root; });
  }

  Version version_;
  std::vector<File> files_;
  mutable Positions positions_;  ///< counts as required
};

class Settling {
 public:
  Settling(EditableModel& model, Version version) : model_(model), version_(version) {}

  /// Returns whether any text changed: ids can depend on references.
  bool run() {
    const Ids ids(model_, version_);
    bool changed = false;
    named_by_xmi_id.clear();
    for (const EditableModel::File& file : model_.files()) visit(ids, *file.root, *file.root, changed);
    return changed;
  }

  std::unordered_set<const Object*> named_by_xmi_id;

 private:
  void visit(const Ids& ids, const Object& root, Object& object, bool& changed) {
    for (Field& field : object.fields())
      if (field.kind != FieldKind::value && field.target != nullptr && !field.target->is_removed())
        changed = settle(ids, root, field) || changed;
    for (const OwnedObject& child : object.children()) visit(ids, root, *child, changed);
  }

  bool settle(const Ids& ids, const Object& root, Field& field) {
    const Object& target = *field.target;
    const Object& target_root = root_of(target);
    if (field.target_class != no_class) field.target_class = target.cls();
    bool by_xmi_id = false;
    if (ids.find(root, field) == &target) {
      const std::string_view id = field.text.substr(field.text.find('#') + 1);
      if (id.find(type_mark) == std::string_view::npos && target.attribute("xmi:id") == id)
        named_by_xmi_id.insert(&target);
      return false;
    }
    const std::string name = ids.name_of(target, by_xmi_id);
    if (by_xmi_id) named_by_xmi_id.insert(&target);
    Field after = field;
    std::string text = name;
    after.kind = &target_root == &root ? FieldKind::local : FieldKind::remote;
    if (after.kind == FieldKind::remote) {
      text = fmt::format("{}{}", any_file, name);
      after.text = text;
      // A position, or a name that an earlier file has, too, needs the file.
      if (ids.find(root, after) != &target) text = fmt::format("{}#{}", ids.name_of_file(target_root), name);
      after.target_class = target.cls();
    }
    if (text == field.text && after.kind == field.kind) return false;
    after.text = model_.keep(text);
    field = after;
    return true;
  }

  EditableModel& model_;
  Version version_;
};

void write_ids(EditableModel& model, Version version, const std::unordered_set<const Object*>& named_by_xmi_id) {
  // References that do not know their target.
  std::unordered_set<std::string_view> referenced;
  model.for_each([&](Object& object) {
    for (const Field& field : object.fields())
      if (field.kind != FieldKind::value && field.target == nullptr &&
          field.text.find(type_mark) == std::string_view::npos)
        referenced.insert(field.text.substr(field.text.find('#') + 1));
  });
  model.for_each([&](Object& object) {
    if (named_by_xmi_id.contains(&object)) return;
    if (!referenced.empty() && referenced.contains(object.attribute_or("xmi:id", ""))) return;
    const auto id = version >= Version::v0_9_7 ? computed_id(object, version) : std::nullopt;
    if (!id)
      object.unset("xmi:id");
    else if (object.attribute("xmi:id") != *id)
      object.set("xmi:id", *id);
  });
}

}  // namespace

void settle_references(EditableModel& model, Version version, Diagnostics& diagnostics, std::size_t most) {
  Settling settling(model, version);
  // The id of a CallArgument holds the ids of two others, that of a namespace member one.
  for (int round = 0; settling.run() && round < 8;) ++round;
  write_ids(model, version, settling.named_by_xmi_id);
  std::size_t count = 0;
  std::optional<Ids> ids;
  model.for_each([&](Object& object) {
    for (std::size_t i = 0; i < object.fields().size(); ++i) {
      Field& field = object.fields()[i];
      if (field.kind == FieldKind::value || field.target == nullptr || !field.target->is_removed()) continue;
      const Object& target = *field.target;
      if (!ids) ids.emplace(model, version);
      // What took its place may have its name.
      const Object* const instead = ids->find(root_of(object), field);
      if (instead != nullptr && !target.name().empty() && instead->name() == target.name()) continue;
      const std::string_view name = model.name(field.name);
      if (++count <= most)
        diagnostics.add("AM0704", Severity::warning,
                        fmt::format("the {} \"{}\" to which \"{}\" refers is not in the converted model, so the "
                                    "reference has no target",
                                    target.class_name(), one_line(target.name()), name),
                        object.location(), object.path());
      // Something else may be at its position, or have its id, now.
      if (instead == nullptr && field.text.find("//@") == std::string_view::npos) continue;
      if (const auto id = computed_id(target, version); id && instead == nullptr)
        field.text = model.keep(field.kind == FieldKind::local ? *id : fmt::format("{}{}", any_file, *id));
      else
        object.fields().erase(object.fields().begin() + static_cast<std::ptrdiff_t>(i--));
    }
  });
}

}  // namespace amalthea::migration
