// SPDX-License-Identifier: Apache-2.0
// What the server says about models.

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/lsp/editor.hpp"
#include "tests/lsp/split_model.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace answers_test {

namespace {

using Json = nlohmann::json;
using test::Editor;

const Json nested = {{"textDocument",
                      {{"documentSymbol", {{"hierarchicalDocumentSymbolSupport", true}}},
                       {"hover", {{"contentFormat", {"markdown"}}}}}}};
const std::string path = "/nowhere/model.amxmi";

std::string tutorial(const char* name) { return test::read_text(test::sample(std::string("tutorial/") + name)); }

}  // namespace

TEST_CASE("an editor shows the findings of amalthea validate") {
  for (const char* name : {"broken.amxmi", "waters2019-tx2.amxmi", "constraints.amxmi"}) {
    INFO(name);
    const test::TemporaryFolder folder;
    const std::string file = folder.path() + "/model.amxmi";
    const std::string text = test::read_text(test::sample(name));
    test::write_text(file, text);
    const Json listed = Json::parse(test::amalthea({"validate", "--format", "json", file}).out)["findings"];
    Editor editor;
    editor.open(file, text);
    // The first message is sent before the analysis, which adds its own findings.
    const auto first = std::find_if(editor.sent.begin(), editor.sent.end(), [](const Json& message) {
      return message.value("method", "") == "textDocument/publishDiagnostics";
    });
    REQUIRE(first != editor.sent.end());
    const Json& shown = (*first)["params"]["diagnostics"];
    std::multiset<std::string> expected, found;
    for (const Json& finding : listed)
      expected.insert(finding["rule"].get<std::string>() + finding["message"].get<std::string>() +
                      (finding["line"].is_null() ? "0" : std::to_string(finding["line"].get<int>() - 1)));
    for (const Json& finding : shown)
      found.insert(finding["code"].get<std::string>() + finding["message"].get<std::string>() +
                   std::to_string(finding["range"]["start"]["line"].get<int>()));
    CHECK(!expected.empty());
    CHECK(found == expected);
  }
}

TEST_CASE("an editor shows the findings of SARIF with missed limits and limits that were not judged") {
  for (const char* name : {"tutorial/2-missed-deadline.amxmi", "waters2019-tx2.amxmi", "constraints.amxmi"}) {
    INFO(name);
    const test::TemporaryFolder folder;
    const std::string file = folder.path() + "/model.amxmi";
    const std::string text = test::read_text(test::sample(name));
    test::write_text(file, text);
    const Json run = Json::parse(test::amalthea({"analyze", "-q", "--format", "sarif", file}).out)["runs"][0];
    const Json supported = {{"textDocument", {{"publishDiagnostics", {{"codeDescriptionSupport", true}}}}}};
    Editor editor(supported);
    editor.open(file, text);
    std::set<std::string> expected, found;
    for (const Json& result : run["results"]) {
      const Json& rule = run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()];
      const std::string page = rule["helpUri"];
      const Json& region = result["locations"][0]["physicalLocation"].value("region", Json{{"startLine", 1}});
      expected.insert(result["ruleId"].get<std::string>() + result["message"]["text"].get<std::string>() +
                      std::to_string(region["startLine"].get<int>() - 1) +
                      (page.starts_with("http") ? page : "no page"));
    }
    for (const Json& one : editor.diagnostics(file))
      found.insert(one["code"].get<std::string>() + one["message"].get<std::string>() +
                   std::to_string(one["range"]["start"]["line"].get<int>()) +
                   one.value("codeDescription", Json{{"href", "no page"}})["href"].get<std::string>());
    CHECK(std::any_of(found.begin(), found.end(), [](const std::string& one) { return one.starts_with("AM0542"); }));
    CHECK(found == expected);
  }
}

