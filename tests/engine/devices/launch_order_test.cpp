// SPDX-License-Identifier: Apache-2.0
// Launch orders (lesson III of Olmedo et al., RTAS 2020), against all permutations.

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "engine/devices/launch_order.hpp"
#include "engine/gpu/device_profile.hpp"

namespace devices_launch_order_test {

namespace {

using namespace amalthea::engine::gpu;
using amalthea::Duration;
using amalthea::Instant;

/// Streams "" (the NULL stream), "a", "b", "c", "d" of one context on a TX2, whose two SMs hold 2048 threads each.
StreamScenario scenario_of(const std::vector<StreamOperation>& operations) {
  StreamScenario scenario;
  scenario.device = *amalthea::engine::find_profile("tx2");
  scenario.contexts.emplace_back();
  for (const char* name : {"", "a", "b", "c", "d"}) {
    Stream stream;
    stream.name = name;
    stream.is_null = stream.name.empty();
    scenario.streams.push_back(stream);
  }
  scenario.operations = operations;
  return scenario;
}

StreamOperation kernel(std::size_t stream, std::int64_t blocks, std::int64_t duration, std::int64_t release = 0) {
  StreamOperation operation;
  operation.name = "k" + std::to_string(stream);
  operation.stream = stream;
  operation.blocks = blocks;
  operation.shape.threads = 1024;
  operation.duration = Duration::microseconds(duration);
  operation.release = Instant::at(Duration::microseconds(release));
  return operation;
}

Duration length_of(const StreamScenario& scenario, const std::vector<std::size_t>& order) {
  StreamScenario ordered = scenario;
  for (std::size_t place = 0; place < order.size(); ++place)
    ordered.operations[place] = scenario.operations[order[place]];
  Instant first = ordered.operations.front().release, last;
  const auto run = simulate_streams(ordered);
  REQUIRE(run);
  for (std::size_t place = 0; place < order.size(); ++place) {
    first = std::min(first, ordered.operations[place].release);
    last = std::max(last, run->operations[place].completion);
  }
  return last - first;
}

/// Whether the operations of each release are at the places of that release, and those of a stream, or of the NULL stream
/// and any other, keep their sequence.
bool is_legal(const StreamScenario& scenario, const std::vector<std::size_t>& order) {
  const auto& operations = scenario.operations;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (operations[order[place]].release != operations[place].release) return false;
    for (std::size_t later = place + 1; later < order.size(); ++later) {
      const StreamOperation &a = operations[order[place]], &b = operations[order[later]];
      const bool bound = a.stream == b.stream || a.stream == 0 || b.stream == 0;
      if (order[place] > order[later] && a.release == b.release && bound) return false;
    }
  }
  return true;
}

struct Truth {
  std::set<std::vector<std::size_t>> orders;
  Duration best, worst;
};

Truth all_of(const StreamScenario& scenario) {
  Truth truth;
  std::vector<std::size_t> order(scenario.operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  truth.best = truth.worst = length_of(scenario, order);
  do {
    if (!is_legal(scenario, order)) continue;
    truth.orders.insert(order);
    truth.best = std::min(truth.best, length_of(scenario, order));
    truth.worst = std::max(truth.worst, length_of(scenario, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return truth;
}

std::vector<StreamOperation> random_operations(std::mt19937& random, int count) {
  const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
  std::vector<StreamOperation> operations;
  for (int number = 0; number < count; ++number) {
    const auto stream = static_cast<std::size_t>(draw(draw(0, 3) == 0 ? 0 : 1, 4));
    operations.push_back(kernel(stream, draw(1, 5), draw(1, 6), 2 * draw(0, 1)));
    if (draw(0, 3) == 0) operations.back().kind = StreamOperationKind::host_to_device;
  }
  return operations;
}

}  // namespace

TEST_CASE("the best launch order lets no SM wait for a block that does not fit") {
  // Three of four places for 2 us, one for 1 us; a block of b waits for it and c behind that block.
  const StreamScenario scenario = scenario_of({kernel(1, 3, 2), kernel(2, 2, 1), kernel(3, 1, 2)});
  const auto found = search_launch_orders(scenario);
  REQUIRE(found);
  CHECK(found->all);
  CHECK(found->tried == 6);
  CHECK(found->given.operations == std::vector<std::size_t>{0, 1, 2});
  CHECK(found->given.length == Duration::microseconds(4));
  CHECK(found->given.sum_of_responses == Duration::microseconds(2 + 2 + 4));
  CHECK(found->best.length == Duration::microseconds(3));
  CHECK(found->worst.length == Duration::microseconds(4));
}

TEST_CASE("the search of launch orders finds the best and the worst of all permutations") {
  std::mt19937 random(7);
  int gains = 0;
  for (int system = 0; system < 60; ++system) {
    INFO(system);
    const StreamScenario scenario = scenario_of(random_operations(random, 2 + system % 5));
    const Truth truth = all_of(scenario);
    CHECK(count_launch_orders(scenario, 10'000) == truth.orders.size());
    const auto found = search_launch_orders(scenario);
    REQUIRE(found);
    CHECK(found->all);
    CHECK(found->tried == truth.orders.size());
    CHECK(found->best.length == truth.best);
    CHECK(found->worst.length == truth.worst);
    for (const LaunchOrder& order : {found->given, found->best, found->worst}) {
      CHECK(truth.orders.contains(order.operations));
      CHECK(length_of(scenario, order.operations) == order.length);
    }
    gains += found->best.length < found->given.length ? 1 : 0;
  }
  CHECK(gains >= 5);
}

TEST_CASE("a random search of launch orders is legal and repeatable and never worse than the given order") {
  std::mt19937 random(11);
  int gains = 0;
  for (int system = 0; system < 40; ++system) {
    INFO(system);
    const StreamScenario scenario = scenario_of(random_operations(random, 12));
    const auto found = search_launch_orders(scenario, {200, 5});
    REQUIRE(found);
    if (found->all) continue;
    CHECK(found->tried <= 200);
    CHECK(is_legal(scenario, found->best.operations));
    CHECK(found->best.length <= found->given.length);
    CHECK(length_of(scenario, found->best.operations) == found->best.length);
    CHECK(search_launch_orders(scenario, {200, 5})->best.operations == found->best.operations);
    gains += found->best.length < found->given.length ? 1 : 0;
  }
  CHECK(gains >= 5);
}

TEST_CASE("launch orders leave the calls of programs that repeat alone, and count what is too much to list") {
  StreamScenario loops = scenario_of({kernel(1, 1, 1), kernel(2, 1, 1)});
  loops.loops.push_back({{0, 1}, {}, 2, {}, false});
  CHECK_FALSE(search_launch_orders(loops));
  std::vector<StreamOperation> many;
  for (std::size_t number = 0; number < 100'000; ++number) many.push_back(kernel(1 + number % 2, 1, 1));
  CHECK(count_launch_orders(scenario_of(many), 5000) == 5000);
  CHECK(count_launch_orders(scenario_of({}), 5000) == 1);
  CHECK(search_launch_orders(scenario_of({}))->tried == 1);
}

}  // namespace devices_launch_order_test
