// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/cu_mask.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::engine::amd {
namespace {

using Parsed = tl::expected<CuMask, std::string>;

CuMask empty_mask(const Layout& layout) { return {std::vector<bool>(static_cast<std::size_t>(layout.units()))}; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

bool is_hex(std::string_view text) { return text.starts_with("0x") || text.starts_with("0X"); }

tl::unexpected<std::string> no_such_bit(const CuMask& mask) {
  return tl::unexpected(
      fmt::format("it has bits beyond {}, the last of {} CUs", mask.bits.size() - 1, mask.bits.size()));
}

/// Sets the bits of one hexadecimal number, starting at bit `first`; a word has at most eight digits.
tl::expected<void, std::string> add_number(std::string_view text, std::size_t first, bool is_word, CuMask& mask) {
  const std::string_view digits = text.substr(2);
  if (digits.empty()) return tl::unexpected(fmt::format("\"{}\" has no digits", text));
  if (is_word && digits.size() > 8) return tl::unexpected(fmt::format("\"{}\" is more than 32 bits", text));
  for (std::size_t place = 0; place < digits.size(); ++place) {
    const auto digit = hex_digit(digits[digits.size() - 1 - place]);
    if (!digit) return tl::unexpected(fmt::format("\"{}\" is not a hexadecimal number", text));
    for (std::size_t bit = 0; bit < 4; ++bit) {
      if ((*digit >> bit & 1U) == 0) continue;
      const std::size_t at = first + 4 * place + bit;
      if (at >= mask.bits.size()) return no_such_bit(mask);
      mask.bits[at] = true;
    }
  }
  return {};
}

Parsed numbers(std::string_view text, const Layout& layout) {
  CuMask mask = empty_mask(layout);
  const auto words = split(text);
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (!is_hex(words[index])) return tl::unexpected(fmt::format("\"{}\" is not a word such as 0xff", words[index]));
    if (auto added = add_number(words[index], 32 * index, words.size() > 1, mask); !added)
      return tl::unexpected(added.error());
  }
  return mask;
}

Parsed ranges(std::string_view text, const Layout& layout) {
  CuMask mask = empty_mask(layout);
  for (const std::string_view part : split(text)) {
    const std::size_t dash = part.find('-');
    const auto first = parse_integer(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first)
      return tl::unexpected(
          fmt::format("\"{}\" is not a mask; expected a number such as 0xff, words 0xffffffff,0x3, bits such as "
                      "0-14,59, packed:N, distributed:N, full, even, odd or bits:1010",
                      part));
    if (*last >= layout.units()) return no_such_bit(mask);
    for (std::int64_t bit = *first; bit <= *last; ++bit) mask.bits[static_cast<std::size_t>(bit)] = true;
  }
  return mask;
}

Parsed drawn(std::string_view text, const Layout& layout) {
  CuMask mask = empty_mask(layout);
  if (text.size() > mask.bits.size()) return no_such_bit(mask);
  for (std::size_t bit = 0; bit < text.size(); ++bit) {
    if (text[bit] != '0' && text[bit] != '1') return tl::unexpected(std::string("after bits: expected only 0 and 1"));
    mask.bits[bit] = text[bit] == '1';
  }
  return mask;
}

Parsed first_ones(std::string_view text, const Layout& layout, CuMask (*make)(const Layout&, std::int64_t)) {
  const auto count = parse_integer(text);
  if (!count || *count < 1 || *count > layout.units())
    return tl::unexpected(fmt::format("\"{}\" is not a number of CUs from 1 to {}", text, layout.units()));
  return make(layout, *count);
}

Parsed every_other(const Layout& layout, std::size_t first) {
  CuMask mask = empty_mask(layout);
  for (std::size_t bit = first; bit < mask.bits.size(); bit += 2) mask.bits[bit] = true;
  return mask;
}

Parsed parse(std::string_view text, const Layout& layout) {
  constexpr std::string_view packed = "packed:";
  constexpr std::string_view distributed = "distributed:";
  constexpr std::string_view bits = "bits:";
  if (text == "full") return full_mask(layout);
  if (text == "even") return every_other(layout, 0);
  if (text == "odd") return every_other(layout, 1);
  if (text.starts_with(packed)) return first_ones(text.substr(packed.size()), layout, packed_mask);
  if (text.starts_with(distributed)) return first_ones(text.substr(distributed.size()), layout, distributed_mask);
  if (text.starts_with(bits)) return drawn(text.substr(bits.size()), layout);
  return is_hex(text) ? numbers(text, layout) : ranges(text, layout);
}

}  // namespace

CuMask full_mask(const Layout& layout) { return distributed_mask(layout, layout.units()); }

CuMask packed_mask(const Layout& layout, std::int64_t count) {
  CuMask mask = empty_mask(layout);
  for (std::int64_t bit = 0; bit < layout.units(); ++bit)
    mask.bits[static_cast<std::size_t>(bit)] = layout.unit_of_bit(bit) < count;
  return mask;
}

CuMask distributed_mask(const Layout& layout, std::int64_t count) {
  CuMask mask = empty_mask(layout);
  std::fill(mask.bits.begin(), mask.bits.begin() + static_cast<std::ptrdiff_t>(count), true);
  return mask;
}

CuMask complement(const CuMask& mask) {
  CuMask rest = mask;
  rest.bits.flip();
  return rest;
}

std::int64_t shared_units(const CuMask& a, const CuMask& b) {
  std::int64_t shared = 0;
  for (std::size_t bit = 0; bit < std::min(a.bits.size(), b.bits.size()); ++bit) shared += a.bits[bit] && b.bits[bit];
  return shared;
}

std::vector<std::int64_t> units_by_engine(const Layout& layout, const CuMask& mask) {
  std::vector<std::int64_t> units(static_cast<std::size_t>(layout.engines));
  for (std::size_t bit = 0; bit < mask.bits.size(); ++bit) units[bit % units.size()] += mask.bits[bit];
  return units;
}

tl::expected<CuMask, std::string> parse_cu_mask(std::string_view text, const Layout& layout) {
  auto mask = parse(text, layout);
  if (mask && mask->count() == 0) return tl::unexpected(std::string("it enables no CU"));
  return mask;
}

std::string hexadecimal(const CuMask& mask) {
  std::string digits;
  for (std::size_t first = 0; first < mask.bits.size(); first += 4) {
    unsigned digit = 0;
    for (std::size_t bit = 0; bit < 4 && first + bit < mask.bits.size(); ++bit)
      digit |= (mask.bits[first + bit] ? 1U : 0U) << bit;
    digits += "0123456789abcdef"[digit];
  }
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  std::reverse(digits.begin(), digits.end());
  return fmt::format("0x{}", digits);
}

}  // namespace amalthea::engine::amd
