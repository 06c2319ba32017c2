// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the values and lists of a model mean: equal values of different text, lists whose order counts, and how an
/// object is named in a comparison.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/editable_model.hpp"
#include "amalthea/metamodel.hpp"
#include "difference/comparison.hpp"

namespace amalthea::difference::detail {

/// The part of a model that a child of the root belongs to ("swModel").
Part part_of(std::string_view sub_model);

/// Of models that stay as they are while it is asked.
class Meaning {
 public:
  explicit Meaning(Version version) : version_(version) {}

  /// The value of an attribute in EMF's form; nothing if it says nothing: it is the default, or only serves the file
  /// (xmi:id).
  std::optional<std::string> value(const Object& object, const Field& field);
  /// The value of the attribute or its default; nothing without either.
  std::optional<std::string> value_or_default(const Object& object, std::string_view name);
  /// A time, frequency, size or rate in one canonical text: "5000000000 ps". Nothing for other objects.
  std::optional<std::string> quantity(const Object& object) const;

  bool is_referable(ClassId cls) const;
  bool is_many(const Object& owner, std::string_view feature);
  /// Whether the order of the list has a meaning.
  bool is_ordered(const Object& owner, std::string_view feature) const;
  /// Whether the feature identifies an unnamed object among its siblings: a reference that the class requires, a key.
  bool is_key(const Object& object, std::string_view feature);
  /// Whether the reference must have a target.
  bool is_required(const Object& object, std::string_view feature);

  /// "DASM?type=Task" for "amlt:/#DASM?type=Task".
  static std::string target_id(const Field& field);
  /// "DASM" for it.
  std::string target_name(const Field& field) const;
  std::string targets_text(const std::vector<Field>& targets) const;
  /// "5 ms", "Ticks(default 100)", "Task DASM": what the object is, on one line.
  std::string brief(const Object& object);
  std::string owner_text(const Object& object);
  /// The nearest named or keyed object, and the path from there.
  std::pair<std::string, std::string> subject_and_place(const Object& object);

 private:
  const Feature* feature(ClassId cls, std::string_view name);
  std::string key_text(const Object& object);
  /// How many siblings with its feature precede it. All children of an owner are counted at once.
  std::size_t index_among_siblings(const Object& object);

  Version version_;
  std::unordered_map<const Object*, std::size_t> indices_;
  std::unordered_map<std::string, const Feature*> features_;
};

}  // namespace amalthea::difference::detail
