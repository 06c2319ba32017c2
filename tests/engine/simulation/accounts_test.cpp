// SPDX-License-Identifier: Apache-2.0
// The simulation's account of the longest job, compared with a naive account that adds up everything as it happens.

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/random_system.hpp"
#include "tests/support/thoroughness.hpp"

namespace {

using namespace amalthea;
using namespace amalthea::engine;

/// Adds up the parts of every job from the reported intervals.
class NaiveAccount final : public SimulationObserver {
 public:
  explicit NaiveAccount(const SimulationInput& input) : input_(input), of_(input.system.tasks.size()) {}

  void interval(const Interval& reported) override {
    Account& account = of_[reported.task];
    const Duration time = reported.to - reported.from;
    if (!account.begun) account.waited = reported.from - reported.release;
    account.begun = true;
    const Reason& reason = reported.standing.reason;
    const bool operation = reason.kind == ContributionKind::kernel || reason.kind == ContributionKind::copy;
    if (operation && reason.by) {
      const Duration own = scale(time, 1'000'000, reason.slowdown.ppm, Rounding::down);
      add(account, reason.kind, std::nullopt, own);
      add(account, ContributionKind::interference, reason.by, time - own);
    } else {
      add(account, reason.kind, operation ? std::nullopt : reason.by, time);
    }
  }
  void completed(TaskIndex task, std::uint64_t, Instant release, Instant now) override {
    Account account = std::exchange(of_[task], {});
    if (!(release < Instant::at(input_.until))) return;
    if (const auto longest = longest_.find(task); longest != longest_.end() && now - release <= longest->second.first)
      return;
    std::vector<Contribution> parts;
    const Duration waited = account.begun ? account.waited : now - release;
    if (!waited.is_zero()) parts.push_back({ContributionKind::backlog, task, waited});
    parts.insert(parts.end(), account.parts.begin(), account.parts.end());
    longest_.insert_or_assign(task, std::pair(now - release, std::move(parts)));
  }

  std::vector<Contribution> longest(TaskIndex task) const {
    const auto found = longest_.find(task);
    return found == longest_.end() ? std::vector<Contribution>{} : found->second.second;
  }

 private:
  struct Account {
    bool begun = false;
    Duration waited;
    std::vector<Contribution> parts;
  };
  static void add(Account& account, ContributionKind kind, std::optional<TaskIndex> by, Duration time) {
    if (time.is_zero()) return;
    for (Contribution& part : account.parts)
      if (part.kind == kind && part.by == by) {
        part.time += time;
        return;
      }
    account.parts.push_back({kind, by, time});
  }

  const SimulationInput& input_;
  std::vector<Account> of_;
  std::map<TaskIndex, std::pair<Duration, std::vector<Contribution>>> longest_;
};

/// What of it is rounded for every stretch of its own, and so depends on where an observer cuts it.
bool is_rounded(const std::vector<Contribution>& parts) {
  for (const Contribution& part : parts)
    if (part.kind == ContributionKind::interference) return true;
  return false;
}

/// All intervals, and those of an observer that wants some of them.
class Watcher final : public SimulationObserver {
 public:
  Watcher(Instant from, Instant to, TaskIndex divisor) : from_(from), to_(to), divisor_(divisor) {}

  bool wants_intervals_after(Instant now) const override { return from_ <= now && now < to_; }
  bool wants_obstacles_of(TaskIndex task) const override { return task % divisor_ == 0; }
  void interval(const Interval& interval) override { all_.push_back(interval); }

  /// What is in [from, to), of one task: adjacent pieces of the same standing are one.
  std::vector<Interval> within(TaskIndex task, Instant from, Instant to) const {
    std::vector<Interval> found;
    for (Interval interval : all_) {
      interval.from = std::max(interval.from, from);
      interval.to = std::min(interval.to, to);
      if (interval.task != task || interval.from >= interval.to) continue;
      if (!found.empty() && found.back().to == interval.from && found.back().job == interval.job &&
          found.back().standing == interval.standing && found.back().unit == interval.unit &&
          found.back().node == interval.node)
        found.back().to = interval.to;
      else
        found.push_back(interval);
    }
    return found;
  }

 private:
  Instant from_, to_;
  TaskIndex divisor_;
  std::vector<Interval> all_;
};

std::vector<const DeviceProfile*> devices_of(const test::RandomSystem& random) {
  std::vector<const DeviceProfile*> devices;
  for (const ProcessingUnit& unit : random.system.platform.units)
    devices.push_back(unit.type == PuType::gpu ? &random.profile : nullptr);
  return devices;
}

bool is_kept_from_core(const Interval& interval) {
  return interval.standing.state == ProcessState::active || interval.standing.state == ProcessState::ready;
}

}  // namespace

