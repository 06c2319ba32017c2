// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

using nlohmann::json;

TEST_CASE("explain: the longest job has no gaps and its parts match analyze") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  // With CPU traffic no job of lane detection ends.
  const std::string profile = test::data("tx2-without-cpu-traffic.json");
  const json analysis = json::parse(test::amalthea({"analyze", model, "--platform", profile, "--format", "json"}).out);
  for (const json& task : analysis["tasks"]) {
    const std::string name = task["name"];
    INFO(name);
    const auto result = test::amalthea({"explain", model, name, "--platform", profile, "--format", "json"});
    const bool bad = task["verdict"] == "missed" || task["verdict"] == "unbounded";
    CHECK(result.exit_code == (bad ? 1 : 0));
    const json explanation = json::parse(result.out);
    CHECK(explanation["schema"] == "amalthea-explanation/1");
    CHECK(explanation["task"] == (task.contains("folded_into") ? task["folded_into"] : task["name"]));
    const std::int64_t took =
        explanation["completion_ps"].get<std::int64_t>() - explanation["release_ps"].get<std::int64_t>();
    if (explanation["selected"] == "longest") {
      CHECK(explanation["contributions"] == task["contributions"]);
      CHECK(took == task["simulated"]["max_ps"]);
    } else {  // jobs of lane detection lag ever more behind
      CHECK(explanation["task"] == "Lane_detection");
      CHECK(took > task["deadline_ps"].get<std::int64_t>());
      CHECK(took < task["simulated"]["max_ps"].get<std::int64_t>());
    }
    json at = explanation["release_ps"];
    std::map<std::string, std::int64_t> sums;
    for (const json& part : explanation["story"]) {
      CHECK(part["from_ps"] == at);
      CHECK(part["to_ps"] > part["from_ps"]);
      at = part["to_ps"];
      sums[part["reason"]] += part["to_ps"].get<std::int64_t>() - part["from_ps"].get<std::int64_t>();
    }
    CHECK(at == explanation["completion_ps"]);
    for (const json& part : explanation["contributions"])
      if (part["kind"] == "preemption" || part["kind"] == "execution" || part["kind"] == "engine_slice")
        CHECK(sums[part["kind"]] >= part["ps"].get<std::int64_t>());
    for (const json& other : explanation["others"]) {
      CHECK(other["from_ps"] >= explanation["release_ps"]);
      CHECK(other["to_ps"] <= explanation["completion_ps"]);
      CHECK(other["task"] != explanation["task"]);
    }
  }
}

TEST_CASE("explain: a task without an ended job gets its bound and what would help") {
  // CPU traffic slows its kernels down so much that none of its jobs ends.
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "PRE_Lane_detection_gpu_POST"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("no job of Lane_detection ended"));
  CHECK_THAT(result.out, Catch::StartsWith("Lane_detection: no job of Lane_detection ended"));
  CHECK_THAT(result.out, Catch::Contains("Upper bound on the response time\nno bound: "));
  CHECK_THAT(result.out, Catch::Contains("What if\n"));
  CHECK_THAT(result.out, Catch::Contains("none (the model as it is)"));
}

TEST_CASE("explain: a job that has not started is not preempted and equal priorities are named") {
  const auto result = test::amalthea(
      {"explain", test::sample("tutorial/5-shared-gpu.amxmi"), "Localization", "--map", "Localization=Core0:2"});
  CHECK_THAT(result.out, Catch::Contains("not started, core used by Steering (same priority)"));
  const auto late = test::amalthea({"explain", test::sample("tutorial/2-missed-deadline.amxmi"), "Detection"});
  CHECK_THAT(late.out, Catch::Contains(" 0.000000  3.000000  not started, core used by Steering (higher priority)") &&
                           Catch::Contains("10.000000  3.000000  ready, preempted by Steering (higher priority)"));
}

