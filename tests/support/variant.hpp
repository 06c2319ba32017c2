// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

namespace test {

/// Null if the variant holds another kind.
template <class Kind, class Variant>
auto* as(Variant& of) {
  return std::get_if<Kind>(&of);
}

}  // namespace test
