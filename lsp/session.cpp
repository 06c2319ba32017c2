// SPDX-License-Identifier: Apache-2.0
#include "lsp/session.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>

#include <fmt/core.h>

#include "exporter/primitives/json_integers.hpp"
#include "exporter/primitives/outside_json.hpp"
#include "exporter/results/result_view.hpp"
#include "lsp/completion.hpp"
#include "lsp/description.hpp"
#include "lsp/file_uri.hpp"
#include "lsp/fixes.hpp"

namespace amalthea::lsp {
namespace {

using Json = nlohmann::json;

constexpr const char* json_rpc = "2.0";

/// The value at a path of keys, or null.
const Json& at(const Json& json, std::initializer_list<const char*> keys) {
  static const Json none;
  const Json* value = &json;
  for (const char* key : keys) {
    if (!value->is_object()) return none;
    const auto found = value->find(key);
    if (found == value->end()) return none;
    value = &*found;
  }
  return *value;
}

bool is_true(const Json& value) { return value.is_boolean() && value.get<bool>(); }

bool contains(const Json& list, std::string_view word) {
  return list.is_array() &&
         std::any_of(list.begin(), list.end(), [&](const Json& entry) { return entry.is_string() && entry == word; });
}

/// Throws for anything but a position, as all accesses to parameters do.
Position position_of(const Json& json) {
  return {exporter::integer_in<std::size_t>(json.at("line")), exporter::integer_in<std::size_t>(json.at("character"))};
}

Json to_json(Position position) { return {{"line", position.line}, {"character", position.character}}; }

/// The path of a document. One without a file is named by its URI, which is no absolute path.
std::string path_of(const std::string& uri) { return path_of_uri(uri).value_or(uri); }

int severity_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return 1;
    case Severity::warning:
      return 2;
    case Severity::note:
      return 3;
  }
  return 1;
}

/// SymbolKind of the protocol.
int kind_of(Element element) {
  constexpr int module = 2, structure = 23, function = 12, variable = 13, constant = 14, event = 24, object = 19;
  if (element.name().empty()) return module;
  constexpr std::array<std::pair<std::string_view, int>, 9> kinds = {{{"Task", event},
                                                                      {"ISR", event},
                                                                      {"Runnable", function},
                                                                      {"Label", variable},
                                                                      {"ModeLabel", variable},
                                                                      {"ModeLiteral", constant},
                                                                      {"HwStructure", structure},
                                                                      {"ProcessingUnit", structure},
                                                                      {"Memory", structure}}};
  for (const auto& [cls, kind] : kinds)
    if (element.is(cls)) return kind;
  return object;
}

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

// ---------------------------------------------------------------- messages

void Session::receive(std::string_view message) {
  const auto json = exporter::outside_json<Json>(message);
  if (!json) return refuse(ErrorCode::parse_error, fmt::format("the message cannot be read: {}", json.error()));
  handle(*json);
}

