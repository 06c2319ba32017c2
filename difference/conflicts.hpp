// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The check of a three-way merge: whether two sets of changes of one model contradict each other, by object.

#include <vector>

#include "difference/comparison.hpp"

namespace amalthea::difference {

struct Conflict {
  enum class Kind : std::uint8_t {
    changed_differently,  ///< the same value, name, owner or order
    added_differently,    ///< objects of one id with different content
    removed_and_changed,  ///< one side removes what the other one changes or extends
    removed_and_used,     ///< one side removes what the other one newly refers to
  };
  Kind kind = Kind::changed_differently;
  Change ours, theirs;
};
std::string_view to_string(Conflict::Kind kind);

/// Both are comparisons with the same `base` (the same EditableModel). In the order of ours. Changes that are equal on
/// both sides are no conflict.
std::vector<Conflict> conflicts(const Comparison& ours, const Comparison& theirs, Version version);

}  // namespace amalthea::difference
