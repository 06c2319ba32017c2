// SPDX-License-Identifier: Apache-2.0
// New names: every reference leads where it led, in all files.

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/identifier.hpp"
#include "importer/reading/model_reader.hpp"
#include "lsp/rename.hpp"
#include "tests/lsp/editor.hpp"
#include "tests/lsp/split_model.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace lsp_rename_test {

namespace {

using namespace amalthea;
using Json = nlohmann::json;
using test::Editor;

const std::string path = "/nowhere/model.amxmi";

/// Holder, attribute and target of every reference, by the order in the file; without a target: none.
using Uses = std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::string, std::uint32_t, std::uint32_t>>;
Uses uses_in(const Model& model) {
  Uses uses;
  for (const auto& document : model.documents())
    for (std::uint32_t i = 0; i < document->size(); ++i) {
      const Element element = document->element(i);
      const ElementRecord& record = element.record();
      for (std::uint32_t a = 0; a < record.attribute_count; ++a) {
        const AttributeRecord& attribute = document->attribute(record.first_attribute + a);
        const std::string name(document->name(attribute.name()));
        for_each_token(document->value(attribute), [&](std::string_view token, std::size_t) {
          if (name == "name") return;
          const Element target = model.target(element, token);
          const Origin to = target ? target.origin() : Origin{ElementRecord::none, ElementRecord::none};
          uses.emplace(document->position(), i, name, to.document, to.element);
        });
      }
    }
  return uses;
}

std::multiset<std::string> ids_of(const Diagnostics& findings) {
  std::multiset<std::string> ids;
  for (const Diagnostic& finding : findings.all()) ids.insert(finding.id);
  return ids;
}

/// One element of each class that references lead to; its references may lead to others as well.
std::map<std::string, Origin> referenced(const Model& model) {
  std::map<std::string, Origin> found;
  lsp::visit_references(model, [&](Element, std::string_view, lsp::Place, Element target) {
    if (target && !target.name().empty()) found.emplace(target.class_name(), target.origin());
  });
  return found;
}

/// Renames an element of every class; returns how many were renamed.
std::size_t check_renames(const std::vector<importer::NamedBytes>& files) {
  Diagnostics findings;
  const auto model = importer::read_model_from_bytes(files, {}, findings);
  REQUIRE(model);
  std::size_t renamed = 0;
  for (const auto& [cls, origin] : referenced(*model)) {
    INFO(files.front().path << " " << cls << " " << model->element(origin).name());
    const std::string name = "N\xC3\xA9w \"<n>\"/&'%20?type=Task#";
    const auto edits = lsp::rename(files, origin, name, {}, {});
    if (!edits) {
      CHECK(edits.error() == "");
      continue;
    }
    auto changed = files;
    for (auto edit = edits->rbegin(); edit != edits->rend(); ++edit)
      changed[edit->place.document].bytes.replace(edit->place.span.begin, edit->place.span.size(), edit->text);
    Diagnostics after;
    const auto next = importer::read_model_from_bytes(changed, {}, after);
    REQUIRE(next);
    CHECK(next->element(origin).name() == name);
    CHECK((uses_in(*next) == uses_in(*model)));
    // An ambiguous name may become a unique one; nothing else changes.
    const auto expected = ids_of(findings), found = ids_of(after);
    CHECK(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
    for (const auto& document : model->documents())  // nothing else has another name
      for (std::uint32_t i = 0; i < document->size(); ++i)
        if (document->element(i).origin() != origin)
          CHECK((document->element(i).name() == next->documents()[document->position()]->element(i).name()));
    ++renamed;
  }
  return renamed;
}

std::vector<importer::NamedBytes> file(const std::string& at) { return {{at, test::read_text(at)}}; }

}  // namespace

TEST_CASE("after a rename every reference of a sample leads where it led") {
  std::size_t renamed = 0;
  for (const char* name : {"waters2019-tx2.amxmi", "constraints.amxmi", "chains.amxmi", "servers.amxmi",
                           "tutorial/5-shared-gpu.amxmi", "amd/offload-masks.amxmi"})
    renamed += check_renames(file(test::sample(name)));
  CHECK(renamed >= 40);
  const test::Split split = test::split_model();
  CHECK(check_renames({{"main.amxmi", split.main}, {"stimuli.amxmi", split.stimuli}}) >= 3);
}

TEST_CASE("after a rename every reference of third-party models of all versions leads where it led", "[long]") {
  std::size_t renamed = 0;
  std::map<std::string, int> of_version;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpus_folder())) {
    if (!entry.is_regular_file() || !is_model_file_name(entry.path().string()) || entry.file_size() > 300'000) continue;
    Diagnostics findings;
    const auto files = file(entry.path().string());
    const auto model = importer::read_model_from_bytes(files, {}, findings);
    if (!model || ++of_version[model->documents().front()->version_text()] > 4) continue;
    renamed += check_renames(files);
  }
  CHECK(of_version.size() > 5);
  CHECK(renamed > 100);
}

