// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The extent of long tests: for a build server, five times that with AMALTHEA_THOROUGH=1 (`tools/run-tests
/// --thorough`), or a twentieth with sanitizers, which make the code slow and look for other errors.

#include <algorithm>
#include <cstdlib>

namespace test {

inline bool is_thorough() { return std::getenv("AMALTHEA_THOROUGH") != nullptr; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

template <typename Count>
Count times(Count count) {
  if (is_thorough()) return 5 * count;
  return is_sanitized ? std::max<Count>(1, count / 20) : count;
}

}  // namespace test
