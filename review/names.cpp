// SPDX-License-Identifier: Apache-2.0
// Elements that cannot be referred to by name.

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/core.h>

#include "review/detail/rules.hpp"

namespace amalthea::review {

void check_missing_names(const Context& context, Report& report) {
  // by class: their number, and the first one
  std::map<std::string_view, std::pair<std::size_t, Element>> nameless;
  for (const auto& document : context.model.documents()) {
    if (document->itea() != IteaRelease::none) continue;  // these use other kinds of references
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (!element.cls() || !element.name().empty() || !metamodel::is_referable(*element.cls(), document->version()) ||
          metamodel::find_feature(*element.cls(), "name", document->version()) == nullptr)
        continue;
      auto& [count, first] = nameless[element.class_name()];
      if (count++ == 0) first = element;
    }
  }
  for (const auto& [name, found] : nameless) {
    const auto& [count, first] = found;
    report.add(first, count == 1 ? fmt::format("{} has no name, so no other element can reference it; name it",
                                               describe(first))
                                 : fmt::format("{} elements of the class {} have no name, so no other element can "
                                               "reference them; name them; this is the first one",
                                               count, name));
  }
}

void check_property_keys(const Context& context, Report& report) {
  std::unordered_map<std::uint64_t, std::unordered_set<std::string_view>> keys;  // by the element that has them
  for (const Element property : context.facts.all("CustomProperty")) {
    const auto key = property.attribute("key");
    const Element holder = property.parent();
    if (!key || !holder) continue;
    auto& seen = keys[(static_cast<std::uint64_t>(holder.document().position()) << 32U) | holder.index()];
    if (!seen.insert(*key).second && !report.is_reported(property))
      report.add(property, "key",
                 fmt::format("{} has two custom properties with the key \"{}\"; the analysis uses the first",
                             describe(holder), *key));
  }
}

}  // namespace amalthea::review
