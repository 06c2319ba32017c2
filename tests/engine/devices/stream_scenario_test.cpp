// SPDX-License-Identifier: Apache-2.0
// Rules of Amert et al., RTSS 2017 (G1–G4, X1, R1–R3, C1–C4, A1, A2), and N7, N8 of Olmedo et al., RTAS 2020;
// properties are checked on the results alone.

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>

#include "engine/devices/stream_scenario.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/response_time.hpp"

namespace devices_stream_scenario_test {

namespace {

using namespace amalthea::engine::gpu;
using namespace amalthea::engine::nvidia;
using amalthea::Duration;
using amalthea::Instant;

const SmLimits& tx2() { return *amalthea::engine::find_profile("tx2")->multiprocessors; }

Instant at(std::int64_t time) { return Instant::at(Duration::picoseconds(time)); }

/// A scenario on a TX2, by one call per operation. Stream "" is the NULL stream.
class Maker {
 public:
  Maker() { scenario.limits() = tx2(); }
  StreamOperation& kernel(const std::string& stream, std::int64_t release, std::int64_t blocks, std::int64_t threads,
                          std::int64_t duration) {
    StreamOperation& operation = add(stream, release, duration);
    operation.blocks = blocks;
    operation.shape.threads = threads;
    return operation;
  }
  StreamOperation& copy(const std::string& stream, std::int64_t release, std::int64_t duration,
                        StreamOperationKind kind = StreamOperationKind::host_to_device) {
    StreamOperation& operation = add(stream, release, duration);
    operation.kind = kind;
    return operation;
  }
  void high(const std::string& stream) { scenario.streams[index_of(stream)].priority = StreamPriority::high; }
  std::vector<OperationRun> run() const { return simulate_streams(scenario).value().operations; }
  std::vector<std::int64_t> completions() const {
    std::vector<std::int64_t> times;
    for (const OperationRun& run : run()) times.push_back(run.completion.picoseconds());
    return times;
  }
  std::vector<std::int64_t> starts() const {
    std::vector<std::int64_t> times;
    for (const OperationRun& run : run()) times.push_back(run.start.picoseconds());
    return times;
  }

  StreamScenario scenario = [] {
    StreamScenario empty;
    empty.contexts.emplace_back();
    return empty;
  }();

