// SPDX-License-Identifier: Apache-2.0
// Scenarios of cuda_scheduling_examiner; T10 are the runs of the thesis on a TX2 with that tool.

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/devices/examiner_scenario.hpp"
#include "tests/support/test_models.hpp"

namespace devices_examiner_scenario_test {

namespace {

using namespace amalthea::engine::gpu;
using amalthea::Duration;
using amalthea::Instant;

struct Kernel {
  std::string label;
  int blocks;
  std::int64_t seconds;
};
const Kernel k1{"K1", 2, 4};
const Kernel k2{"K2", 7, 6};
const Kernel k3{"K3", 2, 6};
const Kernel k4{"K4", 5, 5};

std::string benchmark(const std::string& members) {
  return fmt::format("{{\"filename\": \"./bin/timer_spin.so\", {}}}", members);
}

std::string config(const std::vector<std::string>& benchmarks, const std::string& members = "\"max_iterations\": 1") {
  std::string list;
  for (const std::string& text : benchmarks) list += (list.empty() ? "" : ",\n") + text;
  return fmt::format("{{\"name\": \"test\", \"max_time\": 0, {},\n\"benchmarks\": [\n{}]}}", members, list);
}

std::string config_of(const std::vector<Kernel>& kernels) {
  std::vector<std::string> benchmarks;
  for (const Kernel& kernel : kernels)
    benchmarks.push_back(benchmark(fmt::format(R"("label": "{}", "thread_count": 512, "block_count": {}, "data_size": 0,
      "additional_info": {})",
                                               kernel.label, kernel.blocks, kernel.seconds * 1'000'000'000)));
  return config(benchmarks);
}

ExaminerScenario parsed(const std::string& text, const ExaminerOptions& options = {}) {
  auto scenario = parse_examiner_scenario(text, nullptr, options);
  INFO(text << "\n" << (scenario ? std::string() : format(scenario.error())));
  REQUIRE(scenario);
  return std::move(*scenario);
}

std::string refused(const std::string& text) {
  const auto scenario = parse_examiner_scenario(text);
  INFO(text);
  REQUIRE_FALSE(scenario);
  return format(scenario.error());
}

std::vector<std::int64_t> completions_in_seconds(const ExaminerScenario& scenario) {
  std::vector<std::int64_t> seconds;
  const auto simulated = simulate_streams(scenario.scenario);
  for (const OperationRun& run : simulated.value().operations)
    seconds.push_back(run.completion.picoseconds() / 1'000'000'000'000);
  return seconds;
}

Duration microseconds(std::int64_t value) { return Duration::microseconds(value); }

}  // namespace

TEST_CASE("T10: the scenarios of the thesis complete as on a TX2") {
  CHECK(completions_in_seconds(parsed(config_of({k1, k2, k3, k4}))) == std::vector<std::int64_t>{4, 10, 12, 11});
  CHECK(completions_in_seconds(parsed(config_of({k2, k3, k4, k1}))) == std::vector<std::int64_t>{6, 12, 11, 10});
  CHECK(completions_in_seconds(parsed(config_of({k2, k4, k1, k3}))) == std::vector<std::int64_t>{6, 11, 10, 12});
  CHECK(completions_in_seconds(parsed(config_of({k2, k1, k3, k4}))) == std::vector<std::int64_t>{6, 8, 12, 11});
  // Measured from the launch at 0.0685 s: 6.0688, 12.0690, 11.0690 and 10.0690 s.
  CHECK(completions_in_seconds(parsed(test::read_text(test::sample("gpu/thesis-examiner.json")))) ==
        std::vector<std::int64_t>{6, 12, 11, 10});
}

TEST_CASE("benchmarks are threads of one process with a stream each or processes") {
  const std::string two = config_of({k1, k2});
  const ExaminerScenario threads = parsed(two);
  CHECK(threads.name == "test");
  CHECK(threads.remarks.empty());
  CHECK(threads.scenario.contexts.size() == 1);
  REQUIRE(threads.scenario.streams.size() == 2);
  CHECK(threads.scenario.streams[1].name == "K2");
  CHECK_FALSE(threads.scenario.streams[1].is_null);
  CHECK(threads.scenario.streams[1].priority == StreamPriority::low);
  const ExaminerScenario processes = parsed(test::replaced(two, "{", "{\"use_processes\": true, "));
  REQUIRE(processes.scenario.contexts.size() == 2);
  CHECK(processes.scenario.contexts[1].name == "K2");
  CHECK(processes.scenario.streams[1].context == 1);
  CHECK(processes.benchmarks[1].process == 1);
  const ExaminerScenario same = parsed(config_of({k1, k1}));
  CHECK(same.scenario.streams[1].name == "K1 (2)");
}

TEST_CASE("release times and priorities and dimensions and default durations and log names are read") {
  const ExaminerScenario scenario = parsed(config({
      benchmark(R"("thread_count": [16, 8, 2], "block_count": [3, 2], "data_size": 0, "release_time": 0.25,
        "stream_priority": -1, "additional_info": "1500", "log_name": "/var/log/../first.json", "cpu_core": 2)"),
      benchmark(R"("thread_count": 32, "block_count": 1, "data_size": 0, "stream_priority": 0)"),
      benchmark(R"("thread_count": 32, "block_count": 1, "additional_info": {"duration": 1e3}, "log_name": "first")"),
      test::replaced(benchmark(R"("thread_count": 32, "block_count": 1, "additional_info": "2000,8192")"), "timer_spin",
                     "sharedmem_timer_spin"),
      test::replaced(benchmark(R"("thread_count": 32, "block_count": 1, "additional_info": {"kernel_duration": 7})"),
                     "timer_spin", "mandelbrot"),
  }));
  const auto& operations = scenario.scenario.operations;
  REQUIRE(operations.size() == 5);
  CHECK(operations[0].shape.threads == 256);
  CHECK(operations[0].blocks == 6);
  CHECK(operations[0].release == Instant::at(microseconds(250000)));
  CHECK(operations[0].duration == Duration::nanoseconds(1500));
  CHECK(operations[0].name == "timer_spin_0");
  CHECK(operations[1].duration == microseconds(10000));
  CHECK(operations[2].duration == microseconds(1));
  CHECK(operations[3].duration == microseconds(2));
  CHECK(operations[3].shape.shared_memory == 32768);
  CHECK(operations[4].duration == Duration::nanoseconds(7));
  CHECK(scenario.scenario.streams[0].priority == StreamPriority::high);
  CHECK(scenario.scenario.streams[1].priority == StreamPriority::low);
  CHECK(scenario.benchmarks[0].log_name == "first.json");  // in the folder of logs, wherever that is
  CHECK(scenario.benchmarks[1].log_name == "timer_spin_1.json");
  CHECK(scenario.benchmarks[2].log_name == "first_2.json");
}

TEST_CASE("data are copied before and after every iteration at the given bandwidth") {
  const std::string text = config({benchmark(R"("label": "K", "thread_count": 32, "block_count": 1,
    "data_size": 2000000, "additional_info": 5000, "max_iterations": 2)")});
  const ExaminerScenario scenario = parsed(text);
  const auto& operations = scenario.scenario.operations;
  REQUIRE(operations.size() == 6);
  CHECK(operations[0].kind == StreamOperationKind::host_to_device);
  CHECK(operations[0].duration == microseconds(100));  // 2 MB at 20 GB/s
  CHECK(operations[1].kind == StreamOperationKind::kernel);
  CHECK(operations[2].kind == StreamOperationKind::device_to_host);
  CHECK(scenario.benchmarks[0].iterations == std::vector<std::vector<std::size_t>>{{0, 1, 2}, {3, 4, 5}});
  const auto run = simulate_streams(scenario.scenario).value();
  CHECK(run.operations[2].completion == Instant::at(microseconds(205)));
  CHECK(run.operations[3].start ==
        Instant::at(microseconds(205)));  // an iteration begins when the one before has ended
  CHECK(run.operations[5].completion == Instant::at(microseconds(410)));
  CHECK(parsed(text, {1'000'000'000}).scenario.operations[0].duration == microseconds(2000));
  CHECK(parsed(text, {3'000'000'000'000'000}).scenario.operations[0].duration == Duration::picoseconds(667));
}

TEST_CASE("multikernel and stream_action issue several operations and all threads share the NULL stream") {
  const std::string list = R"({"filename": "bin/multikernel.so", "label": "M", "thread_count": 0, "block_count": 0,
    "release_time": 1, "additional_info": [
    {"kernel_label": "A", "duration": 1000, "block_count": 4, "thread_count": 256},
    {"kernel_label": "B", "duration": 2000, "block_count": 1, "thread_count": 64, "delay": 0.5,
     "shared_memory_size": 4096}]})";
  const std::string actions = R"({"filename": "stream_action.so", "label": "S", "thread_count": 128, "block_count": 2,
    "additional_info": {"use_null_stream": true, "actions": [
    {"type": "kernel", "label": "C", "parameters": {"duration": 3000}},
    {"type": "malloc", "label": "D", "parameters": {"size": 4}},
    {"type": "memcpy", "label": "E", "delay": 0.25, "parameters": {"size": 20000, "direction": "deviceToHost"}},
    {"type": "memset", "label": "F", "parameters": {"size": 40000}}]}})";
  const std::string null = R"({"filename": "timer_spin_default_stream.so", "label": "N", "thread_count": 32,
    "block_count": 1, "additional_info": 5})";
  const ExaminerScenario scenario = parsed(config({list, actions, null}));
  const auto& operations = scenario.scenario.operations;
  const auto& streams = scenario.scenario.streams;
  REQUIRE(operations.size() == 6);
  CHECK(operations[0].name == "A");
  CHECK(operations[0].release == Instant::at(Duration::seconds(1)));
  CHECK(operations[1].release == Instant::at(microseconds(1500000)));
  CHECK(operations[1].shape.shared_memory == 16384);
  CHECK(operations[2].blocks == 2);
  CHECK(operations[2].shape.threads == 128);
  CHECK(operations[3].kind == StreamOperationKind::device_to_host);
  CHECK(operations[3].release == Instant::at(microseconds(250000)));
  CHECK(operations[3].duration == microseconds(1));
  CHECK(operations[4].kind == StreamOperationKind::memset);
  CHECK(operations[4].duration == microseconds(2));
  REQUIRE(streams.size() == 2);
  CHECK_FALSE(streams[operations[0].stream].is_null);
  CHECK(streams[operations[2].stream].is_null);
  CHECK(operations[5].stream == operations[2].stream);
  REQUIRE(scenario.remarks.size() == 1);
  CHECK(scenario.remarks[0].message ==
        "benchmarks[1].additional_info.actions[1].type: takes no time and delays nothing in this simulation");
}

TEST_CASE("input without effect is reported as a remark") {
  const ExaminerScenario scenario =
      parsed(config({benchmark(R"("thread_count": 32, "block_count": 1, "tread_count": 64, "comment": "x")")},
                    "\"max_iterations\": 1, \"max_resident_threads\": 2048, \"do_warmup\": true, \"colour\": 1"));
  std::vector<std::string> messages;
  for (const amalthea::engine::TextError& remark : scenario.remarks) messages.push_back(remark.message);
  CHECK(messages == std::vector<std::string>{
                        "max_resident_threads: the platform holds 4096 threads; its limits are taken",
                        "colour: unknown key; it is ignored", "benchmarks[0].tread_count: unknown key; it is ignored"});
  CHECK(scenario.remarks[0].line == 1);
  CHECK(scenario.remarks[2].line == 3);
  CHECK(parsed(config({benchmark(R"("thread_count": 32, "block_count": 1)")},
                      "\"max_iterations\": 1, \"max_resident_threads\": 4096"))
            .remarks.empty());
}

TEST_CASE("input that cannot be simulated is rejected at its location") {
  const auto one = [](const std::string& members) { return refused(config({benchmark(members)})); };
  const std::string counts = R"("thread_count": 32, "block_count": 1)";
  CHECK(one(R"("thread_count": 2048, "block_count": 1)") ==
        "3:56: benchmarks[0].thread_count: a block of 2048 threads exceeds the 1024 a block may have");
  CHECK(one(R"("thread_count": 0, "block_count": 1)").find("benchmarks[0].thread_count: expected a whole number") !=
        std::string::npos);
  CHECK(one("\"block_count\": 1").find("\"thread_count\" is missing") != std::string::npos);
  CHECK(one(counts + ", \"additional_info\": \"long\"").find("expected a whole number of nanoseconds") !=
        std::string::npos);
  CHECK(one(counts + ", \"additional_info\": -5").find("expected a whole number of nanoseconds") != std::string::npos);
  CHECK(one(counts + ", \"release_time\": -1").find("expected seconds") != std::string::npos);
  CHECK(one(counts + ", \"release_time\": 1e300").find("expected seconds") != std::string::npos);
  CHECK(one(counts + ", \"data_size\": -1").find("expected a whole number from 0") != std::string::npos);
  CHECK(one(counts + ", \"sm_mask\": \"0x3\"").find("the mask disables all 2 TPCs of the platform") !=
        std::string::npos);
  CHECK(one(counts + ", \"sm_mask\": \"x\"").find("expected a hexadecimal number") != std::string::npos);
  CHECK(one(counts + ", \"max_iterations\": 0").find("no limit of iterations or time; use --iterations") !=
        std::string::npos);
  CHECK(one(counts + ", \"max_iterations\": 9000000000000000").find("more than 1000000 operations") !=
        std::string::npos);
  CHECK(refused(test::replaced(config({benchmark(counts + ", \"data_size\": 64")}), "timer_spin", "mandelbrot"))
            .find("benchmarks[0].filename: the duration of a block of \"mandelbrot\" is unknown; use --block-time "
                  "mandelbrot=TIME") != std::string::npos);
  CHECK(refused(config({})) == "2:15: benchmarks: expected \"benchmarks\", an array that is not empty");
  CHECK(refused(config({"3"})).find("benchmarks[0]: expected an object with \"filename\"") != std::string::npos);
  CHECK(refused(config({benchmark(counts + ", \"mps_thread_percentage\": 0")}, "\"use_processes\": true"))
            .find("expected a number above 0, up to 100") != std::string::npos);
  CHECK(refused("{\"benchmarks\": [").find("not JSON") != std::string::npos);
  CHECK(refused("[]").find("expected an object with \"benchmarks\"") != std::string::npos);
}

TEST_CASE("multikernel copies what its kernels copy and unknown keys in additional_info are remarks") {
  const std::string list = R"({"filename": "multikernel.so", "label": "M", "comment": "a", "comment": "b",
    "additional_info": [
    {"kernel_label": "A", "duration": 1000, "block_count": 4, "thread_count": 256, "copy_in_count": 5000},
    {"kernel_label": "B", "duration": 2000, "block_count": 1, "thread_count": 64, "delay": 0.5,
     "copy_out_count": 10000, "colour": 3}]})";
  const ExaminerScenario scenario = parsed(config({list}));
  const auto& operations = scenario.scenario.operations;
  REQUIRE(operations.size() == 4);
  CHECK(operations[0].name == "A in");
  CHECK(operations[0].kind == StreamOperationKind::host_to_device);
  CHECK(operations[0].duration == microseconds(1));  // 20 kB at 20 GB/s
  CHECK(operations[3].kind == StreamOperationKind::device_to_host);
  CHECK(operations[3].duration == microseconds(2));
  CHECK(operations[3].release == Instant::at(microseconds(500000)));
  REQUIRE(scenario.remarks.size() == 1);
  CHECK(format(scenario.remarks[0]) == "7:41: benchmarks[0].additional_info[1].colour: unknown key; it is ignored");
}

TEST_CASE("known plugins have the grids and copies of their inputs") {
  const auto plugin = [](const std::string& name, const std::string& members) {
    return test::replaced(benchmark(members), "timer_spin", name);
  };
  ExaminerOptions options;
  for (const std::string name : {"matrix_multiply", "mandelbrot", "random_walk"})
    options.block_times[name] = microseconds(3);
  const ExaminerScenario scenario =
      parsed(config({plugin("matrix_multiply", R"("thread_count": [16, 8], "block_count": 1, "data_size": 0,
                "additional_info": {"matrix_width": 100, "skip_copy": false})"),
                     plugin("mandelbrot", R"("thread_count": 64, "block_count": 1, "data_size": 10100)"),
                     plugin("random_walk", R"("thread_count": 32, "block_count": 2, "data_size": 1000000)"),
                     plugin("cpu_random_walk", R"("thread_count": 0, "block_count": 0, "data_size": 1000000)")}),
             options);
  const auto& operations = scenario.scenario.operations;
  REQUIRE(operations.size() == 7);
  CHECK(operations[0].kind == StreamOperationKind::host_to_device);
  CHECK(operations[0].duration == microseconds(2));  // 40 kB, one of two matrices
  CHECK(operations[1].kind == StreamOperationKind::host_to_device);
  CHECK(operations[2].blocks == 7 * 13);
  CHECK(operations[2].shape.threads == 128);
  CHECK(operations[2].duration == microseconds(3));
  CHECK(operations[3].kind == StreamOperationKind::device_to_host);
  CHECK(operations[4].blocks == 157);  // 100 x 100 pixels in blocks of 64
  CHECK(operations[5].duration == Duration::nanoseconds(500));
  CHECK(operations[6].blocks == 2);
  REQUIRE(scenario.remarks.size() == 1);
  CHECK(scenario.remarks[0].message.find("it runs on the CPU only") != std::string::npos);
  options.block_times["dwt2d"] = microseconds(1);
  CHECK(parse_examiner_scenario(config({benchmark(R"("thread_count": 32, "block_count": 1)")}), nullptr, options)
            .error()
            .message.find("--block-time dwt2d: no benchmark has such a plugin") != std::string::npos);
}

TEST_CASE("a copy without a known rate names the option that supplies it") {
  amalthea::engine::DeviceProfile profile = *amalthea::engine::find_profile("tx2");
  profile.copy_bytes_per_second = 0;
  const std::string text = config({benchmark(R"("thread_count": 32, "block_count": 1, "data_size": 100)")});
  const auto refused = parse_examiner_scenario(text, &profile);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("use --copy-rate") != std::string::npos);
  ExaminerOptions options;
  options.copy_bytes_per_second = 1'000'000'000;
  CHECK(parse_examiner_scenario(text, &profile, options).value().scenario.operations[0].duration ==
        Duration::nanoseconds(100));
}

TEST_CASE("synchronized iterations begin when all benchmarks have ended the one before") {
  const auto spin = [](int milliseconds) {
    return benchmark(
        fmt::format(R"("thread_count": 32, "block_count": 1, "additional_info": {})", milliseconds * 1'000'000));
  };
  ExaminerScenario scenario =
      parsed(config({spin(500), spin(250)}, "\"max_iterations\": 3, \"sync_every_iteration\": true"));
  auto run = simulate_streams(scenario.scenario).value();
  take_iterations(scenario.benchmarks, run);
  append_repeated(scenario.scenario, run);
  REQUIRE(scenario.benchmarks[1].iterations.size() == 3);
  REQUIRE(run.operations.size() == 6);
  for (std::size_t i = 0; i < 3; ++i)
    for (const ExaminerBenchmark& each : scenario.benchmarks) {
      const std::size_t index = each.iterations[i].front();
      CHECK(run.operations[index].start == Instant::at(microseconds(static_cast<std::int64_t>(i) * 500000)));
      CHECK(scenario.scenario.operations[index].release == run.operations[index].start);
    }
}

TEST_CASE("no iteration begins after max_time and an option limits iterations") {
  const std::string text = config({benchmark(R"("thread_count": 32, "block_count": 1, "additional_info": 400000000)")},
                                  "\"max_iterations\": 0");
  const std::string timed = test::replaced(text, "\"max_time\": 0", "\"max_time\": 1");
  CHECK(simulate_streams(parsed(timed).scenario).value().operations.size() == 3);  // at 0, 0.4 and 0.8 s
  ExaminerOptions options;
  options.iterations = 2;
  CHECK(simulate_streams(parsed(timed, options).scenario).value().operations.size() == 2);
  CHECK(parsed(text, options).scenario.operations.size() == 2);
}

TEST_CASE("a task host is a process whose benchmarks are its threads") {
  const auto host = [](const std::string& name, const std::string& members) {
    return fmt::format(R"({{"filename": "task_host.so", "label": "{}", "additional_info": {{"use_processes": false,
      "benchmarks": [{}, {}]}}{}}})",
                       name, benchmark(R"("thread_count": 1024, "block_count": 2, "additional_info": 5000000)"),
                       benchmark(R"("thread_count": 1024, "block_count": 2, "additional_info": 5000000)"), members);
  };
  const ExaminerScenario scenario = parsed(
      config({host("P", ""), host("Q", ", \"release_time\": 0.5")}, "\"max_iterations\": 1, \"use_processes\": true"));
  REQUIRE(scenario.scenario.contexts.size() == 2);
  CHECK(scenario.scenario.contexts[1].name == "Q");
  REQUIRE(scenario.benchmarks.size() == 4);
  CHECK(scenario.scenario.streams[3].context == 1);
  CHECK(scenario.scenario.operations[3].release == Instant::at(microseconds(500000)));
}

