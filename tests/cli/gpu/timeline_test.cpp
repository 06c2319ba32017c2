// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_command.hpp"
#include "tests/support/test_models.hpp"

namespace gpu_timeline_test {

namespace {

using nlohmann::json;

test::CommandResult gpu_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"gpu", "run"});
  return test::amalthea(arguments);
}

std::string complaint(const std::vector<std::string>& arguments) {
  const auto result = gpu_run(arguments);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  return result.err.substr(0, result.err.find('\n'));
}

/// First cells of the rows of tables "| key | meaning |" in a section.
void collect_keys(const json& schema, std::set<std::string>& keys) {
  if (schema.is_array())
    for (const json& element : schema) collect_keys(element, keys);
  if (!schema.is_object()) return;
  for (const auto& [name, value] : schema.items()) {
    if (name == "properties")
      for (const auto& [key, ignored] : value.items()) keys.insert(key);
    collect_keys(value, keys);
  }
}

}  // namespace

TEST_CASE("gpu run writes every timeline format selected by extension and is deterministic") {
  const test::TemporaryFolder folder;
  const std::string camera = test::sample("gpu/camera.json");
  std::vector<std::string> arguments{camera, "--format", "gantt"};
  for (const char* extension : {"txt", "svg", "json", "btf"})
    arguments.insert(arguments.end(), {"--timeline", folder.path() + "/a." + extension});
  const auto result = gpu_run(arguments);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto file = [&](const std::string& name) { return test::read_text(folder.path() + "/" + name); };
  CHECK(file("a.txt") == result.out);
  CHECK(result.out.find("SM 0        |    BBBBBBBBBBBBBBBBBBB|BBBBBBBBBBBBBBBBBB     ") != std::string::npos);
  CHECK(file("a.svg").starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(file("a.svg").ends_with("</svg>\n"));
  CHECK(json::parse(file("a.json"))["traceEvents"].size() > 20);
  CHECK(
      file("a.btf").starts_with("#version 2.1.5\n#creator amalthea-timing\n#creationDate 1970-01-01T00:00:00Z\n"
                                "#inputFile camera.json\n#timeScale ns\n"));
  CHECK(file("a.btf").find("\n6900000,Core_EE_0,0,T,TASK_detect,1,terminate\n") != std::string::npos);
  for (const char* extension : {"txt", "svg", "json", "btf"}) {
    const std::string again = folder.path() + "/b." + extension;
    CHECK(gpu_run({camera, "--timeline", again}).exit_code == 0);
    CHECK(test::read_text(again) == file(std::string("a.") + extension));
  }
  CHECK(gpu_run({camera, "--format", "gantt", "--width", "60"}).out.find("\nSM 1        |") != std::string::npos);
}

TEST_CASE("gpu run recognizes scenarios of cuda_scheduling_examiner and writes its log format") {
  const test::TemporaryFolder folder;
  const auto result =
      gpu_run({test::sample("gpu/thesis-examiner.json"), "--format", "json", "--log-directory", folder.path()});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
  const json kernels = json::parse(result.out)["kernels"];
  CHECK(kernels[1]["name"] == "K3");
  CHECK(kernels[1]["completion_ps"] == 12000000000000);
  const json log = json::parse(test::read_text(folder.path() + "/scenario1_K3.json"));
  CHECK(log["scenario_name"] == "Four kernels on a TX2: scenario 1");
  CHECK(log["TID"] == 2);
  CHECK(log["times"][2]["block_times"] == json{0.0, 6.0, 6.0, 12.0});
  CHECK(log["times"][2]["block_smids"] == json{1, 0});
  // The same system in our own form runs alike, and leaves a log of each stream.
  const auto own = gpu_run({test::sample("gpu/thesis.json"), "--format", "json", "--log-directory", folder.path()});
  CHECK(json::parse(own.out)["kernels"][1]["blocks"] == kernels[1]["blocks"]);
  CHECK(json::parse(test::read_text(folder.path() + "/s3.json"))["times"] == log["times"]);
}

TEST_CASE("gpu run copies bytes of a scenario at the given bandwidth") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/config.json";
  test::write_text(file, R"({"name": "n", "max_iterations": 1, "max_time": 5, "benchmarks": [{"filename":
    "timer_spin.so", "thread_count": 32, "block_count": 1, "data_size": 1000000, "additional_info": 1000}]})");
  const auto result = gpu_run({file, "--format", "json", "--copy-bandwidth", "0.5"});
  CHECK(json::parse(result.out)["copies"][0]["completion_ps"] == 2000000000);
  CHECK(result.err.empty());
}

