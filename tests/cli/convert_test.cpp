// SPDX-License-Identifier: Apache-2.0
// `amalthea convert` from a user's perspective.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/emf_batch.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace convert_test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string old_model = test::data("offload-0.9.5.amxmi");

/// The results of an analysis, without what names the file and places in it.
Json results_of(const std::string& model) {
  const auto analyzed = test::amalthea({"analyze", model, "--format", "json"});
  INFO(analyzed.err);
  Json json = Json::parse(analyzed.out);
  json.erase("model");
  json.erase("findings");
  for (Json& limit : json["limits"])
    for (const char* place : {"file", "line", "column"}) limit.erase(place);
  return json;
}

/// The same for a model and its conversion. Not compared is what is said of the form that AMALTHEA's own migration,
/// too, gives to scheduling parameters: it leaves priorities of 0 out (AM0446), and names those that were extensions in
/// no definition (AM0662).
Json results_but_form(const std::string& model) {
  Json results = Json::parse(test::amalthea({"analyze", model, "--format", "json"}).out);
  results.erase("model");
  const auto drop_form = [](Json& list) {
    Json kept = Json::array();
    for (const Json& entry : list)
      if (entry["rule"] != "AM0446" && entry["rule"] != "AM0662") kept.push_back(entry);
    list = std::move(kept);
  };
  drop_form(results["findings"]);
  drop_form(results["assumptions"]);
  results.erase("summary");  // counts the assumptions; the verdicts behind it are compared
  for (const char* list : {"findings", "limits", "open"})
    for (Json& entry : results[list]) {
      for (const char* place : {"file", "line", "column"}) entry.erase(place);
      if (entry.value("kind", "") == "finding") entry.erase("name");  // names the place, too
    }
  if (results.contains("causes"))
    for (Json& entry : results["causes"]["list"])
      for (const char* place : {"file", "line", "column"}) entry.erase(place);
  return results;
}

std::string converted(const std::string& model, const std::string& version, const std::string& folder) {
  const std::string output = fmt::format("{}/{}.amxmi", folder, version);
  const auto result = test::amalthea({"convert", model, "--to", version, "-o", output});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return output;
}

/// A folder with two models, one of them in a folder below.
void make_tree(const std::string& folder) {
  fs::create_directories(folder + "/below");
  fs::copy_file(old_model, folder + "/a.amxmi");
  fs::copy_file(test::data("offload-1.1.0.amxmi"), folder + "/below/b.amxmi");
}

}  // namespace

TEST_CASE("convert: every version of the sample converts to the newest one with the same timing") {
  const test::TemporaryFolder folder;
  for (const std::string version : {"0.9.3", "0.9.5", "0.9.8", "1.1.0", "2.0.0", "3.0.0"}) {
    const std::string model = test::data(fmt::format("offload-{}.amxmi", version));
    INFO(model);
    const std::string output = converted(model, "3.3.0", folder.path());
    CHECK(results_of(output) == results_of(model));
    CHECK(test::amalthea({"validate", output}).out.find("AM02") == std::string::npos);
  }
}

TEST_CASE("convert: the analysis of the WATERS 2019 model stays as it is") {
  const std::string corpus = test::corpus_folder("/mobstr");
  const test::TemporaryFolder folder;
  for (const char* name :
       {"0.9.8/ChallengeModel_release_fix.amxmi", "0.9.9/waters-challenge-2019.amxmi", "1.0.0/mobstr.amxmi",
        "2.0.0/mobstr.amxmi", "1.0.0/mobstr-mapped.amxmi", "2.0.0/mobstr-mapped.amxmi"}) {
    const std::string original = fmt::format("{}/{}", corpus, name);
    INFO(original);
    CHECK(results_but_form(original) == results_but_form(converted(original, "3.3.0", folder.path())));
  }
}

TEST_CASE("convert: a round trip yields the same model if the older version supports it") {
  const test::TemporaryFolder folder;
  for (const std::string version : {"3.0.0", "2.0.0"}) {
    const std::string model = test::data(fmt::format("offload-{}.amxmi", version));
    const std::string up = converted(model, "3.3.0", folder.path());
    const std::string down = converted(up, version, folder.path());
    const auto before = test::amalthea({"info", model, "--dump"}), after = test::amalthea({"info", down, "--dump"});
    CHECK(before.out == after.out);
    CHECK(before.out.find("Control") != std::string::npos);
  }
}