TEST_CASE("shares of MPS limit the SMs that a process uses at a time") {
  amalthea::engine::DeviceProfile profile = *amalthea::engine::find_profile("xavier");
  const auto spin = [](const std::string& members) {
    return benchmark(R"("thread_count": 1024, "block_count": 40, "additional_info": 1000000, )" + members);
  };
  const std::string text = config({spin("\"mps_thread_percentage\": 75.0"), spin("\"mps_thread_percentage\": 25.0")},
                                  "\"max_iterations\": 1, \"use_processes\": true");
  const ExaminerScenario scenario = parse_examiner_scenario(text, &profile).value();
  REQUIRE(scenario.scenario.contexts.size() == 1);
  CHECK(scenario.scenario.streams[0].process_sms == 6);
  CHECK(scenario.scenario.streams[1].process_sms == 2);
  const auto run = simulate_streams(scenario.scenario).value();
  for (std::size_t process = 0; process < 2; ++process)
    for (const BlockRun& block : run.operations[process].blocks) {
      std::set<SmIndex> used;
      for (const BlockRun& other : run.operations[process].blocks)
        if (other.start <= block.start && block.start < other.end) used.insert(other.sm);
      CHECK(used.size() <= (process == 0 ? 6U : 2U));
    }
  CHECK(run.operations[1].start < run.operations[0].completion);
}

