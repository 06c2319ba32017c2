// SPDX-License-Identifier: Apache-2.0
// Commands that the editor executes, and how it cancels them.

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/lsp/editor.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace lsp_commands_test {

namespace {

using Json = nlohmann::json;
using test::Editor;

const char* const missed = "tutorial/2-missed-deadline.amxmi";

std::string model_in(const test::TemporaryFolder& folder, const char* sample) {
  const std::string path = folder.path() + "/model.amxmi";
  test::write_text(path, test::read_text(test::sample(sample)));
  return path;
}

}  // namespace

TEST_CASE("the command explain gives the text of amalthea explain for the text in the editor") {
  const test::TemporaryFolder folder;
  const std::string path = model_in(folder, missed), uri = amalthea::lsp::uri_of_path(path);
  Editor editor;
  CHECK(editor.initialized["capabilities"]["executeCommandProvider"]["commands"] ==
        Json{"amalthea.explain", "amalthea.files", "amalthea.plan", "amalthea.report"});
  editor.open(path, test::read_text(path));
  const Json answer = editor.execute("amalthea.explain", {{"uri", uri}, {"name", "Detection"}});
  CHECK(answer["kind"] == "plaintext");
  CHECK(answer["value"] == test::amalthea({"explain", path, "Detection"}).out);

  editor.type(path, "limitValue value=\"33\"", "limitValue value=\"3300\"");  // not on disk
  test::write_text(folder.path() + "/edited.amxmi",
                   test::replaced(test::read_text(path), "limitValue value=\"33\"", "limitValue value=\"3300\""));
  const std::string edited = test::amalthea({"explain", folder.path() + "/edited.amxmi", "Detection"}).out;
  CHECK(edited != answer["value"]);
  CHECK(editor.execute("amalthea.explain", {{"uri", uri}, {"name", "Detection"}})["value"] == edited);
}

TEST_CASE("the command report gives the page of amalthea report or writes it and never over a model") {
  const test::TemporaryFolder folder;
  const std::string path = model_in(folder, missed), uri = amalthea::lsp::uri_of_path(path);
  Editor editor;
  editor.open(path, test::read_text(path));
  const std::string html = editor.execute("amalthea.report", {{"uri", uri}})["html"];
  const std::string page = folder.path() + "/report.html";
  CHECK(editor.execute("amalthea.report", {{"uri", uri}, {"path", page}}) == Json{{"path", page}});
  CHECK((test::read_text(page) == html));
  REQUIRE(test::amalthea({"report", "-q", "-o", folder.path() + "/other.html", path}).exit_code == 1);
  CHECK((test::read_text(folder.path() + "/other.html") == html));

  CHECK(editor.execute("amalthea.report", {{"uri", uri}, {"path", path}})["code"] == -32803);
  CHECK(test::read_text(path) == test::read_text(test::sample(missed)));
  CHECK(editor.execute("amalthea.report", {{"uri", uri}, {"path", folder.path() + "/no/such/page"}})["code"] == -32803);
}

TEST_CASE("the command plan states what would help the tasks that are late") {
  const std::string path = "/nowhere/model.amxmi", uri = amalthea::lsp::uri_of_path(path);
  Editor editor;
  editor.open(path, test::read_text(test::sample(missed)));
  const std::string plan = editor.execute("amalthea.plan", {{"uri", uri}})["value"];
  INFO(plan);
  CHECK(plan.starts_with("Verdict: missed"));
  CHECK(plan.find("\nDetection: missed: the only job ends later than 33 ms after its release\n  - ") !=
        std::string::npos);
  CHECK(plan.find("Smallest change that works: ") != std::string::npos);
  editor.open(path, test::read_text(test::sample("tutorial/1-one-task.amxmi")));
  CHECK(editor.execute("amalthea.plan", {{"uri", uri}})["value"].get<std::string>().find("No deadline is missed") !=
        std::string::npos);
}

TEST_CASE("a command that cannot be executed is an error that says why") {
  const std::string path = "/nowhere/model.amxmi", uri = amalthea::lsp::uri_of_path(path);
  Editor editor;
  const auto message = [&](const char* command, const Json& argument) {
    const Json answer = editor.execute(command, argument);
    CHECK((answer["code"] == -32803 || answer["code"] == -32602));
    return answer["message"].get<std::string>();
  };
  CHECK(message("amalthea.plan", {{"uri", uri}}) == uri + " is not open");
  editor.open(path, test::read_text(test::sample(missed)));
  CHECK(message("amalthea.explain", {{"uri", uri}, {"name", "Detections"}}) ==
        "the model has no task \"Detections\"; did you mean \"Detection\"?");
  for (const Json& bad : {Json(), Json::object(), Json::array(), Json{{"uri", 7}}, Json{{"uri", uri}}})
    message("amalthea.explain", bad);
  message("amalthea.report", {{"uri", uri}, {"path", 7}});
  message("amalthea.unknown", {{"uri", uri}});
  CHECK(editor.request("workspace/executeCommand", {{"command", "amalthea.plan"}})["code"] == -32602);
  editor.type(path, "<swModel>", "<swModel");
  CHECK(message("amalthea.plan", {{"uri", uri}}).find("AM0103") != std::string::npos);
  editor.open(path, test::read_text(test::sample("broken.amxmi")));
  CHECK(message("amalthea.report", {{"uri", uri}}).find("error: ") != std::string::npos);
}

TEST_CASE("a cancelled command is answered at once and its work stops") {
  const std::string path = "/nowhere/model.amxmi", uri = amalthea::lsp::uri_of_path(path);
  const Json explain = {{"command", "amalthea.explain"}, {"arguments", {{{"uri", uri}, {"name", "Detection"}}}}};
  Editor editor;
  editor.open(path, test::read_text(test::sample(missed)));
  editor.type(path, "value=\"33\"", "value=\"34\"");
  const int waiting = editor.begin("workspace/executeCommand", explain);
  CHECK(editor.answer(waiting) == Editor::no_answer);
  editor.notify("$/cancelRequest", {{"id", waiting}});
  CHECK(editor.answer(waiting)["code"] == -32800);
  editor.settle();
  CHECK(!editor.session().next_job());

  const int running = editor.begin("workspace/executeCommand", explain);
  const auto job = editor.session().next_job();
  REQUIRE(job);
  CHECK(!job->work->stop);
  editor.notify("$/cancelRequest", {{"id", running}});
  CHECK(job->work->stop);
  CHECK(editor.answer(running)["code"] == -32800);
  const std::size_t sent = editor.sent.size();
  editor.session().finish(job->ticket, Json("too late"));
  editor.notify("$/cancelRequest", {{"id", running}});
  editor.notify("$/cancelRequest", {{"id", 99}});
  CHECK(editor.sent.size() == sent);

  const int last = editor.begin("workspace/executeCommand", explain);
  CHECK(editor.request("shutdown", nullptr).is_null());
  CHECK(editor.answer(last)["code"] == -32800);
}

TEST_CASE("lenses have a command only for an editor that asks for it") {
  const std::string path = "/nowhere/model.amxmi";
  const auto command_of = [&](const Json& options) {
    Editor editor(Json::object(), options);
    editor.open(path, test::read_text(test::sample(missed)));
    return Json(editor.of("textDocument/codeLens", path).at(0)["command"]);
  };
  CHECK(command_of(nullptr)["command"] == "");
  CHECK(!command_of(nullptr).contains("arguments"));
  const Json command = command_of({{"lensCommand", true}});
  CHECK(command["command"] == "amalthea.explain");
  CHECK(command["arguments"] == Json{{{"uri", "file://" + path}, {"name", "Steering"}}});
  CHECK(command["title"] == command_of(nullptr)["title"]);
}

}  // namespace lsp_commands_test