TEST_CASE("an observer that wants some intervals gets these as they are, and changes no result") {
  const int systems = test::is_thorough() ? 1000 : 100;
  test::PairedSystems drawn(272);
  std::size_t compared = 0, without = 0;
  for (int number = 0; number < systems; ++number) {
    const test::RandomSystem random = drawn.next();
    const System& system = random.system;
    const std::vector<const DeviceProfile*> devices = devices_of(random);
    const auto programs = compile_programs(system, Execution::worst, devices);
    const auto periods = periods_of(system);
    SimulationInput input{system, programs, devices, Duration::microseconds(1000), Duration::microseconds(500),
                          periods};
    const Instant from = Instant::at(Duration::microseconds(100 + number)), to = from + Duration::microseconds(300);
    Watcher all(Instant{}, Instant::never(), 1), some(from, to, 2);
    Results with_all, with_some;
    input.observer = &all;
    simulate(input, with_all);
    input.observer = &some;
    simulate(input, with_some);
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      INFO("system " << number << ", task " << task);
      CHECK(with_all.tasks[task].response.max == with_some.tasks[task].response.max);
      const auto& parts = with_all.tasks[task].contributions;
      if (!is_rounded(parts)) {
        REQUIRE(parts.size() == with_some.tasks[task].contributions.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
          CHECK(parts[i].time == with_some.tasks[task].contributions[i].time);
      }
      // An interval begins where the answer changes, which is at an instant with an event.
      const auto expected = all.within(task, from, to);
      // What has not ended when the simulation ends is in neither, unless the end of the window has cut it.
      const auto ended = all.within(task, Instant{}, to);
      const auto found = some.within(task, Instant{}, ended.empty() ? Instant{} : ended.back().to);
      const Instant begun = found.empty() ? to : found.front().from;
      std::vector<Interval> same, got;
      for (const Interval& interval : all.within(task, begun, to))
        if (task % 2 == 0 || !is_kept_from_core(interval)) same.push_back(interval);
      for (const Interval& interval : found)
        if (task % 2 == 0 || !is_kept_from_core(interval)) got.push_back(interval);
      without += found.size() - got.size();
      REQUIRE(got.size() == same.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(got[i].from == same[i].from);
        CHECK(got[i].to == same[i].to);
        CHECK(got[i].standing == same[i].standing);
        CHECK(got[i].unit == same[i].unit);
        CHECK(got[i].node == same[i].node);
        ++compared;
      }
      // Nothing is left out but what lies before the first event.
      for (const Interval& interval : expected)
        if (interval.from > from) CHECK(begun <= interval.to);
    }
  }
  CHECK(compared > 500);
  CHECK(without > 10);
}

TEST_CASE("the parts of the longest job match a naive account of every job") {
  const int systems = test::is_thorough() ? 4000 : 400;
  test::PairedSystems drawn(271);
  std::uint64_t compared = 0, waited = 0;
  for (int number = 0; number < systems; ++number) {
    const test::RandomSystem random = drawn.next();
    const System& system = random.system;
    const std::vector<const DeviceProfile*> devices = devices_of(random);
    for (const Execution execution : {Execution::worst, Execution::random}) {
      const auto programs = compile_programs(system, execution, devices);
      const auto periods = periods_of(system);
      SimulationInput input{system,
                            programs,
                            devices,
                            Duration::microseconds(1000),
                            Duration::microseconds(500),
                            periods,
                            execution,
                            static_cast<std::uint64_t>(number)};
      Results unwatched;
      simulate(input, unwatched);
      NaiveAccount naive(input);
      input.observer = &naive;
      Results watched;
      simulate(input, watched);
      for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
        const auto& parts = unwatched.tasks[task].contributions;
        const auto& expected = naive.longest(task);
        if (is_rounded(expected)) continue;
        INFO("system " << number << ", task " << task);
        REQUIRE(parts.size() == expected.size());
        for (std::size_t i = 0; i < parts.size(); ++i) {
          CHECK(parts[i].kind == expected[i].kind);
          CHECK(parts[i].by == expected[i].by);
          CHECK(parts[i].time == expected[i].time);
          if (parts[i].kind == ContributionKind::preemption || parts[i].kind == ContributionKind::blocking) ++waited;
        }
        ++compared;
      }
    }
  }
  CHECK(compared > 1000);
  CHECK(waited > 1000);
}
