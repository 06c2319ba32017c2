// SPDX-License-Identifier: Apache-2.0
#include "explore/first_mapping.hpp"

#include <catch2/catch.hpp>

#include "tests/support/system_maker.hpp"

namespace first_mapping_test {

using namespace amalthea;
using test::SystemMaker;
using test::us;

TEST_CASE("first mapping: tasks are distributed by utilization and ranked by deadline") {
  SystemMaker maker;
  const UnitIndex first = maker.core("first"), second = maker.core("second");
  const TaskIndex fixed = maker.task("fixed", second, 7, maker.periodic(100));
  maker.compute(fixed, 30);
  const TaskIndex large = maker.task("large", first, 0, maker.periodic(100));
  maker.compute(large, 60);
  const TaskIndex middle = maker.task("middle", first, 0, maker.periodic(200));
  maker.compute(middle, 60);
  const TaskIndex urgent = maker.task("urgent", first, 0, maker.periodic(400));
  maker.compute(urgent, 20);
  maker[urgent].deadline = us(50);
  const System before = maker.build();
  const System after = explore::ranked(explore::distributed(before, {large, middle, urgent}), {large, middle, urgent});
  CHECK(after.tasks[fixed].unit == second);
  CHECK(after.tasks[fixed].priority == 7);
  CHECK(after.tasks[large].unit == first);    // 60 % here, or 90 % there
  CHECK(after.tasks[middle].unit == second);  // 90 % here, or 60 % there
  CHECK(after.tasks[middle].scheduler == second);
  CHECK(after.tasks[urgent].unit == first);  // 65 % on both: the first one
  CHECK(after.tasks[urgent].priority == 3);  // a deadline of 50 us
  CHECK(after.tasks[large].priority == 2);
  CHECK(after.tasks[middle].priority == 1);
}

TEST_CASE("first mapping: a task stays off cores without a clock or without ticks for it and off GPUs") {
  SystemMaker maker;
  const UnitIndex own = maker.core("own"), other = maker.core("other"), gpu = maker.gpu("gpu");
  const TaskIndex load = maker.task("load", own, 0, maker.periodic(100));
  maker.compute(load, 50);
  const TaskIndex task = maker.task("task", own, 0, maker.periodic(100));
  maker.compute(task, 10);
  const TaskIndex device = maker.task("device", gpu, 0, maker.periodic(100));
  maker.kernel(device, 10);
  System system = maker.build();
  CHECK(explore::distributed(system, {task, device}).tasks[task].unit == other);
  CHECK(explore::distributed(system, {task, device}).tasks[device].unit == gpu);
  CHECK(explore::ranked(system, {task, device}).tasks[device].priority == 0);
  CHECK(explore::ranked(system, {task, device}).tasks[task].priority == 1);
  System stopped = system;
  stopped.platform.units[other].frequency = {};
  CHECK(explore::distributed(stopped, {task}).tasks[task].unit == own);
  for (const NodeIndex node : system.tasks[task].body)
    if (auto* compute = std::get_if<Compute>(&system.graph[node].activity)) {
      compute->ticks.otherwise = std::nullopt;
      compute->ticks.extended = {{system.platform.units[own].definition, Cycles{10, 10, 10}}};
    }
  CHECK(explore::distributed(system, {task}).tasks[task].unit == own);
}

}  // namespace first_mapping_test
