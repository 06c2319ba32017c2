// SPDX-License-Identifier: Apache-2.0
// Programs: execution and bounds of bodies with alternatives, and operating system overhead.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/program/program.hpp"
#include "tests/support/system_maker.hpp"

namespace program_program_test {

using namespace amalthea;
using engine::CompileOptions;
using engine::Execution;
using engine::Program;
using engine::Step;
using engine::StepKind;
using test::us;

namespace {

Compute between(std::int64_t lower, std::int64_t upper) {
  Ticks ticks;
  ticks.otherwise = Cycles{lower, (lower + upper) / 2, upper};
  return {ticks};
}

/// One core, one task; what is added is its body.
struct OneTask {
  OneTask() : core(maker.core("core")), task(maker.task("T", core, 1, maker.periodic(1000))) {
    maker.system().modes.push_back({"Gear", 0, test::literals({"off", "on"})});
  }
  void branch(std::vector<std::pair<Guard, std::size_t>> alternatives, bool repeats = false) {
    Branch branch;
    branch.repeats = repeats;
    for (auto& [guard, length] : alternatives) branch.alternatives.push_back({std::move(guard), length});
    maker.add(task, branch);
  }
  void compute(std::int64_t ticks) { maker.compute(task, ticks); }
  Program program(Execution execution = Execution::worst, bool flat = false) {
    CompileOptions options;
    options.flatten_branches = flat;
    return engine::compile_program(maker.system(), task, core, execution, nullptr, options);
  }

