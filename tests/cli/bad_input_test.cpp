// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/metamodel.hpp"
#include "engine/gpu/device_profile.hpp"
#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace bad_input_test {

namespace {

using test::replaced;

std::string minimal() { return test::read_text(test::sample("offload-minimal.amxmi")); }

/// A folder with one model of this text.
class ModelFolder {
 public:
  explicit ModelFolder(std::string_view text) { test::write_text(model(), text); }
  std::string model() const { return folder_.path() + "/model.amxmi"; }
  std::string in(std::string_view name) const { return fmt::format("{}/{}", folder_.path(), name); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  test::TemporaryFolder folder_;
};

using Names = std::vector<std::string>;

/// "line:column" of the first occurrence of `what` in a text.
std::string position(std::string_view text, std::string_view what) {
  const auto at = text.find(what);
  REQUIRE(at != std::string_view::npos);
  const auto line_start = text.substr(0, at).rfind('\n') + 1;
  return fmt::format("{}:{}", std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1,
                     at - line_start + 1);
}

/// The arguments of each verb for a model, with an output file for the one that writes.
std::vector<std::vector<std::string>> all_verbs(const ModelFolder& folder) {
  return {{"info", folder.model()},
          {"graph", folder.model()},
          {"analyze", folder.model()},
          {"analyze", folder.model(), "-o", folder.in("out.txt")},
          {"graph", folder.model(), "-o", folder.in("out.dot")},
          {"annotate", folder.model(), "-o", folder.in("out.amxmi")}};
}

/// The last line for a model with one error; info does not analyze.
std::string last_line(const std::string& verb) {
  return verb == "info" ? "" : "amalthea: note: the model is not analyzed because of 1 error; fix it [AM0344]\n";
}

/// Every verb ends with this exit code, reports exactly this and leaves no file behind. `more`: what verbs that analyze
/// add.
void check_all_verbs(std::string_view text, int exit_code, const std::string& message, const std::string& more = {}) {
  const ModelFolder folder(text);
  for (const auto& arguments : all_verbs(folder)) {
    INFO(arguments.front());
    const auto result = test::amalthea(arguments);
    CHECK(result.exit_code == exit_code);
    CHECK(result.err ==
          fmt::format("{}:{}\n", folder.model(), message) +
              (more.empty() || arguments.front() == "info" ? "" : fmt::format("{}:{}\n", folder.model(), more)) +
              (exit_code == 1 ? last_line(arguments.front()) : ""));
    // info shows the content of a model even if it cannot be analyzed.
    if (exit_code == 2 || arguments.front() != "info") CHECK(result.out.empty());
    CHECK(folder.files() == Names{"model.amxmi"});
  }
}

void check_usage(const std::vector<std::string>& arguments, const std::string& message,
                 const std::string& command = "amalthea") {
  const auto result = test::amalthea(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == fmt::format("amalthea: error: {}\nSee {} --help.\n", message, command));
}

}  // namespace

// ---------------------------------------------------------------- files that are no models

TEST_CASE("a truncated model is rejected by every verb with its location") {
  const std::string text = minimal();
  check_all_verbs(
      text.substr(0, text.find("</tasks>")), 2,
      fmt::format("{}: error: not well-formed XML: input ended before all started tags were ended; last tag "
                  "started is 'tasks' [AM0103]",
                  position(text, "</tasks>")));
}

TEST_CASE("an image file is rejected by every verb") {
  check_all_verbs("<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\"/>\n", 2,
                  "2:1: error: not an AMALTHEA model: the root element is <svg> in namespace "
                  "\"http://www.w3.org/2000/svg\"; expected <am:Amalthea "
                  "xmlns:am=\"http://app4mc.eclipse.org/amalthea/VERSION\">; this is a picture [AM0110]");
}

TEST_CASE("bytes that are not XML are rejected by every verb") {
  check_all_verbs(std::string("\x7F"
                              "ELF\x02\x01\x01\x00\x00",
                              9),
                  2,
                  " error: the file is binary data, not an AMALTHEA model; expected XML with the root element "
                  "<am:Amalthea>, or a ZIP archive of it [AM0119]");
}

TEST_CASE("an unknown version is rejected by every verb") {
  check_all_verbs(replaced(minimal(), "amalthea/3.3.0", "amalthea/4.0.0"), 2,
                  fmt::format("{}: error: unknown AMALTHEA version \"4.0.0\"; supported versions are 0.7.0 to {}; "
                              "save the model in one of them [AM0111]",
                              position(minimal(), "<am:Amalthea"), to_string(amalthea::newest_version)));
}

TEST_CASE("an empty file and an archive are rejected by every verb") {
  check_all_verbs("", 2, " error: the file is empty; expected an AMALTHEA model [AM0115]");
  check_all_verbs("PK\x03\x04", 2, " error: the ZIP archive cannot be read: Not a zip archive [AM0113]");
}

namespace {

void refused(const std::string& path, const std::string& message) {
  for (const char* verb : {"info", "graph", "analyze"}) {
    const auto result = test::amalthea({verb, path});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == fmt::format("{}: error: {}\n", path, message));
  }
}

}  // namespace

