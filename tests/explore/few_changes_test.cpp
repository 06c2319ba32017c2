// SPDX-License-Identifier: Apache-2.0
// How many values of a mapping a search changes: the last pass, the objective, and the least number by brute force.

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds/bounds.hpp"
#include "explore/exploration.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace few_changes_test {

using namespace amalthea;
using namespace amalthea::explore;
using namespace test;

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

const engine::DeviceProfile& profile() {
  static const engine::DeviceProfile one = plain_profile(us(1000));
  return one;
}

Problem problem_of(const System& system) {
  Constraints constraints;
  for (const Task& task : system.tasks) {
    constraints.allowed.emplace_back();
    for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit)
      if ((system.platform.units[unit].type == PuType::gpu) == (task.side == Side::device))
        constraints.allowed.back().push_back(unit);
  }
  return {system, constraints, [&system](const std::vector<bool>&) { return std::optional(system); }};
}

Options options_for(Objective objective, std::uint64_t candidates) {
  Options options;
  options.objectives = {objective};
  options.candidates = candidates;
  options.analysis.profile = &profile();
  options.threads = 2;
  return options;
}

using Random = std::mt19937;
int draw(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

/// Five tasks somewhere on two cores, with priorities in any order.
System random_tasks(Random& random) {
  SystemMaker maker;
  maker.core("core1");
  maker.core("core2");
  std::array<int, 5> priorities{10, 20, 30, 40, 50};
  std::shuffle(priorities.begin(), priorities.end(), random);
  static constexpr int periods[] = {1000, 2000, 3000, 4000, 6000};
  for (int i = 0; i < 5; ++i) {
    const int period = periods[draw(random, 0, 4)];
    const TaskIndex task = maker.task(fmt::format("task{}", i), static_cast<UnitIndex>(draw(random, 0, 1)),
                                      priorities[static_cast<std::size_t>(i)], maker.periodic(period));
    maker.compute(task, period * draw(random, 15, 45) / 100);
    maker[task].deadline = us(period * draw(random, 60, 100) / 100);
  }
  return maker.build();
}

/// Two tasks that offload to a GPU and two that do not, on two cores; slices last 5.2 ms or 10 ms.
System random_offloads(Random& random) {
  SystemMaker maker;
  maker.core("core1");
  maker.core("core2");
  const UnitIndex gpu = maker.gpu("GPU");
  std::array<int, 4> priorities{10, 20, 30, 40};
  std::shuffle(priorities.begin(), priorities.end(), random);
  for (int i = 0; i < 2; ++i) {
    const int period = 40000 * draw(random, 1, 3);
    const TaskIndex host = maker.task(fmt::format("host{}", i), static_cast<UnitIndex>(draw(random, 0, 1)),
                                      priorities[static_cast<std::size_t>(i)], maker.periodic(period));
    const StimulusIndex request = maker.inter_process();
    const TaskIndex device = maker.task(fmt::format("device{}", i), gpu, 0, request);
    maker[device].time_slice = us(draw(random, 0, 1) == 0 ? 5200 : 10000);
    maker.kernel(device, period / 10 * draw(random, 1, 2));
    maker.offload(host, device, request, period / 20 * draw(random, 1, 2), period / 20 * draw(random, 1, 3),
                  draw(random, 0, 2) > 0);
    maker[host].deadline = us(period);
  }
  for (int i = 2; i < 4; ++i) {
    const TaskIndex plain = maker.task(fmt::format("plain{}", i), static_cast<UnitIndex>(draw(random, 0, 1)),
                                       priorities[static_cast<std::size_t>(i)], maker.periodic(20000));
    maker.compute(plain, 1000 * draw(random, 2, 9));
    maker[plain].deadline = us(20000);
  }
  Scheduler& scheduler = maker.system().platform.schedulers[gpu];
  scheduler.minimum_time_slice = us(5200);
  scheduler.maximum_time_slice = us(10000);
  return maker.build();
}

bool is_feasible(const System& system) {
  std::vector<const engine::DeviceProfile*> devices;
  for (const ProcessingUnit& unit : system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? &profile() : nullptr);
  const auto bounds = engine::system_bounds(system, devices).tasks;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto& deadline = system.tasks[task].deadline; deadline)
      if (!bounds[task].worst || *bounds[task].worst > *deadline) return false;
  return true;
}

