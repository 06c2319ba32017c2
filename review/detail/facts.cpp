// SPDX-License-Identifier: Apache-2.0
#include "review/detail/facts.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"

namespace amalthea::review {

namespace {

bool is_executable(Element element) {
  constexpr std::array<std::string_view, 4> executables{"Task", "ISR", "Runnable", "ProcessPrototype"};
  return std::find(executables.begin(), executables.end(), element.class_name()) != executables.end();
}

}  // namespace

Facts::Facts(const Model& model) : by_class_(metamodel::classes().size()) {
  std::vector<FoundUse> found;
  for (const auto& document : model.documents()) of_.emplace_back(document->size() + 1);
  for (const auto& document : model.documents()) {
    ByClassAndName<bool> is_reference(*document);
    std::uint32_t executable_end = 0;
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      if (!element.cls()) continue;
      by_class_[static_cast<std::size_t>(*element.cls())].push_back(element);
      if (i >= executable_end && is_executable(element)) executable_end = element.record().after;
      find_references(model, element, i < executable_end, is_reference, found);
    }
  }
  // A misspelled reference has been reported; its probable target counts as referred to, to avoid a second finding.
  for (const Model::Dangling& dangling : model.dangling())
    if (dangling.likely)
      add(dangling.likely, {dangling.element, dangling.feature}, static_cast<bool>(executable_around(dangling.element)),
          found);
  // Sorts the uses by their targets: counts them, sums up the counts, and fills from the end.
  std::uint32_t end = 0;
  for (auto& document : of_)
    for (ElementFacts& element : document) element.first_use = end += element.first_use;
  uses_.resize(found.size());
  for (auto use = found.rbegin(); use != found.rend(); ++use)
    uses_[--of_[use->target.document().position()][use->target.index()].first_use] = use->use;
}

void Facts::add(Element target, Use use, bool executable, std::vector<FoundUse>& found) {
  found.push_back({target, use});
  ElementFacts& facts = of_[target.document().position()][target.index()];
  ++facts.first_use;
  if (!executable) return;
  const std::string_view access =
      use.holder.is("LabelAccess") ? use.holder.attribute_or("access", "_undefined_") : "_undefined_";
  facts.accesses.read = facts.accesses.read || access != "write";
  facts.accesses.written = facts.accesses.written || access != "read";
}

void Facts::find_references(const Model& model, Element element, bool executable, ByClassAndName<bool>& references,
                            std::vector<FoundUse>& found) {
  const Document& document = element.document();
  const ElementRecord& record = element.record();
  const auto is_reference = [&](NameId name) {
    return references.find(record.cls, name, [&] {
      const Feature* feature = metamodel::find_feature_any_version(record.cls, document.name(name), document.version());
      return feature != nullptr && feature->kind == FeatureKind::reference;
    });
  };
  for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
    const AttributeRecord& attribute = document.attribute(record.first_attribute + a);
    if (!is_reference(attribute.name())) continue;
    const Use use{element, document.name(attribute.name())};
    if (const std::uint32_t known = document.first_target(element.index(), a); known != ElementRecord::none) {
      add(document.element(known), use, executable, found);
      continue;
    }
    for_each_token(document.value(attribute), [&](std::string_view token, std::size_t) {
      if (const Element target = model.target(element, token)) add(target, use, executable, found);
    });
  }
  for (const Element child : element.children())
    if (const auto href = child.attribute("href"); href && is_reference(child.record().tag))
      if (const Element target = model.target(element, *href)) add(target, {element, child.tag()}, executable, found);
}

std::span<const Use> Facts::uses_of(Element element) const {
  const auto& facts = of_[element.document().position()];
  const std::uint32_t first = facts[element.index()].first_use;
  return std::span(uses_).subspan(first, facts[element.index() + 1].first_use - first);
}

const std::vector<Element>& Facts::all(std::string_view class_name) const {
  static const std::vector<Element> none;
  const auto cls = metamodel::find_class(class_name);
  return cls ? by_class_[static_cast<std::size_t>(*cls)] : none;
}

Element executable_around(Element element) {
  for (; element; element = element.parent())
    if (is_executable(element)) return element;
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
