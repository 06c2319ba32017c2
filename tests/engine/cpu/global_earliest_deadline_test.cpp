// SPDX-License-Identifier: Apache-2.0
// Bounds under global earliest deadline first, calculated by hand, and against a schedule made unit by unit.

#include "engine/cpu/global_earliest_deadline.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace cpu_global_earliest_deadline_test {

using namespace amalthea;
using namespace amalthea::engine;

namespace {

/// In units of a nanosecond.
struct Task {
  std::int64_t worst = 1, deadline = 1, period = 1;
};

constexpr Duration units(std::int64_t count) { return Duration::nanoseconds(count); }

cpu::CpuTask cpu_task(const Task& of) {
  cpu::CpuTask task;
  task.arrivals.period = units(of.period);
  task.worst = units(of.worst);
  task.deadline = units(of.deadline);
  return task;
}

std::vector<std::optional<Duration>> responses(const std::vector<Task>& tasks, std::size_t cores) {
  std::vector<cpu::CpuTask> all;
  for (const Task& task : tasks) all.push_back(cpu_task(task));
  std::vector<std::optional<Duration>> found;
  if (const auto bounds = cpu::global_earliest_deadline_bounds(all, cores))
    for (const cpu::CpuBound& bound : *bounds) {
      Duration sum;
      for (const cpu::CpuShare& part : bound.parts) sum += part.time;
      CHECK(sum == *bound.response);
      found.push_back(bound.response);
    }
  return found;
}

/// The longest response of each task in a schedule with these first releases, of jobs that are released as early as the
/// period allows or up to `late` later, and execute their worst time or less.
std::vector<std::int64_t> longest_responses(const std::vector<Task>& tasks, std::size_t cores, std::int64_t late,
                                            std::int64_t end, std::mt19937& random) {
  struct Job {
    std::int64_t release = 0, left = 0;
  };
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  std::vector<std::int64_t> longest(tasks.size()), next(tasks.size());
  std::vector<std::optional<Job>> jobs(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) next[i] = draw(0, tasks[i].period);
  for (std::int64_t now = 0; now < end; ++now) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (!jobs[i] && next[i] <= now) {
        jobs[i] = Job{next[i], draw(0, 3) == 0 ? draw(1, tasks[i].worst) : tasks[i].worst};
        next[i] += tasks[i].period + draw(0, late);
      }
      if (jobs[i]) ready.push_back(i);
    }
    std::shuffle(ready.begin(), ready.end(), random);  // any order of equal deadlines
    const auto deadline = [&](std::size_t i) { return jobs[i]->release + tasks[i].deadline; };
    std::stable_sort(ready.begin(), ready.end(),
                     [&](std::size_t one, std::size_t other) { return deadline(one) < deadline(other); });
    for (std::size_t place = 0; place < std::min(cores, ready.size()); ++place) {
      Job& job = *jobs[ready[place]];
      if (--job.left > 0) continue;
      longest[ready[place]] = std::max(longest[ready[place]], now + 1 - job.release);
      jobs[ready[place]].reset();
    }
  }
  return longest;
}

}  // namespace

TEST_CASE(
    "three equal tasks on two cores delay each other under global deadlines by half of what two of them execute") {
  // R = 4 + min(4, R - 4 + 1) x 2 / 2
  const auto found = responses({{4, 10, 10}, {4, 10, 10}, {4, 10, 10}}, 2);
  REQUIRE(found.size() == 3);
  for (const auto& response : found) CHECK(response == units(8));
  CHECK(responses({{4, 10, 10}, {4, 10, 10}}, 2) == std::vector<std::optional<Duration>>(2, units(4)));
}

TEST_CASE("a set that only the sum of densities proves has its deadlines as bounds where nothing is smaller") {
  // The densities add up to 1.34, and 2 - 0.39 is the limit. The equations alone do not prove the set.
  const std::vector<Task> tasks = {{7, 18, 25}, {9, 25, 25}, {3, 25, 25}, {5, 13, 20}, {1, 21, 25}, {1, 25, 25}};
  const auto found = responses(tasks, 2);
  REQUIRE(found.size() == tasks.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CHECK(*found[i] <= units(tasks[i].deadline));
    equal += found[i] == units(tasks[i].deadline) ? 1 : 0;
  }
  CHECK(equal > 0);
}

TEST_CASE("tasks that may miss a deadline or that the tests do not cover have no bound under global deadlines") {
  CHECK(responses({{2, 10, 10}, {2, 10, 10}, {10, 11, 11}}, 2).empty());  // the two run first, then 10 do not fit
  CHECK(responses({{2, 11, 10}}, 2).empty());                             // two of its jobs may be pending
  const auto is_covered = [](auto change) {
    cpu::CpuTask task = cpu_task({2, 10, 10});
    change(task);
    return cpu::global_earliest_deadline_bounds({task}, 2).has_value();
  };
  CHECK(is_covered([](cpu::CpuTask&) {}));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.arrivals.jitter = units(1); }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.sections.push_back({units(1), 0}); }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.cooperative = units(1); }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.waits = 1; }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.waiting = units(1); }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.preemptible_at_end = true; }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.unlimited = true; }));
  CHECK_FALSE(is_covered([](cpu::CpuTask& task) { task.deadline = Duration::max(); }));
}

TEST_CASE("a window that all cores fill is left in few steps") {
  std::vector<cpu::CpuTask> tasks;
  for (int i = 0; i < 6; ++i) {
    cpu::CpuTask task;
    task.arrivals.period = task.deadline = Duration::seconds(100);
    task.worst = Duration::seconds(20);
    tasks.push_back(task);
  }
  cpu::Limits limits;
  limits.steps = 2000;
  CHECK(cpu::global_earliest_deadline_bounds(tasks, 2, limits).has_value());
}

TEST_CASE("no schedule by global deadlines exceeds the bounds of random sets") {
  std::mt19937 random(20261128);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int proven = 0, reached = 0;
  for (int set = 0; set < 400; ++set) {
    const std::size_t cores = static_cast<std::size_t>(draw(2, 3));
    std::vector<Task> tasks(cores + static_cast<std::size_t>(draw(1, 4)));
    for (Task& task : tasks) {
      task.period = draw(4, 20);
      task.worst = draw(1, std::max<std::int64_t>(1, task.period * 3 / 5));
      task.deadline = draw(0, 1) == 0 ? task.period : draw(task.worst, task.period);
    }
    const auto bounds = responses(tasks, cores);
    if (bounds.empty()) continue;
    ++proven;
    for (const std::int64_t late : {0, 0, 0, 5}) {
      const auto longest = longest_responses(tasks, cores, late, 1000, random);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        INFO("set " << set << ", task " << i);
        CHECK(units(longest[i]) <= *bounds[i]);
        reached += units(longest[i]) == *bounds[i] ? 1 : 0;
      }
    }
  }
  CHECK(proven >= 100);
  CHECK(reached >= 100);
}

}  // namespace cpu_global_earliest_deadline_test
