// SPDX-License-Identifier: Apache-2.0
// Response times for stated offsets: cases that can be checked by hand, and the growth of the exploration.

#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/longest_schedule.hpp"
#include "engine/cpu/offset_windows.hpp"
#include "engine/cpu/schedule_graph.hpp"

namespace cpu_stated_offsets_test {

using namespace amalthea;
using namespace amalthea::engine::cpu;

namespace {

constexpr Duration ps(std::int64_t value) { return Duration::picoseconds(value); }

using Values = std::vector<std::int64_t>;
Values values_of(const std::vector<CpuBound>& bounds) {
  Values values;
  for (const CpuBound& bound : bounds) {
    values.push_back(bound.response ? bound.response->picoseconds() : -1);
    Duration sum;
    for (const CpuShare& share : bound.parts) sum += share.time;
    CHECK(sum == bound.response.value_or(Duration{}));
  }
  return values;
}

GraphTask whole(std::int64_t period, std::int64_t offset, std::int64_t best, std::int64_t worst,
                std::int64_t priority) {
  return {ps(period), ps(offset), {}, priority, {{ps(best), ps(worst)}}};
}

Values explored(const std::vector<GraphTask>& tasks, std::size_t most_states = 10'000, StepCount taken = {}) {
  const auto graph = explore_schedules(tasks, most_states, taken);
  return graph ? values_of(graph->bounds) : Values{};
}

OffsetTask preemptive(std::int64_t period, std::int64_t offset, std::int64_t jitter, std::int64_t worst,
                      std::int64_t priority) {
  OffsetTask task;
  task.task.arrivals = {ps(period), ps(jitter), {}};
  task.task.worst = ps(worst);
  task.task.priority = priority;
  task.offset = ps(offset);
  return task;
}

Values with_offsets(const std::vector<OffsetTask>& tasks, std::int64_t steps = 100'000) {
  std::vector<CpuTask> without;
  for (const OffsetTask& task : tasks) without.push_back(task.task);
  return values_of(offset_bounds(tasks, fixed_priority_bounds(without), steps));
}

}  // namespace

TEST_CASE("a non-preemptive task waits longest where another one ends early") {
  // The second task ends early, the third begins before the first one is released, and that one waits for it.
  const GraphTask high = whole(100, 20, 10, 10, 3), low = whole(100, 10, 50, 50, 1);
  CHECK(explored({high, whole(100, 0, 21, 21, 2), low}) == Values{11, 21, 71});
  CHECK(explored({high, whole(100, 0, 10, 10, 2), low}) == Values{50, 10, 50});
  // It may end at any time in between.
  CHECK(explored({high, whole(100, 0, 11, 21, 2), low}) == Values{60, 21, 71});
}

TEST_CASE("a scheduler may decide before a more urgent job is released at the same instant") {
  const GraphTask high = whole(100, 20, 10, 10, 3), low = whole(100, 10, 50, 50, 1);
  CHECK(explored({high, whole(100, 0, 20, 20, 2), low}) == Values{60, 20, 70});
  // At an idle core it decides after all releases.
  CHECK(explored({whole(100, 0, 10, 10, 2), whole(100, 0, 50, 50, 1)}) == Values{10, 60});
}

TEST_CASE("a cooperative task leaves the core between its parts") {
  GraphTask low = whole(100, 0, 60, 60, 1);
  const GraphTask high = whole(100, 10, 10, 10, 2);
  CHECK(explored({high, low}) == Values{60, 60});
  low.parts = {{ps(30), ps(30)}, {ps(30), ps(30)}};
  CHECK(explored({high, low}) == Values{30, 70});
}

TEST_CASE("jitter and backlog belong to the explored schedules") {
  GraphTask late = whole(100, 0, 10, 10, 2);
  late.jitter = ps(30);
  // The other task may begin right before the late release.
  CHECK(explored({late, whole(100, 20, 40, 40, 1)}) == Values{50, 50});
  // A job that takes longer than its period delays the next one.
  CHECK(explored({whole(10, 0, 1, 12, 1), whole(30, 0, 1, 1, 2)}) == Values{});
  CHECK(explored({whole(20, 0, 30, 30, 1)}, 100) == Values{});
  CHECK(explored({whole(20, 0, 4, 4, 2), whole(40, 0, 25, 25, 1)}) == Values{13, 29});
}

TEST_CASE("an exploration stops at its limit of states") {
  const std::vector<GraphTask> tasks = {whole(7, 0, 1, 2, 2), whole(11, 3, 1, 4, 1)};
  CHECK(explored(tasks).size() == 2);
  CHECK(explored(tasks, 10).empty());
}

TEST_CASE("the exploration grows with the number of jobs alone") {
  const auto states = [](std::int64_t longest_period) {
    std::vector<GraphTask> tasks;
    for (int index = 0; index < 20; ++index)
      tasks.push_back(whole(index < 10 ? 2000 : 4000, 137 * index, 30, 60, -index));
    tasks.back().period = ps(longest_period);
    const auto graph = explore_schedules(tasks, 1'000'000);
    REQUIRE(graph);
    return static_cast<double>(graph->states);
  };
  CHECK(states(400'000) < 12 * states(40'000));
}

TEST_CASE("busy periods start where offsets allow it") {
  // Apart, just touching, and overlapping.
  CHECK(with_offsets({preemptive(10, 5, 0, 3, 2), preemptive(10, 0, 0, 5, 1)}) == Values{3, 5});
  CHECK(with_offsets({preemptive(10, 5, 0, 3, 2), preemptive(10, 0, 0, 6, 1)}) == Values{3, 9});
  CHECK(with_offsets({preemptive(10, 5, 0, 3, 2), preemptive(10, 6, 0, 4, 1)}) == Values{3, 6});
  // A late release is preempted as if it were early, and meets what comes later.
  CHECK(with_offsets({preemptive(20, 5, 0, 3, 2), preemptive(20, 0, 4, 4, 1)}) == Values{3, 7});
  // Jobs may wait for earlier ones of their task.
  CHECK(with_offsets({preemptive(40, 0, 0, 20, 2), preemptive(20, 5, 0, 9, 1)}) == Values{20, 24});
  // An unknown offset counts as any.
  OffsetTask unknown = preemptive(10, 0, 0, 3, 2);
  unknown.offset.reset();
  CHECK(with_offsets({unknown, preemptive(10, 0, 0, 5, 1)}) == Values{3, 8});
  // Without enough steps the bounds for all offsets remain.
  CHECK(with_offsets({preemptive(10, 5, 0, 3, 2), preemptive(10, 0, 0, 5, 1)}, 1) == Values{3, 8});
}

TEST_CASE("a section blocks only where it may be active") {
  const auto with_section = [](std::int64_t offset) {
    OffsetTask low = preemptive(20, offset, 0, 6, 1);
    low.task.sections = {{ps(6), 9}};
    low.task.last = low.task.sections.front();
    return with_offsets({preemptive(10, 5, 0, 2, 2), low});
  };
  CHECK(with_section(7) == Values{2, 6});
  CHECK(with_section(12) == Values{8, 6});  // active at 15: the whole section counts
}

TEST_CASE("the longest schedule of preemptive tasks on several cores") {
  const auto scheduled = [](std::int64_t period, std::int64_t offset, std::int64_t worst, std::int64_t priority) {
    return ScheduledTask{ps(period), ps(offset), ps(worst), priority, std::nullopt};
  };
  const std::vector<ScheduledTask> tasks = {scheduled(10, 0, 4, 3), scheduled(10, 0, 6, 2), scheduled(10, 2, 5, 1)};
  CHECK(values_of(longest_schedule(tasks, 2, 1000).value()) == Values{4, 6, 7});
  CHECK(values_of(longest_schedule(tasks, 3, 1000).value()) == Values{4, 6, 5});
  CHECK_FALSE(longest_schedule(tasks, 1, 1000));
  CHECK_FALSE(longest_schedule(tasks, 2, 4));
}

TEST_CASE("the longest schedule of tasks of equal priority has no response where several cores may choose") {
  const auto scheduled = [](std::int64_t offset, std::int64_t worst, std::int64_t priority) {
    return ScheduledTask{ps(10), ps(offset), ps(worst), priority, std::nullopt};
  };
  // The first two share a priority. With the long one first, the third one ends at 9.
  const auto bounds =
      longest_schedule({scheduled(0, 3, 2), scheduled(0, 6, 2), scheduled(0, 3, 2), scheduled(0, 2, 3)}, 2, 1000)
          .value();
  CHECK_FALSE(bounds[0].response);
  CHECK_FALSE(bounds[1].response);
  CHECK_FALSE(bounds[2].response);
  CHECK(bounds[3].response == ps(2));
  // Equals that never wait for each other.
  CHECK(values_of(longest_schedule({scheduled(0, 3, 2), scheduled(0, 6, 2), scheduled(3, 3, 2)}, 2, 1000).value()) ==
        Values{3, 6, 3});
}

TEST_CASE("under earliest deadline first every job loses ties on one core") {
  const auto due = [](std::int64_t offset, std::int64_t worst, std::int64_t deadline) {
    return ScheduledTask{ps(20), ps(offset), ps(worst), 0, ps(deadline)};
  };
  for (const bool swapped : {false, true}) {
    std::vector<ScheduledTask> tasks = {due(0, 8, 10), due(2, 3, 8)};
    if (swapped) std::swap(tasks[0], tasks[1]);
    CHECK(values_of(longest_schedule(tasks, 1, 1000).value()) == (swapped ? Values{9, 11} : Values{11, 9}));
  }
  // On several cores an order among others may matter.
  CHECK_FALSE(longest_schedule({due(0, 8, 10), due(2, 3, 8), due(0, 8, 10)}, 2, 1000).value()[0].response);
}

TEST_CASE("the longest schedule under earliest deadline first") {
  const auto due = [](std::int64_t period, std::int64_t offset, std::int64_t worst, std::int64_t deadline) {
    return ScheduledTask{ps(period), ps(offset), ps(worst), 0, ps(deadline)};
  };
  CHECK(values_of(longest_schedule({due(20, 0, 8, 20), due(20, 2, 3, 5)}, 1, 1000).value()) == Values{11, 3});
  CHECK(values_of(longest_schedule({due(20, 0, 8, 9), due(20, 2, 3, 15)}, 1, 1000).value()) == Values{8, 9});
}

TEST_CASE("the schedules of an overloaded core are not explored") {
  std::uint64_t taken = 0;
  CHECK(explored({whole(10, 0, 3, 5, 2), whole(15, 0, 1, 8, 1)}, 1'000'000, {&taken}).empty());
  CHECK(taken == 0);
  CHECK_FALSE(explored({whole(10, 0, 3, 5, 2), whole(16, 0, 1, 8, 1)}, 10'000, {&taken})
                  .empty());  // a utilization of exactly 1
  CHECK(taken > 0);
}

}  // namespace cpu_stated_offsets_test
