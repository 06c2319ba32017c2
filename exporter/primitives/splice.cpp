// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/splice.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

/// The code point at `at`, which is advanced; an invalid UTF-8 byte becomes U+FFFD.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (size == 0 || at + size > text.size()) {
    ++at;
    return 0xFFFD;
  }
  std::uint32_t code = size == 1 ? first : first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) {
      ++at;
      return 0xFFFD;
    }
    code = (code << 6U) | (byte(at + i) & 0x3FU);
  }
  at += size;
  return code;
}

}  // namespace

std::string apply(std::string_view bytes, std::vector<Splice> splices) {
  std::stable_sort(splices.begin(), splices.end(),
                   [](const Splice& a, const Splice& b) { return a.span.begin < b.span.begin; });
  std::string out;
  std::uint32_t at = 0;
  for (const Splice& splice : splices) {
    if (splice.span.begin < at) throw std::logic_error("splices overlap");
    out.append(bytes.substr(at, splice.span.begin - at)).append(splice.text);
    at = splice.span.end;
  }
  return out.append(bytes.substr(at));
}

std::string apply(const Document& document, const ModelSplices& splices) {
  const auto found = splices.find(document.position());
  return apply(document.source().bytes(), found != splices.end() ? found->second : std::vector<Splice>());
}

std::string escape_attribute(std::string_view utf8) {
  std::string out;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::uint32_t code = next_code_point(utf8, at);
    if (code == '&')
      out += "&amp;";
    else if (code == '<')
      out += "&lt;";
    else if (code == '"')
      out += "&quot;";
    else if (code >= 0x20 && code < 0x7F)
      out += static_cast<char>(code);
    else if (code == '\t' || code == '\n' || code == '\r' || code >= 0x7F)
      out += fmt::format("&#x{:X};", code);
    // XML 1.0 does not allow other control characters.
  }
  return out;
}

}  // namespace amalthea::exporter