TEST_CASE("explain: variants given together are refused because the task is ambiguous") {
  const auto result = test::amalthea({"explain", test::sample("tutorial/4-on-the-gpu.amxmi"),
                                      test::sample("tutorial/5-shared-gpu.amxmi"), "Detection"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("AM0216") && Catch::Contains("several tasks named \"Detection\""));
}

TEST_CASE("explain: SFM waits for the slices of Detection in text and drawing") {
  const test::TemporaryFolder folder;
  const std::string picture = folder.path() + "/story.svg";
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "PRE_SFM_gpu_POST", "--platform",
                                      test::data("tx2-without-cpu-traffic.json"), "--picture", picture});
  CHECK(result.exit_code == 1);
  for (const char* expected : {"PRE_SFM_gpu_POST: the longest of 400 simulated jobs has a response time of 111.838151 "
                               "ms, 78.838151 ms more than its deadline of 33 ms.",
                               "runs SFM_Preprocessing on Core1", "polls on Core1: the GPU serves Detection",
                               "GPU used by Detection", "Upper bound on the response time"})
    CHECK_THAT(result.out, Catch::Contains(expected));
  const std::string svg = test::read_text(picture);
  CHECK_THAT(svg, Catch::StartsWith("<svg ") && Catch::EndsWith("</svg>\n"));
  CHECK_THAT(svg, Catch::Contains(">deadline<") && Catch::Contains("GP10B"));
}

TEST_CASE("explain: steps that recur are one line with their count") {
  // A kernel alternates with the memory traffic of others, for less than a microsecond at a time.
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "Detection", "-q"});
  const auto begin = result.out.find("at ms"), end = result.out.find("\n\n", begin);
  REQUIRE(end != std::string::npos);
  const std::string timeline = result.out.substr(begin, end - begin);
  CHECK(timeline.find(" steps, slowed by others for ") != std::string::npos);
  CHECK(std::count(timeline.begin(), timeline.end(), '\n') < 30);
}

TEST_CASE("explain: wrong use is reported") {
  const std::string model = test::sample("offload-minimal.amxmi");
  const auto no_task = test::amalthea({"explain", model});
  CHECK(no_task.exit_code == 2);
  CHECK_THAT(no_task.err, Catch::Contains("amalthea explain MODEL TASK"));
  const auto unknown = test::amalthea({"explain", model, "nobody"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Catch::Contains("the model has no task \"nobody\"; available: "));
}

TEST_CASE("explain: finds that lane detection needs SFM to suspend and shorter slices") {
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "PRE_Lane_detection_gpu_POST",
                                      "--platform", test::data("tx2-without-cpu-traffic.json"), "--format", "json"});
  const json explanation = json::parse(result.out);
  REQUIRE(explanation["what_if"].size() >= 3);
  const json& suspends = explanation["what_if"][0];
  CHECK(suspends["kind"] == "waiting");
  CHECK(suspends["change"] == "if PRE_SFM_gpu_POST suspends instead of polling");
  CHECK(suspends["verdict"] == "missed");  // busy waiting: unbounded; without it late, but with an end
  CHECK(suspends["max_ps"].get<std::int64_t>() < 100'000'000'000);
  const json& sliced = explanation["what_if"][1];
  CHECK(sliced["change"] == "with GPU time slices of 1 ms");
  CHECK(sliced["verdict"] == "unbounded");
  const json& both = explanation["what_if"][2];
  CHECK(both["kind"] == "waiting and slices");
  CHECK(both["verdict"] == "met");
  CHECK(both["guaranteed"] == true);
  CHECK(both["values"] == suspends["values"].get<int>() + sliced["values"].get<int>());
  CHECK(both["wcrt_ps"].get<std::int64_t>() <= 66'000'000'000);
  CHECK(both["max_ps"] <= both["wcrt_ps"]);
}

TEST_CASE("explain: suspension is not tried if no task polls") {
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "EKF", "--format", "json"});
  const json tried = json::parse(result.out)["what_if"];
  REQUIRE(tried.size() == 1);
  CHECK(tried[0]["change"] == "with GPU time slices of 1 ms");
}

TEST_CASE("explain: a task on a CPU alone gets the changes of the CPU and the smallest that works") {
  const std::string model = test::sample("tutorial/2-missed-deadline.amxmi");
  const auto text = test::amalthea({"explain", model, "Detection"});
  CHECK(text.exit_code == 1);
  for (const char* expected :
       {"with priority 3 instead of 1; worse for Steering\n", "No other core can run Detection.\n",
        "No order of the priorities on Core0 guarantees all of its deadlines (Audsley).\n",
        "Smallest change that works: with 25 % fewer ticks (guaranteed).\n"})
    CHECK_THAT(text.out, Catch::Contains(expected));
  const json explanation = json::parse(test::amalthea({"explain", model, "Detection", "--format", "json"}).out);
  CHECK(explanation["in_vain"].size() == 2);
  const json& tried = explanation["what_if"];
  REQUIRE(tried.size() == 3);
  CHECK(tried[0]["kind"] == "priority");
  CHECK(tried[0]["verdict"] == "met");
  CHECK(tried[0]["worse"] == json({"Steering"}));
  CHECK(tried[0]["works"] == false);
  CHECK(tried[0]["ticks_less_percent"].is_null());
  CHECK(tried[1]["kind"] == "offset");
  CHECK(tried[1]["works"] == false);
  CHECK(tried[2]["kind"] == "ticks");
  CHECK(tried[2]["ticks_less_percent"] == 25);
  CHECK(tried[2]["works"] == true);
  CHECK(explanation["smallest_change"] == 2);
}

