// SPDX-License-Identifier: Apache-2.0
// Standard input and output instead of files, and files that are not models.

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace {

/// The command in a shell, with `file` as its standard input.
test::CommandResult with_input(const std::string& file, const std::string& arguments) {
  return test::run({"/bin/sh", "-c", fmt::format("exec \"$0\" {} < \"$1\"", arguments), AMALTHEA_COMMAND, file});
}

std::string without(std::string text, std::string_view part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

}  // namespace

TEST_CASE("a model is read from standard input for - and named <stdin>") {
  const std::string model = test::sample("offload-minimal.amxmi");
  for (const std::string verb :
       {"info", "graph", "analyze", "analyze --format json", "simulate", "validate", "explore"}) {
    INFO(verb);
    const auto piped = with_input(model, verb + " -");
    const auto read = with_input(model, fmt::format("{} \"$1\"", verb));
    CHECK(piped.exit_code == read.exit_code);
    CHECK(without(piped.out, "<stdin>") == without(read.out, model));
    CHECK(piped.err == read.err);
  }
  CHECK(with_input(model, "explain - Control").exit_code == 0);
  const auto empty = with_input("/dev/null", "analyze -");
  CHECK(empty.exit_code == 2);
  CHECK(empty.err == "<stdin>: error: the file is empty; expected an AMALTHEA model [AM0115]\n");
  const auto large = with_input(model, "analyze - --max-size 100");
  CHECK(large.exit_code == 2);
  CHECK(large.err == "<stdin>: error: the file is larger than the limit of 100 bytes (--max-size) [AM0116]\n");
}

TEST_CASE("a scenario is read from standard input for - and named <stdin>") {
  const std::string scenario = test::sample("gpu/two-processes.json");
  for (const std::string verb : {"info", "analyze", "analyze --format json", "simulate", "validate", "explain"}) {
    INFO(verb);
    const std::string task = verb == "explain" ? " match" : "";
    const auto piped = with_input(scenario, verb + " -" + task);
    const auto read = with_input(scenario, fmt::format("{} \"$1\"{}", verb, task));
    CHECK(piped.exit_code == 0);
    CHECK(read.exit_code == 0);
    // The model made of it, and so its hash, names the file.
    const auto plain = [](const std::string& out, std::string_view name) {
      return std::regex_replace(without(out, name), std::regex("sha256:[0-9a-f]+"), "");
    };
    CHECK(plain(piped.out, "<stdin>") == plain(read.out, scenario));
    CHECK(without(piped.err, "<stdin>") == without(read.err, scenario));
  }
  const test::TemporaryFolder folder;
  const std::string late = folder.path() + "/late.json";
  test::write_text(late, R"({"operations": [
  {"kernel": "K", "stream": "a", "threads": 32, "duration": "1us", "period": "2us", "deadline": "3us"}]})");
  const auto refused = with_input(late, "analyze -");
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.starts_with("<stdin>:2:3: error: a model cannot say"));
}

TEST_CASE("a mapping or a profile is read once and may be a pipe") {
  const test::TemporaryFolder folder;
  const std::string model = test::sample("offload-minimal.amxmi"), mapping = folder.path() + "/mapping.json",
                    profiles = AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/";
  test::write_text(mapping, R"({"Control": {"priority": 7}})");
  const auto piped = [&](const std::string& file, const std::string& arguments) {
    return test::run({"/bin/sh", "-c", "cat \"$1\" | \"$0\" " + arguments, AMALTHEA_COMMAND, file, model});
  };
  const auto from_file = [&](const std::string& file, const std::string& arguments) {
    return test::run({"/bin/sh", "-c", "\"$0\" " + arguments + " < \"$1\"", AMALTHEA_COMMAND, file, model});
  };
  for (const std::string verb :
       {"analyze \"$2\"", "batch \"$2\" --jobs 1", "annotate \"$2\" -o -", "explore \"$2\" --candidates 10"}) {
    INFO(verb);
    const auto read = from_file(mapping, verb + " --mapping /dev/stdin");
    const auto result = piped(mapping, verb + " --mapping /dev/stdin");
    INFO(result.err);
    CHECK(result.exit_code == read.exit_code);
    CHECK(result.out == read.out);
    CHECK(result.exit_code != 2);
  }
  // Results of one profile are not those of another.
  const auto key = [&](const std::string& file) {
    const auto result = piped(file, "batch \"$2\" --platform /dev/stdin");
    CHECK(result.out.find("\"status\":\"analysed\"") != std::string::npos);
    const std::size_t at = result.out.find("\"key\":\"");
    return at == std::string::npos ? std::string() : result.out.substr(at, 72);
  };
  CHECK(key(profiles + "tx2.json") == key(profiles + "tx2.json"));
  CHECK(key(profiles + "tx2.json") != key(profiles + "xavier.json"));
}

