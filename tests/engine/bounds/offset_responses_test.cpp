// SPDX-License-Identifier: Apache-2.0
// Bounds against every schedule of small systems, and bounds for stated offsets.

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "bench/tightness/every_schedule.hpp"
#include "bench/tightness/small_system.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace bounds_offset_responses_test {

using namespace test;
using namespace amalthea::engine;
using bench::SystemClass;

namespace {

constexpr BoundOptions for_offsets{true, 100'000, 1'000'000};

/// A small system, its bounds, and its longest responses for the stated offsets.
struct Small {
  bench::SmallSystem drawn;
  System system;
  DeviceProfile profile;
  std::vector<const DeviceProfile*> devices;
  std::vector<int> longest;
};

std::optional<Small> draw(SystemClass kind, std::mt19937& random) {
  Small small;
  small.drawn = bench::draw_system(kind, random);
  const auto longest = bench::longest_responses(small.drawn);
  if (!longest) return std::nullopt;
  small.longest = *longest;
  small.system = bench::system_of(small.drawn);
  small.profile = bench::profile_of(small.drawn);
  small.devices.resize(small.system.platform.units.size(), nullptr);
  return small;
}

/// Calls `visit` with every host or lone device task and its longest response.
template <typename Visit>
void for_each_task(const Small& small, Visit visit) {
  for (TaskIndex task = 0; task < small.system.tasks.size(); ++task) {
    const std::string& name = small.system.tasks[task].name;
    if (name.find("_gpu") == std::string::npos) visit(task, us(small.longest[std::stoul(name.substr(4))]));
  }
}

std::string text_of(const Small& small) {
  std::string text;
  for (const bench::SmallTask& task : small.drawn.tasks) {
    text += fmt::format("(period {}, offset {}, jitter {}, priority {}:", task.period, task.offset, task.jitter,
                        task.priority);
    for (const bench::Phase& phase : task.phases) text += fmt::format(" {}..{}", phase.best, phase.worst);
    text += ") ";
  }
  return text;
}

struct Tried {
  int tasks = 0, exceeded = 0, tighter = 0, reached = 0, unbounded = 0;
};

Tried try_systems(SystemClass kind, unsigned seed, int count) {
  std::mt19937 random(seed);
  Tried tried;
  for (int drawn = 0; drawn < count;) {
    auto small = draw(kind, random);
    if (!small) continue;
    ++drawn;
    small->devices.back() = &small->profile;
    const SystemBounds quick = system_bounds(small->system, small->devices);
    const SystemBounds exact = system_bounds(small->system, small->devices, {}, for_offsets);
    for_each_task(*small, [&](TaskIndex task, Duration longest) {
      ++tried.tasks;
      for (const SystemBounds* bounds : {&quick, &exact}) {
        const auto& worst = bounds->tasks[task].worst;
        if (!worst || *worst >= longest) continue;
        ++tried.exceeded;
        UNSCOPED_INFO(small->system.tasks[task].name << " takes " << longest.picoseconds() << " ps in "
                                                     << text_of(*small));
      }
      const auto& worst = exact.tasks[task].worst;
      if (!worst) ++tried.unbounded;
      if (worst == longest) ++tried.reached;
      if (worst && (!quick.tasks[task].worst || *worst < *quick.tasks[task].worst)) ++tried.tighter;
    });
  }
  return tried;
}

}  // namespace

TEST_CASE("no schedule of a small system exceeds a bound") {
  for (const SystemClass kind : bench::all_classes) {
    INFO(bench::name_of(kind));
    const Tried tried = try_systems(kind, 5, 60);
    CHECK(tried.tasks > 0);
    CHECK(tried.exceeded == 0);
  }
}

TEST_CASE("no schedule of many small systems exceeds a bound", "[long]") {
  for (const SystemClass kind : bench::all_classes) {
    INFO(bench::name_of(kind));
    // The search takes longest where device tasks overlap, and where tasks share semaphores or servers.
    const bool is_slow =
        kind == SystemClass::one_after_another || kind == SystemClass::at_once || kind >= SystemClass::nested_server;
    CHECK(try_systems(kind, 17, times(is_slow ? 150 : 900)).exceeded == 0);
  }
}

TEST_CASE("bounds for the stated offsets are exact where the theory says so") {
  for (const SystemClass kind : {SystemClass::preemptive, SystemClass::jitter, SystemClass::non_preemptive,
                                 SystemClass::cooperative, SystemClass::earliest_deadline, SystemClass::global}) {
    INFO(bench::name_of(kind));
    const Tried tried = try_systems(kind, 23, 100);
    // The search lets releases precede decisions of the same instant; no standard does.
    const bool decides_early = kind == SystemClass::non_preemptive || kind == SystemClass::cooperative;
    CHECK(tried.reached > tried.tasks * (decides_early ? 8 : 9) / 10);
    CHECK(tried.unbounded <= tried.tasks / 50);  // jobs of global tasks that last longer than their period
  }
  CHECK(try_systems(SystemClass::non_preemptive, 23, 100).tighter > 50);
}

TEST_CASE("the simulation stays within every schedule of a small system") {
  std::mt19937 random(3);
  for (const SystemClass kind : bench::all_classes) {
    for (int drawn = 0; drawn < 20;) {
      auto small = draw(kind, random);
      if (!small) continue;
      ++drawn;
      small->devices.back() = &small->profile;
      const auto programs = compile_programs(small->system, Execution::worst, small->devices, {});
      const auto periods = periods_of(small->system);
      SimulationInput input{small->system, programs, small->devices, us(300), us(300), periods};
      Results results;
      simulate(input, results);
      for_each_task(*small, [&](TaskIndex task, Duration longest) {
        INFO(bench::name_of(kind) << ", " << small->system.tasks[task].name << " in " << text_of(*small));
        CHECK(results.tasks[task].response.max <= longest);
      });
    }
  }
}

TEST_CASE("known offsets keep tasks apart") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 2, maker.periodic(10, 5)),
                  low = maker.task("low", core, 1, maker.periodic(10));
  maker.compute(high, 3);
  maker.compute(low, 5);
  System system = maker.build();
  const auto bounds = [&](bool offsets) {
    BoundOptions options = for_offsets;
    options.for_offsets = offsets;
    return system_bounds(system, {nullptr}, {}, options);
  };
  CHECK(bounds(false).tasks[low].worst == us(8));
  CHECK(bounds(true).tasks[low].worst == us(5));
  CHECK(bounds(true).tasks[low].method == BoundMethod::offsets);
  CHECK(bounds(true).tasks[high].method == BoundMethod::equations);
  system.tasks[low].preemption = system.tasks[high].preemption = Preemption::non_preemptive;
  CHECK(bounds(false).tasks[high].worst == us(8));
  CHECK(bounds(true).tasks[high].worst == us(3));
  // A microsecond more, and the less urgent task is still running when the other one is released.
  maker.compute(low, 1);
  system = maker.build();
  system.tasks[low].preemption = system.tasks[high].preemption = Preemption::non_preemptive;
  CHECK(bounds(true).tasks[high].worst == us(4));
}

