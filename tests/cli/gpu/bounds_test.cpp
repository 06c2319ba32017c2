// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_bounds_test {

namespace {

using nlohmann::json;

/// SFM polls or suspends on the core of lane detection; detection holds the GPU for slices of 5 or 50 ms (WATERS 2019).
std::string waters(const std::string& wait, const std::string& slice) {
  return R"({"context_switch": "50us", "cores": 2, "tasks": [
  {"name": "SFM", "core": 0, "priority": 6, "period": "33ms", "wait": ")" +
         wait + R"(", "timeslice": "7200us", "segments": [
    {"cpu": "3180us", "best": "2580us"},
    {"gpu": [{"kernel": "7900us", "best": "7050us"}]},
    {"cpu_ps": 3530000000}]},
  {"name": "Lane", "core": 0, "priority": 2, "period": "66ms", "deadline": "66ms", "segments": [{"cpu": "42240us"}]},
  {"name": "Detection", "core": 1, "priority": 4, "period": "200ms", "wait": "suspend", "timeslice": ")" +
         slice + R"(", "gpu_priority": "medium", "segments": [
    {"cpu": "3690us"}, {"gpu": [{"copy": "300us", "kind": "h2d"}, {"kernel": "116ms", "block": "1ms"}]}]}]})";
}

test::CommandResult bounds(const std::string& text, bool as_json = true) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/tasks.json";
  test::write_text(file, text);
  std::vector<std::string> arguments{"gpu", "bounds", file};
  if (as_json) arguments.insert(arguments.end(), {"--format", "json"});
  auto result = test::amalthea(arguments);
  if (const auto at = result.err.find(file); at != std::string::npos) result.err.erase(0, at + file.size());
  return result;
}

/// "line:column: message" with which a text is refused.
std::string complaint(const std::string& text) {
  const auto result = bounds(text);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err.empty() ? result.err : result.err.substr(1, result.err.find('\n') - 1);
}

/// One task with these segments.
std::string with_segments(const std::string& segments) {
  return R"({"tasks": [{"name": "a", "core": 0, "priority": 1, "period": "1ms", "wait": "busy", "segments": )" +
         segments + "}]}";
}

}  // namespace

TEST_CASE("gpu bounds prints the bound of every task and its parts") {
  const auto result = bounds(waters("suspend", "5ms"));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const json all = json::parse(result.out);
  CHECK(all["in_time"] == true);
  const json& sfm = all["tasks"][0];
  CHECK(sfm["core"] == "0");
  CHECK(sfm["best_ps"] == 2580000000 + 7050000000 + 3530000000);
  // 2 turns, before each 5 ms of Detection, and 4 switches of 50 us.
  CHECK(sfm["response_ps"] == 3180000000 + 7900000000 + 3530000000 + 2 * 5000000000 + 4 * 50000000);
  CHECK(sfm["gpu_segments_ps"] == json{7900000000 + 2 * 5000000000 + 4 * 50000000});
  CHECK(sfm["parts"] == json{{{"part", "execution"}, {"by", nullptr}, {"time_ps", 6710000000}},
                             {{"part", "gpu"}, {"by", nullptr}, {"time_ps", 7900000000}},
                             {{"part", "own_switches"}, {"by", nullptr}, {"time_ps", 100000000}},
                             {{"part", "slices"}, {"by", "Detection"}, {"time_ps", 10000000000}},
                             {{"part", "switches"}, {"by", "Detection"}, {"time_ps", 100000000}}});
  CHECK(all["tasks"][1]["wait"] == nullptr);
  // The last segment of a job of SFM and two jobs more fit into the window.
  CHECK(all["tasks"][1]["response_ps"] == 42240000000 + 3530000000 + 2 * 6710000000);
  CHECK(all["demand"]["execution_engine"].get<double>() == Approx(7.9 / 33 + 116.0 / 200));
  CHECK(all["demand"]["cores"][1]["demand"].get<double>() == Approx(3.69 / 200));
}

TEST_CASE("gpu bounds serves the context of the most urgent task if contexts are scheduled by priority") {
  const auto bound = [](const std::string& order) {
    const std::string text = R"({"context_scheduling": ")" + order + R"(", "context_switch": "100us", "tasks": [
      {"name": "high", "core": 0, "priority": 2, "period": "50ms", "wait": "suspend", "timeslice": "2ms",
       "segments": [{"gpu": [{"kernel": "6ms"}]}]},
      {"name": "low", "core": 1, "priority": 1, "period": "90ms", "wait": "suspend", "timeslice": "2ms",
       "segments": [{"gpu": [{"kernel": "6ms"}]}]}]})";
    const auto result = bounds(text);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    std::vector<std::int64_t> microseconds;
    const json printed = json::parse(result.out);
    for (const json& task : printed["tasks"])
      microseconds.push_back(task["response_ps"].get<std::int64_t>() / 1'000'000);
    return microseconds;
  };
  // By priority, high waits for a switch that has begun and for its own. In turn, it waits for three slices of low.
  CHECK(bound("priority") == std::vector<std::int64_t>{6200, 12700});
  CHECK(bound("timeslice") == std::vector<std::int64_t>{12600, 12600});
  CHECK(complaint(R"({"context_scheduling": "edf", "tasks": []})").find("expected \"timeslice\" or \"priority\"") !=
        std::string::npos);
}