TEST_CASE("gpu run reports invalid outputs before it simulates") {
  const test::TemporaryFolder folder;
  const std::string camera = test::sample("gpu/camera.json");
  CHECK(complaint({camera, "--timeline", "a.png"}) ==
        "amalthea: error: --timeline a.png: expected a file that ends in one of .txt, .svg, .json, .btf");
  CHECK(complaint({camera, "--timeline", folder.path() + "/none/a.svg"}) ==
        "amalthea: error: cannot write " + folder.path() + "/none/a.svg: the folder " + folder.path() +
            "/none does not exist; create it, or choose another folder");
  CHECK(complaint({camera, "--log-directory", folder.path() + "/none"}).find("none does not exist") !=
        std::string::npos);
  const std::string own = folder.path() + "/own.json";
  const std::string text = R"({"operations": [{"kernel": "K", "stream": "own", "threads": 1, "duration": "1us"}]})";
  test::write_text(own, text);
  CHECK(complaint({own, "--timeline", own}) ==
        "amalthea: error: --timeline would overwrite the input " + own + "; choose another file");
  CHECK(complaint({own, "--log-directory", folder.path()}) ==
        "amalthea: error: --log-directory would overwrite the input " + own + "; choose another file");
  CHECK(test::read_text(own) == text);
  test::write_text(folder.path() + "/bad.json", "{\"benchmarks\": 3}");
  CHECK(complaint({folder.path() + "/bad.json"}) ==
        "amalthea: error: " + folder.path() +
            "/bad.json:1:16: benchmarks: expected \"benchmarks\", an array that is not empty");
}

namespace {

/// The keys of all objects.
void collect_used_keys(const json& value, std::set<std::string>& keys) {
  for (const auto& [key, element] : value.items()) {
    if (value.is_object()) keys.insert(key);
    if (element.is_structured()) collect_used_keys(element, keys);
  }
}

}  // namespace

