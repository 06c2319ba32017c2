// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much long tests do: what a build server has time for, or five times that with AMALTHEA_THOROUGH=1
/// (`tools/run-tests --thorough`).

#include <cstdlib>

namespace test {

inline bool is_thorough() { return std::getenv("AMALTHEA_THOROUGH") != nullptr; }

template <typename Count>
Count times(Count count) {
  return is_thorough() ? 5 * count : count;
}

}  // namespace test
