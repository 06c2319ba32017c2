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

/// A number that timing depends on; one that cannot be read is reported (AM0212) and counts as not stated.
std::optional<std::int64_t> integer_attribute(Element element, std::string_view name, Diagnostics& diagnostics);
std::optional<double> number_attribute(Element element, std::string_view name, Diagnostics& diagnostics);

/// The same for what timing does not depend on: what cannot be read counts as not stated.
std::optional<std::int64_t> integer_attribute(Element element, std::string_view name);
std::optional<double> number_attribute(Element element, std::string_view name);
/// "true" and "false" in any case, as Java reads them; nothing where the attribute is not written.
std::optional<bool> flag_attribute(Element element, std::string_view name);
/// An address: decimal, or hexadecimal as "0x…" (from 0.8.3 on).
std::optional<std::uint64_t> address_attribute(Element element, std::string_view name);
/// A literal of an enumeration; "" where it is not written or "_undefined_".
std::string_view literal_attribute(Element element, std::string_view name);

/// Element → index of the view that was made of it.
class ElementIndex {
 public:
  /// The first index that is given for an element stays.
  void add(Element element, std::uint32_t index);
  std::optional<std::uint32_t> find(Element element) const;
  /// Makes room, so that a large table need not grow step by step.
  void reserve(std::size_t elements);

 private:
  struct Slot {
    std::uint32_t document = 0, element = ElementRecord::none, index = 0;
    bool is_free() const { return element == ElementRecord::none; }
  };
  std::size_t slot(std::uint32_t document, std::uint32_t element) const;
  void grow(std::size_t slots);
  std::size_t count_ = 0;
  std::vector<Slot> slots_;  // a power of two of them, at least half free
};

/// Calls visit(part) for each sub-model of this class ("HWModel") in document order: below a root, or a root itself,
/// as in older models that keep their parts in files of their own.
template <typename Visit>
void for_each_part(const Model& model, std::string_view class_name, Visit visit) {
  for (const auto& document : model.documents()) {
    if (document->root().is(class_name)) visit(document->root());
    for (const Element part : document->root().children())
      if (part.is(class_name)) visit(part);
  }
}

}  // namespace amalthea::views