TEST_CASE("gpu run accepts every key of the JSON Schema") {
  const std::string scenarios[] = {R"({
    "$schema": "x", "description": "x", "platform": "xavier", "copy_engines": 2, "preemption": "kernel",
    "context_switch": "5us", "stream_preemption": "20us", "cpu_traffic": 0.5, "until": "10ms",
    "interference": {"kernel_by_memcpy": 2, "kernel_by_memset": 3, "kernel_by_same_sm": 2, "kernel_by_same_gpc": 4,
                     "kernel_by_other_gpc": 2, "kernel_by_cpu": 2, "copy_by_kernel": 1.5, "copy_by_cpu": 1,
                     "copying_processes": 2},
    "contexts": [{"name": "A", "priority": "low", "timeslice": "1ms"}],
    "streams": [{"name": "s", "context": "A", "priority": "high", "deadline": "5ms"}],
    "operations": [
      {"kernel": "K", "context": "A", "stream": "s", "release": "1ms", "deadline": "4ms", "period": "5ms",
       "duration": "1ms", "blocks": 2, "threads": 64, "registers": 32, "shared_memory": 1024,
       "cache_config": "L1", "memory_share": 0.5, "footprint": 4096},
      {"copy": "C", "kind": "memset", "duration": "1ms"}]})",
                                   R"({
    "context_switch_ps": 5, "stream_preemption_ps": 3, "until_ps": 100, "contexts": [{"name": "A", "timeslice_ps": 7}],
    "operations": [{"copy": "C", "kind": "d2h", "host_memory": "pageable", "release_ps": 1, "period_ps": 50, "deadline_ps": 9,
     "duration_ps": 3}]})",
                                   R"({"platform": "radeon-vii",
    "amd": {"shader_engines": 2, "units_per_engine": 3, "aces": 2, "slots_per_ace": 3, "pool_queues": 2, "ace_slice": "5us", "turns": "oldest"},
    "contexts": [{"name": "A"}, {"name": "B", "cu_mask": "3-5"}],
    "streams": [{"name": "a", "cu_mask": "0-2", "ace": 1}, {"name": "b", "hsa_queue": 1}, {"name": "c", "context": "B"}],
    "operations": [
      {"kernel": "k", "stream": "a", "like": "mm256", "blocks": 8, "full_speed_threads": 512, "weight": 2, "dispatch": "1us"},
      {"kernel": "l", "stream": "b", "hsa_queue": 0, "like": "mm256", "blocks": 8, "dispatch_ps": 5}]})",
                                   R"({"platform": "xavier", "context_scheduling": "priority",
    "contexts": [{"name": "A", "mps_share": 50}, {"name": "B", "urgency": 2}],
    "cycle": "1ns", "warp_policy": "qaws", "warp_pipelines": "volta",
    "streams": [{"name": "s", "context": "A", "sm_mask": "0x1"}],
    "operations": [{"kernel": "K", "context": "A", "stream": "s", "duration": "1ms", "blocks": 2,
     "threads": 64},
     {"kernel": "L", "context": "A", "stream": "t", "instructions": "5L 9C", "budget": 2, "threads": 64}]})",
                                   R"({"cycle_ps": 770, "operations": [
     {"kernel": "K", "instructions": "2,1,memory:20", "threads": 64}]})",
                                   R"({"gpus": [{"name": "a", "operations": [
     {"kernel": "K", "duration": "1us", "threads": 64}]}]})"};
  const test::TemporaryFolder folder;
  std::set<std::string> used;
  for (const std::string& text : scenarios) {
    test::write_text(folder.path() + "/all.json", text);
    const auto result = gpu_run({folder.path() + "/all.json"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    collect_used_keys(json::parse(text), used);
  }
  std::set<std::string> in_schema;
  collect_keys(json::parse(test::read_text(AMALTHEA_SOURCE_DIR "/docs/gpu-scenario.schema.json")), in_schema);
  CHECK(used == in_schema);
}

TEST_CASE("every form of gpu run names the GPU of an operation, where the scenario names GPUs") {
  const test::TemporaryFolder folder;
  const std::string two = test::sample("gpu/two-gpus.json");
  std::vector<std::string> arguments{two, "--active-threads", folder.path() + "/a.csv"};
  for (const char* extension : {"txt", "svg", "json", "btf"})
    arguments.insert(arguments.end(), {"--timeline", folder.path() + "/a." + extension});
  const auto result = gpu_run(arguments);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("GPU/context/stream") && Catch::Contains("integrated/vision/frames"));
  const auto file = [&](const std::string& name) { return test::read_text(folder.path() + "/" + name); };
  CHECK_THAT(file("a.txt"), Catch::Contains("\nintegrated: SM 1") && Catch::Contains("\ndiscrete: contexts on EE") &&
                                Catch::Contains("discrete/name"));
  CHECK_THAT(file("a.svg"), Catch::Contains(">integrated: copy engine</text>"));
  CHECK_THAT(file("a.json"), Catch::Contains("\"discrete: SMs\"") && Catch::Contains("\"discrete: streams\""));
  CHECK_THAT(file("a.btf"), Catch::Contains("Core_integrated_SM0_0,") && Catch::Contains("Core_discrete_EE_0,"));
  CHECK_THAT(file("a.csv"), Catch::StartsWith("time_ps,integrated/find,discrete/name,discrete/match,total\n"));
  const json run = json::parse(gpu_run({two, "--format", "json"}).out);
  CHECK(run["kernels"][0]["gpu"] == "integrated");
  CHECK(run["slices"][0].contains("gpu"));
  CHECK_THAT(gpu_run({two, "--format", "csv"}).out,
             Catch::StartsWith("operation,kind,gpu,context,stream,release_ps") &&
                 Catch::Contains("\nname,kernel,discrete,vision,objects,5000000000,"));
}