TEST_CASE("a missing file and a folder without models are rejected") {
  const ModelFolder folder(minimal());
  refused(folder.in("gone.amxmi"), "cannot open the file: No such file or directory [AM0116]");
  std::filesystem::create_directory(folder.in("empty"));
  refused(folder.in("empty"),
          "the folder contains no .amxmi file; pass a folder that contains some, or the model files [AM0114]");
}

TEST_CASE("an unreadable file is rejected") {
  if (::geteuid() == 0) test::skip("no user but root, who may read everything");
  const ModelFolder folder(minimal());
  std::filesystem::permissions(folder.model(), std::filesystem::perms::none);
  refused(folder.model(), "cannot open the file: Permission denied [AM0116]");
}

TEST_CASE("exceeded limits are errors at their location and name the value and the option to raise them") {
  const ModelFolder folder(minimal());
  const auto limited = [&](const char* option, const char* value) {
    const auto result = test::amalthea({"info", folder.model(), option, value});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err.substr(std::min(result.err.size(), folder.model().size()));
  };
  CHECK(limited("--max-depth", "2") ==
        fmt::format(":{}: error: the element is nested 3 levels deep, more than the limit of 2 (--max-depth) "
                    "[AM0105]\n",
                    position(minimal(), "<tasks")));
  CHECK(limited("--max-elements", "1") ==
        fmt::format(":{}: error: this is element 2 of the file, more than the limit of 1 (--max-elements) [AM0106]\n",
                    position(minimal(), "<swModel>")));
  CHECK(limited("--max-size", "100") ==
        fmt::format(": error: the file has {} bytes and is larger than the limit of 100 bytes (--max-size) [AM0116]\n",
                    minimal().size()));
}

// ---------------------------------------------------------------- models with errors

TEST_CASE("an unresolved reference that affects timing is a model error at the reference") {
  const std::string text = replaced(minimal(), "runnable=\"Monitor_Function?", "runnable=\"Monitor_Funktion?");
  const ModelFolder folder(text);
  for (const auto& arguments : all_verbs(folder)) {
    const auto result = test::amalthea(arguments);
    CHECK(result.exit_code == 1);
    CHECK(result.err ==
          fmt::format("{}:{}: error: runnable \"Monitor_Funktion?type=Runnable\" of RunnableCall refers to no element "
                      "in the model; did you mean \"Monitor_Function?type=Runnable\"? [AM0203]\n",
                      folder.model(), position(text, "Monitor_Funktion")) +
              last_line(arguments.front()));
    CHECK(folder.files() == Names{"model.amxmi"});
  }
}

TEST_CASE("a task without allocation is a model error at the task") {
  const std::string place = position(minimal(), "<tasks xmi:id=\"Vision");
  check_all_verbs(replaced(minimal(),
                           "<taskAllocation task=\"Vision?type=Task\" scheduler=\"Gpu_Scheduler?type=TaskScheduler\" "
                           "affinity=\"GPU?type=ProcessingUnit\"/>",
                           ""),
                  1,
                  place +
                      ": error: task \"Vision\" is not allocated to a scheduler; add a taskAllocation in the "
                      "mappingModel [AM0302]",
                  place +
                      ": note: the model leaves 1 task unmapped; amalthea explore MODEL -o MAPPED.amxmi makes a first "
                      "mapping, and searches for a better one [AM0493]");
}

