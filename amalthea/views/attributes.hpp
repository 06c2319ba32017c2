// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Attributes of elements as typed values.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"

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
  /// Reserves memory, to avoid gradual growth.
  void reserve(std::size_t elements);

 private:
  struct Slot {
    std::uint32_t document = 0, element = ElementRecord::none, index = 0;
    bool is_free() const { return element == ElementRecord::none; }
  };
  std::size_t slot(std::uint32_t document, std::uint32_t element) const;
  void grow(std::size_t slots);
  std::size_t count_ = 0;
  std::vector<Slot> slots_;  // a power of two, at least half free
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