TEST_CASE("convert: an unsupported older version is rejected with every obstacle and its location") {
  const test::TemporaryFolder folder;
  const std::string output = folder.path() + "/out.amxmi", model = folder.path() + "/in.amxmi";
  test::write_text(model, test::replaced(test::read_text(test::data("offload-2.0.0.amxmi")), "<swModel>", R"(<swModel>
    <runnables name="Loops"><activityGraph><items xsi:type="am:WhileLoop"/></activityGraph></runnables>)"));
  const auto result = test::amalthea({"convert", model, "--to", "1.1.0", "-o", output});
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("the version has no class WhileLoop [AM0710]") != std::string::npos);
  CHECK(result.err.find("1.1.0 cannot hold this model; nothing was written") != std::string::npos);
  CHECK_FALSE(fs::exists(output));
  // A newer version could not hold this either.
  test::write_text(model,
                   test::replaced(test::replaced(test::read_text(test::data("offload-2.0.0.amxmi")), "1.0", "1.1"),
                                  "name=\"Control\"", "name=\"Con&#x1;trol\""));
  const auto unwritable = test::amalthea({"convert", model, "--to", "1.1.0", "--places", "0", "-o", output});
  CHECK(unwritable.exit_code == 1);
  CHECK(unwritable.err.find("[AM0705]") != std::string::npos);
  CHECK(unwritable.err.find("newer version") == std::string::npos);
}

TEST_CASE("convert: --check reports the changes by rule and location and writes nothing") {
  const test::TemporaryFolder folder;
  const std::string output = folder.path() + "/out.amxmi";
  const auto result = test::amalthea({"convert", old_model, "--to", "3.3.0", "--check", "-o", output});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("0.9.5 -> 3.3.0") != std::string::npos);
  CHECK(result.out.find("offload-0.9.5.amxmi:") != std::string::npos);
  CHECK(result.out.find("Changes besides namespace and ids: ") != std::string::npos);
  CHECK_FALSE(fs::exists(output));
}

TEST_CASE("convert: --report as JSON counts every change and lists the requested number of locations") {
  const test::TemporaryFolder folder;
  const std::string report = folder.path() + "/report.json";
  REQUIRE(test::amalthea({"convert", old_model, "--to", "3.3.0", "-o", folder.path() + "/out.amxmi", "--report", report,
                          "--places", "1"})
              .exit_code == 0);
  const Json json = Json::parse(test::read_text(report));
  CHECK(json["schema"] == "amalthea-conversion/1");
  CHECK(json["from"] == "0.9.5");
  CHECK(json["to"] == "3.3.0");
  REQUIRE(json["rules"].size() > 1);
  for (const Json& rule : json["rules"]) {
    CHECK(rule["count"] > 0);
    CHECK(rule["places"].size() == 1);
    CHECK_FALSE(rule["rule"].get<std::string>().empty());
  }
}

TEST_CASE("convert: a tree keeps its structure and its log describes each model and resuming repeats nothing") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = folder.path() + "/out", log = out + "/convert.jsonl";
  make_tree(in);
  test::write_text(in + "/broken.amxmi", "<am:Amalthea");
  const auto run = [&](const std::string& jobs, bool resume) {
    std::vector<std::string> command = {"convert", in, "--tree", "--to", "3.3.0", "-o", out, "--jobs", jobs};
    if (resume) command.emplace_back("--resume");
    return test::amalthea(command);
  };
  const auto first = run("1", false);
  CHECK(first.exit_code == 1);  // one is broken
  CHECK(first.out.find("2 converted, 0 unchanged, 1 failed") != std::string::npos);
  const std::string lines = test::read_text(log), model = test::read_text(out + "/below/b.amxmi");
  CHECK(lines.find("broken.amxmi:1:") != std::string::npos);
  CHECK(test::read_text(out + "/a.amxmi").find("amalthea/3.3.0") != std::string::npos);

  SECTION("whatever the number of processes") {
    run("2", false);
    CHECK(test::read_text(log) == lines);
    CHECK(test::read_text(out + "/below/b.amxmi") == model);
  }
  SECTION("models that have not changed are left alone") {
    const auto again = run("2", true);
    CHECK(again.out.find("0 converted, 2 unchanged, 1 failed") != std::string::npos);
    CHECK(test::read_text(log) == lines);
  }
  SECTION("what was changed or lost is made again") {
    fs::remove(out + "/a.amxmi");
    CHECK(run("2", true).out.find("1 converted, 1 unchanged, 1 failed") != std::string::npos);
    CHECK(fs::exists(out + "/a.amxmi"));
  }
  SECTION("what an interrupted run noted counts") {
    fs::rename(log, log + ".partial");
    CHECK(run("2", true).out.find("0 converted, 2 unchanged, 1 failed") != std::string::npos);
    CHECK(test::read_text(log) == lines);
    CHECK_FALSE(fs::exists(log + ".partial"));
  }
}

