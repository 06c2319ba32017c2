// SPDX-License-Identifier: Apache-2.0
// Tasks that trigger each other keep distances, on one core and on several.

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/rows.hpp"
#include "tests/support/bound_trial.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace bounds_row_bounds_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

constexpr Duration ps(std::int64_t value) { return Duration::picoseconds(value); }

cpu::CpuTask task_of(std::int64_t worst, std::int64_t period, std::int64_t priority, std::int64_t jitter = 0) {
  cpu::CpuTask task;
  task.arrivals = {ps(period), ps(jitter), {}};
  task.worst = ps(worst);
  task.priority = priority;
  return task;
}

/// Of the last task, below those of one row with these offsets.
std::int64_t response_below(const std::vector<std::int64_t>& offsets, std::vector<cpu::CpuTask> tasks, bool periodic) {
  std::vector<cpu::RowStep> steps(tasks.size());
  for (std::size_t step = 0; step < offsets.size(); ++step) {
    steps[step].row = 0;
    steps[step].periodic = periodic;
    steps[step].offset = ps(offsets[step]);
  }
  auto bounds = cpu::fixed_priority_bounds(tasks);
  cpu::improve_by_rows(tasks, steps, {}, bounds);
  Duration sum;
  for (const cpu::CpuShare& share : bounds.back().parts) sum += share.time;
  CHECK(sum == *bounds.back().response);
  return bounds.back().response->picoseconds();
}

void compute_up_to(SystemMaker& maker, TaskIndex task, std::int64_t ticks) {
  Ticks varying;
  varying.otherwise = Cycles{0, ticks, ticks};
  maker.add(task, Compute{varying});
}

/// Two or three rows on one or two cores, at offsets that let their steps meet.
System drawn_rows(std::mt19937& random) {
  const auto between = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
  const auto cycles = [&](int most) {
    const int upper = between(1, most), lower = between(0, 1) == 0 ? upper : between(0, upper);
    Ticks ticks;
    ticks.otherwise = Cycles{lower, upper, upper};
    return Compute{ticks};
  };
  SystemMaker maker;
  std::vector<UnitIndex> cores = {maker.core("one")};
  if (between(0, 2) > 0) cores.push_back(maker.core("two"));
  int name = 0;
  for (int row = between(2, 3); row > 0; --row) {
    constexpr int periods[] = {10, 12, 15, 20, 24, 30};
    const int period = periods[between(0, 5)];
    StimulusIndex stimulus = maker.periodic(period, between(0, period - 1));
    if (between(0, 3) == 0)
      std::get<Periodic>(maker.system().stimuli[stimulus].occurrence).jitter.upper = between(1, 2 * period) * 1'000'000;
    const int steps = between(1, 4);
    for (int step = 0; step < steps; ++step) {
      const UnitIndex core = cores[static_cast<std::size_t>(between(0, static_cast<int>(cores.size()) - 1))];
      const TaskIndex task = maker.task(std::to_string(name++), core, between(1, 6), stimulus);
      if (between(0, 4) == 0) maker[task].preemption = Preemption::non_preemptive;
      if (between(0, 9) > 0) maker.add(task, cycles(period / 5));
      if (step + 1 == steps) break;
      stimulus = maker.inter_process();
      maker.trigger(task, stimulus);
      if (between(0, 3) == 0) maker.add(task, cycles(period / 6));
    }
  }
  return maker.build();
}

}  // namespace

