// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Where something in a System comes from, for those who hold the Model; to all others just a number.

#include <cstdint>

namespace amalthea {

/// Points back into a Model from data that must not know elements (graph, results).
struct Origin {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint32_t document = none;
  std::uint32_t element = none;
  bool known() const { return element != none; }
  friend bool operator==(Origin, Origin) = default;
};

}  // namespace amalthea
