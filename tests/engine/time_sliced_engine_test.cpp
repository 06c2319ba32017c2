#include "engine/time_sliced_engine.hpp"

#include <map>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace amalthea;
using namespace amalthea::engine;

namespace {

constexpr Duration s(std::int64_t value) { return Duration::seconds(value); }
constexpr Instant at(std::int64_t value) { return Instant::at(s(value)); }

struct Arrival {
  std::int64_t time;
  ContextIndex context;
  std::int64_t work;
};

/// Runs the engine alone over arrivals sorted by time (in seconds); completion time by operation id.
std::map<OperationId, Instant> run(TimeSlicedEngine& engine, const std::vector<Arrival>& arrivals) {
  std::map<OperationId, Instant> completions;
  OperationId next = 0;
  while (completions.size() < arrivals.size()) {
    Instant now = engine.next_event();
    if (next < arrivals.size()) now = std::min(now, at(arrivals[next].time));
    if (const auto done = engine.advance(now)) completions[*done] = now;
    for (; next < arrivals.size() && at(arrivals[next].time) == now; ++next)
      engine.enqueue(arrivals[next].context, next, s(arrivals[next].work));
    engine.arbitrate(now);
  }
  return completions;
}

}  // namespace

TEST_CASE("two contexts share an engine in slices, and one that runs dry yields the rest of its slice") {
  // V1: A needs 5 and B 3 from the start, slice 2: A 0-2, B 2-4, A 4-6, B 6-7, A 7-8.
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(2));
  engine.add_context(s(2));
  const auto completions = run(engine, {{0, 0, 5}, {0, 1, 3}});
  CHECK(completions.at(1) == at(7));
  CHECK(completions.at(0) == at(8));
}

TEST_CASE("contexts have slices of their own lengths") {
  // A slice 3, B slice 1: A 0-3, B 3-4, A 4-6 (done), B 6-7.
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(3));
  engine.add_context(s(1));
  const auto completions = run(engine, {{0, 0, 5}, {0, 1, 2}});
  CHECK(completions.at(0) == at(6));
  CHECK(completions.at(1) == at(7));
}

TEST_CASE("while nobody else has work slices renew themselves, and end where the present one ends") {
  // A alone from 0 with slice 3; B comes at 4, within A's second slice 3-6, and is served at 6.
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(3));
  engine.add_context(s(3));
  const auto completions = run(engine, {{0, 0, 10}, {4, 1, 2}});
  CHECK(completions.at(1) == at(8));
  CHECK(completions.at(0) == at(12));
}

TEST_CASE("work that comes exactly at the end of a slice is served at once") {
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(3));
  engine.add_context(s(3));
  const auto completions = run(engine, {{0, 0, 10}, {6, 1, 2}});
  CHECK(completions.at(1) == at(8));
}

TEST_CASE("within a context operations are served first in, first out") {
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(2));
  const auto completions = run(engine, {{0, 0, 5}, {0, 0, 1}, {1, 0, 1}});
  CHECK(completions.at(0) == at(5));
  CHECK(completions.at(1) == at(6));
  CHECK(completions.at(2) == at(7));
}

TEST_CASE("turning to another context costs the switch, staying with one costs nothing") {
  // A 0-2, switch 2-3, B 3-5, switch 5-6, A 6-9 (B is dry): 3 left after the first slice.
  TimeSlicedEngine engine{s(1)};
  engine.add_context(s(2));
  engine.add_context(s(2));
  const auto completions = run(engine, {{0, 0, 5}, {0, 1, 2}});
  CHECK(completions.at(1) == at(5));
  CHECK(completions.at(0) == at(9));
  CHECK(engine.busy() == s(9));
}

TEST_CASE("an operation of no length completes when it is served") {
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(2));
  engine.add_context(s(2));
  const auto completions = run(engine, {{0, 0, 3}, {1, 1, 0}});
  CHECK(completions.at(1) == at(2));
  CHECK(completions.at(0) == at(3));
}

TEST_CASE("a slowed operation takes as many times longer as it is slowed") {
  TimeSlicedEngine engine{Duration{}};
  engine.add_context(s(100));
  engine.enqueue(0, 7, s(10));
  engine.arbitrate(at(0));
  CHECK(engine.next_event() == at(10));
  CHECK_FALSE(engine.advance(at(2)));
  engine.set_slowdown({8'000'000});
  CHECK(engine.next_event() == at(66));  // 2 + 8 * 8
  CHECK_FALSE(engine.advance(at(6)));    // half a second of work done since 2
  engine.set_slowdown({});
  CHECK(engine.next_event() == Instant::at(Duration::milliseconds(13500)));
}

namespace {

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

TEST_CASE("the engine agrees with a second-by-second simulation on random workloads") {
  std::mt19937 random(20190703);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 2000; ++round) {
    const auto contexts = static_cast<std::size_t>(draw(1, 4));
    std::vector<std::int64_t> slices;
    TimeSlicedEngine engine{Duration{}};
    for (std::size_t c = 0; c < contexts; ++c) {
      slices.push_back(draw(1, 5));
      engine.add_context(s(slices.back()));
    }
    std::vector<Arrival> arrivals;
    for (int i = draw(1, 12), time = 0; i > 0; --i) {
      time += draw(0, 4);
      arrivals.push_back({time, static_cast<ContextIndex>(draw(0, static_cast<int>(contexts) - 1)), draw(1, 9)});
    }
    const auto completions = run(engine, arrivals);
    const auto expected = stepwise(slices, arrivals);
    for (OperationId id = 0; id < arrivals.size(); ++id) {
      INFO("round " << round << ", operation " << id);
      REQUIRE(completions.at(id) == at(expected[id]));
    }
  }
}