 private:
  std::size_t index_of(const std::string& name) {
    for (std::size_t index = 0; index < scenario.streams.size(); ++index)
      if (scenario.streams[index].name == name) return index;
    scenario.streams.push_back({{StreamPriority::low, name.empty()}, name, 0});
    return scenario.streams.size() - 1;
  }
  StreamOperation& add(const std::string& stream, std::int64_t release, std::int64_t duration) {
    StreamOperation operation;
    operation.stream = index_of(stream);
    operation.release = at(release);
    operation.duration = Duration::picoseconds(duration);
    scenario.operations.push_back(operation);
    return scenario.operations.back();
  }
};

using Times = std::vector<std::int64_t>;

std::vector<SmIndex> sms_of(const OperationRun& run) {
  std::vector<SmIndex> sms;
  for (const BlockRun& block : run.blocks) sms.push_back(block.sm);
  return sms;
}

/// What is resident on every SM at a time at which nothing starts or ends, or just before or after.
enum class When { before, after };
std::vector<SmUse> resident(const StreamScenario& scenario, const std::vector<OperationRun>& runs, Instant time,
                            When when) {
  std::vector<SmUse> use(static_cast<std::size_t>(scenario.limits().sms));
  for (std::size_t index = 0; index < runs.size(); ++index)
    for (const BlockRun& block : runs[index].blocks) {
      const bool counts =
          when == When::before ? block.start < time && time <= block.end : block.start <= time && time < block.end;
      if (counts) use[block.sm] += use_of_block(scenario.limits(), scenario.operations[index].shape).value();
    }
  return use;
}

}  // namespace

TEST_CASE("G1-G4: operations of a stream run one after the other and streams run concurrently") {
  Maker maker;
  maker.kernel("a", 0, 1, 512, 4);
  maker.kernel("a", 0, 1, 512, 2);
  maker.kernel("b", 1, 1, 512, 3);
  CHECK(maker.starts() == Times{0, 4, 1});
  CHECK(maker.completions() == Times{4, 6, 4});
}

TEST_CASE("X1: small blocks do not overtake a kernel that does not fit") {
  Maker maker;
  maker.kernel("a", 0, 3, 1024, 4);
  maker.kernel("b", 0, 2, 1024, 2);
  maker.kernel("c", 0, 4, 256, 1);
  CHECK(maker.completions() == Times{4, 4, 5});
}

TEST_CASE("A1 and A2: high-priority blocks precede unassigned low-priority blocks") {
  Maker maker;
  maker.kernel("low", 0, 6, 1024, 4);
  maker.kernel("high", 1, 2, 1024, 2);
  maker.high("high");
  CHECK(maker.completions() == Times{8, 6});
}

TEST_CASE("A2: low-priority blocks run only when all high-priority blocks are assigned") {
  Maker maker;
  maker.kernel("high", 0, 1, 1024, 9);
  maker.kernel("low", 0, 1, 1024, 2);
  maker.high("high");
  CHECK(maker.completions() == Times{9, 2});
  Maker waiting;
  waiting.kernel("low", 0, 3, 1024, 4);
  waiting.kernel("high", 1, 2, 1024, 4);  // one block at 1, one at 4
  waiting.kernel("low2", 2, 1, 32, 1);
  waiting.high("high");
  CHECK(waiting.starts() == Times{0, 1, 4});
  CHECK(waiting.completions() == Times{4, 8, 5});
}

TEST_CASE("a stream of high priority that takes the place of blocks of low priority pays for the preemption once") {
  // Four blocks of 1024 threads at a time. low has started and has blocks left; nothing starts from 4 to 5.
  const auto completions = [](std::int64_t low_blocks, std::int64_t low_threads, const auto& add_high) {
    Maker maker;
    maker.scenario.device.stream_preemption = Duration::picoseconds(1);
    maker.kernel("low", 0, low_blocks, low_threads, 4);
    add_high(maker);
    maker.high("high");
    return maker.completions();
  };
  CHECK(completions(8, 1024, [](Maker& maker) { maker.kernel("high", 1, 2, 1024, 2); }) == Times{11, 7});
  // It waits for nothing of low.
  CHECK(completions(3, 1024, [](Maker& maker) { maker.kernel("high", 1, 1, 1024, 2); }) == Times{4, 3});
  // A block of low does not fit beside the others, so none loses its place.
  CHECK(completions(5, 768, [](Maker& maker) { maker.kernel("high", 1, 1, 256, 2); }) == Times{8, 3});
  // low has not started.
  Maker first;
  first.scenario.device.stream_preemption = Duration::picoseconds(1);
  first.kernel("other", 0, 4, 1024, 4);
  first.kernel("low", 1, 4, 1024, 4);
  first.kernel("high", 2, 4, 1024, 4);
  first.high("high");
  CHECK(first.completions() == Times{4, 12, 8});
  // low comes back only after both, or between them.
  CHECK(completions(8, 1024, [](Maker& maker) {
          maker.kernel("high", 1, 4, 1024, 2);
          maker.kernel("high", 1, 4, 1024, 2);
        }) == Times{13, 7, 9});
  CHECK(completions(8, 1024, [](Maker& maker) {
          maker.kernel("high", 1, 2, 1024, 2);
          maker.kernel("high", 1, 2, 1024, 2);
        }) == Times{13, 7, 10});
}

TEST_CASE("preemptions of streams agree with a simulation in single time steps") {
  std::mt19937 random(21);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  int preemptions = 0;
  for (int round = 0; round < 500; ++round) {
    struct Kernel {
      bool high = false;
      std::int64_t release = 0, blocks = 0, duration = 0, assigned = 0, ended = 0, end = 0;
    };
    std::vector<Kernel> kernels;
    Maker maker;
    const std::int64_t cost = draw(1, 4);
    maker.scenario.device.stream_preemption = Duration::picoseconds(cost);
    std::int64_t release = 0;
    for (int n = draw(2, 6); n > 0; --n) {
      release += draw(0, 5);
      kernels.push_back({draw(0, 1) == 1, release, draw(1, 9), draw(1, 6)});
      const std::string stream = std::to_string(n);
      maker.kernel(stream, release, kernels.back().blocks, 1024, kernels.back().duration);
      if (kernels.back().high) maker.high(stream);
    }
    std::multimap<std::int64_t, std::size_t> ends;
    std::int64_t free = 4, paused_until = 0;
    bool is_preempted = false;
    const auto head = [&](bool high, std::int64_t now) -> Kernel* {
      for (Kernel& kernel : kernels)
        if (kernel.high == high && kernel.release <= now && kernel.assigned < kernel.blocks) return &kernel;
      return nullptr;
    };
    for (std::int64_t now = 0; now < 1000; ++now) {
      for (; !ends.empty() && ends.begin()->first == now; ends.erase(ends.begin())) {
        Kernel& kernel = kernels[ends.begin()->second];
        ++free;
        if (++kernel.ended == kernel.blocks) kernel.end = now;
      }
      while (free > 0 && now >= paused_until) {
        Kernel* const high = head(true, now);
        Kernel* const low = head(false, now);
        if (high != nullptr && low != nullptr && high->assigned == 0 && low->assigned > 0 && !is_preempted) {
          is_preempted = true;
          paused_until = now + cost;
          ++preemptions;
          break;
        }
        Kernel* const next = high != nullptr ? high : low;
        if (next == nullptr) break;
        if (!next->high) is_preempted = false;
        ++next->assigned;
        --free;
        ends.emplace(now + next->duration, next - kernels.data());
      }
    }
    Times expected;
    for (const Kernel& kernel : kernels) expected.push_back(kernel.end);
    REQUIRE(maker.completions() == expected);
  }
  CHECK(preemptions > 100);
}

TEST_CASE("R1-R3: a block waits for shared memory and registers like for threads") {
  Maker memory;
  memory.kernel("a", 0, 2, 32, 4).shape.shared_memory = 49152;
  memory.kernel("b", 0, 1, 32, 2).shape.shared_memory = 24576;  // 64 KiB per SM
  CHECK(memory.completions() == Times{4, 6});
  Maker registers;
  registers.kernel("a", 0, 2, 1024, 4).shape.registers = 40;
  registers.kernel("b", 0, 1, 1024, 2).shape.registers = 32;
  CHECK(registers.completions() == Times{4, 6});
  Maker blocks;
  blocks.kernel("a", 0, 66, 32, 1'000'000);  // 32 per SM
  const auto runs = blocks.run();
  CHECK(std::count_if(runs[0].blocks.begin(), runs[0].blocks.end(),
                      [](const BlockRun& b) { return b.start == at(0); }) == 64);
  for (std::size_t block = 0; block < 66; ++block) CHECK(runs[0].blocks[block].sm == block % 2);  // measured on a TX2
}

TEST_CASE("C1-C4: copies use the copy engine in the order in which they become heads of their streams") {
  Maker maker;
  maker.copy("a", 0, 3);
  maker.kernel("a", 0, 1, 32, 4);
  maker.copy("a", 0, 2, StreamOperationKind::device_to_host);
  maker.copy("b", 1, 5);
  maker.copy("c", 1, 1, StreamOperationKind::memset);
  CHECK(maker.starts() == Times{0, 3, 9, 3, 8});  // the copy back is ready at 7, behind the memset
  CHECK(maker.completions() == Times{3, 7, 11, 8, 9});
  maker.scenario.device.copy_engines = 2;
  CHECK(maker.starts() == Times{0, 3, 7, 3, 8});
}

TEST_CASE("N7: the NULL stream waits for earlier releases and delays later ones") {
  Maker maker;
  maker.kernel("a", 0, 1, 32, 4);
  maker.kernel("", 1, 1, 32, 2);
  maker.kernel("b", 2, 1, 32, 3);
  maker.kernel("a", 2, 1, 32, 1);
  maker.copy("c", 2, 1);
  CHECK(maker.starts() == Times{0, 4, 6, 6, 6});
  Maker twice;  // what was released before the NULL stream's operation runs, wherever it is in its stream
  twice.kernel("a", 0, 1, 32, 2);
  twice.kernel("a", 0, 1, 32, 2);
  twice.kernel("", 0, 1, 32, 1);
  twice.kernel("", 0, 1, 32, 1);
  twice.kernel("a", 0, 1, 32, 1);
  CHECK(twice.starts() == Times{0, 2, 4, 5, 6});
}

TEST_CASE("N8: kernels with different cache configurations are serialized and equal ones run concurrently") {
  Maker maker;
  maker.kernel("a", 0, 1, 32, 4).cache_config = "shared";
  maker.kernel("b", 0, 1, 32, 4).cache_config = "L1";
  maker.kernel("c", 0, 1, 32, 4).cache_config = "L1";
  maker.kernel("d", 0, 1, 32, 4).cache_config = "shared";
  CHECK(maker.starts() == Times{0, 4, 4, 8});
}

TEST_CASE("T10: the run of the thesis on a TX2 has the same completion times and SMs of first blocks") {
  Maker maker;
  maker.kernel("2", 0, 7, 512, 6);
  maker.kernel("3", 0, 2, 512, 6);
  maker.kernel("4", 0, 5, 512, 5);
  maker.kernel("1", 0, 2, 512, 4);
  CHECK(maker.completions() == Times{6, 12, 11, 10});
  const auto runs = maker.run();
  CHECK(sms_of(runs[0]) == std::vector<SmIndex>{0, 1, 0, 1, 0, 1, 0});
  CHECK(runs[1].blocks[0].sm == 1);
  CHECK(runs[1].blocks[0].start == at(0));
  CHECK(runs[1].blocks[1].start == at(6));
}

TEST_CASE("operations without duration pass all stages in one instant") {
  Maker maker;
  maker.copy("a", 5, 0);
  maker.kernel("a", 5, 3, 1024, 0);
  maker.kernel("", 5, 9, 1024, 0);
  maker.copy("a", 5, 0, StreamOperationKind::device_to_host);
  CHECK(maker.completions() == Times{5, 5, 5, 5});
}

TEST_CASE("a scenario with far too many time slices is refused and names the option that allows them") {
  Maker maker;
  maker.kernel("a", 0, 1, 32, 1).duration = Duration::seconds(1);
  maker.kernel("b", 0, 1, 32, 1).duration = Duration::seconds(1);
  maker.scenario.contexts.emplace_back();
  maker.scenario.streams[1].context = 1;
  for (Context& context : maker.scenario.contexts) context.slice = Duration::picoseconds(1);
  const auto run = simulate_streams(maker.scenario, 1000);
  REQUIRE_FALSE(run);
  CHECK(run.error().find("the simulation is not at its end after 1000 steps, at ") == 0);
  CHECK(run.error().find("raise --max-steps") != std::string::npos);
}

TEST_CASE("an impossible scenario is rejected") {
  Maker maker;
  maker.kernel("a", 0, 1, 32, 1);
  maker.kernel("a", 0, 1, 2000, 1);
  CHECK(simulate_streams(maker.scenario).error() ==
        "operations[1]: a block of 2000 threads exceeds the 1024 a block may have");
  maker.scenario.operations[1].shape.threads = 32;
  maker.scenario.operations[1].blocks = max_simulated_blocks;
  CHECK(simulate_streams(maker.scenario).error() == "operations[1]: more than 10000000 blocks in all");
  maker.scenario.operations[1].blocks = default_stream_steps / 2;
  CHECK(simulate_streams(maker.scenario).error() ==
        "operations[1]: the blocks up to here take two steps each, more than 2000000 in all; launch fewer, or raise "
        "--max-steps");
  maker.scenario.operations[1].blocks = 1;
  maker.scenario.operations[1].duration = Duration::max();
  CHECK(simulate_streams(maker.scenario).error() == "the scenario lasts longer than 2^63 ps");
  maker.scenario.operations.erase(maker.scenario.operations.begin());
  CHECK(simulate_streams(maker.scenario).error() ==
        "operations[0]: it ends later than 2^63 ps; shorten what comes before it and itself");
  CHECK(simulate_streams({}).value().operations.empty());
}

TEST_CASE("T9: the response time algorithm agrees on 10 000 random sets with one kernel per stream") {
  std::mt19937 random(7);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 10000; ++run) {
    RtaProblem problem{std::int64_t{4} << draw(0, 3), {}};
    Maker maker;
    for (int n = draw(1, 9); n > 0; --n) {
      problem.kernels.push_back({draw(0, 30), draw(1, 12), draw(1, 2 * static_cast<int>(problem.g_max))});
      const RtaKernel& kernel = problem.kernels.back();
      maker.kernel(std::to_string(n), kernel.release, kernel.blocks, 4096 / problem.g_max, kernel.execution);
    }
    INFO("run " << run);
    REQUIRE(maker.completions() == response_times(problem).value().completion);
  }
}