bool polls(const System& system, TaskIndex task) {
  const auto& body = system.tasks[task].body;
  return std::any_of(body.begin(), body.end(), [&](NodeIndex node) {
    const auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity);
    return wait != nullptr && wait->active;
  });
}

void set_polling(System& system, TaskIndex task, bool active) {
  for (const NodeIndex node : system.tasks[task].body)
    if (auto* wait = std::get_if<WaitEvents>(&system.graph[node].activity)) wait->active = active;
}

std::size_t differences(const System& a, const System& b) {
  std::size_t count = 0;
  for (TaskIndex task = 0; task < a.tasks.size(); ++task) {
    const Task &one = a.tasks[task], &other = b.tasks[task];
    count += (one.unit != other.unit ? 1u : 0u) + (one.priority != other.priority ? 1u : 0u) +
             (one.time_slice != other.time_slice ? 1u : 0u) + (polls(a, task) != polls(b, task) ? 1u : 0u);
  }
  return count;
}

/// How many of the tasks in this order, the least urgent first, must get another priority: all but those of the longest
/// part that ascends already. The priorities leave room for all others.
std::size_t new_priorities(const System& system, const std::vector<TaskIndex>& order) {
  std::size_t most = 0;
  std::vector<std::size_t> longest;
  for (std::size_t i = 0; i < order.size(); ++i) {
    longest.push_back(1);
    for (std::size_t k = 0; k < i; ++k)
      if (system.tasks[order[k]].priority < system.tasks[order[i]].priority)
        longest[i] = std::max(longest[i], longest[k] + 1);
    most = std::max(most, longest[i]);
  }
  return order.size() - most;
}

