// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace memory_options_test {

using nlohmann::json;

namespace {

const std::string waters = test::sample("waters2019-tx2.amxmi");

test::CommandResult analyze(std::vector<std::string> options) {
  std::vector<std::string> arguments = {"analyze", waters, "--format", "json", "--until", "400ms"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return test::amalthea(arguments);
}

/// Shortest and longest response of a task, in picoseconds.
std::pair<std::int64_t, std::int64_t> responses(const test::CommandResult& result, const std::string& task) {
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  const json results = json::parse(result.out);
  for (const json& entry : results["tasks"])
    if (entry["name"] == task)
      return {entry["simulated"]["min_ps"].get<std::int64_t>(), entry["simulated"]["max_ps"].get<std::int64_t>()};
  FAIL("there is no " << task);
  return {};
}

using Times = std::pair<std::int64_t, std::int64_t>;

}  // namespace

TEST_CASE("analyze --memory waters2019: yields published response times with CANbus_polling preempting EKF") {
  // With the wrapper of Detection on Core3 there are tasks on all six cores.
  const std::vector<std::string> published = {"--memory",    "waters2019",
                                              "--line-rule", "published",
                                              "--map",       "Localization=GP10B",
                                              "--map",       "PRE_Localization_gpu_POST=Core0",
                                              "--map",       "PRE_Detection_gpu_POST=Core3"};
  auto best = published;
  best.insert(best.end(), {"--execution", "best"});
  const auto worst_run = analyze(published), best_run = analyze(best);
  CHECK(responses(best_run, "DASM") == Times(1'301'275'000, 1'301'275'000));
  CHECK(responses(worst_run, "DASM") == Times(1'874'075'000, 1'874'075'000));
  CHECK(responses(best_run, "CANbus_polling").first == 400'000'000);
  CHECK(responses(worst_run, "CANbus_polling").second == 603'200'000);
  CHECK(responses(best_run, "EKF").first == 3'982'550'000);
  CHECK(responses(worst_run, "EKF").second == 5'394'550'000);
  CHECK(worst_run.err.find("memory model \"waters2019\": 20 ns to 220 ns a cache line on A57: 5 other cores with 20 ns "
                           "each and 100 ns for the GPU") != std::string::npos);
}

TEST_CASE("analyze --memory: uses the model by default and its lower bounds for none and a table from a file") {
  const auto by_default = analyze({});
  CHECK(by_default.out == analyze({"--memory", "model", "--line-rule", "exact"}).out);
  // The sample's latencies are constants: without contention they are the same, and so is all but the model's name.
  const std::string renamed = test::replaced(by_default.out, "\"memory\": \"model\"", "\"memory\": \"none\"");
  CHECK(test::replaced(renamed, "\"replaced\": [\n",
                       "\"replaced\": [\n    \"memory access times, by those of \\\"none\\\"\",\n") ==
        analyze({"--memory", "none"}).out);
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/memory.json";
  test::write_text(path, R"({"units": {"A57": {"base_ns": 100}, "Denver": {"base_ns": 1}}})");
  // DASM: four accesses of 16 lines.
  CHECK(responses(analyze({"--memory", path}), "DASM") == Times(1'866'395'000, 1'866'395'000));
}

TEST_CASE("analyze --memory: an invalid memory model is rejected with its location") {
  const auto unknown = analyze({"--memory", "waters"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err ==
        "amalthea: error: --memory waters: neither a built-in memory model (none, model, waters2019) nor a readable "
        "file; did you mean \"waters2019\"?\n");
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/memory.json";
  test::write_text(path, "{\"units\": {\"A57\":\n  {\"base\": 100}}}");
  const auto wrong = analyze({"--memory", path});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err == "amalthea: error: " + path +
                         ":2:14: units.A57.base: unknown key; expected base_ns, per_core_ns, gpu_ns, max_interfering, "
                         "hit_rate, hit_ns\n");
  CHECK(analyze({"--memory", folder.path()}).exit_code == 2);
  CHECK(analyze({"--line-rule", "other"}).exit_code == 2);
}

TEST_CASE("analyze --map and --mapping: tasks move and the command line takes precedence over the file") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/mapping.json";
  test::write_text(path, R"({"DASM": {"core": "Core0", "priority": 20}, "EKF": {"core": "Core3"}})");
  const auto moved = analyze({"--mapping", path, "--map", "EKF=Core2:9"});
  // On a Denver: 2 599 996 ticks at 2 GHz, 64 lines of 8 ns.
  CHECK(responses(moved, "DASM") == Times(1'299'998'000 + 64 * 8'000, 1'299'998'000 + 64 * 8'000));
  // More urgent than CANbus_polling on its core it is never preempted: both ends are the same.
  const auto ekf = responses(moved, "EKF");
  CHECK(ekf.first == ekf.second);
  CHECK(moved.err.find("task \"EKF\" runs with priority 9 instead of 1, as requested") != std::string::npos);
}

TEST_CASE("analyze --map and --mapping: impossible changes are rejected") {
  CHECK(analyze({"--map", "EKF"}).err == "amalthea: error: --map EKF: expected TASK=CORE or TASK=CORE:PRIORITY\n");
  CHECK(analyze({"--map", "EKF=Core1", "--map", "EKF=Core2"}).err ==
        "amalthea: error: --map EKF=Core2: task \"EKF\" is mapped twice; use --map once per task\n");
  const auto unknown = analyze({"--map", "EKF=Core7"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err.find("the model has no processing unit \"Core7\"; did you mean \"Core0\"") != std::string::npos);
  // Without ticks for the GPU that is a matter of the model.
  const auto no_ticks = analyze({"--map", "EKF=GP10B"});
  CHECK(no_ticks.exit_code == 1);
  CHECK(no_ticks.err.find("[AM0314]") != std::string::npos);
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/mapping.json";
  const auto refused = [&](const std::string& text) {
    test::write_text(path, text);
    const auto result = analyze({"--mapping", path});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const std::string start = "amalthea: error: " + path + ":";
  CHECK(refused("[]") == start + "1:1: expected an object whose keys are task names\n");
  CHECK(refused("{\"EKF\":\n \"Core1\"}") ==
        start + "2:8: EKF: expected an object such as {\"core\": \"Core2\", \"priority\": 3}\n");
  CHECK(refused(R"({"EKF": {}})") == start + "1:9: EKF: \"core\" is missing\n");
  CHECK(refused(R"({"EKF": {"core": "Core1", "prio": 1}})") ==
        start + "1:35: EKF.prio: unknown key; expected core, priority, waiting or slice; did you mean \"priority\"?\n");
  CHECK(refused(R"({"EFK": {"core": "Core1"}})").find(path + ":1:9: error: mapping of \"EFK\"") != std::string::npos);
  CHECK(analyze({"--mapping", folder.path() + "/missing.json"}).exit_code == 2);
}

}  // namespace memory_options_test