TEST_CASE("a missed deadline comes with its requirement and the tasks in its longest response and a remedy") {
  const Json supported = {
      {"textDocument", {{"publishDiagnostics", {{"relatedInformation", true}, {"dataSupport", true}}}}}};
  Editor editor(supported);
  const std::string text = tutorial("2-missed-deadline.amxmi");
  editor.open(path, text);
  const Json all = editor.diagnostics(path);
  const auto missed = std::find_if(all.begin(), all.end(), [](const Json& one) { return one["code"] == "AM0542"; });
  REQUIRE(missed != all.end());
  CHECK((*missed)["severity"] == 1);
  CHECK(editor.text_at(path, (*missed)["range"]).starts_with("<tasks"));
  const Json& related = (*missed)["relatedInformation"];
  REQUIRE(related.size() == 2);
  CHECK(related[0]["message"] == "the deadline of Detection");
  CHECK(text.find("requirements") != std::string::npos);
  CHECK(related[1]["message"] == "core used by Steering: 12 ms of the longest response, 40 ms");
  CHECK(editor.text_at(path, related[1]["location"]["range"]) == "Steering");
  CHECK(!(*missed)["data"]["remedy"].get<std::string>().empty());
  Editor plain;
  plain.open(path, text);
  for (const Json& one : plain.diagnostics(path)) CHECK(one.size() == 5);
  editor.type(path, "limitValue value=\"33\"", "limitValue value=\"3300\"");
  editor.settle();
  for (const Json& one : editor.diagnostics(path)) CHECK(one["code"] != "AM0542");
}

TEST_CASE("hovering over a task and over references to it shows its verdict and the parts of its bound") {
  Editor editor(nested);
  const std::string text = test::read_text(test::sample("waters2019-tx2.amxmi"));
  editor.open(path, text);
  const Json hover = editor.at("textDocument/hover", path, "name=\"CANbus_polling\"", 8);
  const std::string shown = hover["contents"]["value"];
  CHECK(hover["contents"]["kind"] == "markdown");
  CHECK(editor.text_at(path, hover["range"]) == "CANbus_polling");
  for (const char* part : {"**Task** CANbus\\_polling", "swModel/tasks/CANbus\\_polling", "**guaranteed**",
                           "deadline: 10 ms", "upper bound on the response time: 600", "| own execution |"}) {
    INFO(shown);
    CHECK(shown.find(part) != std::string::npos);
  }
  const Json on_reference = editor.at("textDocument/hover", path, "task=\"CANbus_polling?type=Task", 9);
  CHECK(on_reference["contents"]["value"] == shown);
  CHECK(editor.text_at(path, on_reference["range"]) == "CANbus_polling?type=Task");
  const std::string literal = editor.at("textDocument/hover", path, "preemption=\"", 14)["contents"]["value"];
  CHECK(literal.find("`cooperative`") != std::string::npos);
  CHECK(editor.at("textDocument/hover", path, "<?xml").is_null());
}

TEST_CASE("a hover without Markdown has none and names cannot add markup") {
  const std::string text = test::replaced(tutorial("1-one-task.amxmi"), "<tasks name=\"Steering\"",
                                          "<tasks name=\"&lt;img&gt;[x](http://y)*\"");
  Editor plain;
  plain.open(path, text);
  const std::string shown = plain.at("textDocument/hover", path, "<tasks", 1)["contents"]["value"];
  CHECK(shown.starts_with("Task <img>[x](http://y)*\n"));
  Editor editor(nested);
  editor.open(path, text);
  const std::string markdown = editor.at("textDocument/hover", path, "<tasks", 1)["contents"]["value"];
  CHECK(markdown.starts_with("**Task** \\<img\\>\\[x\\]\\(http://y\\)\\*\n"));
}

TEST_CASE("code lenses of tasks state verdict and response time") {
  Editor editor;
  editor.open(path, test::read_text(test::sample("waters2019-tx2.amxmi")));
  const Json lenses = editor.of("textDocument/codeLens", path);
  REQUIRE(lenses.size() >= 10);
  std::map<std::string, std::string> titles;
  for (const Json& lens : lenses) titles[editor.text_at(path, lens["range"])] = lens["command"]["title"];
  CHECK(titles.at("CANbus_polling") == "WCRT 600 us of 10 ms, guaranteed; 100 % own execution");
  CHECK(titles.at("Planner").find("of 12 ms, missed") != std::string::npos);
}

TEST_CASE("code lenses of event chains state their latencies and have no command") {
  const Json options = {{"lensCommand", true}};
  Editor editor(Json::object(), options);
  editor.open(path, test::read_text(test::sample("chains.amxmi")));
  std::map<std::string, Json> commands;
  for (const Json& lens : editor.of("textDocument/codeLens", path))
    commands[editor.text_at(path, lens["range"])] = lens["command"];
  std::size_t chains = 0;
  for (const auto& [name, command] : commands)
    if (command["command"] == "") {
      ++chains;
      CHECK(command["title"].get<std::string>().find("reaction time") != std::string::npos);
    }
  CHECK(chains > 0);
  CHECK(commands.size() > chains);
}

