// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The origin of something in a System within its Model; for code without the Model, only a number.

#include <cstdint>

namespace amalthea {

/// Refers to a Model element from data that must not depend on elements (graph, results).
struct Origin {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint32_t document = none;
  std::uint32_t element = none;
  bool known() const { return element != none; }
  friend bool operator==(Origin, Origin) = default;
};

}  // namespace amalthea
