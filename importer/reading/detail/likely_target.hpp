// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The element that an unresolved reference probably means: one with a similar name, another type or more qualifying
/// parts, or written with a blank where references have a plus sign.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea::importer {

struct LikelyTarget {
  Element element;         ///< the first of the closest ones; empty if there is none
  std::string suggestion;  ///< `; did you mean "Fuse?type=Runnable"?`, or nothing
};

class LikelyTargets {
 public:
  /// `fits` returns whether an element of the first class is allowed where the second is expected.
  LikelyTargets(const Model& model, std::function<bool(ClassId, ClassId)> fits)
      : model_(model), fits_(std::move(fits)) {}

  /// For `written` in `holder`, where something of class `type` is expected. Repeated queries are cached, and beyond a
  /// number of different queries, or of comparisons, no more are answered, to limit the time for a model with many
  /// broken references.
  const LikelyTarget& find(Element holder, std::string_view written, ClassId type);

  /// An element with an unknown tag or class and the name in the reference; empty if there is none.
  Element unknown_element(std::string_view written);

 private:
  static constexpr std::size_t max_searched = 100;
  static constexpr std::size_t max_compared = 2'000'000;

  struct Candidate {
    Element element;
    std::string id;    ///< "GPU/port?type=HwPort"
    std::string path;  ///< "GPU/port"
  };
  const std::vector<Candidate>& candidates(ClassId type);
  LikelyTarget search(Element holder, std::string_view written, ClassId type);

  const Model& model_;
  std::function<bool(ClassId, ClassId)> fits_;
  std::map<ClassId, std::vector<Candidate>> candidates_;
  std::map<std::pair<ClassId, std::string>, LikelyTarget> found_;
  std::size_t compared_ = 0;
  bool unknown_read_ = false;
  std::unordered_map<std::string_view, Element> unknown_;  // by name
};

/// "GPU/port" for "amlt:/#GPU/port?type=HwPort", with the names as in the model.
std::string path_of_reference(std::string_view written);

}  // namespace amalthea::importer
