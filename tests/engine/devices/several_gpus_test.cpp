// SPDX-License-Identifier: Apache-2.0
// Scenarios that name their GPUs.

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/devices/stream_bounds.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/devices/stream_simulation.hpp"

namespace several_gpus_test {

namespace {

using namespace amalthea::engine::gpu;
using amalthea::Duration;
using amalthea::Instant;

Instant at_us(std::int64_t time) { return Instant::at(Duration::microseconds(time)); }

/// The error of a scenario with these GPUs and these further keys.
std::string error_of(const std::string& gpus, const std::string& more = "") {
  const auto scenario = parse_stream_scenario(R"({"gpus": )" + gpus + more + "}");
  return scenario ? "" : format(scenario.error());
}

}  // namespace

TEST_CASE("two GPUs run side by side, as computed by hand") {
  // A TX2 has two SMs, each with room for two blocks of 1024 threads, so four of them run at a time.
  // front: every 20 us, a copy of 5 us, then six blocks of 10 us: four from 5 to 15 us, two from 15 to 25 us. The next
  //        release, at 20 us, copies from 25 to 30 us, and its blocks end at 40 and 50 us.
  // rear:  every 30 us, four blocks of 10 us, from 0 to 10 us: they do not wait for those of front.
  // Both repeat after 60 us: three releases of front, and two of rear. The third of front, at 40 us, ends at 75 us.
  const auto scenario = parse_stream_scenario(R"({"gpus": [
    {"name": "front", "platform": "tx2", "operations": [
      {"copy": "C", "kind": "h2d", "stream": "a", "duration": "5us", "period": "20us"},
      {"kernel": "K", "stream": "a", "blocks": 6, "threads": 1024, "duration": "10us", "period": "20us"}]},
    {"name": "rear", "platform": "tx2", "operations": [
      {"kernel": "K", "stream": "a", "blocks": 4, "threads": 1024, "duration": "10us", "period": "30us"}]}]})");
  REQUIRE(scenario);
  REQUIRE(scenario->gpus.size() == 2);
  CHECK(scenario->gpus[1].name == "rear");
  const StreamRun run = simulate_streams(*scenario).value();
  const auto completions = [&](std::size_t gpu, StreamOperationKind kind) {
    std::vector<Instant> times;
    for (std::size_t i = 0; i < run.operations.size(); ++i)
      if (scenario->gpu_of(scenario->streams[scenario->operations[i].stream]) == gpu &&
          scenario->operations[i].kind == kind)
        times.push_back(run.operations[i].completion);
    return times;
  };
  CHECK(completions(0, StreamOperationKind::host_to_device) == std::vector{at_us(5), at_us(30), at_us(55)});
  CHECK(completions(0, StreamOperationKind::kernel) == std::vector{at_us(25), at_us(50), at_us(75)});
  CHECK(completions(1, StreamOperationKind::kernel) == std::vector{at_us(10), at_us(40)});
}

TEST_CASE("a process takes turns with the others of each GPU on which it has a context") {
  // On left, A and B take turns of 1 us and lose no time: 4 us of work each, A is over at 7 us and B at 8 us. On right,
  // A is alone.
  const auto kernel = [](const std::string& context) {
    return R"({"kernel": "K", "stream": "s", "context": ")" + context + R"(", "threads": 32, "duration": "4us"})";
  };
  const std::string settings = R"("platform": "tx2", "context_switch": "0us", "preemption": "instruction",)";
  const auto scenario = parse_stream_scenario(
      R"({"gpus": [{"name": "left", )" + settings +
      R"("contexts": [{"name": "A", "timeslice": "1us"}, {"name": "B", "timeslice": "1us"}], "operations": [)" +
      kernel("A") + ", " + kernel("B") + R"(]}, {"name": "right", )" + settings +
      R"("contexts": [{"name": "A", "timeslice": "1us"}], "operations": [)" + kernel("A") + "]}]}");
  REQUIRE(scenario);
  const StreamRun run = simulate_streams(*scenario).value();
  REQUIRE(run.operations.size() == 3);
  CHECK(run.operations[0].completion == at_us(7));
  CHECK(run.operations[1].completion == at_us(8));
  CHECK(run.operations[2].completion == at_us(4));
  for (const EngineSlice& slice : run.slices) CHECK(slice.context < 3);
  for (const auto& bound : stream_bounds(*scenario)) CHECK_FALSE(bound);
  CHECK(parts_of(parts_of(*scenario).front().scenario).empty());
  CHECK(stream_bounds(parts_of(*scenario)[1].scenario).front());
}

TEST_CASE("the limits of a simulation count the blocks and the steps of all GPUs together") {
  const auto gpu = [](const std::string& name, const std::string& blocks) {
    return R"({"name": ")" + name + R"(", "operations": [{"kernel": "K", "stream": "s", "blocks": )" + blocks +
           R"(, "threads": 32, "duration": "1us"}]})";
  };
  CHECK(error_of("[" + gpu("a", "6000000") + ", " + gpu("b", "4000001") + "]")
            .ends_with("more than 10000000 blocks in all"));
  const auto one = parse_stream_scenario(R"({"gpus": [)" + gpu("a", "300") + "]}").value();
  const auto two = parse_stream_scenario(R"({"gpus": [)" + gpu("a", "300") + ", " + gpu("b", "300") + "]}").value();
  CHECK(simulate_streams(one, 1000));
  const auto refused = simulate_streams(two, 1000);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() ==
        "GPU \"b\": operations[0]: the blocks up to here take two steps each, more than 1000 in all; launch fewer, or "
        "raise --max-steps");
}

TEST_CASE("what a scenario says wrongly of its GPUs is refused where it stands") {
  const std::string gpu = R"({"name": "a", "operations": []})";
  CHECK(error_of("[" + gpu + "]") == "");
  CHECK(error_of("[]") == "1:10: gpus: expected an array of 1 to 64 GPUs");
  std::string many;
  for (int i = 0; i < 65; ++i) many += (i > 0 ? "," : "") + gpu;
  CHECK(error_of("[" + many + "]") == "1:10: gpus: expected an array of 1 to 64 GPUs");
  CHECK(error_of("[" + gpu + ",\n" + gpu + "]") == "2:1: gpus[1]: two GPUs are named \"a\"");
  CHECK(error_of(R"([{"operations": []}])") == "1:11: gpus[0]: a GPU needs a non-empty \"name\"");
  CHECK(error_of(R"([{"name": "a"}])") == "1:11: gpus[0]: \"operations\" is missing");
  CHECK(error_of(R"([{"name": "a", "until": "1ms", "operations": []}])")
            .starts_with("1:38: gpus[0].until: unknown key; a GPU has name, platform, amd, "));
  CHECK(error_of("[" + gpu + "]", ",\n \"platform\": \"tx2\"") ==
        "2:18: platform: unknown key beside \"gpus\"; expected gpus, until, description");
  CHECK(error_of("[" + gpu + "]", R"(, "until": "1ms", "until_ps": 3)")
            .ends_with("give either \"until\" or \"until_ps\", not both"));
  const auto one = parse_scenario_of_one_gpu(R"({"gpus": [)" + gpu + "]}");
  REQUIRE_FALSE(one);
  CHECK(format(one.error()) == "1:10: gpus: expected a scenario of one GPU");
}

}  // namespace several_gpus_test