TEST_CASE("drawn rows of triggers stay within their bounds") {
  BoundTrial trial;
  std::mt19937 random(1);
  for (std::uint64_t number = 0; number < (is_thorough() ? 20'000U : 60U); ++number) {
    RandomSystem drawn;
    drawn.system = drawn_rows(random);
    drawn.met.resize(drawn.system.tasks.size());
    trial.run(drawn, number, 9);
  }
  INFO(trial.text());
  CHECK(trial.faults.empty());
  CHECK(trial.bounded > 4 * trial.systems);
}

TEST_CASE("steps of a row on one core delay a task only where they can meet") {
  // 5 us lie between the releases of first and third.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex to_second = maker.inter_process(), to_third = maker.inter_process();
  const TaskIndex first = maker.task("first", one, 3, maker.periodic(10)),
                  second = maker.task("second", two, 1, to_second), third = maker.task("third", one, 2, to_third),
                  below = maker.task("below", one, 1, maker.periodic(10));
  maker.compute(first, 2);
  maker.trigger(first, to_second);
  maker.compute(third, 2);
  maker.compute(below, 3);
  SECTION("not where something between them takes time") {
    maker.compute(second, 3);
    maker.trigger(second, to_third);
    const Results results = analyzed(maker.build(), us(10));
    CHECK(results.tasks[third].bound.worst == us(2));
    CHECK(results.tasks[below].bound.worst == us(5));
  }
  SECTION("where it may take none, but first has ended when third is released") {
    compute_up_to(maker, second, 3);
    maker.trigger(second, to_third);
    const Results results = analyzed(maker.build(), us(10));
    CHECK(results.tasks[third].bound.worst == us(2));
    CHECK(results.tasks[below].bound.worst == us(7));
  }
  SECTION("first may go on after its trigger") {
    maker.compute(first, 2);
    compute_up_to(maker, second, 1);
    maker.trigger(second, to_third);
    const Results results = analyzed(maker.build(), us(10));
    CHECK(results.tasks[third].bound.worst == us(4));
    CHECK(results.tasks[below].bound.worst == us(9));
  }
}

TEST_CASE("steps of a row that are later than its period meet those of the next one") {
  const auto tasks = [](std::int64_t jitter) {
    return std::vector{task_of(2, 10, 3), task_of(2, 10, 2, jitter), task_of(1, 100, 1)};
  };
  CHECK(response_below({0, 15}, tasks(0), true) == 3);
  CHECK(response_below({0, 10}, tasks(0), true) == 5);
  CHECK(response_below({0, 6}, tasks(1), true) == 3);
  CHECK(response_below({0, 6}, tasks(2), true) == 5);
  CHECK(response_below({0, 16}, tasks(1), true) == 3);
  CHECK(response_below({0, 16}, tasks(2), true) == 5);
  // Where occurrences may be further apart, those of a long row may meet at any distance.
  CHECK(response_below({0, 5}, tasks(0), false) == 3);
  CHECK(response_below({0, 15}, tasks(0), false) == 5);
}

TEST_CASE("what arrives late in a window cannot have taken more time than is left of it") {
  // 6 from 0 on, or 1 from 0 on and 6 from 4 on. The larger sum at each time would be 7 from 4 on, and the bound 9.
  CHECK(response_below({0, 4}, {task_of(1, 20, 3), task_of(6, 20, 3), task_of(2, 100, 1)}, true) == 8);
}

TEST_CASE("a task on the same core that a job triggers at its end delays that end, but not the trigger") {
  // Without the distinction last would have a jitter of 3, and below 11.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex to_second = maker.inter_process(), to_last = maker.inter_process();
  const TaskIndex first = maker.task("first", one, 1, maker.periodic(10)),
                  second = maker.task("second", one, 2, to_second), last = maker.task("last", two, 2, to_last),
                  below = maker.task("below", two, 1, maker.periodic(20));
  maker.compute(first, 2);
  maker.trigger(first, to_second);
  maker.compute(second, 3);
  maker.trigger(second, to_last);
  maker.compute(last, 1);
  maker.compute(below, 9);
  SECTION("if it can be preempted then") {
    const Results results = analyzed(maker.build(), us(20));
    CHECK(results.tasks[first].bound.worst == us(5));
    CHECK(results.tasks[second].bound.worst == us(3));
    CHECK(results.tasks[below].bound.worst == us(10));
  }
  SECTION("not even that if it cannot be preempted") {
    maker[first].preemption = Preemption::non_preemptive;
    const Results results = analyzed(maker.build(), us(20));
    CHECK(results.tasks[first].bound.worst == us(2));
  }
}

TEST_CASE("a trigger in the middle of a job is as late as what precedes it") {
  // first triggers after 1 to 3, although its job may take up to 13.
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex to_second = maker.inter_process();
  const TaskIndex above = maker.task("above", one, 2, maker.periodic(20)),
                  first = maker.task("first", one, 1, maker.periodic(20)),
                  second = maker.task("second", two, 2, to_second),
                  below = maker.task("below", two, 1, maker.periodic(40));
  maker.compute(above, 2);
  maker.compute(first, 1);
  maker.trigger(first, to_second);
  compute_up_to(maker, first, 10);
  maker.compute(second, 4);
  maker.compute(below, 14);  // 18 + 2 = 20
  const Results results = analyzed(maker.build(), us(40));
  CHECK(results.tasks[first].bound.worst == us(13));
  CHECK(results.tasks[below].bound.worst == us(18));
}

}  // namespace bounds_row_bounds_test
