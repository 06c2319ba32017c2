// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How views read attributes. Unknown enum literals are treated as unstated: whether values fit their types is checked
/// elsewhere.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"
#include "amalthea/views/attributes.hpp"

namespace amalthea::views::detail {

/// Reports that the value of an attribute is unreadable (AM0210).
void report_unreadable(Element element, std::string_view attribute, const std::string& what, Diagnostics& diagnostics);

/// Reports that a number of the hardware or the operating system cannot be used (AM0212).
void report_unusable(Element element, std::string_view attribute, std::string_view wrong, Diagnostics& diagnostics);

/// An integer; one written as a double ("1.0E8") is rounded to nearest.
std::optional<std::int64_t> integer(Element element, std::string_view attribute, Diagnostics& diagnostics);
std::optional<double> number(Element element, std::string_view attribute, Diagnostics& diagnostics);
/// A Frequency in hertz; unlike frequency_of it may be zero or negative.
std::optional<double> hertz_of(Element frequency, Diagnostics& diagnostics);

inline bool flag(Element element, std::string_view attribute, bool otherwise) {
  const auto text = element.attribute(attribute);
  return text ? *text == "true" : otherwise;
}

/// An enum literal as written. If none is written: "", but before ITEA 1.3.0, whose enums have no `_undefined_`, the
/// first literal.
std::string_view stated_literal(Element element, std::string_view attribute);

/// A literal; "" if it is unstated or `_undefined_`.
inline std::string_view literal_text(Element element, std::string_view attribute) {
  const std::string_view text = stated_literal(element, attribute);
  return text == "_undefined_" ? std::string_view{} : text;
}

template <typename E, std::size_t N>
using Literals = std::array<std::pair<std::string_view, E>, N>;

template <typename E, std::size_t N>
E literal(std::string_view text, const Literals<E, N>& literals, E otherwise) {
  for (const auto& [name, value] : literals)
    if (name == text) return value;
  return otherwise;
}
template <typename E, std::size_t N>
E literal(Element element, std::string_view attribute, const Literals<E, N>& literals, E otherwise) {
  return literal(stated_literal(element, attribute), literals, otherwise);
}

/// Calls visit(element) for each child with this tag of each such part. Skips children that only refer to something
/// (`href`).
template <typename Visit>
void for_each_member(const Model& model, std::string_view part_class, std::string_view tag, Visit visit) {
  for_each_part(model, part_class, [&](Element part) {
    for (const std::uint32_t index : part.document().members(part, tag))
      if (const Element child = part.document().element(index); !child.attribute("href")) visit(child);
  });
}

/// For maps from elements.
inline std::uint64_t key_of(Element element) {
  return (static_cast<std::uint64_t>(element.document().position()) << 32U) | element.index();
}

}  // namespace amalthea::views::detail