TEST_CASE("definitions and references are found and the outline has the parts and names of the model") {
  Editor editor(nested);
  editor.open(path, tutorial("1-one-task.amxmi"));
  const Json definition = editor.at("textDocument/definition", path, "Steer?type=Runnable", 2);
  CHECK(editor.text_at(path, definition["range"]) == "Steer");
  CHECK(definition["range"]["start"]["line"] == 10);
  CHECK(editor.at("textDocument/definition", path, "preemption=\"", 13).is_null());
  const Json uses = editor.at("textDocument/references", path, "<runnables name=\"Steer", 18);
  REQUIRE(uses.size() == 2);
  CHECK(editor.text_at(path, uses[0]["range"]) == "Steer");
  CHECK(editor.text_at(path, uses[1]["range"]) == "Steer?type=Runnable");
  CHECK(editor.at("textDocument/references", path, "Steer?type=Runnable", 2) == uses);
  const Json symbols = editor.of("textDocument/documentSymbol", path);
  CHECK(symbols[0]["name"] == "swModel");
  CHECK(symbols[0]["children"][0]["name"] == "Steering");
  CHECK(symbols[0]["children"][0]["detail"] == "Task");
  CHECK(editor.text_at(path, symbols[0]["children"][0]["range"]).ends_with("</tasks>"));
  Editor flat;
  flat.open(path, tutorial("1-one-task.amxmi"));
  const Json list = flat.of("textDocument/documentSymbol", path);
  CHECK(list[1]["name"] == "Steering");
  CHECK(list[1]["containerName"] == "swModel");
}

TEST_CASE("highlights are the name and the references in the document") {
  Editor editor;
  editor.open(path, tutorial("1-one-task.amxmi"));
  const Json found = editor.at("textDocument/documentHighlight", path, "Steer?type=Runnable", 2);
  REQUIRE(found.size() == 2);
  CHECK(editor.text_at(path, found[0]["range"]) == "Steer");
  CHECK(found[0]["kind"] == 3);
  CHECK(editor.text_at(path, found[1]["range"]) == "Steer?type=Runnable");
  CHECK(found[1]["kind"] == 2);
  CHECK(editor.at("textDocument/documentHighlight", path, "<runnables name=\"Steer", 18) == found);
  CHECK(editor.at("textDocument/documentHighlight", path, "preemption=\"", 14).is_null());
  const test::TemporaryFolder folder;
  const test::Split split = test::split_model();
  const std::string main = folder.path() + "/main.amxmi", stimuli = folder.path() + "/stimuli.amxmi";
  editor.open(main, split.main);
  editor.open(stimuli, split.stimuli);
  CHECK(editor.at("textDocument/references", stimuli, "name=\"every_10ms", 8).size() == 2);
  CHECK(editor.at("textDocument/documentHighlight", stimuli, "name=\"every_10ms", 8).size() == 1);
}

TEST_CASE("symbols of the workspace are the elements of all open models whose name contains the query") {
  Editor editor;
  editor.open(path, tutorial("1-one-task.amxmi"));
  editor.open("/nowhere/else/model.amxmi", tutorial("2-missed-deadline.amxmi"));
  const auto names = [&](const char* query) {
    std::multiset<std::string> found;
    for (const Json& one : editor.request("workspace/symbol", {{"query", query}}))
      found.insert(one["name"].get<std::string>());
    return found;
  };
  CHECK(names("STEERI") == std::multiset<std::string>{"Deadline_Steering", "Steering", "Steering"});
  CHECK(names("Detection").size() == 2);
  CHECK(names("").size() > 15);
  CHECK(names("no such name").empty());
  const Json one = editor.request("workspace/symbol", {{"query", "Detection"}})[0];
  CHECK(one["containerName"] == "swModel");
  CHECK(one["kind"] == 24);
  CHECK(one["location"]["uri"] == "file:///nowhere/else/model.amxmi");
  CHECK(editor.text_at("/nowhere/else/model.amxmi", one["location"]["range"]) == "Detection");
}

