// SPDX-License-Identifier: Apache-2.0
// Bounds by hand where less urgent or equally urgent tasks of a core delay a job only in part: while they hold a
// semaphore, in their turns, or not at all.

#include <vector>

#include <catch2/catch.hpp>

#include "engine/cpu/fixed_priority.hpp"

namespace delays_of_equals_and_below_test {

using namespace amalthea;
using namespace amalthea::engine::cpu;

namespace {

CpuTask task(std::int64_t priority, std::int64_t period, std::int64_t worst) {
  CpuTask task;
  task.priority = priority;
  task.arrivals.period = Duration::microseconds(period);
  task.worst = Duration::microseconds(worst);
  return task;
}

}  // namespace

TEST_CASE("a turn of an equally urgent task lasts no longer than its job") {
  std::vector<CpuTask> tasks = {task(1, 20, 4), task(1, 3, 1)};
  REQUIRE(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(6));
  for (CpuTask& each : tasks) each.turn = Duration::microseconds(4);
  CHECK(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(5));
  // An end that needs the core once more may need another turn.
  tasks[0].preemptible_at_end = true;
  CHECK(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(6));
}

}  // namespace delays_of_equals_and_below_test