TEST_CASE("a device without a GPU definition is a model error at the device") {
  check_all_verbs(
      replaced(minimal(), " puType=\"GPU\"", ""), 1,
      fmt::format("{}: error: unit \"GPU\" is used as a GPU, because it states gpu.platform \"tx2\", but its "
                  "definition \"Gpu\" has "
                  "no puType; if it is a GPU, set puType=\"GPU\" in its definition, else remove gpu.platform [AM0307]",
                  position(minimal(), "<modules xsi:type=\"am:ProcessingUnit\" xmi:id=\"GPU")));
}

// ---------------------------------------------------------------- places to write to

TEST_CASE("an unwritable output is one error and nothing is left behind") {
  const ModelFolder folder(minimal());
  std::filesystem::create_directory(folder.in("folder"));
  const Names before = folder.files();
  const std::string model = minimal();
  for (const char* verb : {"analyze", "graph", "annotate"}) {
    INFO(verb);
    auto result = test::amalthea({verb, folder.model(), "-o", folder.in("missing/x.amxmi")});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == fmt::format("amalthea: error: cannot write {0}/x.amxmi: the folder {0} does not exist; create "
                                    "it, or choose another folder\n",
                                    folder.in("missing")));
    result = test::amalthea({verb, folder.model(), "-o", folder.in("folder")});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err ==
          fmt::format("amalthea: error: cannot write {}: it is a folder; choose a file name\n", folder.in("folder")));
    CHECK(folder.files() == before);
    CHECK(test::read_text(folder.model()) == model);
  }
}

TEST_CASE("an existing output is unchanged if the model has an error") {
  const ModelFolder folder(replaced(minimal(), " puType=\"GPU\"", ""));
  test::write_text(folder.in("out.amxmi"), "precious");
  CHECK(test::amalthea({"annotate", folder.model(), "-o", folder.in("out.amxmi")}).exit_code == 1);
  CHECK(test::amalthea({"analyze", folder.model(), "-o", folder.in("out.amxmi")}).exit_code == 1);
  CHECK(test::read_text(folder.in("out.amxmi")) == "precious");
}

TEST_CASE("unwritable standard output is an error") {
  const auto result = test::run({"/bin/sh", "-c", "exec \"$0\" analyze \"$1\" > /dev/full", AMALTHEA_COMMAND,
                                 test::sample("offload-minimal.amxmi")});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "amalthea: error: cannot write to standard output: No space left on device\n");
}

TEST_CASE("annotate writes several files to a folder and not to a file and duplicates count once") {
  const ModelFolder folder(minimal());
  test::write_text(folder.in("other.amxmi"), minimal());
  test::write_text(folder.in("out.amxmi"), "");
  const auto result =
      test::amalthea({"annotate", folder.model(), folder.in("other.amxmi"), "-o", folder.in("out.amxmi")});
  CHECK(result.exit_code == 2);
  CHECK(result.err == fmt::format("amalthea: error: cannot write {}: several files need a folder, but this is a file; "
                                  "give a folder or a new name\n",
                                  folder.in("out.amxmi")));
  CHECK(folder.files() == Names{"model.amxmi", "other.amxmi", "out.amxmi"});
  CHECK(test::read_text(folder.in("out.amxmi")).empty());
  CHECK(test::amalthea({"annotate", folder.model(), folder.model(), "-o", folder.in("out.amxmi")}).exit_code == 0);
}

// ---------------------------------------------------------------- wrong use

TEST_CASE("the command without arguments says what to type") {
  const auto said = test::amalthea({});
  CHECK(said.exit_code == 2);
  CHECK(said.out.empty());
  for (const char* line : {"\n  amalthea new table.csv -o model.amxmi ", "\n  amalthea analyze model.amxmi ",
                           "\nSee amalthea --help for all verbs"})
    CHECK(said.err.find(line) != said.err.npos);
}

