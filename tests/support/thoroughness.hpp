// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The extent of long tests: for a build server, or five times that with AMALTHEA_THOROUGH=1 (`tools/run-tests
/// --thorough`).

#include <cstdlib>

namespace test {

inline bool is_thorough() { return std::getenv("AMALTHEA_THOROUGH") != nullptr; }

template <typename Count>
Count times(Count count) {
  return is_thorough() ? 5 * count : count;
}

}  // namespace test
