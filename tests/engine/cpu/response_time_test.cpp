// SPDX-License-Identifier: Apache-2.0
// Response times on CPU cores: cases from the literature, and comparison with a simulation tick by tick.

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/cpu/earliest_deadline.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/global_fixed_priority.hpp"
#include "engine/cpu/periodic_resource.hpp"
#include "tests/support/thoroughness.hpp"

namespace cpu_response_time_test {

using namespace amalthea;
using namespace amalthea::engine::cpu;

namespace {

constexpr Duration ps(std::int64_t value) { return Duration::picoseconds(value); }

CpuTask task(std::int64_t worst, std::int64_t period, std::int64_t priority, std::int64_t jitter = 0) {
  CpuTask task;
  task.arrivals = {ps(period), ps(jitter), {}};
  task.worst = ps(worst);
  task.priority = priority;
  task.deadline = ps(period);
  return task;
}
CpuTask with_deadline(CpuTask task, std::int64_t deadline) {
  task.deadline = ps(deadline);
  return task;
}
/// All of a job is one section.
CpuTask as_one_section(CpuTask task, std::int64_t threshold) {
  task.sections = {{task.worst, threshold}};
  task.last = task.sections.front();
  return task;
}
CpuTask with_section(CpuTask task, std::int64_t length, std::int64_t threshold) {
  task.sections.push_back({ps(length), threshold});
  return task;
}
CpuTask cooperative(CpuTask task, std::int64_t longest, std::int64_t last) {
  task.cooperative = ps(longest);
  task.last_cooperative = ps(last);
  return task;
}

std::vector<std::int64_t> responses(const std::vector<CpuBound>& bounds) {
  std::vector<std::int64_t> values;
  for (const CpuBound& bound : bounds) values.push_back(bound.response ? bound.response->picoseconds() : -1);
  return values;
}
using Values = std::vector<std::int64_t>;

Duration sum_of(const CpuBound& bound) {
  Duration sum;
  for (const CpuShare& share : bound.parts) sum += share.time;
  return sum;
}

// ---------------------------------------------------------------- simulation tick by tick

using Random = std::mt19937;
int between(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }
bool one_in(Random& random, int n) { return between(random, 1, n) == 1; }

/// A piece of a job: left only to those above the threshold, where there is one.
struct Piece {
  std::int64_t length = 0;
  std::optional<std::int64_t> threshold;
};
struct SimulatedTask {
  CpuTask task;
  std::vector<Piece> pieces;  ///< of the longest job; of a cooperative task its sections
};

struct Job {
  std::int64_t release = 0, deadline = 0;
  std::vector<Piece> pieces;
  std::size_t piece = 0;
  std::int64_t done = 0;  ///< of the piece
  bool inside() const { return done > 0; }
};

/// Legal releases up to `end`. `first`: as dense as can be from this instant on; else anything.
std::vector<std::int64_t> releases(const EventModel& arrivals, std::int64_t end, std::optional<std::int64_t> first,
                                   Random& random) {
  const std::int64_t period = arrivals.period.picoseconds(), jitter = arrivals.jitter.picoseconds(),
                     distance = arrivals.minimum_distance.picoseconds();
  std::vector<std::int64_t> times;
  std::int64_t at = first ? *first - jitter : between(random, 0, static_cast<int>(period));
  for (std::size_t job = 0; at <= end; at += period, ++job) {
    const std::int64_t late = first ? (job == 0 ? jitter : 0) : between(random, 0, static_cast<int>(jitter));
    std::int64_t time = at + late;
    if (!times.empty()) time = std::max(time, std::max(times.back(), times.back() + distance));
    if (time >= 0) times.push_back(time);
    // Sporadic: sometimes there is a longer gap.
    if (!first && one_in(random, 8)) at += between(random, 0, static_cast<int>(period));
  }
  return times;
}

Job job_of(const SimulatedTask& simulated, std::int64_t release, bool longest, Random& random) {
  Job job{release, release + simulated.task.deadline.picoseconds(), simulated.pieces, 0, 0};
  if (longest) return job;
  for (Piece& piece : job.pieces) piece.length = between(random, 0, static_cast<int>(piece.length));
  job.pieces.back().length = std::max<std::int64_t>(1, job.pieces.back().length);
  return job;
}

enum class Policy { fixed, round_robin, earliest_deadline };
struct Rules {
  Policy policy = Policy::fixed;
  std::size_t interrupts_from = 1000;  ///< tasks from this index on precede the others
};

/// The longest response time of each task. `supply` says at which ticks there is a core.
template <typename Supply>
Values simulate(const std::vector<SimulatedTask>& tasks, std::int64_t end, const Rules& rules, bool dense,
                Random& random, Supply supply) {
  std::vector<std::vector<std::int64_t>> times;
  const std::int64_t instant = 40;
  for (const SimulatedTask& simulated : tasks) {
    std::optional<std::int64_t> first;
    if (dense) first = one_in(random, 4) ? instant - between(random, 0, 3) : instant;
    times.push_back(releases(simulated.task.arrivals, end, first, random));
  }
  const bool longest = dense || one_in(random, 2);
  std::vector<std::deque<Job>> queues(tasks.size());
  std::vector<std::size_t> next(tasks.size());
  Values seen(tasks.size());
  const std::size_t nobody = tasks.size();
  std::size_t running = nobody;
  for (std::int64_t now = 0; now < end; ++now) {
    for (std::size_t index = 0; index < tasks.size(); ++index)
      for (; next[index] < times[index].size() && times[index][next[index]] <= now; ++next[index])
        queues[index].push_back(job_of(tasks[index], times[index][next[index]], longest, random));
    for (std::size_t index = 0; index < tasks.size(); ++index)
      while (!queues[index].empty()) {
        Job& head = queues[index].front();
        while (head.piece < head.pieces.size() && head.done >= head.pieces[head.piece].length) {
          ++head.piece;
          head.done = 0;
        }
        if (head.piece < head.pieces.size()) break;
        seen[index] = std::max(seen[index], now - head.release);
        queues[index].pop_front();
        if (running == index) running = nobody;
      }
    if (!supply(now, std::all_of(queues.begin(), queues.end(), [](const auto& queue) { return queue.empty(); })))
      continue;
    std::optional<std::size_t> keeper;  // cooperative, within a section
    for (std::size_t index = 0; index < tasks.size(); ++index)
      if (tasks[index].task.cooperative && !queues[index].empty() && queues[index].front().inside()) keeper = index;
    std::vector<std::size_t> first;
    std::int64_t best = 0;
    for (std::size_t index = 0; index < tasks.size(); ++index) {
      if (queues[index].empty()) continue;
      const Job& head = queues[index].front();
      if (keeper && tasks[index].task.cooperative && *keeper != index) continue;
      std::int64_t level = 2 * tasks[index].task.priority;
      if (rules.policy == Policy::earliest_deadline)
        level = index >= rules.interrupts_from ? 1'000'000 : -head.deadline;
      else if (const auto threshold = head.pieces[head.piece].threshold; threshold && head.inside())
        level = std::max(level, 2 * *threshold + 1);
      if (keeper == index)  // in the place of those that wait for it
        for (std::size_t other = 0; other < tasks.size(); ++other)
          if (tasks[other].task.cooperative && !queues[other].empty())
            level = std::max(level, 2 * tasks[other].task.priority);
      if (first.empty() || level > best) {
        first.clear();
        best = level;
      }
      if (level == best) first.push_back(index);
    }
    if (first.empty()) continue;
    const bool keeps = rules.policy == Policy::fixed && std::find(first.begin(), first.end(), running) != first.end();
    if (!keeps) running = first[static_cast<std::size_t>(between(random, 0, static_cast<int>(first.size()) - 1))];
    ++queues[running].front().done;
  }
  return seen;
}
constexpr auto always = [](std::int64_t, bool) { return true; };

/// How close tasks came to their bounds.
struct Tightness {
  std::size_t bounded = 0, unbounded = 0, reached = 0, violations = 0;
  std::vector<double> ratios;
  std::string text() {
    std::sort(ratios.begin(), ratios.end());
    return fmt::format("{} tasks with a bound, {} without; {} reach it; observed / bound: median {:.3f}, 10 % {:.3f}",
                       bounded, unbounded, reached, ratios.empty() ? 0 : ratios[ratios.size() / 2],
                       ratios.empty() ? 0 : ratios[ratios.size() / 10]);
  }
  void check(const std::vector<CpuBound>& bounds, const Values& seen, const std::string& what) {
    for (std::size_t index = 0; index < seen.size(); ++index) {
      const auto& response = bounds[index].response;
      ++(response ? bounded : unbounded);
      if (!response) continue;
      ratios.push_back(static_cast<double>(seen[index]) / static_cast<double>(response->picoseconds()));
      reached += seen[index] == response->picoseconds() ? 1U : 0U;
      if (seen[index] <= response->picoseconds() && sum_of(bounds[index]) == *response) continue;
      ++violations;
      INFO(what << ", task " << index << ": seen " << seen[index] << ", bound " << response->picoseconds() << ", parts "
                << sum_of(bounds[index]).picoseconds());
      CHECK(seen[index] <= response->picoseconds());
      CHECK(sum_of(bounds[index]) == *response);
    }
  }
};

struct TaskKinds {
  bool sections = false, cooperative = false;
};

std::vector<SimulatedTask> random_tasks(Random& random, const TaskKinds& kinds) {
  const int count = between(random, 2, 5), load = between(random, 30, 105), top = between(random, 1, 5);
  std::vector<SimulatedTask> tasks;
  for (int index = 0; index < count; ++index) {
    SimulatedTask simulated;
    const int period = between(random, 4, 30), budget = std::max(1, period * load / 100 / count);
    simulated.task = task(0, period, between(random, 1, top));
    simulated.task.deadline = ps(between(random, budget, period * (one_in(random, 3) ? 2 : 1)));
    if (one_in(random, 3))
      simulated.task.arrivals.jitter = ps(between(random, 0, period * (one_in(random, 3) ? 3 : 1)));
    if (one_in(random, 3)) simulated.task.arrivals.minimum_distance = ps(between(random, 1, period));
    CpuTask& own = simulated.task;
    const bool is_cooperative = kinds.cooperative && one_in(random, 2);
    if (is_cooperative) own.cooperative = Duration{};
    for (int left = between(random, 1, 3); left > 0; --left) {
      Piece piece{between(random, 1, std::max(1, budget)), {}};
      if (kinds.sections && !is_cooperative && one_in(random, 2))
        piece.threshold = std::max<std::int64_t>(own.priority, between(random, 1, top));
      own.worst += ps(piece.length);
      if (piece.threshold) own.sections.push_back({ps(piece.length), *piece.threshold});
      own.last = piece.threshold ? own.sections.back() : Section{};
      if (is_cooperative) own.cooperative = std::max(*own.cooperative, ps(piece.length));
      if (is_cooperative) own.last_cooperative = ps(piece.length);
      simulated.pieces.push_back(piece);
    }
    tasks.push_back(simulated);
  }
  return tasks;
}

std::vector<CpuTask> plain(const std::vector<SimulatedTask>& tasks) {
  std::vector<CpuTask> result;
  for (const SimulatedTask& simulated : tasks) result.push_back(simulated.task);
  return result;
}

constexpr std::int64_t simulated_ticks = 240;

Tightness check_fixed_priorities(std::uint32_t seed, int sets, const TaskKinds& kinds, Policy policy) {
  Tightness tightness;
  Random random(seed);
  for (int set = 0; set < sets; ++set) {
    const auto tasks = random_tasks(random, kinds);
    const auto bounds = fixed_priority_bounds(plain(tasks));
    Values seen(tasks.size());
    for (int attempt = 0; attempt < 6; ++attempt) {
      const Rules rules{policy, 1000};
      const Values found = simulate(tasks, simulated_ticks, rules, attempt < 4, random, always);
      for (std::size_t index = 0; index < seen.size(); ++index) seen[index] = std::max(seen[index], found[index]);
    }
    tightness.check(bounds, seen, fmt::format("set {} of seed {}", set, seed));
  }
  return tightness;
}

}  // namespace

TEST_CASE("arrivals are counted in closed windows and job distance is the inverse") {
  const EventModel burst{ps(100), ps(250), ps(10)};
  CHECK(max_arrivals(burst, ps(-1)) == 0);
  CHECK(max_arrivals(burst, ps(0)) == 1);   // by the distance; by the jitter alone 3
  CHECK(max_arrivals(burst, ps(20)) == 3);  // 3 by both
  CHECK(max_arrivals(burst, ps(49)) == 3);  // 299 / 100
  CHECK(max_arrivals(burst, ps(50)) == 4);
  CHECK(least_distance(burst, 0) == ps(0));
  CHECK(least_distance(burst, 2) == ps(20));
  CHECK(least_distance(burst, 3) == ps(50));
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    const EventModel arrivals{ps(between(random, 1, 50)), ps(between(random, 0, 120)), ps(between(random, 0, 20))};
    const std::int64_t count = between(random, 0, 20);
    const Duration distance = least_distance(arrivals, count);
    CHECK(max_arrivals(arrivals, distance) >= count + 1);
    CHECK(max_arrivals(arrivals, distance - ps(1)) <= count);
  }
}

