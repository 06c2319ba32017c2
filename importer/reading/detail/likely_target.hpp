// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which element a reference that leads nowhere may mean: one whose name is spelled nearly so, has another type or more
/// qualifying parts, or is written with a blank where references have a plus sign.

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
  Element element;         ///< the first of those that are as near; empty when there is none
  std::string suggestion;  ///< `; did you mean "Fuse?type=Runnable"?`, or nothing
};

class LikelyTargets {
 public:
  /// `fits` tells whether an element of the first class may stand where the second is expected.
  LikelyTargets(const Model& model, std::function<bool(ClassId, ClassId)> fits)
      : model_(model), fits_(std::move(fits)) {}

  /// For `written` in `holder`, where something of class `type` is expected. The same question is answered once, and
  /// after so many different ones, or so many comparisons, no more are: a model with many broken references takes
  /// little longer to read than others.
  const LikelyTarget& find(Element holder, std::string_view written, ClassId type);

  /// An element whose tag or class no version knows and that has the name which the reference names; empty when there
  /// is none.
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

/// "GPU/port" of "amlt:/#GPU/port?type=HwPort", as the names stand in the model.
std::string path_of_reference(std::string_view written);

}  // namespace amalthea::importer