TEST_CASE(
    "random scenarios respect stream order and capacity and X1 and A2 and N7 and N8 without unnecessary waiting") {
  std::mt19937 random(11);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 1500; ++run) {
    INFO("run " << run);
    Maker maker;
    maker.scenario.limits().sms = draw(1, 4);
    maker.scenario.device.copy_engines = draw(1, 2);
    const bool one_kind = run % 3 == 0;  // no NULL stream, no cache configurations: then no block waits without need
    for (int n = draw(1, 14); n > 0; --n) {
      const std::string stream = one_kind || draw(0, 7) > 0 ? std::string(1, static_cast<char>('a' + draw(0, 4))) : "";
      if (draw(0, 3) == 0) {
        maker.copy(stream, draw(0, 20), draw(1, 9),
                   draw(0, 1) == 0 ? StreamOperationKind::host_to_device : StreamOperationKind::device_to_host);
      } else {
        StreamOperation& kernel = maker.kernel(stream, draw(0, 20), draw(1, 9), draw(1, 1024), draw(1, 9));
        kernel.shape.registers = draw(0, 60);
        kernel.shape.shared_memory = draw(0, 1) * draw(0, 49152);
        if (!one_kind && draw(0, 2) == 0) kernel.cache_config = "other";
        if (!use_of_block(tx2(), kernel.shape)) kernel.shape.registers = 0;
      }
    }
    for (Stream& stream : maker.scenario.streams)
      if (draw(0, 2) == 0) stream.priority = StreamPriority::high;
    const StreamScenario& scenario = maker.scenario;
    const auto runs = maker.run();

    std::vector<std::size_t> order(runs.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return scenario.operations[a].release < scenario.operations[b].release; });
    std::vector<std::size_t> rank(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
    for (std::size_t second = 0; second < order.size(); ++second) {
      const std::size_t b = order[second];
      const StreamOperation& later = scenario.operations[b];
      REQUIRE(runs[b].enqueued >= later.release);
      REQUIRE(runs[b].start >= runs[b].enqueued);
      REQUIRE(runs[b].completion >= runs[b].start + later.duration);
      if (later.kind == StreamOperationKind::kernel)
        REQUIRE(static_cast<std::int64_t>(runs[b].blocks.size()) == later.blocks);
      for (std::size_t first = 0; first < second; ++first) {
        const std::size_t a = order[first];
        const StreamOperation& earlier = scenario.operations[a];
        const bool has_null = scenario.streams[earlier.stream].is_null || scenario.streams[later.stream].is_null;
        if (earlier.stream == later.stream || has_null) REQUIRE(runs[b].start >= runs[a].completion);  // G4, N7
      }
    }

    std::vector<std::size_t> kernels;
    for (std::size_t index = 0; index < runs.size(); ++index) {
      if (scenario.operations[index].kind == StreamOperationKind::kernel) kernels.push_back(index);
      for (std::size_t other = 0; other < index; ++other) {  // C2
        const auto kind = [&](std::size_t i) { return scenario.operations[i].kind; };
        if (kind(index) == StreamOperationKind::kernel || kind(other) == StreamOperationKind::kernel) continue;
        if (scenario.device.copy_engines == 2 && kind(index) != kind(other)) continue;
        REQUIRE((runs[index].start >= runs[other].completion || runs[other].start >= runs[index].completion));
      }
    }
    const auto priority = [&](std::size_t index) {
      return scenario.streams[scenario.operations[index].stream].priority;
    };
    for (const std::size_t a : kernels)
      for (const std::size_t b : kernels) {
        const auto last_start = [&](std::size_t index) { return runs[index].blocks.back().start; };
        if (priority(a) == priority(b) && runs[a].enqueued < runs[b].enqueued)
          REQUIRE(runs[b].start >= last_start(a));  // X1
        for (const BlockRun& block : runs[b].blocks) {
          if (priority(a) < priority(b) && runs[a].enqueued <= block.start)
            REQUIRE(last_start(a) <= block.start);  // A2
          if (scenario.operations[a].cache_config == scenario.operations[b].cache_config) continue;
          for (const BlockRun& other : runs[a].blocks)
            REQUIRE((other.end <= block.start || block.end <= other.start));  // N8
        }
      }

    for (const std::size_t index : kernels)
      for (const BlockRun& block : runs[index].blocks) {
        for (const SmUse& use : resident(scenario, runs, block.start, When::after))
          REQUIRE(fits(scenario.limits(), {}, use));
        if (!one_kind || block.start == runs[index].enqueued) continue;
        // It waited: at the last moment before, either it was not its kernel's turn, or no SM had room.
        bool was_turn = true;
        for (const std::size_t other : kernels) {
          const auto turn = [&](std::size_t i) { return std::make_tuple(priority(i), runs[i].enqueued, rank[i]); };
          const bool before = turn(other) < turn(index);
          if (other != index && before && runs[other].enqueued <= block.start &&
              runs[other].blocks.back().start == block.start)
            was_turn = false;
        }
        const SmUse need = use_of_block(scenario.limits(), scenario.operations[index].shape).value();
        const auto before = resident(scenario, runs, block.start, When::before);
        const bool had_room = std::any_of(before.begin(), before.end(),
                                          [&](const SmUse& use) { return fits(scenario.limits(), use, need); });
        if (was_turn) REQUIRE_FALSE(had_room);
      }
  }
}

