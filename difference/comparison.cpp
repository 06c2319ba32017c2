// SPDX-License-Identifier: Apache-2.0
#include "difference/comparison.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "difference/detail/alignment.hpp"
#include "difference/detail/meaning.hpp"

namespace amalthea::difference {
namespace {

using detail::Hash;
using detail::mix;

/// The search for renamed objects compares at most this many pairs of each class.
constexpr std::size_t max_rename_pairs = 100'000;

/// What is known of an object during the comparison.
struct Facts {
  Hash whole = 0;            ///< of the object with all below it
  Hash content = 0;          ///< the same without its own name
  std::uint32_t number = 0;  ///< common to both objects of a pair; 0: not matched
};

struct Side {
  EditableModel& model;
  std::unordered_map<const Object*, Facts> facts;
  std::unordered_map<std::string, Object*> by_id;  ///< null for an id that several objects share

  explicit Side(EditableModel& shown) : model(shown) {}
};

class Comparer {
 public:
  Comparer(EditableModel& older, EditableModel& newer, Version version)
      : older_(older), newer_(newer), meaning_(version), version_(version) {}

  Comparison compare() {
    list_ids(older_);
    list_ids(newer_);
    match_ids();
    hash_all();
    while (match_renamed()) hash_all();
    std::vector<Object*> older_roots, newer_roots;
    for (const auto& file : older_.model.files()) older_roots.push_back(file.root.get());
    for (const auto& file : newer_.model.files()) newer_roots.push_back(file.root.get());
    for (Object* root : newer_roots) result_.in_older.emplace(root, older_roots.front());
    compare_contents(older_roots, newer_roots, 0);
    std::stable_sort(result_.changes.begin(), result_.changes.end(),
                     [](const Change& a, const Change& b) { return a.part < b.part; });
    return std::move(result_);
  }

 private:
  using List = std::vector<Object*>;

  // ---- matching of the whole models

  void list_ids(Side& side) {
    side.facts.reserve(side.model.object_count());
    side.model.for_each([&](Object& object) {
      side.facts.emplace(&object, Facts{});
      if (object.name().empty()) return;
      if (auto id = computed_id(object, version_)) {
        const auto [place, is_new] = side.by_id.emplace(std::move(*id), &object);
        if (!is_new) place->second = nullptr;
      }
    });
  }

  void match_ids() {
    // In document order, so that the numbers are the same in every run.
    newer_.model.for_each([&](Object& object) {
      if (object.name().empty()) return;
      const auto id = computed_id(object, version_);
      if (!id) return;
      const auto there = newer_.by_id.find(*id), here = older_.by_id.find(*id);
      if (there->second == &object && here != older_.by_id.end() && here->second != nullptr)
        match(*here->second, object);
    });
  }

  void match(Object& older, Object& newer) {
    older_.facts[&older].number = newer_.facts[&newer].number = ++pairs_;
    result_.in_newer.emplace(&older, &newer);
    result_.in_older.emplace(&newer, &older);
  }

  Object* partner_of(const Object& older) const {
    const auto found = result_.in_newer.find(&older);
    return found == result_.in_newer.end() ? nullptr : found->second;
  }

  void hash_all() {
    for (Side* side : {&older_, &newer_})
      for (const auto& file : side->model.files()) hash(*side, *file.root);
  }

  Hash hash(Side& side, const Object& object) {
    Facts& facts = side.facts.find(&object)->second;
    if (const auto quantity = meaning_.quantity(object)) {
      facts.whole = facts.content = mix(detail::hash_text(*quantity), static_cast<Hash>(object.cls()));
      return facts.whole;
    }
    Hash content = static_cast<Hash>(object.cls()) + 1;
    Hash name = 0;
    for (const Field& field : object.fields()) {
      const std::string_view key = side.model.name(field.name);
      Hash value = 0;
      if (field.kind != FieldKind::value) {
        value = reference_hash(side, field);
      } else {
        const auto meant = meaning_.value(object, field);
        if (!meant) continue;
        value = detail::hash_text(*meant);
        if (key == "name") {
          name = value;
          continue;
        }
      }
      content += mix(detail::hash_text(key), value);  // in any order
    }
    Hash position = 0;
    for (const OwnedObject& child : object.children()) {
      Hash value = mix(detail::hash_text(child->feature()), hash(side, *child));
      if (meaning_.is_ordered(object, child->feature())) value = mix(value, ++position);
      content += value;
    }
    facts.content = content;
    facts.whole = mix(content, name);
    return facts.whole;
  }

