// SPDX-License-Identifier: Apache-2.0
// Bounds by hand where less urgent or equally urgent tasks of a core delay a job only in part: while they hold a
// semaphore, in their turns, or not at all.

#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/rows.hpp"
#include "engine/cpu/semaphore_holders.hpp"

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
/// With which a job begins.
SemaphoreSection section(std::int64_t length) { return {0, Duration::microseconds(length), Duration{}}; }

/// With all priorities equal, as for semaphores of any use.
std::vector<CpuBound> in_any_order(std::vector<CpuTask> tasks) {
  for (CpuTask& each : tasks) each.priority = 0;
  return fixed_priority_bounds(tasks);
}

}  // namespace

TEST_CASE("a user of a semaphore waits for one section of a less urgent one and for the tasks between") {
  const std::vector<CpuTask> tasks = {task(3, 200, 2), task(2, 200, 30), task(1, 200, 40)};
  auto bounds = in_any_order(tasks);
  REQUIRE(bounds[0].response == Duration::microseconds(72));
  improve_by_holders(tasks, {{section(2)}, {}, {section(4)}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(36));  // 4 + 30, and its own 2
  CHECK(bounds[1].response == Duration::microseconds(32));  // only the first one precedes it
  CHECK(bounds[2].response == Duration::microseconds(72));
}

TEST_CASE("tasks between two users delay the upper one until the release and users among them longer") {
  const std::vector<CpuTask> tasks = {task(3, 200, 10), task(2, 19, 3), task(1, 200, 40)};
  auto bounds = in_any_order(tasks);
  improve_by_holders(tasks, {{section(2)}, {}, {section(15)}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(28));  // 15 and 3 up to the release, and its own 10
  bounds = in_any_order(tasks);
  improve_by_holders(tasks, {{section(2)}, {section(1)}, {section(15)}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(31));  // two jobs of 3
  // A job that may leave its section out executes in full before.
  auto may_leave_out = section(2);
  may_leave_out.before.reset();
  bounds = in_any_order(tasks);
  improve_by_holders(tasks, {{may_leave_out}, {}, {section(15)}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(31));
}

TEST_CASE("semaphores between the users of others keep the bounds for any order") {
  const std::vector<CpuTask> tasks = {task(3, 200, 2), task(2, 200, 30), task(1, 200, 40)};
  auto bounds = in_any_order(tasks);
  const SemaphoreSection other{1, Duration::microseconds(1)};
  improve_by_holders(tasks, {{section(2)}, {other}, {section(4), other}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(72));
  // The same where another task has the priority of a user.
  const std::vector<CpuTask> equals = {task(3, 200, 2), task(1, 200, 30), task(1, 200, 40)};
  improve_by_holders(equals, {{section(2)}, {}, {section(4)}}, {0, 1, 2}, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(72));
}

TEST_CASE("a turn of an equally urgent task lasts no longer than its job") {
  std::vector<CpuTask> tasks = {task(1, 20, 4), task(1, 3, 1)};
  REQUIRE(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(6));
  for (CpuTask& each : tasks) each.turn = Duration::microseconds(4);
  CHECK(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(5));
  // An end that needs the core once more may need another turn.
  tasks[0].preemptible_at_end = true;
  CHECK(fixed_priority_bounds(tasks)[0].response == Duration::microseconds(6));
}

TEST_CASE("no section delays a task that a less urgent one of its core triggers at its end") {
  std::vector<CpuTask> tasks = {task(3, 100, 1), task(2, 100, 3), task(1, 100, 5), task(4, 10, 2)};
  for (CpuTask& each : tasks) each.cooperative = each.last_cooperative = each.worst;
  std::vector<RowStep> steps(tasks.size());
  steps[0].released_by = 1;
  auto bounds = fixed_priority_bounds(tasks);
  const auto before = bounds;
  improve_after_triggers(tasks, steps, {}, bounds);
  CHECK(bounds[0].response == Duration::microseconds(3));  // its own 1, and 2 of the most urgent one
  CHECK(before[0].response == Duration::microseconds(8));
  for (const std::size_t other : {1U, 2U, 3U}) CHECK(bounds[other].response == before[other].response);
  // A preemptive task may trigger it within a section of another cooperative one.
  tasks[1].cooperative.reset();
  bounds = before;
  improve_after_triggers(tasks, steps, {}, bounds);
  CHECK(bounds[0].response == before[0].response);
}

}  // namespace delays_of_equals_and_below_test
