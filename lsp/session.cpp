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
    // Answers to `ask` need nothing more.
    const bool is_answer = message.is_object() && (message.contains("result") || message.contains("error"));
    if (!is_answer) refuse(ErrorCode::invalid_request, "expected an object with a method, or an answer");
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

void Session::ask(const std::string& method, Json params) {
  Json request = {{"jsonrpc", json_rpc}, {"id", fmt::format("amalthea-{}", ++asked_)}, {"method", method}};
  if (!params.is_null()) request["params"] = std::move(params);
  send_(request);
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
  if (method == "textDocument/prepareRename") return prepare_rename(params);
  return Json(Json::value_t::discarded);
}

void Session::notify(const std::string& method, const Json& params) {
  if (method == "textDocument/didOpen") return open(params.at("textDocument"));
  if (method == "textDocument/didChange") return change(params);
  if (method == "textDocument/didClose") return close(params);
  if (method == "$/cancelRequest") return cancel(params.at("id"));
  if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") urgency_ = Urgency::now;
  if (method == "initialized" && watches_files_)
    ask("client/registerCapability", {{"registrations",
                                       {{{"id", "models"},
                                         {"method", "workspace/didChangeWatchedFiles"},
                                         {"registerOptions", {{"watchers", {{{"globPattern", "**/*.amxmi*"}}}}}}}}}});
}

Session::Json Session::initialize(const Json& params) {
  const Json& client = at(params, {"capabilities"});
  if (contains(at(client, {"general", "positionEncodings"}), "utf-8")) encoding_ = PositionEncoding::utf8;
  nested_symbols_ = is_true(at(client, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"}));
  markdown_ = contains(at(client, {"textDocument", "hover", "contentFormat"}), "markdown");
  refreshes_lenses_ = is_true(at(client, {"workspace", "codeLens", "refreshSupport"}));
  watches_files_ = is_true(at(client, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"}));
  const Json& diagnostics = at(client, {"textDocument", "publishDiagnostics"});
  describes_codes_ = is_true(at(diagnostics, {"codeDescriptionSupport"}));
  keeps_data_ = is_true(at(diagnostics, {"dataSupport"}));
  relates_places_ = is_true(at(diagnostics, {"relatedInformation"}));
  const bool can_prepare = is_true(at(client, {"textDocument", "rename", "prepareSupport"}));
  versioned_edits_ = is_true(at(client, {"workspace", "workspaceEdit", "documentChanges"}));
  lens_commands_ = is_true(at(params, {"initializationOptions", "lensCommand"}));
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
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"renameProvider", can_prepare ? Json{{"prepareProvider", true}} : Json(true)},
            {"executeCommandProvider", {{"commands", {explain_command, plan_command, report_command}}}}}},
          {"serverInfo", {{"name", "amalthea"}, {"version", exporter::tool_version}}}};
}

}  // namespace amalthea::lsp
