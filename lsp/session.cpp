// SPDX-License-Identifier: Apache-2.0
#include "lsp/session.hpp"

#include <exception>
#include <new>

#include <fmt/core.h>

#include "exporter/primitives/outside_json.hpp"
#include "exporter/results/result_view.hpp"
#include "lsp/detail/protocol.hpp"

namespace amalthea::lsp {

using namespace detail;

namespace {

constexpr const char* json_rpc = "2.0";

}  // namespace

void Session::receive(std::string_view message) {
  const auto json = exporter::outside_json<Json>(message);
  if (!json) return refuse(ErrorCode::parse_error, fmt::format("the message cannot be read: {}", json.error()));
  handle(*json);
}

void Session::refuse(ErrorCode code, const std::string& why) { fail(nullptr, code, why); }

void Session::handle(const Json& message) {
  const Json& id = at(message, {"id"});
  const Json& method = at(message, {"method"});
  const bool is_request = id.is_string() || id.is_number_integer();
  if (!method.is_string()) {
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (is_answer) return take_answer(message);
    refuse(ErrorCode::invalid_request, "expected an object with a method, or an answer");
    return;
  }
  const auto refused = [&](ErrorCode code, const std::string& why) {
    if (is_request) fail(id, code, why);
  };
  const std::string name = method;
  if (name == "exit") {
    ended_ = code_at_end();
    return;
  }
  if (state_ == State::created && name != "initialize")
    return refused(ErrorCode::not_initialized, "expected initialize first");
  if (state_ == State::running && name == "initialize")
    return refused(ErrorCode::invalid_request, "the server is already initialized");
  if (state_ == State::shut_down) return refused(ErrorCode::invalid_request, "expected exit after shutdown");
  try {
    const Json& params = at(message, {"params"});
    if (!is_request) return notify(name, params);
    if (begin(id, name, params)) return;
    Json result = answer(name, params);
    if (result.is_discarded()) return refused(ErrorCode::method_not_found, fmt::format("unknown method {}", name));
    reply(id, std::move(result));
  } catch (const Json::exception& error) {
    refused(ErrorCode::invalid_params, fmt::format("{}: {}", name, error.what()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    refused(ErrorCode::internal_error, fmt::format("{}: {}", name, error.what()));
  }
}

void Session::reply(const Json& id, Json result) {
  send_({{"jsonrpc", json_rpc}, {"id", id}, {"result", std::move(result)}});
}

void Session::fail(const Json& id, ErrorCode code, const std::string& why) {
  send_({{"jsonrpc", json_rpc}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", why}}}});
}

void Session::tell(const std::string& method, Json params) {
  send_({{"jsonrpc", json_rpc}, {"method", method}, {"params", std::move(params)}});
}

void Session::ask(const std::string& method, Json params, std::function<void(const Json& result)> then) {
  std::string id = fmt::format("amalthea-{}", ++asked_);
  Json request = {{"jsonrpc", json_rpc}, {"id", id}, {"method", method}};
  if (!params.is_null()) request["params"] = std::move(params);
  if (then) answers_.emplace(std::move(id), std::move(then));
  send_(request);
}

void Session::take_answer(const Json& message) {
  const Json& id = at(message, {"id"});
  const auto found = id.is_string() ? answers_.find(id) : answers_.end();
  if (found == answers_.end()) return;
  const auto then = std::move(found->second);
  answers_.erase(found);
  if (message.contains("result")) then(message["result"]);
}

/// A discarded value for an unknown method.
Session::Json Session::answer(const std::string& method, const Json& params) {
  if (method == "initialize") return initialize(params);
  if (method == "shutdown") {
    state_ = State::shut_down;
    cancel_all();
    return nullptr;
  }
  if (method == "textDocument/hover") return hover(params);
  if (method == "textDocument/definition") return definition(params);
  if (method == "textDocument/references") return references(params);
  if (method == "textDocument/documentSymbol") return symbols(params);
  if (method == "textDocument/completion") return completion(params);
  if (method == "textDocument/codeLens") return lenses(params);
  if (method == "textDocument/codeAction") return fixes(params);
  if (method == "textDocument/documentHighlight") return highlights(params);
  if (method == "textDocument/foldingRange") return foldings(params);
  if (method == "textDocument/inlayHint") return hints(params);
  if (method == "workspace/symbol") return workspace_symbols(params);
  if (method == "textDocument/prepareRename") return prepare_rename(params);
  return Json(Json::value_t::discarded);
}

void Session::notify(const std::string& method, const Json& params) {
  if (method == "textDocument/didOpen") return open(params.at("textDocument"));
  if (method == "textDocument/didChange") return change(params);
  if (method == "textDocument/didClose") return close(params);
  if (method == "$/cancelRequest") return cancel(params.at("id"));
  if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") urgency_ = Urgency::now;
  if (method == "initialized") return initialized();
  if (method == "workspace/didChangeConfiguration") {
    if (const Json& settings = at(params, {"settings", "amalthea"}); settings.is_object()) {
      configure(settings);
      publish();
    } else if (asks_settings_) {
      ask_for_settings();
    }
  }
}

void Session::initialized() {
  Json registrations = Json::array();
  if (watches_files_)
    registrations.push_back({{"id", "models"},
                             {"method", "workspace/didChangeWatchedFiles"},
                             {"registerOptions", {{"watchers", {{{"globPattern", "**/*.amxmi*"}}}}}}});
  if (watches_settings_)
    registrations.push_back({{"id", "settings"},
                             {"method", "workspace/didChangeConfiguration"},
                             {"registerOptions", {{"section", "amalthea"}}}});
  if (!registrations.empty()) ask("client/registerCapability", {{"registrations", std::move(registrations)}});
  if (asks_settings_) ask_for_settings();
}

void Session::learn(const Json& client) {
  if (contains(at(client, {"general", "positionEncodings"}), "utf-8")) encoding_ = PositionEncoding::utf8;
  nested_symbols_ = is_true(at(client, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"}));
  markdown_ = contains(at(client, {"textDocument", "hover", "contentFormat"}), "markdown");
  refreshes_lenses_ = is_true(at(client, {"workspace", "codeLens", "refreshSupport"}));
  watches_files_ = is_true(at(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
  refreshes_diagnostics_ = is_true(at(client, {"workspace", "diagnostics", "refreshSupport"}));
  refreshes_hints_ = is_true(at(client, {"workspace", "inlayHint", "refreshSupport"}));
  shows_progress_ = is_true(at(client, {"window", "workDoneProgress"}));
  asks_settings_ = is_true(at(client, {"workspace", "configuration"}));
  watches_settings_ = is_true(at(client, {"workspace", "didChangeConfiguration", "dynamicRegistration"}));
  versioned_edits_ = is_true(at(client, {"workspace", "workspaceEdit", "documentChanges"}));
  const Json& document = at(client, {"textDocument"});
  pulls_ = at(document, {"diagnostic"}).is_object();
  prepares_renames_ = is_true(at(document, {"rename", "prepareSupport"}));
  describes_codes_ = is_true(at(document, {"publishDiagnostics", "codeDescriptionSupport"}));
  keeps_data_ = is_true(at(document, {"publishDiagnostics", "dataSupport"}));
  relates_places_ = is_true(at(document, {"publishDiagnostics", "relatedInformation"}));
  if (const Json& most = at(document, {"foldingRange", "rangeLimit"});
      most.is_number_unsigned() && most < most_foldings_)
    most_foldings_ = most;
}

Session::Json Session::initialize(const Json& params) {
  const Json& client = at(params, {"capabilities"});
  learn(client);
  configure(at(params, {"initializationOptions"}));
  if (const Json& process = at(params, {"processId"}); process.is_number_unsigned()) client_process_ = process;
  state_ = State::running;
  constexpr int incremental = 2;
  Json capabilities = {
      {"positionEncoding", encoding_ == PositionEncoding::utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", incremental}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"foldingRangeProvider", true},
      {"inlayHintProvider", true},
      {"completionProvider", {{"triggerCharacters", {"\"", "#", "/", " "}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"renameProvider", prepares_renames_ ? Json{{"prepareProvider", true}, {"workDoneProgress", true}} : Json(true)},
      {"executeCommandProvider", {{"commands", command_names}, {"workDoneProgress", true}}}};
  if (pulls_)
    capabilities["diagnosticProvider"] = {
        {"identifier", "amalthea"}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}};
  return {{"capabilities", std::move(capabilities)},
          {"serverInfo", {{"name", "amalthea"}, {"version", exporter::tool_version}}}};
}

}  // namespace amalthea::lsp
