// SPDX-License-Identifier: Apache-2.0
// `amalthea diff` as reviewers use it: differences, their timing, merges, and from git.

#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/test_models.hpp"

namespace diff_test {

using nlohmann::json;

namespace {

const std::string shared_gpu = test::sample("tutorial/5-shared-gpu.amxmi");
const std::string repaired = test::sample("tutorial/6-repaired.amxmi");

std::string slice_of(int milliseconds) {
  return fmt::format(R"(<value xsi:type="am:Time" value="{}" unit="ms"/>)", milliseconds);
}

json differences(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"diff", "--format", "json"});
  return json::parse(test::amalthea(arguments).out);
}

/// Debian's interpreter, for which its package is: another may come first in the PATH.
std::string schema_errors(const std::string& document) {
  static constexpr const char* python = "/usr/bin/python3";
  if (test::run({python, "-c", "import jsonschema"}).exit_code != 0) test::skip("no JSON Schema (python3-jsonschema)");
  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/d.json", document);
  return test::run({python, "-c",
                    "import json,sys,jsonschema\n"
                    "validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
                    "print(*[e.message for e in validator.iter_errors(json.load(open(sys.argv[2])))], sep='\\n')\n",
                    AMALTHEA_SOURCE_DIR "/docs/difference.schema.json", folder.path() + "/d.json"})
      .out;
}

}  // namespace

TEST_CASE("diff: the exit code says whether models differ") {
  CHECK(test::amalthea({"diff", repaired, repaired}).exit_code == 0);
  CHECK(test::amalthea({"diff", shared_gpu, repaired}).exit_code == 1);
  CHECK(test::amalthea({"diff", shared_gpu, "missing.amxmi"}).exit_code == 2);
  CHECK(test::amalthea({"diff", "--gate", shared_gpu, repaired}).exit_code == 2);
  CHECK(test::amalthea({"diff", "--timing", "--gate", shared_gpu, repaired}).exit_code == 0);
  CHECK(test::amalthea({"diff", "--timing", "--gate", repaired, shared_gpu}).exit_code == 1);
}

TEST_CASE("diff: annotations and the version are no differences") {
  CHECK(test::amalthea({"diff", repaired, test::sample("annotated.amxmi")}).exit_code == 0);
  const test::TemporaryFolder folder;
  const std::string old_model = test::data("offload-1.1.0.amxmi"), converted = folder.path() + "/new.amxmi";
  REQUIRE(test::amalthea({"convert", "--to", "3.3.0", "-o", converted, old_model}).exit_code == 0);
  const auto result = test::amalthea({"diff", old_model, converted});
  CHECK(result.out.find("Both are compared as AMALTHEA 3.3.0.\nNo differences.\n") != std::string::npos);
}

TEST_CASE("diff: the timing of both states is that of analyze") {
  const json found = differences({"--timing", shared_gpu, repaired});
  const auto bounds = [](const std::string& model) {
    std::map<std::string, json> by_task;
    const json results = json::parse(test::amalthea({"analyze", "--format", "json", model}).out);
    for (const json& task : results["tasks"]) by_task[task["name"]] = task["bound"]["wcrt_ps"];
    return by_task;
  };
  auto before = bounds(shared_gpu), after = bounds(repaired);
  CHECK(found["timing"]["before"]["verdict"] == "missed");
  CHECK(found["timing"]["after"]["verdict"] == "guaranteed");
  CHECK(found["timing"]["items"].size() == 4);
  for (const json& item : found["timing"]["items"]) {
    INFO(item["name"]);
    CHECK(item["before"]["bound_ps"] == before[item["name"]]);
    CHECK(item["after"]["bound_ps"] == after[item["name"]]);
    if (item["difference_of"] != "bound") continue;
    std::int64_t sum = 0;
    for (const json& part : item["contributions"]) sum += part["difference_ps"].get<std::int64_t>();
    CHECK(sum == item["difference_ps"]);
  }
  CHECK(found["timing"]["items"][0]["name"] == "Detection");  // its verdict changed
  CHECK(found["timing"]["parts"].empty());                    // there is only one
}