TEST_CASE("preemptive fixed priorities: the fifth job of Lehoczky's set is the latest") {
  // Lehoczky, "Fixed priority scheduling of periodic task sets with arbitrary deadlines", RTSS 1990: C 26, 62, T 70,
  // 100; the response times of the jobs of the second are 114, 102, 116, 104, 118, 106, 94.
  const auto bounds = fixed_priority_bounds({task(26, 70, 2), task(62, 100, 1)});
  CHECK(responses(bounds) == Values{26, 118});
  REQUIRE(bounds[1].parts.size() == 2);
  CHECK(bounds[1].parts[1].part == CpuPart::preemption);
  CHECK(bounds[1].parts[1].time == ps(56));  // what was before the release of the fifth job has been taken off
}

TEST_CASE("non-preemptive fixed priorities: the CAN messages that refuted the first analysis are bounded") {
  // Davis, Burns, Bril, Lukkien 2007, Table 1: T 2.5, 3.5, 3.5, C 1 each. The second instance of C takes 3.5, which the
  // analysis of the first instance alone had missed (3).
  const auto bounds = fixed_priority_bounds(
      {as_one_section(task(10, 25, 3), 3), as_one_section(task(10, 35, 2), 3), as_one_section(task(10, 35, 1), 3)});
  CHECK(responses(bounds) == Values{20, 30, 35});
}

