// SPDX-License-Identifier: Apache-2.0
#include "lsp/fixes.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "lsp/navigation.hpp"
#include "lsp/text.hpp"
#include "review/review.hpp"

namespace amalthea::lsp {
namespace {

constexpr std::string_view white_space = " \t\r\n";

/// "A" and "B" in `…; did you mean "A" or "B"?…`.
std::vector<std::string> suggestions_in(std::string_view message) {
  constexpr std::string_view question = "; did you mean \"";
  std::vector<std::string> found;
  std::size_t at = message.rfind(question);
  if (at == std::string_view::npos) return found;
  at += question.size();
  while (true) {
    const std::size_t end = message.find('"', at);
    if (end == std::string_view::npos) return {};
    found.emplace_back(message.substr(at, end - at));
    const std::string_view rest = message.substr(end + 1);
    if (rest.starts_with('?')) return found;
    const std::size_t next = rest.find('"');
    const std::string_view between = rest.substr(0, next);
    if (next == std::string_view::npos || (between != ", " && between != " or " && between != ", or ")) return {};
    at = end + 1 + next + 1;
  }
}

Span span_of(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

/// The name of the attribute whose value begins at `value`.
std::optional<Span> attribute_name_before(std::string_view text, std::size_t value) {
  if (value < 2) return std::nullopt;
  const auto skip = [&](std::size_t at) { return text.find_last_not_of(white_space, at); };
  std::size_t at = skip(value - 2);
  if (at == std::string_view::npos || text[at] != '=' || at == 0) return std::nullopt;
  at = skip(at - 1);
  const std::size_t before = text.find_last_of(" \t\r\n:", at);
  if (at == std::string_view::npos || before == std::string_view::npos) return std::nullopt;
  return span_of(before + 1, at + 1);
}

/// The spans that the suggestion replaces.
std::vector<Span> replaced_by(const Model& model, const Document& document, const Finding& finding,
                              std::string_view suggestion) {
  const std::string_view text = document.source().bytes();
  const Span at = finding.span;
  if (at.size() == 0 || at.begin == 0) return {};
  if (text[at.begin] == '<') {  // the name of an element, in both tags
    const Element element = element_around(document, at.begin);
    if (!element || element.record().begin != at.begin) return {};
    const std::size_t size = at.size() - 1;
    std::vector<Span> names = {span_of(at.begin + 1, at.end)};
    if (const Span end = element.end_tag(); end.size() > 0)
      names.push_back(span_of(end.begin + 2, end.begin + 2 + size));
    return names;
  }
  const char before = text[at.begin - 1];
  if (before != '"' && before != '\'' && before != ' ') return {};
  const Subject subject = subject_at(model, document, at.begin);
  if (before != ' ' && subject.element && subject.feature == nullptr && subject.element.cls() &&
      subject.attribute.find(':') == std::string_view::npos) {
    const auto name = attribute_name_before(text, at.begin);
    return name ? std::vector{*name} : std::vector<Span>{};
  }
  std::string_view value = text.substr(at.begin, at.size());
  if (subject.attribute == "xsi:type") {  // without the prefix of the metamodel
    const std::size_t colon = value.find(':');
    return {span_of(at.begin + (colon == std::string_view::npos ? 0 : colon + 1), at.end)};
  }
  if (const std::size_t hash = value.find('#'); subject.attribute == "href" && hash != std::string_view::npos)
    return {span_of(at.begin + hash + 1, at.end)};
  // A name with white_space is two tokens.
  std::string joined(text.substr(at.begin, suggestion.size()));
  std::replace(joined.begin(), joined.end(), ' ', '+');
  if (joined == suggestion) return {span_of(at.begin, at.begin + suggestion.size())};
  const bool is_list = subject.feature != nullptr && subject.feature->kind == FeatureKind::reference;
  return {is_list ? at : subject.token};
}

/// What tells the members of a series apart: the digits and single letters of a name.
std::string numbering(std::string_view name) {
  const auto is_letter = [&](std::size_t at) {
    return at < name.size() && std::isalpha(static_cast<unsigned char>(name[at])) != 0;
  };
  std::string found;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(name[i])) != 0 ||
        (is_letter(i) && !is_letter(i + 1) && (i == 0 || !is_letter(i - 1))))
      found += name[i];
  return found;
}

/// Whether the suggestion may name something else than what was meant.
bool is_doubtful(std::string_view written, std::string_view suggestion) {
  const auto name_of = [](std::string_view text) { return text.substr(0, text.find("?type=")); };
  return numbering(name_of(written)) != numbering(name_of(suggestion)) ||
         spelling_distance(name_of(written), name_of(suggestion), 2) > 2;
}

}  // namespace

SafeFixes safe_fixes(const Model& model, const Diagnostics& findings) {
  SafeFixes safe;
  const Findings by_document = placed(model, findings, nullptr, nullptr);
  for (std::uint32_t i = 0; i < by_document.size(); ++i) {
    const Document& document = *model.documents()[i];
    std::vector<exporter::Splice>& splices = safe.splices[i];
    for (const Finding& finding : by_document[i]) {
      const std::vector<Fix> fixes = fixes_of(model, document, finding);
      if (fixes.size() != 1) continue;
      const auto& replaced = fixes.front().replaced;
      const bool unsafe = std::any_of(replaced.begin(), replaced.end(), [&](const auto& change) {
        const Span span = change.first;
        return is_doubtful(document.source().text(span), fixes.front().text) ||
               std::any_of(splices.begin(), splices.end(), [&](const exporter::Splice& other) {
                 return span.begin < other.span.end && other.span.begin < span.end;
               });
      });
      if (unsafe) continue;
      for (const auto& [span, text] : replaced)
        splices.push_back({span, exporter::escape_attribute(fixes.front().text)});
      safe.fixed.emplace_back(finding.diagnostic, fixes.front().text);
    }
  }
  return safe;
}

void exchange_swapped_deadlines(const Model& model, SafeFixes& safe) {
  Diagnostics ignored;
  const auto system = review::build_checked(model, {}, ignored);
  if (!system) return;
  const auto write = [&safe](Element place, Element from) {
    for (const char* name : {"value", "unit"})
      safe.splices[place.document().position()].push_back(
          {*place.attribute_span(name), exporter::escape_attribute(*from.attribute(name))});
    Diagnostic about;
    about.location = place.location();
    safe.fixed.emplace_back(std::move(about), fmt::format("{} {}", *from.attribute("value"), *from.attribute("unit")));
  };
  for (const auto& [one, other] : review::swapped_deadlines(model, *system)) {
    const auto is_whole = [](Element time) { return time.attribute_span("value") && time.attribute_span("unit"); };
    if (!is_whole(one) || !is_whole(other)) continue;
    write(one, other);
    write(other, one);
  }
}

std::vector<Fix> fixes_of(const Model& model, const Document& document, const Finding& finding) {
  std::vector<Fix> fixes;
  for (std::string& suggestion : suggestions_in(finding.diagnostic.message)) {
    Fix fix;
    for (const Span span : replaced_by(model, document, finding, suggestion))
      fix.replaced.emplace_back(span, as_attribute(suggestion));
    fix.text = std::move(suggestion);
    if (!fix.replaced.empty()) fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace amalthea::lsp