TEST_CASE("an exploration beyond its limit leaves the other bounds") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex high = maker.task("high", core, 2, maker.periodic(7, 5)),
                  low = maker.task("low", core, 1, maker.periodic(11));
  maker.compute(high, 2);
  maker.compute(low, 5);
  System system = maker.build();
  system.tasks[low].preemption = system.tasks[high].preemption = Preemption::non_preemptive;
  const SystemBounds quick = system_bounds(system, {nullptr});
  const SystemBounds limited = system_bounds(system, {nullptr}, {}, {true, 1, 1});
  for (const TaskIndex task : {high, low}) {
    CHECK(limited.tasks[task].worst == quick.tasks[task].worst);
    CHECK(limited.tasks[task].method == BoundMethod::equations);
  }
}

TEST_CASE("only an operation that something slows down loses time to rounding") {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  const TaskIndex first = maker.task("first", gpu, 1, maker.periodic(100)),
                  second = maker.task("second", gpu, 1, maker.periodic(100));
  maker.kernel(first, 5);
  maker.kernel(second, 5);
  DeviceProfile profile = plain_profile(us(5));
  profile.interference.kernel_by_memcpy.ppm = 2'000'000;
  // A kernel as long as its slice needs one turn.
  CHECK(system_bounds(maker.build(), {&profile}).tasks[first].worst == us(10));
  maker.copy(second, 1);
  CHECK(system_bounds(maker.build(), {&profile}).tasks[first].worst > us(10));
}

}  // namespace bounds_offset_responses_test