TEST_CASE("preemption thresholds: the set of Wang and Saksena has its published bounds") {
  // "Scheduling fixed-priority tasks with preemption threshold", RTCSA 1999: C 20, 20, 35, T 70, 80, 200; deadlines of
  // 50, 80, 100 are met with thresholds 3, 3, 2 alone.
  const CpuTask a = task(20, 70, 3), b = task(20, 80, 2), c = task(35, 200, 1);
  CHECK(responses(fixed_priority_bounds({a, b, c})) == Values{20, 40, 115});
  CHECK(responses(fixed_priority_bounds({as_one_section(a, 3), as_one_section(b, 3), as_one_section(c, 3)})) ==
        Values{55, 75, 75});
  CHECK(responses(fixed_priority_bounds({as_one_section(a, 3), as_one_section(b, 3), as_one_section(c, 2)})) ==
        Values{40, 75, 95});
}

TEST_CASE("deferred preemption: the worst job is not the first") {
  // Bril, Lukkien, Verhaegh 2009: T 5, 7, C 2, 1.2 + 3.0. All of 35 is busy; the fifth job of the second ends at 35,
  // 7 after its release; the first takes 6.2.
  const CpuTask second = cooperative(task(42, 70, 1), 30, 30);
  CHECK(responses(fixed_priority_bounds({cooperative(task(20, 50, 2), 20, 20), second})) == Values{50, 70});
}

