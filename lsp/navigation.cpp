// SPDX-License-Identifier: Apache-2.0
#include "lsp/navigation.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "amalthea/identifier.hpp"

namespace amalthea::lsp {
namespace {

constexpr std::string_view href = "href";

/// The reference that `<tags href="…"/>` holds for its parent, or null.
const Feature* feature_of_holder(Element element) {
  const Element parent = element.parent();
  if (element.cls() || !parent || !parent.cls()) return nullptr;
  const Feature* feature =
      metamodel::find_feature_any_version(*parent.cls(), element.tag(), element.document().version());
  return feature != nullptr && feature->kind == FeatureKind::reference ? feature : nullptr;
}

/// Calls visit(token, span) for the tokens of a value. A decoded value has other offsets than its bytes, but as many
/// tokens.
template <typename Visit>
void for_each_reference(const Document& document, const AttributeRecord& attribute, Visit visit) {
  const Span span = document.value_span(attribute);
  std::vector<Span> places;
  if (attribute.decoded())
    for_each_token(document.source().text(span), [&](std::string_view token, std::size_t at) {
      const auto begin = span.begin + static_cast<std::uint32_t>(at);
      places.push_back({begin, begin + static_cast<std::uint32_t>(token.size())});
    });
  std::size_t ordinal = 0;
  for_each_token(document.value(attribute), [&](std::string_view token, std::size_t at) {
    const auto begin = span.begin + static_cast<std::uint32_t>(at);
    Span place{begin, begin + static_cast<std::uint32_t>(token.size())};
    if (attribute.decoded()) place = ordinal < places.size() ? places[ordinal] : span;
    ++ordinal;
    visit(token, place);
  });
}

/// Which attributes of which classes are references.
class References {
 public:
  explicit References(const Document& document) : document_(document) {}

  bool contains(ClassId cls, NameId name) {
    const auto [known, added] = known_.try_emplace({cls, name}, false);
    if (added) {
      const Feature* feature = metamodel::find_feature_any_version(cls, document_.name(name), document_.version());
      known->second = feature != nullptr && feature->kind == FeatureKind::reference;
    }
    return known->second;
  }

 private:
  const Document& document_;
  std::map<std::pair<ClassId, NameId>, bool> known_;
};

void add_symbols(Element element, std::vector<Symbol>& symbols) {
  for (const Element child : element.children()) {
    const bool is_part = !element.parent() && child.cls();
    std::vector<Symbol>* place = &symbols;
    if (is_part || !child.name().empty()) {
      symbols.push_back({child, std::string(child.name().empty() ? child.tag() : child.name()), {}});
      place = &symbols.back().children;
    }
    add_symbols(child, *place);
  }
}

}  // namespace

Element element_around(const Document& document, std::uint32_t offset) {
  std::uint32_t below = 0, above = static_cast<std::uint32_t>(document.size());
  while (below < above) {  // the last element that begins at or before the offset
    const std::uint32_t middle = below + (above - below) / 2;
    if (document.record(middle).begin <= offset)
      below = middle + 1;
    else
      above = middle;
  }
  if (below == 0) return {};
  Element element = document.element(below - 1);
  while (element && element.span().end <= offset) element = element.parent();
  return element;
}

Subject subject_at(const Model& model, const Document& document, std::uint32_t offset) {
  Subject subject;
  subject.element = element_around(document, offset);
  if (!subject.element || offset >= subject.element.start_tag().end) return subject;
  const ElementRecord& record = subject.element.record();
  const Feature* holder = feature_of_holder(subject.element);
  for (std::uint32_t i = 0; i < record.attribute_count; ++i) {
    const AttributeRecord& attribute = document.attribute(record.first_attribute + i);
    const std::string_view name = document.name(attribute.name());
    const Span value = document.value_span(attribute);
    const auto length = static_cast<std::uint32_t>(name.size()) + 2;  // with =" before the value
    if (offset + length < value.begin || offset > value.end) continue;
    subject.attribute = name;
    subject.token = value;
    if (holder != nullptr && name == href)
      subject.feature = holder;
    else if (record.cls != no_class)
      subject.feature = metamodel::find_feature_any_version(record.cls, name, document.version());
    if (subject.feature == nullptr || subject.feature->kind != FeatureKind::reference) continue;
    for_each_reference(document, attribute, [&](std::string_view token, Span place) {
      // Between two tokens the cursor belongs to the first one; on the name of the attribute to the last one.
      if (subject.target && offset < place.begin && offset >= value.begin) return;
      if (offset > place.end && offset >= value.begin) return;
      subject.token = place;
      subject.target = model.target(subject.element, token);
    });
  }
  return subject;
}

Span name_span(Element element) {
  if (const auto name = element.attribute_span("name")) return *name;
  const Span tag = element.start_tag();
  const std::string_view text = element.document().source().text(tag);
  const std::size_t end = std::min(text.find_first_of(" \t\r\n/>", 1), text.size());
  return {tag.begin + 1, tag.begin + static_cast<std::uint32_t>(end)};
}

void visit_references(const Model& model, const VisitReference& visit) {
  for (const auto& document : model.documents()) {
    References references(*document);
    const auto href_name = document->find_name(href);
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      const ElementRecord& record = element.record();
      const bool holds = record.cls == no_class && href_name && feature_of_holder(element) != nullptr;
      for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
        const AttributeRecord& attribute = document->attribute(record.first_attribute + a);
        if (record.cls == no_class ? !holds || attribute.name() != *href_name
                                   : !references.contains(record.cls, attribute.name()))
          continue;
        const std::uint32_t known = document->first_target(i, a);
        for_each_reference(*document, attribute, [&](std::string_view token, Span place) {
          visit(element, token, {document->position(), place},
                known != ElementRecord::none ? document->element(known) : model.target(element, token));
        });
      }
    }
  }
}

std::vector<Place> references_to(const Model& model, Element target) {
  std::vector<Place> found;
  visit_references(model, [&](Element, std::string_view, Place place, Element led) {
    if (led == target) found.push_back(place);
  });
  return found;
}

std::vector<Symbol> symbols_of(const Document& document) {
  std::vector<Symbol> symbols;
  add_symbols(document.root(), symbols);
  return symbols;
}

}  // namespace amalthea::lsp
