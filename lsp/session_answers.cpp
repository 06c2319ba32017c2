// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "lsp/completion.hpp"
#include "lsp/description.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/fixes.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

/// Without the escapes of description_of.
std::string plain_text(std::string_view markdown) {
  std::string out;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown[i] == '*' || markdown[i] == '`') continue;
    if (markdown[i] == '\\' && i + 1 < markdown.size()) ++i;
    out += markdown[i];
  }
  return out;
}

}  // namespace

Session::Json Session::hover(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const OpenDocument& document = place->document;
  const Subject subject = subject_at(document.good->model, place->known, place->in_known);
  const Timing* timing = document.timed == document.good ? document.timing.get() : nullptr;
  std::string text = description_of(subject, timing);
  if (text.empty()) return nullptr;
  const Span span = subject.token.size() > 0 ? subject.token : name_span(subject.element);
  return {
      {"contents", {{"kind", markdown_ ? "markdown" : "plaintext"}, {"value", markdown_ ? text : plain_text(text)}}},
      {"range", range_now(document, span)}};
}

Session::Json Session::definition(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const ModelState& state = *place->document.good;
  const Subject subject = subject_at(state.model, place->known, place->in_known);
  const Element target = subject.attribute == "name" ? subject.element : subject.target;
  if (!target) return nullptr;
  return location(state, {target.document().position(), name_span(target)});
}

Session::Json Session::references(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const ModelState& state = *place->document.good;
  const Subject subject = subject_at(state.model, place->known, place->in_known);
  const Element target = subject.target ? subject.target : subject.element;
  Json found = Json::array();
  if (!target) return found;
  if (is_true(at(params, {"context", "includeDeclaration"})))
    found.push_back(location(state, {target.document().position(), name_span(target)}));
  for (const Place& use : references_to(state.model, target)) found.push_back(location(state, use));
  return found;
}

Session::Json Session::highlights(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const ModelState& state = *place->document.good;
  const Subject subject = subject_at(state.model, place->known, place->in_known);
  const Element target = subject.target ? subject.target : subject.attribute == "name" ? subject.element : Element();
  if (!target) return nullptr;
  constexpr int read = 2, write = 3;
  Json found = Json::array();
  if (&target.document() == &place->known)
    found.push_back({{"range", range_now(place->document, name_span(target))}, {"kind", write}});
  for (const Place& use : references_to(state.model, target))
    if (use.document == place->known.position())
      found.push_back({{"range", range_now(place->document, use.span)}, {"kind", read}});
  return found;
}

Session::Json Session::completion(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const OpenDocument& document = place->document;
  const Proposals proposals = proposals_at(document.good->model, place->known, document.text, place->offset,
                                           [&](std::size_t offset) { return document.since_good.in_old(offset); });
  constexpr int reference = 18;
  Json items = Json::array();
  const Json where = range(document, proposals.begin, proposals.end);
  for (const Proposal& proposal : proposals.all)
    items.push_back({{"label", one_line(proposal.label)},
                     {"kind", reference},
                     {"detail", proposal.detail},
                     {"filterText", proposal.text},
                     {"textEdit", {{"range", where}, {"newText", proposal.text}}}});
  return {{"isIncomplete", !proposals.complete}, {"items", std::move(items)}};
}

Session::Json Session::lenses(const Json& params) {
  const OpenDocument* document = find(params);
  Json lenses = Json::array();
  if (document == nullptr || !document->good || !document->timing) return lenses;
  if (document->timed != document->good) return lenses;
  const Document& known = *document->good->model.documents()[document->index];
  for (const auto& [place, properties] : document->timing->properties) {
    if (place.first != document->index) continue;
    const Element element = known.element(place.second);
    const auto line = verdict_line(element, *document->timing);
    if (!line) continue;
    const bool is_explained = lens_commands_ && !element.is("EventChain");
    Json command = {{"title", *line}, {"command", is_explained ? explain_command : ""}};
    if (is_explained) command["arguments"] = {{{"uri", document->uri}, {"name", std::string(element.name())}}};
    lenses.push_back({{"range", range_now(*document, name_span(element))}, {"command", std::move(command)}});
  }
  return lenses;
}

Session::Json Session::fixes(const Json& params) {
  const OpenDocument* document = find(params);
  Json actions = Json::array();
  if (document == nullptr || !document->good) return actions;
  const Json& only = at(params, {"context", "only"});
  if (only.is_array() && !contains(only, "quickfix") && !contains(only, "")) return actions;
  const Json& asked = params.at("range");
  const std::size_t begin = document->lines.offset(document->text, position_of(asked.at("start")), encoding_);
  const std::size_t end = document->lines.offset(document->text, position_of(asked.at("end")), encoding_);
  const ModelState& state = *document->good;
  const Document& known = *state.model.documents()[document->index];
  const auto& now = document->since_good;
  for (const Finding& finding : state.findings[document->index]) {
    if (now.begin_in_new(finding.span.begin) > end || now.end_in_new(finding.span.end) < begin) continue;
    const auto proposed = fixes_of(state.model, known, finding);
    for (const Fix& fix : proposed) {
      Json edits = Json::array();
      for (const auto& [span, text] : fix.replaced)
        edits.push_back({{"range", range_now(*document, span)}, {"newText", text}});
      actions.push_back({{"title", fmt::format("Change to \"{}\"", one_line(fix.text))},
                         {"kind", "quickfix"},
                         {"diagnostics", {diagnostic(finding, range_now(*document, finding.span), &state)}},
                         {"isPreferred", proposed.size() == 1},
                         {"edit", {{"changes", {{document->uri, std::move(edits)}}}}}});
    }
  }
  return actions;
}

}  // namespace amalthea::lsp