TEST_CASE("jitter and blocking add up") {
  // t1 (T 10, C 3), t2 (T 20, C 4, jitter 5), t3 (T 50, C 10, with a critical section of 2 shared with t1).
  // t1: 3 + 2. t2: 2 + 4 + 3 = 9. t3: 10 + 3 n1 + 4 n2: 17 -> two of t1 and, as 17 + 5 > 20, two of t2: 24 -> 27.
  const auto bounds = fixed_priority_bounds({task(3, 10, 3), task(4, 20, 2, 5), with_section(task(10, 50, 1), 2, 3)});
  CHECK(responses(bounds) == Values{5, 9, 27});
  REQUIRE(bounds[1].parts.size() == 3);
  CHECK(bounds[1].parts[1].part == CpuPart::blocking);
  CHECK(bounds[1].parts[1].by == 2);
  CHECK(bounds[1].parts[1].time == ps(2));
}

TEST_CASE("a ceiling below a task's priority does not block it") {
  const auto bounds = fixed_priority_bounds({task(3, 10, 3), task(4, 20, 2), with_section(task(10, 50, 1), 5, 2)});
  CHECK(responses(bounds) == Values{3, 5 + 4 + 3 + 3, 10 + 4 + 3 + 3 + 0});
}

TEST_CASE("cooperative tasks wait for each other's sections and others do not") {
  // Sections of at most 6 of the lowest: for the cooperative top and, as they keep it waiting, for those between.
  const auto bounds = fixed_priority_bounds(
      {cooperative(task(5, 100, 4), 5, 5), task(7, 100, 3), task(4, 100, 2), cooperative(task(12, 100, 1), 6, 6)});
  CHECK(responses(bounds) == Values{11, 18, 22, 28});
  // Without cooperative tasks of at least its priority no task waits.
  const auto without = fixed_priority_bounds({task(5, 100, 4), task(7, 100, 3), cooperative(task(12, 100, 1), 6, 6)});
  CHECK(responses(without) == Values{5, 12, 24});
}