TEST_CASE("a scenario is read from JSON and errors have a location") {
  const auto scenario = parse_stream_scenario(R"({"platform": "xavier", "copy_engines": 2, "description": "x",
    "streams": [{"name": "a", "priority": "high"}],
    "operations": [
      {"kernel": "K", "stream": "a", "release": "1us", "duration": "2500us", "blocks": 3, "threads": 96, "registers": 20,
       "shared_memory": 4096, "cache_config": "L1"},
      {"copy": "C", "kind": "d2h", "duration_ps": 7, "release_ps": 5}]})");
  INFO((scenario ? "" : format(scenario.error())));
  REQUIRE(scenario.has_value());
  CHECK(scenario->limits().sms == 8);
  CHECK(scenario->device.copy_engines == 2);
  REQUIRE(scenario->streams.size() == 2);
  CHECK(scenario->streams[0].priority == StreamPriority::high);
  CHECK(scenario->streams[1].is_null);
  const StreamOperation& kernel = scenario->operations[0];
  CHECK(kernel.name == "K");
  CHECK(kernel.release == at(1'000'000));
  CHECK(kernel.duration == Duration::microseconds(2500));
  CHECK(kernel.blocks == 3);
  CHECK(kernel.shape.threads == 96);
  CHECK(kernel.shape.registers == 20);
  CHECK(kernel.shape.shared_memory == 4096);
  CHECK(kernel.cache_config == "L1");
  const StreamOperation& copy = scenario->operations[1];
  CHECK(copy.kind == StreamOperationKind::device_to_host);
  CHECK(copy.stream == 1);
  CHECK(copy.duration == Duration::picoseconds(7));
  CHECK(copy.release == at(5));

  const auto error = [](const std::string& text) { return format(parse_stream_scenario(text).error()); };
  const auto operation = [&](const std::string& text) { return error("{\"operations\": [\n" + text + "]}"); };
  CHECK(error("{}") == "1:1: \"operations\" is missing");
  CHECK(error("[]") == "1:1: expected an object with \"operations\"");
  CHECK(error("{\"operations\": 1}") == "1:16: operations: expected an array");
  CHECK(error("{\"platform\": \"generic\", \"operations\": []}").starts_with("1:22: platform: not a built-in profile"));
  CHECK(error("{\"copy_engines\": 3, \"operations\": []}") == "1:18: copy_engines: expected 1 or 2");
  CHECK(error("{\"streams\": [{\"name\": \"a\"}, {\"name\": \"a\"}], \"operations\": []}") ==
        "1:29: streams[1]: two streams are named \"a\"");
  CHECK(error("{\"streams\": [{}], \"operations\": []}") == "1:14: streams[0]: a stream needs a non-empty \"name\"");
  CHECK(error("{\"streams\": [{\"name\": \"a\", \"priority\": \"top\"}], \"operations\": []}") ==
        "1:44: streams[0].priority: expected one of \"high\", \"low\"");
  CHECK(operation("{\"threads\": 1}") == "2:1: operations[0]: expected either \"kernel\" or \"copy\" with a name");
  CHECK(operation("{\"kernel\": \"K\", \"threads\": 1}") ==
        "2:1: operations[0]: expected either \"duration\" or \"duration_ps\"");
  CHECK(operation("{\"kernel\": \"K\", \"duration_ps\": 1}") == "2:1: operations[0]: \"threads\" is missing");
  CHECK(operation("{\"copy\": \"K\", \"duration_ps\": 1}") == "2:1: operations[0]: \"kind\" is missing");
  CHECK(operation("{\"copy\": \"K\", \"kind\": \"p2p\", \"duration_ps\": 1}") ==
        "2:27: operations[0].kind: expected one of \"h2d\", \"d2h\", \"memset\"");
  CHECK(operation("{\"kernel\": \"K\", \"threads\": 1, \"duration\": \"-1ms\"}") ==
        "2:48: operations[0].duration: expected a whole time such as \"5ms\" or \"2500us\"");
  CHECK(operation("{\"kernel\": \"K\", \"threads\": 1025, \"duration_ps\": 1}") ==
        "2:1: operations[0]: a block of 1025 threads exceeds the 1024 a block may have");
  CHECK(operation("{\"kernel\": \"K\", \"threads\": 1, \"blocks\": 10000001, \"duration_ps\": 1}") ==
        "2:1: operations[0]: more than 10000000 blocks in all");
  CHECK(operation("{\"copy\": \"K\", \"kind\": \"h2d\", \"duration_ps\": 1, \"threads\": 1}") ==
        "2:59: operations[0].threads: unknown key; "
        "a copy has copy, context, stream, release, period, deadline, duration, kind, host_memory");
  CHECK(operation("{\"copy\": \"K\", \"kind\": \"h2d\", \"duration_ps\": 1, \"deadline\": \"0us\"}") ==
        "2:64: operations[0].deadline: a deadline must be above zero");
  CHECK(error("{\"streams\": [{\"name\": \"a\", \"deadline\": \"1us\", \"deadline_ps\": 1}], \"operations\": []}") ==
        "1:44: streams[0].deadline: give either \"deadline\" or \"deadline_ps\", not both");
}

