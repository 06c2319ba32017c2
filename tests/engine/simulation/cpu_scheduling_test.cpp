// SPDX-License-Identifier: Apache-2.0
// CPU schedules, calculated by hand: every algorithm, interrupts, sections, semaphores, servers, several cores.

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"

namespace simulation_cpu_scheduling_test {

using namespace test;
using engine::ContributionKind;
using engine::ProcessState;
using engine::TimeMetric;

namespace {

/// What happened, one line for each interval in which a task ran or polled: "A core 0-3".
class Log : public engine::SimulationObserver {
 public:
  explicit Log(const System& system) : system_(system) {}
  void interval(const engine::Interval& one) override {
    all.push_back(one);
    const ProcessState state = one.standing.state;
    if (state != ProcessState::running && state != ProcessState::polling) return;
    Line line{one.task, one.unit, state, one.from, one.to};
    for (Line& known : lines_)
      if (known.task == line.task && known.unit == line.unit && known.state == line.state && known.to == line.from) {
        known.to = line.to;
        return;
      }
    lines_.push_back(line);
  }
  std::string text() const {
    auto lines = lines_;
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.from < b.from; });
    std::string text;
    for (const Line& line : lines) {
      if (!text.empty()) text += ", ";
      text += system_.tasks[line.task].name;
      if (system_.platform.units.size() > 1) text += " " + system_.platform.units[line.unit.value()].name;
      if (line.state == ProcessState::polling) text += " polls";
      text += " " + std::to_string(line.from.picoseconds() / 1'000'000) + "-" +
              std::to_string(line.to.picoseconds() / 1'000'000);
    }
    return text;
  }
  std::vector<engine::Interval> all;

 private:
  struct Line {
    TaskIndex task;
    std::optional<UnitIndex> unit;
    ProcessState state;
    Instant from, to;
  };
  const System& system_;
  std::vector<Line> lines_;
};

struct Seen {
  std::string text;
  engine::Results results;
  std::vector<engine::Interval> intervals;
};

Seen simulated(const System& system, Duration until, engine::Execution execution = engine::Execution::worst,
               std::uint64_t seed = 0) {
  const std::vector<const engine::DeviceProfile*> devices(system.platform.units.size(), nullptr);
  const auto programs = engine::compile_programs(system, execution, devices);
  const auto periods = engine::periods_of(system);
  Log log(system);
  engine::SimulationInput input{system, programs, devices, until, us(1000), periods};
  input.execution = execution;
  input.seed = seed;
  input.observer = &log;
  Seen seen;
  engine::simulate(input, seen.results);
  seen.text = log.text();
  seen.intervals = std::move(log.all);
  return seen;
}

std::string run(const System& system, std::int64_t until_us) { return simulated(system, us(until_us)).text; }

Scheduler& scheduler_of(SystemMaker& maker, TaskIndex task) {
  return maker.system().platform.schedulers[maker[task].scheduler];
}

void call(SystemMaker& maker, TaskIndex task, std::int64_t ticks) {
  maker.add(task, Call{});
  maker.compute(task, ticks);
}

}  // namespace

TEST_CASE("a non-preemptive task is preempted by interrupts but not by more urgent tasks") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("low", core, 1, maker.periodic(100));
  const auto high = maker.task("high", core, 2, maker.periodic(100, 2));
  const auto isr = maker.task("isr", core, 0, maker.periodic(100, 4));
  maker.compute(low, 10);
  maker.compute(high, 3);
  maker.compute(isr, 1);
  maker[low].preemption = Preemption::non_preemptive;
  maker[isr].kind = ProcessKind::isr_category2;
  const auto seen = simulated(maker.build(), us(100));
  CHECK(seen.text == "low 0-4, isr 4-5, low 5-11, high 11-14");
  const auto& parts = seen.results.tasks[high].contributions;
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].kind == ContributionKind::blocking);
  CHECK(parts[0].by == low);
  CHECK(parts[0].time == us(8));
  CHECK(parts[1].kind == ContributionKind::preemption);
  CHECK(parts[1].by == isr);
  CHECK(parts[1].time == us(1));
}