/// The fewest changes of any mapping that meets all deadlines, by trying every one; `none` if there is none.
std::size_t least_changes(const System& original) {
  std::vector<TaskIndex> hosts, waiters, devices;
  for (TaskIndex task = 0; task < original.tasks.size(); ++task) {
    if (original.tasks[task].side == Side::device) {
      devices.push_back(task);
      continue;
    }
    hosts.push_back(task);
    System passive = original;
    set_polling(passive, task, true);
    if (polls(passive, task)) waiters.push_back(task);
  }
  std::size_t least = none;
  System system = original;
  std::vector<TaskIndex> order = hosts;
  do {
    const std::size_t choices = std::size_t{1} << (hosts.size() + waiters.size() + devices.size());
    for (std::size_t bits = 0; bits < choices; ++bits) {
      std::size_t bit = 0, changes = 0;
      const auto next = [&] { return (bits >> bit++ & 1) != 0; };
      for (const TaskIndex task : hosts) system.tasks[task].unit = system.tasks[task].scheduler = next() ? 1 : 0;
      for (const TaskIndex task : waiters) set_polling(system, task, next());
      for (const TaskIndex task : devices) system.tasks[task].time_slice = us(next() ? 5200 : 10000);
      changes = differences(original, system);
      for (const UnitIndex core : {0U, 1U}) {
        std::vector<TaskIndex> here;
        for (const TaskIndex task : order)
          if (system.tasks[task].unit == core) here.push_back(task);
        changes += new_priorities(original, here);
      }
      if (changes >= least) continue;
      for (std::size_t i = 0; i < order.size(); ++i) system.tasks[order[i]].priority = static_cast<std::int64_t>(i + 1);
      if (is_feasible(system)) least = changes;
      for (const TaskIndex task : hosts) system.tasks[task].priority = original.tasks[task].priority;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

/// A system that misses a deadline.
System late_system(Random& random, bool offloads) {
  for (;;) {
    System system = offloads ? random_offloads(random) : random_tasks(random);
    if (!is_feasible(system)) return system;
  }
}

}  // namespace

TEST_CASE("explore: no single change of a result can be taken back") {
  Random random(3);
  std::size_t changed = 0;
  for (int repeat = 0; repeat < 12; ++repeat) {
    const System system = late_system(random, repeat % 2 == 0);
    const Problem problem = problem_of(system);
    const Options options = options_for(LargestResponse{}, 800);
    const Exploration found = explore::explore(problem, options);
    REQUIRE(found.front.size() == 1);
    const Solution& solution = found.front.front();
    CHECK(solution.changes == differences(system, applied(problem, solution.candidate).value()));
    const auto is_worse = [&](const Candidate& candidate) {
      const Judgement now = judge(problem, candidate, options), &best = solution.judgement;
      return std::tuple(now.late.size(), now.excess, now.unbounded) >
                 std::tuple(best.late.size(), best.excess, best.unbounded) ||
             now.objectives.front() > best.objectives.front();
    };
    const Candidate original = original_candidate(system);
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      const auto check = [&](auto value) {
        if (solution.candidate[task].*value == original[task].*value) return;
        Candidate candidate = solution.candidate;
        candidate[task].*value = original[task].*value;
        CAPTURE(repeat, task);
        CHECK(is_worse(candidate));
        ++changed;
      };
      check(&Choice::unit);
      check(&Choice::waits_actively);
      check(&Choice::slice);
      if (system.tasks[task].side == Side::host) check(&Choice::priority);
    }
  }
  CHECK(changed > 20);
}

TEST_CASE("explore: fewest changes are an objective beside others and the same on any number of threads") {
  Random random(9);
  std::size_t solutions = 0;
  for (int repeat = 0; repeat < 6; ++repeat) {
    const System system = late_system(random, repeat % 2 == 1);
    const Problem problem = problem_of(system);
    Options options = options_for(FewestChanges{}, 800);
    options.objectives.emplace_back(LargestResponse{});
    options.threads = 1;
    const Exploration one = explore::explore(problem, options);
    options.threads = 3;
    const Exploration three = explore::explore(problem, options);
    REQUIRE(one.front.size() == three.front.size());
    solutions += one.front.size();
    for (std::size_t i = 0; i < one.front.size(); ++i) {
      CHECK(one.front[i].candidate == three.front[i].candidate);
      CHECK(one.front[i].judgement.objectives.front() == static_cast<double>(one.front[i].changes));
      if (i == 0) continue;
      CHECK(one.front[i].changes > one.front[i - 1].changes);
      CHECK(one.front[i].judgement.objectives[1] < one.front[i - 1].judgement.objectives[1]);
    }
  }
  CHECK(solutions > 8);
}

TEST_CASE("explore: changes of repaired systems against the fewest of an exhaustive search", "[long]") {
  struct Sum {
    const char* name;
    Objective objective;
    std::size_t changes = 0, fewest = 0, most_beyond = 0;
  };
  for (const bool offloads : {false, true}) {
    Random random(offloads ? 2 : 1);
    std::array<Sum, 2> sums{{{"response", LargestResponse{}}, {"changes", FewestChanges{}}}};
    std::size_t systems = 0, least_sum = 0;
    const std::size_t wanted = (offloads ? 4u : 16u) * (test::is_thorough() ? 10 : 1);
    while (systems < wanted) {
      const System system = late_system(random, offloads);
      const std::size_t least = least_changes(system);
      if (least == none) continue;
      ++systems;
      least_sum += least;
      const Problem problem = problem_of(system);
      for (Sum& sum : sums) {
        const Exploration found = explore::explore(problem, options_for(sum.objective, 3000));
        CAPTURE(offloads, systems, sum.name, least);
        CHECK(found.feasible);
        const Solution& solution = found.front.front();
        CHECK(solution.changes == differences(system, applied(problem, solution.candidate).value()));
        CHECK(is_feasible(applied(problem, solution.candidate).value()));
        REQUIRE(solution.changes >= least);
        sum.changes += solution.changes;
        sum.fewest += solution.changes == least ? 1 : 0;
        sum.most_beyond = std::max(sum.most_beyond, solution.changes - least);
      }
    }
    for (const Sum& sum : sums)
      WARN(fmt::format(
          "{}, --objective {}: {:.2f} changes on average, the fewest {:.2f}; the fewest in {} of {} "
          "systems, at most {} more",
          offloads ? "offloads" : "CPU tasks", sum.name,
          static_cast<double>(sum.changes) / static_cast<double>(systems),
          static_cast<double>(least_sum) / static_cast<double>(systems), sum.fewest, systems, sum.most_beyond));
    CHECK(sums[1].fewest * 100 >= 95 * systems);
  }
}

}  // namespace few_changes_test
