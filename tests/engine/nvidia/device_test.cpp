// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/device.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/devices/stream_simulation.hpp"

namespace nvidia_device_test {

// Contexts: who is served by the execution engine and the copy engines, and when.

using amalthea::Duration;
using amalthea::Instant;
using namespace amalthea::engine::nvidia;

namespace {

constexpr Duration s(std::int64_t value) { return Duration::seconds(value); }
constexpr Instant at(std::int64_t value) { return Instant::at(s(value)); }

/// Contexts whose kernels have one block after the other: a block fills the only SM.
struct ScenarioMaker {
  explicit ScenarioMaker(std::int64_t slice = 2) : slice_(slice) {
    scenario.limits().sms = 1;
    scenario.limits().sms_per_gpc = 1;
    scenario.limits().blocks = 1;
  }

  void context(std::int64_t slice, ContextPriority priority = ContextPriority::medium) {
    scenario.contexts.push_back(
        {std::string(1, static_cast<char>('A' + scenario.contexts.size())), s(slice), priority});
    scenario.streams.push_back({{StreamPriority::low, false}, "", scenario.contexts.size() - 1});
  }
  StreamOperation& add(std::size_t context_index, std::int64_t release, std::int64_t duration) {
    while (scenario.contexts.size() <= context_index) context(slice_);
    StreamOperation operation;
    operation.stream = context_index;
    operation.release = at(release);
    operation.duration = s(duration);
    operation.shape.threads = 1024;
    scenario.operations.push_back(operation);
    return scenario.operations.back();
  }
  StreamOperation& kernel(std::size_t context_index, std::int64_t release, std::int64_t duration,
                          std::int64_t blocks = 1) {
    StreamOperation& operation = add(context_index, release, duration);
    operation.blocks = blocks;
    return operation;
  }
  void copy(std::size_t context_index, std::int64_t release, std::int64_t duration,
            StreamOperationKind kind = StreamOperationKind::host_to_device) {
    add(context_index, release, duration).kind = kind;
  }
  StreamRun run() const { return simulate_streams(scenario).value(); }
  std::vector<double> completions() const {
    std::vector<double> seconds;
    for (const OperationRun& operation : run().operations)
      seconds.push_back(static_cast<double>(operation.completion.picoseconds()) / 1e12);
    return seconds;
  }
  /// "A0-2 B2-4": what an engine did, with the seconds from the end of the switch.
  std::string served(EngineIndex engine = 0) const {
    std::string text;
    for (const EngineSlice& slice : run().slices)
      if (slice.engine == engine)
        text += (text.empty() ? "" : " ") + scenario.contexts[slice.context].name +
                std::to_string(slice.ready.picoseconds() / 1'000'000'000'000) + "-" +
                std::to_string(slice.end.picoseconds() / 1'000'000'000'000);
    return text;
  }

  StreamScenario scenario;