TEST_CASE("a cooperative task yields to cooperative tasks between runnables and to preemptive tasks at once") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("low", core, 1, maker.periodic(100));
  const auto friendly = maker.task("friendly", core, 2, maker.periodic(100, 2));
  const auto rude = maker.task("rude", core, 3, maker.periodic(100, 12));
  call(maker, low, 5);
  call(maker, low, 10);
  call(maker, friendly, 3);
  maker.compute(rude, 2);
  maker[low].preemption = maker[friendly].preemption = Preemption::cooperative;
  SECTION("of its own") { CHECK(run(maker.build(), 100) == "low 0-5, friendly 5-8, low 8-12, rude 12-14, low 14-20"); }
  SECTION("not those that they call") {
    for (const std::size_t node : {2U, 3U}) maker.system().graph[maker[low].body[node]].depth = 2;
    CHECK(run(maker.build(), 100) == "low 0-12, rude 12-14, low 14-17, friendly 17-20");
  }
}

TEST_CASE("no task in between delays both while a cooperative task waits for a schedule point") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("low", core, 1, maker.periodic(100));
  const auto middle = maker.task("middle", core, 2, maker.periodic(100, 2));
  const auto high = maker.task("high", core, 3, maker.periodic(100, 1));
  call(maker, low, 6);
  call(maker, low, 6);
  maker.compute(middle, 4);
  call(maker, high, 2);
  maker[low].preemption = maker[high].preemption = Preemption::cooperative;
  CHECK(run(maker.build(), 100) == "low 0-6, high 6-8, middle 8-12, low 12-18");
}

TEST_CASE("other cooperative tasks preempt at a schedule point") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("low", core, 1, maker.periodic(100));
  const auto high = maker.task("high", core, 2, maker.periodic(100, 1));
  maker.compute(low, 4);
  maker.add(low, SchedulePoint{});
  maker.compute(low, 4);
  maker.compute(high, 2);
  maker[low].preemption = maker[high].preemption = Preemption::cooperative;
  CHECK(run(maker.build(), 100) == "low 0-4, high 4-6, low 6-10");
}

TEST_CASE("nothing preempts an uninterruptible section") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto low = maker.task("low", core, 1, maker.periodic(100));
  const auto isr = maker.task("isr", core, 9, maker.periodic(100, 3));
  maker.compute(low, 2);
  maker.add(low, Uninterruptible{true});
  maker.compute(low, 4);
  maker.add(low, Uninterruptible{false});
  maker.compute(low, 4);
  maker.compute(isr, 1);
  maker[isr].kind = ProcessKind::isr_category1;
  CHECK(run(maker.build(), 100) == "low 0-6, isr 6-7, low 7-11");
}

TEST_CASE("EDF runs the earliest absolute deadline") {
  // Buttazzo, Hard Real-Time Computing Systems, Fig. 4.9: C = 2, 4 and T = 5, 7, which rate monotonic cannot schedule.
  const auto system = [](SchedulingAlgorithm algorithm) {
    SystemMaker maker;
    const auto core = maker.core("core");
    const auto first = maker.task("first", core, 0, maker.periodic(5));
    const auto second = maker.task("second", core, 0, maker.periodic(7));
    maker.compute(first, 2);
    maker.compute(second, 4);
    maker[first].deadline = us(5);
    maker[second].deadline = us(7);
    scheduler_of(maker, first).kind = algorithm;
    return maker.build();
  };
  const auto edf = simulated(system(SchedulingAlgorithm::earliest_deadline_first), us(35));
  CHECK(edf.results.tasks[0].missed_deadlines == 0);
  CHECK(edf.results.tasks[1].missed_deadlines == 0);
  const std::string begins =
      "first 0-2, second 2-6, first 6-8, second 8-12, first 12-14, second 14-15, first 15-17, second 17-20";
  CHECK(edf.text.substr(0, begins.size()) == begins);
  const auto rm = simulated(system(SchedulingAlgorithm::rate_monotonic), us(35));
  CHECK(rm.results.tasks[0].missed_deadlines == 0);
  CHECK(rm.results.tasks[1].missed_deadlines > 0);
}