TEST_CASE("a scenario with several contexts is read from JSON") {
  const auto scenario = parse_stream_scenario(R"({
    "contexts": [{"name": "A", "priority": "high", "timeslice": "2ms"}, {"name": "B"}],
    "streams": [{"name": "s", "context": "B", "priority": "high"}],
    "preemption": "block", "context_switch": "50us", "cpu_traffic": 0.25, "interference": {"kernel_by_memset": 7.5},
    "operations": [
      {"kernel": "K", "context": "B", "stream": "s", "threads": 32, "duration": "1ms", "memory_share": 0.5},
      {"kernel": "L", "stream": "s", "threads": 32, "duration": "1ms"},
      {"copy": "C", "context": "B", "kind": "memset", "duration_ps": 7}]})");
  INFO((scenario ? "" : format(scenario.error())));
  REQUIRE(scenario.has_value());
  REQUIRE(scenario->contexts.size() == 2);
  CHECK(scenario->contexts[0].name == "A");
  CHECK(scenario->contexts[0].priority == ContextPriority::high);
  CHECK(scenario->contexts[0].slice == Duration::milliseconds(2));
  CHECK(scenario->contexts[1].priority == ContextPriority::medium);
  CHECK(scenario->contexts[1].slice == Duration::microseconds(2600));  // the profile's
  CHECK(scenario->device.preemption == Preemption::block);
  CHECK(scenario->device.context_switch == Duration::microseconds(50));
  CHECK(scenario->device.cpu_traffic == 0.25);
  CHECK(scenario->device.interference.kernel_by_memset.ppm == 7'500'000);
  CHECK(scenario->device.interference.kernel_by_memcpy.ppm == 3'000'000);  // the profile's
  REQUIRE(scenario->streams.size() == 3);                                  // "s" of B, "s" of A, B's NULL stream
  const auto stream_of = [&](std::size_t index) { return scenario->streams[scenario->operations[index].stream]; };
  CHECK(stream_of(0).context == 1);
  CHECK(stream_of(0).priority == StreamPriority::high);
  CHECK(stream_of(1).context == 0);
  CHECK(stream_of(1).priority == StreamPriority::low);
  CHECK(stream_of(2).context == 1);
  CHECK(stream_of(2).is_null);
  CHECK(scenario->operations[0].memory_share == 0.5);

  const auto error = [](const std::string& text) { return format(parse_stream_scenario(text).error()); };
  CHECK(error(R"({"contexts": [{"name": "A"}, {"name": "A"}], "operations": []})") ==
        "1:30: contexts[1]: two contexts are named \"A\"");
  CHECK(error(R"({"contexts": [{"name": "A", "timeslice": "0ms"}], "operations": []})") ==
        "1:46: contexts[0].timeslice: a time slice must be above zero");
  CHECK(error(R"({"contexts": [{"name": "A", "priority": "top"}], "operations": []})") ==
        "1:45: contexts[0].priority: expected one of \"high\", \"medium\", \"low\"");
  CHECK(error(R"({"operations": [{"copy": "C", "context": "X", "kind": "h2d", "duration_ps": 1}]})") ==
        "1:44: operations[0].context: \"contexts\" has no context \"X\"");
  CHECK(error(R"({"interference": {"kernel_by_dma": 2}, "operations": []})") ==
        "1:36: interference.kernel_by_dma: unknown key; expected kernel_by_memcpy, kernel_by_memset, "
        "kernel_by_same_sm, kernel_by_same_gpc, kernel_by_other_gpc, kernel_by_cpu, copy_by_kernel, copy_by_cpu, "
        "copying_processes");
  CHECK(error(R"({"interference": {"copy_by_cpu": 0.5}, "operations": []})") ==
        "1:36: interference.copy_by_cpu: expected a number from 1 to 1000");
  CHECK(error(R"({"preemption": "warp", "operations": []})") ==
        "1:21: preemption: expected one of \"instruction\", \"block\", \"kernel\"");
}

