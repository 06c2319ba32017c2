// SPDX-License-Identifier: Apache-2.0
#include "migration/detail/leftovers.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "amalthea/attribute_value.hpp"
#include "amalthea/diagnostic.hpp"
#include "amalthea/emf_form.hpp"

namespace amalthea::migration {
namespace {

/// The features of a class in one version, by the names of a model.
class ClassFeatures {
 public:
  ClassFeatures(const EditableModel& model, ClassId cls, Version version)
      : exists_(metamodel::exists(cls, version) && !metamodel::is_abstract(cls, version)) {
    if (!exists_) return;
    for (const Feature* feature : metamodel::all_features(cls, version)) {
      if (!feature->stored() || feature->derived) continue;
      const auto key = model.find_name(feature->name);
      if (!key) continue;
      const auto slot = static_cast<std::size_t>(*key);
      if (slots_.size() <= slot) slots_.resize(slot + 1, nullptr);
      slots_[slot] = feature;
    }
  }
  bool exists() const { return exists_; }
  const Feature* find(NameKey name) const {
    const auto slot = static_cast<std::size_t>(name);
    return slot < slots_.size() ? slots_[slot] : nullptr;
  }

 private:
  bool exists_;
  std::vector<const Feature*> slots_;  // by NameKey
};

/// A metamodel version with cached lookups.
class Judge {
 public:
  Judge(const EditableModel& model, Version version)
      : model_(model), version_(version), classes_(metamodel::classes().size()) {}

  Version version() const { return version_; }

  const ClassFeatures& features(ClassId cls) {
    auto& known = classes_[static_cast<std::size_t>(cls)];
    if (known == nullptr) known = std::make_unique<ClassFeatures>(model_, cls, version_);
    return *known;
  }

  /// Why a field is not allowed in its object, or nothing.
  std::optional<std::string> complaint(const Object& object, const Field& field) {
    const std::string_view name = model_.name(field.name);
    if (name.starts_with("xmi:") || name.starts_with("xsi:")) return std::nullopt;
    const Feature* const feature = features(object.cls()).find(field.name);
    if (feature == nullptr) return fmt::format("{} has no feature \"{}\"", object.class_name(), name);
    if (feature->kind == FeatureKind::containment)
      return fmt::format("\"{}\" of {} is no attribute", name, object.class_name());
    if ((feature->kind == FeatureKind::attribute) != (field.kind == FieldKind::value))
      return fmt::format("\"{}\" of {} is {}", name, object.class_name(),
                         field.kind == FieldKind::value ? "a reference" : "no reference");
    if (field.kind == FieldKind::value) {
      if (value_kind(*feature, version_) == ValueKind::text || written_value(*feature, version_, field.text))
        return std::nullopt;
      return fmt::format("\"{}\" is no {}", field.text, feature->type_name);
    }
    const ClassId target = class_of_target(field);
    if (target == no_class || feature->type == no_class) return std::nullopt;
    if (!metamodel::exists(target, version_) || !metamodel::is_a(target, feature->type, version_))
      return fmt::format("\"{}\" refers to a {}, not a {}", name, feature->type_name, metamodel::info(target).name);
    return std::nullopt;
  }

  /// Why a child is not allowed in its owner, or nothing.
  std::optional<std::string> complaint(const Object& owner, const Object& child) {
    if (child.cls() == no_class) return fmt::format("{} has no feature \"{}\"", owner.class_name(), child.feature());
    const Feature* const feature = features(owner.cls()).find(child.feature_key());
    if (feature == nullptr || feature->kind != FeatureKind::containment)
      return fmt::format("{} has no feature \"{}\"", owner.class_name(), child.feature());
    if (!features(child.cls()).exists()) return fmt::format("the version has no class {}", child.class_name());
    if (feature->type != no_class && feature->type != child.cls() &&
        !metamodel::is_a(child.cls(), feature->type, version_))
      return fmt::format("\"{}\" is a {}, not a {}", child.feature(), feature->type_name, child.class_name());
    return std::nullopt;
  }

  static ClassId class_of_target(const Field& field) {
    if (field.target != nullptr && !field.target->is_removed()) return field.target->cls();
    constexpr std::string_view mark = "?type=";
    const std::size_t at = field.text.rfind(mark);
    if (at == std::string_view::npos) return no_class;
    return metamodel::find_class(field.text.substr(at + mark.size())).value_or(no_class);
  }

 private:
  const EditableModel& model_;
  Version version_;
  std::vector<std::unique_ptr<ClassFeatures>> classes_;
};

/// Finds what stands a second time where a version has a place for one only.
class Surplus {
 public:
  /// `first_counts`: the first one is no surplus; otherwise the last one is none, as EMF reads it.
  Surplus(const EditableModel& model, Version version, bool first_counts)
      : model_(model), version_(version), first_counts_(first_counts) {}