 private:
  std::int64_t slice_;
};

using Seconds = std::vector<double>;

}  // namespace

TEST_CASE("two contexts share an engine by slices and one without work yields the rest of its slice (V1)") {
  // A needs 5 and B 3 from the start, slice 2.
  ScenarioMaker maker;
  maker.kernel(0, 0, 5);
  maker.kernel(1, 0, 3);
  CHECK(maker.served() == "A0-2 B2-4 A4-6 B6-7 A7-8");
  CHECK(maker.completions() == Seconds{8, 7});
}

TEST_CASE("with preemption at blocks running blocks complete and none begins after the slice (V3)") {
  // A: blocks of 3, 6 in all; B: one of 4, released at 1; slice 2.
  ScenarioMaker maker;
  maker.scenario.device.preemption = Preemption::block;
  maker.kernel(0, 0, 3, 2);
  maker.kernel(1, 1, 4);
  CHECK(maker.served() == "A0-3 B3-7 A7-10");
  CHECK(maker.completions() == Seconds{10, 7});
}

TEST_CASE("with preemption at kernels all blocks of a started kernel complete first") {
  // A: two kernels of two blocks of 3 each; B: 4, released at 1; slice 2. At instructions B would begin at 2.
  ScenarioMaker maker;
  maker.scenario.device.preemption = Preemption::kernel;
  maker.kernel(0, 0, 3, 2);
  maker.kernel(0, 0, 3, 2);
  maker.kernel(1, 1, 4);
  CHECK(maker.served() == "A0-6 B6-10 A10-16");
  CHECK(maker.completions() == Seconds{6, 16, 10});
}

TEST_CASE("a copy is interrupted only with preemption at instructions") {
  ScenarioMaker maker;
  maker.copy(0, 0, 5);
  maker.copy(1, 0, 1);
  CHECK(maker.served(1) == "A0-2 B2-3 A3-6");
  for (const Preemption preemption : {Preemption::block, Preemption::kernel}) {
    maker.scenario.device.preemption = preemption;
    CHECK(maker.served(1) == "A0-5 B5-6");
  }
}

TEST_CASE(
    "a started low-priority kernel completes before another context is served even with a waiting high-priority "
    "kernel") {
  // A low: two blocks of 3; A high arrives at 1 and may not begin once the slice is over; B from 0; preemption at
  // kernels.
  ScenarioMaker maker;
  maker.scenario.device.preemption = Preemption::kernel;
  maker.kernel(0, 0, 3, 2);
  maker.kernel(1, 0, 2);
  maker.scenario.streams.push_back({{StreamPriority::high, false}, "high", 0});
  maker.kernel(0, 3, 1).stream = 2;
  CHECK(maker.served() == "A0-6 B6-8 A8-9");
}

TEST_CASE("a memset slows a concurrent kernel eightfold and is not slowed itself (V4)") {
  // A: kernel 10 from 0; B: memset 4 at 2, k = 8: the copy ends at 6, the kernel at 27/2.
  ScenarioMaker maker;
  maker.scenario.device.interference.kernel_by_memset = {8'000'000};
  maker.kernel(0, 0, 10).memory_share = 1;
  maker.copy(1, 2, 4, StreamOperationKind::memset);
  CHECK(maker.completions() == Seconds{13.5, 6});
}

TEST_CASE("copies and kernels of two contexts take turns and slow each other down (V5)") {
  ScenarioMaker maker(3);
  maker.scenario.device.interference.kernel_by_memcpy = {3'000'000};
  maker.scenario.device.interference.copy_by_kernel = {2'000'000};
  maker.copy(0, 0, 2);
  maker.kernel(0, 0, 6).memory_share = 1;
  maker.copy(0, 0, 2, StreamOperationKind::device_to_host);
  maker.copy(1, 1, 3);
  maker.kernel(1, 1, 4).memory_share = 1;
  CHECK(maker.completions() == Seconds{2, 16, 18, 8, 15});
}

TEST_CASE("a context of high priority has three slots per round and medium two and low one") {
  // A high, B medium, C low: A B C A B A. Each has more than enough to do.
  ScenarioMaker maker;
  maker.context(2, ContextPriority::high);
  maker.context(2, ContextPriority::medium);
  maker.context(2, ContextPriority::low);
  for (const std::size_t context : {0U, 1U, 2U}) maker.kernel(context, 0, 20);
  CHECK(maker.served().substr(0, 55) == "A0-2 B2-4 C4-6 A6-8 B8-10 A10-14 B14-16 C16-18 A18-20 B");
}

TEST_CASE("a context without work yields its slots to the next in the list") {
  ScenarioMaker maker;
  maker.context(2, ContextPriority::high);
  maker.context(2, ContextPriority::medium);
  maker.context(2, ContextPriority::low);
  maker.kernel(1, 0, 5);
  maker.kernel(2, 0, 5);
  CHECK(maker.served() == "B0-2 C2-4 B4-7 C7-10");  // B C B | B (1 left) C …
}

TEST_CASE("contexts have individual slice lengths") {
  ScenarioMaker maker;
  maker.context(3);
  maker.context(1);
  maker.kernel(0, 0, 5);
  maker.kernel(1, 0, 2);
  CHECK(maker.served() == "A0-3 B3-4 A4-6 B6-7");
}

TEST_CASE("slices renew themselves while no other context has work and end with the current one") {
  // A alone from 0 with slice 3; B arrives at 4, within A's second slice 3-6, and is served at 6; or at 6, at once.
  for (const std::int64_t release : {4, 6}) {
    ScenarioMaker maker(3);
    maker.kernel(0, 0, 10);
    maker.kernel(1, release, 2);
    CHECK(maker.served() == "A0-6 B6-8 A8-12");
  }
}

TEST_CASE("a switch to another context costs time and staying costs none") {
  // A 0-2, switch 2-3, B 3-5, switch 5-6, A 6-9 (B is dry).
  ScenarioMaker maker;
  maker.scenario.device.context_switch = s(1);
  maker.kernel(0, 0, 5);
  maker.kernel(1, 0, 2);
  CHECK(maker.served() == "A0-2 B3-5 A6-9");
  CHECK(maker.completions() == Seconds{9, 5});
}

TEST_CASE("an operation without duration completes when it is served") {
  ScenarioMaker maker;
  maker.kernel(0, 0, 3);
  maker.kernel(1, 1, 0);
  CHECK(maker.completions() == Seconds{3, 2});
}

TEST_CASE("the NULL stream of one context does not delay another context") {
  ScenarioMaker maker;
  maker.kernel(0, 0, 2);
  maker.kernel(1, 0, 2);
  maker.scenario.streams.push_back({{StreamPriority::low, true}, "", 0});
  maker.copy(0, 0, 2);
  maker.scenario.operations.back().stream = 2;
  maker.copy(1, 0, 1);
  // A's copy waits for A's kernel (0-2), B's for B's kernel (2-4), and neither for the other's.
  CHECK(maker.completions() == Seconds{2, 4, 4, 5});
}

TEST_CASE("preempted blocks keep their SMs and another context sees an empty GPU") {
  // Two SMs of one block each; A puts two blocks on them, B two more while A's stand still.
  ScenarioMaker maker;
  maker.scenario.limits().sms = 2;
  maker.kernel(0, 0, 3, 2);
  maker.kernel(1, 0, 3, 2);
  const StreamRun run = maker.run();
  for (const OperationRun& operation : run.operations) {
    REQUIRE(operation.blocks.size() == 2);
    CHECK(operation.blocks[0].sm == 0);
    CHECK(operation.blocks[1].sm == 1);
  }
  CHECK(run.operations[0].completion == at(5));  // A0-2 B2-4 A4-5 B5-6
  CHECK(run.operations[1].completion == at(6));
}

TEST_CASE("with two copy engines copies from the device do not wait for copies to it") {
  ScenarioMaker maker;
  maker.copy(0, 0, 3);
  maker.copy(1, 0, 3, StreamOperationKind::device_to_host);
  CHECK(maker.completions() == Seconds{5, 6});  // slices of 2 on one engine: A 0-2, B 2-4, A 4-5, B 5-6
  maker.scenario.device.copy_engines = 2;
  CHECK(maker.completions() == Seconds{3, 3});
}

namespace {

/// Four SMs in two clusters, one block each, with the figures of the Xavier.
ScenarioMaker memory_bound() {
  ScenarioMaker maker(1000);
  maker.scenario.limits().sms = 4;
  maker.scenario.limits().sms_per_gpc = 2;
  // SMs 0 2 1 3 (N9)
  maker.scenario.device.interference.kernel_by_memcpy = {3'000'000};
  maker.scenario.device.interference.kernel_by_memset = {8'000'000};
  maker.scenario.device.interference.kernel_by_same_gpc = {10'000'000};
  maker.scenario.device.interference.kernel_by_other_gpc = {5'000'000};
  maker.scenario.device.interference.kernel_by_cpu = {3'000'000};
  maker.scenario.device.interference.copy_by_cpu = {2'000'000};
  return maker;
}

/// A stream of its own in the first context.
void own_stream(ScenarioMaker& maker) {
  maker.scenario.streams.push_back({{StreamPriority::low, false}, "own", 0});
  maker.scenario.operations.back().stream = maker.scenario.streams.size() - 1;
}

}  // namespace

TEST_CASE("every maximum of the interference table is reached for any number of aggressors") {
  for (const int aggressors : {1, 2}) {
    INFO(aggressors << " aggressors");
    ScenarioMaker maker = memory_bound();
    maker.kernel(0, 0, 1).memory_share = 1;  // SM 0
    for (int i = 0; i < aggressors; ++i) {   // SM 2, then 1
      maker.kernel(0, 0, 1000).memory_share = 1;
      own_stream(maker);
    }
    CHECK(maker.completions()[0] == (aggressors == 1 ? 5 : 10));  // the other cluster; then the same
  }
  for (const auto kind : {StreamOperationKind::host_to_device, StreamOperationKind::memset}) {
    ScenarioMaker maker = memory_bound();
    maker.kernel(0, 0, 1).memory_share = 1;
    for (const std::size_t context : {1U, 2U}) maker.copy(context, 0, 1000, kind);
    CHECK(maker.completions()[0] == (kind == StreamOperationKind::memset ? 8 : 3));
  }
  ScenarioMaker maker = memory_bound();
  maker.scenario.device.cpu_traffic = 1;
  maker.kernel(0, 0, 1).memory_share = 1;
  maker.copy(0, 0, 1);
  own_stream(maker);
  maker.scenario.device.interference.kernel_by_memcpy = {};
  CHECK(maker.completions() == Seconds{3, 2});
}

TEST_CASE("interference is weighted by the memory shares of victim and aggressor") {
  ScenarioMaker maker = memory_bound();
  maker.scenario.limits().sms_per_gpc = 4;
  maker.kernel(0, 0, 1).memory_share = 0.5;
  maker.kernel(0, 0, 1000).memory_share = 0.25;
  own_stream(maker);
  // The aggressor at a quarter: 1 + 9 / 4 = 3.25; half of the victim's time bound by memory: 1 + 2.25 / 2.
  CHECK(maker.completions()[0] == Approx(2.125));
  maker.scenario.operations[1].memory_share = 0;
  CHECK(maker.completions()[0] == 1);
}

TEST_CASE("the worst of several kinds of aggressors counts") {
  ScenarioMaker maker = memory_bound();
  maker.scenario.device.cpu_traffic = 1;
  maker.kernel(0, 0, 1).memory_share = 1;
  maker.copy(1, 0, 1000, StreamOperationKind::memset);
  maker.kernel(0, 0, 1000).memory_share = 1;
  own_stream(maker);
  CHECK(maker.completions()[0] == 8);
}

TEST_CASE("blocks of one kernel do not slow each other down") {
  ScenarioMaker maker = memory_bound();
  maker.kernel(0, 0, 7, 4).memory_share = 1;
  CHECK(maker.completions() == Seconds{7});
}

TEST_CASE("blocks of different kernels slow each other down while they share an SM, whatever their memory shares") {
  for (const double share : {0.0, 1.0}) {
    ScenarioMaker maker(1000);
    maker.scenario.limits().blocks = 2;
    maker.scenario.device.interference.kernel_by_same_sm = {3'000'000};
    maker.kernel(0, 0, 4).memory_share = share;
    CHECK(maker.completions() == Seconds{4});
    maker.kernel(0, 1, 2).memory_share = share;
    own_stream(maker);
    CHECK(maker.completions() == Seconds{8, 7});  // 1 alone; 6 side by side, in which 2 are done; 1 alone
    maker.scenario.limits().sms = 2;
    CHECK(maker.completions() == Seconds{4, 3});
  }
  ScenarioMaker maker(1000);
  maker.scenario.limits().blocks = 2;
  maker.scenario.device.interference.kernel_by_same_sm = {3'000'000};
  maker.kernel(0, 0, 4, 2);
  CHECK(maker.completions() == Seconds{4});  // both are of one kernel
}

TEST_CASE("the state of an operation names the operation that delays it") {
  DeviceSettings settings;
  settings.context_switch = s(1);
  amalthea::engine::nvidia::Device device(settings);
  const ContextIndex a = device.add_context(s(4), ContextPriority::medium);
  const ContextIndex b = device.add_context(s(4), ContextPriority::medium);
  const StreamIndex first = device.add_stream(a, {});
  const StreamIndex second = device.add_stream(a, {});
  const StreamIndex other = device.add_stream(b, {});
  std::vector<OperationId> completed;
  device.advance(at(0), completed);
  const auto kernel = [&](StreamIndex stream) {
    DeviceOperation operation;  // takes the whole engine
    operation.stream = stream;
    operation.duration = s(6);
    return device.submit(operation);
  };
  const OperationId running = kernel(first), behind = kernel(second), later = kernel(first), foreign = kernel(other);
  device.settle();
  using Kind = OperationStanding::Kind;
  CHECK(device.standing(running).kind == Kind::executing);
  CHECK(device.standing(behind).kind == Kind::queued);
  CHECK(device.standing(behind).by == running);
  CHECK(device.standing(later).kind == Kind::queued);
  CHECK(device.standing(later).by == running);
  CHECK(device.standing(foreign).kind == Kind::waiting);
  CHECK(device.standing(foreign).by == running);
  CHECK(device.standing(foreign).to == a);
  CHECK(device.next_event() == at(4));
  device.advance(at(4), completed);
  device.settle();
  CHECK(device.standing(foreign).kind == Kind::switching);
  CHECK(device.standing(running).kind == Kind::waiting);
  CHECK(device.standing(running).by == foreign);
  CHECK(device.next_event() == at(5));
  device.advance(at(5), completed);
  device.settle();
  CHECK(device.standing(foreign).kind == Kind::executing);
  CHECK(device.busy(0) == s(5));
  CHECK(device.busy(1) == Duration{});
}

namespace {

struct Arrival {
  std::int64_t time;
  std::size_t context;
  std::int64_t work;
};

/// The same rules second by second: slow, simple, and written independently of the event-driven engine.
std::vector<std::int64_t> stepwise(const std::vector<std::int64_t>& slices, const std::vector<Arrival>& arrivals) {
  const std::size_t contexts = slices.size();
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> queues(contexts);  // operation, remaining
  std::vector<std::int64_t> completion(arrivals.size(), -1);
  std::size_t served = contexts;  // none
  std::size_t last = contexts - 1;
  std::int64_t left = 0;  // of the present slice
  std::size_t next = 0, done = 0;
  for (std::int64_t now = 0; done < arrivals.size(); ++now) {
    for (; next < arrivals.size() && arrivals[next].time == now; ++next)
      queues[arrivals[next].context].emplace_back(next, arrivals[next].work);
    const auto others = [&] {
      for (std::size_t c = 0; c < contexts; ++c)
        if (c != served && !queues[c].empty()) return true;
      return false;
    };
    if (served < contexts && queues[served].empty()) served = contexts;
    if (served < contexts && left == 0) {
      if (others())
        served = contexts;
      else
        left = slices[served];
    }
    if (served == contexts)
      for (std::size_t i = 1; i <= contexts; ++i) {
        const std::size_t candidate = (last + i) % contexts;
        if (queues[candidate].empty()) continue;
        served = last = candidate;
        left = slices[candidate];
        break;
      }
    if (served == contexts) continue;
    --left;
    if (--queues[served].front().second == 0) {
      completion[queues[served].front().first] = now + 1;
      queues[served].erase(queues[served].begin());
      ++done;
    }
  }
  return completion;
}

}  // namespace

TEST_CASE("time slices agree with a time-stepped simulation on random workloads") {
  std::mt19937 random(20190703);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 2000; ++round) {
    const auto contexts = static_cast<std::size_t>(draw(1, 4));
    std::vector<std::int64_t> slices;
    ScenarioMaker maker;
    const auto priority = static_cast<ContextPriority>(draw(1, 3));  // of all: that changes nothing
    for (std::size_t c = 0; c < contexts; ++c) {
      slices.push_back(draw(1, 5));
      maker.context(slices.back(), priority);
    }
    std::vector<Arrival> arrivals;
    for (int i = draw(1, 12), time = 0; i > 0; --i) {
      time += draw(0, 4);
      arrivals.push_back({time, static_cast<std::size_t>(draw(0, static_cast<int>(contexts) - 1)), draw(1, 9)});
      maker.kernel(arrivals.back().context, time, arrivals.back().work);
    }
    const auto completions = maker.completions();
    const auto expected = stepwise(slices, arrivals);
    for (std::size_t id = 0; id < arrivals.size(); ++id) {
      INFO("round " << round << ", operation " << id);
      REQUIRE(completions[id] == static_cast<double>(expected[id]));
    }
  }
}

