// SPDX-License-Identifier: Apache-2.0
#include "review/detail/facts.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea::review {

Facts::Facts(const Model& model) {
  for (const auto& document : model.documents()) {
    is_reference_.clear();  // names are interned per document
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (!element.cls()) continue;
      by_class_[element.class_name()].push_back(element);
      add_references(model, element);
    }
  }
  // A misspelled reference has been reported; its probable target counts as referred to, to avoid a second finding.
  for (const Model::Dangling& dangling : model.dangling())
    if (dangling.likely) uses_[key(dangling.likely)].push_back({dangling.element, dangling.feature});
}

void Facts::add_references(const Model& model, Element element) {
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  const auto is_reference = [&](NameId name) {
    const auto pair = (static_cast<std::uint64_t>(record.cls) << 32U) | static_cast<std::uint32_t>(name);
    const auto [known, added] = is_reference_.emplace(pair, false);
    if (added) {
      const Feature* feature = metamodel::find_feature_any_version(record.cls, document.name(name), document.version());
      known->second = feature != nullptr && feature->kind == FeatureKind::reference;
    }
    return known->second;
  };
  for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
    const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
    if (!is_reference(attribute.name())) continue;
    for_each_token(document.value(attribute), [&](std::string_view token, std::size_t) {
      if (const Element target = model.target(element, token))
        uses_[key(target)].push_back({element, document.name(attribute.name())});
    });
  }
  for (const Element child : element.children())
    if (const auto href = child.attribute("href"); href && is_reference(child.record().tag))
      if (const Element target = model.target(element, *href)) uses_[key(target)].push_back({element, child.tag()});
}

const std::vector<Use>& Facts::uses_of(Element element) const {
  static const std::vector<Use> none;
  const auto found = uses_.find(key(element));
  return found == uses_.end() ? none : found->second;
}

const std::vector<Element>& Facts::all(std::string_view class_name) const {
  static const std::vector<Element> none;
  const auto found = by_class_.find(class_name);
  return found == by_class_.end() ? none : found->second;
}

Element executable_around(Element element) {
  constexpr std::array<std::string_view, 4> executables{"Task", "ISR", "Runnable", "ProcessPrototype"};
  for (; element; element = element.parent())
    if (std::find(executables.begin(), executables.end(), element.class_name()) != executables.end()) return element;
  return {};
}

std::string describe(Element element) {
  if (!element.name().empty()) return fmt::format("{} \"{}\"", element.class_name(), element.name());
  const bool vowel = !element.class_name().empty() &&
                     std::string_view("AEIOU").find(element.class_name().front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", element.class_name());
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace amalthea::review