TEST_CASE("convert: models that were only checked are converted later and outputs are not inputs") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = in + "/out";
  make_tree(in);
  std::vector<std::string> command = {"convert", in, "--tree", "--to", "3.3.0", "-o", out, "--check"};
  CHECK(test::amalthea(command).out.find("2 converted") != std::string::npos);
  CHECK_FALSE(fs::exists(out + "/a.amxmi"));
  command.back() = "--resume";
  CHECK(test::amalthea(command).out.find("2 converted, 0 unchanged") != std::string::npos);
  CHECK(fs::exists(out + "/a.amxmi"));
  CHECK(test::amalthea(command).out.find("0 converted, 2 unchanged") != std::string::npos);
  CHECK_FALSE(fs::exists(out + "/out"));
}

TEST_CASE("convert: a file name that is not UTF-8 does not affect other files") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = folder.path() + "/out";
  make_tree(in);
  fs::copy_file(old_model, in + "/c\xFF.amxmi");
  const std::vector<std::string> command = {"convert", in, "--tree", "--to", "3.3.0", "-o", out, "--resume"};
  CHECK(test::amalthea(command).out.find("3 converted") != std::string::npos);
  CHECK(fs::exists(out + "/c\xFF.amxmi"));
  fs::remove(out + "/c\xFF.amxmi");
  CHECK(test::amalthea(command).out.find("1 converted, 2 unchanged") != std::string::npos);
  CHECK(fs::exists(out + "/c\xFF.amxmi"));
}

TEST_CASE("convert: files of a tree that exceed the memory limit fail") {
  test::skip_if_sanitized();
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = folder.path() + "/out";
  make_tree(in);
  fs::copy_file(old_model, in + "/c\xFF.amxmi");
  const auto result = test::amalthea({"convert", in, "--tree", "--to", "3.3.0", "-o", out, "--memory-limit", "1"});
  CHECK(result.out.find("0 converted, 0 unchanged, 3 failed") != std::string::npos);
}