TEST_CASE("deadline monotonic prefers the shorter relative deadline regardless of priorities") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto slow = maker.task("slow", core, 9, maker.periodic(100));
  const auto quick = maker.task("quick", core, 1, maker.periodic(100, 1));
  maker.compute(slow, 5);
  maker.compute(quick, 2);
  maker[slow].deadline = us(50);
  maker[quick].deadline = us(10);
  scheduler_of(maker, slow).kind = SchedulingAlgorithm::deadline_monotonic;
  CHECK(run(maker.build(), 100) == "slow 0-1, quick 1-3, slow 3-7");
}

TEST_CASE("round robin lets tasks of one priority take turns and more urgent ones run first") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto a = maker.task("a", core, 1, maker.periodic(100));
  const auto b = maker.task("b", core, 1, maker.periodic(100));
  const auto urgent = maker.task("urgent", core, 2, maker.periodic(100, 3));
  maker.compute(a, 5);
  maker.compute(b, 4);
  maker.compute(urgent, 1);
  scheduler_of(maker, a).kind = SchedulingAlgorithm::priority_based_round_robin;
  scheduler_of(maker, a).time_slice = us(2);
  // b has used one of its two when the urgent task arrives, and keeps the other.
  CHECK(run(maker.build(), 100) == "a 0-2, b 2-3, urgent 3-4, b 4-5, a 5-7, b 7-9, a 9-10");
}

TEST_CASE("a global scheduler runs the most urgent tasks on any free core") {
  SystemMaker maker;
  const auto left = maker.core("left");
  const auto right = maker.core("right");
  const auto a = maker.task("a", left, 1, maker.periodic(100));
  const auto b = maker.task("b", left, 2, maker.periodic(100));
  const auto c = maker.task("c", left, 3, maker.periodic(100, 2));
  maker.compute(a, 6);
  maker.compute(b, 4);
  maker.compute(c, 3);
  for (const TaskIndex task : {a, b, c}) maker[task].units = {left, right};
  const auto seen = simulated(maker.build(), us(100));
  // c takes the core of a, the least urgent; a goes on where b has ended.
  CHECK(seen.text == "a right 0-2, b left 0-4, c right 2-5, a left 4-8");
  CHECK(seen.results.tasks[a].metrics.migrations == 1);
  CHECK(seen.results.tasks[a].metrics.preemptions == 1);
}

TEST_CASE("affinity to several cores is respected") {
  SystemMaker maker;
  const auto left = maker.core("left");
  const auto right = maker.core("right");
  const auto pinned = maker.task("pinned", right, 9, maker.periodic(100, 1));
  const auto wide = maker.task("wide", left, 1, maker.periodic(100));
  maker.compute(pinned, 3);
  maker.compute(wide, 5);
  maker[wide].units = {right, left};
  CHECK(run(maker.build(), 100) == "wide right 0-1, pinned right 1-4, wide left 1-5");
}