void Session::refuse(ErrorCode code, const std::string& why) {
  send_({{"jsonrpc", json_rpc}, {"id", nullptr}, {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
}

void Session::handle(const Json& message) {
  const Json& id = at(message, {"id"});
  const Json& method = at(message, {"method"});
  const bool is_request = id.is_string() || id.is_number_integer();
  if (!method.is_string()) {
    // Answers to `ask` need nothing more.
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (!is_answer) refuse(ErrorCode::invalid_request, "expected an object with a method, or an answer");
    return;
  }
  const auto fail = [&](ErrorCode code, const std::string& why) {
    if (is_request)
      send_({{"jsonrpc", json_rpc}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
  };
  const std::string name = method;
  if (name == "exit") {
    ended_ = code_at_end();
    return;
  }
  if (state_ == State::created && name != "initialize")
    return fail(ErrorCode::not_initialized, "expected initialize first");
  if (state_ == State::running && name == "initialize")
    return fail(ErrorCode::invalid_request, "the server is already initialized");
  if (state_ == State::shut_down) return fail(ErrorCode::invalid_request, "expected exit after shutdown");
  try {
    const Json& params = at(message, {"params"});
    if (!is_request) return notify(name, params);
    Json result = answer(name, params);
    if (result.is_discarded()) return fail(ErrorCode::method_not_found, fmt::format("unknown method {}", name));
    send_({{"jsonrpc", json_rpc}, {"id", id}, {"result", std::move(result)}});
  } catch (const Json::exception& error) {
    fail(ErrorCode::invalid_params, fmt::format("{}: {}", name, error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    fail(ErrorCode::internal_error, fmt::format("{}: {}", name, error.what()));
  }
}

void Session::tell(const std::string& method, Json params) {
  send_({{"jsonrpc", json_rpc}, {"method", method}, {"params", std::move(params)}});
}

void Session::ask(const std::string& method, Json params) {
  Json request = {{"jsonrpc", json_rpc}, {"id", fmt::format("amalthea-{}", ++asked_)}, {"method", method}};
  if (!params.is_null()) request["params"] = std::move(params);
  send_(request);
}

/// A discarded value for an unknown method.
Json Session::answer(const std::string& method, const Json& params) {
  if (method == "initialize") return initialize(params);
  if (method == "shutdown") {
    state_ = State::shut_down;
    return nullptr;
  }
  if (method == "textDocument/hover") return hover(params);
  if (method == "textDocument/definition") return definition(params);
  if (method == "textDocument/references") return references(params);
  if (method == "textDocument/documentSymbol") return symbols(params);
  if (method == "textDocument/completion") return completion(params);
  if (method == "textDocument/codeLens") return lenses(params);
  if (method == "textDocument/codeAction") return fixes(params);
  return Json(Json::value_t::discarded);
}

void Session::notify(const std::string& method, const Json& params) {
  if (method == "textDocument/didOpen") return open(params.at("textDocument"));
  if (method == "textDocument/didChange") return change(params);
  if (method == "textDocument/didClose") return close(params);
  if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") urgency_ = Urgency::now;
  if (method == "initialized" && watches_files_)
    ask("client/registerCapability", {{"registrations",
                                       {{{"id", "models"},
                                         {"method", "workspace/didChangeWatchedFiles"},
                                         {"registerOptions", {{"watchers", {{{"globPattern", "**/*.amxmi*"}}}}}}}}}});
}

Json Session::initialize(const Json& params) {
  const Json& client = at(params, {"capabilities"});
  if (contains(at(client, {"general", "positionEncodings"}), "utf-8")) encoding_ = PositionEncoding::utf8;
  nested_symbols_ = is_true(at(client, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"}));
  markdown_ = contains(at(client, {"textDocument", "hover", "contentFormat"}), "markdown");
  refreshes_lenses_ = is_true(at(client, {"workspace", "codeLens", "refreshSupport"}));
  watches_files_ = is_true(at(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
  if (const Json& process = at(params, {"processId"}); process.is_number_unsigned()) client_process_ = process;
  state_ = State::running;
  constexpr int incremental = 2;
  return {{"capabilities",
           {{"positionEncoding", encoding_ == PositionEncoding::utf8 ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", incremental}, {"save", true}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentSymbolProvider", true},
            {"completionProvider", {{"triggerCharacters", {"\"", "#", "/", " "}}}},
            {"codeLensProvider", {{"resolveProvider", false}}},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}}},
          {"serverInfo", {{"name", "amalthea"}, {"version", exporter::tool_version}}}};
}

// ---------------------------------------------------------------- documents

void Session::open(const Json& document) {
  const std::string uri = document.at("uri");
  std::string text = document.at("text");
  LineIndex lines(text);
  published_.erase(uri);  // editors forget the diagnostics of documents that they close
  documents_.insert_or_assign(
      path_of(uri),
      OpenDocument{uri, std::move(text), std::move(lines), at(document, {"version"}), {}, {}, {}, {}, {}, {}, 0});
  urgency_ = Urgency::now;
}

Session::OpenDocument* Session::find(const Json& params) {
  const auto found = documents_.find(path_of(params.at("textDocument").at("uri").get<std::string>()));
  return found == documents_.end() ? nullptr : &found->second;
}

void Session::change(const Json& params) {
  OpenDocument* document = find(params);
  if (document == nullptr) return;
  for (const Json& edit : params.at("contentChanges")) {
    const std::string inserted = edit.at("text");
    std::size_t begin = 0, end = document->text.size();
    if (const Json& where = at(edit, {"range"}); !where.is_null()) {
      begin = document->lines.offset(document->text, position_of(where.at("start")), encoding_);
      end = document->lines.offset(document->text, position_of(where.at("end")), encoding_);
      if (end < begin) std::swap(begin, end);
    }
    document->text.replace(begin, end - begin, inserted);
    document->lines.replace(document->text, begin, end, inserted.size());
    document->since_read.replace(begin, end, inserted.size());
    document->since_good.replace(begin, end, inserted.size());
    document->read.reset();
  }
  document->version = at(params, {"textDocument", "version"});
  urgency_ = std::max(urgency_, Urgency::pause);
}

void Session::close(const Json& params) {
  documents_.erase(path_of(params.at("textDocument").at("uri").get<std::string>()));
  urgency_ = Urgency::now;
}

OpenTexts Session::due() {
  urgency_ = Urgency::none;
  OpenTexts texts;
  for (auto& [path, document] : documents_) {
    if (document.text.size() > max_text_) {
      tell("window/showMessage",
           {{"type", 1}, {"message", fmt::format("{}: the text exceeds the limit of {} bytes", path, max_text_)}});
      continue;
    }
    if (!document.read) {
      document.read = std::make_shared<const std::string>(document.text);
      document.since_read = {};
    }
    texts.emplace(path, document.read);
  }
  return texts;
}

void Session::take(std::vector<Reading> readings) {
  bool analyzed = false;
  for (const Reading& reading : readings)
    for (const std::string& file : reading.files) {
      const auto found = documents_.find(file);
      if (found == documents_.end() || !reading.state) continue;
      OpenDocument& document = found->second;
      const auto& known = reading.state->model.documents();
      const auto part =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->source().path() == file; });
      if (part == known.end()) continue;
      // A document that is not readable now is part of the model with its last readable text, as before.
      if (document.good != reading.state && !reading.failures.contains(file)) document.since_good = document.since_read;
      document.good = reading.state;
      document.index = (*part)->position();
      if (reading.timing && document.timing != reading.timing) {
        document.timing = reading.timing;
        document.timed = reading.state;
        analyzed = true;
      }
    }
  publish(readings);
  if (analyzed && refreshes_lenses_) ask("workspace/codeLens/refresh", nullptr);
}

// ---------------------------------------------------------------- places

Json Session::range(const OpenDocument& document, std::size_t begin, std::size_t end) const {
  return {{"start", to_json(document.lines.position(document.text, begin, encoding_))},
          {"end", to_json(document.lines.position(document.text, std::max(begin, end), encoding_))}};
}

Json Session::range_now(const OpenDocument& document, Span span) const {
  return range(document, document.since_good.begin_in_new(span.begin), document.since_good.end_in_new(span.end));
}

Json Session::location(const ModelState& state, Place place) const {
  const SourceText& source = state.model.documents()[place.document]->source();
  const auto open = documents_.find(source.path());
  if (open != documents_.end() && open->second.good.get() == &state)
    return {{"uri", open->second.uri}, {"range", range_now(open->second, place.span)}};
  const LineIndex& lines = state.lines[place.document];
  return {{"uri", uri_of_path(source.path())},
          {"range",
           {{"start", to_json(lines.position(source.bytes(), place.span.begin, encoding_))},
            {"end", to_json(lines.position(source.bytes(), place.span.end, encoding_))}}}};
}

std::optional<Session::Cursor> Session::cursor(const Json& params) {
  OpenDocument* document = find(params);
  const Position position = position_of(params.at("position"));
  if (document == nullptr || !document->good) return std::nullopt;
  const std::size_t offset = document->lines.offset(document->text, position, encoding_);
  return Cursor{*document, *document->good->model.documents()[document->index], offset,
                static_cast<std::uint32_t>(document->since_good.in_old(offset))};
}

// ---------------------------------------------------------------- diagnostics

Json Session::diagnostic(const Finding& finding, Json where) const {
  return {{"range", std::move(where)},
          {"severity", severity_of(finding.diagnostic.severity)},
          {"code", finding.diagnostic.id},
          {"source", "amalthea"},
          {"message", one_line(finding.diagnostic.message)}};
}

void Session::publish(const std::vector<Reading>& readings) {
  std::map<std::string, Json> now;  // by URI
  std::map<std::string, Json> versions;
  for (const Reading& reading : readings)
    for (const std::string& file : reading.files) {
      const auto open = documents_.find(file);
      const bool is_open = open != documents_.end();
      const std::string uri = is_open ? open->second.uri : uri_of_path(file);
      Json& list = now[uri] = Json::array();
      if (is_open) versions[uri] = open->second.version;
      if (const auto failure = reading.failures.find(file); failure != reading.failures.end()) {
        const Finding& finding = failure->second;
        const Span span = finding.span;
        list.push_back(diagnostic(finding, is_open
                                               ? range(open->second, open->second.since_read.begin_in_new(span.begin),
                                                       open->second.since_read.end_in_new(span.end))
                                               : Json{{"start", to_json({})}, {"end", to_json({})}}));
        continue;
      }
      if (!reading.state) continue;
      const auto& known = reading.state->model.documents();
      const auto part =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one->source().path() == file; });
      if (part == known.end()) continue;
      const std::uint32_t index = (*part)->position();
      for (const Finding& finding : (*reading.findings)[index])
        if (is_shown_(finding.diagnostic))
          list.push_back(diagnostic(finding, location(*reading.state, {index, finding.span})["range"]));
    }
  for (const auto& [uri, list] : published_)
    if (!now.contains(uri) && list != "[]")
      tell("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
  std::map<std::string, std::string> published;
  for (auto& [uri, list] : now) {
    std::string text = list.dump(-1, ' ', false, Json::error_handler_t::replace);
    const auto before = published_.find(uri);
    const bool is_open = versions.contains(uri);
    // An editor waits for the diagnostics of what it has open, even if there are none.
    if (before == published_.end() ? is_open || !list.empty() : before->second != text) {
      Json params = {{"uri", uri}, {"diagnostics", std::move(list)}};
      if (is_open && versions[uri].is_number_integer()) params["version"] = versions[uri];
      tell("textDocument/publishDiagnostics", std::move(params));
    }
    published.emplace(uri, std::move(text));
  }
  published_ = std::move(published);
}

// ---------------------------------------------------------------- answers

Json Session::hover(const Json& params) {
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

Json Session::definition(const Json& params) {
  const auto place = cursor(params);
  if (!place) return nullptr;
  const ModelState& state = *place->document.good;
  const Subject subject = subject_at(state.model, place->known, place->in_known);
  const Element target = subject.attribute == "name" ? subject.element : subject.target;
  if (!target) return nullptr;
  return location(state, {target.document().position(), name_span(target)});
}

Json Session::references(const Json& params) {
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

Json Session::symbols(const Json& params) {
  const OpenDocument* document = find(params);
  if (document == nullptr || !document->good) return nullptr;
  Json out = Json::array();
  add_symbols(*document, symbols_of(*document->good->model.documents()[document->index]), "", out);
  return out;
}

Json Session::completion(const Json& params) {
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

Json Session::lenses(const Json& params) {
  const OpenDocument* document = find(params);
  Json lenses = Json::array();
  if (document == nullptr || !document->good || !document->timing) return lenses;
  if (document->timed != document->good) return lenses;
  const Document& known = *document->good->model.documents()[document->index];
  for (const auto& [place, properties] : document->timing->properties) {
    if (place.first != document->index) continue;
    const Element element = known.element(place.second);
    if (const auto line = verdict_line(element, *document->timing))
      lenses.push_back(
          {{"range", range_now(*document, name_span(element))}, {"command", {{"title", *line}, {"command", ""}}}});
  }
  return lenses;
}

Json Session::fixes(const Json& params) {
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
                         {"diagnostics", {diagnostic(finding, range_now(*document, finding.span))}},
                         {"isPreferred", proposed.size() == 1},
                         {"edit", {{"changes", {{document->uri, std::move(edits)}}}}}});
    }
  }
  return actions;
}

}  // namespace amalthea::lsp
