// SPDX-License-Identifier: Apache-2.0
// Diagnostics that the editor asks for, settings, and progress.

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/lsp/editor.hpp"
#include "tests/lsp/split_model.hpp"
#include "tests/support/test_models.hpp"

namespace lsp_pull_test {

namespace {

using Json = nlohmann::json;
using test::Editor;

const std::string path = "/nowhere/model.amxmi", uri = "file://" + path;
const char* const missed = "tutorial/2-missed-deadline.amxmi";

Json pulling(bool refreshes) {
  return {{"textDocument", {{"diagnostic", Json::object()}}},
          {"workspace", {{"diagnostics", {{"refreshSupport", refreshes}}}}}};
}

std::size_t count(const Editor& editor, const char* method) {
  return static_cast<std::size_t>(std::count_if(editor.sent.begin(), editor.sent.end(), [&](const Json& message) {
    return message.value("method", "") == method;
  }));
}

bool has(const Json& list, const char* id) {
  return std::any_of(list.begin(), list.end(), [&](const Json& one) { return one["code"] == id; });
}

}  // namespace

TEST_CASE("an editor that pulls gets what others are sent and nothing is sent to it") {
  const std::string text = test::read_text(test::sample(missed));
  Editor pushed;
  CHECK(!pushed.initialized["capabilities"].contains("diagnosticProvider"));
  pushed.open(path, text);
  const Json capabilities = pulling(false);
  Editor editor(capabilities);
  CHECK(editor.initialized["capabilities"]["diagnosticProvider"] ==
        Json{{"identifier", "amalthea"}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}});
  editor.open(path, text);
  const Json answer = editor.of("textDocument/diagnostic", path);
  CHECK(answer["kind"] == "full");
  CHECK(answer["items"] == pushed.diagnostics(path));
  CHECK(has(answer["items"], "AM0542"));
  const Json again = {{"textDocument", {{"uri", uri}}}, {"previousResultId", answer["resultId"]}};
  CHECK(editor.request("textDocument/diagnostic", again) ==
        Json{{"kind", "unchanged"}, {"resultId", answer["resultId"]}});
  CHECK(editor.of("textDocument/diagnostic", "/nowhere/unknown.amxmi")["items"] == Json::array());

  // The answer is about the text as it is; a text that is not well-formed has one, too.
  editor.type(path, "<swModel>", "<swModel");
  const int waiting = editor.begin("textDocument/diagnostic", again);
  CHECK(editor.answer(waiting) == Editor::no_answer);
  editor.settle();
  CHECK(has(editor.answer(waiting)["items"], "AM0103"));
  editor.type(path, "<swModel", "<swModel>");
  const int cancelled = editor.begin("textDocument/diagnostic", again);
  editor.notify("$/cancelRequest", {{"id", cancelled}});
  CHECK(editor.answer(cancelled)["code"] == -32800);
  editor.settle();
  CHECK(editor.request("textDocument/diagnostic", again)["kind"] == "unchanged");
  CHECK(count(editor, "textDocument/publishDiagnostics") == 0);
}

TEST_CASE("an editor that can be told to pull again gets findings before the analysis") {
  const Json capabilities = pulling(true);
  Editor editor(capabilities);
  const Json document = {{"uri", uri}, {"version", 1}, {"text", test::read_text(test::sample("waters2019-tx2.amxmi"))}};
  editor.notify("textDocument/didOpen", {{"textDocument", document}});
  const int early = editor.begin("textDocument/diagnostic", {{"textDocument", {{"uri", uri}}}});
  editor.settle();
  REQUIRE(editor.answer(early)["kind"] == "full");
  CHECK(has(editor.answer(early)["items"], "AM0602"));
  CHECK(!has(editor.answer(early)["items"], "AM0542"));
  CHECK(count(editor, "workspace/diagnostic/refresh") == 1);  // after the analysis
  CHECK(has(editor.of("textDocument/diagnostic", path)["items"], "AM0542"));
}

TEST_CASE("diagnostics of the workspace are those of all files of the models") {
  const test::TemporaryFolder folder;
  const test::Split split = test::split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  test::write_text(stimuli, split.stimuli);
  const Json capabilities = pulling(false);
  Editor editor(capabilities);
  editor.open(main, test::replaced(split.main, "Steer?type=Runnable", "Stear?type=Runnable"));
  const Json items = editor.request("workspace/diagnostic", {{"previousResultIds", Json::array()}})["items"];
  REQUIRE(items.size() == 2);
  CHECK(items[0]["uri"] == amalthea::lsp::uri_of_path(main));
  CHECK(items[0]["version"] == 1);
  CHECK(has(items[0]["items"], "AM0203"));
  CHECK(items[1]["version"].is_null());
  Json known = Json::array();
  for (const Json& item : items) known.push_back({{"uri", item["uri"]}, {"value", item["resultId"]}});
  known.push_back({{"uri", "file:///gone.amxmi"}, {"value", "x"}});
  const Json later = editor.request("workspace/diagnostic", {{"previousResultIds", known}})["items"];
  REQUIRE(later.size() == 3);
  for (const Json& item : later) CHECK(item["kind"] == (item["uri"] == "file:///gone.amxmi" ? "full" : "unchanged"));
}

