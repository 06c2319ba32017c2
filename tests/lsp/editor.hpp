// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An editor for tests of the language server: sends what editors send, and reads in the same thread.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "amalthea/work.hpp"
#include "lsp/file_uri.hpp"
#include "lsp/model_state.hpp"
#include "lsp/session.hpp"

namespace test {

class Editor {
 public:
  using Json = nlohmann::json;

  /// `capabilities` of the client; with null nothing is initialized.
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  explicit Editor(Json capabilities = Json::object(), const Json& options = nullptr)
      : session_(
            2'000'000'000, [](const amalthea::Diagnostic&) { return true; },
            [this](const Json& message) { sent.push_back(message); }),
        reader_(amalthea::analysis::Options{}) {
    if (!capabilities.is_null())
      initialized =
          request("initialize", {{"capabilities", std::move(capabilities)}, {"initializationOptions", options}});
  }

  void notify(const std::string& method, Json params) {
    session_.receive(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
  }
  /// The result, or the error.
  Json request(const std::string& method, Json params) {
    begin(method, std::move(params));
    return answer(requests_);
  }
  /// The id of a request that may be answered later.
  int begin(const std::string& method, Json params) {
    session_.receive(
        Json{{"jsonrpc", "2.0"}, {"id", ++requests_}, {"method", method}, {"params", std::move(params)}}.dump());
    return requests_;
  }
  Json answer(int id) const {
    for (const Json& message : sent)
      if (message.value("id", Json()) == id && !message.contains("method"))
        return message.contains("error") ? message["error"] : message["result"];
    return no_answer;
  }
  static constexpr const char* no_answer = "no answer";
  /// The answer to a command, once it has been executed.
  Json execute(const std::string& command, Json argument) {
    const int id = begin("workspace/executeCommand", {{"command", command}, {"arguments", {std::move(argument)}}});
    settle();
    run_commands();
    return answer(id);
  }
  void run_commands() {
    while (const auto job = session_.next_job()) session_.finish(job->ticket, job->run({}));
  }
  void receive(const std::string& bytes) { session_.receive(bytes); }

  /// Reads and analyzes what is due.
  void settle() {
    if (session_.urgency() == amalthea::lsp::Session::Urgency::none) return;
    amalthea::Work work;
    reader_.read(session_.due(), work, [this](auto readings) { session_.take(std::move(readings)); });
  }

  void open(const std::string& path, const std::string& text) {
    notify("textDocument/didOpen",
           {{"textDocument",
             {{"uri", amalthea::lsp::uri_of_path(path)}, {"languageId", "xml"}, {"version", 1}, {"text", text}}}});
    texts_[path] = text;
    settle();
  }
  /// Replaces the only, or the first, occurrence of a text, as typing does; without reading.
  void type(const std::string& path, const std::string& from, const std::string& to) {
    std::string& text = texts_[path];
    const std::size_t at = text.find(from);
    notify("textDocument/didChange",
           {{"textDocument", {{"uri", amalthea::lsp::uri_of_path(path)}, {"version", ++version_}}},
            {"contentChanges",
             {{{"range", {{"start", position(text, at)}, {"end", position(text, at + from.size())}}}, {"text", to}}}}});
    text.replace(at, from.size(), to);
  }
  /// What the protocol asks for at the place `behind` bytes after the beginning of a text.
  Json at(const std::string& method, const std::string& path, const std::string& place, std::size_t behind = 0) {
    Json params = {{"textDocument", {{"uri", amalthea::lsp::uri_of_path(path)}}},
                   {"position", position(texts_[path], texts_[path].find(place) + behind)}};
    if (method == "textDocument/references") params["context"] = {{"includeDeclaration", true}};
    return request(method, std::move(params));
  }
  /// The edit that gives a new name at such a place, or the error.
  Json rename(const std::string& path, const std::string& place, std::size_t behind, const std::string& name) {
    const int id = begin_rename(path, place, behind, name);
    settle();
    run_commands();
    return answer(id);
  }
  int begin_rename(const std::string& path, const std::string& place, std::size_t behind, const std::string& name) {
    return begin("textDocument/rename", {{"textDocument", {{"uri", amalthea::lsp::uri_of_path(path)}}},
                                         {"position", position(texts_[path], texts_[path].find(place) + behind)},
                                         {"newName", name}});
  }
  Json of(const std::string& method, const std::string& path) {
    return request(method, {{"textDocument", {{"uri", amalthea::lsp::uri_of_path(path)}}}});
  }
  /// The text at a location of this document, whose positions are those of ASCII.
  std::string text_at(const std::string& path, const Json& range) const {
    const std::string& text = texts_.at(path);
    const std::size_t begin = offset(text, range["start"]);
    return text.substr(begin, offset(text, range["end"]) - begin);
  }

  /// The diagnostics that were published last for a file; null if there were none yet.
  Json diagnostics(const std::string& path) const {
    Json last;
    for (const Json& message : sent)
      if (message.value("method", "") == "textDocument/publishDiagnostics" &&
          message["params"]["uri"] == amalthea::lsp::uri_of_path(path))
        last = message["params"]["diagnostics"];
    return last;
  }

  std::vector<Json> sent;
  Json initialized;
  amalthea::lsp::Session& session() { return session_; }

 private:
  static Json position(const std::string& text, std::size_t at) {
    const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    return {{"line", std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')},
            {"character", at - start}};
  }
  static std::size_t offset(const std::string& text, const Json& position) {
    std::size_t at = 0;
    for (int line = 0; line < position["line"].get<int>(); ++line) at = text.find('\n', at) + 1;
    return at + position["character"].get<std::size_t>();
  }

  amalthea::lsp::Session session_;
  amalthea::lsp::ModelReader reader_;
  int requests_ = 0;
  int version_ = 1;
  std::map<std::string, std::string> texts_;
};

}  // namespace test
