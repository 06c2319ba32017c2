// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// References by position, as EMF writes them for objects without an id: "//@swModel/@tasks.3/@customProperties.0". "/"
/// is the root; "@tag.n" the n-th child with that tag, counting from 0; "@tag" the first.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "amalthea/element.hpp"

namespace amalthea {

/// The element at a position, or an empty one. Linear in the number of children along the path.
Element at_position(const Document& document, std::string_view position);

/// The same for many positions in one document: each list of children is scanned once.
class PositionFinder {
 public:
  explicit PositionFinder(const Document& document) : document_(document) {}
  Element find(std::string_view position);

 private:
  const Document& document_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> children_;  // by parent and tag
};

}  // namespace amalthea
