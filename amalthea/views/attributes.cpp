// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/attributes.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "amalthea/detail/ascii.hpp"
#include "amalthea/quantity.hpp"

namespace amalthea::views {
namespace {

template <typename T>
std::optional<T> reported(Element element, std::string_view name, const Parsed<T>& parsed, Diagnostics& diagnostics) {
  if (parsed) return *parsed;
  diagnostics.add("AM0212", Severity::error,
                  fmt::format("unreadable {} of <{}>: {}", name, element.tag(), parsed.error()),
                  element.attribute_location(name), element.path());
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> integer_attribute(Element element, std::string_view name, Diagnostics& diagnostics) {
  const auto text = element.attribute(name);
  return text ? reported(element, name, parse_integer(*text), diagnostics) : std::nullopt;
}

std::optional<double> number_attribute(Element element, std::string_view name, Diagnostics& diagnostics) {
  const auto text = element.attribute(name);
  return text ? reported(element, name, parse_double(*text), diagnostics) : std::nullopt;
}

std::optional<std::int64_t> integer_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  const auto parsed = parse_integer(text.value_or(""));
  return text && parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<double> number_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  const auto parsed = parse_double(text.value_or(""));
  return text && parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<bool> flag_attribute(Element element, std::string_view name) {
  const auto text = element.attribute(name);
  return text ? std::optional(equal_ignoring_case(*text, "true")) : std::nullopt;
}

std::optional<std::uint64_t> address_attribute(Element element, std::string_view name) {
  std::string_view text = element.attribute_or(name, "");
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X") || text.starts_with("#")) {
    text.remove_prefix(text.front() == '#' ? 1 : 2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view literal_attribute(Element element, std::string_view name) {
  const std::string_view text = element.attribute_or(name, "");
  return text == "_undefined_" ? std::string_view{} : text;
}

std::size_t ElementIndex::slot(std::uint32_t document, std::uint32_t element) const {
  // Multiplication by an odd number distributes neighbors, which are frequent, over the table.
  const std::uint64_t key = (static_cast<std::uint64_t>(document) << 32U) | element;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = ((key * 0x9E3779B97F4A7C15U) >> 20U) & mask;; at = (at + 1) & mask) {
    const Slot& found = slots_[at];
    if (found.is_free() || (found.element == element && found.document == document)) return at;
  }
}

void ElementIndex::grow(std::size_t slots) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots));
  for (const Slot& moved : before)
    if (!moved.is_free()) slots_[slot(moved.document, moved.element)] = moved;
}

void ElementIndex::reserve(std::size_t elements) {
  std::size_t slots = 16;
  while (slots < 2 * elements) slots *= 2;
  if (slots > slots_.size()) grow(slots);
}

void ElementIndex::add(Element element, std::uint32_t index) {
  if (2 * (count_ + 1) > slots_.size()) grow(std::max<std::size_t>(16, 2 * slots_.size()));
  Slot& found = slots_[slot(element.document().position(), element.index())];
  if (!found.is_free()) return;
  found = {element.document().position(), element.index(), index};
  ++count_;
}

std::optional<std::uint32_t> ElementIndex::find(Element element) const {
  if (!element || slots_.empty()) return std::nullopt;
  const Slot& found = slots_[slot(element.document().position(), element.index())];
  return found.is_free() ? std::nullopt : std::optional(found.index);
}

}  // namespace amalthea::views
