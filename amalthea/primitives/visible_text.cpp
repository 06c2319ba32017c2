// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/visible_text.hpp"

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

/// Default_Ignorable_Code_Point of Unicode: programs that compare texts by the rules of a language skip them.
bool is_ignorable(char32_t code) {
  const auto in = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  return code >= 0xAD && (code == 0xAD || code == 0x34F || code == 0x61C || in(0x115F, 0x1160) || in(0x17B4, 0x17B5) ||
                          in(0x180B, 0x180F) || in(0x200B, 0x200F) || in(0x202A, 0x202E) || in(0x2060, 0x206F) ||
                          code == 0x3164 || in(0xFE00, 0xFE0F) || code == 0xFEFF || code == 0xFFA0 ||
                          in(0xFFF0, 0xFFF8) || in(0x1BCA0, 0x1BCA3) || in(0x1D173, 0x1D17A) || in(0xE0000, 0xE0FFF));
}

/// What a reader does not see: that, White_Space of Unicode, and fillers that are neither, of braille and for objects.
bool is_unseen(char32_t code) {
  return is_ignorable(code) || code == ' ' || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x202F || code == 0x205F || code == 0x2800 || code == 0x3000 || code == 0xFFFC;
}

/// The size of the characters at the beginning of `text` for which `holds`.
template <typename Holds>
std::size_t size_while(std::string_view text, const Holds& holds) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [code, size] = first_character(text.substr(at));
    if (size == 0 || !holds(code)) break;
    at += size;
  }
  return at;
}

/// Whether the text begins with `what`, which is ASCII, for a program that skips what is ignorable.
bool begins(std::string_view text, std::string_view what) {
  for (const char c : what) {
    text.remove_prefix(size_while(text, is_ignorable));
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
  }
  return true;
}

/// Whether a reader of lines may act on a line that begins so. "/approve" is a command, "/models/a.amxmi" a path.
bool acts(std::string_view line) {
  if (line.starts_with('/')) {
    // Behind the name of a command may be a blank, or what is spelled out.
    const std::size_t end = size_while(line, [](char32_t code) { return code != '\\' && !is_unseen(code); });
    return line.substr(1, end - 1).find_first_of("/.") == line.npos;
  }
  return begins(line, "::") || begins(line, "~~~") ||
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
    else if (is_control(code) || (code == '#' && (begins(text, "##[") || begins(text, "##vso["))))
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
  const std::size_t at = size_while(line, is_unseen);
  if (acts(std::string_view(line).substr(at)))
    line.replace(at, 1, fmt::format("\\x{:02x}", static_cast<unsigned char>(line[at])));
  return line;
}

}  // namespace amalthea