TEST_CASE("an unlimited or overloaded priority level is named") {
  CpuTask unknown = task(1, 10, 2);
  unknown.unlimited = true;
  const auto bounds = fixed_priority_bounds({task(1, 10, 3), unknown, task(1, 10, 1)});
  CHECK(bounds[0].response == ps(1));
  CHECK(bounds[2].reason == NoBound::unlimited);
  CHECK(bounds[2].obstacle == 1);
  CHECK(fixed_priority_bounds({task(6, 10, 2), task(5, 10, 1)})[1].reason == NoBound::overload);
}

TEST_CASE("no job of a random set exceeds its bound under preemptive fixed priorities or round robin") {
  Tightness fixed = check_fixed_priorities(1, 1500, {}, Policy::fixed);
  CHECK(fixed.violations == 0);
  INFO(fixed.text());
  CHECK(fixed.bounded > 3000);
  CHECK(2 * fixed.reached > fixed.bounded);
  Tightness turns = check_fixed_priorities(2, 1000, {}, Policy::round_robin);
  INFO(turns.text());
  CHECK(turns.violations == 0);
  CHECK(turns.bounded > 2000);
}

TEST_CASE("no job of a random set with sections or cooperative tasks exceeds its bound") {
  Tightness sections = check_fixed_priorities(3, 1500, {true, false}, Policy::fixed);
  INFO(sections.text());
  CHECK(sections.violations == 0);
  CHECK(sections.bounded > 3000);
  Tightness mixed = check_fixed_priorities(4, 1500, {true, true}, Policy::fixed);
  INFO(mixed.text());
  CHECK(mixed.violations == 0);
  CHECK(mixed.bounded > 3000);
}

TEST_CASE("thousands of random sets stay within their fixed-priority bounds", "[long]") {
  for (const auto& [kinds, policy] : std::vector<std::pair<TaskKinds, Policy>>{{{false, false}, Policy::fixed},
                                                                               {{false, false}, Policy::round_robin},
                                                                               {{true, false}, Policy::fixed},
                                                                               {{true, true}, Policy::fixed}}) {
    Tightness tightness = check_fixed_priorities(11, test::times(1000), kinds, policy);
    WARN((kinds.cooperative         ? "cooperative and sections: "
          : kinds.sections          ? "sections: "
          : policy == Policy::fixed ? "preemptive: "
                                    : "round robin: ")
         << tightness.text());
    CHECK(tightness.violations == 0);
    CHECK(tightness.bounded > test::times(std::size_t{2000}));
  }
}

TEST_CASE("earliest deadline first: the synchronous release does not yield the longest response") {
  // t1 (C 2, T 4, D 4), t2 (C 3, T 6, D 6): demand 1, busy for 12. Released together with t1, t2 ends at 5. Released at
  // a, its deadline is a + 6: at a = 0 t1 at 0 counts (deadline 4), that at 4 (deadline 8) does not: 5. At a = 2 both
  // do, deadlines 4 and 8: 3 + 4 - 2 = 5. At a = 6 its first job and t1 at 0, 4, 8: 12 - 6 = 6. t1 at a = 2 (deadline
  // 6) waits for t2 at 0 (deadline 6): 2 + 3 - 2 = 3; at a = 4, with its job at 0 before, 4 + 3 - 4 = 3; at a = 8,
  // deadline 12, t2 at 0 and 6: 12 - 8 = 4.
  const auto bounds = earliest_deadline_bounds({task(2, 4, 0), task(3, 6, 0)});
  CHECK(responses(bounds) == Values{4, 6});
  CHECK(meets_demand({task(2, 4, 0), task(3, 6, 0)}) == true);
  CHECK(meets_demand({with_deadline(task(2, 4, 0), 2), task(3, 6, 0)}) == false);
}

TEST_CASE("interrupts preempt tasks with any deadline") {
  const auto bounds = earliest_deadline_bounds({task(2, 20, 0), task(3, 30, 0)}, {task(1, 10, 0, 9)});
  // Both at once, the interrupt twice: 2 + 3 + 2 for the later; the earlier sees the later only if its own deadline is
  // no earlier, 10 after it: 2 + 3 + 2 - ... is busy for no longer than 7.
  CHECK(bounds[1].response == ps(7));
  CHECK(bounds[0].response == ps(4));
}

