// SPDX-License-Identifier: Apache-2.0
// The search for mappings: compared with brute force, its properties, and the WATERS 2019 sample.

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "engine/devices/chosen_devices.hpp"
#include "explore/detail/walk.hpp"
#include "explore/exploration.hpp"
#include "importer/building/system_builder.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/test_models.hpp"

namespace exploration_test {

using namespace amalthea;
using namespace amalthea::explore;
using namespace test;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Constraints anywhere(const System& system) {
  Constraints constraints;
  for (const Task& task : system.tasks) {
    std::vector<UnitIndex> units;
    for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
      if ((system.platform.units[unit].type == PuType::gpu) == (task.side == Side::device)) units.push_back(unit);
    constraints.allowed.push_back(std::move(units));
  }
  return constraints;
}
Problem problem_of(const System& system) {
  return {system, anywhere(system), [&system](const std::vector<bool>&) { return std::optional(system); }};
}

Options quick(std::uint64_t candidates = 1600) {
  static const engine::DeviceProfile profile = plain_profile(us(1000));
  Options options;
  options.candidates = candidates;
  options.analysis.profile = &profile;
  return options;
}

/// The search's objective, from the bounds alone: late tasks, excess, largest response.
using Value = std::tuple<std::size_t, double, double>;
Value value_of(const System& system, const engine::DeviceProfile& profile) {
  std::vector<const engine::DeviceProfile*> devices;
  for (const ProcessingUnit& unit : system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? &profile : nullptr);
  const auto bounds = engine::system_bounds(system, devices);
  std::size_t late = 0;
  double excess = 0, largest = 0;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const auto& deadline = system.tasks[task].deadline;
    if (!deadline) continue;
    const auto& worst = bounds.tasks[task].worst;
    const double share =
        worst ? static_cast<double>(worst->picoseconds()) / static_cast<double>(deadline->picoseconds()) : infinite;
    largest = std::max(largest, share);
    if (share <= 1) continue;
    ++late;
    excess += worst ? std::min(10.0, static_cast<double>((*worst - *deadline).picoseconds()) /
                                         static_cast<double>(deadline->picoseconds()))
                    : 10;
  }
  return {late, excess, largest};
}

/// The best of all units, orders, ways of waiting and slices, every host task being on one of the first two units.
Value brute_force(const Problem& problem, const engine::DeviceProfile& profile) {
  System system = problem.system;
  std::vector<TaskIndex> hosts, pollers, devices;
  const Candidate original = original_candidate(system);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (system.tasks[task].side == Side::device) devices.push_back(task);
    if (system.tasks[task].side != Side::host) continue;
    hosts.push_back(task);
    if (original[task].waits_actively) pollers.push_back(task);
  }
  const Duration slices[] = {us(5200), us(10000)};
  Value best{~std::size_t{0}, 0, 0};
  std::vector<std::int64_t> order(hosts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i + 1);
  do {
    const std::size_t choices = std::size_t{1} << (hosts.size() + pollers.size() + devices.size());
    for (std::size_t bits = 0; bits < choices; ++bits) {
      std::size_t bit = 0;
      const auto next = [&] { return ((bits >> bit++) & 1u) != 0; };
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        Task& task = system.tasks[hosts[i]];
        task.unit = task.scheduler = next() ? 1 : 0;
        task.priority = order[i];
      }
      for (const TaskIndex task : pollers) {
        const bool active = next();
        for (const NodeIndex node : system.tasks[task].body)
          if (auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity)) wait->active = active;
      }
      for (const TaskIndex task : devices) system.tasks[task].time_slice = slices[next() ? 1 : 0];
      best = std::min(best, value_of(system, profile));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// Four tasks on two cores, all on the first at first.
System random_tasks(std::mt19937& random, int load) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  SystemMaker maker;
  const UnitIndex first = maker.core("core1");
  maker.core("core2");
  static constexpr int periods[] = {1000, 2000, 3000, 4000, 6000};
  for (int i = 0; i < 4; ++i) {
    const int period = periods[draw(0, 4)];
    const TaskIndex task = maker.task(fmt::format("task{}", i), first, 1, maker.periodic(period));
    maker.compute(task, period * draw(load / 2, load) / 100);
    maker[task].deadline = us(draw(period * load / 100, period));
  }
  return maker.build();
}