TEST_CASE("a priority ceiling prevents middle tasks from delaying a more urgent one") {
  // The inversion of Sha, Rajkumar, Lehoczky (1990), Section II, and its end.
  const auto system = [](bool ceiling) {
    SystemMaker maker;
    const auto core = maker.core("core");
    maker.system().semaphores.push_back({"lock", 1, 1, ceiling, false});
    const auto low = maker.task("low", core, 1, maker.periodic(100));
    const auto middle = maker.task("middle", core, 2, maker.periodic(100, 3));
    const auto high = maker.task("high", core, 3, maker.periodic(100, 2));
    maker.compute(low, 1);
    maker.add(low, UseSemaphore{0});
    maker.compute(low, 4);
    maker.add(low, UseSemaphore{0, UseSemaphore::Operation::release});
    maker.compute(low, 1);
    maker.compute(middle, 10);
    maker.compute(high, 1);
    maker.add(high, UseSemaphore{0});
    maker.compute(high, 1);
    maker.add(high, UseSemaphore{0, UseSemaphore::Operation::release});
    return maker.build();
  };
  CHECK(run(system(false), 100) == "low 0-2, high 2-3, middle 3-13, low 13-16, high 16-17, low 17-18");
  CHECK(run(system(true), 100) == "low 0-5, high 5-7, middle 7-17, low 17-18");
}

TEST_CASE("an active wait for a semaphore polls on its core and a passive wait leaves it") {
  const auto system = [](bool active) {
    SystemMaker maker;
    const auto left = maker.core("left");
    const auto right = maker.core("right");
    maker.system().semaphores.push_back({"lock", 1, 1, false, active});
    const auto holder = maker.task("holder", left, 1, maker.periodic(100));
    const auto waiter = maker.task("waiter", right, 2, maker.periodic(100, 1));
    const auto other = maker.task("other", right, 1, maker.periodic(100, 2));
    for (const TaskIndex task : {holder, waiter}) {
      maker.add(task, UseSemaphore{0, UseSemaphore::Operation::request, active});
      maker.compute(task, task == holder ? 6 : 1);
      maker.add(task, UseSemaphore{0, UseSemaphore::Operation::release});
    }
    maker.compute(other, 2);
    return maker.build();
  };
  CHECK(run(system(true), 100) == "holder left 0-6, waiter right polls 1-6, waiter right 6-7, other right 7-9");
  const auto passive = simulated(system(false), us(100));
  CHECK(passive.text == "holder left 0-6, other right 2-4, waiter right 6-7");
  CHECK(passive.results.tasks[1].metrics[TimeMetric::waiting_time].max() == us(5));
  CHECK(passive.results.tasks[1].contributions.front().kind == ContributionKind::blocking);
  CHECK(passive.results.tasks[1].contributions.front().by == 0);
}

TEST_CASE("a counting semaphore admits as many tasks as its capacity") {
  SystemMaker maker;
  maker.system().semaphores.push_back({"places", 2, 2, false, false});
  std::vector<TaskIndex> tasks;
  for (const std::string name : {"a", "b", "c"}) {
    const auto core = maker.core(name);
    const auto task = maker.task(name, core, 1, maker.periodic(100));
    maker.add(task, UseSemaphore{0});
    maker.compute(task, 5);
    maker.add(task, UseSemaphore{0, UseSemaphore::Operation::release});
    tasks.push_back(task);
  }
  CHECK(run(maker.build(), 100) == "a a 0-5, b b 0-5, c c 5-10");
}

TEST_CASE("servers give their tasks a budget each period") {
  const auto system = [](SchedulingAlgorithm server) {
    SystemMaker maker;
    const auto core = maker.core("core");
    const auto periodic = maker.task("periodic", core, 1, maker.periodic(100));
    const auto request = maker.task("request", core, 9, maker.periodic(100, 1));
    maker.compute(periodic, 20);
    maker.compute(request, 5);
    Scheduler child;
    child.name = "server";
    child.kind = server;
    child.units = {core};
    child.parent = maker[periodic].scheduler;
    child.share = {2, us(2), us(6)};
    maker.system().platform.schedulers.push_back(child);
    maker[request].scheduler = 1;
    return maker.build();
  };
  // Of two each six: kept until requested, or lost at 0, when no task requests it.
  CHECK(run(system(SchedulingAlgorithm::deferrable_server), 100) ==
        "periodic 0-1, request 1-3, periodic 3-6, request 6-8, periodic 8-12, request 12-13, periodic 13-25");
  CHECK(run(system(SchedulingAlgorithm::polling_periodic_server), 100) ==
        "periodic 0-6, request 6-8, periodic 8-12, request 12-14, periodic 14-18, request 18-19, periodic 19-25");
}

