// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_model.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/attribute_value.hpp"
#include "amalthea/diagnostic.hpp"
#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"
#include "importer/reading/model_reader.hpp"

using namespace amalthea;

namespace test {
namespace {

/// How an object of a class gets into a model: in which feature of an object of which class.
struct Step {
  ClassId owner = no_class;
  const Feature* feature = nullptr;
};

std::vector<ClassId> concrete_classes(Version version) {
  std::vector<ClassId> found;
  for (const ClassInfo& info : metamodel::classes())
    if (metamodel::exists(info.id, version) && !metamodel::is_abstract(info.id, version)) found.push_back(info.id);
  return found;
}

/// Whether the feature takes objects of the class. Calls of process prototypes are left out: the ids of their arguments
/// are named after an executable, and a prototype is none.
bool holds(const Feature& feature, ClassId cls, Version version) {
  if (feature.kind != FeatureKind::containment || !feature.stored()) return false;
  return feature.type == no_class || metamodel::is_a(cls, feature.type, version);
}

/// The shortest way from the root to every class that has one.
std::map<ClassId, Step> ways(Version version) {
  const std::vector<ClassId> concrete = concrete_classes(version);
  const ClassId root = *metamodel::find_class("Amalthea");
  std::map<ClassId, Step> found{{root, {}}};
  std::vector<ClassId> queue{root};
  // Features that may hold anything are the last resort.
  for (const bool anything : {false, true}) {
    if (anything)
      for (const auto& [cls, step] : found) queue.push_back(cls);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const ClassId owner = queue[at];
      for (const Feature* feature : metamodel::all_features(owner, version)) {
        if (feature->type == no_class && !anything) continue;
        for (const ClassId cls : concrete)
          if (holds(*feature, cls, version) && found.emplace(cls, Step{owner, feature}).second) queue.push_back(cls);
      }
    }
    queue.clear();
  }
  return found;
}

class Generator {
 public:
  Generator(EditableModel& model, Version version, std::uint64_t seed)
      : model_(model), version_(version), ways_(ways(version)), random_(seed) {}

