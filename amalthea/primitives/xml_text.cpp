// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/xml_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace amalthea {
namespace {

constexpr std::array<bool, 256> make_special() {
  std::array<bool, 256> special{};
  for (std::size_t c = 0; c < 0x20; ++c) special[c] = true;
  for (const char c : {'&', '<', '"'}) special[static_cast<unsigned char>(c)] = true;
  return special;
}
constexpr std::array<bool, 256> is_special = make_special();

/// The character of a reference: "amp", "#228", "#xE4". Nothing if it is invalid.
std::optional<std::string> meaning(std::string_view reference) {
  constexpr std::pair<std::string_view, char> entities[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, character] : entities)
    if (reference == name) return std::string{character};
  const bool hexadecimal = reference.starts_with("#x");
  const std::string_view digits = reference.substr(std::min<std::size_t>(hexadecimal ? 2 : 1, reference.size()));
  std::uint32_t code = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  if (!reference.starts_with('#') || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
    return std::nullopt;
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return std::string{byte(code)};
  if (code < 0x800) return std::string{byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000)
    return std::string{byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  return std::string{byte(0xF0 | (code >> 18 & 0x07)), byte(0x80 | (code >> 12 & 0x3F)),
                     byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
}

}  // namespace

std::string unescaped(std::string_view written) {
  std::string text;
  while (!written.empty()) {
    const std::string_view plain = written.substr(0, written.find('&'));
    text += plain;
    written.remove_prefix(plain.size());
    if (written.empty()) break;
    constexpr std::size_t longest = 16;  // maximum length of a reference
    const std::size_t end = written.substr(0, longest).find(';');
    const auto meant = end == std::string_view::npos ? std::nullopt : meaning(written.substr(1, end - 1));
    text += meant.value_or("&");
    written.remove_prefix(meant ? end + 1 : 1);
  }
  return text;
}

void append_escaped(std::string& out, std::string_view text) {
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_special[static_cast<unsigned char>(text[at])]) continue;
    out.append(text, plain, at - plain);
    plain = at + 1;
    switch (text[at]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#xA;";
        break;
      case '\r':
        out += "&#xD;";
        break;
      case '\t':
        out += "&#x9;";
        break;
      default:
        out += "\xEF\xBF\xBD";
    }
  }
  out.append(text, plain);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  out.append(" ").append(name).append("=\"");
  append_escaped(out, value);
  out += '"';
}

std::string append_foreign_name(std::string& out, std::string_view name, std::vector<std::string_view>& spaces) {
  const std::size_t end = name.rfind('}');
  const std::string_view space = name.substr(1, end - 1);
  const auto known = std::find(spaces.begin(), spaces.end(), space);
  const std::string prefix = "other" + std::to_string(known - spaces.begin());
  if (known == spaces.end()) {
    append_attribute(out, "xmlns:" + prefix, space);
    spaces.push_back(space);
  }
  return prefix + ":" + std::string(name.substr(end + 1));
}

void append_indent(std::string& out, std::size_t depth) { out.append(2 * depth, ' '); }

void append_comments(std::string& out, const std::vector<std::string_view>& comments, std::size_t depth) {
  for (const std::string_view comment : comments) {
    append_indent(out, depth);
    out.append("<!--").append(comment).append("-->\n");
  }
}

}  // namespace amalthea
