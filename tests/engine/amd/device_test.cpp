// SPDX-License-Identifier: Apache-2.0
// Rules of Otterness and Anderson, RTNS 2021 (A2-A7), in scenarios that can be checked by hand, and properties of
// random ones, checked on the results alone.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/amd/device.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amd_device_test {

namespace {

using namespace amalthea::engine;
using amalthea::Duration;
using amalthea::Instant;
using Times = std::vector<std::int64_t>;

/// Completions in picoseconds of the operations, given inside of "operations", "streams" and "amd".
gpu::StreamScenario scenario(const std::string& operations, const std::string& streams = "",
                             const std::string& gpu = "") {
  const std::string json = fmt::format(
      R"({{"platform": "radeon-vii", "amd": {{{}}}, "streams": [{}], "operations": [{}]}})", gpu, streams, operations);
  const auto read = gpu::parse_stream_scenario(json);
  INFO(json);
  REQUIRE(read.has_value());
  return *read;
}

Times completions(const gpu::StreamScenario& scenario) {
  Times times;
  const auto simulated = gpu::simulate_streams(scenario);
  for (const gpu::OperationRun& run : simulated.value().operations) times.push_back(run.completion.picoseconds());
  return times;
}

std::string kernel(const std::string& stream, int blocks, int threads, int duration, const std::string& more = "") {
  return fmt::format(R"({{"kernel": "{0}", "stream": "{0}", "blocks": {1}, "threads": {2}, "duration_ps": {3}{4}}})",
                     stream, blocks, threads, duration, more);
}

std::string six_streams() {
  std::string all;
  for (int stream = 0; stream < 6; ++stream)
    all += (stream == 0 ? "" : ", ") + kernel(fmt::format("s{}", stream), 4, 1024, 3);
  return all;
}

}  // namespace

TEST_CASE("Q1: the last two of six unmasked streams wait for the four shared HSA queues (A3)") {
  CHECK(completions(scenario(six_streams())) == Times{3, 3, 3, 3, 6, 6});
  CHECK(completions(scenario(six_streams(), "", R"("pool_queues": 6)")) == Times{3, 3, 3, 3, 3, 3});
  CHECK(completions(scenario(six_streams(), "", R"("pool_queues": 1)")) == Times{3, 6, 9, 12, 15, 18});
}

TEST_CASE("Q2: streams with a CU mask have separate HSA queues (A3)") {
  CHECK(completions(
            scenario(six_streams(), R"({"name": "s4", "cu_mask": "full"}, {"name": "s5", "cu_mask": "0xffff"})")) ==
        Times{3, 3, 3, 3, 3, 3});
}

TEST_CASE("a mask of a context is one of each of its streams without a mask, so that each has a queue of its own") {
  const auto masked = [](const std::string& streams, const std::string& mask) {
    return scenario(six_streams(), streams + R"(], "contexts": [{"name": "p", "cu_mask": ")" + mask + R"("})");
  };
  CHECK(completions(masked("", "full")) == Times{3, 3, 3, 3, 3, 3});
  CHECK(gpu::hsa_queues(masked("", "full")) == 6);
  // One CU has room for two of these blocks, so each kernel needs two rounds, one after the other; s0 has its own.
  CHECK(completions(masked(R"({"name": "s0", "cu_mask": "1-2", "context": "p"})", "0")).front() == 3);
  CHECK(completions(masked(R"({"name": "s0", "cu_mask": "1-2"})", "0")).back() > 6);
}

