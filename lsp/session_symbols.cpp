// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "amalthea/primitives/ascii.hpp"
#include "lsp/detail/protocol.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

constexpr std::size_t most_symbols = 1000;

}  // namespace

void Session::add_symbols(const OpenDocument& document, const std::vector<Symbol>& symbols,
                          const std::string& container, Json& out) const {
  for (const Symbol& symbol : symbols) {
    Json json = {{"name", one_line(symbol.name)}, {"kind", kind_of(symbol.element)}};
    if (nested_symbols_) {
      json["detail"] = symbol.element.class_name();
      json["range"] = range_now(document, symbol.element.span());
      json["selectionRange"] = range_now(document, name_span(symbol.element));
      Json children = Json::array();
      add_symbols(document, symbol.children, symbol.name, children);
      if (!children.empty()) json["children"] = std::move(children);
      out.push_back(std::move(json));
    } else {
      json["location"] = {{"uri", document.uri}, {"range", range_now(document, symbol.element.span())}};
      if (!container.empty()) json["containerName"] = one_line(container);
      out.push_back(std::move(json));
      add_symbols(document, symbol.children, symbol.name, out);
    }
  }
}

Session::Json Session::symbols(const Json& params) {
  const OpenDocument* document = find(params);
  if (document == nullptr || !document->good) return nullptr;
  Json out = Json::array();
  add_symbols(*document, symbols_of(*document->good->model.documents()[document->index]), "", out);
  return out;
}

Session::Json Session::workspace_symbols(const Json& params) const {
  const std::string query = lower_case(params.at("query").get<std::string>());
  Json out = Json::array();
  std::set<const ModelState*> models;
  for (const auto& [path, open] : documents_) {
    if (!open.good || !models.insert(open.good.get()).second) continue;
    for (const auto& document : open.good->model.documents())
      for (std::uint32_t i = 0; i < document->size() && out.size() < most_symbols; ++i) {
        const Element element = document->element(i);
        if (!element.cls() || element.name().empty()) continue;
        if (lower_case(std::string(element.name())).find(query) == std::string::npos) continue;
        out.push_back({{"name", one_line(element.name())},
                       {"kind", kind_of(element)},
                       {"containerName", one_line(element.parent().path())},
                       {"location", location(*open.good, {document->position(), name_span(element)})}});
      }
  }
  return out;
}

Session::Json Session::foldings(const Json& params) {
  const OpenDocument* document = find(params);
  if (document == nullptr || !document->good) return nullptr;
  struct Fold {
    std::size_t first = 0, last = 0, depth = 0;
  };
  std::vector<Fold> folds;
  const Document& known = *document->good->model.documents()[document->index];
  if (known.source().unit() != 1) return Json::array();
  std::vector<std::size_t> depths(known.size());
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    const ElementRecord& record = known.record(i);
    depths[i] = record.parent == ElementRecord::none ? 0 : depths[record.parent] + 1;
    if (record.self_closing()) continue;
    // The end tag stays visible.
    const std::size_t first = line_now(*document, record.begin), end = line_now(*document, record.close_begin);
    if (end > first + 1) folds.push_back({first, end - 1, depths[i]});
  }
  if (folds.size() > most_foldings_) {
    std::stable_sort(folds.begin(), folds.end(), [](const Fold& a, const Fold& b) { return a.depth < b.depth; });
    folds.resize(most_foldings_);
    std::stable_sort(folds.begin(), folds.end(), [](const Fold& a, const Fold& b) { return a.first < b.first; });
  }
  Json out = Json::array();
  for (const Fold& fold : folds) out.push_back({{"startLine", fold.first}, {"endLine", fold.last}});
  return out;
}

Session::Json Session::hints(const Json& params) {
  const OpenDocument* document = find(params);
  const Json& asked = params.at("range");
  const Position start = position_of(asked.at("start")), end = position_of(asked.at("end"));
  Json out = Json::array();
  if (document == nullptr || !document->good || !document->timing || document->timed != document->good) return out;
  const Document& known = *document->good->model.documents()[document->index];
  const std::size_t first = document->lines.offset(document->text, start, encoding_);
  const std::size_t last = document->lines.offset(document->text, end, encoding_);
  const Hints& all = document->timing->hints;
  for (auto hint = all.lower_bound({document->index, 0}); hint != all.end(); ++hint) {
    if (hint->first.first != document->index) break;
    const Element element = known.element(hint->first.second);
    // Behind the name of a task, and behind the tag of ticks.
    const auto name = element.attribute_span("name");
    const std::size_t place = document->since_good.end_in_new(name ? name->end + 1 : element.start_tag().end);
    if (place < first || place > last) continue;
    out.push_back(
        {{"position", range(*document, place, place)["start"]}, {"label", hint->second}, {"paddingLeft", true}});
  }
  return out;
}

}  // namespace amalthea::lsp
