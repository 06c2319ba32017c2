// SPDX-License-Identifier: Apache-2.0
// Long work in parts: shards that are merged, checkpoints that go on, Ctrl-C, other verbs of a batch.

#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace work_parts_test {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string file(const test::TemporaryFolder& folder, const std::string& name) { return folder.path() + "/" + name; }

/// SIGINT arrives after a second, once: without --foreground, timeout signals the process and then its whole group, and a
/// second SIGINT ends the command at once.
test::CommandResult interrupted(const Words& arguments) {
  return test::run(
      joined({"timeout", "--foreground", "--preserve-status", "-s", "INT", "1", AMALTHEA_COMMAND}, arguments));
}

}  // namespace

TEST_CASE("merged parts of a simulation are what one process writes") {
  const test::TemporaryFolder folder;
  for (const std::string sample : {"offload-minimal.amxmi", "chains.amxmi", "constraints.amxmi", "servers.amxmi"}) {
    const Words options = {"simulate", test::sample(sample), "-q", "--runs", "301", "--seed", "5", "--format", "json"};
    const auto whole = test::amalthea(options);
    INFO(sample << whole.err);
    Words merge = options;
    for (const std::string number : {"2", "1", "3"}) {
      const auto part = test::amalthea(joined(options, {"--shard", number + "/3", "-o", file(folder, number)}));
      CHECK(part.exit_code == 0);
      CHECK(part.out.empty());
      merge.insert(merge.end(), {"--merge", file(folder, number)});
    }
    const auto merged = test::amalthea(merge);
    CHECK(merged.exit_code == whole.exit_code);
    CHECK(merged.out == whole.out);
  }
}

TEST_CASE("merged parts of a simulation state what their GPU's profile assumes") {
  const test::TemporaryFolder folder;
  const Words options = {"simulate", test::sample("offload-minimal.amxmi"), "--runs", "20", "--platform", "orin"};
  const auto whole = test::amalthea(options);
  REQUIRE(whole.out.starts_with("Verdict: guaranteed under 1 assumption. "));
  REQUIRE(test::amalthea(joined(options, {"--shard", "1/1", "-o", file(folder, "part")})).exit_code == 0);
  const auto merged = test::amalthea(joined(options, {"--merge", file(folder, "part")}));
  CHECK(merged.out == whole.out);
  CHECK(merged.err == whole.err);
}

TEST_CASE("parts that do not fit a simulation are refused by name") {
  const test::TemporaryFolder folder;
  const Words options = {"simulate", test::sample("offload-minimal.amxmi"), "-q", "--runs", "90"};
  const std::string part = file(folder, "part");
  REQUIRE(test::amalthea(joined(options, {"--shard", "2/3", "-o", part})).exit_code == 0);
  auto result = test::amalthea(joined(options, {"--merge", part}));
  CHECK(result.exit_code == 2);
  CHECK(result.err == "amalthea: error: --merge: the parts lack runs 0 to 29\n");
  result = test::amalthea(joined(options, {"--seed", "2", "--merge", part}));
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("the part belongs to another model, or to other options") != std::string::npos);
  result = test::amalthea(joined(options, {"--merge", test::sample("offload-minimal.amxmi")}));
  CHECK(result.exit_code == 2);
  CHECK(test::amalthea(joined(options, {"--shard", "1/2"})).err ==
        "amalthea: error: --shard requires -o FILE, in which the part is written\n");
}

