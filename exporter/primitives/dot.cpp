// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/dot.hpp"

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : one_line(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace amalthea::exporter