TEST_CASE("explain: a changed model keeps what explain promises for its smallest change") {
  const std::string model = test::sample("tutorial/5-shared-gpu.amxmi");
  const json explanation = json::parse(test::amalthea({"explain", model, "Detection", "--format", "json"}).out);
  const json& smallest = explanation["what_if"][explanation["smallest_change"].get<std::size_t>()];
  CHECK(smallest["change"] == "with GPU time slices of 1 ms");
  const test::TemporaryFolder folder;
  const std::string mapping = folder.path() + "/mapping.json";
  test::write_text(mapping, R"({"Detection_on_GPU": {"slice": "1 ms"}, "Localization_on_GPU": {"slice": "1 ms"}})");
  const json results = json::parse(test::amalthea({"analyze", model, "--mapping", mapping, "--format", "json"}).out);
  for (const json& task : results["tasks"]) {
    if (task["name"] != "Detection") continue;
    CHECK(task["verdict"] == smallest["verdict"]);
    CHECK(task["bound"]["wcrt_ps"] == smallest["wcrt_ps"]);
    CHECK(task["simulated"]["max_ps"] == smallest["max_ps"]);
  }
}

TEST_CASE("explain: a runnable stands for its task and a kernel names its wrapper") {
  const std::string model = test::sample("waters2019-tx2.amxmi");
  const auto text = test::amalthea({"explain", model, "SFM"});
  CHECK_THAT(text.out, Catch::Contains("PRE_SFM_gpu_POST triggers SFM on GP10B and waits for it; `amalthea explain "
                                       "MODEL PRE_SFM_gpu_POST` explains PRE_SFM_gpu_POST.\n"));
  const json kernel = json::parse(test::amalthea({"explain", model, "SFM", "--format", "json"}).out);
  CHECK(kernel["wrapper"] == "PRE_SFM_gpu_POST");
  CHECK(kernel["runnable"].is_null());
  const json runnable = json::parse(test::amalthea({"explain", model, "SFM_Preprocessing", "--format", "json"}).out);
  CHECK(runnable["task"] == "PRE_SFM_gpu_POST");
  CHECK(runnable["runnable"] == "SFM_Preprocessing");
  CHECK(runnable["wrapper"].is_null());
}

TEST_CASE("explain: the challenge is answered within seconds") {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "Planner", "--format", "json"});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));  // usually below one
  const json explanation = json::parse(result.out);
  const json& smallest = explanation["what_if"][explanation["smallest_change"].get<std::size_t>()];
  CHECK(smallest["ticks_less_percent"] == 5);
  CHECK(smallest["guaranteed"] == true);
}

TEST_CASE("explain: swapped arguments are recognized") {
  const std::string model = test::sample("offload-minimal.amxmi");
  const auto swapped = test::amalthea({"explain", "Control", model});
  CHECK(swapped.exit_code == 2);
  CHECK(swapped.err == "amalthea: error: \"" + model +
                           "\" is a file, but the last argument is the name of a task; use amalthea explain " + model +
                           " Control\n");
  const auto missing = test::amalthea({"explain", model});
  CHECK(missing.exit_code == 2);
  CHECK(missing.err == "amalthea: error: the name of the task is missing; use amalthea explain MODEL TASK\n");
  CHECK(test::amalthea({"explain", "--help"}).out.find("Usage: amalthea explain [OPTIONS] MODEL... TASK\n") !=
        std::string::npos);
}

TEST_CASE("explain: what the verdict rests on is said as analyze says it") {
  const std::string model = test::sample("two-gpus.amxmi");
  const json analysis = json::parse(test::amalthea({"analyze", model, "--format", "json"}).out);
  REQUIRE(analysis["assumptions"].size() == 2);
  std::string lines;
  for (const json& assumption : analysis["assumptions"])
    lines += "Assumed: " + assumption["text"].get<std::string>() + "\n";
  const std::string text = test::amalthea({"explain", model, "Camera"}).out;
  CHECK(text.find(" below the deadline\n" + lines + "Job ") != std::string::npos);
  CHECK(json::parse(test::amalthea({"explain", model, "Camera", "--format", "json"}).out)["assumptions"] ==
        analysis["assumptions"]);
}