TEST_CASE("parts with other values than amalthea writes are refused and never believed") {
  const test::TemporaryFolder folder;
  const std::string model = test::sample("offload-minimal.amxmi"), part = file(folder, "part");
  const auto refused = [&](const Words& options, const nlohmann::json& pointer, const std::string& value) {
    auto json = nlohmann::json::parse(test::read_text(file(folder, "good")));
    json.at(nlohmann::json::json_pointer(pointer.get<std::string>())) = "VALUE";
    test::write_text(part, test::replaced(json.dump(), "\"VALUE\"", value));
    const auto result = test::amalthea(joined(options, {"--merge", part}));
    INFO(pointer << " " << value.substr(0, 20) << " " << result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("amalthea: error: "));
  };
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Words simulation = {"simulate", model, "-q", "--runs", "8"};
  REQUIRE(test::amalthea(joined(simulation, {"--shard", "1/1", "-o", file(folder, "good")})).exit_code == 0);
  for (const char* value : {"1e300", "18446744073709551615"})
    for (const char* pointer : {"/tasks/0/values", "/tasks/0/values/0", "/tasks/0/moments", "/tasks/0/moments/0",
                                "/tasks/0/moments/1", "/tasks/0/means/1", "/tasks/0/min", "/tasks/0/max",
                                "/tasks/0/worst/2", "/tasks/0/worst/3", "/resources/0/0", "/key", "/schema"})
      refused(simulation, pointer, value);
  refused(simulation, "/key", deep);
  refused(simulation, "/tasks/0/min", "-1");
  fs::remove(file(folder, "good"));
  Words search = {"explore", model, "-q", "--candidates", "40"};
  for (const std::string number : {"1", "2"})
    REQUIRE(test::amalthea(joined(search, {"--shard", number + "/2", "--checkpoint",
                                           file(folder, number == "1" ? "good" : "other")}))
                .exit_code == 0);
  search.insert(search.end(), {"--merge", file(folder, "other")});
  REQUIRE(test::amalthea(joined(search, {"--merge", file(folder, "good")})).exit_code == 0);
  for (const char* value : {"1e300", "99999999"})
    for (const char* pointer : {"/walks/0/late/0", "/walks/0/front/0/candidate/0/0", "/walks/0/front/0/placement",
                                "/walks/0/front/0/objectives", "/walks/0/number", "/key"})
      refused(search, pointer, value);
  refused(search, "/key", deep);
  refused(search, "/walks/0/late", "[[99]]");
  refused(search, "/walks/0/front/0/objectives", "[]");
  refused(search, "/walks/0/front/0/objectives/0", "9221120237041090560");  // no number
  refused(search, "/walks/0/front/0/candidate/0/3", "-5");
}

TEST_CASE("a simulation goes on from its checkpoint to the same result") {
  const test::TemporaryFolder folder;
  const Words options = {"simulate", test::sample("offload-minimal.amxmi"), "--runs", "400", "--format", "json"};
  const auto whole = test::amalthea(options);
  const std::string checkpoint = file(folder, "checkpoint");
  // The first part is what an interrupted simulation has kept.
  REQUIRE(test::amalthea(joined(options, {"--shard", "1/4", "-o", checkpoint})).exit_code == 0);
  const auto rest = test::amalthea(joined(options, {"--checkpoint", checkpoint}));
  CHECK(rest.err.find("100 of 400 runs are in the checkpoint") != std::string::npos);
  CHECK(rest.out == whole.out);
  CHECK_FALSE(fs::exists(checkpoint));
}

TEST_CASE("merged parts of a search are what one process prints and a checkpoint goes on") {
  const test::TemporaryFolder folder;
  const Words options = {"explore",
                         test::sample("waters2019-tx2.amxmi"),
                         "-q",
                         "--candidates",
                         "400",
                         "--objective",
                         "response,load",
                         "--format",
                         "json"};
  const auto whole = test::amalthea(options);
  Words merge = options;
  for (const std::string number : {"2", "1"}) {
    const auto part = test::amalthea(joined(options, {"--shard", number + "/2", "--checkpoint", file(folder, number)}));
    INFO(part.err);
    CHECK(part.exit_code == 0);
    CHECK(part.out.empty());
    merge.insert(merge.end(), {"--merge", file(folder, number)});
  }
  const auto merged = test::amalthea(merge);
  CHECK(merged.exit_code == whole.exit_code);
  CHECK(merged.out == whole.out);
  const auto rest = test::amalthea(joined(options, {"--checkpoint", file(folder, "2")}));
  CHECK(rest.out == whole.out);
  CHECK_FALSE(fs::exists(file(folder, "2")));
  const auto half = test::amalthea(joined(options, {"--merge", file(folder, "1")}));
  CHECK(half.exit_code == 2);
  CHECK(half.err == "amalthea: error: --merge: the parts lack walks 2, 4, 6, 8 of 8\n");
}

