// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What may have been meant by a name that nobody has.

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amalthea {

/// How many characters have to be added, dropped or replaced, or swapped with their neighbour, to turn one text into
/// the other; `most` + 1 when it is more than `most`. Capital letters count as small ones. Of longer texts the first
/// 100 bytes are compared.
std::size_t spelling_distance(std::string_view a, std::string_view b, std::size_t most);

/// Finds the names next to `wanted` among those that are offered: the ones with the fewest differences, if these are
/// few for the length of the name, else those that one abbreviates to the other. Of equals the first offered come
/// first. Texts must live as long as this.
class NearMisses {
 public:
  static constexpr std::size_t max_suggested = 3;
  /// Later candidates are not compared, so that a large model takes no longer.
  static constexpr std::size_t max_compared = 100'000;

  explicit NearMisses(std::string_view wanted);
  /// `telling`: the part of `wanted` that tells it from others; its length says how many differences are few.
  NearMisses(std::string_view wanted, std::string_view telling);

  void offer(std::string_view known) { offer(known, known); }
  /// Compares `known` and suggests `shown`.
  void offer(std::string_view known, std::string_view shown);
  /// The same for what is known to be near in another way.
  void offer(std::size_t distance, std::string_view shown);
  /// `name_of`: a member such as &Task::name, or a function.
  template <typename Items, typename NameOf = std::identity>
  NearMisses& offer_all(const Items& items, NameOf name_of = {}) {
    for (const auto& item : items) offer(std::invoke(name_of, item));
    return *this;
  }

  /// The nearest, or nothing; each once.
  const std::vector<std::string_view>& nearest() const { return nearest_; }
  /// `; did you mean "A" or "B"?`, or nothing.
  std::string suggestion() const;
  /// That, or else what there is: `; there are "A", "B", "C" and 12 more`.
  std::string suggestion_or_list() const;

 private:
  std::string_view wanted_;
  std::size_t limit_;
  std::size_t best_ = std::numeric_limits<std::size_t>::max();
  std::size_t compared_ = 0;
  std::vector<std::string_view> nearest_;
  std::vector<std::string_view> first_;  // offered
  std::size_t offered_ = 0;
};

/// NearMisses::suggestion() of a list of names, or of things that have one.
template <typename Items, typename NameOf = std::identity>
std::string did_you_mean(std::string_view wanted, const Items& items, NameOf name_of = {}) {
  return NearMisses(wanted).offer_all(items, name_of).suggestion();
}

/// NearMisses::suggestion_or_list() of the same.
template <typename Items, typename NameOf = std::identity>
std::string did_you_mean_or_list(std::string_view wanted, const Items& items, NameOf name_of = {}) {
  return NearMisses(wanted).offer_all(items, name_of).suggestion_or_list();
}

/// Of a path that leads to no file: the files of the same folder that have nearly its name, as `; did you mean …?`.
/// An ending such as .amxmi makes no two names alike.
std::string did_you_mean_file(const std::string& path);

}  // namespace amalthea