TEST_CASE("an editor renames an element from its name and from a reference") {
  const std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  Editor editor({{"textDocument", {{"rename", {{"prepareSupport", true}}}}}}, nullptr);
  CHECK(editor.initialized["capabilities"]["renameProvider"]["prepareProvider"] == true);
  editor.open(path, text);
  const Json asked = editor.at("textDocument/prepareRename", path, "Steer?type=Runnable", 2);
  CHECK(asked["placeholder"] == "Steer");
  CHECK(editor.text_at(path, asked["range"]) == "Steer");
  CHECK(editor.at("textDocument/prepareRename", path, "preemption=\"", 14).is_null());
  const Json edit = editor.rename(path, "Steer?type=Runnable", 2, "Drive & <go>");
  CHECK(editor.rename(path, "<runnables name=\"Steer", 18, "Drive & <go>") == edit);
  const Json& edits = edit["changes"]["file://" + path];
  REQUIRE(edits.size() == 2);
  std::set<std::string> texts;
  for (const Json& one : edits)
    texts.insert(editor.text_at(path, one["range"]) + "|" + one["newText"].get<std::string>());
  CHECK(texts ==
        std::set<std::string>{"Steer|Drive &amp; &lt;go>", "Steer?type=Runnable|Drive+%26+%3Cgo%3E?type=Runnable"});

  Editor versions({{"workspace", {{"workspaceEdit", {{"documentChanges", true}}}}}}, nullptr);
  versions.open(path, text);
  const Json changes = versions.rename(path, "Steer?type=Runnable", 2, "Drive")["documentChanges"];
  REQUIRE(changes.size() == 1);
  CHECK(changes[0]["textDocument"] == Json{{"uri", "file://" + path}, {"version", 1}});
  CHECK(versions.initialized["capabilities"]["renameProvider"] == true);
}

TEST_CASE("a rename reaches files that are not open and amalthea validate finds nothing afterwards") {
  const test::TemporaryFolder folder;
  const test::Split split = test::split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  test::write_text(main, split.main);
  test::write_text(stimuli, split.stimuli);
  const std::string before = test::amalthea({"validate", "--format", "json", main, stimuli}).out;
  Editor editor;
  editor.open(main, split.main);
  const Json changes = editor.rename(main, "#every_10ms?type", 4, "every+9 ms")["changes"];
  REQUIRE(changes.size() == 2);
  for (const std::string& at : {main, stimuli}) {
    const Json& edits = changes[lsp::uri_of_path(at)];
    std::string text = test::read_text(at);
    const lsp::LineIndex lines(text);
    for (auto one = edits.rbegin(); one != edits.rend(); ++one) {
      const auto offset = [&](const Json& place) {
        return lines.offset(text, {place["line"], place["character"]}, lsp::PositionEncoding::utf16);
      };
      const std::size_t begin = offset((*one)["range"]["start"]), end = offset((*one)["range"]["end"]);
      text.replace(begin, end - begin, (*one)["newText"].get<std::string>());
    }
    CHECK(text != test::read_text(at));
    test::write_text(at, text);
  }
  CHECK(test::read_text(main).find("amlt:/#every%2B9+ms?type=PeriodicStimulus") != std::string::npos);
  const Json after = Json::parse(test::amalthea({"validate", "--format", "json", main, stimuli}).out);
  CHECK(after["findings"].size() == Json::parse(before)["findings"].size());
  for (const Json& finding : after["findings"]) CHECK(finding["severity"] != "error");
}

