// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Case of ASCII letters in keywords, independent of the locale.

#include <algorithm>
#include <string>
#include <string_view>

namespace amalthea {

/// Converts ASCII capital letters to lower case; leaves everything else unchanged.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

inline bool equal_ignoring_case(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

}  // namespace amalthea
