// SPDX-License-Identifier: Apache-2.0
#include "difference/conflicts.hpp"

#include <array>
#include <functional>
#include <optional>

#include "amalthea/emf_form.hpp"

namespace amalthea::difference {
namespace {

using Kind = Conflict::Kind;

bool is_within(const Object* object, const Object* container) {
  for (; object != nullptr; object = object->owner())
    if (object == container) return true;
  return false;
}

/// The object of the base that holds what was added.
const Object* base_owner(const Change& added, const Comparison& comparison) {
  const auto owner = comparison.in_older.find(added.newer->owner());
  return owner == comparison.in_older.end() ? nullptr : owner->second;
}

/// Whether the change introduces a reference to an object of the base, or to something in it.
bool leads_to(const Change& change, const Object* target, const Comparison& comparison) {
  const std::function<bool(const Object&, bool)> refers = [&](const Object& object, bool deep) {
    for (const Field& field : object.fields()) {
      if (field.kind == FieldKind::value || field.target == nullptr) continue;
      if (!deep && object.model().name(field.name) != change.feature) continue;
      const auto partner = comparison.in_older.find(field.target);
      if (partner != comparison.in_older.end() && is_within(partner->second, target)) return true;
    }
    if (!deep) return false;
    for (const OwnedObject& child : object.children())
      if (refers(*child, true)) return true;
    return false;
  };
  if (change.newer == nullptr) return false;
  if (change.form == Change::Form::references) return refers(*change.newer, false);
  return change.kind == difference::Kind::added && refers(*change.newer, true);
}

/// What the removal on one side and the change on the other one mean together.
std::optional<Kind> with_removal(const Change& removal, const Change& change, const Comparison& comparison) {
  if (change.kind == difference::Kind::removed) return std::nullopt;
  const Object* place = change.kind == difference::Kind::added ? base_owner(change, comparison)
                                                               : static_cast<const Object*>(change.older);
  if (place != nullptr && is_within(place, removal.older)) return Kind::removed_and_changed;
  if (leads_to(change, removal.older, comparison)) return Kind::removed_and_used;
  return std::nullopt;
}

class Finder {
 public:
  Finder(const Comparison& ours, const Comparison& theirs, Version version)
      : ours_(ours), theirs_(theirs), version_(version) {}

  std::optional<Kind> between(const Change& our, const Change& their) const {
    if (our.kind == difference::Kind::removed) return with_removal(our, their, theirs_);
    if (their.kind == difference::Kind::removed) return with_removal(their, our, ours_);
    if (our.kind == difference::Kind::added || their.kind == difference::Kind::added) {
      if (our.kind != their.kind || our.subject != their.subject || our.place != their.place) return std::nullopt;
      // Unnamed items are added independently, such as two calls at the same position.
      if (!our.place.empty()) return std::nullopt;
      return write_fragment(*our.newer, version_) == write_fragment(*their.newer, version_)
                 ? std::nullopt
                 : std::optional(Kind::added_differently);
    }
    const bool same = our.older == their.older && our.kind == their.kind && our.feature == their.feature;
    return same && our.after != their.after ? std::optional(Kind::changed_differently) : std::nullopt;
  }

 private:
  const Comparison& ours_;
  const Comparison& theirs_;
  Version version_;
};

}  // namespace

std::string_view to_string(Conflict::Kind kind) {
  constexpr std::array<std::string_view, 4> names = {"changed differently", "added differently", "removed and changed",
                                                     "removed and used"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Conflict> conflicts(const Comparison& ours, const Comparison& theirs, Version version) {
  const Finder finder(ours, theirs, version);
  std::vector<Conflict> found;
  for (const Change& our : ours.changes)
    for (const Change& their : theirs.changes)
      if (const auto kind = finder.between(our, their)) found.push_back({*kind, our, their});
  return found;
}

}  // namespace amalthea::difference
