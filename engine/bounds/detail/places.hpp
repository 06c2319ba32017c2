// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which steps of a flattened program a job may leave out together.

#include <cstddef>
#include <vector>

#include "engine/program/program.hpp"

namespace amalthea::engine::bounds {

/// The steps [begin, end) of an alternative of a branch, or of the whole program.
struct Place {
  std::size_t begin = 0, end = 0;

  /// A job that executes any of its steps reaches this one, if it comes after them or belongs to no inner alternative.
  bool contains(std::size_t step) const { return step >= begin && step < end; }
  bool operator==(const Place&) const = default;
};

/// For each step, the innermost alternative that contains it, or the whole program.
std::vector<Place> places_of(const std::vector<Step>& steps);

/// For each step, whether it belongs to an alternative.
std::vector<bool> in_branches(const std::vector<Step>& steps);

/// Whether the steps are in different alternatives of a branch, of which a job takes at most one.
bool exclude_each_other(const std::vector<Step>& steps, std::size_t a, std::size_t b);

}  // namespace amalthea::engine::bounds
