// SPDX-License-Identifier: Apache-2.0
// The conversation: its order, its errors, and the shapes of messages.

#include <array>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/lsp/editor.hpp"
#include "tests/support/test_models.hpp"

namespace session_test {

using Json = nlohmann::json;
using test::Editor;

TEST_CASE("a request before initialize is refused and so is one after shutdown") {
  Editor editor(nullptr);
  CHECK(editor.request("textDocument/hover", Json::object())["code"] == -32002);
  CHECK(editor.request("initialize", {{"capabilities", Json::object()}})["capabilities"]["positionEncoding"] ==
        "utf-16");
  CHECK(editor.request("initialize", {{"capabilities", Json::object()}})["code"] == -32600);
  CHECK(editor.request("shutdown", nullptr).is_null());
  CHECK(editor.request("textDocument/hover", Json::object())["code"] == -32600);
  CHECK(!editor.session().ended());
  editor.notify("exit", nullptr);
  CHECK(editor.session().ended() == 0);
}

TEST_CASE("exit without shutdown is a failure") {
  Editor editor;
  editor.notify("exit", nullptr);
  CHECK(editor.session().ended() == 1);
}

TEST_CASE("messages that are none are answered with the protocol's errors and do not end the conversation") {
  Editor editor;
  const auto code_of_last = [&] { return editor.sent.back().at("error").at("code").get<int>(); };
  for (const char* text : {"", "{", "nonsense", "{\"method\":\"\xFF\"}"}) {
    editor.receive(text);
    CHECK(code_of_last() == -32700);
  }
  for (const char* text : {"[]", "1", "null", "{}", "{\"method\":7}", "[{\"method\":\"shutdown\",\"id\":1}]"}) {
    INFO(text);
    editor.receive(text);
    CHECK(code_of_last() == -32600);
  }
  editor.receive(std::string(100'000, '['));
  CHECK(code_of_last() == -32700);
  CHECK(editor.request("textDocument/unknown", Json::object())["code"] == -32601);
  for (const char* method :
       {"textDocument/rename", "textDocument/diagnostic", "workspace/symbol", "workspace/executeCommand"})
    for (const Json& params : {Json(), Json::object(), Json::array(), Json{{"textDocument", 7}}}) {
      INFO(method << params);
      CHECK(editor.request(method, params)["code"] == -32602);
    }
  for (const char* method : {"hover", "definition", "references", "documentSymbol", "completion", "codeLens",
                             "codeAction", "documentHighlight", "foldingRange", "inlayHint", "prepareRename"})
    for (const Json& params : {Json(), Json::object(), Json::array(), Json{{"textDocument", 7}},
                               Json{{"textDocument", {{"uri", "file:///x"}}}, {"position", {{"line", "one"}}}}}) {
      INFO(method << params);
      const Json answer = editor.request(std::string("textDocument/") + method, params);
      CHECK((answer.is_null() || answer.is_array() || answer["code"] == -32602));
    }
  const std::size_t before = editor.sent.size();
  editor.notify("$/cancelRequest", {{"id", 1}});
  editor.notify("unknown/notification", 7);
  editor.notify("textDocument/didChange", {{"textDocument", {{"uri", "file:///x"}}}, {"contentChanges", 7}});
  editor.receive(R"({"jsonrpc":"2.0","id":"amalthea-1","result":null})");
  CHECK(editor.sent.size() == before);
  CHECK(editor.request("shutdown", nullptr).is_null());
}

TEST_CASE("only edits prolong the pause before a text is read") {
  const std::string path = "/nowhere/model.amxmi";
  Editor editor;
  editor.open(path, test::read_text(test::sample("tutorial/1-one-task.amxmi")));
  CHECK(editor.session().edits() == 0);
  editor.type(path, "<swModel>", "<swModel> ");
  CHECK(editor.session().edits() == 1);
  editor.at("textDocument/hover", path, "<swModel>");
  editor.begin("textDocument/diagnostic", {{"textDocument", {{"uri", "file://" + path}}}});
  CHECK(editor.session().urgency() == amalthea::lsp::Session::Urgency::pause);
  CHECK(editor.session().edits() == 1);
}

TEST_CASE("an editor that offers utf-8 gets positions in bytes") {
  const Json capabilities = {{"general", {{"positionEncodings", {"utf-32", "utf-8"}}}}};
  Editor editor(capabilities);
  CHECK(editor.initialized["capabilities"]["positionEncoding"] == "utf-8");
}

TEST_CASE("edits of ranges and of the whole text lead to the same diagnostics as the resulting file") {
  const std::string good = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  const std::string path = "/nowhere/model.amxmi";
  Editor editor;
  editor.open(path, good);
  const Json clean = editor.diagnostics(path);
  editor.type(path, "Steer?type=Runnable", "Stear?type=Runnable");
  editor.settle();
  const Json broken = editor.diagnostics(path);
  CHECK(broken != clean);
  editor.type(path, "Stear?type", "Steer?type");
  editor.settle();
  CHECK(editor.diagnostics(path) == clean);
  editor.notify("textDocument/didChange",
                {{"textDocument", {{"uri", "file:///nowhere/model.amxmi"}, {"version", 9}}},
                 {"contentChanges", {{{"text", test::replaced(good, "Steer?type", "Stear?type")}}}}});
  editor.settle();
  CHECK(editor.diagnostics(path) == broken);
  CHECK(editor.sent.back()["params"]["version"] == 9);
  editor.notify("textDocument/didClose", {{"textDocument", {{"uri", "file:///nowhere/model.amxmi"}}}});
  editor.settle();
  CHECK(editor.diagnostics(path) == Json::array());
}

TEST_CASE("a conversation with damaged bytes and values goes on") {
  const std::string text = test::read_text(test::sample("tutorial/2-missed-deadline.amxmi"));
  std::mt19937 random(7);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  const std::vector<Json> values = {nullptr,        -1,         1e300, "", "file:///x", Json::array(),
                                    Json::object(), 4294967296, true};
  Editor editor;
  for (int trial = 0; trial < 60; ++trial) {
    const std::string path = "/nowhere/model.amxmi";
    editor.open(path, text);
    for (int step = 0; step < 20; ++step) {
      const Json at = {{"line", below(90)}, {"character", below(120)}};
      const Json end = {{"line", below(90)}, {"character", below(120)}};
      const Json named = {{"uri", "file://" + path}, {"version", step}};
      const std::string inserted = text.substr(below(text.size()), below(30));
      Json edit = {{"range", {{"start", at}, {"end", below(3) == 0 ? end : at}}}, {"text", inserted}};
      editor.notify("textDocument/didChange", {{"textDocument", named}, {"contentChanges", {std::move(edit)}}});
      const std::array<const char*, 13> asked = {"hover",        "definition", "references", "documentSymbol",
                                                 "completion",   "codeLens",   "codeAction", "documentHighlight",
                                                 "foldingRange", "inlayHint",  "rename",     "prepareRename",
                                                 "diagnostic"};
      Json message = {{"jsonrpc", "2.0"},
                      {"id", "x"},
                      {"method", std::string("textDocument/") + asked[below(asked.size())]},
                      {"params",
                       {{"textDocument", named},
                        {"position", at},
                        {"newName", inserted},
                        {"range", {{"start", at}, {"end", end}}}}}};
      if (below(4) == 0) {  // another value somewhere
        const Json flat = message.flatten();
        auto place = flat.begin();
        std::advance(place, static_cast<std::ptrdiff_t>(below(flat.size())));
        message[Json::json_pointer(place.key())] = values[below(values.size())];
      }
      std::string bytes = message.dump();
      if (below(8) == 0) bytes[below(bytes.size())] = static_cast<char>(below(256));
      editor.receive(bytes);
      if (below(4) == 0) editor.settle();
      if (below(4) == 0) editor.run_commands();
    }
    editor.sent.clear();
  }
  CHECK(editor.request("shutdown", nullptr).is_null());
}

}  // namespace session_test