TEST_CASE("an interrupted simulation or search shows what there is and says that it is partial") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = file(folder, "checkpoint");
  auto result = interrupted(
      {"simulate", test::sample("offload-minimal.amxmi"), "--runs", "100000000", "--checkpoint", checkpoint});
  CHECK(result.exit_code == 130);
  CHECK(result.out.find("Control") != std::string::npos);
  CHECK(result.err.find("[AM0545]") != std::string::npos);
  CHECK(result.err.ends_with("amalthea: warning: interrupted; these results are partial\n"));
  CHECK(fs::exists(checkpoint));
  result = interrupted(
      {"simulate", test::sample("offload-minimal.amxmi"), "--until", "1000000s", "--max-steps", "100000000000"});
  CHECK(result.exit_code == 130);
  CHECK(result.out.starts_with("Verdict: unknown."));
  result = interrupted({"explore", test::sample("waters2019-tx2.amxmi"), "--candidates", "1000000000", "--search-steps",
                        "100000000000000"});
  CHECK(result.exit_code == 130);
  CHECK(result.err.find("[AM0571]") != std::string::npos);
  CHECK(result.out.find("DASM") != std::string::npos);
}

TEST_CASE("a batch runs other verbs with their own options") {
  const test::TemporaryFolder folder;
  for (const std::string verb : {"validate", "simulate", "explore"}) {
    const std::string with = verb == "simulate" ? "--runs 5" : verb == "explore" ? "--candidates 50" : "";
    const std::string lines = file(folder, verb + ".jsonl");
    const auto result =
        test::amalthea({"batch", "--verb", verb, "--with", with, test::sample("offload-minimal.amxmi"), "-o", lines,
                        "--summary", file(folder, verb + ".csv"), "--summary", file(folder, verb + ".db")});
    INFO(verb << result.err);
    CHECK(result.exit_code == 0);
    const auto line = nlohmann::json::parse(test::read_text(lines));
    CHECK(line["status"] == "analysed");
    CHECK(line["exit_code"] == 0);
    if (verb == "simulate") CHECK(line["results"]["simulation"]["runs"] == 5);
    CHECK(test::read_text(file(folder, verb + ".csv")).starts_with("model,files,status,verdict,"));
  }
  const auto wrong = test::amalthea({"batch", "--verb", "simulate", "--with", "--runs none",
                                     test::sample("offload-minimal.amxmi"), "-o", file(folder, "wrong")});
  CHECK(wrong.exit_code == 1);
  CHECK(nlohmann::json::parse(test::read_text(file(folder, "wrong")))["error"].get<std::string>().find("--runs") !=
        std::string::npos);
}

TEST_CASE("a batch converts models and writes reports into the same tree") {
  const test::TemporaryFolder folder;
  const std::string models = file(folder, "models");
  fs::create_directories(models + "/a");
  for (const std::string name : {"/a/one.amxmi", "/two.amxmi"})
    fs::copy_file(test::sample("offload-minimal.amxmi"), models + name);
  const std::string into = models + "/results";
  const auto batch = [&](const Words& more) {
    return test::amalthea(joined({"batch", models, "-o", file(folder, "lines"), "--fail-on", "never"}, more));
  };
  // The second time, the results below the models are none of the models.
  for (const std::string attempt : {"first", "second"}) {
    INFO(attempt);
    const auto converted = batch({"--verb", "convert", "--with", "--to 2.0.0", "--into", into});
    CHECK(converted.exit_code == 0);
    CHECK(converted.out.find("2 models") != std::string::npos);
    CHECK(test::read_text(into + "/a/one.amxmi").find("http://app4mc.eclipse.org/amalthea/2.0.0") != std::string::npos);
    CHECK(fs::exists(into + "/two.amxmi"));
  }
  CHECK(batch({"--verb", "report", "--into", into}).exit_code == 0);
  const std::string alone = file(folder, "alone.html");
  CHECK(test::amalthea({"report", models + "/a/one.amxmi", "-o", alone}).exit_code == 0);
  CHECK(test::read_text(into + "/a/one.amxmi.html") == test::read_text(alone));
  const std::string lines = test::read_text(file(folder, "lines"));
  const auto line = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  CHECK(line["results"]["output"] == into + "/a/one.amxmi.html");
  CHECK(line["exit_code"] == 0);

  fs::remove_all(into);
  // A version that cannot hold the model is a failure of that model.
  const auto old = batch({"--verb", "convert", "--with", "--to 0.7.0", "--into", file(folder, "old")});
  CHECK(old.out.find("2 failed") != std::string::npos);
  for (const Words& wrong : {Words{"--verb", "convert", "--into", into}, Words{"--verb", "report"},
                             Words{"--verb", "simulate", "--into", into},
                             Words{"--verb", "convert", "--with", "--to 2.0.0", "--into", models},
                             Words{"--verb", "report", "--into", into, "--cache", file(folder, "cache")}})
    CHECK(batch(wrong).exit_code == 2);
}

}  // namespace work_parts_test