TEST_CASE("elements of several lines fold and keep their end tag") {
  const std::string text =
      "<am:Amalthea xmlns:am=\"http://app4mc.eclipse.org/amalthea/3.3.0\">\n<swModel>\n<tasks name=\"a\">\n"
      "<activityGraph>\n</activityGraph>\n</tasks>\n<tasks name=\"b\"/>\n</swModel>\n</am:Amalthea>\n";
  const auto fold = [](int first, int last) { return Json{{"startLine", first}, {"endLine", last}}; };
  const Json all = {fold(0, 7), fold(1, 6), fold(2, 4)};
  Editor editor;
  editor.open(path, text);
  CHECK(editor.of("textDocument/foldingRange", path) == all);
  const Json limited = {{"textDocument", {{"foldingRange", {{"rangeLimit", 2}}}}}};
  Editor few(limited);
  few.open(path, text);
  CHECK(few.of("textDocument/foldingRange", path) == Json{fold(0, 7), fold(1, 6)});
  few.type(path, "<am:Amalthea ", "<am:Amalthea \n");
  CHECK(few.of("textDocument/foldingRange", path)[1] == fold(2, 7));
}

TEST_CASE("hints state how long ticks last on the core of their task and the bounds of tasks") {
  Editor editor;
  const std::string text = tutorial("2-missed-deadline.amxmi");
  editor.open(path, text);
  const auto hints = [&](int first, int last) {
    const Json range = {{"start", {{"line", first}, {"character", 0}}}, {"end", {{"line", last}, {"character", 0}}}};
    const Json named = {{"uri", "file://" + path}};
    std::set<std::string> found;
    for (const Json& hint : editor.request("textDocument/inlayHint", {{"textDocument", named}, {"range", range}}))
      found.insert(std::to_string(hint["position"]["line"].get<int>() + 1) + ": " + hint["label"].get<std::string>());
    return found;
  };
  CHECK(hints(0, 1000) == std::set<std::string>{"6: at most 3 ms", "11: at most 40 ms", "18: 2 ms to 3 ms on Core0",
                                                "25: 20 ms to 28 ms on Core0"});
  CHECK(hints(10, 20) == std::set<std::string>{"11: at most 40 ms", "18: 2 ms to 3 ms on Core0"});
  editor.type(path, "<swModel>", "<swModel>\n");
  CHECK(hints(0, 1000).contains("26: 20 ms to 28 ms on Core0"));
  editor.settle();
  CHECK(hints(0, 1000).contains("26: 20 ms to 28 ms on Core0"));
  editor.type(path, "lowerBound=\"2000000\" upperBound=\"3000000\" average=\"2400000\"",
              "lowerBound=\"1\" upperBound=\"1\" average=\"1\"");
  editor.type(path, "value=\"1\" unit=\"GHz\"", "value=\"3\" unit=\"GHz\"");
  editor.settle();
  CHECK(hints(0, 1000).contains("19: 333 ps to 334 ps on Core0"));
}

TEST_CASE("completion offers the targets that fit and the literals and the classes") {
  Editor editor;
  editor.open(path, tutorial("5-shared-gpu.amxmi"));
  const auto texts = [&](const char* place, std::size_t behind) {
    std::set<std::string> found;
    const Json items = editor.at("textDocument/completion", path, place, behind)["items"];
    for (const Json& item : items) found.insert(item["textEdit"]["newText"].get<std::string>());
    return found;
  };
  const std::string call = "runnable=\"";
  const auto runnables = texts(call.c_str(), call.size());
  CHECK(runnables.size() > 1);
  for (const std::string& text : runnables) CHECK(text.ends_with("?type=Runnable"));
  CHECK(texts("preemption=\"", 12).contains("cooperative"));
  CHECK(texts("xsi:type=\"am:RunnableCall", 10).contains("am:RunnableCall"));
  CHECK(!texts("xsi:type=\"am:RunnableCall", 10).contains("am:Task"));
  CHECK(texts("<tasks name=\"", 13).empty());
  CHECK(texts("<tasks", 3).empty());
}

TEST_CASE("a reference is completed in an element that is just being written") {
  Editor editor;
  editor.open(path, tutorial("1-one-task.amxmi"));
  editor.type(path, "<items xsi:type=\"am:RunnableCall\"",
              "<items xsi:type=\"am:RunnableCall\" runnable=\"St\n<items xsi:type=\"am:RunnableCall\"");
  editor.settle();
  CHECK(editor.diagnostics(path)[0]["code"] == "AM0103");
  const Json items = editor.at("textDocument/completion", path, "runnable=\"St", 12)["items"];
  REQUIRE(items.size() == 1);
  CHECK(items[0]["textEdit"]["newText"] == "Steer?type=Runnable");
  CHECK(editor.text_at(path, items[0]["textEdit"]["range"]) == "St");
}