TEST_CASE("what takes one GPU refuses a scenario of several, where it names them") {
  const std::string two = test::sample("gpu/two-gpus.json");
  const std::string refused = "amalthea: error: " + two + ":4:11: gpus: ";
  CHECK(complaint({two, "--platform", "tx2"}) ==
        refused + "each GPU states its \"platform\", and --platform is one for all");
  CHECK(complaint({two, "--log-directory", "."}) == refused + "expected a scenario of one GPU");
  for (const std::string verb : {"order", "policies"}) {
    const auto study = test::amalthea({"gpu", "study", verb, two});
    CHECK(study.exit_code == 2);
    CHECK(study.err == refused + "expected a scenario of one GPU\n");
  }
  const auto calibrated = test::amalthea({"calibrate", "--check", two, two});
  CHECK(calibrated.exit_code == 2);
  CHECK(calibrated.err == refused + "expected a scenario of one GPU\n");
}

TEST_CASE("gpu run warns of figures that nobody has published if several contexts share the device") {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/contexts.json";
  const auto run_with = [&](const std::string& contexts, const std::string& settings = "") {
    test::write_text(file, R"({"platform": "a100", )" + settings + R"("contexts": [)" + contexts + R"(], "operations": [
      {"kernel": "K", "context": "A", "duration": "1ms", "blocks": 1, "threads": 64}]})");
    return gpu_run({file});
  };
  const auto alone = run_with(R"({"name": "A"})"), shared = run_with(R"({"name": "A"}, {"name": "B"})");
  CHECK(alone.exit_code == 0);
  CHECK(alone.err == "");
  CHECK(shared.exit_code == 0);
  CHECK_THAT(shared.err, Catch::StartsWith("amalthea: warning: the profile \"a100\" has no published values for "));
  CHECK_THAT(shared.err, Catch::Contains("time_slice_us"));
  CHECK_THAT(shared.err, Catch::Contains("context_switch_us"));

  SECTION("but not if the scenario states them") {
    const std::string stated = R"({"name": "A", "timeslice": "1ms"}, {"name": "B", "timeslice": "1ms"})";
    CHECK_THAT(run_with(R"({"name": "A"}, {"name": "B", "timeslice": "1ms"})").err, Catch::Contains("time_slice_us"));
    CHECK_THAT(run_with(stated).err, !Catch::Contains("time_slice_us"));
    for (const char* setting : {R"("context_switch": "5us", )", R"("context_switch_ps": 5000000, )"})
      CHECK_THAT(run_with(stated, setting).err, !Catch::Contains("context_switch_us"));
  }
}

TEST_CASE("gpu run shares the GPU between the processes of scenarios and of the examiner") {
  const auto own = test::amalthea({"gpu", "run", test::sample("gpu/contexts.json"), "--format", "json"});
  REQUIRE(own.exit_code == 0);
  const json run = json::parse(own.out);
  // vision's kernel arrives when four blocks of maps, slowed down by copies, have ended; then it runs without
  // interruption.
  const json& detect = run["kernels"][0];
  CHECK(detect["context"] == "vision");
  CHECK(detect["completion_ps"].get<std::int64_t>() - detect["start_ps"].get<std::int64_t>() == 3'000'000'000);
  CHECK(run["slices"][0]["engine"] == "EE");
  CHECK(run["slices"][0]["context"] == "maps");

  const test::TemporaryFolder folder;
  test::write_text(folder.path() + "/two.json", R"({"name": "two", "use_processes": true, "benchmarks": [
    {"filename": "timer_spin.so", "label": "P", "thread_count": 1024, "block_count": 4, "additional_info": 10000000},
    {"filename": "timer_spin.so", "label": "Q", "thread_count": 1024, "block_count": 4, "additional_info": 10000000}]})");
  const auto examiner = gpu_run({folder.path() + "/two.json", "--format", "json"});
  REQUIRE(examiner.exit_code == 0);
  const json kernels = json::parse(examiner.out)["kernels"];
  // Slices of 2.6 ms: P ends after four slices of each in turn, less what its last leaves over.
  CHECK(kernels[0]["completion_ps"] == 17'800'000'000);
  CHECK(kernels[1]["completion_ps"] == 20'000'000'000);
}

}  // namespace gpu_timeline_test