  test::SystemMaker maker;
  UnitIndex core;
  TaskIndex task;
};

const Guard off = ModeCondition{{{ModeTest{0, Relation::equal, 0, std::nullopt}}}};
const Guard on = ModeCondition{{{ModeTest{0, Relation::equal, 1, std::nullopt}}}};

/// Times of the execute steps from the start to the end, when branches take the alternatives named, in this order
/// ('0', '1', …; '-' for none).
std::string walked(const Program& program, const std::string& choices) {
  std::string times;
  std::size_t choice = 0, at = 0, steps = 0;
  while (at < program.steps.size() && ++steps < 100) {
    const Step& step = program.steps[at];
    if (step.kind == StepKind::branch) {
      REQUIRE(choice < choices.size());
      const char chosen = choices[choice++];
      at = chosen == '-' ? step.next : step.alternatives.at(static_cast<std::size_t>(chosen - '0'));
      continue;
    }
    if (step.kind == StepKind::execute) times += fmt::format("{} ", step.work.picoseconds() / 1'000'000);
    at = step.next;
  }
  CHECK(at == program.steps.size());
  CHECK(choice == choices.size());
  return times;
}

/// Work of each step, those left out in brackets.
std::string works(const Program& program) {
  std::string text;
  for (const Step& step : program.steps) {
    CHECK(step.kind == StepKind::execute);
    const std::int64_t time = step.work.picoseconds() / 1'000'000;
    text += step.skipped ? fmt::format("({}) ", time) : fmt::format("{} ", time);
  }
  return text;
}

}  // namespace

TEST_CASE("without branches every step leads to the next") {
  OneTask one;
  one.compute(1);
  one.compute(2);
  const Program program = one.program();
  REQUIRE(program.steps.size() == 2);
  CHECK(program.steps[0].next == 1);
  CHECK(program.steps[1].next == 2);
  CHECK(program.unanalyzable.empty());
}

TEST_CASE("a branch runs one alternative and continues behind the last one") {
  OneTask one;
  one.compute(1);
  one.branch({{off, 2}, {on, 1}});
  one.compute(2);
  one.compute(3);
  one.compute(4);
  one.compute(5);
  const Program program = one.program();
  CHECK(walked(program, "0") == "1 2 3 5 ");
  CHECK(walked(program, "1") == "1 4 5 ");
  CHECK(walked(program, "-") == "1 5 ");
}

TEST_CASE("nested branches end where the outer alternative ends and empty alternatives continue behind it") {
  OneTask one;
  one.branch({{off, 3}, {on, 0}, {Otherwise{}, 1}});
  one.compute(1);
  one.branch({{off, 1}});  // the end of the outer one's first alternative
  one.compute(2);
  one.compute(3);
  one.compute(4);
  const Program program = one.program();
  CHECK(walked(program, "00") == "1 2 4 ");
  CHECK(walked(program, "0-") == "1 4 ");
  CHECK(walked(program, "1") == "4 ");
  CHECK(walked(program, "2") == "3 4 ");
}

TEST_CASE("a loop returns to its branch until another alternative than the first or none is taken") {
  OneTask one;
  one.branch({{off, 2}}, true);
  one.compute(1);
  one.compute(2);
  one.compute(3);
  CHECK(walked(one.program(), "00-") == "1 2 1 2 3 ");
  CHECK(one.program().unanalyzable == "it has a loop");

  OneTask by_chance;
  by_chance.branch({{Probability{1}, 1}, {Probability{1}, 0}}, true);
  by_chance.compute(1);
  by_chance.compute(3);
  CHECK(walked(by_chance.program(), "01") == "1 3 ");
}

TEST_CASE("a loop at the end of an alternative leaves to where the alternative continues") {
  OneTask one;
  one.branch({{off, 2}, {on, 1}});
  one.branch({{off, 1}}, true);
  one.compute(1);
  one.compute(2);
  one.compute(3);
  CHECK(walked(one.program(), "000-") == "1 1 3 ");
  CHECK(walked(one.program(), "1") == "2 3 ");
}

TEST_CASE("flattening keeps the most expensive alternative at worst and the cheapest or none at best") {
  OneTask one;
  one.maker.add(one.task, between(1, 2));
  one.branch({{off, 2}, {on, 1}});
  one.compute(3);
  one.compute(4);
  one.compute(6);
  one.compute(5);
  CHECK(works(one.program(Execution::worst, true)) == "2 0 3 4 (0) 5 ");
  CHECK(works(one.program(Execution::best, true)) == "1 0 (0) (0) (0) 5 ");
  CHECK(one.program(Execution::worst, true).execution == us(14));
  CHECK(one.program(Execution::best, true).execution == us(6));
  CHECK(one.program(Execution::worst, true).unanalyzable.empty());

  OneTask always;  // one of them must be taken
  always.branch({{off, 1}, {Otherwise{}, 1}});
  always.compute(7);
  always.compute(4);
  CHECK(works(always.program(Execution::best, true)) == "0 (0) 4 ");
  CHECK(works(always.program(Execution::worst, true)) == "0 7 (0) ");
}

TEST_CASE("flattening selects inner branches before outer ones") {
  OneTask one;
  one.branch({{off, 3}, {Otherwise{}, 1}});
  one.branch({{off, 1}, {Otherwise{}, 1}});
  one.compute(2);
  one.compute(9);
  one.compute(5);
  CHECK(works(one.program(Execution::worst, true)) == "0 0 (0) 9 (0) ");
  CHECK(works(one.program(Execution::best, true)) == "0 0 2 (0) (0) ");
}

TEST_CASE("average flattening weights alternatives by probability and by counter") {
  OneTask one;
  one.branch({{Probability{1}, 1}, {Probability{3}, 1}});
  one.compute(40);
  one.compute(80);
  one.branch({{EveryNth{5, 0}, 1}});
  one.compute(50);
  const Program program = one.program(Execution::average, true);
  CHECK(works(program) == "0 10 60 0 10 ");
  CHECK(program.execution == us(80));
  CHECK(one.program(Execution::average).execution == us(80));
}

TEST_CASE("a flattened program has the same steps for best and worst and states why it is no bound") {
  for (const Activity& activity :
       {Activity{Trigger{1}}, Activity{SetEvents{{0}, std::nullopt}}, Activity{WaitEvents{{0}, false, false}},
        Activity{UseSemaphore{0, UseSemaphore::Operation::request, false}}, Activity{Terminate{}},
        Activity{Uninterruptible{true}}}) {
    OneTask one;
    one.maker.inter_process();
    one.maker.event("E");
    one.maker.system().semaphores.push_back({"S", 1, 1, false, false});
    one.branch({{off, 1}});
    one.maker.add(one.task, activity);
    INFO(kind_name(activity));
    const Program best = one.program(Execution::best, true), worst = one.program(Execution::worst, true);
    CHECK(best.steps.size() == worst.steps.size());
    CHECK(worst.unanalyzable == fmt::format("a branch contains more than execution ({})", kind_name(activity)));

    OneTask outside;
    outside.maker.inter_process();
    outside.maker.event("E");
    outside.maker.system().semaphores.push_back({"S", 1, 1, false, false});
    outside.maker.add(outside.task, activity);
    CHECK(outside.program(Execution::worst, true).unanalyzable.empty());
  }
}

TEST_CASE("with every alternative a branch with a section keeps all of them at worst and may leave out all at best") {
  OneTask one;
  one.maker.system().semaphores.push_back({"S", 1, 1, false, false});
  one.branch({{off, 3}, {Otherwise{}, 1}});
  one.maker.add(one.task, UseSemaphore{0, UseSemaphore::Operation::request, false});
  one.compute(3);
  one.maker.add(one.task, UseSemaphore{0, UseSemaphore::Operation::release, false});
  one.compute(5);
  one.branch({{off, 1}, {Otherwise{}, 1}});  // without a section the cheapest or most expensive one
  one.compute(7);
  one.compute(9);
  CompileOptions options;
  options.flatten_branches = options.every_alternative = true;
  const auto compiled = [&](Execution execution) {
    return engine::compile_program(one.maker.system(), one.task, one.core, execution, nullptr, options);
  };
  const Program worst = compiled(Execution::worst), best = compiled(Execution::best);
  CHECK(worst.unanalyzable.empty());
  CHECK(worst.execution == us(3 + 5 + 9));
  REQUIRE(worst.steps.size() == 8);
  CHECK(worst.steps[0].keeps_all);
  CHECK(worst.steps[0].alternatives == std::vector<std::uint32_t>{1, 4});
  CHECK(worst.steps[0].next == 5);
  CHECK_FALSE(worst.steps[5].keeps_all);
  CHECK(worst.steps[6].skipped);
  CHECK_FALSE(worst.steps[2].skipped);
  REQUIRE(best.steps.size() == 8);
  CHECK(best.steps[2].skipped);
  CHECK(best.steps[4].skipped);
  CHECK(best.steps[4].work == us(5));
  CHECK_FALSE(best.steps[6].skipped);
  CHECK(best.execution == us(7));
}

TEST_CASE("nothing follows the end of a job and an end in a branch leads there") {
  OneTask one;
  one.compute(1);
  one.maker.add(one.task, Terminate{});
  one.compute(2);
  CHECK(one.program().steps.size() == 2);
  CHECK(one.program().execution == us(1));

  OneTask within;
  within.branch({{off, 2}});
  within.compute(1);
  within.maker.add(within.task, Terminate{});
  within.compute(2);
  CHECK(walked(within.program(), "0") == "1 ");
  CHECK(walked(within.program(), "-") == "2 ");
}

TEST_CASE("operating system overhead precedes its effect and follows every job") {
  OneTask one;
  const StimulusIndex other = one.maker.inter_process();
  const EventIndex event = one.maker.event("E");
  System& system = one.maker.system();
  system.semaphores.push_back({"S", 1, 1, false, false});
  system.semaphores.push_back({"Spin", 1, 1, false, true});
  OverheadTicks overhead;
  std::int64_t time = 1;
  for (auto* ticks : {&overhead.activate_task, &overhead.terminate_task, &overhead.set_event, &overhead.wait_event,
                      &overhead.clear_event, &overhead.request_resource, &overhead.release_resource,
                      &overhead.request_spinlock, &overhead.release_spinlock, &overhead.schedule_point})
    *ticks = test::constant_ticks(time++);
  system.platform.schedulers[0].overhead = overhead;
  using Operation = UseSemaphore::Operation;
  for (const Activity& activity :
       {Activity{Trigger{other}}, Activity{SetEvents{{event}, std::nullopt}},
        Activity{WaitEvents{{event}, false, false}}, Activity{ClearEvents{{event}}},
        Activity{UseSemaphore{0, Operation::request, false}}, Activity{UseSemaphore{0, Operation::release, false}},
        Activity{UseSemaphore{1, Operation::exclusive, true}}, Activity{UseSemaphore{1, Operation::release, false}},
        Activity{SchedulePoint{}}, Activity{Terminate{}}})
    one.maker.add(one.task, activity);
  const Program program = one.program();
  std::vector<StepKind> kinds;
  std::string times;
  for (const Step& step : program.steps) {
    if (step.overhead) {
      CHECK(step.kind == StepKind::execute);
      times += fmt::format("{} ", step.work.picoseconds() / 1'000'000);
    } else {
      CHECK(step.work.is_zero());
      kinds.push_back(step.kind);
    }
  }
  CHECK(times == "1 3 4 5 6 7 8 9 10 2 ");
  CHECK(kinds == std::vector<StepKind>{StepKind::trigger, StepKind::set_events, StepKind::wait, StepKind::clear_events,
                                       StepKind::request_semaphore, StepKind::release_semaphore,
                                       StepKind::request_semaphore, StepKind::release_semaphore,
                                       StepKind::schedule_point, StepKind::terminate});
  CHECK(walked(program, "") == "1 3 4 5 6 7 8 9 10 2 ");
  CHECK(program.execution == us(55));
}

TEST_CASE("an early end in a branch includes the termination overhead") {
  OneTask one;
  OverheadTicks overhead;
  overhead.terminate_task = test::constant_ticks(7);
  one.maker.system().platform.schedulers[0].overhead = overhead;
  one.branch({{off, 1}});
  one.maker.add(one.task, Terminate{});
  one.compute(2);
  CHECK(walked(one.program(), "0") == "7 ");
  CHECK(walked(one.program(), "-") == "2 7 ");
}

TEST_CASE("ISRs have the overhead of their category before and after and no task termination overhead") {
  OneTask one;
  OverheadTicks overhead;
  overhead.terminate_task = test::constant_ticks(9);
  overhead.isr_category1_before = test::constant_ticks(1);
  overhead.isr_category1_after = test::constant_ticks(2);
  overhead.isr_category2_before = test::constant_ticks(3);
  overhead.isr_category2_after = test::constant_ticks(4);
  one.maker.system().platform.schedulers[0].overhead = overhead;
  one.compute(5);
  CHECK(walked(one.program(), "") == "5 9 ");
  one.maker[one.task].kind = ProcessKind::isr_category1;
  CHECK(walked(one.program(), "") == "1 5 2 ");
  one.maker[one.task].kind = ProcessKind::isr_category2;
  CHECK(walked(one.program(), "") == "3 5 4 ");
}

TEST_CASE("an access takes its time as often as its statistic states") {
  OneTask one;
  one.maker.system().labels.push_back({"label", DataSize{640}, MemoryIndex{0}, LabelSide::host, {}});  // ten lines
  if (one.maker.system().platform.memories.empty()) one.maker.system().platform.memories.push_back({"memory", {}});
  one.maker.add(one.task, ReadLabel{0, {1, 2, 5}});
  one.maker.add(one.task, WriteLabel{0, {0, 0, 3}});
  one.maker.add(one.task, ReadLabel{0});
  CHECK(one.program(Execution::best).execution == us(10 + 0 + 10));
  CHECK(one.program(Execution::average).execution == us(20 + 0 + 10));
  CHECK(one.program(Execution::worst).execution == us(50 + 30 + 10));
  const Program random = one.program(Execution::random);
  RandomStream stream(1, 2, 3, 4);
  Duration least = Duration::max(), most;
  for (int i = 0; i < 1000; ++i) {
    const Duration drawn = engine::work_of(random.steps[0], stream);
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  CHECK(least >= us(10));
  CHECK(least < us(11));
  CHECK(most <= us(50));
  CHECK(most > us(49));
}

}  // namespace program_program_test