TEST_CASE("convert: comments and texts keep their characters in every encoding") {
  const test::TemporaryFolder folder;
  const std::string begin =
      "<am:Amalthea xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" "
      "xmlns:am=\"http://app4mc.eclipse.org/amalthea/0.9.9\">";
  const std::string content = begin +
                              "<swModel><!-- Gr\xF6\xDF"
                              "e --><tasks name=\"\xE4\"/></swModel></am:Amalthea>";
  test::write_text(folder.path() + "/latin.amxmi", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n" + content);
  std::string wide = "\xFF\xFE";
  for (const char c : "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + content) wide += {c, '\0'};
  test::write_text(folder.path() + "/wide.amxmi", wide);
  for (const std::string name : {"latin", "wide"}) {
    INFO(name);
    const std::string text = test::read_text(converted(folder.path() + "/" + name + ".amxmi", "3.3.0", folder.path()));
    CHECK(text.find("<!-- Gr\xC3\xB6\xC3\x9F"
                    "e -->") != std::string::npos);
    CHECK(text.find("name=\"\xC3\xA4\"") != std::string::npos);
    CHECK(test::amalthea({"info", "--dump", folder.path() + "/3.3.0.amxmi"}).exit_code == 0);
  }
}

TEST_CASE("convert: a folder is one model and written as a folder") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path() + "/in", out = folder.path() + "/out";
  fs::create_directories(in);
  const auto file = [](std::string_view content) {
    return fmt::format(R"(<am:Amalthea xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" )"
                       R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
                       R"(xmlns:am="http://app4mc.eclipse.org/amalthea/0.9.3">{}</am:Amalthea>)",
                       content);
  };
  test::write_text(in + "/stimuli.amxmi",
                   file(R"(<stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="10ms"/></stimuliModel>)"));
  test::write_text(in + "/sw.amxmi", file(R"(<!-- kept --><swModel><tasks name="T">
    <stimuli xsi:type="am:PeriodicStimulus" href="amlt:/#10ms?type=PeriodicStimulus"/></tasks></swModel>)"));
  REQUIRE(test::amalthea({"convert", in, "--to", "3.3.0", "-o", out}).exit_code == 0);
  const std::string text = test::read_text(out + "/sw.amxmi");
  CHECK(text.find("<!-- kept -->") != std::string::npos);
  CHECK(text.find("amlt:/#10ms?type=PeriodicStimulus") != std::string::npos);
  CHECK(test::read_text(out + "/stimuli.amxmi").find("amalthea/3.3.0") != std::string::npos);
}

TEST_CASE("convert: JSON contains the whole model with numbers and references by id") {
  const test::TemporaryFolder folder;
  const std::string output = folder.path() + "/model.json";
  REQUIRE(test::amalthea({"convert", test::sample("offload-minimal.amxmi"), "-o", output}).exit_code == 0);
  const Json json = Json::parse(test::read_text(output));
  CHECK(json["schema"] == "amalthea-model/1");
  const Json& software = json["files"][0]["model"]["swModel"];
  CHECK(software["$class"] == "SWModel");
  const Json& task = software["tasks"][0];
  CHECK(task["$class"] == "Task");
  CHECK(task["$id"] == task["name"].get<std::string>() + "?type=Task");
  CHECK(task["multipleTaskActivationLimit"].is_number());
  CHECK(task["stimuli"].is_array());
  std::size_t objects = 0;
  const std::function<void(const Json&)> count = [&](const Json& value) {
    if (value.is_object() && value.contains("$class")) ++objects;
    if (value.is_structured())
      for (const Json& inner : value) count(inner);
  };
  count(json);
  const auto dump = test::amalthea({"info", test::sample("offload-minimal.amxmi"), "--dump"});
  std::size_t in_dump = 0;
  for (std::size_t at = 0; (at = dump.out.find(" : ", at)) != std::string::npos; ++at) ++in_dump;
  CHECK(objects == in_dump);
}

TEST_CASE("convert: writes CSV tables and a Graphviz drawing") {
  const test::TemporaryFolder folder;
  const std::string model = test::sample("offload-minimal.amxmi"), csv = folder.path() + "/t.csv";
  const auto table = [&](const std::string& name) {
    REQUIRE(test::amalthea({"convert", model, "-o", csv, "--table", name}).exit_code == 0);
    return test::read_text(csv);
  };
  CHECK(table("tasks").starts_with("name,kind,file,line,stimuli,period_ps,preemption,activation_limit,scheduler,"));
  CHECK(table("tasks").find("\nControl,Task,") != std::string::npos);
  CHECK(table("tasks").find(",best_execution_ps,worst_execution_ps\n") != std::string::npos);
  CHECK(table("tasks").find(",721260000,1121260000\nMonitor,") != std::string::npos);  // 0.7 and 1.1 ms, and accesses
  CHECK(table("runnables").starts_with("name,file,line,called,calls,reads,writes,"));
  CHECK(table("ticks").starts_with("executable,kind,unit,measure,least,average,largest,"));
  CHECK(table("labels").starts_with("name,file,line,size_bytes,"));
  CHECK(table("mapping").find("\ntask,Control,Task,") != std::string::npos);
  REQUIRE(test::amalthea({"convert", model, "-o", folder.path() + "/m.dot"}).exit_code == 0);
  const std::string dot = test::read_text(folder.path() + "/m.dot");
  CHECK(dot.starts_with("digraph amalthea {"));
  CHECK(dot.find("label=\"Control\"") != std::string::npos);
  CHECK(dot.find("[label=\"calls\"]") != std::string::npos);
}

TEST_CASE("convert: wrong use is reported in one message with the expected form") {
  const std::string model = test::sample("offload-minimal.amxmi");
  const auto says = [](const std::vector<std::string>& arguments, std::string_view expected) {
    const auto result = test::amalthea(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(expected) != std::string::npos);
  };
  says({"convert", model, "--to", "9.9.9", "-o", "/dev/null"},
       fmt::format("expected an AMALTHEA version, itea-1.1.0 to itea-1.3.0 or 0.7.0 to {}",
                   to_string(amalthea::newest_version)));
  says({"convert", model, "-o", "x.amxmi"}, "expected --to VERSION, or an output that ends with .json, .dot or .csv");
  says({"convert", model, "--to", "3.3.0"}, "expected -o OUT, or --check");
  says({"convert", model, "--to", "3.3.0", "-o", "x.json"}, "omit --to");
  says({"convert", model, "--to", "3.3.0", "-o", "/nowhere/at/all/x.amxmi"}, "/nowhere/at/all");
  says({"convert", model, "-o", "x.json", "--check"}, "--check and --report apply to version conversion");
  says({"convert", model, "--tree", "--to", "3.3.0", "-o", "x", "--report", "r"}, "--report applies to one model");
  says({"convert", model, "--to", "3.3.0", "-o", "x", "--memory-limit", "17592186044416"}, "--memory-limit");
}

namespace {

/// All third-party models in the newest version, converted by two processes; lines of what became of each.
std::vector<Json> convert_corpus(const std::string& corpus, const std::string& output) {
  const auto result = test::amalthea({"convert", corpus, "--tree", "--to", "3.3.0", "-o", output, "--jobs", "2"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  std::vector<Json> lines;
  std::istringstream log(test::read_text(output + "/convert.jsonl"));
  for (std::string line; std::getline(log, line);) lines.push_back(Json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("convert: all third-party models convert to 3.3.0 accepted by EMF with every object accounted for", "[emf]") {
  const std::string corpus = test::corpus_folder();
  test::EmfBatch judge;
  const test::TemporaryFolder folder;
  std::vector<std::string> question = {test::EmfBatch::ecore(amalthea::newest_version), "--errors"};
  for (const Json& line : convert_corpus(corpus, folder.path())) {
    INFO(line["files"][0].get<std::string>());
    CHECK(line["status"] == "converted");
    std::int64_t objects = line["objects"]["before"];
    for (const Json& rule : line["rules"]) objects += rule["objects"].get<std::int64_t>();
    CHECK(objects == line["objects"]["after"]);
    for (const Json& output : line["outputs"]) question.push_back(output["path"]);
  }
  CHECK(question.size() > 400);
  judge.ask(question);
  judge.run();
  const Json answer = Json::parse(judge.answer(0));
  // What leads nowhere in the originals leads nowhere afterwards.
  for (const auto& [kind, count] : answer["errors"].items()) {
    INFO(kind);
    CHECK(kind == "UnresolvedReferenceException");
    CHECK(count <= 11);
  }
  CHECK(answer["crossReferences"]["resolved"] > 30000);
}

TEST_CASE("convert: third-party models keep their timing or cannot be analyzed before and after", "[long]") {
  const std::string corpus = test::corpus_folder();
  const test::TemporaryFolder folder;
  std::size_t analyzed = 0;
  const auto timing = [](std::vector<std::string> command) {
    command.insert(command.begin(), "analyze");
    command.insert(command.end(), {"--format", "json"});
    const auto result = test::amalthea(command);
    Json json = Json::parse(result.out, nullptr, false);
    if (!json.is_object()) return Json();
    json.erase("model");
    json.erase("findings");
    // A priority of 0 is AMALTHEA's default, which is not written: it is assumed then, and the sentence counts it.
    json.erase("assumptions");
    json.erase("summary");
    for (Json& limit : json["limits"])
      if (limit["kind"] == "finding") limit.erase("name");  // its place
    const std::function<void(Json&)> forget_places = [&](Json& value) {
      if (value.is_object())
        for (const char* const key : {"file", "line", "column"}) value.erase(key);
      if (value.is_structured())
        for (Json& inner : value) forget_places(inner);
    };
    forget_places(json);
    return json;
  };
  for (const Json& line : convert_corpus(corpus, folder.path())) {
    std::vector<std::string> outputs;
    for (const Json& output : line["outputs"]) outputs.push_back(output["path"]);
    INFO(outputs.front());
    const Json before = timing(line["files"].get<std::vector<std::string>>());
    CHECK((timing(outputs) == before));  // they are too long to be shown
    analyzed += before.is_null() ? 0 : 1;
  }
  CHECK(analyzed >= 90);
}

}  // namespace convert_test