TEST_CASE("a name that cannot be given is refused with the reason") {
  const std::string text = test::read_text(test::sample("tutorial/2-missed-deadline.amxmi"));
  Editor editor;
  editor.open(path, text);
  const auto refused = [&](const std::string& name) {
    const Json answer = editor.rename(path, "<tasks name=\"Steering", 14, name);
    CHECK(answer["code"] == -32803);
    return answer.value("message", "");
  };
  CHECK(refused("Detection") == "another element is called \"Detection?type=Task\"");
  CHECK(refused("") == "a name cannot be empty");
  CHECK(refused("a\nb") == "a name cannot contain control characters");
  CHECK(refused(" a") == "a name cannot begin or end with a blank");
  CHECK(refused("\xEF\xBF\xBF") == "the model with the new name cannot be read");
  CHECK(editor.rename(path, "<tasks name=\"Steering", 14, "Steering")["changes"] == Json::object());
  CHECK(editor.rename(path, "preemption=\"", 14, "x")["code"] == -32803);
  // A reference that leads nowhere would lead to the new name.
  editor.open(path, test::replaced(text, "Detection?type=Task", "Other?type=Task"));
  CHECK(refused("Other") == "a reference would lead to another element");
}

namespace {

/// Texts name a literal of two modes, and a category.
const std::string named_in_text = R"(<?xml version="1.0" encoding="UTF-8"?>
<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:am="http://app4mc.eclipse.org/amalthea/3.3.0">
  <swModel>
    <runnables name="R">
      <activityGraph>
        <items xsi:type="am:ModeLabelAccess" data="L?type=ModeLabel" access="set" value="on"/>
        <items xsi:type="am:Switch">
          <entries name="e">
            <condition>
              <entries xsi:type="am:ModeValueCondition" label="L?type=ModeLabel" value="on" relation="EQUAL"/>
            </condition>
          </entries>
        </items>
        <items xsi:type="am:ExecutionNeed">
          <needs key="Flops"><value xsi:type="am:NeedConstant" value="5"/></needs>
        </items>
      </activityGraph>
      <customProperties key="on"><value xsi:type="am:StringObject" value="on"/></customProperties>
    </runnables>
    <modes xsi:type="am:EnumMode" name="M"><literals name="on"/><literals name="off"/></modes>
    <modes xsi:type="am:EnumMode" name="N"><literals name="on"/></modes>
    <modeLabels name="L" mode="M?type=EnumMode" initialValue="on"/>
    <modeLabels name="K" mode="N?type=EnumMode" initialValue="on"/>
    <modeLabels name="O" mode="M?type=EnumMode" initialValue="none"/>
  </swModel>
  <hwModel>
    <featureCategories name="Flops"><features name="F" value="2.0"/></featureCategories>
  </hwModel>
</am:Amalthea>
)";

}  // namespace

TEST_CASE("values of modes and keys of needs follow the name that they name") {
  Editor editor;
  editor.open(path, named_in_text);
  const auto lines_of = [&](const Json& edit) {
    std::multiset<int> lines;
    for (const Json& one : edit["changes"]["file://" + path]) {
      CHECK(one["newText"] == "a &amp; b");
      lines.insert(one["range"]["start"]["line"].get<int>());
    }
    return lines;
  };
  CHECK(lines_of(editor.rename(path, "<literals name=\"on", 17, "a & b")) == std::multiset<int>{6, 10, 20, 22});
  CHECK(lines_of(editor.rename(path, "<featureCategories name=\"Flops", 27, "a & b")) == std::multiset<int>{15, 27});
  CHECK(editor.rename(path, "<literals name=\"on", 17, "none")["message"] == "a value would mean another element");
}