/// Two tasks that poll for the GPU and one that does not, on two cores.
System random_offloads(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  SystemMaker maker;
  const UnitIndex first = maker.core("core1");
  maker.core("core2");
  const UnitIndex gpu = maker.gpu("GPU");
  for (int i = 0; i < 2; ++i) {
    const int period = 40000 * draw(1, 3);
    const TaskIndex host = maker.task(fmt::format("host{}", i), first, 1, maker.periodic(period));
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = maker.task(fmt::format("device{}", i), gpu, 0, request);
    maker[device].time_slice = us(5200);
    maker.kernel(device, period / 10 * draw(1, 3));
    maker.offload(host, device, request, period / 20 * draw(1, 3), period / 20 * draw(1, 3), true);
    maker[host].deadline = us(period);
  }
  const TaskIndex plain = maker.task("plain", first, 1, maker.periodic(20000));
  maker.compute(plain, 1000 * draw(3, 12));
  maker[plain].deadline = us(20000);
  Scheduler& scheduler = maker.system().platform.schedulers[gpu];
  scheduler.minimum_time_slice = us(5200);
  scheduler.maximum_time_slice = us(10000);
  return maker.build();
}

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

TaskIndex named(const System& system, const std::string& name) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].name == name) return task;
  FAIL("there is no " << name);
  return 0;
}

/// The sample, whose functions SFM, Lane_detection and Localization run on CPU or GPU.
struct Waters {
  Diagnostics diagnostics;
  Model model = model_from_file(sample("waters2019-tx2.amxmi"), diagnostics);
  std::vector<std::string> functions = {"SFM", "Lane_detection", "Localization"};
  Problem problem;

  Waters() {
    problem.system = *importer::build_system(model, {}, diagnostics);
    const System& system = problem.system;
    problem.constraints = anywhere(system);
    const auto gpu =
        static_cast<UnitIndex>(std::find_if(system.platform.units.begin(), system.platform.units.end(),
                                            [](const ProcessingUnit& unit) { return unit.type == PuType::gpu; }) -
                               system.platform.units.begin());
    for (const std::string& function : functions) {
      auto& allowed = problem.constraints.allowed[named(system, function)];
      allowed.clear();
      for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
        if (unit == gpu || system.platform.units[unit].type == PuType::cpu) allowed.push_back(unit);
    }
    problem.place = [this](const std::vector<bool>& on_cpu) {
      importer::BuildOptions options;
      for (const std::string& function : functions)
        options.mapping.push_back(
            importer::parse_mapping_change(function + (on_cpu[named(problem.system, function)] ? "=Core3" : "=GP10B"))
                .value());
      Diagnostics ignored;
      return importer::build_system(model, options, ignored);
    };
  }
};

void check_front(const Problem& problem, const Exploration& found, const Options& options) {
  for (const Solution& solution : found.front) {
    for (const Solution& other : found.front)
      CHECK_FALSE(dominates(other.judgement.objectives, solution.judgement.objectives));
    const auto system = applied(problem, solution.candidate);
    REQUIRE(system);
    std::vector<const engine::DeviceProfile*> devices = engine::default_devices(*system);
    for (auto& device : devices)
      if (device != nullptr && options.analysis.profile != nullptr) device = options.analysis.profile;
    const auto bounds = engine::system_bounds(*system, devices, options.analysis.compile);
    for (TaskIndex task = 0; task < system->tasks.size(); ++task) {
      INFO(system->tasks[task].name);
      CHECK(solution.judgement.bounds[task].worst == bounds.tasks[task].worst);
      CHECK(solution.judgement.bounds[task].best == bounds.tasks[task].best);
      if (solution.simulated[task] && bounds.tasks[task].worst)
        CHECK(*solution.simulated[task] <= *bounds.tasks[task].worst);
    }
    const Judgement again = judge(problem, solution.candidate, options);
    CHECK(again.objectives == solution.judgement.objectives);
    CHECK(again.late == solution.judgement.late);
  }
}

bool same(const Exploration& a, const Exploration& b) {
  if (a.judged != b.judged || a.front.size() != b.front.size()) return false;
  for (std::size_t i = 0; i < a.front.size(); ++i)
    if (a.front[i].candidate != b.front[i].candidate ||
        a.front[i].judgement.objectives != b.front[i].judgement.objectives ||
        a.front[i].simulated != b.front[i].simulated)
      return false;
  return a.conflict.has_value() == b.conflict.has_value() && (!a.conflict || a.conflict->reason == b.conflict->reason);
}

}  // namespace