  void run() {
    model_.add_file("one.amxmi");
    model_.add_file("two.amxmi");
    for (const auto& [cls, step] : ways_)
      for (std::size_t i = 1 + below(2); i > 0; --i) place(*model_.files()[below(2)].root, cls);
    for (std::size_t i = 0; i < 400; ++i) grow();
    for (Object* object : model_.objects()) set_attributes(*object);
    // Some ids contain names that references lead to, so these come first.
    for (const std::string_view first : {"namespace", "runnable", "parameter", ""}) {
      find_targets();
      for (Object* object : model_.objects()) set_references(*object, first);
    }
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  Object& place(Object& root, ClassId cls) {
    const Step& step = ways_.at(cls);
    if (step.feature == nullptr) return root;
    Object& owner = place(root, step.owner);
    if (!step.feature->many())
      if (Object* present = owner.child(step.feature->name); present != nullptr && present->cls() == cls)
        return *present;
    if (!step.feature->many()) owner.take_all(step.feature->name);
    return owner.create(step.feature->name, cls);
  }

  /// Adds an object wherever there is room for one.
  void grow() {
    const Objects objects = model_.objects();
    Object& owner = *objects[below(objects.size())];
    const auto features = metamodel::all_features(owner.cls(), version_);
    if (features.empty()) return;
    const Feature& feature = *features[below(features.size())];
    if (feature.type == no_class || (!feature.many() && owner.child(feature.name) != nullptr)) return;
    std::vector<ClassId> fitting;
    for (const auto& [cls, step] : ways_)
      if (holds(feature, cls, version_)) fitting.push_back(cls);
    if (!fitting.empty()) owner.create(feature.name, fitting[below(fitting.size())]);
  }

  std::string text() {
    constexpr std::array<std::string_view, 12> odd{"plain", "a b", "<&>\"'", "ä µ €", "x/y:z", "",
                                                   "#",     "%3F", "1",      "a\tb",  "a\nb",  "-- >"};
    return std::string(odd[below(odd.size())]);
  }

  std::string value(const Feature& attribute) {
    const bool positive = attribute.data_type != no_data_type;
    const auto integer = [&] {
      const auto size = static_cast<std::int64_t>(1 + below(100000));
      return fmt::format("{}", positive || below(2) == 0 ? size : -size);
    };
    switch (value_kind(attribute, version_)) {
      case ValueKind::text:
        return text();
      case ValueKind::boolean:
        return below(2) == 0 ? "true" : "false";
      case ValueKind::int32:
      case ValueKind::int64:
        return below(4) == 0 && !positive ? "0" : integer();
      case ValueKind::big_integer:
        return below(3) == 0 ? integer() + "12345678901234567890" : integer();
      case ValueKind::address:
        return below(2) == 0 ? fmt::format("0X{:X}", below(1U << 30U)) : fmt::format("{}", below(100000));
      case ValueKind::real32:
      case ValueKind::real64:
        return below(3) == 0 ? fmt::format("{}e{}", 1 + below(9), below(7)) : integer() + ".125";
      case ValueKind::literal: {
        const auto literals = metamodel::info(attribute.enumeration).literals_in(version_);
        return std::string(literals[below(literals.size())]);
      }
    }
    return {};
  }

  void set_attributes(Object& object) {
    for (const Feature* feature : metamodel::all_features(object.cls(), version_)) {
      if (feature->kind != FeatureKind::attribute || !feature->stored()) continue;
      if (feature->name == "name")
        object.set("name", fmt::format("{}{}", text(), ++names_));
      else if (below(2) == 0)
        object.set(feature->name, value(*feature));
    }
  }

  struct Target {
    std::string id;
    ClassId cls;
    std::size_t file;
  };

  /// What references can lead to, with ids as a reader of the files computes them.
  void find_targets() {
    targets_.clear();
    for (std::size_t i = 0; i < 2; ++i) {
      Diagnostics diagnostics;
      const auto& file = model_.files()[i];
      auto read = importer::read_model_from_bytes(file.path, write_emf_form(*file.root, version_), {}, diagnostics);
      REQUIRE(read);
      const Document& document = *read->documents().front();
      for (std::uint32_t at = 0; at < document.size(); ++at)
        if (auto id = computed_id(document.element(at)); id && !document.element(at).name().empty())
          targets_.push_back({std::move(*id), *document.element(at).cls(), i});
    }
  }

  void set_references(Object& object, std::string_view only) {
    const std::size_t file = file_of(object);
    for (const Feature* feature : metamodel::all_features(object.cls(), version_)) {
      if (feature->kind != FeatureKind::reference || !feature->stored()) continue;
      const bool early = feature->name == "namespace" || feature->name == "runnable" || feature->name == "parameter";
      if (only.empty() ? early : feature->name != only) continue;
      const bool sometimes_remote = only.empty() && below(3) == 0;
      std::vector<std::string> taken;
      for (std::size_t i = feature->many() ? below(4) : below(2); i > 0; --i) {
        const Target* target = any_target(*feature, sometimes_remote ? std::nullopt : std::optional(file));
        if (target == nullptr || std::find(taken.begin(), taken.end(), target->id) != taken.end()) continue;
        taken.push_back(target->id);
        if (target->file == file)
          object.add_reference(feature->name, target->id);
        else
          object.add_remote_reference(feature->name, "amlt:/#" + target->id);
      }
    }
  }

  const Target* any_target(const Feature& feature, std::optional<std::size_t> file) {
    std::vector<const Target*> fitting;
    for (const Target& target : targets_)
      if ((!file || target.file == *file) &&
          (feature.type == no_class || metamodel::is_a(target.cls, feature.type, version_)))
        fitting.push_back(&target);
    return fitting.empty() ? nullptr : fitting[below(fitting.size())];
  }

  std::size_t file_of(const Object& object) const {
    const Object* root = &object;
    while (root->owner() != nullptr) root = root->owner();
    return root == model_.files()[0].root.get() ? 0 : 1;
  }

  EditableModel& model_;
  Version version_;
  std::map<ClassId, Step> ways_;
  std::mt19937_64 random_;
  std::size_t names_ = 0;
  std::vector<Target> targets_;
};

}  // namespace

std::vector<ClassId> containable_classes(Version version) {
  std::vector<ClassId> found;
  for (const auto& [cls, step] : ways(version)) found.push_back(cls);
  return found;
}

void fill_with_random_model(EditableModel& model, Version version, std::uint64_t seed) {
  Generator(model, version, seed).run();
}

}  // namespace test