TEST_CASE(
    "an operation with a period is released until the end which defaults to a hyperperiod after the last offset") {
  const auto releases = [](const std::string& more) {
    const auto scenario = parse_stream_scenario(R"({"operations": [
      {"kernel": "K", "stream": "k", "threads": 32, "duration_ps": 1, "period_ps": 4},
      {"kernel": "L", "stream": "l", "threads": 32, "duration_ps": 1, "period_ps": 6, "release_ps": 3},
      {"copy": "C", "kind": "h2d", "duration_ps": 1}])" +
                                                more + "}");
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (const StreamOperation& operation : scenario.value().operations)
      all.emplace_back(operation.name, operation.release.picoseconds());
    return all;
  };
  using Releases = std::vector<std::pair<std::string, std::int64_t>>;
  CHECK(releases("") ==  // 3 + 12
        Releases{{"K", 0}, {"K", 4}, {"K", 8}, {"K", 12}, {"L", 3}, {"L", 9}, {"C", 0}});
  CHECK(releases(R"(, "until_ps": 8)") == Releases{{"K", 0}, {"K", 4}, {"L", 3}, {"C", 0}});
  CHECK(format(parse_stream_scenario(R"({"operations": [
      {"copy": "C", "kind": "h2d", "duration_ps": 1, "period_ps": 1}], "until": "1s"})")
                   .error()) == "2:7: operations[0]: more than 1000000 releases in all; give \"until\"");
}