TEST_CASE("no job of a random set exceeds its EDF bound and both algorithms agree") {
  Random random(5);
  Tightness tightness;
  int feasible = 0;
  for (int set = 0; set < 2500; ++set) {
    auto tasks = random_tasks(random, {});
    const std::size_t interrupts = one_in(random, 3) ? 1 : 0;
    std::vector<CpuTask> all = plain(tasks);
    const std::vector<CpuTask> before(all.end() - static_cast<std::ptrdiff_t>(interrupts), all.end());
    all.resize(all.size() - interrupts);
    const auto bounds = earliest_deadline_bounds(all, before);
    Values seen(tasks.size());
    for (int attempt = 0; attempt < 6; ++attempt) {
      const Rules rules{Policy::earliest_deadline, all.size()};
      const Values found = simulate(tasks, simulated_ticks, rules, attempt < 3, random, always);
      for (std::size_t index = 0; index < seen.size(); ++index) seen[index] = std::max(seen[index], found[index]);
    }
    seen.resize(all.size());
    tightness.check(bounds, seen, fmt::format("set {}", set));
    if (interrupts > 0) continue;
    const auto demand = meets_demand(all);
    bool in_time = true;
    for (std::size_t index = 0; index < all.size(); ++index)
      in_time = in_time && bounds[index].response && *bounds[index].response <= all[index].deadline;
    CHECK(demand.value_or(false) == in_time);  // neither says anything of sets that are busy for ever
    feasible += in_time ? 1 : 0;
  }
  INFO(tightness.text());
  CHECK(tightness.violations == 0);
  CHECK(tightness.bounded > 4000);
  CHECK(feasible > 200);
  CHECK(feasible < 2200);
}

TEST_CASE("a periodic resource supplies nothing for twice its gap and then its budget each period") {
  // Shin and Lee's figure of the supply bound function, for (5, 3): nothing up to 4, then 3 of every 5.
  const PeriodicResource resource{ps(5), ps(3), false};
  Values windows;
  for (int work = 1; work <= 6; ++work) windows.push_back(longest_wait_for(resource, ps(work)).picoseconds());
  CHECK(windows == Values{5, 6, 7, 10, 11, 12});
  const PeriodicResource polling{ps(5), ps(3), true};
  CHECK(longest_wait_for(polling, ps(1)) == ps(8));
  // With its budget within 4 of every period: nothing for 2 and 1. If it never waits, for 2, and at once if it is full.
  const PeriodicResource soon{ps(5), ps(3), false, ps(4)}, at_once{ps(5), ps(3), true, ps(3)};
  CHECK(longest_wait_for(soon, ps(1)) == ps(4));
  CHECK(longest_wait_for(soon, ps(4)) == ps(9));
  CHECK(longest_wait_for(at_once, ps(1)) == ps(6));
}

TEST_CASE("tasks within a server wait for its budget") {
  // (10, 4): nothing for 12, then 4 of every 10. C 3: 15. C 3 + 3: 4 by 16, the other 2 from 22: 24.
  const PeriodicResource server{ps(10), ps(4), false};
  const auto bounds = fixed_priority_bounds({task(3, 50, 2), task(3, 50, 1)}, server);
  CHECK(responses(bounds) == Values{15, 24});
  CHECK(sum_of(bounds[1]) == ps(24));
  CHECK(fixed_priority_bounds({task(21, 50, 2)}, server)[0].reason == NoBound::overload);
  CHECK(as_task(server).arrivals.jitter == ps(6));
}

TEST_CASE("no job within a server exceeds its bound for any supply of the budget") {
  Random random(6);
  Tightness tightness;
  for (int set = 0; set < 1500; ++set) {
    auto tasks = random_tasks(random, {});
    PeriodicResource server{ps(between(random, 2, 12)), {}, one_in(random, 2)};
    server.budget = ps(between(random, 1, static_cast<int>(server.period.picoseconds())));
    const std::int64_t most_denied =
        between(random, 0, static_cast<int>((server.period - server.budget).picoseconds()));
    server.response = server.budget + ps(most_denied);
    const auto bounds = fixed_priority_bounds(plain(tasks), server);
    Values seen(tasks.size());
    for (int attempt = 0; attempt < 6; ++attempt) {
      const std::int64_t period = server.period.picoseconds(), budget = server.budget.picoseconds();
      const std::int64_t phase = between(random, 0, static_cast<int>(period) - 1);
      std::int64_t left = 0;
      std::int64_t early = 0;   // whether this period's budget is supplied at its beginning
      std::int64_t denied = 0;  // in this period, since its tasks began to wait
      const auto supply = [&](std::int64_t now, bool idle) {
        const std::int64_t at = (now + phase) % period;
        if (at == 0 || now == 0) {
          left = budget;
          denied = 0;
          early = attempt < 3 ? (now < 40 ? 1 : 0) : between(random, 0, 1);
        }
        // A polling server that finds nothing to do gives its budget away. Until its turn it does not look.
        if (idle) denied = 0;
        const bool turn = early == 1 || period - at <= left || denied == most_denied;
        if (!turn && !idle) ++denied;
        if (idle && (server.polling ? turn : false)) left = 0;
        if (idle || !turn || left == 0) return false;
        --left;
        return true;
      };
      const Values found = simulate(tasks, simulated_ticks, {Policy::fixed, 1000}, attempt < 4, random, supply);
      for (std::size_t index = 0; index < seen.size(); ++index) seen[index] = std::max(seen[index], found[index]);
    }
    tightness.check(bounds, seen, fmt::format("set {}", set));
  }
  INFO(tightness.text());
  CHECK(tightness.violations == 0);
  CHECK(tightness.bounded > 1000);
}

