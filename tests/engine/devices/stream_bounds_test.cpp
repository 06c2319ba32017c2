// SPDX-License-Identifier: Apache-2.0
// Bounds of scenarios of streams, against simulations of random ones with the same streams at other times.

#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/devices/stream_bounds.hpp"
#include "engine/nvidia/sm_warps.hpp"
#include "tests/support/thoroughness.hpp"

namespace devices_stream_bounds_test {
namespace {

using namespace amalthea::engine::gpu;
using amalthea::Duration;
using amalthea::Instant;

std::int64_t drawn(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

/// Streams of up to three contexts on a TX2, each with the same operations every 20 to 60 ms. The period is 0 for a stream
/// that submits once.
struct Drawn {
  StreamScenario scenario;
  std::vector<std::vector<StreamOperation>> jobs;  ///< by stream
  std::vector<Duration> periods;
};

Drawn draw(std::mt19937& random) {
  Drawn drawn_one;
  StreamScenario& scenario = drawn_one.scenario;
  scenario.device = *amalthea::engine::find_profile(drawn(random, 0, 1) == 0 ? "tx2" : "orin-nano");
  scenario.device.preemption = static_cast<Preemption>(drawn(random, 0, 2));
  scenario.device.copy_engines = static_cast<int>(drawn(random, 1, 2));
  scenario.by_urgency = drawn(random, 0, 3) == 0;
  const bool switches = drawn(random, 0, 2) == 0, slows = drawn(random, 0, 2) == 0, masks = drawn(random, 0, 2) == 0,
             caches = drawn(random, 0, 4) == 0, footprints = drawn(random, 0, 3) == 0;
  if (switches) scenario.device.context_switch = Duration::microseconds(drawn(random, 1, 100));
  if (slows) {
    InterferenceTable& table = scenario.device.interference;
    table.kernel_by_same_sm.ppm = drawn(random, 2, 6) * 500'000;
    table.kernel_by_same_gpc.ppm = drawn(random, 2, 5) * 500'000;
    table.kernel_by_other_gpc.ppm = drawn(random, 2, 4) * 500'000;
    table.copy_by_kernel.ppm = drawn(random, 2, 4) * 500'000;
  }
  const auto mask = [&] {
    CuMask drawn_mask{std::vector<bool>(static_cast<std::size_t>(scenario.limits().sms))};
    while (drawn_mask.count() == 0)
      for (std::size_t sm = 0; sm < drawn_mask.bits.size(); ++sm) drawn_mask.bits[sm] = drawn(random, 0, 1) == 0;
    return drawn_mask;
  };
  const std::int64_t contexts = drawn(random, 1, 3);
  for (std::int64_t context = 0; context < contexts; ++context) {
    scenario.contexts.push_back({"c", Duration::microseconds(drawn(random, 500, 3000)),
                                 static_cast<ContextPriority>(drawn(random, 1, 3)), context});
    for (std::int64_t streams = scenario.by_urgency ? 1 : drawn(random, 1, 3); streams > 0; --streams) {
      Stream& stream = scenario.streams.emplace_back();
      stream.name = "s";
      stream.context = static_cast<std::size_t>(context);
      if (drawn(random, 0, 3) == 0) stream.priority = StreamPriority::high;
      if (masks && drawn(random, 0, 2) == 0) stream.mask = mask();
      auto& job = drawn_one.jobs.emplace_back();
      drawn_one.periods.push_back(Duration::milliseconds(drawn(random, 0, 3) == 0 ? 0 : drawn(random, 20, 60)));
      for (std::int64_t operations = drawn(random, 1, 3); operations > 0; --operations) {
        StreamOperation& operation = job.emplace_back();
        operation.stream = scenario.streams.size() - 1;
        operation.kind = drawn(random, 0, 2) == 0   ? StreamOperationKind::host_to_device
                         : drawn(random, 0, 4) == 0 ? StreamOperationKind::memset
                                                    : StreamOperationKind::kernel;
        operation.duration = Duration::microseconds(drawn(random, 1, 800));
        if (operation.kind != StreamOperationKind::kernel) continue;
        operation.blocks = drawn(random, 1, 9);
        operation.shape.threads = 32 * drawn(random, 1, 32);
        operation.shape.shared_memory = 8192 * drawn(random, 0, 3);
        operation.memory_share = 0.1 * static_cast<double>(drawn(random, 0, 3));
        if (slows) operation.memory_share *= 3;
        if (masks && drawn(random, 0, 2) == 0) operation.mask = mask();
        if (caches && drawn(random, 0, 2) == 0) operation.cache_config = "other";
        if (!footprints || drawn(random, 0, 1) == 0) continue;
        KernelMemory memory;
        memory.footprint = std::int64_t{1} << drawn(random, 10, 26);
        operation.memory = std::make_shared<const KernelMemory>(std::move(memory));
      }
    }
  }
  return drawn_one;
}

/// With other first releases, and now and then a longer distance.
StreamScenario released(const Drawn& drawn_one, std::mt19937& random) {
  StreamScenario scenario = drawn_one.scenario;
  for (std::size_t i = 0; i < drawn_one.jobs.size(); ++i) {
    Duration release = Duration::microseconds(drawn(random, 0, 3) == 0 ? 0 : drawn(random, 0, 20'000));
    do {
      for (StreamOperation operation : drawn_one.jobs[i]) {
        operation.release = Instant::at(release);
        scenario.operations.push_back(std::move(operation));
      }
      release += drawn_one.periods[i] + Duration::microseconds(drawn(random, 0, 3) == 0 ? drawn(random, 0, 5000) : 0);
    } while (!drawn_one.periods[i].is_zero() && release < Duration::milliseconds(200));
  }
  return scenario;
}

}  // namespace

TEST_CASE("no stream of a random scenario exceeds its bound, whenever the streams begin") {
  std::mt19937 random(52);
  std::size_t compared = 0, close = 0;
  for (int i = 0; i < (test::is_thorough() ? 20'000 : 400); ++i) {
    const Drawn drawn_one = draw(random);
    StreamScenario strict = drawn_one.scenario;  // exactly at the periods
    for (std::size_t stream = 0; stream < drawn_one.jobs.size(); ++stream)
      for (int job = 0; job < (drawn_one.periods[stream].is_zero() ? 1 : 2); ++job)
        for (StreamOperation operation : drawn_one.jobs[stream]) {
          operation.release = Instant::at(drawn_one.periods[stream] * job);
          strict.operations.push_back(std::move(operation));
        }
    const auto bounds = stream_bounds(strict);
    REQUIRE(bounds.size() == drawn_one.jobs.size());
    std::vector<Duration> longest(bounds.size());
    for (int repeated = 0; repeated < 6; ++repeated) {
      const StreamScenario scenario = released(drawn_one, random);
      const auto run = simulate_streams(scenario);
      REQUIRE(run);
      for (std::size_t at = 0; at < scenario.operations.size(); ++at) {
        const StreamOperation& operation = scenario.operations[at];
        longest[operation.stream] =
            std::max(longest[operation.stream], run->operations[at].completion - operation.release);
      }
    }
    for (std::size_t stream = 0; stream < bounds.size(); ++stream) {
      if (!bounds[stream]) continue;
      INFO("scenario " << i << ", stream " << stream << ", drawn with std::mt19937(52)");
      CHECK(longest[stream] <= *bounds[stream]);
      ++compared;
      close += longest[stream] * 2 > *bounds[stream] ? 1 : 0;
    }
  }
  CHECK(compared > 300);
  CHECK(close > compared / 10);
}

TEST_CASE("streams that the analysis does not cover have no bound") {
  StreamScenario scenario;
  scenario.device = *amalthea::engine::find_profile("tx2");
  scenario.contexts = {{"a"}, {"b"}};
  for (std::size_t i = 0; i < 2; ++i) {
    scenario.streams.emplace_back().context = i;
    StreamOperation& operation = scenario.operations.emplace_back();
    operation.stream = i;
    operation.shape.threads = 32;
    operation.duration = Duration::milliseconds(1);
  }
  // The other one is served for at most its kernel, once.
  CHECK(stream_bounds(scenario) == std::vector<std::optional<Duration>>(2, Duration::milliseconds(2)));
  const auto without = [&](const auto& change) {
    StreamScenario changed = scenario;
    change(changed);
    return stream_bounds(changed) == std::vector<std::optional<Duration>>(2);
  };
  CHECK(without([](StreamScenario& changed) { changed.streams[0].process = 1; }));
  CHECK(without([](StreamScenario& changed) { changed.streams[0].is_null = true; }));
  CHECK(without([](StreamScenario& changed) { changed.device.cpu_traffic = 0.5; }));
  CHECK(without([](StreamScenario& changed) {
    changed.device.stream_preemption = Duration::microseconds(20);
    changed.streams[1].priority = StreamPriority::high;
  }));
  CHECK(without([](StreamScenario& changed) { changed.loops.emplace_back(); }));
  CHECK(without([](StreamScenario& changed) {
    changed.operations[1].warps = std::make_shared<const amalthea::engine::nvidia::BlockWarps>();
  }));
  CHECK(without([](StreamScenario& changed) {
    changed.by_urgency = true;
    changed.streams[1].context = 0;
  }));
  // One that submits something else the second time has none itself; the other one waits for its slices.
  StreamScenario changing = scenario;
  changing.operations.push_back(changing.operations[0]);
  changing.operations.back().release = Instant::at(Duration::milliseconds(10));
  changing.operations.back().duration = Duration::milliseconds(30);
  const auto bounds = stream_bounds(changing);
  CHECK(!bounds[0]);
  CHECK(bounds[1] == Duration::milliseconds(1) + scenario.contexts[0].slice);
}

}  // namespace devices_stream_bounds_test
