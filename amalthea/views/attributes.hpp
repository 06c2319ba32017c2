#pragma once
/// \file
/// Attributes of elements as typed values.

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

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
  void add(Element element, std::uint32_t index) { indices_.emplace(key(element), index); }
  std::optional<std::uint32_t> find(Element element) const {
    if (!element) return std::nullopt;
    const auto found = indices_.find(key(element));
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::uint64_t key(Element element) {
    return (static_cast<std::uint64_t>(element.document().position()) << 32U) | element.index();
  }
  std::unordered_map<std::uint64_t, std::uint32_t> indices_;
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