TEST_CASE("a measured run on a TX2 has the same completion times and blocks per SM") {
  // Spinning kernels of 512 threads, released when the log says their first blocks began (ns since the start).
  Maker maker;
  const auto kernel = [&](const char* stream, std::int64_t release_us, std::int64_t blocks, std::int64_t seconds) {
    maker.kernel(stream, release_us * 1'000'000, blocks, 512, seconds * 1'000'000'000'000);
  };
  kernel("2", 68'618, 7, 6);
  kernel("3", 68'652, 2, 6);
  kernel("4", 68'685, 5, 5);
  kernel("1", 68'721, 2, 4);
  const auto runs = maker.run();
  const double measured[] = {6.068822517, 12.069025845, 11.068993493, 10.068992886};
  const std::int64_t first_sm[] = {4, 1, 3, 0}, second_sm[] = {3, 1, 2, 2};
  for (std::size_t index = 0; index < runs.size(); ++index) {
    INFO("kernel " << maker.scenario.streams[index].name);
    // The GPU's clock ran 34 ppm slow: 4 to 12 s took 0.14 to 0.41 ms longer than asked for.
    const double predicted = static_cast<double>(runs[index].completion.picoseconds()) / 1e12;
    CHECK(predicted == Approx(measured[index]).epsilon(40e-6));
    const auto sms = sms_of(runs[index]);
    CHECK(std::count(sms.begin(), sms.end(), SmIndex{0}) == first_sm[index]);
    CHECK(std::count(sms.begin(), sms.end(), SmIndex{1}) == second_sm[index]);
  }
}

namespace {

/// By how much the latest-delayed other operation ends later when operation `index` is taken away; negative: none does.
std::int64_t worst_delay_without(const StreamScenario& scenario, std::size_t index) {
  const auto with = simulate_streams(scenario).value().operations;
  StreamScenario fewer = scenario;
  fewer.operations.erase(fewer.operations.begin() + static_cast<std::ptrdiff_t>(index));
  const auto without = simulate_streams(fewer).value().operations;
  std::int64_t worst = -1;
  for (std::size_t i = 0; i < without.size(); ++i) {
    const Instant before = with[i < index ? i : i + 1].completion;
    if (without[i].completion > before) worst = std::max(worst, (without[i].completion - before).picoseconds());
  }
  return worst;
}

}  // namespace

TEST_CASE("without copies and with equal blocks in one kernel per stream removing a kernel delays none") {
  std::mt19937 random(13);
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  for (int run = 0; run < 3000; ++run) {
    INFO("run " << run);
    Maker maker;
    maker.scenario.limits().sms = draw(1, 4);
    const int threads = 128 << draw(0, 3);
    const int kernels = draw(2, 8);
    for (int n = 0; n < kernels; ++n) maker.kernel(std::to_string(n), draw(0, 20), draw(1, 40), threads, draw(1, 12));
    REQUIRE(worst_delay_without(maker.scenario, static_cast<std::size_t>(draw(0, kernels - 1))) < 0);
  }
}

TEST_CASE("removing a kernel may delay another one: a later operation of its stream overtakes") {
  // Without a's first kernel its second is in the engine's queue before b's, and b waits for all of its blocks.
  Maker maker;
  maker.kernel("a", 0, 1, 1024, 1);
  maker.kernel("a", 0, 8, 1024, 9);
  maker.kernel("b", 0, 1, 1024, 1);
  CHECK(worst_delay_without(maker.scenario, 0) > 0);
}

TEST_CASE("removing a kernel may delay another one: low-priority blocks take the room of the next kernel") {
  // The high kernel x holds back the low kernel's blocks until 3; without it they are assigned at 0 for 9, and the high
  // kernel y finds no room at 1.
  Maker maker;
  maker.kernel("x", 0, 4, 1024, 2);
  maker.kernel("low", 0, 4, 1024, 9);
  maker.kernel("y", 1, 1, 1024, 1);
  maker.high("x");
  maker.high("y");
  CHECK(worst_delay_without(maker.scenario, 0) > 0);
}

TEST_CASE("removing a kernel may delay another one: blocks of other sizes go to other SMs and leave no room on one") {
  // Two SMs of 2048 threads. y (768 threads) and z (two of 1024) come at 1, w (two of 256) as well, x at 2. With y on
  // SM 0, both blocks of z go to SM 1 or wait for it, and x finds room beside y. Without y, z spreads over both SMs, w
  // joins it, and x, which needs half an SM, waits for a block to end.
  Maker maker;
  maker.kernel("x", 2, 1, 1024, 1);
  maker.kernel("z", 1, 2, 1024, 4);
  maker.kernel("y", 1, 1, 768, 2);
  maker.kernel("w", 1, 2, 256, 3);
  CHECK(maker.completions()[0] == 4);
  CHECK(worst_delay_without(maker.scenario, 2) == 1);
}

TEST_CASE("W4: kernels with budgets instead of durations end as in Figure 3 of QAWS") {
  // Eight blocks each: one of either kernel on every SM of Xavier, with two warps of it on each of four sub-cores.
  const auto responses = [](const std::string& policy, const std::string& second) {
    const auto scenario = parse_stream_scenario(R"({"platform": "xavier", "cycle": "1ns", "warp_policy": ")" + policy +
                                                R"(", "operations": [
      {"kernel": "K1", "stream": "a", "blocks": 8, "threads": 256, "instructions": "2,1,2,1,1,1,5,1,1"},
      {"kernel": "K2", "stream": "b", "blocks": 8, "threads": 256, "instructions": "2,1,2,1,1,1,5,1,1",
       "release": "1ns", )" + second + "}]}");
    REQUIRE(scenario);
    const auto run = simulate_streams(*scenario);
    REQUIRE(run);
    std::vector<std::int64_t> ends;
    for (const OperationRun& operation : run->operations)
      ends.push_back(operation.completion.since_start().picoseconds() / 1000);
    return ends;
  };
  using Ends = std::vector<std::int64_t>;
  CHECK(responses("gto", R"("budget": 1)") == Ends{20, 38});
  CHECK(responses("lrr", R"("budget": 1)") == Ends{32, 36});
  CHECK(responses("rotate", R"("budget": 1)") == Ends{35, 37});
  CHECK(responses("qaws", R"("budget": 2)") == Ends{36, 32});
  CHECK(responses("qaws", R"("budget": 4)") == Ends{38, 28});
  CHECK(responses("qaws", R"("budget": 6)") == Ends{38, 24});
  CHECK(responses("qaws", R"("budget": 8)") == Ends{39, 22});
  CHECK(responses("qaws-literal", R"("budget": 4)") == Ends{38, 29});
  CHECK(responses("qaws", R"("budget": 1)") == responses("gto", R"("budget": 1)"));
}

namespace {

/// The cycles of each operation from its start to its end, in scenarios whose SMs have cycles of a nanosecond.
std::vector<std::int64_t> cycles_of(const std::string& head, const std::string& operations) {
  const auto scenario =
      parse_stream_scenario(R"({"cycle": "1ns", )" + head + R"(, "operations": [)" + operations + "]}");
  INFO((scenario ? "" : scenario.error().message));
  REQUIRE(scenario);
  const auto run = simulate_streams(*scenario);
  REQUIRE(run);
  std::vector<std::int64_t> cycles;
  for (const OperationRun& operation : run->operations)
    cycles.push_back((operation.completion - operation.start).picoseconds() / 1000);
  return cycles;
}

std::string kernel_with(const std::string& instructions, const std::string& more) {
  return R"({"kernel": "K", "instructions": ")" + instructions + R"(", )" + more + "}";
}

using Cycles = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a kernel with instructions is alone unless a kernel of another stream shares its SMs at that time") {
  const auto cycles = [](const std::string& operations) { return cycles_of(R"("platform": "xavier")", operations); };
  const auto kernel = [](const std::string& more) { return kernel_with("1,1,1,1,1", R"("threads": 128, )" + more); };
  const std::string full = kernel(R"("stream": "a", "blocks": 8)");
  CHECK(cycles(full) == Cycles{5});
  CHECK(cycles(kernel(R"("stream": "a", "blocks": 16)")) == Cycles{10});  // two blocks on each SM
  CHECK(cycles(full + "," + kernel(R"("stream": "b")")) == Cycles{5, 10});
  CHECK(cycles(full + "," + kernel(R"("stream": "a", "blocks": 8)")) == Cycles{5, 5});
  CHECK(cycles(kernel(R"("stream": "a", "blocks": 4)") + "," + kernel(R"("stream": "b", "blocks": 4)")) ==
        Cycles{5, 5});
  CHECK(cycles(full + "," + kernel(R"("stream": "b", "release": "5ns")")) == Cycles{5, 5});
  CHECK(cycles(full + "," + kernel(R"("stream": "b", "release": "1s")")) == Cycles{5, 5});
  CHECK(cycles(full + R"(, {"kernel": "D", "stream": "b", "threads": 32, "duration": "3ns"})") == Cycles{5, 3});
}

TEST_CASE("blocks with instructions that start late, in rounds or on masked SMs take their own time") {
  const std::string xavier = R"("platform": "xavier")", pegasus = R"("platform": "pegasus")";
  const std::string eight = R"("threads": 128, "blocks": 8, "stream": )";
  // The younger kernel starts in cycle 2, and issues once the older one has ended in cycle 5.
  CHECK(cycles_of(xavier, kernel_with("1,1,1,1,1", eight + R"("a")") + "," +
                              kernel_with("1,1,1,1,1", eight + R"("b", "release": "2ns")")) == Cycles{5, 8});
  // 32 warps in a block, eight on each of four sub-cores; two blocks on an SM, and a third one once the older has ended.
  CHECK(cycles_of(xavier, kernel_with("1", R"("threads": 1024, "blocks": 24)")) == Cycles{24});
  // Two SMs are enabled, so each has four of the blocks.
  CHECK(cycles_of(xavier, kernel_with("1,1,1,1,1", eight + R"("a", "sm_mask": "~0x1")")) == Cycles{20});
  // An SM of Pegasus holds 32 warps. The second kernel waits.
  const std::string whole = R"("threads": 1024, "blocks": 44, "stream": )";
  CHECK(cycles_of(pegasus, kernel_with("1", whole + R"("a")") + "," + kernel_with("1", whole + R"("b")")) ==
        Cycles{8, 8});
  // Every release is simulated on its own: beside the first one, another kernel is on the SMs.
  CHECK(cycles_of(xavier + R"(, "until": "40ns")",
                  kernel_with("1,1,1,1,1", eight + R"("a", "release": "1ns", "period": "20ns")") + "," +
                      kernel_with("1,1,1", eight + R"("b")")) == Cycles{7, 5, 3});
}

TEST_CASE("a time slice stops the warps of its context between and within cycles") {
  const auto head = [](const std::string& slice) {
    return R"("platform": "xavier", "context_switch": "0ns", "contexts": [{"name": "A", "timeslice": ")" + slice +
           R"("}, {"name": "B", "timeslice": ")" + slice + R"("}])";
  };
  const auto kernel = [](const std::string& more) {
    return kernel_with("1,1,1,1,1", R"("threads": 128, "blocks": 16, )" + more);
  };
  const std::string both = kernel(R"("context": "A")") + "," + kernel(R"("context": "B")");
  // Ten cycles each: A from 0, 6, 12, B from 3, 9, 15.
  CHECK(cycles_of(head("3ns"), both) == Cycles{19, 17});
  CHECK(cycles_of(head("2500ps"), both) == Cycles{17, 17});  // A from 0, 5, 10, 15
}

