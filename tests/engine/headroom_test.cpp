// SPDX-License-Identifier: Apache-2.0
#include "engine/headroom.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace headroom_test {

using namespace test;
using namespace amalthea::engine;
using Kind = Stress::Kind;

namespace {

/// A task of 10 ms with this deadline.
System one_task(std::int64_t execution_us, std::int64_t deadline_us = 10'000) {
  SystemMaker make;
  const UnitIndex core = make.core("Core");
  const TaskIndex task = make.task("Control", core, 1, make.periodic(10'000));
  make.compute(task, execution_us);
  make[task].deadline = us(deadline_us);
  return make.build();
}

Headroom headroom_of(const System& system, AnalysisOptions analysis = {}, unsigned threads = 1) {
  Diagnostics findings;
  const auto results = analyze(system, analysis, findings);
  REQUIRE(results);
  HeadroomOptions options;
  options.analysis = std::move(analysis);
  options.threads = threads;
  return headroom(system, *results, options);
}

const StressHeadroom& of(const Headroom& headroom, Kind kind) {
  const auto found =
      std::find_if(headroom.of.begin(), headroom.of.end(), [&](const auto& one) { return one.stress.kind == kind; });
  REQUIRE(found != headroom.of.end());
  return *found;
}

/// The verdicts with a growth, by kind and name; limits may share them, then the worst.
std::map<std::string, OverallVerdict> verdicts(System system, AnalysisOptions options, const Stress& stress,
                                               int percent) {
  if (percent != 0) apply(stress, percent, system, options);
  Diagnostics findings;
  std::map<std::string, OverallVerdict> found;
  const auto results = analyze(system, options, findings);
  if (!results) return found;
  for (const JudgedLimit& limit : assess(system, *results, findings).limits) {
    if (limit.kind == JudgedLimit::Kind::finding) continue;
    OverallVerdict& verdict = found[std::string(to_string(limit.kind)) + limit.name];
    verdict = std::max(verdict, limit.verdict);
  }
  return found;
}

/// Limits that are no worse than `level` today and worse with the growth.
std::set<std::string> violated(const System& system, const AnalysisOptions& options, const Stress& stress, int percent,
                               OverallVerdict level) {
  const auto today = verdicts(system, options, stress, 0), grown = verdicts(system, options, stress, percent);
  std::set<std::string> found;
  for (const auto& [name, verdict] : grown) {
    const auto before = today.find(name);
    if (before == today.end() ? verdict > OverallVerdict::met : before->second <= level && verdict > level)
      found.insert(name);
  }
  return found;
}

void check_margin(const System& system, const AnalysisOptions& options, const Stress& stress, const Margin& margin,
                  OverallVerdict level) {
  if (!margin.holds) return;
  CHECK(violated(system, options, stress, *margin.holds, level).empty());
  if (!margin.breaks) {
    CHECK(*margin.holds == range_of(stress.kind).largest);
    return;
  }
  CHECK(*margin.breaks == *margin.holds + 1);
  const auto broken = violated(system, options, stress, *margin.breaks, level);
  REQUIRE_FALSE(margin.broken.empty());
  CHECK(broken.count(std::string(to_string(margin.broken.front().kind)) + margin.broken.front().name) == 1);
}

}  // namespace

TEST_CASE("headroom: a single task may grow up to its deadline") {
  const Headroom found = headroom_of(one_task(4'000));
  CHECK(found.limits == 1);
  CHECK(found.guaranteed == 1);
  for (const Kind kind : {Kind::times, Kind::task, Kind::core}) {
    INFO(to_string(kind));
    for (const Margin& margin : {of(found, kind).guaranteed, of(found, kind).seen}) {
      CHECK(margin.holds == 150);
      CHECK(margin.breaks == 151);
      CHECK(margin.monotone);
      CHECK_FALSE(margin.needed);
      REQUIRE(margin.broken.size() == 1);
      CHECK(margin.broken.front().name == "Control");
      CHECK(margin.broken.front().kind == JudgedLimit::Kind::deadline);
    }
  }
}

TEST_CASE("headroom: a late task states how much less it would need") {
  const Headroom found = headroom_of(one_task(9'000, 7'500));
  const StressHeadroom& task = of(found, Kind::task);
  CHECK_FALSE(task.guaranteed.holds);
  CHECK_FALSE(task.seen.holds);
  CHECK(task.guaranteed.needed == -17);  // 9 ms x 0.83 = 7.47 ms
  CHECK(task.seen.needed == -17);
  CHECK_FALSE(of(found, Kind::jitter).guaranteed.needed);  // there is none to reduce
}

TEST_CASE("headroom: jitter of one task delays another") {
  SystemMaker make;
  const UnitIndex core = make.core("Core");
  const TaskIndex fast = make.task("Fast", core, 2, make.periodic(10'000));
  const TaskIndex slow = make.task("Slow", core, 1, make.periodic(50'000));
  make.compute(fast, 3'000);
  make.compute(slow, 4'000);
  make[slow].deadline = us(9'000);
  const System system = make.build();
  // Slow needs 7 ms, and 10 ms if Fast is released twice meanwhile, which takes jitter above 10 ms - 7 ms.
  const Headroom found = headroom_of(system);
  const StressHeadroom& jitter = of(found, Kind::jitter);
  CHECK(name_of(system, jitter.stress) == system.stimuli[0].name);
  REQUIRE(jitter.guaranteed.holds);
  CHECK(*jitter.guaranteed.holds >= 29);
  CHECK(*jitter.guaranteed.holds <= 30);
  CHECK(jitter.guaranteed.broken.front().name == "Slow");
}

TEST_CASE("headroom: a task without a deadline that becomes unbounded ends it") {
  System system = one_task(4'000);
  system.tasks[0].deadline.reset();
  const Headroom found = headroom_of(system);
  CHECK(found.limits == 0);
  const StressHeadroom& task = of(found, Kind::task);
  REQUIRE(task.seen.broken.size() == 1);
  CHECK(task.seen.broken.front().kind == JudgedLimit::Kind::task);
  CHECK(task.seen.broken.front().verdict == OverallVerdict::unbounded);
}

TEST_CASE("headroom: the shortest times stay and the longest grow") {
  System system = one_task(4'000);
  AnalysisOptions options;
  auto& ticks = std::get<Compute>(system.graph[0].activity).ticks;
  ticks.otherwise = Cycles{1'000, 2'000, 4'000};
  for (const Kind kind : {Kind::task, Kind::core, Kind::times}) {
    System grown = system;
    CHECK(apply({kind, 0}, 50, grown, options));
    const UnitIndex core = grown.tasks[0].unit;
    const Cycles* cycles = std::get<Compute>(grown.graph[0].activity).ticks.on(grown.platform.units[core].definition);
    REQUIRE(cycles != nullptr);
    CHECK(*cycles == Cycles{1'000, 3'000, 6'000});
  }
}

namespace {

/// A profile with one SM, whose warps may execute what the warps of two kernels state.
DeviceProfile one_sm() {
  DeviceProfile profile = plain_profile(us(1000));
  profile.multiprocessors.emplace().sms = 1;
  profile.multiprocessors->sms_per_tpc = 1;
  return profile;
}

/// Two streams of a process with kernels that state instructions, and a deadline for the first. A cycle is a
/// microsecond.
System two_kernels(const DeviceProfile& profile) {
  SystemMaker make;
  const UnitIndex gpu = make.gpu("GPU");
  for (const std::string name : {"first", "second"}) {
    const TaskIndex task = make.task(name, gpu, 0, make.periodic(100'000));
    make[task].gpu.context = "process";
    Kernel kernel;
    kernel.memory_intensity = 0;
    kernel.launch = Launch{1, 128, 0, 0, ""};
    kernel.instructions = KernelInstructions{"fp32:100,fp32:200", 1, {}};
    make.add(task, kernel);
  }
  make[0].deadline = us(1'000);
  System system = make.build();
  Diagnostics findings;
  REQUIRE(resolve_instructions(system, &profile, findings));
  return system;
}

/// A device task that copies for 2 ms.
TaskIndex copying_task(SystemMaker& make, UnitIndex gpu) {
  const TaskIndex task = make.task("copies", gpu, 0, make.periodic(10'000));
  make.copy(task, 1);
  std::get<Copy>(make.system().graph[0].activity).time = us(2'000);
  return task;
}

}  // namespace

TEST_CASE("headroom: kernels with instructions take longer by a slower clock") {
  const DeviceProfile profile = one_sm();
  const System system = two_kernels(profile);
  AnalysisOptions options;
  options.profile = &profile;
  const Headroom found = headroom_of(system, options);
  // No ticks say how long one of them takes.
  CHECK(std::none_of(found.of.begin(), found.of.end(),
                     [](const StressHeadroom& one) { return one.stress.kind == Kind::task; }));
  const auto is_guaranteed = [&](int percent) {
    System slower = system;
    slower.platform.units[0].frequency = Frequency::millihertz(1'000'000'000 / (100 + percent) * 100);
    Diagnostics findings;
    REQUIRE(resolve_instructions(slower, &profile, findings));
    return analyze(slower, options, findings)->tasks[0].guaranteed == true;
  };
  for (const Kind kind : {Kind::times, Kind::gpu}) {
    INFO(to_string(kind));
    for (const Margin& margin : {of(found, kind).guaranteed, of(found, kind).seen}) {
      REQUIRE(margin.holds);
      REQUIRE(margin.breaks);
      CHECK(*margin.holds > 20);
    }
    const Margin& margin = of(found, kind).guaranteed;
    CHECK(is_guaranteed(*margin.holds));
    CHECK_FALSE(is_guaranteed(*margin.breaks));
  }
}

TEST_CASE("headroom: a slower clock leaves the shortest time of a kernel as it is") {
  const DeviceProfile profile = one_sm();
  const System system = two_kernels(profile);
  AnalysisOptions options;
  options.profile = &profile;
  Diagnostics findings;
  const Bound today = analyze(system, options, findings)->tasks[0].bound;
  System slower = system;
  REQUIRE(apply({Kind::gpu, 0}, 60, slower, options));
  const Bound then = analyze(slower, options, findings)->tasks[0].bound;
  REQUIRE(today.worst);
  REQUIRE(then.worst);
  CHECK(*today.worst < us(105));
  CHECK(*then.worst > us(166));
  REQUIRE(today.best);
  CHECK(then.best <= today.best);
}

TEST_CASE("headroom: what models state beside ticks grows with the GPU: copies beside instructions, and dispatch") {
  SystemMaker make;
  const UnitIndex gpu = make.gpu("GPU");
  const TaskIndex task = copying_task(make, gpu);
  make.kernel(task, 3);
  Kernel& kernel = std::get<Kernel>(make.system().graph[1].activity);
  SECTION("a slower clock") {
    kernel.instructions = KernelInstructions{"fp32:100", 1, {}};
    System slower = make.build();
    AnalysisOptions options;
    REQUIRE(apply({Kind::gpu, gpu}, 50, slower, options));
    CHECK(std::get<Copy>(slower.graph[0].activity).time == us(3'000));
  }
  SECTION("dispatch") {
    kernel.costs = KernelCosts{"", {}, {}, us(20)};
    const System system = make.build();
    for (const Kind kind : {Kind::times, Kind::gpu, Kind::task}) {
      System slower = system;
      AnalysisOptions options;
      REQUIRE(apply({kind, kind == Kind::task ? task : gpu}, 50, slower, options));
      CHECK(std::get<Kernel>(slower.graph[1].activity).costs->dispatch == us(30));
    }
  }
}

TEST_CASE("headroom: the stated time of a copy grows with all times and with its memory") {
  SystemMaker make;
  make[copying_task(make, make.gpu("GPU"))].deadline = us(5'000);
  const DeviceProfile profile = plain_profile(us(1'000));
  AnalysisOptions options;
  options.profile = &profile;
  options.compile.memory.source = MemoryModel::Source::model;
  const Headroom found = headroom_of(make.build(), options);
  for (const Kind kind : {Kind::times, Kind::memory}) {
    INFO(to_string(kind));
    CHECK(of(found, kind).guaranteed.holds == 150);
    CHECK(of(found, kind).seen.holds == 150);
  }
}

TEST_CASE("headroom: random systems hold at the stated growth and violate the stated limit one step beyond") {
  std::mt19937 random(11);
  std::size_t guaranteed = 0, seen = 0, reduced = 0;
  for (int count = 0; count < times(16); ++count) {
    RandomSystemOptions wanted;
    wanted.must = features_of({SystemFeature::deadline});
    RandomSystem drawn = random_system(random, wanted);
    AnalysisOptions options;
    options.profile = &drawn.profile;
    options.compile.memory = drawn.memory;
    options.contention = drawn.contention;
    options.until = us(1'000);
    options.bounds.states = 2'000;
    options.bounds.steps = 200'000;
    const Headroom found = headroom_of(drawn.system, options);
    for (const StressHeadroom& one : found.of) {
      INFO("system " << count << ": " << to_string(one.stress.kind) << " " << name_of(drawn.system, one.stress));
      check_margin(drawn.system, options, one.stress, one.guaranteed, OverallVerdict::guaranteed);
      check_margin(drawn.system, options, one.stress, one.seen, OverallVerdict::met);
      if (found.guaranteed == found.met && one.guaranteed.holds) {
        REQUIRE(one.seen.holds);
        CHECK(*one.seen.holds >= *one.guaranteed.holds);
      }
      guaranteed += one.guaranteed.breaks ? 1 : 0;
      seen += one.seen.breaks ? 1 : 0;
      if (!one.seen.needed) continue;
      ++reduced;
      REQUIRE_FALSE(one.seen.repaired.empty());
      const auto then = verdicts(drawn.system, options, one.stress, *one.seen.needed);
      for (const JudgedLimit& limit : one.seen.repaired) {
        CHECK(limit.verdict > OverallVerdict::met);
        const auto found = then.find(std::string(to_string(limit.kind)) + limit.name);
        CHECK((found == then.end() || found->second <= OverallVerdict::met));
      }
    }
  }
  if (times(16) < 16) return;  // so few systems need not have every case
  CHECK(guaranteed > 10);
  CHECK(seen > 10);
  CHECK(reduced > 10);
}

TEST_CASE("headroom: the simulation violates no guaranteed limit at any smaller growth") {
  std::mt19937 random(8);
  for (int count = 0; count < times(6); ++count) {
    RandomSystemOptions wanted;
    wanted.must = features_of({SystemFeature::deadline, SystemFeature::varying_times});
    RandomSystem drawn = random_system(random, wanted);
    AnalysisOptions options;
    options.profile = &drawn.profile;
    options.compile.memory = drawn.memory;
    options.until = us(1'000);
    options.bounds.steps = 200'000;
    const Headroom found = headroom_of(drawn.system, options);
    for (const StressHeadroom& one : found.of)
      for (int i = 1; i <= 5 && one.guaranteed.holds; ++i) {
        const int percent = std::uniform_int_distribution<int>(0, *one.guaranteed.holds)(random);
        INFO("system " << count << ": " << to_string(one.stress.kind) << " +" << percent << " %");
        const auto today = verdicts(drawn.system, options, one.stress, 0);
        for (const auto& [name, verdict] : verdicts(drawn.system, options, one.stress, percent))
          if (const auto before = today.find(name);
              before != today.end() && before->second == OverallVerdict::guaranteed)
            CHECK(verdict < OverallVerdict::unknown);
      }
  }
}

TEST_CASE("headroom: the number of threads and a short search change nothing but the exactness") {
  System system = one_task(4'000);
  const Headroom one = headroom_of(system), four = headroom_of(system, {}, 4);
  REQUIRE(one.of.size() == four.of.size());
  for (std::size_t i = 0; i < one.of.size(); ++i) {
    CHECK(one.of[i].stress == four.of[i].stress);
    CHECK(one.of[i].seen.holds == four.of[i].seen.holds);
    CHECK(one.of[i].analyses == four.of[i].analyses);
  }
  Diagnostics findings;
  HeadroomOptions few;
  few.analyses_each = 9;
  const auto results = analyze(system, {}, findings);
  REQUIRE(results);
  const Headroom coarse = headroom(system, *results, few);
  const Margin& margin = of(coarse, Kind::task).guaranteed;
  CHECK(of(coarse, Kind::task).analyses <= 9);
  REQUIRE(margin.holds);
  CHECK(*margin.holds <= 150);
  REQUIRE(margin.breaks);
  CHECK(*margin.breaks > 150);
}

TEST_CASE("headroom: a search that is stopped says so") {
  const System system = one_task(4'000);
  Diagnostics findings;
  const auto results = analyze(system, {}, findings);
  REQUIRE(results);
  Work work;
  work.stop = true;
  HeadroomOptions options;
  options.analysis.work = &work;
  const Headroom found = headroom(system, *results, options);
  CHECK(found.stopped_early);
  CHECK(found.of.empty());
}

}  // namespace headroom_test