TEST_CASE("explore: the search agrees with an exhaustive search whether feasible or not") {
  std::mt19937 random(7);
  const engine::DeviceProfile profile = plain_profile(us(1000));
  std::size_t feasible = 0;
  for (int round = 0; round < 9; ++round) {
    INFO("round " << round);
    const System system = round % 3 == 2 ? random_offloads(random) : random_tasks(random, 40 + 5 * (round % 4));
    const Problem problem = problem_of(system);
    Options options = quick();
    options.analysis.profile = &profile;
    const Exploration found = explore::explore(problem, options);
    REQUIRE(found.front.size() == 1);
    const Value best = brute_force(problem, profile);
    const Judgement& judgement = found.front.front().judgement;
    if (!found.impossible.empty()) continue;
    feasible += found.feasible ? 1 : 0;
    CHECK(judgement.late.size() == std::get<0>(best));
    CHECK(judgement.excess == Approx(std::get<1>(best)));
    CHECK(judgement.objectives.front() == Approx(std::get<2>(best)));
    CHECK(found.feasible == (std::get<0>(best) == 0));
    CHECK(found.conflict.has_value() != found.feasible);
    check_front(problem, found, options);
  }
  CHECK(feasible > 2);
  CHECK(feasible < 9);
}

TEST_CASE("explore: constraints are satisfied") {
  SystemMaker maker;
  std::vector<UnitIndex> cores;
  for (const char* name : {"a", "b", "c"}) cores.push_back(maker.core(name));
  for (int i = 0; i < 5; ++i) {
    const TaskIndex task = maker.task(fmt::format("task{}", i), cores[0], 1, maker.periodic(1000));
    maker.compute(task, 250);
    maker[task].deadline = us(1000);
  }
  const System system = maker.build();
  Problem problem = problem_of(system);
  problem.constraints.together = {{0, 1}, {1, 2}};
  problem.constraints.apart = {{2, 3}, {3, 4}};
  problem.constraints.allowed[3] = {0, 1};
  problem.constraints.allowed[0] = {1, 2};
  for (const bool contradictory : {false, true}) {
    if (contradictory) problem.constraints.apart.push_back({0, 2});
    const Exploration found = explore::explore(problem, quick(400));
    CHECK(found.original_judgement.broken > 0);
    for (const Solution& solution : found.front) {
      const Candidate& candidate = solution.candidate;
      if (contradictory) {
        CHECK(solution.judgement.broken == 1);
        continue;
      }
      CHECK(solution.judgement.broken == 0);
      CHECK(candidate[0].unit == candidate[1].unit);
      CHECK(candidate[1].unit == candidate[2].unit);
      CHECK(candidate[3].unit != candidate[2].unit);
      CHECK(candidate[3].unit != candidate[4].unit);
      CHECK(candidate[3].unit <= 1);
      CHECK(candidate[0].unit >= 1);
    }
    CHECK(found.feasible == !contradictory);
    CHECK(found.conflict.has_value() == contradictory);
  }
}

TEST_CASE("explore: fixed choices stay as in the model") {
  std::mt19937 random(3);
  const System system = random_offloads(random);
  const Problem problem = problem_of(system);
  Options options = quick(400);
  options.freedom = {false, false, false, false, false};
  CHECK(explore::explore(problem, options).front.front().candidate == original_candidate(system));
  options.freedom.mapping = true;
  const Exploration found = explore::explore(problem, options);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    Choice choice = found.front.front().candidate[task];
    choice.unit = system.tasks[task].unit;
    CHECK(choice == original_candidate(system)[task]);
  }
}