TEST_CASE("the placement rule puts blocks of two streams on one SM while others are idle, and they share its warps") {
  // Figure 5 of Olmedo et al., RTAS 2020: four blocks of four warps, then of four or five.
  const std::string head = R"("platform": "xavier", "warp_policy": "lrr", "warp_pipelines": "volta")";
  const auto kernel = [](const std::string& stream, int warps) {
    return kernel_with("1,1,1,1,1,1,1,1",
                       R"("blocks": 4, "threads": )" + std::to_string(32 * warps) + R"(, "stream": ")" + stream + "\"");
  };
  CHECK(cycles_of(head, kernel("a", 4) + "," + kernel("b", 4)) == Cycles{15, 15});
  CHECK(cycles_of(head, kernel("a", 4) + "," + kernel("b", 5)) == Cycles{15, 47});
}

TEST_CASE("a run places blocks of three streams as the rule of placement does, in every cell of Table IV") {
  Maker maker;
  maker.scenario.limits() = *amalthea::engine::find_profile("xavier")->multiprocessors;
  maker.kernel("z", 0, 7, 6 * 32, 1);
  maker.kernel("x", 0, 1, 32, 1);
  maker.kernel("y", 0, 1, 32, 1);
  int same = 0;
  for (std::int64_t x = 1; x <= 32; ++x)
    for (std::int64_t y = 1; y <= 32; ++y) {
      maker.scenario.operations[1].shape.threads = 32 * x;
      maker.scenario.operations[2].shape.threads = 32 * y;
      const auto placed = place_streams(BlockPlacement(maker.scenario.limits(), ScanOrder::even_odd, TiePolicy::stream),
                                        {{7, 6}, {1, x}, {1, y}});
      const auto run = maker.run();
      INFO("x " << x << ", y " << y);
      REQUIRE(run[1].blocks[0].sm == placed[1][0]);
      REQUIRE(run[2].blocks[0].sm == placed[2][0]);
      same += run[1].blocks[0].sm == run[2].blocks[0].sm ? 1 : 0;
    }
  CHECK(same == 196);
}

TEST_CASE("a block of a stream that has ended attracts no block of the next stream") {
  Maker maker;
  maker.scenario.limits() = *amalthea::engine::find_profile("xavier")->multiprocessors;
  maker.kernel("z", 0, 7, 6 * 32, 9);
  maker.kernel("x", 0, 1, 32, 3);
  maker.kernel("y", 2, 1, 11 * 32, 9);
  CHECK(maker.run()[2].blocks[0].sm == 7);  // as x, though SM 0 has equal room for blocks of y
  maker.scenario.operations[2].release = at(3);
  CHECK(maker.run()[2].blocks[0].sm == 0);
}

TEST_CASE("instructions of a scenario are refused with a reason") {
  const auto refused = [](const std::string& head, const std::string& kernel) {
    const auto scenario =
        parse_stream_scenario("{" + head + R"("operations": [{"kernel": "K", "threads": 32, )" + kernel + "}]}");
    REQUIRE(!scenario);
    return scenario.error().message;
  };
  const std::string cycle = R"("cycle": "1ns", )";
  CHECK(refused("", R"("instructions": "1")").find("need \"cycle\"") != std::string::npos);
  CHECK(refused(cycle, R"("instructions": "1", "duration": "1ns")").find("not both") != std::string::npos);
  CHECK(refused(cycle, R"("budget": 2, "duration": "1ns")") == "operations[0]: \"budget\" needs \"instructions\"");
  CHECK(refused(cycle, R"("instructions": "1,x")").find("expected letters") != std::string::npos);
  CHECK(refused(R"("cycle": "0ns", )", R"("instructions": "1")") == "cycle: a cycle must be longer than zero");
  CHECK(refused(R"("warp_policy": "best", )", R"("duration": "1ns")").find("\"gto\"") != std::string::npos);
  CHECK(refused(cycle, R"("instructions": "2000000")").find("latencies must be between") != std::string::npos);
}

}  // namespace devices_stream_scenario_test
