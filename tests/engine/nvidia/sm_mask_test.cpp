// SPDX-License-Identifier: Apache-2.0
// Masks of SMs, processes under MPS, and contexts served by urgency.

#include <random>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/sm_mask.hpp"

namespace nvidia_sm_mask_test {

namespace {

using namespace amalthea::engine::nvidia;
using amalthea::Duration;
using amalthea::Instant;
using amalthea::engine::find_profile;

SmLimits limits_of(std::int64_t sms, std::int64_t per_tpc) {
  SmLimits limits;
  limits.sms = sms;
  limits.sms_per_tpc = per_tpc;
  return limits;
}

std::string enabled(const std::string& text, const SmLimits& limits) {
  const auto mask = parse_tpc_mask(text, limits);
  if (!mask) return mask.error();
  std::string bits;
  for (const bool bit : mask->bits) bits += bit ? '1' : '0';
  return bits;
}

}  // namespace

TEST_CASE("set bits of a mask disable TPCs and a tilde inverts it") {
  CHECK(enabled("0x1", limits_of(8, 2)) == "00111111");
  CHECK(enabled("~0x1", limits_of(8, 2)) == "11000000");
  CHECK(enabled("0xaaaaaaaaaaaaaaa0", limits_of(16, 2)) == "1111111111001100");
  CHECK(enabled("a", limits_of(4, 1)) == "1010");
  CHECK(enabled("0x2", limits_of(3, 2)) == "110");
  CHECK(enabled("0xF", limits_of(8, 2)).find("disables all 4 TPCs") != std::string::npos);
  CHECK(enabled("~0x10", limits_of(8, 2)).find("disables all 4 TPCs") != std::string::npos);
  for (const std::string wrong : {"", "0x", "~", "0xg", "12 ", "0x000000000000000000000000000000001"})
    CHECK(enabled(wrong, limits_of(8, 2)).find("expected a hexadecimal number") != std::string::npos);
}

TEST_CASE("a share of MPS is rounded up to SMs") {
  CHECK(sms_of_share(limits_of(80, 2), 75) == 60);
  CHECK(sms_of_share(limits_of(80, 2), 25) == 20);
  CHECK(sms_of_share(limits_of(8, 2), 1) == 1);
  CHECK(sms_of_share(limits_of(8, 2), 13) == 2);
  CHECK(sms_of_share(limits_of(8, 2), 100) == 8);
}

TEST_CASE("no block runs outside the mask of its kernel or stream and no process exceeds its SMs") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (int round = 0; round < 60; ++round) {
    StreamScenario scenario;
    scenario.device = *find_profile("xavier");
    const auto sms = static_cast<std::size_t>(scenario.limits().sms);
    const auto mask = [&] {
      CuMask made{std::vector<bool>(sms)};
      while (made.count() == 0)
        for (std::size_t sm = 0; sm < sms; ++sm) made.bits[sm] = below(3) == 0;
      return made;
    };
    scenario.contexts.resize(1 + below(2));
    for (std::size_t stream = 0; stream < 4; ++stream) {
      Stream& added = scenario.streams.emplace_back();
      added.name = fmt::format("s{}", stream);
      added.context = below(static_cast<std::uint32_t>(scenario.contexts.size()));
      added.process = below(2);
      if (below(2) == 0) added.mask = mask();
    }
    // Streams of one process have one limit.
    const std::int64_t limit = 1 + below(8);
    for (Stream& stream : scenario.streams)
      if (stream.process == 1) stream.process_sms = limit;
    for (int kernel = 0; kernel < 12; ++kernel) {
      StreamOperation operation;
      operation.name = fmt::format("k{}", kernel);
      operation.stream = below(4);
      operation.release = Instant::at(Duration::microseconds(below(20)));
      operation.duration = Duration::microseconds(1 + below(9));
      operation.blocks = 1 + below(40);
      operation.shape.threads = 32 * (1 + below(32));
      if (below(3) == 0) operation.mask = mask();
      scenario.operations.push_back(operation);
    }
    const auto run = simulate_streams(scenario).value();
    for (std::size_t index = 0; index < run.operations.size(); ++index) {
      const StreamOperation& kernel = scenario.operations[index];
      const Stream& stream = scenario.streams[kernel.stream];
      const auto& allowed = kernel.mask ? kernel.mask : stream.mask;
      REQUIRE(run.operations[index].blocks.size() == static_cast<std::size_t>(kernel.blocks));
      for (const BlockRun& block : run.operations[index].blocks) {
        if (allowed) REQUIRE(allowed->bits[block.sm]);
        if (stream.process_sms == 0) continue;
        std::set<SmIndex> used;
        for (std::size_t other = 0; other < run.operations.size(); ++other) {
          const Stream& its = scenario.streams[scenario.operations[other].stream];
          if (its.context != stream.context || its.process != stream.process) continue;
          for (const BlockRun& beside : run.operations[other].blocks)
            if (beside.start <= block.start && block.start < beside.end) used.insert(beside.sm);
        }
        REQUIRE(used.size() <= static_cast<std::size_t>(stream.process_sms));
      }
    }
  }
}

TEST_CASE("NULL streams of processes under MPS do not wait for each other") {
  StreamScenario scenario;
  scenario.device = *find_profile("tx2");
  scenario.contexts.resize(1);
  for (std::uint32_t process = 0; process < 2; ++process) {
    Stream& stream = scenario.streams.emplace_back();
    stream.is_null = true;
    stream.process = process;
    StreamOperation operation;
    operation.stream = process;
    operation.duration = Duration::microseconds(5);
    operation.shape.threads = 32;
    scenario.operations.push_back(operation);
  }
  const auto run = simulate_streams(scenario).value();
  CHECK(run.operations[0].start == Instant());
  CHECK(run.operations[1].start == Instant());
}

TEST_CASE("contexts served by urgency preempt less urgent ones at once and pay for the switch") {
  StreamScenario scenario;
  scenario.device = *find_profile("tx2");
  scenario.device.context_switch = Duration::microseconds(1);
  scenario.by_urgency = true;
  const std::int64_t urgency[] = {1, 3, 2};
  const std::int64_t release[] = {0, 4, 5};
  for (std::size_t context = 0; context < 3; ++context) {
    scenario.contexts.push_back({fmt::format("c{}", context), Duration::microseconds(1), {}, urgency[context]});
    Stream& stream = scenario.streams.emplace_back();
    stream.name = "s";
    stream.context = context;
    StreamOperation operation;
    operation.stream = context;
    operation.release = Instant::at(Duration::microseconds(release[context]));
    operation.duration = Duration::microseconds(10);
    operation.shape.threads = 32;
    scenario.operations.push_back(operation);
  }
  const auto run = simulate_streams(scenario).value();
  // 0 runs for 4, switch 1, context 1 runs 5-15, switch, context 2 runs 16-26, switch, 0 runs the rest 27-33.
  CHECK(run.operations[1].completion == Instant::at(Duration::microseconds(15)));
  CHECK(run.operations[2].completion == Instant::at(Duration::microseconds(26)));
  CHECK(run.operations[0].completion == Instant::at(Duration::microseconds(33)));
}

}  // namespace nvidia_sm_mask_test