namespace {

/// Of [start, end), how much engine `engine` gave to `context`, switches left out.
Duration served_between(const StreamRun& run, EngineIndex engine, std::size_t context, Instant start, Instant end) {
  Duration sum;
  for (const EngineSlice& slice : run.slices) {
    if (slice.engine != engine || slice.context != context) continue;
    const Instant from = std::max(slice.ready, start);
    const Instant to = std::min(slice.end, end);
    if (from < to) sum += to - from;
  }
  return sum;
}

}  // namespace

TEST_CASE("random processes share the GPU by the rules of service and capacity and order and priority without idling") {
  std::mt19937 random(31);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 1500; ++round) {
    INFO("round " << round);
    StreamScenario scenario;
    scenario.limits().sms = draw(1, 3);
    scenario.limits().sms_per_gpc = 1;
    scenario.device.copy_engines = draw(1, 2);
    scenario.device.preemption = static_cast<Preemption>(draw(0, 2));
    scenario.device.context_switch = s(draw(0, 2));
    const int contexts = draw(1, 3);
    for (int context = 0; context < contexts; ++context) {
      scenario.contexts.push_back({std::to_string(context), s(draw(1, 6)), static_cast<ContextPriority>(draw(1, 3))});
      for (int stream = draw(1, 3); stream > 0; --stream)
        scenario.streams.push_back({{static_cast<StreamPriority>(draw(0, 1)), false},
                                    std::to_string(stream),
                                    static_cast<std::size_t>(context)});
    }
    for (int n = draw(1, 12); n > 0; --n) {
      StreamOperation operation;
      operation.stream = static_cast<std::size_t>(draw(0, static_cast<int>(scenario.streams.size()) - 1));
      operation.release = at(draw(0, 20));
      operation.duration = s(draw(1, 8));
      if (draw(0, 3) == 0) {
        operation.kind = static_cast<StreamOperationKind>(draw(1, 3));
      } else {
        operation.blocks = draw(1, 9);
        operation.shape.threads = 256 * draw(1, 4);
      }
      scenario.operations.push_back(operation);
    }
    const StreamRun run = simulate_streams(scenario).value();

    // Slices of one engine follow each other, with a switch exactly where the context changes.
    for (EngineIndex engine = 0; engine <= static_cast<EngineIndex>(scenario.device.copy_engines); ++engine) {
      const EngineSlice* before = nullptr;
      for (const EngineSlice& slice : run.slices) {
        if (slice.engine != engine) continue;
        const bool turns = before != nullptr && before->context != slice.context;
        REQUIRE(slice.ready - slice.start == (turns ? scenario.device.context_switch : Duration{}));
        if (before != nullptr) REQUIRE(before->end <= slice.start);
        before = &slice;
      }
    }
    const auto engine_of = [&](const StreamOperation& operation) -> EngineIndex {
      if (operation.kind == StreamOperationKind::kernel) return 0;
      return operation.kind == StreamOperationKind::device_to_host
                 ? static_cast<EngineIndex>(scenario.device.copy_engines)
                 : 1;
    };
    for (std::size_t index = 0; index < run.operations.size(); ++index) {
      const StreamOperation& operation = scenario.operations[index];
      const OperationRun& done = run.operations[index];
      const std::size_t context = scenario.streams[operation.stream].context;
      const EngineIndex engine = engine_of(operation);
      // Nothing slows anything here: a block or copy runs exactly as long as its context is served in between.
      const auto check = [&](Instant start, Instant end) {
        REQUIRE(served_between(run, engine, context, start, end) == operation.duration);
        if (scenario.device.preemption != Preemption::instruction) REQUIRE(end - start == operation.duration);
      };
      if (operation.kind != StreamOperationKind::kernel) check(done.start, done.completion);
      for (const BlockRun& block : done.blocks) check(block.start, block.end);
      REQUIRE(static_cast<std::int64_t>(done.blocks.size()) ==
              (operation.kind == StreamOperationKind::kernel ? operation.blocks : 0));
      // While an operation is in its engine's queue or on the engine, the engine serves some operation: no idling.
      Duration idle = done.completion - done.enqueued;
      for (const EngineSlice& slice : run.slices) {
        if (slice.engine != engine) continue;
        const Instant from = std::max(slice.start, done.enqueued), to = std::min(slice.end, done.completion);
        if (from < to) idle -= to - from;
      }
      REQUIRE(idle == Duration{});
      // The order of the stream, and what is resident of one context at the start of every block.
      for (std::size_t other = 0; other < index; ++other) {
        const bool same_stream = scenario.operations[other].stream == operation.stream;
        if (!same_stream) continue;
        const bool first = scenario.operations[other].release <= operation.release;
        const OperationRun& earlier = first ? run.operations[other] : done;
        const OperationRun& later = first ? done : run.operations[other];
        REQUIRE(earlier.completion <= later.start);
      }
      for (const BlockRun& block : done.blocks) {
        SmUse resident;
        for (std::size_t other = 0; other < run.operations.size(); ++other) {
          if (scenario.streams[scenario.operations[other].stream].context != context) continue;
          for (const BlockRun& beside : run.operations[other].blocks)
            if (beside.sm == block.sm && beside.start <= block.start && block.start < beside.end)
              resident += use_of_block(scenario.limits(), scenario.operations[other].shape).value();
        }
        REQUIRE(fits(scenario.limits(), {}, resident));
      }
    }
  }
}

}  // namespace nvidia_device_test
