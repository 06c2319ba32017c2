// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Holes: small changes that leave a model with less, or with something that contradicts the rest. One feature of one
/// element is removed, emptied, repeated, moved or contradicted.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/element.hpp"
#include "tests/support/mutated_model.hpp"

namespace holes {

enum class Kind : std::uint8_t { absent, empty, repeated, out_of_range, contradicting, misplaced, other_file };
inline constexpr std::array kinds{Kind::absent,        Kind::empty,     Kind::repeated,  Kind::out_of_range,
                                  Kind::contradicting, Kind::misplaced, Kind::other_file};
std::string_view to_string(Kind);

/// The files of a model by name. The place of a hole is marked by comments.
using Files = std::vector<std::pair<std::string, test::XmlNode>>;
inline constexpr std::string_view mark = "<!--here-->";

struct Hole {
  std::string feature;  ///< "PeriodicStimulus.recurrence"
  Kind kind = Kind::absent;
  std::string what;               ///< which of several ways
  bool refers_elsewhere = false;  ///< only refers to another object of the right class
  std::size_t node = 0;           ///< the element that has the feature, in document order
  /// Makes the hole in the first file. False: another hole has changed the element.
  std::function<bool(Files&)> make;
};

/// Names in the sources of the views and builders: what has none of them is not read.
bool is_read(std::string_view feature);

/// All holes of the first `most` elements per feature. `model` is read from `root` as written.
std::vector<Hole> holes_of(const test::XmlNode& root, const amalthea::Model& model, std::size_t most);

}  // namespace holes