TEST_CASE("wrong use is reported in two lines: the mistake and where to find help") {
  const ModelFolder folder(minimal());
  const std::string verbs =
      "new, info, graph, validate, lsp, diff, analyze, simulate, explain, certify, report, annotate, compare, "
      "calibrate, explore, batch, convert, gpu";
  check_usage({"bogus"}, "unknown verb \"bogus\"; expected one of " + verbs);
  check_usage({"bogus", folder.model(), "--help-me"}, "unknown verb \"bogus\"; expected one of " + verbs);
  check_usage({"--bogus"}, "the verb is missing; use amalthea VERB with one of " + verbs);
  const auto of = [&](const std::string& verb, std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), verb);
    check_usage(arguments, message, "amalthea " + verb);
  };
  const std::string model = folder.model();
  of("analyze", {}, "MODEL is required");
  of("analyze", {model, "--bogus"}, "unknown option --bogus");
  of("annotate", {model}, "-o (--output) is required");
  of("analyze", {model, "--format", "xml"},
     "--format xml: expected one of text, json, csv, markdown, junit, github, sarif, codequality");
  of("graph", {model, "--format", "png"}, "--format png: expected one of dot, json, svg");
  of("analyze", {model, "--execution", "typical"}, "--execution typical: expected one of worst, average, best");
  of("simulate", {model, "--runs", "abc"}, "--runs abc: expected a whole number from 1 to 1000000000");
  of("simulate", {model, "--runs", "0"}, "--runs 0: expected a whole number from 1 to 1000000000");
  of("analyze", {model, "--until"}, "--until requires a value");
  of("info", {model, "--max-depth", "deep"}, "--max-depth deep: expected a whole number of 0 or more");
  of("info", {model, "--max-depth", "-1"}, "--max-depth: -1 is below zero; expected a whole number of 0 or more");
  of("info", {model, "--max-size", " -1"}, "--max-size:  -1 is below zero; expected a whole number of 0 or more");
  CHECK(folder.files() == Names{"model.amxmi"});
}

TEST_CASE("invalid option values are reported in one line") {
  const ModelFolder folder(minimal());
  const auto complains = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin() + 1, folder.model());
    if (arguments.front() == "annotate") {
      arguments.emplace_back("-o");
      arguments.push_back(folder.in("out.amxmi"));
    }
    const auto result = test::amalthea(arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == fmt::format("amalthea: error: {}\n", message));
    CHECK(folder.files() == Names{"model.amxmi"});
  };
  std::string profiles;
  for (const auto& profile : amalthea::engine::built_in_profiles())
    profiles += (profiles.empty() ? "" : ", ") + profile.name;
  for (const char* verb : {"analyze", "annotate"}) {
    for (const char* until : {"nonsense", "0s", "-5ms", "5", "5 parsecs"})
      complains({verb, "--until", until},
                fmt::format(
                    "--until {}: expected a time with a unit, such as 2s, 500ms or 250us, above zero and below 26 days",
                    until));
    complains({verb, "--platform", "nonsense"},
              fmt::format("--platform nonsense: neither a built-in profile ({}) nor a readable file", profiles));
  }
  complains({"graph", "--task", "Nobody"},
            "--task Nobody: the model has no such task; available: \"Control\", \"Monitor\" and \"Vision\"");
}

// ---------------------------------------------------------------- help

TEST_CASE("help and version succeed for every verb") {
  auto result = test::amalthea({"--version"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with("amalthea "));
  CHECK(result.err.empty());
  result = test::amalthea({"--help"});
  CHECK(result.exit_code == 0);
  for (const char* verb : {"info", "graph", "analyze", "annotate"}) {
    INFO(verb);
    CHECK(result.out.find(verb) != std::string::npos);
    const auto help = test::amalthea({verb, "--help"});
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    CHECK(help.out.find("MODEL") != std::string::npos);
    CHECK(help.out.find("--help-all") != std::string::npos);
  }
}

}  // namespace bad_input_test