TEST_CASE(
    "explore: a deadline that is impossible even for a single task is reported with the achievable time and left out") {
  SystemMaker maker;
  const UnitIndex slow = maker.core("slow"), fast = maker.core("fast");
  maker.system().platform.units[fast].frequency = Frequency::millihertz(2'000'000'000);
  const TaskIndex hopeless = maker.task("hopeless", slow, 1, maker.periodic(1000));
  maker.compute(hopeless, 1600);
  maker[hopeless].deadline = us(700);
  const TaskIndex other = maker.task("other", slow, 1, maker.periodic(1000));
  maker.compute(other, 500);
  maker[other].deadline = us(600);
  const System system = maker.build();
  const Exploration found = explore::explore(problem_of(system), quick(200));
  REQUIRE(found.impossible.size() == 1);
  CHECK(found.impossible.front().task == hopeless);
  CHECK(found.impossible.front().unit == fast);
  CHECK(found.impossible.front().least == us(800));
  CHECK(found.impossible.front().deadline == us(700));
  CHECK(found.feasible);
}

TEST_CASE("explore: tasks without a feasible deadline are still bounded if possible") {
  SystemMaker maker;
  const UnitIndex first = maker.core("first");
  maker.core("second");
  maker.core("third");
  for (int i = 0; i < 3; ++i) {
    const TaskIndex task = maker.task(fmt::format("urgent{}", i), first, 2, maker.periodic(1000));
    maker.compute(task, 300);
    maker[task].deadline = us(1000);
  }
  const TaskIndex hopeless = maker.task("hopeless", first, 1, maker.periodic(1000));
  maker.compute(hopeless, 800);
  maker[hopeless].deadline = us(500);
  const TaskIndex background = maker.task("background", first, 0, maker.periodic(1000));
  maker.compute(background, 850);
  const System system = maker.build();
  const Exploration found = explore::explore(problem_of(system), quick(400));
  CHECK(found.original_judgement.unbounded == 2);
  REQUIRE(found.feasible);
  const Judgement& judgement = found.front.front().judgement;
  CHECK(judgement.unbounded == 0);
  CHECK(judgement.bounds[hopeless].worst == us(800));
  CHECK(judgement.bounds[background].worst == us(850));
}

TEST_CASE("explore: only the overloaded resource is named") {
  SystemMaker maker;
  const UnitIndex first = maker.core("first");
  maker.core("second");
  for (int i = 0; i < 4; ++i) {
    const TaskIndex task = maker.task(fmt::format("task{}", i), first, 1, maker.periodic(1000));
    maker.compute(task, i == 1 ? 10 : 900);
    maker[task].deadline = us(1000);
  }
  const System system = maker.build();
  const Exploration found = explore::explore(problem_of(system), quick(200));
  CHECK_FALSE(found.feasible);
  REQUIRE(found.conflict);
  CHECK(found.conflict->tasks == std::vector<TaskIndex>{0, 2, 3});
  CHECK(found.conflict->reason == "the utilization of first, second is at least 135.00 % with task0, task2 and task3");
  CHECK(found.front.front().judgement.late.size() == 1);
}

TEST_CASE("explore: conflicting deadlines are found by leaving others out") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const std::int64_t deadlines[] = {1000, 250, 400, 2000};
  for (int i = 0; i < 4; ++i) {
    const TaskIndex task = maker.task(fmt::format("task{}", i), core, 1, maker.periodic(2000));
    maker.compute(task, 240);
    maker[task].deadline = us(deadlines[i]);
  }
  const System system = maker.build();
  const Exploration found = explore::explore(problem_of(system), quick(200));
  REQUIRE(found.conflict);
  CHECK(found.conflict->tasks == std::vector<TaskIndex>{1, 2});
  CHECK(found.conflict->reason.find("task1 and task2") != std::string::npos);
}

TEST_CASE("explore: the same problem and seed yield the same result on any number of threads") {
  std::mt19937 random(11);
  for (const bool offloads : {false, true}) {
    const System system = offloads ? random_offloads(random) : random_tasks(random, 45);
    const Problem problem = problem_of(system);
    Options options = quick(800);
    options.objectives = {LargestResponse{}, LoadBalance{}};
    const Exploration one = explore::explore(problem, options);
    options.threads = 2;
    CHECK(same(one, explore::explore(problem, options)));
    options.threads = 5;
    CHECK(same(one, explore::explore(problem, options)));
    check_front(problem, one, options);
  }
}