TEST_CASE("settings hide findings and come from the start and from the configuration") {
  const std::string text = test::read_text(test::sample("broken.amxmi"));
  Editor all;
  all.open(path, text);
  const auto ids = [](const Editor& editor) {
    std::multiset<std::string> found;
    for (const Json& one : editor.diagnostics(path)) found.insert(one["code"].get<std::string>());
    return found;
  };
  const auto some = ids(all);
  const std::string hidden = *some.begin();
  auto rest = some;
  rest.erase(hidden);
  REQUIRE(!rest.empty());
  const Json at_start = {{"suppress", Json::array({hidden})}, {"delay", 700}};
  Editor from_start(Json::object(), at_start);
  from_start.open(path, text);
  CHECK(ids(from_start) == rest);
  CHECK(from_start.session().delay() == std::chrono::milliseconds(700));

  const auto configure = [&](const Json& settings) {
    const Json all_settings = {{"amalthea", settings}};
    all.notify("workspace/didChangeConfiguration", {{"settings", all_settings}});
  };
  configure({{"suppress", Json::array({hidden})}});
  CHECK(ids(all) == rest);
  configure({{"suppress", Json::array()}, {"delay", -1}, {"quiet", "x"}});
  CHECK(ids(all) == some);
  CHECK(!all.session().delay());
  configure({{"quiet", true}});
  for (const Json& one : all.diagnostics(path)) CHECK(one["severity"] == 1);
}

TEST_CASE("an editor with a configuration is asked for it and registers its changes") {
  const Json capabilities = {
      {"workspace", {{"configuration", true}, {"didChangeConfiguration", {{"dynamicRegistration", true}}}}}};
  Editor editor(capabilities);
  editor.notify("initialized", Json::object());
  CHECK(count(editor, "client/registerCapability") == 1);
  const auto answer = [&](const Json& settings) {
    const Json asked = editor.sent.back();
    CHECK(asked["method"] == "workspace/configuration");
    CHECK(asked["params"]["items"][0]["section"] == "amalthea");
    Json message = {{"jsonrpc", "2.0"}, {"id", asked["id"]}};
    message["result"] = settings;
    editor.receive(message.dump());
  };
  const auto delay = [](int milliseconds) { return Json::array({Json{{"delay", milliseconds}}}); };
  answer(delay(300));
  CHECK(editor.session().delay() == std::chrono::milliseconds(300));
  editor.notify("workspace/didChangeConfiguration", {{"settings", nullptr}});
  answer(delay(400));
  CHECK(editor.session().delay() == std::chrono::milliseconds(400));
  for (const Json& bad : {Json(), Json::array(), Json::array({nullptr}), Json(7)}) {
    editor.notify("workspace/didChangeConfiguration", {{"settings", nullptr}});
    answer(bad);
  }
  CHECK(editor.session().delay() == std::chrono::milliseconds(400));
}

TEST_CASE("progress of commands has their token and that of an analysis is shown where the editor supports it") {
  Editor editor;
  editor.open(path, test::read_text(test::sample(missed)));
  const Json argument = {{"uri", uri}};
  const int id =
      editor.begin("workspace/executeCommand",
                   {{"command", "amalthea.plan"}, {"arguments", Json::array({argument})}, {"workDoneToken", "mine"}});
  editor.run_commands();
  CHECK(editor.answer(id)["kind"] == "plaintext");
  std::vector<std::string> kinds;
  for (const Json& message : editor.sent)
    if (message.value("method", "") == "$/progress" && message["params"]["token"] == "mine")
      kinds.push_back(message["params"]["value"]["kind"]);
  CHECK(kinds == std::vector<std::string>{"begin", "end"});

  const Json capabilities = {{"window", {{"workDoneProgress", true}}}};
  Editor shown(capabilities);
  amalthea::lsp::Reading analyzed;
  analyzed.pending = true;
  shown.session().take({analyzed});
  REQUIRE(shown.session().awaits_analysis());
  editor.session().take({analyzed});
  CHECK(!editor.session().awaits_analysis());
  shown.session().show_progress(0.1);
  CHECK(shown.sent.back()["method"] == "window/workDoneProgress/create");
  shown.receive(Json{{"jsonrpc", "2.0"}, {"id", shown.sent.back()["id"]}, {"result", nullptr}}.dump());
  CHECK(shown.sent.back()["params"]["value"]["kind"] == "begin");
  shown.session().show_progress(0.5);
  CHECK(shown.sent.back()["params"]["value"] == Json{{"kind", "report"}, {"percentage", 50}});
  analyzed.pending = false;
  shown.session().take({analyzed});
  CHECK(shown.sent.back()["params"]["value"]["kind"] == "end");
}

TEST_CASE("a reading that fails fails the requests that wait for it and the next one reads again") {
  Editor editor;
  editor.open(path, test::read_text(test::sample(missed)));
  editor.type(path, "<swModel>", "\n<swModel>");
  const Json asked = {{"textDocument", {{"uri", uri}}}};
  const int waiting = editor.begin("textDocument/diagnostic", asked);
  editor.session().due();
  editor.session().give_up("no memory");
  CHECK(editor.answer(waiting)["code"] == -32603);
  const int next = editor.begin("textDocument/diagnostic", asked);
  editor.settle();
  CHECK(editor.answer(next)["kind"] == "full");
}

}  // namespace lsp_pull_test