  Objects children(const Object& object) {
    Objects found;
    counts_.clear();
    if (object.cls() == no_class) return found;
    for (const OwnedObject& child : object.children()) {
      const NameKey feature = child->feature_key();
      if (!is_single(object.cls(), feature)) continue;
      const auto known =
          std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == feature; });
      if (known == counts_.end()) {
        counts_.emplace_back(feature, child.get());
        continue;
      }
      found.push_back(first_counts_ ? child.get() : known->second);
      known->second = child.get();
    }
    return found;
  }

  /// Positions of fields, ascending.
  std::vector<std::size_t> fields(const Object& object) {
    std::vector<std::size_t> found;
    const std::vector<Field>& fields = object.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto same = [&](const Field& other) { return other.name == fields[i].name; };
      const auto at = fields.begin() + static_cast<std::ptrdiff_t>(i);
      const bool another =
          first_counts_ ? std::any_of(fields.begin(), at, same) : std::any_of(at + 1, fields.end(), same);
      if (another && object.cls() != no_class && is_single(object.cls(), fields[i].name)) found.push_back(i);
    }
    return found;
  }

  void keep(Step& step, Object& object) {
    for (Object* const child : children(object)) step.keep_child(object, *child);
    const std::vector<std::size_t> places = fields(object);
    std::vector<Field> surplus;
    for (std::size_t i = places.size(); i-- > 0;) {
      const auto at = object.fields().begin() + static_cast<std::ptrdiff_t>(places[i]);
      surplus.push_back(*at);
      object.fields().erase(at);
    }
    for (std::size_t i = surplus.size(); i-- > 0;) step.keep(object, model_.name(surplus[i].name), surplus[i].text);
  }

 private:
  bool is_single(ClassId cls, NameKey name) {
    const std::uint64_t place = static_cast<std::uint64_t>(cls) << 32U | static_cast<std::uint32_t>(name);
    const auto [known, is_new] = single_.try_emplace(place, false);
    if (is_new) {
      const Feature* const feature = metamodel::find_feature(cls, model_.name(name), version_);
      known->second = feature != nullptr && !feature->many();
      // Files may hold newer structure than they say.
      for (auto later = static_cast<std::size_t>(version_) + 1; known->second && later < all_versions().size();
           ++later) {
        const Feature* const then = metamodel::find_feature(cls, model_.name(name), all_versions()[later]);
        known->second = then == nullptr || (!then->many() && then->kind == feature->kind);
      }
    }
    return known->second;
  }

  const EditableModel& model_;
  Version version_;
  bool first_counts_;
  std::unordered_map<std::uint64_t, bool> single_;  // by class and name
  std::vector<std::pair<NameKey, Object*>> counts_;
};

class Keeper {
 public:
  Keeper(Step& step, bool last)
      : step_(step),
        last_(last),
        before_(step.model, step.from.version),
        after_(step.model, step.to.version),
        surplus_(step.model, step.to.version, true) {
    // The judges know features by the names of the model: those of what is about to be kept must be among them.
    for (const std::string_view name : {"customProperties", "key", "value"}) step.model.intern(name);
  }

  /// A file with a single object of a model (a Quartz) becomes a model that contains it as text.
  void visit_root(Object& root) {
    if (!root.is("Amalthea") && step_.to > Release(Version::v0_7_0)) {
      const std::string what(root.cls() == no_class ? root.feature() : root.class_name());
      const std::string text = write_fragment(root, step_.from.version);
      root.fields().clear();
      while (!root.children().empty()) root.remove(*root.children().back());
      root.set_class("Amalthea");
      step_.keep(root, what, text);
    }
    visit(root);
  }

  void visit(Object& object) {
    if (object.cls() == no_class || !after_.features(object.cls()).exists()) return;  // a root of another kind
    keep_fields(object);
    if (last_) surplus_.keep(step_, object);
    // Keeping adds children at the end, which are fine.
    std::vector<Object*> gone;
    for (const OwnedObject& child : object.children())
      if (after_.complaint(object, *child) && (last_ || known_before(object, *child))) gone.push_back(child.get());
    for (Object* const child : gone) step_.keep_child(object, *child);
    // By index, since keeping content of children may append children to this object.
    for (std::size_t i = 0; i < object.children().size(); ++i) visit(*object.children()[i]);
  }

 private:
  void keep_fields(Object& object) {
    std::vector<std::string_view> gone;
    for (const Field& field : object.fields()) {
      if (!after_.complaint(object, field) || (last_ ? wrong_all_along(object, field) : !fine_before(object, field)))
        continue;
      const std::string_view name = step_.model.name(field.name);
      if (std::find(gone.begin(), gone.end(), name) == gone.end()) gone.push_back(name);
    }
    for (const std::string_view name : gone) step_.keep_field(object, name);
  }