TEST_CASE("explore: WATERS 2019 becomes feasible except for Planner whose minimum response is reported") {
  const Waters waters;
  Options options;
  options.candidates = 1600;
  options.threads = 2;
  options.objectives = {LargestResponse{}, ChainLatency{0}, LoadBalance{}};
  const Exploration found = explore::explore(waters.problem, options);
  REQUIRE(found.impossible.size() == 1);
  CHECK(found.impossible.front().task == named(waters.problem.system, "Planner"));
  CHECK(found.impossible.front().least > Duration::milliseconds(12));
  CHECK(found.impossible.front().least < Duration::milliseconds(13));
  CHECK(found.feasible);
  check_front(waters.problem, found, options);
  options.threads = 1;
  CHECK(same(found, explore::explore(waters.problem, options)));
}

// ---------------------------------------------------------------- existing mappings

TEST_CASE("explore: a mapping is judged as it is even outside of the search space") {
  Waters waters;
  const TaskIndex localization = named(waters.problem.system, "Localization");
  const bool is_on_cpu = waters.problem.system.tasks[localization].side == Side::host;
  std::vector<bool> on_cpu(waters.problem.system.tasks.size(), false);
  for (const std::string& function : waters.functions) {
    const TaskIndex task = named(waters.problem.system, function);
    on_cpu[task] = waters.problem.system.tasks[task].side == Side::host;
  }
  on_cpu[localization] = !is_on_cpu;
  const System mapped = *waters.problem.place(on_cpu);
  waters.problem.constraints.allowed[localization] = {waters.problem.system.tasks[localization].unit};
  const Judgement judgement = judge(waters.problem, mapped, Options{});
  const auto bounds = engine::system_bounds(mapped, engine::default_devices(mapped));
  for (TaskIndex task = 0; task < mapped.tasks.size(); ++task) {
    INFO(mapped.tasks[task].name);
    CHECK(judgement.bounds[task].worst == bounds.tasks[task].worst);
  }
  CHECK(judgement.broken == 1);
}

namespace {

/// Seven functions, each on the GPU or a core.
System seven_functions(const std::vector<bool>& on_cpu) {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  for (std::size_t i = 0; i < 7; ++i) {
    const TaskIndex task = maker.task(fmt::format("function{}", i), on_cpu[i] ? core : gpu, 1, maker.periodic(10000));
    if (on_cpu[i])
      maker.compute(task, 500);
    else
      maker.kernel(task, 300);
    maker[task].deadline = us(10000);
  }
  return maker.build();
}

}  // namespace

TEST_CASE("explore: every combination of functions is judged even if the search does not try it") {
  Problem problem;
  problem.system = seven_functions(std::vector<bool>(7, false));
  problem.constraints.allowed.assign(7, {0, 1});
  problem.place = [](const std::vector<bool>& on_cpu) { return std::optional(seven_functions(on_cpu)); };
  const Options options = quick();
  for (std::uint32_t bits = 0; bits < 128; bits += 3) {
    std::vector<bool> on_cpu;
    for (std::uint32_t i = 0; i < 7; ++i) on_cpu.push_back(((bits >> i) & 1u) != 0);
    const System system = seven_functions(on_cpu);
    INFO(bits);
    const Judgement judgement = judge(problem, original_candidate(system), options);
    const auto bounds = engine::system_bounds(system, {nullptr, options.analysis.profile});
    for (TaskIndex task = 0; task < 7; ++task) CHECK(judgement.bounds[task].worst == bounds.tasks[task].worst);
  }
}

// ---------------------------------------------------------------- what a mapping must keep