TEST_CASE("explain: a core on which the analysis would leave an access open is no change that works") {
  const test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  std::string text = test::read_text(test::sample("two-gpus.amxmi"));
  text = test::replaced(text, R"(
        <accessElements name="Core1_to_DRAM" destination="DRAM?type=Memory">
          <dataRate value="10" unit="GBPerSecond"/>
        </accessElements>)",
                        "");
  text = test::replaced(text, R"(task="Lidar?type=Task" scheduler="Core1_Scheduler)",
                        R"(task="Lidar?type=Task" scheduler="Core0_Scheduler)");
  text = test::replaced(text, R"(<limitValue value="33" unit="ms"/>)", R"(<limitValue value="18" unit="ms"/>)");
  test::write_text(model, text);
  CHECK(test::amalthea({"analyze", model, "--map", "Camera=Core1"}).exit_code == 4);
  const auto explained = test::amalthea({"explain", model, "Camera"});
  CHECK(explained.exit_code == 0);
  CHECK(explained.out.find("\nNo other core can run Camera.\n") != std::string::npos);
  const std::string written = folder.path() + "/written.amxmi";
  for (const std::vector<std::string>& how : {std::vector<std::string>{"--plan"}, {"--candidates", "100"}}) {
    std::vector<std::string> arguments = {"explore", model, "-q", "-o", written};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const auto explored = test::amalthea(arguments);
    CHECK(explored.out.find("Core1") == std::string::npos);
    const std::string first = explored.out.substr(0, explored.out.find('\n'));
    CHECK(test::amalthea({"analyze", written, "-q"}).out.starts_with(first));
  }
}

TEST_CASE("explain: a chain or a limit of it or a requirement or a constraint leads to the task that matters most") {
  const std::string chains = test::sample("chains.amxmi");
  const auto limit = test::amalthea({"explain", chains, "Fresh_enough"});
  CHECK(limit.exit_code == 1);  // of the limit, while the task meets its deadline
  CHECK(limit.out.find("latency constraint Fresh_enough of chain Speed_to_Control: missed: ") != std::string::npos);
  CHECK(limit.out.find("\nmost of it is that of Plan\n") != std::string::npos);
  CHECK(limit.out.find("\nPlan: the longest of ") != std::string::npos);
  CHECK(test::amalthea({"explain", chains, "Speed_to_Control"}).out == limit.out);
  CHECK(json::parse(test::amalthea({"explain", chains, "Fresh_enough", "--format", "json"}).out)["about"].size() == 6);
  const auto requirement =
      test::amalthea({"explain", test::sample("tutorial/2-missed-deadline.amxmi"), "Deadline_Detection"});
  CHECK(requirement.exit_code == 1);
  CHECK(requirement.out.find("requirement Deadline_Detection: missed: ") == 0);
  CHECK(requirement.out.find("\nDetection: the only simulated job has ") != std::string::npos);
  const auto constraint = test::amalthea({"explain", test::sample("constraints.amxmi"), "SpeedAndAngle"});
  CHECK(constraint.exit_code == 1);
  CHECK(constraint.out.find("\nControl: the longest of ") != std::string::npos);
}

TEST_CASE(
    "explain: of a task that lags ever more behind the first late job is explained and steps that recur are one") {
  const auto text = test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "PRE_SFM_gpu_POST"}).out;
  CHECK(text.find("the first late one of 400 simulated jobs has a response time of 98.657233 ms") != std::string::npos);
  CHECK(text.find("own earlier jobs") == std::string::npos);
  CHECK(text.find("polls on Core1: kernel running (15 steps, slowed by others for ") != std::string::npos);
  const json data = json::parse(
      test::amalthea({"explain", test::sample("waters2019-tx2.amxmi"), "PRE_SFM_gpu_POST", "--format", "json"}).out);
  CHECK(data["selected"] == "first late");
  std::int64_t sum = 0;
  for (const json& part : data["contributions"]) sum += part["ps"].get<std::int64_t>();
  CHECK(sum == data["completion_ps"].get<std::int64_t>() - data["release_ps"].get<std::int64_t>());
}