TEST_CASE("every given configuration runs once the figures are supplied that its refusals name") {
  std::size_t files = 0;
  for (const std::string folder : {"/cuda_scheduling_examiner", "/hip_plugin_framework"})
    for (const auto& entry : std::filesystem::directory_iterator(test::corpus_folder(folder))) {
      if (entry.path().extension() != ".json") continue;
      INFO(entry.path().string());
      const std::string text = test::read_text(entry.path().string());
      ExaminerOptions options;
      options.iterations = 2;
      auto scenario = parse_examiner_scenario(text, nullptr, options);
      for (int attempt = 0; attempt < 6 && !scenario; ++attempt) {
        const std::string message = scenario.error().message;
        INFO(message);
        const auto missing = [&](const std::string& option) {
          const auto at = message.find("use " + option);
          if (at == std::string::npos) return std::string();
          const auto name = message.find_first_not_of(' ', at + 4 + option.size());
          return message.substr(name, message.find_first_of("=,", name) - name);
        };
        if (const auto blocks = missing("--blocks"); !blocks.empty())
          options.blocks[blocks] = {64, 256};
        else if (const auto time = missing("--block-time"); !time.empty())
          options.block_times[time] = microseconds(100);
        else if (message.find("use --copy-rate") != std::string::npos)
          options.copy_bytes_per_second = 10'000'000'000;
        else
          FAIL("the refusal names no option");
        scenario = parse_examiner_scenario(text, nullptr, options);
      }
      REQUIRE(scenario);
      CHECK(simulate_streams(scenario->scenario));
      ++files;
    }
  CHECK(files >= 58);
}

