// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/tag_scanner.hpp"

#include <array>

namespace amalthea::importer {
namespace {

enum : std::uint8_t { ordinary = 0, special = 1, quote = 2, apostrophe = 4 };

/// The meaning of a byte within an attribute value.
constexpr std::array<std::uint8_t, 256> value_bytes = [] {
  std::array<std::uint8_t, 256> table{};
  for (std::size_t i = 0; i < 0x20; ++i) table[i] = special;      // tabs and line ends are normalized
  for (std::size_t i = 0x80; i < 0x100; ++i) table[i] = special;  // depends on the encoding
  table['&'] = special;
  table['"'] = quote;
  table['\''] = apostrophe;
  return table;
}();

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

bool TagScanner::matches_at(std::uint32_t at, std::string_view text) const {
  const std::uint32_t unit = source_.unit();
  for (const char c : text) {
    if (at + unit > source_.bytes().size() || source_.ascii_at(at) != c) return false;
    at += unit;
  }
  return true;
}

std::uint32_t TagScanner::past(std::uint32_t at, std::string_view text) const {
  const auto size = static_cast<std::uint32_t>(source_.bytes().size());
  const auto length = static_cast<std::uint32_t>(text.size()) * source_.unit();
  for (at = source_.find(text.front(), at); at < size; at = source_.find(text.front(), at + source_.unit()))
    if (matches_at(at, text)) return at + length;
  return size;
}

std::optional<std::uint32_t> TagScanner::past_other_markup(std::uint32_t at) const {
  if (matches_at(at, "<?")) return past(at, "?>");
  if (matches_at(at, "<!--")) return past(at + 4 * source_.unit(), "-->");
  if (matches_at(at, "<![CDATA[")) return past(at, "]]>");
  return std::nullopt;
}

TagScanner::Tag TagScanner::next() {
  const std::uint32_t unit = source_.unit();
  const auto size = static_cast<std::uint32_t>(source_.bytes().size());
  for (at_ = source_.find('<', at_); at_ + 2 * unit <= size; at_ = source_.find('<', at_)) {
    const std::uint32_t begin = at_;
    const char second = source_.ascii_at(begin + unit);
    if (second == '/') {
      at_ = source_.find('>', begin);
      at_ = at_ < size ? at_ + unit : size;
      return {Kind::end, {begin, at_}};
    }
    if (second != '!' && second != '?') return read_start_tag(begin);
    const auto past_it = past_other_markup(begin);
    if (!past_it) return {Kind::declaration, {begin, begin}};
    at_ = *past_it;
  }
  return {};
}

TagScanner::Tag TagScanner::read_start_tag(std::uint32_t begin) {
  attributes_.clear();
  const std::string_view text = source_.bytes();
  if (source_.unit() != 1) {
    at_ = source_.tag_end(begin);
    const bool self_closing = at_ >= begin + 4 && source_.ascii_at(at_ - 4) == '/';
    return {self_closing ? Kind::self_closing : Kind::start, {begin, at_}};
  }
  const auto size = static_cast<std::uint32_t>(text.size());
  std::uint32_t at = begin + 1;
  while (at < size && !is_space(text[at]) && text[at] != '>' && text[at] != '/') ++at;
  bool self_closing = false;
  while (at < size) {
    while (at < size && is_space(text[at])) ++at;
    if (at >= size) break;
    if (text[at] == '/' || text[at] == '>') {
      self_closing = text[at] == '/';
      at += self_closing ? 2 : 1;
      break;
    }
    const std::uint32_t name = at;
    while (at < size && !is_space(text[at]) && text[at] != '=') ++at;
    const Span name_span{name, at};
    while (at < size && text[at] != '"' && text[at] != '\'') ++at;
    if (at >= size) break;
    const std::uint8_t closing = value_bytes[static_cast<unsigned char>(text[at])];
    const std::uint32_t value = ++at;
    std::uint8_t seen = 0;
    for (; at < size; ++at) {
      const std::uint8_t kind = value_bytes[static_cast<unsigned char>(text[at])];
      if (kind == closing) break;
      seen |= kind;
    }
    if (at >= size) break;
    attributes_.push_back({name_span, {value, at}, (seen & special) == 0});
    ++at;
  }
  at_ = at < size ? at : size;
  return {self_closing ? Kind::self_closing : Kind::start, {begin, at_}};
}

}  // namespace amalthea::importer
