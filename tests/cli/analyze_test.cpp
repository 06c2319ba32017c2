// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace analyze_test {

using nlohmann::json;

namespace {

std::vector<std::string> without_cpu_traffic() { return {"--platform", test::data("tx2-without-cpu-traffic.json")}; }

json analyzed(const std::string& model, std::vector<std::string> options = {}) {
  std::vector<std::string> arguments = {"analyze", model, "--format", "json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const auto result = test::amalthea(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code <= 1);
  return json::parse(result.out);
}

json named(const json& array, const std::string& name) {
  for (const json& entry : array)
    if (entry["name"] == name) return entry;
  FAIL("there is no " << name);
  return {};
}

json resource(const json& results, const std::string& name, const std::string& kind) {
  for (const json& entry : results["resources"])
    if (entry["name"] == name && entry["kind"] == kind) return entry;
  FAIL("there is no " << kind << " " << name);
  return {};
}

}  // namespace

TEST_CASE("analyze: the WATERS sample yields the values of a manual calculation") {
  const json results = analyzed(test::sample("waters2019-tx2.amxmi"));
  CHECK(results["schema"] == "amalthea-timing/1");
  CHECK(results["model"]["version"] == "3.3.0");
  CHECK(results["platform"]["gpu"]["profile"] == "tx2");
  CHECK(results["simulation"]["hyperperiod_ps"] == 13'200'000'000'000);
  CHECK(results["simulation"]["horizon_ps"] == 13'200'000'000'000);

  // DASM: 3 719 990 ticks at 2 GHz and four accesses of 1 kB, 16 lines of 64 B each, at 40 cycles a line; no task on
  // its core is more urgent.
  const json dasm = named(results["tasks"], "DASM");
  CHECK(dasm["simulated"]["jobs"] == 2640);
  CHECK(dasm["simulated"]["max_ps"] == 1'859'995'000 + 4 * 16 * 20'000);
  CHECK(dasm["verdict"] == "met");

  // Planner: 24 873 529 ticks at 2 GHz on a Denver; reads of 256 B, 500, 1, 24, 750 and five of 1 kB, two writes of 1
  // kB, at 16 cycles a line: more than its 12 ms without any disturbance.
  const std::int64_t lines = 4 + 7813 + 16 + 375 + 11719 + 5 * 16 + 2 * 16;
  const json planner = named(results["tasks"], "Planner");
  CHECK(planner["simulated"]["max_ps"] == 12'436'764'500 + lines * 8'000);
  CHECK(planner["verdict"] == "missed");
  CHECK(planner["simulated"]["missed_deadlines"] == 880);

  // EKF meets CANbus_polling on its core: preempted once in every second job.
  const json ekf = named(results["tasks"], "EKF");
  const std::int64_t can = 599'680'000 + 16 * 20'000;
  CHECK(ekf["simulated"]["max_ps"].get<std::int64_t>() - ekf["simulated"]["min_ps"].get<std::int64_t>() == can);
  CHECK(named(results["tasks"], "CANbus_polling")["simulated"]["max_ps"] == can);

  // Copies at the GPU: 5 cycles at 1.5 GHz a line, read and written.
  const json h2d = named(results["operations"], "Detection.h2d");
  CHECK(h2d["kind"] == "h2d");
  CHECK(h2d["bytes"] == 2'000'000);
  CHECK(h2d["simulated"]["min_ps"] == 2 * 104'166'667);

  CHECK(resource(results, "GP10B", "execution engine")["demand"].get<double>() == Approx(0.8194).margin(0.0001));
  CHECK(resource(results, "Core1", "core")["verdict"] == "overloaded");
  CHECK(results["chains"].size() == 6);
}

TEST_CASE("analyze: SFM waits for the slices of Detection and its polling starves lane detection") {
  const json results = analyzed(test::sample("waters2019-tx2.amxmi"));
  const json sfm = named(results["tasks"], "PRE_SFM_gpu_POST");
  CHECK(sfm["verdict"] == "missed");
  std::int64_t total = 0, slices = 0;
  for (const json& part : sfm["contributions"]) {
    total += part["ps"].get<std::int64_t>();
    if (part["kind"] == "engine_slice" && part["by"] == "Detection") slices = part["ps"].get<std::int64_t>();
  }
  CHECK(total == sfm["simulated"]["max_ps"]);
  CHECK(slices > 50'000'000'000);

  CHECK(named(results["tasks"], "Lane_detection")["verdict"] == "unbounded");
  CHECK(resource(results, "Core1", "core")["demand"].get<double>() == Approx(1.1157).margin(0.0001));

  // Suspending takes the polling off the core; with shorter slices for Detection both are in time.
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/repaired.amxmi";
  std::string text =
      test::replaced(test::read_text(test::sample("waters2019-tx2.amxmi")),
                     "waitingBehaviour=\"active\">\n            <eventMask events=\"SFM?type=OsEvent\"/>",
                     "waitingBehaviour=\"passive\">\n            <eventMask events=\"SFM?type=OsEvent\"/>");
  test::write_text(path, text);
  const json suspending = analyzed(path, without_cpu_traffic());
  CHECK(resource(suspending, "Core1", "core")["verdict"] == "ok");
  CHECK(named(suspending["tasks"], "Lane_detection")["verdict"] == "missed");
  CHECK(named(suspending["tasks"], "Lane_detection")["guaranteed"] == false);
  const std::size_t allocation = text.find("<taskAllocation task=\"Detection?type=Task\"");
  REQUIRE(allocation != std::string::npos);
  test::write_text(
      path, text.substr(0, allocation) + test::replaced(text.substr(allocation), "value=\"50000\"", "value=\"5000\""));
  const json repaired = analyzed(path, without_cpu_traffic());
  for (const char* task :
       {"PRE_SFM_gpu_POST", "Lane_detection", "PRE_Lane_detection_gpu_POST", "PRE_Detection_gpu_POST"}) {
    INFO(task);
    CHECK(named(repaired["tasks"], task)["verdict"] == "met");
  }
  // That they always are is proven for all but Detection, whose bound is above its period.
  for (const char* task : {"PRE_SFM_gpu_POST", "Lane_detection"}) {
    const json found = named(repaired["tasks"], task);
    INFO(task);
    CHECK(found["guaranteed"] == true);
    CHECK(found["bound"]["wcrt_ps"] >= found["simulated"]["max_ps"]);
    std::int64_t parts = 0;
    for (const json& part : found["bound"]["contributions"]) parts += part["ps"].get<std::int64_t>();
    CHECK(parts == found["bound"]["wcrt_ps"]);
  }
  CHECK(named(repaired["tasks"], "PRE_Detection_gpu_POST")["guaranteed"].is_null());
}

TEST_CASE("analyze: polling overloads the core of lane detection in the WATERS sample and GPU tasks have bounds") {
  const json results = analyzed(test::sample("waters2019-tx2.amxmi"), without_cpu_traffic());
  const json lane = named(results["tasks"], "Lane_detection");
  CHECK(lane["bound"]["wcrt_ps"].is_null());
  CHECK_THAT(lane["bound"]["reason"].get<std::string>(),
             Catch::Contains("core Core1 is overloaded") && Catch::Contains("111.57 %"));
  CHECK(lane["guaranteed"] == false);
  for (const json& task : results["tasks"]) {
    INFO(task["name"]);
    if (!task["bound"]["wcrt_ps"].is_null()) CHECK(task["bound"]["wcrt_ps"] >= task["simulated"]["max_ps"]);
    CHECK(task["bound"]["bcrt_ps"] <= task["simulated"]["min_ps"]);
  }
  // SFM may find Detection at the engine in each of its two turns; Detection finds a few jobs of SFM.
  CHECK(named(results["tasks"], "SFM")["bound"]["wcrt_ps"].get<double>() == Approx(109.919e9).epsilon(0.001));
  CHECK(named(results["tasks"], "Detection")["bound"]["wcrt_ps"].get<double>() == Approx(142.662e9).epsilon(0.001));
  CHECK(named(results["tasks"], "PRE_Detection_gpu_POST")["guaranteed"] == true);
  for (const json& operation : results["operations"])
    CHECK(operation["bound"]["wcrt_ps"] >= operation["simulated"]["max_ps"]);
}

TEST_CASE("analyze: SARIF has what the workflow commands have") {
  for (const char* name : {"tutorial/5-shared-gpu.amxmi", "offload-minimal.amxmi", "broken.amxmi"}) {
    const std::string model = test::sample(name);
    const auto sarif = test::amalthea({"analyze", model, "-q", "--format", "sarif"});
    const auto github = test::amalthea({"analyze", model, "-q", "--format", "github"});
    INFO(name);
    CHECK(sarif.exit_code == github.exit_code);
    std::string titles;
    const json log = json::parse(sarif.out);
    for (const json& result : log["runs"][0]["results"]) {
      CHECK(result["locations"][0].contains("physicalLocation"));
      if (result["level"] != "note") titles += result["ruleId"].get<std::string>() + " ";
    }
    std::string expected, line;
    for (std::istringstream lines(github.out); std::getline(lines, line);)
      if (!line.starts_with("::notice")) expected += line.substr(line.find("title=") + 6, 6) + " ";
    CHECK(titles == expected);
  }
}

TEST_CASE("analyze: output is deterministic and the minimal sample is met") {
  const auto first = test::amalthea({"analyze", test::sample("waters2019-tx2.amxmi"), "--format", "json"});
  const auto second = test::amalthea({"analyze", test::sample("waters2019-tx2.amxmi"), "--format", "json"});
  CHECK(first.out == second.out);
  CHECK(first.exit_code == 1);
  CHECK(test::amalthea({"analyze", test::sample("offload-minimal.amxmi")}).exit_code == 0);
}

TEST_CASE("analyze: the text for the minimal sample matches the approved text") {
  // The second line names the file and its hash; the rest is the approved text.
  const auto result = test::amalthea({"analyze", test::sample("offload-minimal.amxmi")});
  const std::size_t second = result.out.find('\n') + 1, third = result.out.find('\n', second) + 1;
  CHECK(result.out.substr(0, second) + result.out.substr(third) ==
        test::read_text(test::data("offload-minimal.analyze.txt")));
}

TEST_CASE("analyze: the JSON for the minimal sample matches the approved JSON") {
  json results = analyzed(test::sample("offload-minimal.amxmi"));
  results["model"].erase("files");
  results["model"].erase("hash");
  results["tool"].erase("version");
  for (json& limit : results["limits"]) {
    CHECK(limit["file"] == test::sample("offload-minimal.amxmi"));
    limit.erase("file");
  }
  CHECK(results == json::parse(test::read_text(test::data("offload-minimal.analyze.json"))));
}

TEST_CASE("analyze: label accesses are separate from execution in the simulation and in bounds") {
  const json results = analyzed(test::sample("waters2019-tx2.amxmi"), {"--until", "66ms"});
  const auto memory_in = [](const json& parts) {
    std::int64_t time = 0;
    for (const json& part : parts)
      if (part["kind"] == "memory") time += part["ps"].get<std::int64_t>();
    return time;
  };
  std::size_t seen = 0;
  for (const json& task : results["tasks"]) {
    INFO(task["name"]);
    const std::int64_t observed = memory_in(task["contributions"]);
    // Every job makes the same accesses at their worst cost.
    if (task["simulated"]["jobs"] > 0) CHECK(observed == task["metrics"]["MemoryAccessTime"]["max_ps"]);
    if (task["bound"]["wcrt_ps"].is_number()) CHECK(memory_in(task["bound"]["contributions"]) >= observed);
    seen += observed > 0 ? 1 : 0;
  }
  CHECK(seen > 5);
}

TEST_CASE("analyze: both forms of offloading yield the same times") {
  const json one = analyzed(test::sample("offload-minimal.amxmi")),
             three = analyzed(test::sample("offload-minimal-three-runnables.amxmi"));
  CHECK(one["tasks"] == three["tasks"]);
  CHECK(one["resources"] == three["resources"]);
}

TEST_CASE("analyze: shorter execution times are used on request") {
  const json worst = analyzed(test::sample("waters2019-tx2.amxmi")),
             best = analyzed(test::sample("waters2019-tx2.amxmi"), {"--execution", "best"});
  CHECK(named(best["tasks"], "DASM")["simulated"]["max_ps"] == 1'299'995'000 + 4 * 16 * 20'000);
  CHECK(best["simulation"]["execution"] == "best");
  const json short_run = analyzed(test::sample("waters2019-tx2.amxmi"), {"--until", "100ms"});
  CHECK(named(short_run["tasks"], "DASM")["simulated"]["jobs"] == 20);
}

TEST_CASE("analyze: a user-defined device profile is used") {
  const test::TemporaryFolder folder;
  const std::string profile = folder.path() + "/mine.json";
  test::write_text(profile, R"({"name": "mine", "time_slice_us": {"value": 1000}, "context_switch_us": {"value": 100},
    "kernel_slowdown_by_memcpy": {"value": 1}, "kernel_slowdown_by_memset": {"value": 1}, "copy_slowdown_by_kernel": {"value": 1}})");
  const json results = analyzed(test::sample("waters2019-tx2.amxmi"), {"--platform", profile});
  CHECK(results["platform"]["gpu"]["profile"] == "mine");
  // Nothing slows anything in this profile, and turning between contexts costs time.
  bool switches = false;
  for (const json& task : results["tasks"])
    for (const json& part : task["contributions"]) {
      CHECK(part["kind"] != "interference");
      switches = switches || part["kind"] == "context_switch";
    }
  CHECK(switches);
}

TEST_CASE("analyze: an overloaded GPU is named with its demand") {
  const std::string corpus = test::corpus_folder();
  for (const char* model :
       {"/mobstr/1.0.0/mobstr.amxmi", "/mobstr/2.0.0/mobstr.amxmi", "/mobstr/0.9.8/ChallengeModel_release_fix.amxmi"}) {
    const json results = analyzed(corpus + model);
    const json gpu = resource(results, "GP10B", "execution engine");
    CHECK(gpu["verdict"] == "overloaded");
    CHECK(gpu["demand"].get<double>() == Approx(1.5435).margin(0.0001));
    CHECK(named(results["tasks"], "SFM")["verdict"] == "unbounded");
    // Its core has a task whose affinity contradicts its scheduler.
    CHECK(named(results["tasks"], "EKF")["verdict"] == "unknown");
    // What does not depend on it is still bounded, as all operations of the GPU are; what does says why it is not.
    CHECK(named(results["tasks"], "EKF")["bound"]["wcrt_ps"].is_number());
    CHECK(named(results["tasks"], "Planner")["bound"]["wcrt_ps"].is_number());
    for (const json& operation : results["operations"]) CHECK(operation["bound"]["wcrt_ps"].is_number());
    for (const json& task : results["tasks"])
      CHECK((task["bound"]["wcrt_ps"].is_number() || !task["bound"]["reason"].get<std::string>().empty()));
    // Wrappers that poll for the GPU may run on both Denver cores, by their affinity, and hold up who shares them.
    CHECK(named(results["tasks"], "Lidar_Grabber")["verdict"] == "missed");
  }
}

TEST_CASE("analyze: the sample has the same timing as its corpus model in both versions") {
  const std::string corpus = test::corpus_folder();
  const json ours = analyzed(test::sample("waters2019-tx2.amxmi"));
  for (const char* model : {"/mobstr/1.0.0/mobstr-mapped.amxmi", "/mobstr/2.0.0/mobstr-mapped.amxmi"}) {
    const json theirs = analyzed(corpus + model);
    for (const json& task : ours["tasks"])
      CHECK(named(theirs["tasks"], task["name"])["simulated"] == task["simulated"]);
  }
}

TEST_CASE("analyze: kernels with launch configurations are simulated block by block") {
  const auto result = test::amalthea({"analyze", test::sample("offload-blocks.amxmi"), "--format", "json"});
  CHECK(result.exit_code == 0);
  const auto results = nlohmann::json::parse(result.out);
  const auto longest = [&](const std::string& name) {
    for (const auto& operation : results["operations"])
      if (operation["name"] == name) return operation["simulated"]["max_ps"].get<std::int64_t>();
    return std::int64_t{-1};
  };
  // 12 blocks of 3 ms, of which the GPU holds eight: two rounds, and what two kernels and copies beside each other
  // cost.
  CHECK(longest("Vision.kernel") >= 6'000'000'000);
  CHECK(longest("Vision.kernel") <= 6'600'000'000);
  // Radar is released at 2 ms and does not fit before Vision's first round has ended, but precedes its second.
  CHECK(longest("Radar.kernel") >= 1'500'000'000);
  CHECK(longest("Radar.kernel") <= 3'000'000'000);
}

TEST_CASE("analyze: warp instructions determine the bound of a kernel") {
  // Vision in a separate process: only Radar uses the GPU, with another time slice.
  test::TemporaryFolder folder;
  const std::string model = folder.path() + "/model.amxmi";
  test::write_text(model, test::replaced(test::read_text(test::sample("offload-instructions.amxmi")), "\"perception\"",
                                         "\"radar\""));
  const auto result = test::amalthea({"analyze", model, "--format", "json"});
  CHECK(result.exit_code == 0);
  const auto results = nlohmann::json::parse(result.out);
  const json kernel = named(results["operations"], "Vision.kernel");
  CHECK(kernel["bound"]["bcrt_ps"] == 112'000);     // 7 loads of 16 warps, one by one, at 1 GHz
  CHECK(kernel["simulated"]["max_ps"] == 184'000);  // the longest schedule of the 16 warps
  REQUIRE(kernel["bound"]["wcrt_ps"].is_number());
  CHECK(kernel["bound"]["wcrt_ps"] >= 184'000);
}

}  // namespace analyze_test