TEST_CASE("an idle polling server loses its first budget whether or not anything happens at time 0") {
  for (const bool beside : {false, true}) {
    SystemMaker maker;
    const auto core = maker.core("core");
    const auto request = maker.task("request", core, 5, maker.periodic(100, 3));
    maker.compute(request, 1);
    if (beside) maker.compute(maker.task("beside", core, 1, maker.periodic(100)), 1);
    Scheduler child;
    child.name = "server";
    child.kind = SchedulingAlgorithm::polling_periodic_server;
    child.units = {core};
    child.parent = maker[request].scheduler;
    child.share = {9, us(2), us(10)};
    maker.system().platform.schedulers.push_back(child);
    maker[request].scheduler = 1;
    CHECK(run(maker.build(), 50) == (beside ? "beside 0-1, request 10-11" : "request 10-11"));
  }
}

TEST_CASE("a constant-bandwidth server moves its deadline with every budget") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto periodic = maker.task("periodic", core, 0, maker.periodic(8));
  const auto request = maker.task("request", core, 0, maker.periodic(100, 3));
  maker.compute(periodic, 4);
  maker.compute(request, 4);
  maker[periodic].deadline = us(8);
  scheduler_of(maker, periodic).kind = SchedulingAlgorithm::earliest_deadline_first;
  Scheduler child;
  child.name = "server";
  child.kind = SchedulingAlgorithm::constant_bandwidth_server;
  child.units = {core};
  child.parent = maker[periodic].scheduler;
  child.share = {0, us(2), us(7)};
  maker.system().platform.schedulers.push_back(child);
  maker[request].scheduler = 1;
  // Wakes up at 3 with deadline 10, later than the periodic job's 8; after two of its own 17, later than 16.
  CHECK(run(maker.build(), 16) == "periodic 0-4, request 4-8, periodic 8-12");
}

TEST_CASE("branches follow modes and counters and probabilities") {
  SystemMaker maker;
  const auto core = maker.core("core");
  maker.system().modes.push_back({"mode", 0});
  const auto task = maker.task("task", core, 1, maker.periodic(100));
  Branch by_mode;
  by_mode.alternatives = {{ModeCondition{{{ModeTest{0, Relation::equal, 0, {}}}}}, 2}, {Otherwise{}, 1}};
  maker.add(task, by_mode);
  maker.compute(task, 1);
  maker.add(task, SetMode{0, SetMode::Operation::set, 1});
  maker.compute(task, 5);
  Branch every_second;
  every_second.alternatives = {{EveryNth{2, 1}, 1}};
  maker.add(task, every_second);
  maker.compute(task, 10);
  Branch chance;
  chance.alternatives = {{Probability{3}, 1}, {Probability{1}, 1}};
  maker.add(task, chance);
  maker.compute(task, 100);
  maker.compute(task, 200);
  const System system = maker.build();
  const auto length = [&](engine::Execution execution) {
    std::vector<std::int64_t> jobs;
    for (const auto& one : simulated(system, us(300), execution).intervals)
      jobs.push_back((one.to - one.from).picoseconds());
    return jobs;
  };
  CHECK(simulated(system, us(100), engine::Execution::best).text == "task 0-101");
  CHECK(simulated(system, us(100)).text == "task 0-201");
  // First mode 0, then 1; the second and the fourth job come to the counted part. Jobs queue behind each other.
  CHECK(simulated(system, us(400), engine::Execution::best).text == "task 0-436");
  CHECK(length(engine::Execution::best).size() >= 3);
  std::int64_t longer = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    longer += simulated(system, us(100), engine::Execution::random, seed).text == "task 0-201" ? 1 : 0;
  CHECK(longer > 200);
  CHECK(longer < 300);
}

