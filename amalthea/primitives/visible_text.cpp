// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/visible_text.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"

namespace amalthea {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< in bytes; 0: the bytes are no UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 && first < 0xF5   ? 4
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xC2 && first < 0xE0 ? 2
                                                           : 0;
  if (size == 0 || text.size() < size) return {};
  char32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool possible = code >= least[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return possible ? Character{code, size} : Character{};
}

bool is_control(char32_t code) {
  return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code <= 0x9F) || code == 0x061C ||
         code == 0x200E || code == 0x200F || code == 0x2028 || code == 0x2029 || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/// The blanks before which a reader of lines may look for a command, also those of Unicode.
std::size_t blanks_before(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [code, size] = first_character(text.substr(at));
    const bool is_blank = code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200B) ||
                          code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
    if (!is_blank) break;
    at += size;
  }
  return at;
}

/// Whether a reader of lines may act on a line that begins so. "/approve" is a command, "/models/a.amxmi" a path.
bool acts(std::string_view line) {
  if (line.starts_with('/')) {
    // Behind the name of a command may be a blank without break, or what is spelled out.
    const std::size_t end = std::min({line.find(' '), line.find('\\'), line.find("\xc2\xa0")});
    return line.substr(1, end - 1).find_first_of("/.") == line.npos;
  }
  return line.starts_with("::") || line.starts_with("~~~") ||
         (!line.empty() && std::string_view("=@`|#").find(line.front()) != std::string_view::npos);
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size] = first_character(text);
    if (size == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else if (is_control(code))
      out += code < 0x20 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                         : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    else
      out += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

std::string line_start(std::string_view text) {
  std::string line = one_line(text);
  const std::size_t at = blanks_before(line);
  if (acts(std::string_view(line).substr(at)))
    line.replace(at, 1, fmt::format("\\x{:02x}", static_cast<unsigned char>(line[at])));
  return line;
}

}  // namespace amalthea