  /// Of what the reference leads to: the pair, or else the text.
  Hash reference_hash(Side& side, const Field& field) {
    const Object* target = field.target;
    if (target == nullptr) {  // of a reference that a migration made
      const auto named = side.by_id.find(detail::Meaning::target_id(field));
      if (named != side.by_id.end()) target = named->second;
    }
    if (target != nullptr) {
      const auto known = side.facts.find(target);
      if (known != side.facts.end() && known->second.number != 0) return mix(known->second.number, 7);
    }
    return detail::hash_text(meaning_.target_name(field));
  }

  /// Named objects of one class without partner; those that are removed with their owner stay out.
  std::map<ClassId, List> unmatched(Side& side) {
    std::map<ClassId, List> found;
    side.model.for_each([&](Object& object) {
      if (object.name().empty() || object.owner() == nullptr || side.facts[&object].number != 0) return;
      if (meaning_.is_referable(object.cls())) found[object.cls()].push_back(&object);
    });
    return found;
  }

  bool match_renamed() {
    const auto old_ones = unmatched(older_);
    auto new_ones = unmatched(newer_);
    bool any = false;
    for (const auto& [cls, olds] : old_ones) {
      List& news = new_ones[cls];
      if (news.empty()) continue;
      any = match_equal_contents(olds, news) || any;
      any = match_similar(olds, news) || any;
    }
    return any;
  }

  /// Objects whose content occurs once on either side.
  bool match_equal_contents(const List& olds, const List& news) {
    std::map<Hash, std::pair<List, List>> by_content;
    for (Object* object : olds) by_content[older_.facts[object].content].first.push_back(object);
    for (Object* object : news) by_content[newer_.facts[object].content].second.push_back(object);
    bool any = false;
    for (const auto& [content, both] : by_content)
      if (both.first.size() == 1 && both.second.size() == 1) {
        match(*both.first.front(), *both.second.front());
        any = true;
      }
    return any;
  }

  bool is_matched(Side& side, const Object* object) { return side.facts[object].number != 0; }

  /// Of the rest, the most similar ones first; at least two thirds of their parts must be equal.
  bool match_similar(const List& olds, const List& news) {
    if (olds.size() * news.size() > max_rename_pairs) return false;
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < olds.size(); ++i)
      for (std::size_t k = 0; k < news.size(); ++k) {
        if (is_matched(older_, olds[i]) || is_matched(newer_, news[k])) continue;
        const double likeness = similarity(*olds[i], *news[k]);
        if (likeness >= 2.0 / 3) pairs.emplace_back(-likeness, i, k);
      }
    std::sort(pairs.begin(), pairs.end());
    bool any = false;
    for (const auto& [likeness, i, k] : pairs)
      if (!is_matched(older_, olds[i]) && !is_matched(newer_, news[k])) {
        match(*olds[i], *news[k]);
        any = true;
      }
    return any;
  }

  /// Hashes of an object's values, references and contents, two levels deep.
  std::vector<Hash> parts_of(Side& side, const Object& object, int depth) {
    std::vector<Hash> parts;
    for (const Field& field : object.fields()) {
      const std::string_view key = side.model.name(field.name);
      if (field.kind == FieldKind::value && key == "name") continue;
      const auto meant =
          field.kind == FieldKind::value ? meaning_.value(object, field) : std::optional<std::string>(std::string());
      if (!meant) continue;
      parts.push_back(mix(detail::hash_text(key),
                          field.kind == FieldKind::value ? detail::hash_text(*meant) : reference_hash(side, field)));
    }
    for (const OwnedObject& child : object.children()) {
      if (depth > 0 && !child->children().empty()) {
        const auto below = parts_of(side, *child, depth - 1);
        parts.insert(parts.end(), below.begin(), below.end());
      } else {
        parts.push_back(mix(detail::hash_text(child->feature()), side.facts[child.get()].whole));
      }
    }
    std::sort(parts.begin(), parts.end());
    return parts;
  }

  /// The share of common parts; 0 where one has hardly any.
  double similarity(const Object& older, const Object& newer) {
    const auto left = parts_of(older_, older, 2), right = parts_of(newer_, newer, 2);
    if (left.size() < 3 || right.size() < 3) return 0;
    std::vector<Hash> common;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(common));
    return static_cast<double>(common.size()) / static_cast<double>(std::max(left.size(), right.size()));
  }

  // ---- comparison of pairs

