// SPDX-License-Identifier: Apache-2.0
// Who can change the timing of whom: small systems by hand, and random ones in which a task takes longer.
#include "engine/bounds/dependencies.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

#include "engine/analysis.hpp"
#include "engine/bounds/bounds.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace dependencies_test {

using namespace amalthea;
using engine::Dependencies;

bool depends(const System& system, TaskIndex task, TaskIndex on) {
  const Dependencies dependencies(system);
  const std::array<Part, 1> parts{Part{Part::Kind::task, on}};
  return dependencies.reached_from(parts).contains({Part::Kind::task, task});
}

TEST_CASE("A task depends on more urgent tasks of its core, not on less urgent ones or on other cores",
          "[dependencies]") {
  test::SystemMaker make;
  const UnitIndex core = make.core("core"), other = make.core("other");
  const TaskIndex high = make.task("high", core, 3, make.periodic(10)),
                  low = make.task("low", core, 1, make.periodic(10)),
                  equal = make.task("equal", core, 1, make.periodic(10)),
                  elsewhere = make.task("elsewhere", other, 5, make.periodic(10));
  const System system = make.build();
  CHECK(depends(system, low, high));
  CHECK(depends(system, low, equal));
  CHECK_FALSE(depends(system, high, low));
  CHECK_FALSE(depends(system, low, elsewhere));
  CHECK_FALSE(depends(system, elsewhere, low));
}

TEST_CASE("A section that cannot be preempted delays more urgent tasks", "[dependencies]") {
  test::SystemMaker make;
  const UnitIndex core = make.core("core");
  const TaskIndex high = make.task("high", core, 3, make.periodic(10)),
                  low = make.task("low", core, 1, make.periodic(10));
  make[low].preemption = Preemption::non_preemptive;
  CHECK(depends(make.build(), high, low));
}

TEST_CASE("A host depends on the device task that it waits for, and on all others of that GPU", "[dependencies]") {
  test::SystemMaker make;
  const UnitIndex core = make.core("core"), other = make.core("other"), gpu = make.gpu("gpu");
  const StimulusIndex request = make.inter_process();
  const TaskIndex host = make.task("host", core, 1, make.periodic(10)), device = make.task("device", gpu, 0, request),
                  rival = make.task("rival", gpu, 0, make.periodic(10)),
                  alone = make.task("alone", other, 1, make.periodic(10));
  make.kernel(device, 1);
  make.kernel(rival, 1);
  make.offload(host, device, request, 1, 1, false);
  const System system = make.build();
  CHECK(depends(system, host, device));
  CHECK(depends(system, host, rival));
  CHECK(depends(system, device, host));
  CHECK_FALSE(depends(system, alone, rival));
}

/// All execution times of a task on cores and GPUs are doubled.
System with_longer_task(System system, TaskIndex task) {
  const auto longer = [](Ticks& ticks) {
    const auto twice = [](Cycles& cycles) {
      cycles = {2 * cycles.lower + 1, 2 * cycles.average + 1, 2 * cycles.upper + 1};
    };
    if (ticks.otherwise) twice(*ticks.otherwise);
    for (auto& [definition, cycles] : ticks.extended) twice(cycles);
  };
  for (const NodeIndex node : system.tasks[task].body) {
    if (auto* compute = std::get_if<Compute>(&system.graph[node].activity)) longer(compute->ticks);
    if (auto* kernel = std::get_if<Kernel>(&system.graph[node].activity)) longer(kernel->ticks);
  }
  return system;
}

TEST_CASE("A task that takes longer changes no bound of a task that does not depend on it", "[dependencies]") {
  test::PairedSystems systems(20261124);
  std::mt19937 random(4);
  std::size_t kept = 0, changed = 0;
  constexpr std::size_t usual = 1500;
  constexpr std::size_t least = 300;  // the shares of fewer systems vary too much
  const std::size_t count = std::max(least, static_cast<std::size_t>(test::times(usual)));
  for (std::size_t n = 0; n < count; ++n) {
    const test::RandomSystem drawn = systems.next();
    const System& system = drawn.system;
    const TaskIndex task =
        std::uniform_int_distribution<TaskIndex>(0, static_cast<TaskIndex>(system.tasks.size() - 1))(random);
    std::vector<const engine::DeviceProfile*> devices(system.platform.units.size(), nullptr);
    for (UnitIndex unit = 0; unit < devices.size(); ++unit)
      if (system.platform.units[unit].type == PuType::gpu) devices[unit] = &drawn.profile;
    engine::CompileOptions compile;
    compile.memory = drawn.memory;
    const auto before = engine::system_bounds(system, devices, compile);
    const auto after = engine::system_bounds(with_longer_task(system, task), devices, compile);
    for (TaskIndex other = 0; other < system.tasks.size(); ++other) {
      const bool same =
          before.tasks[other].worst == after.tasks[other].worst && before.tasks[other].best == after.tasks[other].best;
      if (depends(system, other, task)) {
        changed += same ? 0 : 1;
        continue;
      }
      ++kept;
      INFO("system " << n << ": " << system.tasks[other].name << " and " << system.tasks[task].name);
      CHECK(same);
    }
  }
  CHECK(kept * usual > 300 * count);
  CHECK(changed * usual > 1000 * count);
}

}  // namespace dependencies_test
