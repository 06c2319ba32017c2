// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Suggestions for a name that does not exist.

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace amalthea {

/// Number of characters to add, drop, replace or swap with their neighbor to turn one text into the other; `most` + 1
/// if it exceeds `most`. Case-insensitive. Compares the first 100 bytes of longer texts.
std::size_t spelling_distance(std::string_view a, std::string_view b, std::size_t most);

/// Finds the offered names closest to `wanted`: the ones with the fewest differences, if these are few for the length
/// of the name, else those where one name abbreviates the other. Among equals, the order of offering. All texts must
/// outlive this object.
class NearMisses {
 public:
  static constexpr std::size_t max_suggested = 3;
  /// Later candidates are not compared, to limit the time for large models.
  static constexpr std::size_t max_compared = 100'000;

  explicit NearMisses(std::string_view wanted);
  /// `telling`: the distinctive part of `wanted`; its length limits the number of differences.
  NearMisses(std::string_view wanted, std::string_view telling);

  void offer(std::string_view known) { offer(known, known); }
  /// Compares `known` and suggests `shown`.
  void offer(std::string_view known, std::string_view shown);
  /// The same for a name whose distance is already known.
  void offer(std::size_t distance, std::string_view shown);
  /// `name_of`: a member such as &Task::name, or a function.
  template <typename Items, typename NameOf = std::identity>
  NearMisses& offer_all(const Items& items, NameOf name_of = {}) {
    for (const auto& item : items) offer(std::invoke(name_of, item));
    return *this;
  }

  /// The closest names, each once; may be empty.
  const std::vector<std::string_view>& nearest() const { return nearest_; }
  /// `; did you mean "A" or "B"?`, or an empty text.
  std::string suggestion() const;
  /// That, or else a list: `; there are "A", "B", "C" and 12 more`.
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

/// NearMisses::suggestion() for a list of names, or of things that have one.
template <typename Items, typename NameOf = std::identity>
std::string did_you_mean(std::string_view wanted, const Items& items, NameOf name_of = {}) {
  return NearMisses(wanted).offer_all(items, name_of).suggestion();
}

/// NearMisses::suggestion_or_list() for the same.
template <typename Items, typename NameOf = std::identity>
std::string did_you_mean_or_list(std::string_view wanted, const Items& items, NameOf name_of = {}) {
  return NearMisses(wanted).offer_all(items, name_of).suggestion_or_list();
}

/// For a path without a file: the files in the same folder with similar names, as `; did you mean …?`. A common
/// extension such as .amxmi does not make names similar. `suits`, if any, says which file names may be suggested.
std::string did_you_mean_file(const std::string& path, bool (*suits)(std::string_view) = nullptr);

}  // namespace amalthea
