// SPDX-License-Identifier: Apache-2.0
// The fewest changed values that mend what can be mended, compared with all combinations of fewer values.

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <tuple>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/analysis.hpp"
#include "engine/verdict.hpp"
#include "explore/repair.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace repair_test {

using namespace amalthea;
using namespace amalthea::explore;
using namespace test;

namespace {

Problem problem_of(const System& system) {
  Constraints constraints;
  std::vector<UnitIndex> all;
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) all.push_back(unit);
  constraints.allowed.assign(system.tasks.size(), all);
  return {system, constraints, [](const std::vector<bool>&) { return std::nullopt; }};
}

/// Deadlines that are missed, and those that are only not guaranteed.
std::optional<RepairScore> judge(const System& system) {
  Diagnostics ignored;
  const auto results = engine::analyze(system, {}, ignored);
  if (!results) return std::nullopt;
  RepairScore score;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const engine::OverallVerdict verdict = engine::verdict_on(results->tasks[task]);
    if (verdict > engine::OverallVerdict::met) ++score.failing;
    if (verdict == engine::OverallVerdict::met) ++score.unproven;
    const auto worst = results->tasks[task].bound.worst;
    score.excess += worst ? std::max(0.0, static_cast<double>((*worst - *system.tasks[task].deadline).picoseconds()) /
                                              static_cast<double>(system.tasks[task].deadline->picoseconds()))
                          : 5.0;
  }
  return score;
}

Repair repair_of(const System& system, std::size_t judgements) {
  Options options;
  options.objectives.clear();
  RepairTask task;
  task.judge = judge;
  task.is_over = [] { return false; };
  task.judgements = judgements;
  return find_repair(problem_of(system), options, task, *judge(system));
}

using Random = std::mt19937;
int draw(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

/// Six tasks somewhere on three cores, with priorities in any order.
System random_tasks(Random& random) {
  SystemMaker maker;
  for (const char* core : {"core1", "core2", "core3"}) maker.core(core);
  std::array<int, 6> priorities{10, 20, 30, 40, 50, 60};
  std::shuffle(priorities.begin(), priorities.end(), random);
  static constexpr int periods[] = {1000, 2000, 3000, 4000, 6000};
  for (int i = 0; i < 6; ++i) {
    const int period = periods[draw(random, 0, 4)];
    const TaskIndex task = maker.task(fmt::format("task{}", i), static_cast<UnitIndex>(draw(random, 0, 2)),
                                      priorities[static_cast<std::size_t>(i)], maker.periodic(period));
    maker.compute(task, period * draw(random, 20, 55) / 100);
    maker[task].deadline = us(period * draw(random, 60, 100) / 100);
  }
  return maker.build();
}

/// Calls `visit` with every system in which `left` more values, of tasks from `from` on, are others; until it says so.
bool any_combination(const System& system, std::size_t from, std::size_t left,
                     const std::function<bool(const System&)>& visit) {
  if (left == 0) return visit(system);
  const std::size_t values = 2 * system.tasks.size();  // unit and priority of each task
  for (std::size_t value = from; value < values; ++value) {
    const TaskIndex task = static_cast<TaskIndex>(value / 2);
    System changed = system;
    if (value % 2 == 0) {
      for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
        if (unit == system.tasks[task].unit) continue;
        changed.tasks[task].unit = unit;
        changed.tasks[task].scheduler = static_cast<SchedulerIndex>(unit);
        if (any_combination(changed, value + 1, left - 1, visit)) return true;
      }
    } else {
      for (int gap = 0; gap <= 6; ++gap)
        for (const int within : {3, 6}) {  // two in one gap, in either order
          changed.tasks[task].priority = 10 * gap + within;
          if (any_combination(changed, value + 1, left - 1, visit)) return true;
        }
    }
  }
  return false;
}

/// Whether fewer values would mend as much.
bool has_smaller(const System& system, const Repair& repair) {
  for (std::size_t size = 1; size < repair.changes; ++size)
    if (any_combination(system, 0, size, [&](const System& changed) {
          const auto score = judge(changed);
          return score && !is_fewer(repair.score, *score);
        }))
      return true;
  return false;
}

}  // namespace

TEST_CASE("a repair is one changed value where one suffices", "[explore]") {
  SystemMaker maker;
  maker.core("core1");
  maker.core("core2");
  for (int i = 0; i < 6; ++i) {
    const TaskIndex task = maker.task(fmt::format("task{}", i), 0, 10 * (i + 1), maker.periodic(1000));
    maker.compute(task, i == 3 ? 500 : 120);
    maker[task].deadline = us(1000);
  }
  const System system = maker.build();
  const Repair repair = repair_of(system, 1000);
  CHECK(repair.changes == 1);
  CHECK(repair.score.failing == 0);
  CHECK(repair.score.unproven == 0);
  CHECK(repair.complete);
  const auto mended = repaired(problem_of(system), repair, std::vector<bool>(6, true), std::vector<bool>(6, true));
  REQUIRE(mended);
  CHECK(judge(*mended)->failing == 0);
}

TEST_CASE("a system that cannot be repaired stays as it is", "[explore]") {
  SystemMaker maker;
  maker.core("core1");
  const TaskIndex task = maker.task("task", 0, 1, maker.periodic(1000));
  maker.compute(task, 900);
  maker[task].deadline = us(500);
  const System system = maker.build();
  const Repair repair = repair_of(system, 1000);
  CHECK(repair.changes == 0);
  CHECK(repair.candidate == original_candidate(system));
}

TEST_CASE("at most one repair in twenty is larger than the smallest one", "[explore]") {
  // With all combinations judged, and with work for the first changes only.
  for (const std::size_t judgements : {std::size_t{5000}, std::size_t{300}}) {
    Random random(47);
    int compared = 0, larger = 0;
    const int wanted = is_thorough() ? 200 : 10;
    while (compared < wanted) {
      const System system = random_tasks(random);
      const auto original = judge(system);
      if (original->failing + original->unproven == 0) continue;
      const Repair repair = repair_of(system, judgements);
      if (repair.changes > 3) continue;  // all combinations of three values are too many to compare with
      ++compared;
      if (has_smaller(system, repair)) ++larger;
    }
    UNSCOPED_INFO(judgements << " judgements: " << larger << " of " << compared << " are larger");
    CHECK(larger * 20 <= compared);
  }
}

}  // namespace repair_test