TEST_CASE("a rename is refused when a file on disk has changed unnoticed") {
  const test::TemporaryFolder folder;
  test::Split split = test::split_model();
  std::replace(split.stimuli.begin(), split.stimuli.end(), '\n', ' ');
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  test::write_text(main, split.main);
  test::write_text(stimuli, "\xEF\xBB\xBF" + split.stimuli);
  Editor editor;
  editor.open(main, split.main);
  const auto edit = [&] { return editor.rename(main, "#every_10ms?type", 4, "other"); };
  // A byte order mark is no column of an editor.
  const Json places = edit()["changes"][lsp::uri_of_path(stimuli)];
  REQUIRE(places.size() == 1);
  CHECK(places[0]["range"]["start"]["character"] == split.stimuli.find("every_10ms"));
  test::write_text(stimuli, "<!-- new -->\n" + split.stimuli.substr(split.stimuli.find("<am:")));
  CHECK(edit() == Json{{"code", -32803}, {"message", "the text has changed: " + stimuli}});
  editor.settle();
  CHECK(edit()["changes"].size() == 2);
}

TEST_CASE("a file that is not open and declares another encoding gets no name that is not ASCII") {
  const test::TemporaryFolder folder;
  const test::Split split = test::split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  test::write_text(stimuli, test::replaced(split.stimuli, "UTF-8", "ISO-8859-1"));
  Editor editor;
  editor.open(main, split.main);
  CHECK(editor.rename(main, "#every_10ms?type", 4, "other")["changes"].size() == 2);
  CHECK(editor.rename(main, "#every_10ms?type", 4, "\xC3\x9C")["message"] ==
        stimuli + " refers to it and is no UTF-8 text; open it first");
}

TEST_CASE("a rename and a command wait for the texts of all files") {
  const test::TemporaryFolder folder;
  const test::Split split = test::split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  Editor editor;
  editor.open(main, split.main);
  editor.open(stimuli, split.stimuli);
  editor.type(stimuli, "<stimuliModel>", "\n<stimuliModel>");
  const Json changes = editor.rename(main, "#every_10ms?type", 4, "other")["changes"];
  REQUIRE(changes.size() == 2);
  CHECK(editor.text_at(stimuli, changes[lsp::uri_of_path(stimuli)][0]["range"]) == "every_10ms");
  const Json task = {{"uri", lsp::uri_of_path(main)}, {"name", "Steering"}};
  const Json before = editor.execute("amalthea.explain", task);
  REQUIRE(before["value"].get<std::string>().starts_with("Steering: the only simulated job"));
  editor.type(stimuli, "value=\"10\" unit=\"ms\"", "value=\"2\" unit=\"ms\"");
  CHECK(editor.execute("amalthea.explain", task) != before);
}

TEST_CASE("a rename is about the text as it is when its edits are made") {
  const std::string text = test::read_text(test::sample("tutorial/1-one-task.amxmi"));
  Editor editor;
  editor.open(path, text);
  editor.type(path, "<swModel>", "\n<swModel>");
  const Json edit = editor.rename(path, "Steer?type=Runnable", 2, "Drive");
  REQUIRE(edit["changes"]["file://" + path].size() == 2);
  for (const Json& one : edit["changes"]["file://" + path])
    CHECK(editor.text_at(path, one["range"]).starts_with("Steer"));
  const int late = editor.begin_rename(path, "Steer?type=Runnable", 2, "Drive");
  editor.type(path, "<swModel>", "\n<swModel>");
  editor.run_commands();
  CHECK(editor.answer(late)["code"] == -32803);
}

}  // namespace lsp_rename_test