TEST_CASE("while a text is not well-formed its error is the one diagnostic and the last state answers") {
  Editor editor(nested);
  const std::string good = test::read_text(test::sample("waters2019-tx2.amxmi"));
  editor.open(path, good);
  const Json lenses = editor.of("textDocument/codeLens", path);
  const Json before = editor.diagnostics(path);
  CHECK(before.size() > 1);
  editor.type(path, "<swModel>", "\n\n<swModel>\n<oops>");
  editor.settle();
  const Json broken = editor.diagnostics(path);
  REQUIRE(broken.size() == 1);
  CHECK(broken[0]["code"] == "AM0103");
  CHECK(broken[0]["severity"] == 1);
  const Json hover = editor.at("textDocument/hover", path, "name=\"CANbus_polling\"", 8);
  CHECK(hover["contents"]["value"].get<std::string>().find("**guaranteed**") != std::string::npos);
  CHECK(editor.text_at(path, hover["range"]) == "CANbus_polling");
  const Json later = editor.of("textDocument/codeLens", path);
  REQUIRE(later.size() == lenses.size());
  CHECK(later[0]["range"]["start"]["line"] == lenses[0]["range"]["start"]["line"].get<int>() + 3);
  const Json definition = editor.at("textDocument/definition", path, "task=\"CANbus_polling?type=Task", 9);
  CHECK(editor.text_at(path, definition["range"]) == "CANbus_polling");
  editor.type(path, "<oops>", "");
  editor.type(path, "\n\n<swModel>\n", "<swModel>");
  editor.settle();
  CHECK(editor.diagnostics(path) == before);
}

TEST_CASE("quick fixes write what findings propose") {
  struct Mistake {
    const char* from;
    const char* to;
    const char* id;
  };
  const std::string good = tutorial("5-shared-gpu.amxmi");
  for (const Mistake& mistake :
       std::initializer_list<Mistake>{{"runnable=\"Detect", "runnable=\"Detct", "AM0203"},
                                      {"<activityGraph>", "<activityGraf>", "AM0201"},
                                      {"preemption=", "preemtion=", "AM0204"},
                                      {"xsi:type=\"am:RunnableCall", "xsi:type=\"am:RunableCall", "AM0202"},
                                      {"\"preemptive\"", "\"preemtive\"", "AM0220"}}) {
    INFO(mistake.to);
    if (good.find(mistake.from) == std::string::npos) FAIL("not in the sample: " << mistake.from);
    std::string broken = test::replaced(good, mistake.from, mistake.to);
    if (mistake.id == std::string("AM0201")) broken = test::replaced(broken, "</activityGraph>", "</activityGraf>");
    Editor editor;
    editor.open(path, broken);
    const Json diagnostics = editor.diagnostics(path);
    const auto finding = std::find_if(diagnostics.begin(), diagnostics.end(),
                                      [&](const Json& one) { return one["code"] == mistake.id; });
    REQUIRE(finding != diagnostics.end());
    const Json actions = editor.request("textDocument/codeAction", {{"textDocument", {{"uri", "file://" + path}}},
                                                                    {"range", (*finding)["range"]},
                                                                    {"context", {{"diagnostics", diagnostics}}}});
    REQUIRE(!actions.empty());
    CHECK(actions[0]["kind"] == "quickfix");
    CHECK(actions[0]["diagnostics"][0] == *finding);
    std::string fixed = broken;
    Json edits = actions[0]["edit"]["changes"]["file://" + path];
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
      const std::string old = editor.text_at(path, (*edit)["range"]);
      const std::size_t line = (*edit)["range"]["start"]["line"], column = (*edit)["range"]["start"]["character"];
      std::size_t at = 0;
      for (std::size_t i = 0; i < line; ++i) at = fixed.find('\n', at) + 1;
      fixed.replace(at + column, old.size(), (*edit)["newText"].get<std::string>());
    }
    CHECK(fixed == good);
  }
}

}  // namespace answers_test