TEST_CASE("the output option -o - writes to standard output for use in a pipe") {
  const std::string model = test::sample("offload-minimal.amxmi");
  const std::string text = test::read_text(model);
  CHECK(with_input(model, "analyze - -o -").out == with_input(model, "analyze -").out);
  const auto annotated = with_input(model, "annotate - -o -");
  CHECK(annotated.exit_code == 0);
  CHECK(annotated.out.size() > text.size());
  const auto back = test::run(
      {"/bin/sh", "-c", "\"$0\" annotate - -o - < \"$1\" | \"$0\" annotate --strip - -o -", AMALTHEA_COMMAND, model});
  CHECK(back.out == text);
  const auto converted = with_input(model, "convert - --to 3.2.0 -o -");
  CHECK(converted.exit_code == 0);
  CHECK(converted.out.find("amalthea/3.2.0") != std::string::npos);
  const auto explored = with_input(model, "explore - -o - -q");
  CHECK(explored.out.starts_with("<?xml"));
  CHECK(explored.out.ends_with("</am:Amalthea>\n"));
  const auto several =
      with_input(model, fmt::format("annotate \"$1\" {} -o -", test::sample("offload-minimal-three-runnables.amxmi")));
  CHECK(several.exit_code == 2);
  CHECK(several.err.find("several files cannot be written to standard output") != std::string::npos);
}

TEST_CASE("a file that is not a model is recognized by its content and the message names the right command") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/file";
  const auto check = [&](const std::string& name, std::string_view content, std::string_view says) {
    INFO(name);
    const std::string path = folder.path() + "/" + name;
    test::write_text(path, content);
    for (const char* verb : {"analyze", "info", "validate"}) {
      const auto result = test::amalthea({verb, path});
      const std::string said = result.err + result.out;
      INFO(said);
      CHECK(result.exit_code == 2);
      CHECK(said.find(fmt::format("{}: error: the file is {}", path, says)) != std::string::npos);
      CHECK(said.find("[AM0119]") != std::string::npos);
    }
  };
  const std::string model = test::sample("offload-minimal.amxmi");
  check("results.json", test::amalthea({"analyze", model, "--format", "json"}).out, "the result of `amalthea analyze`");
  check("runs.json", test::amalthea({"simulate", model, "--format", "json"}).out, "the result of `amalthea simulate`");
  check("why.json", test::amalthea({"explain", model, "Control", "--format", "json"}).out,
        "the result of `amalthea explain`");
  check("findings.json", test::amalthea({"validate", model, "--format", "json"}).out,
        "the result of `amalthea validate`");
  check("findings.sarif", test::amalthea({"validate", model, "--format", "sarif"}).out, "a SARIF log");
  check("search.json", test::amalthea({"explore", model, "--format", "json", "--candidates", "10"}).out,
        "the result of `amalthea explore`");
  REQUIRE(test::amalthea({"convert", model, "-o", folder.path() + "/model.json"}).exit_code == 0);
  check("model.json", test::read_text(folder.path() + "/model.json"), "a model in JSON");
  check("mapping.json", test::read_text(test::sample("mappings/mobstr-mapped.json")), "a mapping file");
  check("profile.json", test::read_text(AMALTHEA_SOURCE_DIR "/engine/gpu/platforms/xavier.json"), "a GPU profile");
  check("memory.json", R"({"name": "mine", "units": {"A57": {"base_ns": 20}}})", "a memory model");
  check("other.json", "[1, 2]", "JSON");
  check("trace.btf", test::read_text(test::data("gpu-timeline.btf")), "a trace in BTF");
  check("trace.json", test::read_text(test::data("gpu-timeline.json")), "a trace for Perfetto");
  for (const char* ending : {"atdb", "json.gz"}) {
    const std::string trace = fmt::format("{}/t.{}", folder.path(), ending);
    REQUIRE(test::amalthea({"analyze", model, "--trace", trace}).exit_code == 0);
    check(fmt::format("trace.{}", ending), test::read_text(trace),
          std::string(ending) == "atdb" ? "an SQLite database" : "a compressed trace");
  }
  check("model.amxmi.gz", "\x1F\x8B\x08", "compressed with gzip");
  check("model.yaml", "tasks:\n  - A\n", "YAML");
  check("model.yml", "---\ntasks: [A]\n", "YAML");
  REQUIRE(test::amalthea({"report", model, "-o", folder.path() + "/report.html"}).exit_code == 0);
  check("report.html", test::read_text(folder.path() + "/report.html"), "an HTML page");
  check("graph.dot", test::amalthea({"graph", model}).out, "a graph for Graphviz");
  check("pointer.amxmi", "version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a Git LFS pointer");
}

TEST_CASE("foreign XML and folders without models are reported with a remedy") {
  const test::TemporaryFolder folder;
  const std::string aml = folder.path() + "/plant.aml";
  test::write_text(aml, "<CAEXFile FileName=\"plant.aml\"/>");
  CHECK(test::amalthea({"info", aml}).err.find("this is AutomationML (.aml) [AM0110]") != std::string::npos);
  REQUIRE(test::run({"/bin/mkdir", "-p", folder.path() + "/a/b", folder.path() + "/empty"}).exit_code == 0);
  test::write_text(folder.path() + "/a/b/m.amxmi", "x");
  CHECK(test::amalthea({"info", folder.path() + "/a"}).err ==
        fmt::format("{0}/a: error: the folder contains no .amxmi file; folders below it contain some, such as "
                    "{0}/a/b/m.amxmi; pass that folder, or pass all of them to amalthea batch [AM0114]\n",
                    folder.path()));
  test::write_text(folder.path() + "/empty/model.xml", "x");
  CHECK(test::amalthea({"info", folder.path() + "/empty"}).err ==
        fmt::format("{0}/empty: error: the folder contains no .amxmi file; if {0}/empty/model.xml is a model, pass the "
                    "file itself [AM0114]\n",
                    folder.path()));
}