TEST_CASE("diff: the shares of the parts and their interaction add up") {
  const test::TemporaryFolder folder;
  // Longer ticks (software) and a shorter period (stimuli).
  std::string text = test::read_text(test::sample("chains.amxmi"));
  const std::string changed = folder.path() + "/changed.amxmi";
  text = test::replaced(text, "value=\"10\" unit=\"ms\"", "value=\"5\" unit=\"ms\"");
  text = test::replaced(text, "upperBound=\"", "upperBound=\"1");
  test::write_text(changed, text);
  const json found = differences({"--timing", test::sample("chains.amxmi"), changed});
  CHECK(found["timing"]["parts"].size() == 2);
  std::size_t with_shares = 0;
  for (const json& item : found["timing"]["items"]) {
    if (item["interaction_ps"].is_null()) continue;
    ++with_shares;
    std::int64_t sum = item["interaction_ps"];
    for (const json& part : item["parts"]) sum += part["alone_ps"].get<std::int64_t>();
    CHECK(sum == item["difference_ps"]);
  }
  CHECK(with_shares > 0);
}

TEST_CASE("diff: JSON matches its schema") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {shared_gpu, repaired},
           {"--timing", test::sample("tutorial/4-on-the-gpu.amxmi"), repaired},
           {"--base", shared_gpu, repaired, test::sample("tutorial/4-on-the-gpu.amxmi")}}) {
    std::vector<std::string> command = {"diff", "--format", "json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    CHECK(schema_errors(test::amalthea(command).out) == "\n");
  }
}

TEST_CASE("diff: contradicting changes of two versions are conflicts") {
  const test::TemporaryFolder folder;
  const std::string text = test::read_text(shared_gpu);
  const auto version = [&](const char* name, std::string_view from, std::string_view to) {
    const std::string file = folder.path() + "/" + name;
    test::write_text(file, test::replaced(text, from, to));
    return file;
  };
  const std::string slice = slice_of(15);
  const std::string ours = version("ours.amxmi", slice, slice_of(1));
  const std::string same = version("same.amxmi", slice, slice_of(1));
  const std::string theirs = version("theirs.amxmi", slice, slice_of(2));
  const std::string other =
      version("other.amxmi", R"(<recurrence value="100" unit="ms"/>)", R"(<recurrence value="90" unit="ms"/>)");
  const auto check = [&](const std::string& one, const std::string& two) {
    return test::amalthea({"diff", "--base", shared_gpu, one, two}).exit_code;
  };
  CHECK(check(ours, same) == 0);
  CHECK(check(ours, other) == 0);
  CHECK(check(ours, theirs) == 1);
  const json found = differences({"--base", shared_gpu, ours, test::sample("tutorial/4-on-the-gpu.amxmi")});
  REQUIRE(found["conflicts"].size() == 1);
  CHECK(found["conflicts"][0]["kind"] == "removed and changed");
}

TEST_CASE("diff: git uses it as driver of differences and of merges") {
  if (test::run({"git", "--version"}).exit_code != 0) test::skip("no git");
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"git", "-C", folder.path(), "-c", "user.name=A", "-c", "user.email=a@example.org"});
    return test::run(arguments);
  };
  REQUIRE(git({"init", "-q", "-b", "main"}).exit_code == 0);
  test::write_text(folder.path() + "/.gitattributes", "*.amxmi diff=amalthea merge=amalthea\n");
  const std::string command = fmt::format("'{}'", AMALTHEA_COMMAND);
  git({"config", "diff.amalthea.command", fmt::format("f() {{ {} diff \"$2\" \"$5\" || true; }}; f", command)});
  git({"config", "merge.amalthea.driver", fmt::format("{} diff --base %O %A %B && git merge-file %A %O %B", command)});
  const std::string text = test::read_text(shared_gpu);
  const auto commit = [&](const std::string& state) {
    test::write_text(model, state);
    git({"add", "-A"});
    REQUIRE(git({"commit", "-q", "-m", "state"}).exit_code == 0);
  };
  commit(text);
  test::write_text(model, test::replaced(text, slice_of(15), slice_of(1)));
  CHECK(git({"diff"}).out.find("customProperties[gpu.timeslice]/value  15 ms -> 1 ms") != std::string::npos);

  // A change of another object is merged; one that contradicts is not.
  git({"checkout", "-q", "-b", "ours"});
  commit(test::replaced(text, slice_of(15), slice_of(1)));
  git({"checkout", "-q", "-b", "far", "main"});
  commit(test::replaced(text, R"(<recurrence value="100" unit="ms"/>)", R"(<recurrence value="90" unit="ms"/>)"));
  git({"checkout", "-q", "-b", "near", "main"});
  commit(test::replaced(text, slice_of(15), slice_of(2)));
  git({"checkout", "-q", "ours"});
  CHECK(git({"merge", "-q", "-m", "far", "far"}).exit_code == 0);
  CHECK(test::amalthea({"diff", model, repaired}).out.find("100 ms") != std::string::npos);
  const auto refused = git({"merge", "-q", "-m", "near", "near"});
  CHECK(refused.exit_code == 1);
}

}  // namespace diff_test