TEST_CASE("gpu bounds exits with 1 and a reason if a deadline is not guaranteed") {
  const auto polling = bounds(waters("busy", "5ms"));
  CHECK(polling.exit_code == 1);
  const json lane = json::parse(polling.out)["tasks"][1];
  CHECK(lane["response_ps"] == nullptr);
  CHECK(lane["in_time"] == false);
  CHECK(lane["reason"] == "core 0 is overloaded by tasks of the same or a higher priority: utilization 108.27 %");

  const auto text = bounds(waters("suspend", "50ms"), false);
  CHECK(text.exit_code == 1);
  CHECK(text.out.find("not guaranteed  the GPU may serve other contexts for 100.1 ms, most of it Detection (100.1 ms), "
                      "but the task has a period of 33 ms\n") != std::string::npos);
  CHECK(text.out.find("GPU segment 1: at most 108.1 ms from its start to its end\n") != std::string::npos);
}

TEST_CASE("gpu bounds reports the location of an error in a file") {
  CHECK(complaint("{\n \"tasks\": 3}") == "2:11: tasks: expected an array");
  CHECK(complaint("{}") == "1:1: \"tasks\" is missing");
  CHECK(complaint("[]") == "1:1: expected the problem, an object");
  CHECK(complaint("{\"task\": []}") ==
        "1:10: task: unknown key; the problem has context_switch, description, "
        "preemption, context_scheduling, interference, cores, tasks");
  CHECK(complaint(R"({"preemption": "warp"})") ==
        R"(1:21: preemption: expected one of "instruction", "block", "kernel")");
  CHECK(complaint(R"({"interference": {"kernel_by_memset": 0.5}})") ==
        "1:41: interference.kernel_by_memset: expected a number from 1 to 1000");
  CHECK(complaint(R"({"context_switch": "5us", "context_switch_ps": 7})") ==
        "1:1: give either \"context_switch\" or \"context_switch_ps\", not both");
  CHECK(complaint(R"({"context_switch": "1.5us"})") ==
        "1:26: context_switch: expected a whole time; write \"1500ns\"");
  CHECK(complaint(R"({"context_switch": "0.50 ms"})") ==
        "1:28: context_switch: expected a whole time; write \"500us\"");
  CHECK(complaint(R"({"context_switch": "0.5ps"})") ==
        "1:26: context_switch: expected a whole time such as \"5ms\" or \"2500us\"");
  CHECK(complaint(R"({"tasks": [{"name": "a", "core": 0, "priority": 1, "segments": []}]})") ==
        "1:12: tasks[0]: \"period\" is missing");
  CHECK(complaint(R"({"tasks": [{"name": "a", "core": 0, "priority": 1, "period_ps": 0, "segments": []}]})") ==
        "1:65: tasks[0].period_ps: expected a time above zero");
  CHECK(complaint(
            R"({"cores": 1, "tasks": [{"name": "a", "core": 1, "priority": 1, "period": "1s", "segments": []}]})") ==
        "1:46: tasks[0].core: expected a core number below 1");
  CHECK(complaint(R"({"tasks": [{"name": "a", "core": 0, "priority": 1, "period": "1ms",
 "segments": [{"gpu": [{"kernel": "1ms"}]}]}]})") ==
        R"(1:12: tasks[0]: "wait" is missing: does the task wait "busy" or "suspend"?)");
  CHECK(complaint(with_segments("[{}]")) ==
        "1:98: tasks[0].segments[0]: expected either \"cpu\" with a time or \"gpu\" with an array of copies and "
        "kernels");
  CHECK(complaint(with_segments(R"([{"gpu": []}])")) ==
        "1:106: tasks[0].segments[0].gpu: expected an array of copies and kernels that is not empty");
  CHECK(complaint(with_segments(R"([{"cpu": "1ms", "best": "2ms"}])")) ==
        "1:125: tasks[0].segments[0].best: is longer than the worst");
  CHECK(complaint(with_segments(R"([{"gpu": [{"kernel": "1ms", "block": "2ms"}]}])")) ==
        "1:138: tasks[0].segments[0].gpu[0].block: is longer than its kernel");
  CHECK(complaint(with_segments(R"([{"gpu": [{"copy": "1ms", "kind": "d2d"}]}])")) ==
        R"(1:135: tasks[0].segments[0].gpu[0].kind: expected one of "h2d", "d2h", "memset")");
  CHECK(complaint(with_segments(R"([{"gpu": [{"copy": "1000s"}]}])")) ==
        "1:122: tasks[0].segments[0].gpu[0].copy: expected a time below 1000 s");
  CHECK(complaint(with_segments(R"([{"cpu": "600s"}, {"cpu": "600s"}])")) ==
        "1:115: tasks[0].segments[1]: the segments of a task must be shorter than 1000 s together");
}

}  // namespace gpu_bounds_test