TEST_CASE("streams with kernels in other scenarios become benchmarks of one iteration") {
  StreamScenario scenario;
  scenario.contexts.emplace_back();
  scenario.streams = {{{StreamPriority::low, false}, "a", 0}, {{StreamPriority::low, true}, "", 0}, {{}, "b", 0}};
  const auto add = [&](std::size_t stream, StreamOperationKind kind, std::int64_t release) {
    StreamOperation operation;
    operation.stream = stream;
    operation.kind = kind;
    operation.release = Instant::at(Duration::picoseconds(release));
    scenario.operations.push_back(operation);
  };
  add(0, StreamOperationKind::kernel, 7);
  add(2, StreamOperationKind::memset, 0);
  add(1, StreamOperationKind::kernel, 3);
  add(0, StreamOperationKind::host_to_device, 2);
  const auto benchmarks = benchmarks_of_streams(scenario);
  REQUIRE(benchmarks.size() == 2);
  CHECK(benchmarks[0].log_name == "a.json");
  CHECK(benchmarks[0].iterations == std::vector<std::vector<std::size_t>>{{3, 0}});
  CHECK(benchmarks[0].release == Instant::at(Duration::picoseconds(2)));
  CHECK(benchmarks[1].log_name == "null_stream.json");
  CHECK(benchmarks[1].label == "NULL");
}

}  // namespace devices_examiner_scenario_test