  /// Sub-models may be spread over files, so that the roots, and their children, form one object.
  void compare_contents(const List& olds, const List& news, int depth) {
    struct Lists {
      std::string_view feature;
      List left, right;
    };
    std::vector<Lists> features;
    std::unordered_map<std::string_view, std::size_t> known;  // unknown elements may have as many tags
    const auto gather = [&](const List& objects, List Lists::*side) {
      for (const Object* object : objects)
        for (const OwnedObject& child : object->children()) {
          const auto [at, is_new] = known.emplace(child->feature(), features.size());
          if (is_new) features.push_back({child->feature(), {}, {}});
          (features[at->second].*side).push_back(child.get());
        }
    };
    gather(news, &Lists::right);
    gather(olds, &Lists::left);
    for (const auto& [feature, left, right] : features) {
      if (depth == 0 && !meaning_.is_many(*(news.empty() ? olds : news).front(), feature)) {
        if (depth == 0) part_ = detail::part_of(feature);
        for (Object* one : right)
          if (!left.empty()) result_.in_older.emplace(one, left.front());
        compare_contents(left, right, 1);
        continue;
      }
      if (depth == 0) part_ = detail::part_of(feature);
      compare_lists(left, right, feature, olds, news);
    }
  }

  void compare_lists(const List& left, const List& right, std::string_view feature, const List& old_owners,
                     const List& new_owners) {
    if (left.empty() && right.empty()) return;
    const Object& owner = *(new_owners.empty() ? old_owners : new_owners).front();
    const bool many = meaning_.is_many(owner, feature);
    if (!many && left.size() == 1 && right.size() == 1 && !partner_of(*left[0]) && !result_.in_older.count(right[0])) {
      match(*left[0], *right[0]);
      compare_pair(*left[0], *right[0]);
      return;
    }
    const bool ordered = many && meaning_.is_ordered(owner, feature);
    // Objects that are matched already keep their partner, here or elsewhere.
    List open_left, open_right;
    for (Object* object : left)
      if (!partner_of(*object)) open_left.push_back(object);
    for (Object* object : right)
      if (result_.in_older.count(object) == 0) open_right.push_back(object);
    align(open_left, open_right, ordered);

    for (Object* object : right) {
      const auto partner = result_.in_older.find(object);
      if (partner == result_.in_older.end())
        report(Kind::added, nullptr, object, feature);
      else
        compare_pair(*partner->second, *object);
    }
    for (Object* object : left)
      if (!partner_of(*object)) report(Kind::removed, object, nullptr, feature);
    if (ordered) compare_order(left, right, feature, new_owners, old_owners);
  }

  /// Matches unnamed objects of two lists.
  void align(const List& left, const List& right, bool ordered) {
    const auto by_whole = [&](Side& side) {
      return [&side](const Object* object) { return side.facts[object].whole; };
    };
    const auto by_key = [&](Side& side) {
      return [this, &side](const Object* object) {
        Hash key = static_cast<Hash>(object->cls()) + 3;
        for (const Field& field : object->fields())
          if (meaning_.is_key(*object, side.model.name(field.name)))
            key += field.kind == FieldKind::value ? detail::hash_text(field.text) : reference_hash(side, field);
        return mix(key, 1);
      };
    };
    const auto take = [&](std::size_t i, std::size_t k) { match(*left[i], *right[k]); };
    detail::align(detail::keys_of(left, by_whole(older_)), detail::keys_of(right, by_whole(newer_)),
                  detail::keys_of(left, by_key(older_)), detail::keys_of(right, by_key(newer_)), ordered, take);
  }

  void compare_order(const List& left, const List& right, std::string_view feature, const List& new_owners,
                     const List& old_owners) {
    List expected, found;
    for (Object* object : left)
      if (Object* partner = partner_of(*object); partner != nullptr && partner->owner() == new_owners.front())
        expected.push_back(partner);
    for (Object* object : right)
      if (const auto partner = result_.in_older.find(object);
          partner != result_.in_older.end() && partner->second->owner() == old_owners.front())
        found.push_back(object);
    if (expected == found) return;
    Change change = about(Kind::reordered, old_owners.front(), new_owners.front(), feature);
    for (const Object* object : expected)
      change.before += fmt::format("{}{}", change.before.empty() ? "" : ", ", meaning_.brief(*object));
    for (const Object* object : found)
      change.after += fmt::format("{}{}", change.after.empty() ? "" : ", ", meaning_.brief(*object));
    result_.changes.push_back(std::move(change));
  }

  void compare_pair(Object& older, Object& newer) {
    const auto owners_match = [&] {
      if (newer.owner() == nullptr || older.owner() == nullptr) return true;
      if (is_pool(*newer.owner()) || is_pool(*older.owner()))
        return is_pool(*newer.owner()) && is_pool(*older.owner()) &&
               newer.owner()->feature() == older.owner()->feature();
      const auto owner = result_.in_older.find(newer.owner());
      return owner != result_.in_older.end() && owner->second == older.owner();
    };
    if (!owners_match()) {
      Change change = about(Kind::moved, &older, &newer, newer.feature());
      change.before = meaning_.owner_text(older);
      change.after = meaning_.owner_text(newer);
      result_.changes.push_back(std::move(change));
    }
    if (older_.facts[&older].whole == newer_.facts[&newer].whole) return match_below(older, newer);
    const auto before = meaning_.quantity(older), after = meaning_.quantity(newer);
    if (older.cls() != newer.cls() || before || after) {
      if (before && after && *before == *after) return;
      Change change = about(Kind::changed, &older, &newer, newer.feature());
      change.form = Change::Form::value;
      change.before = meaning_.brief(older);
      change.after = meaning_.brief(newer);
      result_.changes.push_back(std::move(change));
      return;
    }
    compare_fields(older, newer);
    compare_contents({&older}, {&newer}, 2);
  }

