// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_observation.hpp"

#include <numeric>
#include <random>

#include <catch2/catch.hpp>

#include "engine/chains/chain_latency.hpp"

namespace chains_chain_observation_test {

using namespace amalthea;

namespace {

Instant at(std::int64_t value) { return Instant::at(Duration::microseconds(value)); }
constexpr Duration us(std::int64_t value) { return Duration::microseconds(value); }

}  // namespace

TEST_CASE("observed: jobs that read and write as under LET have LET latencies") {
  std::mt19937 random(20230711);
  constexpr int periods[] = {2, 3, 4, 5, 6, 10, 12, 15};
  for (int round = 0; round < 100; ++round) {
    std::vector<Periodic> tasks;
    std::int64_t hyperperiod = 1;
    for (int count = 1 + static_cast<int>(random() % 4); count > 0; --count) {
      const int period = periods[random() % 8];
      tasks.push_back({us(period), us(static_cast<std::int64_t>(random() % static_cast<unsigned>(period)))});
      hyperperiod = std::lcm(hyperperiod, static_cast<std::int64_t>(period));
    }
    std::vector<std::vector<engine::JobAccess>> jobs(tasks.size());
    for (std::size_t task = 0; task < tasks.size(); ++task)
      for (Duration release = tasks[task].offset; release < us(3 * hyperperiod + 300); release += tasks[task].period)
        jobs[task].push_back({Instant::at(release), Instant::at(release + tasks[task].period)});
    const auto let = engine::let_latencies(tasks);
    REQUIRE(let);
    const auto observed = engine::observed_latencies(jobs);
    CHECK(observed.reaction == let->reaction);
    CHECK(observed.reduced_reaction == let->reduced_reaction);
    CHECK(observed.age == let->age);
    CHECK(observed.reduced_age == let->reduced_age);
  }
}

TEST_CASE("observed: latencies match a manual calculation") {
  // What the first task read at 0 is written at 2, read by the second at 11 and written at 12. What it read at 10 is
  // written at 12 and overwritten at 22 by what it read at 20, just when the second reads: 23 shows both.
  const std::vector<std::vector<engine::JobAccess>> jobs = {{{at(0), at(2)}, {at(10), at(12)}, {at(20), at(22)}},
                                                            {{at(1), at(2)}, {at(11), at(12)}, {at(22), at(23)}}};
  const auto observed = engine::observed_latencies(jobs);
  CHECK(observed == engine::ObservedLatencies{3, us(23), us(13), us(23), us(12), us(3), us(3)});
}

TEST_CASE("observed: no latency is reported without a complete passage") {
  const std::vector<std::vector<engine::JobAccess>> jobs = {{{at(5), at(9)}}, {{at(0), at(1)}, {at(6), at(7)}}};
  CHECK(engine::observed_latencies(jobs) == engine::ObservedLatencies{});
  const std::vector<std::vector<engine::JobAccess>> none(2);
  CHECK(engine::observed_latencies(none) == engine::ObservedLatencies{});
}

}  // namespace chains_chain_observation_test