TEST_CASE("global fixed priorities: as many tasks as cores do not delay each other and one more waits") {
  const auto on_two = [](const CpuTask& each) { return GlobalTask{each, {0, 1}}; };
  // c: C 4, with a (T 10, C 3) and b (T 12, C 5) above. R = 4: min(3, 1) + min(5, 1) = 2, half is 1: 5. W_a(5) = 3,
  // W_b(5) = 5, min with 2: 4 / 2 = 2: 6. min with 3: 6 / 2: 7. min with 4: 3 + 4 = 7, 3: 7.
  // b waits for a alone: 5 + min(3, 1) / 2 = 5.
  const auto bounds =
      global_fixed_priority_bounds({on_two(task(3, 10, 3)), on_two(task(5, 12, 2)), on_two(task(4, 20, 1))});
  CHECK(responses(bounds) == Values{3, 5, 7});
  // On one core it is the bound with carry-in: never below that of one core.
  const auto one = global_fixed_priority_bounds({{task(3, 10, 3), {0}}, {task(4, 20, 1), {0}}});
  CHECK(responses(one) == Values{3, 7});
  CHECK(
      !global_fixed_priority_bounds({{task(6, 10, 3), {0}}, {task(4, 10, 2), {0}}, {task(1, 10, 1), {0}}})[2].response);
}

TEST_CASE("global fixed priorities: fewer tasks than cores carry work in") {
  // On one core none does, so the bound is exact: 5 + 2 * 3 + 4, where 4 may follow a response of 7 after 16 - 3.
  const auto on = [](std::vector<std::size_t> cores, std::vector<CpuTask> tasks) {
    std::vector<GlobalTask> placed;
    for (const CpuTask& each : tasks) placed.push_back({each, cores});
    return responses(global_fixed_priority_bounds(placed));
  };
  CHECK(on({0}, {task(3, 10, 3), task(4, 16, 2), task(5, 40, 1)}) == Values{3, 7, 15});
  // On two cores one of C 4 does. W(17): 6 and 6, 4 + 1 without and 8 with what it carries in: 5 + 25 / 2 = 17.
  CHECK(on({0, 1}, {task(3, 10, 5), task(3, 10, 4), task(4, 16, 3), task(4, 16, 2), task(5, 40, 1)}) ==
        Values{3, 3, 7, 9, 17});
  // Of equal priority both may wait for a core that the task itself has: W(19) is 6, 6, 8 and 8.
  CHECK(on({0, 1}, {task(3, 10, 5), task(3, 10, 4), task(4, 16, 3), task(4, 16, 2), task(5, 40, 2)})[4] == 19);
}

TEST_CASE("global fixed priorities: bounds beyond the period and with sections and waiting") {
  // Lehoczky's example on one core: no carry-in, so the bound is exact.
  const auto beyond = global_fixed_priority_bounds({{task(26, 70, 2), {0}}, {task(62, 100, 1), {0}}});
  CHECK(responses(beyond) == Values{26, 118});
  // A section below takes one of two cores at most; two take both, one after the other for as long as both last.
  CpuTask low = task(4, 40, 1), lower = task(4, 40, 0);
  low.sections = lower.sections = {{low.worst, 9}};
  const auto on_two = [](const CpuTask& each) { return GlobalTask{each, {0, 1}}; };
  CHECK(responses(global_fixed_priority_bounds({on_two(task(3, 20, 2)), on_two(low)})) == Values{3, 4});
  CHECK(responses(global_fixed_priority_bounds({on_two(task(3, 20, 2)), on_two(low), on_two(lower)}))[0] == 7);
  // A task that suspends itself leaves its core; one that polls does not.
  CpuTask waiting = task(2, 40, 5);
  waiting.waiting = waiting.worst;
  waiting.waits = 1;
  CHECK(responses(global_fixed_priority_bounds({{waiting, {0}}, {task(3, 40, 1), {0}}})) == Values{4, 5});
  waiting.polls = true;
  waiting.polled = waiting.waiting;
  CHECK(responses(global_fixed_priority_bounds({{waiting, {0}}, {task(3, 40, 1), {0}}})) == Values{4, 7});
}