  /// Roots and sub-models.
  static bool is_pool(const Object& object) {
    return object.owner() == nullptr || (object.owner()->owner() == nullptr && object.name().empty());
  }

  /// Equal objects: what they contain is matched by position, for those who apply changes elsewhere.
  void match_below(Object& older, Object& newer) {
    if (older.children().size() != newer.children().size()) return;
    for (std::size_t i = 0; i < older.children().size(); ++i) {
      Object &left = *older.children()[i], &right = *newer.children()[i];
      if (left.feature() != right.feature() || left.cls() != right.cls() ||
          older_.facts[&left].whole != newer_.facts[&right].whole)
        return;
      if (!partner_of(left) && result_.in_older.count(&right) == 0) {
        result_.in_newer.emplace(&left, &right);
        result_.in_older.emplace(&right, &left);
      }
      if (partner_of(left) == &right) match_below(left, right);
    }
  }

  void compare_fields(Object& older, Object& newer) {
    std::vector<std::string_view> names;
    const auto list = [&](const Object& object) {
      for (const Field& field : object.fields()) {
        const std::string_view name = object.model().name(field.name);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    };
    list(newer);
    list(older);
    for (const std::string_view name : names) {
      const auto before = meaning_.value_or_default(older, name), after = meaning_.value_or_default(newer, name);
      if (before != after) {
        const bool rename = name == "name" && before && after;
        Change change = about(rename ? Kind::renamed : Kind::changed, &older, &newer, name);
        change.form = Change::Form::attribute;
        change.before = before.value_or("");
        change.after = after.value_or("");
        result_.changes.push_back(std::move(change));
      }
      const std::vector<Field> left = older.references(name), right = newer.references(name);
      if (left.empty() && right.empty()) continue;
      const bool ordered = meaning_.is_ordered(newer, name);
      std::vector<Hash> old_targets, new_targets;
      for (const Field& field : left) old_targets.push_back(reference_hash(older_, field));
      for (const Field& field : right) new_targets.push_back(reference_hash(newer_, field));
      if (!ordered) {
        std::sort(old_targets.begin(), old_targets.end());
        std::sort(new_targets.begin(), new_targets.end());
      }
      if (old_targets == new_targets) continue;
      Change change = about(Kind::changed, &older, &newer, name);
      change.form = Change::Form::references;
      change.before = meaning_.targets_text(left);
      change.after = meaning_.targets_text(right);
      result_.changes.push_back(std::move(change));
    }
  }

  Change about(Kind kind, Object* older, Object* newer, std::string_view feature) {
    Change change;
    change.kind = kind;
    change.part = part_;
    const Object& shown = newer != nullptr ? *newer : *older;
    std::tie(change.subject, change.place) = meaning_.subject_and_place(shown);
    change.feature = feature;
    change.older = older;
    change.newer = newer;
    return change;
  }

  void report(Kind kind, Object* older, Object* newer, std::string_view feature) {
    Change change = about(kind, older, newer, feature);
    const Object& object = newer != nullptr ? *newer : *older;
    if (!change.place.empty()) (newer != nullptr ? change.after : change.before) = meaning_.brief(object);
    result_.changes.push_back(std::move(change));
    // What it contained may have gone elsewhere, and what it contains may come from elsewhere.
    if (newer != nullptr) report_arrivals(*newer);
  }

  void report_arrivals(const Object& added) {
    for (const OwnedObject& child : added.children()) {
      if (const auto partner = result_.in_older.find(child.get()); partner != result_.in_older.end())
        compare_pair(*partner->second, *child);
      else
        report_arrivals(*child);
    }
  }

  Side older_, newer_;
  detail::Meaning meaning_;
  Version version_;
  Comparison result_;
  std::uint32_t pairs_ = 0;
  Part part_ = Part::rest;
};

}  // namespace

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 6> names = {"added", "removed", "renamed", "moved", "changed", "reordered"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Part part) {
  constexpr std::array<std::string_view, 6> names = {"software", "mapping",     "stimuli",
                                                     "hardware", "constraints", "rest"};
  return names[static_cast<std::size_t>(part)];
}

Comparison compare(EditableModel& older, EditableModel& newer, Version version) {
  return Comparer(older, newer, version).compare();
}

}  // namespace amalthea::difference