  /// Whether the old release supported it, or cannot decide because a rule of this step has changed the object or its
  /// target.
  bool fine_before(const Object& object, const Field& field) {
    const ClassFeatures& features = before_.features(object.cls());
    // A feature unknown to both belongs to a later release.
    if (!features.exists()) return after_.features(object.cls()).find(field.name) != nullptr;
    if (features.find(field.name) == nullptr) return false;
    const ClassId target = field.kind == FieldKind::value ? no_class : Judge::class_of_target(field);
    if (target != no_class && !metamodel::exists(target, before_.version()))
      return metamodel::exists(target, after_.version());
    return !before_.complaint(object, field);
  }
  /// Ignores a value that never matched its feature.
  bool wrong_all_along(const Object& object, const Field& field) {
    return after_.features(object.cls()).find(field.name) != nullptr && !fine_before(object, field);
  }

  bool known_before(const Object& owner, const Object& child) { return !before_.complaint(owner, child).has_value(); }

  Step& step_;
  bool last_;
  Judge before_, after_;
  Surplus surplus_;
};

}  // namespace

void keep_leftovers(Step& step, bool last) {
  Keeper keeper(step, last);
  for (const EditableModel::File& file : step.model.files()) keeper.visit_root(*file.root);
}

void keep_surplus(Step& step) {
  Surplus surplus(step.model, step.from.version, false);
  step.model.for_each([&](Object& object) { surplus.keep(step, object); });
}

std::size_t find_obstacles(const EditableModel& model, Version version, Diagnostics& diagnostics) {
  constexpr std::size_t most = 1000;
  Judge judge(model, version);
  Surplus surplus(model, version, true);
  std::size_t count = 0;
  const auto obstacle = [&](const Object& object, const std::string& what) {
    if (++count <= most)
      diagnostics.add("AM0710", Severity::error,
                      fmt::format("AMALTHEA {} cannot hold this: {}", to_string(version), what), object.location(),
                      object.path());
  };
  model.for_each([&](Object& object) {
    if (object.cls() == no_class || !judge.features(object.cls()).exists()) {
      if (object.owner() == nullptr) obstacle(object, fmt::format("the version has no class {}", object.class_name()));
      return;  // reported for the owner
    }
    for (const Field& field : object.fields())
      if (const auto complaint = judge.complaint(object, field)) obstacle(object, *complaint);
    for (const OwnedObject& child : object.children())
      if (const auto complaint = judge.complaint(object, *child)) obstacle(*child, *complaint);
    for (const Object* const child : surplus.children(object))
      obstacle(*child, fmt::format("{} can have only one \"{}\"", object.class_name(), child->feature()));
    for (const std::size_t at : surplus.fields(object))
      obstacle(object,
               fmt::format("{} can have only one \"{}\"", object.class_name(), model.name(object.fields()[at].name)));
  });
  return count;
}

Version structure_of(const EditableModel& model, Version version) {
  Version oldest = version;
  const auto consider = [&](VersionSet versions) {
    if (versions.contains(version)) return;
    for (int at = static_cast<int>(version) - 1; at >= 0; --at)
      if (versions.contains(static_cast<Version>(at))) {
        oldest = std::min(oldest, static_cast<Version>(at));
        return;
      }
  };
  Judge judge(model, version);
  // A value where an object is required now, as for the frequency of a quartz.
  const auto was_attribute = [&](ClassId cls, NameKey name) {
    const Feature* const now = judge.features(cls).find(name);
    if (now == nullptr || now->kind != FeatureKind::containment) return;
    for (int at = static_cast<int>(version) - 1; at >= 0; --at) {
      const Feature* const then = metamodel::find_feature(cls, model.name(name), static_cast<Version>(at));
      if (then == nullptr || then->kind != FeatureKind::attribute) continue;
      oldest = std::min(oldest, static_cast<Version>(at));
      return;
    }
  };
  model.for_each([&](Object& object) {
    if (object.cls() == no_class) return;
    consider(metamodel::info(object.cls()).versions);
    const auto feature = [&](NameKey name) {
      if (judge.features(object.cls()).find(name) != nullptr) return;
      const Feature* const other = metamodel::find_feature_any_version(object.cls(), model.name(name), version);
      if (other != nullptr && metamodel::exists(object.cls(), version)) consider(other->versions);
    };
    for (const Field& field : object.fields()) {
      feature(field.name);
      if (field.kind == FieldKind::value) was_attribute(object.cls(), field.name);
    }
    for (const OwnedObject& child : object.children()) feature(child->feature_key());
  });
  return oldest;
}

}  // namespace amalthea::migration