TEST_CASE("explore: constraints hold for a migrating task on all its units or it stops migrating") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  maker.system().platform.schedulers[one].units = {one, two};
  const TaskIndex wanders = maker.task("wanders", one, 2, maker.periodic(1000));
  const TaskIndex stays = maker.task("stays", one, 1, maker.periodic(1000));
  for (const TaskIndex task : {wanders, stays}) {
    maker.compute(task, 200);
    maker[task].deadline = us(1000);
  }
  maker[wanders].units = {one, two};
  const System system = maker.build();
  Problem problem = problem_of(system);
  const auto chosen = [&](std::size_t broken_before) {
    const Exploration found = explore::explore(problem, quick(400));
    CHECK(found.original_judgement.broken == broken_before);
    CHECK(found.front.front().judgement.broken == 0);
    check_front(problem, found, quick(400));
    return applied(problem, found.front.front().candidate).value();
  };
  CHECK(original_candidate(system)[wanders].migrates);
  CHECK(applied(problem, original_candidate(system))->tasks[wanders].units == std::vector<UnitIndex>{one, two});
  SECTION("pinned to its first unit") {
    problem.constraints.allowed[wanders] = {one};
    const Task task = chosen(1).tasks[wanders];
    CHECK(task.unit == one);
    CHECK(task.units.empty());
  }
  SECTION("pinned to its second unit") {
    problem.constraints.allowed[wanders] = {two};
    const Task task = chosen(1).tasks[wanders];
    CHECK(task.unit == two);
    CHECK(task.units.empty());
  }
  SECTION("apart") {
    problem.constraints.apart = {{wanders, stays}};
    const System after = chosen(1);
    CHECK(after.tasks[wanders].units.empty());
    CHECK(after.tasks[wanders].unit != after.tasks[stays].unit);
  }
  SECTION("together") {
    problem.constraints.together = {{wanders, stays}};
    const System after = chosen(1);
    CHECK(after.tasks[wanders].units.empty());
    CHECK(after.tasks[wanders].unit == after.tasks[stays].unit);
  }
  SECTION("a mapping that has it on one unit is another than the model's") {
    problem.constraints.allowed[wanders] = {one};
    Candidate candidate = original_candidate(system);
    CHECK(judge(problem, candidate, quick()).broken == 1);
    candidate[wanders].migrates = false;
    CHECK(judge(problem, candidate, quick()).broken == 0);
  }
}

TEST_CASE("explore: grouped tasks move to units where all of them have ticks") {
  SystemMaker maker;
  std::vector<UnitIndex> cores;
  for (const char* name : {"a", "b", "c"}) cores.push_back(maker.core(name));
  const auto add = [&](const std::string& name, std::vector<UnitIndex> units) {
    const TaskIndex task = maker.task(name, units.front(), 1, maker.periodic(1000));
    Compute compute;
    for (const UnitIndex unit : units)
      compute.ticks.extended.emplace_back(maker.system().platform.units[unit].definition, Cycles{300, 300, 300});
    maker.add(task, compute);
    maker[task].deadline = us(1000);
    return task;
  };
  const TaskIndex left = add("left", {cores[0], cores[1]}), right = add("right", {cores[2], cores[1]});
  const TaskIndex far = add("far", {cores[2]});
  const System system = maker.build();
  Problem problem = problem_of(system);
  problem.constraints.together = {{left, right}};
  Exploration found = explore::explore(problem, quick(200));
  CHECK(found.feasible);
  CHECK(found.front.front().candidate[left].unit == cores[1]);
  CHECK(found.front.front().candidate[right].unit == cores[1]);
  // Without such a unit the constraint is violated, but no task is where its work would take no time.
  problem.constraints.together = {{left, right, far}};
  found = explore::explore(problem, quick(200));
  CHECK_FALSE(found.feasible);
  for (const Solution& solution : found.front) {
    CHECK(solution.judgement.broken > 0);
    for (const TaskIndex task : {left, right, far}) CHECK(solution.judgement.bounds[task].best >= us(300));
  }
}

TEST_CASE("explore: a deadline that constraints make impossible is reported as impossible") {
  SystemMaker maker;
  const UnitIndex slow = maker.core("slow"), fast = maker.core("fast");
  maker.system().platform.units[fast].frequency = Frequency::millihertz(2'000'000'000);
  const TaskIndex task = maker.task("task", slow, 1, maker.periodic(1000));
  maker.compute(task, 900);
  maker[task].deadline = us(500);
  const System system = maker.build();
  Problem problem = problem_of(system);
  CHECK(explore::explore(problem, quick(50)).impossible.empty());
  problem.constraints.allowed[task] = {slow};
  const Exploration confined = explore::explore(problem, quick(50));
  REQUIRE(confined.impossible.size() == 1);
  CHECK(confined.impossible.front().confined);
  CHECK(confined.impossible.front().unit == slow);
}

// ---------------------------------------------------------------- conflicts

TEST_CASE("explore: the conflict search respects its limits on candidates and time") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  for (int i = 0; i < 8; ++i) {
    const TaskIndex task = maker.task(fmt::format("task{}", i), core, 1, maker.periodic(12000));
    maker.compute(task, 300);
    maker[task].deadline = us(500);
  }
  const System system = maker.build();
  const Problem problem = problem_of(system);
  std::uint64_t ignored = 0;
  Options options = quick(40);
  options.progress = [&](std::uint64_t judged, std::size_t late) {
    ignored = judged;
    CHECK(late >= 7);
  };
  Exploration found = explore::explore(problem, options);
  REQUIRE(found.conflict);
  CHECK(found.judged <= 80);
  CHECK(ignored == found.judged / 64 * 64);
  CHECK(found.conflict->tasks.size() > 2);
  CHECK(found.conflict->reason.find("the search ended before it could show") != std::string::npos);
  options.candidates = 400;
  options.seconds = 0;
  options.progress = nullptr;
  found = explore::explore(problem, options);
  REQUIRE(found.conflict);
  CHECK(found.judged < 40);
  CHECK(found.conflict->reason.find("the search ended before it could show") != std::string::npos);
  options.seconds = 60;
  found = explore::explore(problem, options);
  REQUIRE(found.conflict);
  CHECK(found.conflict->tasks.size() == 2);
  CHECK(found.conflict->reason.find("if any one of them is left out, a mapping exists") != std::string::npos);
}