TEST_CASE("global priorities: a bound exists however little each step of its window adds to work that counts in full") {
  // Each step adds 2 ps to the window of the short one, up to 10 us of the long one.
  const std::int64_t longest = 10'000'000, period = 1'000'000'000;
  for (const bool long_first : {true, false}) {
    std::vector<GlobalTask> of_one{{task(1, period, 1), {0, 1}, 7}, {task(longest, period, 1), {0, 1}, 7}};
    // The cooperative task that it waits for has one core, and the other one does not help.
    std::vector<GlobalTask> of_points{{cooperative(task(1, period, 2), 1, 1), {0, 1}},
                                      {cooperative(task(longest, period, 1), longest, longest), {0, 1}}};
    if (long_first) {
      std::swap(of_one[0], of_one[1]);
      std::swap(of_points[0], of_points[1]);
    }
    for (const auto& bounds : {global_fixed_priority_bounds(of_one), global_fixed_priority_bounds(of_points, {}, true)})
      CHECK(responses(bounds) == Values{longest + 1, longest + 1});
  }
}

TEST_CASE("no job of a random set exceeds its bound under global fixed priorities with affinities") {
  Random random(7);
  Tightness tightness;
  for (int set = 0; set < 1500; ++set) {
    const int cores = between(random, 1, 3), count = between(random, 2, 6), load = between(random, 20, 90);
    std::vector<GlobalTask> tasks;
    for (int index = 0; index < count; ++index) {
      const int period = between(random, 4, 30), budget = std::max(1, period * load * cores / 100 / count);
      GlobalTask drawn{task(between(random, 1, budget), period, between(random, 1, 5)), {}};
      if (one_in(random, 3)) drawn.task.arrivals.jitter = ps(between(random, 0, period / 2));
      for (std::size_t core = 0; core < static_cast<std::size_t>(cores); ++core)
        if (!one_in(random, 4)) drawn.cores.push_back(core);
      if (drawn.cores.empty()) drawn.cores.push_back(0);
      tasks.push_back(drawn);
    }
    const auto bounds = global_fixed_priority_bounds(tasks);
    Values seen(tasks.size());
    for (int attempt = 0; attempt < 6; ++attempt) {
      std::vector<std::vector<std::int64_t>> times;
      for (const GlobalTask& each : tasks)
        times.push_back(releases(each.task.arrivals, simulated_ticks,
                                 attempt < 3 ? std::optional<std::int64_t>(40 + between(random, 0, 6)) : std::nullopt,
                                 random));
      std::vector<std::size_t> next(tasks.size());
      std::vector<std::deque<std::pair<std::int64_t, std::int64_t>>> queues(tasks.size());  // release, left
      for (std::int64_t now = 0; now < simulated_ticks; ++now) {
        for (std::size_t index = 0; index < tasks.size(); ++index)
          for (; next[index] < times[index].size() && times[index][next[index]] <= now; ++next[index])
            queues[index].push_back({times[index][next[index]], tasks[index].task.worst.picoseconds()});
        // By priority, each to a core on which it may run; the task there moves on if it can.
        std::vector<std::size_t> order;
        for (std::size_t index = 0; index < tasks.size(); ++index)
          if (!queues[index].empty()) order.push_back(index);
        std::shuffle(order.begin(), order.end(), random);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return tasks[a].task.priority > tasks[b].task.priority; });
        std::vector<bool> taken(static_cast<std::size_t>(cores));
        for (const std::size_t index : order)
          for (const std::size_t core : tasks[index].cores) {
            if (taken[core]) continue;
            taken[core] = true;
            auto& [release, left] = queues[index].front();
            if (--left == 0) {
              seen[index] = std::max(seen[index], now + 1 - release);
              queues[index].pop_front();
            }
            break;
          }
      }
    }
    tightness.check(bounds, seen, fmt::format("set {}", set));
  }
  INFO(tightness.text());
  CHECK(tightness.violations == 0);
  CHECK(tightness.bounded > 3000);
}

}  // namespace cpu_response_time_test
