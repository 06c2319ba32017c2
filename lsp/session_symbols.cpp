// SPDX-License-Identifier: Apache-2.0
#include "lsp/detail/protocol.hpp"
#include "lsp/session.hpp"

namespace amalthea::lsp {

using namespace detail;

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

}  // namespace amalthea::lsp