TEST_CASE("a stream can select a pool queue and a masked stream can select its ACE") {
  CHECK(completions(scenario(kernel("a", 1, 64, 3) + ", " + kernel("b", 1, 64, 3),
                             R"({"name": "a", "hsa_queue": 2}, {"name": "b", "hsa_queue": 2})")) == Times{3, 6});
  // One block at a time is handed out, 5 ps each: on one ACE the second kernel waits for the first one's blocks.
  const std::string both = kernel("a", 2, 64, 3, R"(, "dispatch_ps": 5)") + ", " + kernel("b", 1, 64, 3);
  CHECK(completions(scenario(both, R"({"name": "a", "cu_mask": "full", "ace": 1},
                                      {"name": "b", "cu_mask": "full", "ace": 1})")) == Times{8, 13});
  CHECK(completions(scenario(both, R"({"name": "a", "cu_mask": "full", "ace": 1},
                                      {"name": "b", "cu_mask": "full", "ace": 2})")) == Times{8, 3});
}

TEST_CASE("a kernel can select a pool queue so that one stream uses several and keeps its order (A2, A3)") {
  const auto two_streams = [](const std::string& second) {
    return completions(scenario(kernel("a", 1, 64, 3, R"(, "hsa_queue": 0)") + ", " + kernel("a", 1, 64, 3, second) +
                                ", " + kernel("b", 1, 64, 4, R"(, "hsa_queue": 0)")));
  };
  CHECK(two_streams(R"(, "hsa_queue": 0)") == Times{3, 10, 7});
  CHECK(two_streams(R"(, "hsa_queue": 1)") == Times{3, 6, 7});
  // The stream's own queue is the first one in turn.
  CHECK(two_streams("") == Times{3, 10, 7});
}

TEST_CASE("kernels of one stream in several HSA queues end when a plain simulation of queues says so (A2, A3)") {
  // Blocks that never wait for a CU, so that only streams and queues matter. Queues are served tick by tick.
  std::mt19937 random(28);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  struct Call {
    int stream, queue, release, duration;  // queue -1: that of the stream
    int end = -1;
  };
  for (int round = 0; round < 300; ++round) {
    const int streams = draw(1, 5);
    std::vector<int> queue_of_stream;
    std::string declared, written;
    for (int stream = 0; stream < streams; ++stream) {
      queue_of_stream.push_back(draw(0, 2) == 0 ? draw(0, 3) : -1);
      if (queue_of_stream.back() >= 0)
        declared += fmt::format(R"({}{{"name": "s{}", "hsa_queue": {}}})", declared.empty() ? "" : ", ", stream,
                                queue_of_stream.back());
    }
    std::vector<Call> calls;
    for (int number = draw(1, 12); number > 0; --number) {
      calls.push_back({draw(0, streams - 1), draw(-1, 3), draw(0, 15), draw(1, 9)});
      const Call& call = calls.back();
      written += (written.empty() ? "" : ", ") +
                 kernel(fmt::format("s{}", call.stream), draw(1, 8), 64, call.duration,
                        fmt::format(R"(, "release_ps": {}{})", call.release,
                                    call.queue < 0 ? "" : fmt::format(R"(, "hsa_queue": {})", call.queue)));
    }
    std::vector<std::vector<std::size_t>> fifo(static_cast<std::size_t>(streams)), queues(4);
    std::vector<bool> is_queued(calls.size());
    int in_turn = 0;
    for (int now = 0; now < 200; ++now) {
      for (auto& queue : queues)
        if (!queue.empty() && calls[queue.front()].end == now) {
          auto& stream = fifo[static_cast<std::size_t>(calls[queue.front()].stream)];
          stream.erase(stream.begin());
          queue.erase(queue.begin());
        }
      for (std::size_t call = 0; call < calls.size(); ++call)
        if (calls[call].release == now) fifo[static_cast<std::size_t>(calls[call].stream)].push_back(call);
      for (int release = 0; release <= now; ++release)
        for (std::size_t call = 0; call < calls.size(); ++call) {
          const auto& stream = fifo[static_cast<std::size_t>(calls[call].stream)];
          if (calls[call].release != release || is_queued[call] || stream.empty() || stream.front() != call) continue;
          int& own = queue_of_stream[static_cast<std::size_t>(calls[call].stream)];
          if (calls[call].queue < 0 && own < 0) own = in_turn++ % 4;
          queues[static_cast<std::size_t>(calls[call].queue < 0 ? own : calls[call].queue)].push_back(call);
          is_queued[call] = true;
        }
      for (auto& queue : queues)
        if (!queue.empty() && calls[queue.front()].end < 0)
          calls[queue.front()].end = now + calls[queue.front()].duration;
    }
    Times expected;
    for (const Call& call : calls) expected.push_back(call.end);
    INFO(declared << " " << written);
    CHECK(completions(scenario(written, declared)) == expected);
  }
}

TEST_CASE("an ACE serves its queues in turn kernel by kernel (A4)") {
  // One CU, so that every kernel of 2 blocks fills it; both streams on ACE 0, two kernels each.
  const std::string kernels = kernel("a", 2, 1024, 4) + ", " + kernel("a", 2, 1024, 4) + ", " +
                              kernel("b", 2, 1024, 4) + ", " + kernel("b", 2, 1024, 4);
  CHECK(completions(scenario(kernels, "", R"("aces": 1, "shader_engines": 1, "units_per_engine": 1)")) ==
        Times{4, 12, 8, 16});
}

TEST_CASE("Q3: two engines with one CU each run four blocks of 1024 threads at a time") {
  CHECK(completions(scenario(kernel("a", 10, 1024, 4), "", R"("shader_engines": 2, "units_per_engine": 1)")) ==
        Times{12});
}

TEST_CASE("Q5: small blocks overtake a large block that does not fit (A6)") {
  for (const char* turns : {"round_robin", "oldest"})
    CHECK(completions(scenario(kernel("a", 6, 1024, 4) + ", " + kernel("b", 12, 256, 4), "",
                               fmt::format(R"("shader_engines": 1, "units_per_engine": 1, "turns": "{}")", turns))) ==
          Times{20, 12});
}

TEST_CASE("Q7 and Q8: one additional CU on another engine doubles the time (A5)") {
  // CUs 0 to 3 of SE 0 and of SE 2.
  const std::string eight = "0,2,4,6,8,10,12,14";
  const auto time = [&](const std::string& mask) {
    return completions(scenario(kernel("a", 24, 1024, 4), fmt::format(R"({{"name": "a", "cu_mask": "{}"}})", mask)));
  };
  CHECK(time(eight) == Times{8});
  CHECK(time(eight + ",3") == Times{16});
}

TEST_CASE("block times are independent of concurrent blocks unless the kernel defines CU sharing") {
  const std::string one_unit = R"("shader_engines": 1, "units_per_engine": 1)";
  CHECK(completions(scenario(kernel("a", 2, 1024, 100), "", one_unit)) == Times{100});
  CHECK(completions(scenario(kernel("a", 2, 1024, 100, R"(, "full_speed_threads": 1024)"), "", one_unit)) ==
        Times{200});
  // Weights: of two blocks of 1024 threads, one counts three times as much. It runs at 3/4 of the CU and ends at 134;
  // by then the other has done 33 and does the rest alone.
  CHECK(completions(scenario(kernel("a", 1, 1024, 100, R"(, "full_speed_threads": 1024)") + ", " +
                                 kernel("b", 1, 1024, 100, R"(, "full_speed_threads": 1024, "weight": 3)"),
                             "", one_unit)) == Times{201, 134});
}

TEST_CASE("copies use DMA engines in stream order and NULL streams keep their order (A2 and N7)") {
  CHECK(completions(scenario(R"({"copy": "in", "stream": "a", "kind": "h2d", "duration_ps": 5}, )" +
                             kernel("a", 60, 1024, 4) +
                             R"(, {"copy": "out", "stream": "a", "kind": "d2h", "duration_ps": 6},
                                 {"copy": "other", "stream": "b", "kind": "d2h", "duration_ps": 7})")) ==
        Times{5, 9, 15, 7});
  CHECK(completions(scenario(kernel("a", 1, 64, 5) + R"(, {"kernel": "n", "threads": 64, "duration_ps": 3}, )" +
                             kernel("b", 1, 64, 2))) == Times{5, 8, 10});
}

TEST_CASE("kernels of different processes run concurrently without time slices") {
  CHECK(completions(gpu::parse_stream_scenario(R"({"platform": "radeon-vii",
      "contexts": [{"name": "A", "timeslice_ps": 1}, {"name": "B", "timeslice_ps": 1}], "operations": [
      {"kernel": "a", "context": "A", "stream": "a", "blocks": 60, "threads": 1024, "duration_ps": 50},
      {"kernel": "b", "context": "B", "stream": "b", "blocks": 60, "threads": 1024, "duration_ps": 70}]})")
                        .value()) == Times{50, 70});
}

TEST_CASE("a kernel without a launch configuration waits for an empty GPU and later blocks wait for it") {
  amd::Device device(amd::device_settings(*find_profile("radeon-vii")));
  const auto context = device.add_context({}, gpu::ContextPriority::medium);
  std::vector<gpu::OperationId> ids;
  for (int index = 0; index < 3; ++index) {
    gpu::DeviceOperation operation;
    operation.stream = device.add_stream(context, {});
    operation.duration = Duration::picoseconds(10);
    if (index != 1) operation.block = gpu::SmUse{1, 1, 0, 0};
    ids.push_back(device.submit(operation));
  }
  std::vector<gpu::OperationId> completed;
  std::map<gpu::OperationId, std::int64_t> ends;
  device.settle();
  CHECK(device.standing(ids[0]).kind == gpu::OperationStanding::Kind::executing);
  CHECK(device.standing(ids[1]).by == ids[0]);
  while (ends.size() < 3) {
    const Instant now = device.next_event();
    REQUIRE(now != Instant::never());
    completed.clear();
    device.advance(now, completed);
    for (const gpu::OperationId id : completed) ends[id] = now.picoseconds();
    device.settle();
  }
  CHECK(ends == std::map<gpu::OperationId, std::int64_t>{{ids[0], 10}, {ids[1], 20}, {ids[2], 30}});
  CHECK(device.busy(0) == Duration::picoseconds(30));
}

TEST_CASE("more queues than slots take turns for a quantum each") {
  // One CU with room for two blocks. The quantum of a is 10 ms; its next block, already at the engine, starts then. b has
  // the slot and starts beside that block. a gets the slot back when b has ended, at 12 ms.
  constexpr int ms = 1'000'000'000;
  const std::string both = kernel("a", 20, 1024, 2 * ms) + ", " + kernel("b", 1, 1024, 2 * ms);
  const std::string streams = R"({"name": "a", "cu_mask": "0"}, {"name": "b", "cu_mask": "0"})";
  const std::string one_cu = R"("shader_engines": 1, "units_per_engine": 1, "aces": 1, "slots_per_ace": )";
  CHECK(completions(scenario(both, streams, one_cu + "1")) == Times{std::int64_t{22} * ms, std::int64_t{12} * ms});
  CHECK(completions(scenario(both, streams, one_cu + "2")) == Times{std::int64_t{20} * ms, std::int64_t{22} * ms});
}

TEST_CASE("an ACE with slices turns to its next queue before all blocks of a kernel are dispatched (A4)") {
  // One CU with room for two blocks. At 5 ms the ACE turns from a, whose next block waits at the engine, to b, whose block
  // starts at 6 ms.
  constexpr int ms = 1'000'000'000;
  const std::string both = kernel("a", 20, 1024, 2 * ms) + ", " + kernel("b", 1, 1024, 2 * ms);
  const std::string streams = R"({"name": "a", "cu_mask": "0"}, {"name": "b", "cu_mask": "0"})";
  const std::string one_cu = R"("shader_engines": 1, "units_per_engine": 1, "aces": 1)";
  const auto with_slices = [&](const std::string& slice) {
    return completions(scenario(both, streams, one_cu + R"(, "ace_slice": ")" + slice + "\""));
  };
  CHECK(completions(scenario(both, streams, one_cu)) == Times{std::int64_t{20} * ms, std::int64_t{22} * ms});
  CHECK(with_slices("5ms") == Times{std::int64_t{22} * ms, std::int64_t{8} * ms});
  CHECK(with_slices("7us") == Times{std::int64_t{22} * ms, std::int64_t{4} * ms});
  CHECK(with_slices("1s") == Times{std::int64_t{20} * ms, std::int64_t{22} * ms});
  // Nobody else wants the ACE.
  CHECK(completions(scenario(kernel("a", 20, 1024, 2 * ms), streams, one_cu + R"(, "ace_slice": "1us")")) ==
        Times{std::int64_t{20} * ms});
  CHECK(gpu::parse_stream_scenario(R"({"platform": "radeon-vii", "amd": {"ace_slice": "999ns"}, "operations": []})")
            .error()
            .message == "amd.ace_slice: a slice takes a microsecond or more");
}

TEST_CASE("the HSA queues that a scenario needs are counted") {
  CHECK(gpu::hsa_queues(scenario(six_streams())) == 4);
  CHECK(gpu::hsa_queues(scenario(six_streams(), R"({"name": "s4", "cu_mask": "full"})")) == 5);
  const std::string mine = kernel("a", 1, 64, 3, R"(, "hsa_queue": 1)");
  CHECK(gpu::hsa_queues(scenario(mine + ", " + mine)) == 1);
  CHECK(gpu::hsa_queues(scenario(mine + ", " + kernel("a", 1, 64, 3))) == 2);
  CHECK(gpu::hsa_queues(scenario(mine + ", " + six_streams())) == 4);
  CHECK(gpu::hsa_queues(scenario(R"({"copy": "c", "stream": "a", "kind": "h2d", "duration_ps": 5})")) == 0);
}

TEST_CASE("keys for AMD GPUs are rejected on other GPUs and invalid values have a reason") {
  const auto error = [](const std::string& json) { return gpu::parse_stream_scenario(json).error().message; };
  CHECK(error(R"({"amd": {}, "operations": []})") == "amd: the platform is not an AMD GPU");
  CHECK(error(R"({"streams": [{"name": "a", "cu_mask": "0x1"}], "operations": []})") ==
        "streams[0].cu_mask: unknown key; a stream has name, priority, context, deadline, sm_mask");
  const std::string radeon = R"({"platform": "radeon-vii", "operations": [], "streams": [{"name": "a", )";
  CHECK(error(radeon + R"("cu_mask": "0x0"}]})") == "streams[0].cu_mask: it enables no CU");
  CHECK(error(radeon + R"("hsa_queue": 4}]})") == "streams[0].hsa_queue: expected a whole number from 0 to 3");
  CHECK(error(radeon + R"("cu_mask": "0x1", "hsa_queue": 1}]})") ==
        "streams[0]: a stream with a \"cu_mask\" has an HSA queue of its own and no \"hsa_queue\"");
  CHECK(error(radeon + R"("ace": 1}]})") == "streams[0]: \"ace\" needs a \"cu_mask\"");
  const std::string of_kernel = R"("operations": [{"kernel": "k", "stream": "a", "threads": 64, "duration": "1us", )";
  CHECK(error(R"({"platform": "radeon-vii", )" + of_kernel + R"("hsa_queue": 4}]})") ==
        "operations[0].hsa_queue: expected a whole number from 0 to 3");
  CHECK(error(R"({"platform": "radeon-vii", "streams": [{"name": "a", "cu_mask": "0x1"}], )" + of_kernel +
              R"("hsa_queue": 1}]})") ==
        "operations[0]: a kernel of a stream with a \"cu_mask\" has the HSA queue of the stream and no \"hsa_queue\"");
  CHECK(error("{" + of_kernel + R"("hsa_queue": 1}]})").starts_with("operations[0].hsa_queue: unknown key"));
  CHECK(error(R"({"platform": "radeon-vii", "operations": [{"kernel": "k", "like": "mm512"}]})") ==
        "operations[0].like: the platform has no such kernel");
}

TEST_CASE("random scenarios respect block order and CU capacity and masks and complete") {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 150; ++round) {
    const int engines = draw(1, 4);
    const int per_engine = draw(1, 4);
    const amd::Layout layout{engines, per_engine};
    std::string streams;
    std::string operations;
    for (int stream = 0; stream < 6; ++stream) {
      std::string mask;
      while (mask.empty()) {
        for (std::int64_t bit = 0; bit < layout.units(); ++bit)
          if (draw(0, 1) == 1) mask += fmt::format("{}{}", mask.empty() ? "" : ",", bit);
      }
      if (draw(0, 1) == 1)
        streams += fmt::format(R"({}{{"name": "s{}", "cu_mask": "{}"}})", streams.empty() ? "" : ", ", stream, mask);
      for (int number = draw(1, 3); number > 0; --number)
        operations +=
            (operations.empty() ? "" : ", ") +
            kernel(fmt::format("s{}", stream), draw(1, 40), 64 << draw(0, 4), draw(1, 50),
                   fmt::format(R"(, "release_ps": {}, "full_speed_threads": {}, "weight": {}, "dispatch_ps": {})",
                               draw(0, 60), 1024 * draw(0, 1), draw(1, 3), draw(0, 3)));
    }
    auto made = scenario(operations, streams,
                         fmt::format(R"("shader_engines": {}, "units_per_engine": {}, "aces": {}, "turns": "{}")",
                                     engines, per_engine, draw(1, 4), draw(0, 1) == 1 ? "oldest" : "round_robin"));
    if (round % 2 == 1) made.device.amd->ace_slice = Duration::picoseconds(draw(1, 40));
    const auto run = gpu::simulate_streams(made).value();
    std::vector<std::tuple<Instant, bool, gpu::SmIndex, std::int64_t>> changes;
    for (std::size_t index = 0; index < run.operations.size(); ++index) {
      const gpu::StreamOperation& operation = made.operations[index];
      const gpu::OperationRun& done = run.operations[index];
      REQUIRE(done.blocks.size() == static_cast<std::size_t>(operation.blocks));
      // A7: no CU outside of the mask.
      std::set<std::size_t> enabled;
      const auto& mask = made.streams[operation.stream].mask;
      for (std::int64_t bit = 0; bit < layout.units(); ++bit)
        if (!mask || mask->bits[static_cast<std::size_t>(bit)])
          enabled.insert(static_cast<std::size_t>(layout.unit_of_bit(bit)));
      std::vector<std::size_t> in_use;
      for (int engine = 0; engine < engines; ++engine)
        if (enabled.lower_bound(static_cast<std::size_t>(engine * per_engine)) !=
            enabled.lower_bound(static_cast<std::size_t>((engine + 1) * per_engine)))
          in_use.push_back(static_cast<std::size_t>(engine));
      // A5: block i goes to the i-th engine. So no engine is ahead of another by more than the block in the slot of
      // each, whenever a block starts.
      std::map<std::size_t, std::int64_t> started;
      for (const gpu::BlockRun& block : done.blocks) {
        REQUIRE(enabled.count(block.sm) == 1);
        ++started[block.sm / static_cast<std::size_t>(per_engine)];
        std::int64_t least = operation.blocks;
        std::int64_t most = 0;
        for (const std::size_t engine : in_use) {
          least = std::min(least, started[engine]);
          most = std::max(most, started[engine]);
        }
        REQUIRE(most - least <= 2);
        changes.emplace_back(block.start, true, block.sm, operation.shape.threads);
        changes.emplace_back(block.end, false, block.sm, operation.shape.threads);
      }
      for (std::size_t place = 0; place < in_use.size(); ++place)
        REQUIRE(started[in_use[place]] == (operation.blocks + static_cast<std::int64_t>(in_use.size() - 1 - place)) /
                                              static_cast<std::int64_t>(in_use.size()));
    }
    // No CU holds more than it can; what ends makes room first.
    std::sort(changes.begin(), changes.end());
    std::map<gpu::SmIndex, std::int64_t> threads;
    for (const auto& [time, begins, unit, count] : changes) {
      threads[unit] += begins ? count : -count;
      REQUIRE(threads[unit] <= 2048);
      REQUIRE(threads[unit] >= 0);
    }
  }
}

}  // namespace amd_device_test
