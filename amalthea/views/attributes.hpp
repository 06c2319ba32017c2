// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Attributes of elements as typed values.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/location.hpp"

namespace amalthea::views {

/// A number that affects timing; an unreadable one is reported (AM0212) and treated as unstated.
std::optional<std::int64_t> integer_attribute(Element element, std::string_view name, Diagnostics& diagnostics);
std::optional<double> number_attribute(Element element, std::string_view name, Diagnostics& diagnostics);

/// The same for numbers that do not affect timing; an unreadable one is treated as unstated.
std::optional<std::int64_t> integer_attribute(Element element, std::string_view name);
std::optional<double> number_attribute(Element element, std::string_view name);
/// "true" and "false", case-insensitive as in Java; nothing if the attribute is not written.
std::optional<bool> flag_attribute(Element element, std::string_view name);
/// An address: decimal, or hexadecimal as "0x…" (since 0.8.3).
std::optional<std::uint64_t> address_attribute(Element element, std::string_view name);
/// A literal of an enumeration; "" if it is not written or "_undefined_".
std::string_view literal_attribute(Element element, std::string_view name);

/// Maps an element to the index of its view.
class ElementIndex {
 public:
  /// The first index added for an element is kept.
  void add(Element element, std::uint32_t index);
  std::optional<std::uint32_t> find(Element element) const;

 private:
  /// By element, its index plus 1, or 0. Elements of one kind are mostly neighbors, so most pages are full or absent.
  using Page = std::vector<std::uint32_t>;
  static constexpr std::uint32_t page_size = 256;
  std::vector<std::vector<Page>> pages_;  // by document
};

/// Calls visit(part) for each sub-model of this class ("HWModel") in document order: below a root, or a root itself, as
/// in older models that keep their parts in separate files.
template <typename Visit>
void for_each_part(const Model& model, std::string_view class_name, Visit visit) {
  for (const auto& document : model.documents()) {
    if (document->root().is(class_name)) visit(document->root());
    for (const Element part : document->root().children())
      if (part.is(class_name)) visit(part);
  }
}

}  // namespace amalthea::views