TEST_CASE("explore: a kernel for which a host waits twice takes its time once") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(10000));
  const TaskIndex device = maker.task("device", gpu, 0, request);
  const EventIndex half = maker.event("half"), done = maker.event("done");
  maker.trigger(host, request);
  for (const EventIndex event : {half, done}) {
    maker.wait(host, event, false);
    maker.clear(host, event);
  }
  maker.set(device, half, host);
  maker.kernel(device, 6000);
  maker.set(device, done, host);
  maker[host].deadline = us(10000);
  for (const char* name : {"first", "second"}) {
    const TaskIndex task = maker.task(name, core, 2, maker.periodic(10000));
    maker.compute(task, 300);
    maker[task].deadline = us(500);
  }
  const System system = maker.build();
  const Exploration found = explore::explore(problem_of(system), quick(400));
  REQUIRE(found.conflict);
  INFO(found.conflict->reason);
  CHECK(found.conflict->reason.find("asked for") == std::string::npos);
}

// ---------------------------------------------------------------- one walk

TEST_CASE("explore: a walk with a small cache finds an equally good mapping") {
  using namespace amalthea::explore::detail;
  std::mt19937 random(5);
  const System system = random_tasks(random, 40);
  const Problem problem = problem_of(system);
  const Options options = quick();
  const Space space = space_of(problem, options);
  const Facts facts = facts_of(space);
  std::vector<Judgement> best;
  for (const std::size_t remembered : {std::size_t{1'000'000}, std::size_t{2}}) {
    Evaluator evaluator(space, facts, std::vector<bool>(system.tasks.size(), true));
    WalkOptions walking;
    walking.budget = 1500;
    walking.weights = walking.scales = {1};
    walking.max_remembered = remembered;
    WalkResult result = walk(space, facts, evaluator, walking);
    CHECK(result.judged <= 1500);
    const Member& member = result.archive.members().front();
    CHECK(evaluator.judge(member.placement, member.candidate).objectives == member.judgement.objectives);
    best.push_back(member.judgement);
  }
  CHECK(best[0].late == best[1].late);
  CHECK(best[0].objectives == best[1].objectives);
}

TEST_CASE("explore: a chain bound equal to its limit meets it and a picosecond more violates it") {
  // In seconds as doubles, 31 us less the first period of 10 us are more than 21 us.
  SystemMaker maker;
  for (const int execution : {2, 9}) {
    const UnitIndex core = maker.core(fmt::format("core{}", execution));
    maker.compute(maker.task(fmt::format("task{}", execution), core, 1, maker.periodic(10)), execution);
  }
  System system = maker.build();
  pass_data(system, {0, 1});
  system.chains.push_back({"chain", {0, 1}, {}, Chain::Source::model, {}});
  const auto broken = [&system](Duration limit) {
    system.chains.front().limits = {{"limit", ChainLimit::Kind::reaction, std::nullopt, limit}};
    return judge(problem_of(system), original_candidate(system), quick()).broken;
  };
  CHECK(broken(us(21)) == 0);
  CHECK(broken(us(21) - Duration::picoseconds(1)) == 1);
}

}  // namespace exploration_test
