// SPDX-License-Identifier: Apache-2.0
// Models of several files, and files that the server leaves alone.

#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/lsp/editor.hpp"
#include "tests/lsp/split_model.hpp"
#include "tests/support/test_models.hpp"

namespace lsp_files_test {

namespace {

using Json = nlohmann::json;
using test::Editor;

using test::Split;
using test::split_model;

bool has_error(const Json& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Json& one) { return one["severity"] == 1; });
}

}  // namespace

TEST_CASE("files of a folder that refer to each other are one model and open documents replace them") {
  const test::TemporaryFolder folder;
  const Split split = split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  test::write_text(stimuli, split.stimuli);
  test::write_text(folder.path() + "/other.amxmi", test::read_text(test::sample("two-gpus.amxmi")));
  Editor editor;
  editor.open(main, split.main);
  CHECK(!has_error(editor.diagnostics(main)));
  CHECK(editor.diagnostics(folder.path() + "/other.amxmi").is_null());
  CHECK(editor.of("textDocument/codeLens", main).size() == 1);
  const Json definition = editor.at("textDocument/definition", main, "#every_10ms?type", 4);
  CHECK(definition["uri"] == amalthea::lsp::uri_of_path(stimuli));
  CHECK(editor.execute("amalthea.files", {{"uri", amalthea::lsp::uri_of_path(main)}}) ==
        Json{{"paths", {main, stimuli}}});

  editor.open(stimuli, split.stimuli);
  const Json uses = editor.at("textDocument/references", stimuli, "name=\"every_10ms", 8);
  REQUIRE(uses.size() == 2);
  CHECK(uses[1]["uri"] == amalthea::lsp::uri_of_path(main));
  CHECK(editor.text_at(main, uses[1]["range"]) == "amlt:/#every_10ms?type=PeriodicStimulus");
  const Json items = editor.at("textDocument/completion", main, "amlt:/#every", 9)["items"];
  REQUIRE(items.size() == 1);
  CHECK(items[0]["textEdit"]["newText"] == "amlt:/#every_10ms?type=PeriodicStimulus");

  // The editor's text counts, not the file on disk, which still has the name.
  editor.type(stimuli, "name=\"every_10ms", "name=\"every_11ms");
  editor.settle();
  CHECK(has_error(editor.diagnostics(main)));
  editor.type(stimuli, "name=\"every_11ms", "name=\"every_10ms");
  editor.settle();
  CHECK(!has_error(editor.diagnostics(main)));

  // One file that is not well-formed does not take the others with it.
  editor.type(stimuli, "</stimuliModel>", "</stimuliModel");
  editor.settle();
  CHECK(editor.diagnostics(stimuli).size() == 1);
  CHECK(editor.diagnostics(stimuli)[0]["code"] == "AM0103");
  CHECK(!has_error(editor.diagnostics(main)));
}

TEST_CASE("variants in one folder are separate models") {
  const test::TemporaryFolder folder;
  const std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  for (const char* name : {"a", "b"}) test::write_text(folder.path() + "/" + name + ".amxmi", text);
  Editor editor;
  editor.open(folder.path() + "/a.amxmi", text);
  CHECK(editor.diagnostics(folder.path() + "/a.amxmi").is_array());
  CHECK(editor.diagnostics(folder.path() + "/b.amxmi").is_null());
  for (const Json& one : editor.diagnostics(folder.path() + "/a.amxmi")) CHECK(one["code"] != "AM0216");
}

TEST_CASE("no link leads out of the folder of a document") {
  const test::TemporaryFolder folder, elsewhere;
  const Split split = split_model();
  test::write_text(elsewhere.path() + "/stimuli.amxmi", split.stimuli);
  std::filesystem::create_symlink(elsewhere.path() + "/stimuli.amxmi", folder.path() + "/stimuli.amxmi");
  Editor editor;
  editor.open(folder.path() + "/main.amxmi", split.main);
  CHECK(has_error(editor.diagnostics(folder.path() + "/main.amxmi")));
}

TEST_CASE("a file on disk that is no model does not disturb the document that refers to it") {
  const test::TemporaryFolder folder;
  const Split split = split_model();
  test::write_text(folder.path() + "/stimuli.amxmi", test::replaced(split.stimuli, "</am:Amalthea>", ""));
  Editor editor;
  editor.open(folder.path() + "/main.amxmi", split.main);
  CHECK(editor.diagnostics(folder.path() + "/stimuli.amxmi")[0]["code"] == "AM0103");
  CHECK(has_error(editor.diagnostics(folder.path() + "/main.amxmi")));
  test::write_text(folder.path() + "/stimuli.amxmi", split.stimuli);
  editor.notify("workspace/didChangeWatchedFiles", {{"changes", Json::array()}});
  editor.settle();
  CHECK(!has_error(editor.diagnostics(folder.path() + "/main.amxmi")));
  CHECK(editor.diagnostics(folder.path() + "/stimuli.amxmi").empty());
}

TEST_CASE("a document without a file and one in another encoding are read as the editor sends them") {
  std::string text = test::replaced(test::read_text(test::sample("tutorial/1-one-task.amxmi")), "encoding=\"UTF-8\"",
                                    "encoding=\"UTF-16\"");
  text = test::replaced(text, "name=\"Steering\"", "name=\"St\xC3\xB6r\"");
  text = test::replaced(text, "Steering?type=Task", "St%C3%B6r?type=Task");
  Editor editor;
  const Json document = {{"uri", "untitled:Untitled-1"}, {"languageId", "xml"}, {"version", 1}, {"text", text}};
  editor.notify("textDocument/didOpen", {{"textDocument", document}});
  editor.settle();
  const Json lenses = editor.request("textDocument/codeLens", {{"textDocument", {{"uri", "untitled:Untitled-1"}}}});
  REQUIRE(lenses.size() == 1);
  CHECK(lenses[0]["range"]["end"]["character"].get<int>() - lenses[0]["range"]["start"]["character"].get<int>() == 4);
}

}  // namespace lsp_files_test
