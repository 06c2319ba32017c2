// SPDX-License-Identifier: Apache-2.0
#include "lsp/completion.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "amalthea/identifier.hpp"
#include "lsp/navigation.hpp"

namespace amalthea::lsp {
namespace {

/// No tag that is edited is longer.
constexpr std::size_t longest_tag = 100'000;
constexpr std::size_t max_proposals = 500;

constexpr std::string_view blanks = " \t\r\n";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view local_name(std::string_view name) { return name.substr(name.find(':') + 1); }

/// Adds what contains the typed part.
class Collector {
 public:
  Collector(Proposals& proposals, std::string_view typed) : proposals_(proposals), typed_(lower(typed)) {}

  void offer(std::string_view label, std::string_view detail, std::string text) {
    if (lower(text).find(typed_) == std::string::npos && lower(label).find(typed_) == std::string::npos) return;
    if (proposals_.all.size() == max_proposals)
      proposals_.complete = false;
    else
      proposals_.all.push_back({std::string(label), std::string(detail), std::move(text)});
  }

 private:
  Proposals& proposals_;
  std::string typed_;
};

void offer_targets(const Model& model, const Document& document, const Feature& feature, bool in_href,
                   Collector& collector) {
  for (const auto& other : model.documents()) {
    if (!in_href && other->position() != document.position()) continue;  // EMF looks in the file itself
    for (std::uint32_t i = 0; i < other->size(); ++i) {
      const Element element = other->element(i);
      if (!element.cls() || element.name().empty()) continue;
      if (feature.type != no_class && !metamodel::is_a(*element.cls(), feature.type, other->version())) continue;
      const auto id = computed_id(element);
      if (!id) continue;
      const std::string_view path = std::string_view(*id).substr(0, id->rfind("?type="));
      collector.offer(decode_name(path), element.class_name(), in_href ? "amlt:/#" + *id : *id);
    }
  }
}

void offer_literals(const Feature& feature, Version version, Collector& collector) {
  if (feature.enumeration != no_enum)
    for (const std::string_view literal : metamodel::info(feature.enumeration).literals_in(version))
      collector.offer(literal, feature.type_name, std::string(literal));
  if (feature.type_name.starts_with("EBoolean"))
    for (const char* value : {"true", "false"}) collector.offer(value, feature.type_name, value);
}

void offer_classes(const Document& document, const Feature& feature, Collector& collector) {
  for (const ClassInfo& info : metamodel::classes())
    if (metamodel::exists(info.id, document.version()) && !metamodel::is_abstract(info.id, document.version()) &&
        (feature.type == no_class || metamodel::is_a(info.id, feature.type, document.version())))
      collector.offer(info.name, "class", fmt::format("{}:{}", document.metamodel_prefix(), info.name));
}

}  // namespace

detail::OpenTag detail::open_tag_at(std::string_view text, std::size_t cursor) {
  OpenTag open;
  cursor = std::min(cursor, text.size());
  const std::size_t from = cursor > longest_tag ? cursor - longest_tag : 0;
  const std::size_t begin = text.substr(0, cursor).rfind('<');
  if (begin == std::string_view::npos || begin < from) return open;
  open.begin = begin;
  std::size_t at = std::min(text.find_first_of(" \t\r\n/>", begin + 1), text.size());
  open.tag = text.substr(begin + 1, at - begin - 1);
  if (open.tag.empty() || open.tag.front() == '?' || open.tag.front() == '!') return {};
  while (true) {
    at = text.find_first_not_of(blanks, at);
    if (at == std::string_view::npos || text[at] == '<' || text[at] == '>' || text[at] == '/') return open;
    const std::size_t equals = text.find_first_of("=<>", at);
    if (equals == std::string_view::npos || text[equals] != '=') return open;
    std::string_view name = text.substr(at, equals - at);
    name = name.substr(0, name.find_first_of(blanks));
    const std::size_t quote = text.find_first_not_of(blanks, equals + 1);
    if (quote == std::string_view::npos || (text[quote] != '"' && text[quote] != '\'')) return open;
    // A value that is being written has no end yet; then it ends with its line.
    const std::size_t value = quote + 1;
    const char stops[] = {text[quote], '<', '\n', '\0'};
    const std::size_t end = std::min(text.find_first_of(stops, value), text.size());
    if (local_name(name) == "type" && name != "type") open.type = local_name(text.substr(value, end - value));
    if (value <= cursor && cursor <= end) {
      open.attribute = name;
      const std::size_t blank = text.substr(value, cursor - value).rfind(' ');
      open.token_begin = blank == std::string_view::npos ? value : value + blank + 1;
      open.token_end = std::min(text.find(' ', cursor), end);
      open.typed = text.substr(open.token_begin, cursor - open.token_begin);
    }
    if (end == text.size() || text[end] != text[quote]) return open;
    at = end + 1;
  }
}

Proposals detail::proposals_in(const Model& model, const Document& document, const OpenTag& tag,
                               std::size_t begin_in_model) {
  Proposals proposals;
  proposals.begin = tag.token_begin;
  proposals.end = tag.token_end;
  const auto offset = static_cast<std::uint32_t>(begin_in_model);
  Element parent = element_around(document, offset);
  if (parent && parent.record().begin == offset && parent.tag() == local_name(tag.tag)) parent = parent.parent();
  if (!parent || !parent.cls()) return proposals;
  const Feature* content = metamodel::find_feature_any_version(*parent.cls(), tag.tag, document.version());
  if (content == nullptr) return proposals;
  Collector collector(proposals, tag.typed);
  if (content->kind == FeatureKind::reference) {
    if (tag.attribute == "href") offer_targets(model, document, *content, true, collector);
    return proposals;
  }
  if (tag.attribute == document.xsi_prefix() + ":type") {
    offer_classes(document, *content, collector);
    return proposals;
  }
  const auto cls = tag.type.empty() ? std::optional(content->type) : metamodel::find_class(tag.type);
  if (!cls || *cls == no_class) return proposals;
  const Feature* feature = metamodel::find_feature_any_version(*cls, tag.attribute, document.version());
  if (feature == nullptr) return proposals;
  if (feature->kind == FeatureKind::reference)
    offer_targets(model, document, *feature, false, collector);
  else
    offer_literals(*feature, document.version(), collector);
  return proposals;
}

}  // namespace amalthea::lsp
