// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names of elements and attributes with a namespace prefix.

#include <string_view>

namespace amalthea::importer {

struct PrefixedName {
  std::string_view prefix, local;
};

/// "am:Task" → {"am", "Task"}; without a prefix {"", "Task"}.
inline PrefixedName split_name(std::string_view written) {
  const std::size_t colon = written.find(':');
  if (colon == std::string_view::npos) return {"", written};
  return {written.substr(0, colon), written.substr(colon + 1)};
}

}  // namespace amalthea::importer
