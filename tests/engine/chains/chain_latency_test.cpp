// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_latency.hpp"
#include "amalthea/diagnostic.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/chains/chain_search.hpp"
#include "tests/support/system_maker.hpp"

namespace chains_chain_latency_test {

using namespace amalthea;
using test::us;

namespace {

constexpr Duration ms(std::int64_t value) { return Duration::milliseconds(value); }

std::vector<Periodic> synchronous(const std::vector<std::int64_t>& periods_ms) {
  std::vector<Periodic> tasks;
  for (const std::int64_t period : periods_ms) tasks.push_back({ms(period), {}});
  return tasks;
}

std::int64_t in_ms(Duration value) {
  REQUIRE(value.picoseconds() % 1'000'000'000 == 0);
  return value.picoseconds() / 1'000'000'000;
}

// ---------------------------------------------------------------- the oracle

/// What happens to data when every job is played through in time: values are the instants at which the first task read
/// them. Nothing of it is shared with the enumeration.
struct Played {
  std::map<std::int64_t, std::int64_t> outputs;  ///< instant of a write of the last task → what it goes back to
};

Played play(const std::vector<std::pair<std::int64_t, std::int64_t>>& tasks, std::int64_t end) {
  const std::size_t count = tasks.size();
  std::vector<std::optional<std::int64_t>> label(count);    // written by each task
  std::vector<std::optional<std::int64_t>> in_work(count);  // what the running job has read
  Played played;
  for (std::int64_t now = 0; now <= end; ++now) {
    for (std::size_t task = 0; task < count; ++task) {  // writes before reads
      const auto [period, offset] = tasks[task];
      if (now <= offset || (now - offset) % period != 0) continue;
      label[task] = in_work[task];
      if (task + 1 == count && label[task]) played.outputs[now] = *label[task];
    }
    for (std::size_t task = 0; task < count; ++task) {
      const auto [period, offset] = tasks[task];
      if (now < offset || (now - offset) % period != 0) continue;
      in_work[task] = task == 0 ? std::optional(now) : label[task - 1];
    }
  }
  return played;
}

struct Expected {
  std::int64_t reaction = 0, reduced_reaction = 0, age = 0, reduced_age = 0, first_to_first = 0,
               shortest = 1'000'000'000;
};

/// Latencies of what was played, of reads in [0, last_read) and of outputs in [steady, last_read).
Expected observed(const Played& played, std::pair<std::int64_t, std::int64_t> first, std::int64_t steady,
                  std::int64_t last_read) {
  const auto first_showing = [&](std::int64_t read) {
    for (const auto& [written, source] : played.outputs)
      if (source >= read) return written;
    FAIL("played for too short");
    return std::int64_t{0};
  };
  Expected expected;
  for (std::int64_t read = first.second; read < last_read; read += first.first) {
    const std::int64_t output = first_showing(read);
    expected.reduced_reaction = std::max(expected.reduced_reaction, output - read);
    expected.shortest = std::min(expected.shortest, output - read);
    // Just after a read: in time units of which nothing is shorter, the next instant, minus that unit.
    expected.reaction = std::max(expected.reaction, first_showing(read + 1) - read);
  }
  for (auto it = played.outputs.begin(); std::next(it) != played.outputs.end(); ++it) {
    const auto next = std::next(it);
    if (it->first < steady || next->first > last_read) continue;
    expected.reduced_age = std::max(expected.reduced_age, it->first - it->second);
    expected.age = std::max(expected.age, next->first - it->second);
    if (next->second != it->second)
      expected.first_to_first = std::max(expected.first_to_first, next->first - it->second);
  }
  return expected;
}

}  // namespace

// ---------------------------------------------------------------- LET

TEST_CASE("LET chains have the latencies published for WATERS 2019") {
  constexpr std::int64_t lidar = 33, can = 10, localization = 400, ekf = 15, planner = 15, dasm = 5, sfm = 33,
                         lane = 66;
  struct Published {
    std::vector<std::int64_t> periods;
    std::int64_t reduced_reaction, reaction;
  };
  for (const Published& chain :
       {Published{{lidar, localization, ekf, planner, dasm}, 875, 908},
        Published{{can, localization, ekf, planner, dasm}, 845, 855}, Published{{can, ekf, planner, dasm}, 55, 65},
        Published{{sfm, planner, dasm}, 65, 98}, Published{{lane, planner, dasm}, 98, 164}}) {
    const auto latencies = engine::let_latencies(synchronous(chain.periods));
    REQUIRE(latencies);
    CHECK(in_ms(latencies->reduced_reaction) == chain.reduced_reaction);
    CHECK(in_ms(latencies->reaction) == chain.reaction);
  }
}

TEST_CASE("a single task reacts after at most two periods") {
  const auto latencies = engine::let_latencies(synchronous({7}));
  REQUIRE(latencies);
  CHECK(*latencies == engine::LetLatencies{ms(14), ms(7), ms(14), ms(7), ms(14), ms(7)});
}

TEST_CASE("a chain has the latencies of a manual calculation") {
  // A reads at 0, 2, 4 … and writes at 2, 4, 6 …; B reads at 0, 3, 6 … and writes at 3, 6, 9 ….
  // Forward: read 0 → written 2 → read 3 → 6: 6. Read 2 → 4 → 6 → 9: 7. Read 4 → 6 → 6 → 9: 5, and so on every 6.
  // Just after 0 is like 2: 9 - 0 = 9. Just after 2 is like 4: 9 - 2 = 7. Just after 4 is like 6 → 12: 12 - 4 = 8.
  // Backward: B at 3 has what was read at 0, written until 6, overwritten at 9: 6 and 9. B at 6 has 4: 9 - 4 = 5, 8.
  const auto latencies = engine::let_latencies(synchronous({2, 3}));
  REQUIRE(latencies);
  CHECK(*latencies == engine::LetLatencies{ms(9), ms(7), ms(9), ms(6), ms(9), ms(5)});
}

TEST_CASE("offsets change the latencies and late starts are included") {
  // B reads one after A has written: 2 + 1 + 2 always.
  const auto shifted = engine::let_latencies(std::vector<Periodic>{{ms(2), {}}, {ms(2), ms(1)}});
  REQUIRE(shifted);
  CHECK(in_ms(shifted->reduced_reaction) == 5);
  CHECK(in_ms(shifted->reaction) == 7);
  CHECK(in_ms(shifted->shortest) == 5);
  // B begins at 21: the first read of A, at 0, is shown at 23.
  const auto late = engine::let_latencies(std::vector<Periodic>{{ms(2), {}}, {ms(2), ms(21)}});
  REQUIRE(late);
  CHECK(in_ms(late->reduced_reaction) == 23);
  CHECK(in_ms(late->reaction) == 23);
  CHECK(in_ms(late->age) == 7);
}

TEST_CASE("a hyperperiod that is too long to enumerate is reported") {
  const auto primes = engine::let_latencies(std::vector<Periodic>{{Duration::picoseconds(999'999'999'989), {}},
                                                                  {Duration::picoseconds(999'999'999'961), {}},
                                                                  {Duration::picoseconds(7), {}}});
  REQUIRE_FALSE(primes);
  CHECK(primes.error() == "the hyperperiod of the tasks in the chain is too long");
  const auto many = engine::let_latencies(
      std::vector<Periodic>{{Duration::picoseconds(1'000'000'007), {}}, {Duration::picoseconds(999), {}}});
  CHECK_FALSE(many);
}

TEST_CASE("the enumeration agrees with a simulation of every job for random chains") {
  std::mt19937 random(20190701);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  constexpr int periods[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20};
  for (int round = 0; round < 400; ++round) {
    std::vector<std::pair<std::int64_t, std::int64_t>> tasks;
    std::vector<Periodic> same;
    std::int64_t hyperperiod = 1, way = 0, begun = 0;
    for (int task = between(1, 5); task > 0; --task) {
      const std::int64_t period = periods[between(0, 10)];
      // Every fourth chain may begin late.
      const std::int64_t offset = round % 4 == 0 ? between(0, 40) : between(0, static_cast<int>(period) - 1);
      tasks.emplace_back(period, offset);
      same.push_back({us(period), us(offset)});
      hyperperiod = std::lcm(hyperperiod, period);
      way += 2 * period;
      begun = std::max(begun, offset);
    }
    const std::int64_t steady = begun + way, last_read = steady + 2 * hyperperiod;
    const Played played = play(tasks, last_read + steady + way);
    const Expected expected = observed(played, tasks.front(), steady, last_read);
    const auto latencies = engine::let_latencies(same);
    REQUIRE(latencies);
    INFO("round " << round);
    CHECK(latencies->reaction == us(expected.reaction));
    CHECK(latencies->reduced_reaction == us(expected.reduced_reaction));
    CHECK(latencies->age == us(expected.age));
    CHECK(latencies->reduced_age == us(expected.reduced_age));
    CHECK(latencies->first_to_first == us(expected.first_to_first));
    CHECK(latencies->shortest == us(expected.shortest));
    // Reaction time and data age are equal where nothing begins late (Günzel et al., ECRTS 2023).
    if (round % 4 != 0) {
      CHECK(latencies->reaction == latencies->age);
      CHECK(latencies->reaction == latencies->first_to_first);
      CHECK(latencies->reaction - same.front().period == latencies->reduced_reaction);
      CHECK(latencies->age - same.back().period == latencies->reduced_age);
    }
  }
}

// ---------------------------------------------------------------- bounds

TEST_CASE("bounds under implicit communication are sums of periods and response times") {
  const std::vector<engine::BoundedTask> tasks = {{ms(10), ms(3)}, {ms(20), ms(12)}, {ms(5), ms(1)}};
  CHECK(engine::latency_bounds(tasks) == engine::LatencyBounds{ms(51), ms(41), ms(51), ms(46)});
  // Data that is read at 0 waits at most until 70 for the first job of the second task.
  const std::vector<engine::BoundedTask> late = {
      {ms(10), ms(3)}, {ms(20), ms(12), false, false, ms(70)}, {ms(5), ms(1)}};
  std::vector<engine::ChainStep> steps;
  CHECK(engine::latency_bounds(late, &steps) == engine::LatencyBounds{ms(88), ms(88), ms(51), ms(46)});
  CHECK(steps == std::vector<engine::ChainStep>{{ms(10), ms(3)}, {ms(57), ms(12)}, {ms(5), ms(1)}});
  // The end of the first activates the second: there is nothing to wait for.
  const std::vector<engine::BoundedTask> row = {
      {ms(10), ms(3)}, {ms(10), ms(12), false, false, {}, true}, {ms(5), ms(1)}};
  CHECK(engine::latency_bounds(row, &steps) == engine::LatencyBounds{ms(31), ms(21), ms(31), ms(26)});
  CHECK(steps == std::vector<engine::ChainStep>{{ms(10), ms(3)}, {ms(0), ms(12)}, {ms(5), ms(1)}});
}

TEST_CASE("no random execution under implicit or explicit communication exceeds its bound") {
  std::mt19937 random(20090819);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  constexpr std::int64_t periods[] = {2, 3, 4, 5, 6, 10, 15};
  std::int64_t tightest = 1'000'000;
  for (int round = 0; round < 600; ++round) {
    // Every job reads and writes somewhere between its release and its response bound; jobs of a task do not overtake.
    const std::size_t count = static_cast<std::size_t>(between(1, 4));
    const bool implicit = round % 2 == 0;
    constexpr std::int64_t end = 400;
    struct Job {
      std::int64_t read, write;
    };
    std::vector<engine::BoundedTask> bounded;
    std::vector<std::vector<Job>> jobs(count);
    for (std::size_t task = 0; task < count; ++task) {
      const std::int64_t period = periods[between(0, 6)], response = between(1, period);
      const std::int64_t offset = between(0, 2 * period - 1);
      const bool writes_first = !implicit && task > 0 && task + 1 < count && between(0, 2) == 0;
      const bool follows = task > 0 && between(0, 2) == 0;
      // Each release up to `jitter` late: the longest distance is longer.
      const std::int64_t jitter = round % 3 == 0 ? between(0, 3) : 0;
      if (follows)
        bounded.push_back({bounded.back().period, us(response), writes_first, false, bounded.back().offset, true});
      else
        bounded.push_back({us(period + jitter), us(response), writes_first, false, us(offset + jitter)});
      std::vector<std::int64_t> releases;
      if (follows)  // at the ends of the jobs before
        for (const Job& job : jobs[task - 1]) releases.push_back(std::max(job.read, job.write));
      else
        for (std::int64_t at = offset; at < end; at += period) releases.push_back(at + between(0, jitter));
      std::int64_t last = 0;
      for (const std::int64_t release : releases) {
        std::int64_t early = std::max(last, release + between(0, response));
        std::int64_t late = std::max(last, release + between(0, response));
        if (early > late) std::swap(early, late);
        last = late;
        jobs[task].push_back(writes_first ? Job{late, early} : Job{early, late});
      }
    }
    const auto bound = engine::latency_bounds(bounded);
    // Forward from every read of the first task, for as long as there are jobs.
    for (std::size_t job = 0; job + 1 < jobs[0].size(); ++job) {
      const auto output = [&](std::size_t from) -> std::optional<std::int64_t> {
        std::int64_t written = jobs[0][from].write;
        for (std::size_t task = 1; task < count; ++task) {
          const auto& list = jobs[task];
          const auto reader =
              std::find_if(list.begin(), list.end(), [&](const Job& other) { return other.read >= written; });
          if (reader == list.end()) return std::nullopt;
          if (reader->write >= reader->read && !bounded[task].writes_first)
            written = reader->write;
          else if (std::next(reader) != list.end())
            written = std::next(reader)->write;  // its own write came before the read
          else
            return std::nullopt;
        }
        return written;
      };
      const auto now = output(job), next = output(job + 1);
      if (!now || !next) break;
      CHECK(us(*now - jobs[0][job].read) <= bound.reduced_reaction);
      CHECK(us(*next - jobs[0][job].read) <= bound.reaction);
      tightest = std::min(tightest, (bound.reaction - us(*next - jobs[0][job].read)).picoseconds() / 1'000'000);
    }
    // Backward from every job of the last task: the latest source that can be in what it writes.
    for (std::size_t job = 0; job + 1 < jobs[count - 1].size(); ++job) {
      std::size_t at = job;
      std::int64_t read = jobs[count - 1][job].read;
      bool complete = true;
      for (std::size_t task = count - 1; complete && task > 0; --task) {
        if (bounded[task].writes_first) {
          complete = at > 0;
          if (!complete) break;
          read = jobs[task][--at].read;
        }
        const auto& list = jobs[task - 1];
        const auto after = std::find_if(list.begin(), list.end(), [&](const Job& other) { return other.write > read; });
        complete = after != list.begin();
        if (!complete) break;
        at = static_cast<std::size_t>(after - list.begin()) - 1;
        read = list[at].read;
      }
      if (!complete) continue;
      CHECK(us(jobs[count - 1][job].write - read) <= bound.reduced_age);
      CHECK(us(jobs[count - 1][job + 1].write - read) <= bound.age);
    }
  }
  CHECK(tightest <= 1);  // the bounds are not far from what happens
}

// ---------------------------------------------------------------- of systems

namespace {

/// Writes on one task, reads on another, with the data edge that the importer makes.
struct ChainMaker : test::SystemMaker {
  TaskIndex periodic_task(const std::string& name, std::int64_t period, std::int64_t offset = 0) {
    if (units == 0) unit = core("core"), units = 1;
    return task(name, unit, 1, periodic(period, offset));
  }
  System with_labels(const std::vector<std::pair<TaskIndex, TaskIndex>>& flows) {
    for (std::size_t label = 0; label < flows.size(); ++label) {
      add(flows[label].second, ReadLabel{static_cast<LabelIndex>(label)});
    }
    for (std::size_t label = 0; label < flows.size(); ++label)
      add(flows[label].first, WriteLabel{static_cast<LabelIndex>(label)});
    System system = build();
    for (std::size_t label = 0; label < flows.size(); ++label) {
      system.labels.push_back({"label" + std::to_string(label), DataSize{4}, std::nullopt, LabelSide::host, {}});
      NodeIndex from = 0, to = 0;
      for (NodeIndex node = 0; node < system.graph.size(); ++node) {
        const auto* write = std::get_if<WriteLabel>(&system.graph[node].activity);
        const auto* read = std::get_if<ReadLabel>(&system.graph[node].activity);
        if (write != nullptr && write->label == label) from = node;
        if (read != nullptr && read->label == label) to = node;
      }
      system.graph.connect(from, to, GraphEdge{EdgeKind::data, system.labels[label].name});
    }
    return system;
  }
  UnitIndex unit = 0;
  int units = 0;
};

std::vector<std::string> names_of(const std::vector<Chain>& chains) {
  std::vector<std::string> names;
  for (const Chain& chain : chains) names.push_back(chain.name);
  return names;
}

/// Bounds of tasks whose jobs do not overlap.
std::vector<engine::Bound> bounds(const std::vector<std::optional<Duration>>& responses) {
  std::vector<engine::Bound> all(responses.size());
  for (std::size_t task = 0; task < all.size(); ++task) {
    all[task].worst = responses[task];
    all[task].pending = 1;
  }
  return all;
}

}  // namespace

TEST_CASE("a chain has bounds if response times are known and otherwise states what is missing") {
  ChainMaker maker;
  const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 20);
  System system = maker.with_labels({{a, b}});
  system.chains.push_back({"c", {a, b}, {}, Chain::Source::model, {}});

  const auto none = engine::chain_latencies(system, {});
  REQUIRE(none.size() == 1);
  CHECK(none[0].implicit_reason == "no bounds on response times are computed");
  CHECK_FALSE(none[0].implicit);
  REQUIRE(none[0].let);
  CHECK(none[0].let->reduced_reaction == us(40));
  CHECK(none[0].let->reduced_age == us(30));

  const auto half = engine::chain_latencies(system, bounds({us(4), std::nullopt}));
  CHECK(half[0].implicit_reason == "the response time of task \"b\" has no bound");

  const auto known = engine::chain_latencies(system, bounds({us(4), us(6)}));
  REQUIRE(known[0].implicit);
  CHECK(*known[0].implicit == engine::LatencyBounds{us(40), us(30), us(40), us(20)});
}

TEST_CASE("the response time of a task does not count if it precedes the next one on its core") {
  ChainMaker maker;
  const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 20);
  maker[a].priority = 2;
  maker[b].priority = 1;
  const std::vector<engine::Bound> responses = bounds({us(4), us(6)});
  const auto reaction = [&] {
    System system = maker.with_labels({{a, b}});
    system.chains.push_back({"c", {a, b}, {}, Chain::Source::model, {}});
    const auto results = engine::chain_latencies(system, responses);
    REQUIRE(results[0].implicit);
    const auto& steps = results[0].implicit_steps;
    CHECK(steps[0].wait + steps[0].run + steps[1].wait + steps[1].run == results[0].implicit->reaction);
    CHECK(results[0].implicit->reduced_age == results[0].implicit->age - us(20));
    return results[0].implicit->reaction;
  };
  SECTION("under fixed priorities") { CHECK(reaction() == us(10 + 20 + 6)); }
  SECTION("but if it has the same priority") {
    maker[b].priority = 2;
    CHECK(reaction() == us(10 + 4 + 20 + 6));
  }
  SECTION("but under deadlines") {
    for (Scheduler& scheduler : maker.system().platform.schedulers)
      scheduler.kind = SchedulingAlgorithm::earliest_deadline_first;
    CHECK(reaction() == us(10 + 4 + 20 + 6));
  }
  SECTION("but if it waits and leaves the core") {
    maker.wait(a, maker.event("event"), false);
    CHECK(reaction() == us(10 + 4 + 20 + 6));
  }
}

TEST_CASE("a task that writes before it reads delays data by one job under explicit communication") {
  ChainMaker maker;
  const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 10), c = maker.periodic_task("c", 10);
  maker.add(b, WriteLabel{1});  // before the read of label 0 that with_labels adds
  System system = maker.with_labels({{a, b}, {b, c}});
  system.chains.push_back({"c", {a, b, c}, {}, Chain::Source::model, {}});
  const auto results = engine::chain_latencies(system, bounds({us(2), us(2), us(2)}));
  REQUIRE(results[0].implicit);
  REQUIRE(results[0].explicit_access);
  CHECK(results[0].implicit->reaction == us(36));
  CHECK(results[0].explicit_access->reaction == us(46));
}

TEST_CASE("a chain along a row of triggers costs the responses of the row if each trigger is the last action") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core"), other = maker.core("other");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex first = maker.task("first", core, 1, maker.periodic(80));
  const TaskIndex second = maker.task("second", other, 2, request);
  maker.compute(first, 1);
  maker.compute(second, 1);
  const auto bound = [&] {
    System system = maker.build();
    system.chains = {{"c", {first, second}, {}, Chain::Source::model, {}}};
    const auto results = engine::chain_latencies(system, bounds({us(9), us(4), us(1)}));
    REQUIRE(results.front().implicit);
    CHECK(results.front().explicit_access == results.front().implicit);
    return *results.front().implicit;
  };
  const engine::LatencyBounds row{us(80 + 9 + 4), us(9 + 4), us(80 + 9 + 4), us(9 + 4)};
  const engine::LatencyBounds apart{us(2 * 80 + 9 + 13), us(80 + 9 + 13), us(2 * 80 + 9 + 13), us(80 + 9 + 13)};
  SECTION("last") {
    maker.trigger(first, request);
    CHECK(bound() == row);
  }
  SECTION("but if the second one is on a GPU, which may start it before the first one ends") {
    maker.trigger(first, request);
    maker[second].side = Side::device;
    CHECK(bound() == apart);
  }
  SECTION("but if something follows it") {
    maker.trigger(first, request);
    maker.compute(first, 1);
    CHECK(bound() == apart);
  }
  SECTION("last, although another task of the core is less urgent") {
    maker.trigger(first, request);
    maker.compute(maker.task("below", core, 0, maker.periodic(80)), 1);
    CHECK(bound() == row);
  }
  SECTION("but if a more urgent task may preempt the first one before its end") {
    maker.trigger(first, request);
    maker.compute(maker.task("above", core, 2, maker.periodic(80)), 1);
    CHECK(bound() == apart);
  }
  SECTION("but if the end of the task takes time") {
    maker.trigger(first, request);
    maker.system().platform.schedulers[maker[first].scheduler].overhead = OverheadTicks{};
    CHECK(bound() == row);
    maker.system().platform.schedulers[maker[first].scheduler].overhead->terminate_task = Ticks{};
    CHECK(bound() == apart);
  }
}

TEST_CASE("a chain of tasks whose releases have jitter has bounds, and none under LET") {
  ChainMaker maker;
  const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 20);
  System system = maker.with_labels({{a, b}});
  system.chains.push_back({"c", {a, b}, {}, Chain::Source::model, {}});
  const auto occurrence = [&](TaskIndex task) -> Periodic& {
    for (Stimulus& stimulus : system.stimuli)
      if (stimulus.activates == std::vector<TaskIndex>{task}) return std::get<Periodic>(stimulus.occurrence);
    throw std::logic_error("no stimulus");
  };
  occurrence(b).jitter.upper = us(3).picoseconds();
  auto results = engine::chain_latencies(system, bounds({us(4), us(6)}));
  REQUIRE(results[0].implicit);
  CHECK(*results[0].implicit == engine::LatencyBounds{us(43), us(33), us(43), us(20)});
  CHECK(results[0].coverage.complete());
  CHECK_FALSE(results[0].let);
  // A first release after more than a period: the bound holds for offsets up to this one.
  occurrence(b).offset = us(50);
  results = engine::chain_latencies(system, bounds({us(4), us(6)}));
  CHECK(results[0].implicit->reduced_reaction == us(4 + 53 + 6));
  CHECK(results[0].coverage.offsets == engine::Coverage::Offsets::up_to_period);
}

TEST_CASE("a wrapper and its triggered function are one step under LET") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("gpu");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex wrapper = maker.task("wrapper", core, 1, maker.periodic(33));
  const TaskIndex function = maker.task("function", gpu, 1, request);
  const TaskIndex reader = maker.task("reader", core, 2, maker.periodic(15));
  maker.kernel(function, 1);
  maker.offload(wrapper, function, request, 1, 1, false);
  maker.compute(reader, 1);
  System system = maker.build();
  test::pass_data(system, {function, reader});
  test::pass_data(system, {wrapper, reader});
  for (const std::vector<TaskIndex>& tasks :
       {std::vector{wrapper, function, reader}, {function, reader}, {wrapper, reader}})
    system.chains.push_back({"c", tasks, {}, Chain::Source::model, {}});
  const auto results = engine::chain_latencies(system, bounds({us(9), us(4), us(2)}));
  for (const auto& result : results) {
    REQUIRE(result.let);
    CHECK(result.let->reduced_reaction == us(33 + 12 + 15));
  }
  // The wrapper waits for the function, which does nothing more after its event: it is done when the wrapper is.
  REQUIRE(results[1].implicit);
  CHECK(results[1].implicit->reaction == us(33 + 9 + 15 + 2));
}

TEST_CASE("what a triggered task writes is read in the next interval of its trigger under LET, unless it is awaited") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex first = maker.task("first", core, 1, maker.periodic(80));
  const TaskIndex triggered = maker.task("triggered", core, 2, request);
  const TaskIndex beside = maker.task("beside", core, 3, request);
  maker.compute(first, 1);
  maker.trigger(first, request);
  maker.compute(triggered, 1);
  maker.compute(beside, 1);
  System system = maker.build();
  const auto reduced_reaction = [&](const std::vector<TaskIndex>& tasks) {
    System of_chain = system;
    test::pass_data(of_chain, tasks);
    of_chain.chains = {{"c", tasks, {}, Chain::Source::model, {}}};
    return engine::chain_latencies(of_chain, bounds({us(9), us(4), us(4)})).front().let.value().reduced_reaction;
  };
  CHECK(reduced_reaction({first, triggered}) == us(80));
  CHECK(reduced_reaction({triggered, first}) == us(160));
  CHECK(reduced_reaction({triggered, beside}) == us(160));
}

TEST_CASE("a chain of task names is parsed and errors are reported") {
  ChainMaker maker;
  const TaskIndex a = maker.periodic_task("Alpha", 10), b = maker.periodic_task("Beta", 10);
  maker.periodic_task("Gamma", 10);
  System system = maker.with_labels({{a, b}});
  const auto chain = engine::parse_chain(system, " Alpha ->Beta->Alpha");
  REQUIRE(chain);
  CHECK(chain->tasks == std::vector<TaskIndex>{a, b, a});
  CHECK(chain->name == "Alpha->Beta->Alpha");
  const auto error = [&](const char* text) { return engine::parse_chain(system, text).error(); };
  CHECK(error("Alpha->Bets") == "there is no task \"Bets\"; did you mean \"Beta\"?");
  CHECK(error("alpha->Beta") == "there is no task \"alpha\"; did you mean \"Alpha\"?");
  CHECK(error("") == "expected task names with -> between them, such as A->B->C");
  CHECK(error("Alpha->") == "expected task names with -> between them, such as A->B->C");
  CHECK(error("Alpha->Alpha") == "task \"Alpha\" follows itself");
  system.tasks[b].name = "Alpha";
  CHECK(error("Alpha") == "several tasks are named \"Alpha\"; rename all but one");

  Diagnostics diagnostics;
  engine::report_gaps(system, *chain, diagnostics);
  CHECK(diagnostics.all().size() == 1);  // nothing leads back
}

TEST_CASE("chains along labels are maximal and without repeated tasks in model order") {
  {
    ChainMaker maker;
    const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 10),
                    c = maker.periodic_task("c", 10), d = maker.periodic_task("d", 10);
    maker.periodic_task("alone", 10);
    System system = maker.with_labels({{a, b}, {b, c}, {a, c}, {d, c}});
    const auto found = engine::derive_chains(system, 100);
    CHECK(found.complete);
    CHECK(names_of(found.chains) == std::vector<std::string>{"a->b->c", "a->c", "d->c"});
    // What the model has already is not found again.
    system.chains.push_back({"mine", {a, c}, {}, Chain::Source::model, {}});
    CHECK(names_of(engine::derive_chains(system, 100).chains) == std::vector<std::string>{"a->b->c", "d->c"});
    const auto cut = engine::derive_chains(system, 1);
    CHECK_FALSE(cut.complete);
    CHECK(cut.chains.size() == 1);
  }
  {
    // In a circle every task may be the first.
    ChainMaker maker;
    const TaskIndex a = maker.periodic_task("a", 10), b = maker.periodic_task("b", 10),
                    c = maker.periodic_task("c", 10);
    const auto found = engine::derive_chains(maker.with_labels({{a, b}, {b, c}, {c, a}}), 100);
    CHECK(names_of(found.chains) == std::vector<std::string>{"a->b->c", "b->c->a", "c->a->b"});
  }
}

TEST_CASE("a chain search terminates in a fully connected system") {
  ChainMaker maker;
  std::vector<TaskIndex> tasks;
  for (int i = 0; i < 25; ++i) tasks.push_back(maker.periodic_task("t" + std::to_string(i), 10));
  std::vector<std::pair<TaskIndex, TaskIndex>> flows;
  for (const TaskIndex from : tasks)
    for (const TaskIndex to : tasks)
      if (from != to) flows.emplace_back(from, to);
  const auto found = engine::derive_chains(maker.with_labels(flows), 100);
  CHECK_FALSE(found.complete);
  CHECK(found.chains.size() == 100);
}

}  // namespace chains_chain_latency_test