TEST_CASE("a stimulus respects its counter and its condition and sets modes") {
  SystemMaker maker;
  const auto core = maker.core("core");
  maker.system().modes.push_back({"mode", 0});
  const auto switching = maker.periodic(100, 50);
  const auto watched = maker.periodic(40);
  const auto task = maker.task("task", core, 1, watched);
  maker.system().stimuli[switching].sets = {{0, 1}};
  maker.system().stimuli[watched].condition = ModeCondition{{{ModeTest{0, Relation::equal, 1, {}}}}};
  maker.compute(task, 1);
  CHECK(run(maker.build(), 130) == "task 80-81, task 120-121");
}

TEST_CASE("an event stimulus activates when the event is set") {
  SystemMaker maker;
  const auto core = maker.core("core");
  const auto event = maker.event("done");
  const auto setter = maker.task("setter", core, 2, maker.periodic(20));
  Stimulus stimulus;
  stimulus.name = "driven";
  stimulus.occurrence = EventDriven{{event}};
  stimulus.counter = {2, 0};
  maker.system().stimuli.push_back(stimulus);
  const auto driven = maker.task("driven", core, 1, static_cast<StimulusIndex>(maker.system().stimuli.size() - 1));
  maker.compute(setter, 3);
  maker.add(setter, SetEvents{{event}, std::nullopt});
  maker.compute(setter, 1);
  maker.compute(driven, 2);
  CHECK(run(maker.build(), 60) == "setter 0-4, driven 4-6, setter 20-24, setter 40-44, driven 44-46");
}

TEST_CASE("the states of a process add up to its response time without gaps") {
  // Parts are checked with random_systems_test.cpp, too, where there is a GPU.
  RandomSystemOptions options;
  options.may &= ~gpu_features();
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const System system = random_system(random, options).system;
    const auto seen = simulated(system, us(600));
    std::map<std::pair<TaskIndex, std::uint64_t>, std::pair<Instant, Instant>> reported;
    std::map<UnitIndex, std::vector<std::pair<Instant, Instant>>> used;
    for (const auto& one : seen.intervals) {
      REQUIRE(one.from < one.to);
      const auto [at, first] = reported.try_emplace({one.task, one.job}, one.from, one.to);
      if (!first) {
        REQUIRE(at->second.second == one.from);
        at->second.second = one.to;
      }
      const ProcessState state = one.standing.state;
      if (state == ProcessState::running || state == ProcessState::polling)
        used[one.unit.value()].emplace_back(one.from, one.to);
    }
    for (auto& [unit, spans] : used) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) REQUIRE(spans[i - 1].second <= spans[i].first);
    }
    for (const engine::TaskResult& task : seen.results.tasks) {
      Duration sum;
      for (const auto& part : task.contributions) sum += part.time;
      if (task.response.jobs > 0) REQUIRE(sum == task.response.max);
      const auto& metrics = task.metrics;
      REQUIRE(metrics[TimeMetric::response_time].jobs() == task.response.jobs);
      const auto mean = [&](TimeMetric metric) { return metrics[metric].mean().picoseconds(); };
      const std::int64_t gross = mean(TimeMetric::running_time) + mean(TimeMetric::ready_time) +
                                 mean(TimeMetric::waiting_time) + mean(TimeMetric::polling_time) +
                                 mean(TimeMetric::parking_time);
      REQUIRE(std::abs(gross - mean(TimeMetric::gross_execution_time)) <= 5);
      const std::int64_t running =
          mean(TimeMetric::core_execution_time) + mean(TimeMetric::memory_access_time) + mean(TimeMetric::os_overhead);
      REQUIRE(std::abs(running - mean(TimeMetric::running_time)) <= 3);
    }
  }
}

}  // namespace simulation_cpu_scheduling_test
