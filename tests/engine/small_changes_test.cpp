// SPDX-License-Identifier: Apache-2.0
// Single changes of a system, and the search for one that repairs a deadline.

#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/small_changes.hpp"
#include "engine/what_if.hpp"
#include "tests/support/system_maker.hpp"

namespace small_changes_test {

using namespace amalthea;
using namespace amalthea::engine;
using test::us;

namespace {

AnalysisOptions options_for(Duration until) {
  AnalysisOptions options;
  options.until = until;
  return options;
}

WhatIfs tried_for(const System& system, TaskIndex task, std::vector<std::vector<UnitIndex>> allowed = {}) {
  const AnalysisOptions options = options_for(us(120000));
  Diagnostics diagnostics;
  const Results results = analyze(system, options, diagnostics).value();
  if (allowed.empty()) allowed.assign(system.tasks.size(), {0});
  return what_if(system, options, results, allowed, task);
}

const WhatIf* of_kind(const WhatIfs& tried, ChangeKind kind) {
  const auto found =
      std::find_if(tried.tried.begin(), tried.tried.end(), [&](const WhatIf& one) { return one.kind == kind; });
  return found == tried.tried.end() ? nullptr : &*found;
}

bool says(const WhatIfs& tried, const std::string& words) {
  return std::any_of(tried.in_vain.begin(), tried.in_vain.end(),
                     [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

/// Periods and deadlines 10 ms and 20 ms; `fast` has the lower priority.
struct Inverted {
  test::SystemMaker maker;
  TaskIndex fast = 0, slow = 0;
  explicit Inverted(std::int64_t fast_ticks, std::int64_t slow_ticks, std::int64_t slow_deadline = 20000) {
    const UnitIndex core = maker.core("core");
    fast = maker.task("fast", core, 1, maker.periodic(10000));
    slow = maker.task("slow", core, 2, maker.periodic(20000));
    maker.compute(fast, fast_ticks);
    maker.compute(slow, slow_ticks);
    maker[fast].deadline = us(10000);
    maker[slow].deadline = us(slow_deadline);
  }
};

bool ascends(const std::vector<std::int64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

std::size_t differing(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) ++count;
  return count;
}

/// The fewest values that must change until a sequence ascends: every choice of kept ones, with room for the others.
std::size_t fewest_changes(const std::vector<std::int64_t>& present) {
  std::size_t fewest = present.size();
  for (std::size_t kept = 0; kept < std::size_t{1} << present.size(); ++kept) {
    std::int64_t last = 0;
    std::size_t at = 0, changed = 0;
    bool fits = true;
    for (std::size_t i = 0; i < present.size(); ++i) {
      if ((kept >> i & 1) == 0) {
        ++changed;
        continue;
      }
      // Before the first kept one, 1 is the lowest value.
      const auto between = static_cast<std::int64_t>(i - at);
      fits = fits && present[i] - last > between;
      last = present[i];
      at = i + 1;
    }
    if (fits) fewest = std::min(fewest, changed);
  }
  return fewest;
}

}  // namespace

TEST_CASE("fewer ticks change no kernel whose time follows from instructions") {
  test::SystemMaker make;
  const UnitIndex gpu = make.gpu("GPU");
  const TaskIndex task = make.task("device", gpu, 0, make.periodic(1'000));
  make.kernel(task, 100);
  make.kernel(task, 100);
  System system = make.build();
  const auto kernel = [&](NodeIndex node) -> Kernel& { return std::get<Kernel>(system.graph[node].activity); };
  kernel(1).instructions = KernelInstructions{"fp32:100", 1, {}};
  scale_ticks(system, task, 50);
  CHECK(kernel(0).ticks->otherwise->upper == 50);
  CHECK(kernel(1).ticks->otherwise->upper == 100);
}

TEST_CASE("priorities: as many as possible stay in every order") {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 3000; ++repeat) {
    std::vector<std::int64_t> present(std::uniform_int_distribution<std::size_t>(1, 7)(random));
    for (std::int64_t& value : present) value = std::uniform_int_distribution<std::int64_t>(1, 12)(random);
    const std::vector<std::int64_t> values = ascending_priorities(present);
    CAPTURE(present, values);
    REQUIRE(values.size() == present.size());
    CHECK(ascends(values));
    CHECK(values.front() >= 1);
    CHECK(differing(values, present) == fewest_changes(present));
  }
  CHECK(ascending_priorities({}).empty());
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(ascends(ascending_priorities({largest, largest, 1})));
}

TEST_CASE("what if: a higher priority repairs an inverted order and is the smallest change") {
  const Inverted inverted(4000, 8000);  // slow, fast: 8 + 4 > 10
  const WhatIfs tried = tried_for(test::SystemMaker(inverted.maker).build(), inverted.fast);
  REQUIRE(tried.smallest);
  const WhatIf& smallest = tried.tried[*tried.smallest];
  CHECK(smallest.kind == ChangeKind::priority);
  CHECK(smallest.change == "with priority 3 instead of 1");
  CHECK(smallest.values == 1);
  CHECK(smallest.result.guaranteed == true);
  CHECK(smallest.late.empty());
  CHECK(says(tried, "No other core can run fast"));
}

TEST_CASE("what if: the fewest per cent of ticks are found to one per cent") {
  // Even alone, 12 ms are too long for 10 ms: 17 % less are 9.96 ms, 16 % less 10.08 ms.
  test::SystemMaker maker;
  const TaskIndex task = maker.task("task", maker.core("core"), 1, maker.periodic(20000));
  maker.compute(task, 12000);
  maker[task].deadline = us(10000);
  const WhatIfs tried = tried_for(maker.build(), task);
  REQUIRE(tried.smallest);
  const WhatIf& smallest = tried.tried[*tried.smallest];
  CHECK(smallest.percent_less == 17);
  CHECK(smallest.change == "with 17 % fewer ticks");
  CHECK(smallest.result.bound.worst == us(9960));
  CHECK(says(tried, "task is alone on its core"));
}

TEST_CASE("what if: fewer ticks of a wrapper include those of its kernel") {
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(20000));
  const StimulusIndex request = maker.inter_process();
  const TaskIndex device = maker.task("device", gpu, 0, request);
  maker.kernel(device, 8000);
  maker.offload(host, device, request, 1000, 1000, false);
  maker[host].deadline = us(6000);
  const System system = maker.build();
  CHECK(wrapper_of(system, device) == host);
  CHECK_FALSE(wrapper_of(system, host));
  const WhatIfs tried = tried_for(system, host);
  const WhatIf* ticks = of_kind(tried, ChangeKind::ticks);
  REQUIRE(ticks != nullptr);
  CHECK(ticks->change == "with 40 % fewer ticks of host and device");
}

TEST_CASE("what if: another core must not harm its tasks") {
  Inverted overloaded(4000, 15000);  // 115 %
  const UnitIndex busy = overloaded.maker.core("busy"), idle = overloaded.maker.core("idle");
  const TaskIndex other = overloaded.maker.task("other", busy, 1, overloaded.maker.periodic(10000));
  overloaded.maker.compute(other, 9000);
  overloaded.maker[other].deadline = us(10000);
  const WhatIfs tried = tried_for(overloaded.maker.build(), overloaded.fast, {{0, busy, idle}, {0}, {busy}});
  std::vector<const WhatIf*> cores;
  for (const WhatIf& one : tried.tried)
    if (one.kind == ChangeKind::core) cores.push_back(&one);
  REQUIRE(cores.size() == 2);
  CHECK_FALSE(cores[0]->works);
  CHECK(cores[1]->works);
  CHECK(cores[1]->change == "on idle");
  REQUIRE(tried.smallest);
  CHECK(&tried.tried[*tried.smallest] == cores[1]);
}

TEST_CASE("what if: an offset separates tasks that no order of priorities repairs") {
  Inverted tight(5000, 6000, 7000);  // 5 + 6 > 10 and > 7
  const WhatIfs tried = tried_for(tight.maker.build(), tight.fast);
  CHECK(says(tried, "No order of the priorities on core guarantees all of its deadlines (Audsley)"));
  test::SystemMaker two;
  const UnitIndex core = two.core("core");
  for (const char* name : {"a", "b"}) {
    const TaskIndex task = two.task(name, core, name[0] == 'a' ? 1 : 2, two.periodic(20000));
    two.compute(task, 6000);
    two[task].deadline = us(7000);
  }
  const WhatIfs apart = tried_for(two.build(), 0);
  REQUIRE(apart.smallest);
  const WhatIf& offset = apart.tried[*apart.smallest];
  CHECK(offset.kind == ChangeKind::offset);
  CHECK(offset.change == "with an offset of 6 ms at stimulus");
  CHECK(offset.result.guaranteed == true);
}

TEST_CASE("what if: Audsley's order guarantees all deadlines of a core exactly if some order does") {
  std::mt19937 random(17);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int repaired = 0, impossible = 0;
  for (int repeat = 0; repeat < 150; ++repeat) {
    test::SystemMaker maker;
    const UnitIndex core = maker.core("core");
    static constexpr int periods[] = {4000, 6000, 8000, 12000};
    for (int i = 0; i < 4; ++i) {
      const int period = periods[draw(0, 3)];
      const TaskIndex task = maker.task("task", core, i + 1, maker.periodic(period));
      maker.compute(task, draw(period / 8, period / 3));
      maker[task].deadline = us(draw(period / 2, period));
    }
    System system = maker.build();
    const auto meets = [&](const System& one) {
      const auto bounds = system_bounds(one, std::vector<const DeviceProfile*>(1, nullptr)).tasks;
      for (TaskIndex task = 0; task < one.tasks.size(); ++task)
        if (!bounds[task].worst || *bounds[task].worst > *one.tasks[task].deadline) return false;
      return true;
    };
    if (meets(system)) continue;
    std::vector<std::int64_t> order = {1, 2, 3, 4};
    bool any = false;
    System trial = system;
    do {
      for (std::size_t i = 0; i < order.size(); ++i) trial.tasks[i].priority = order[i];
      any = any || meets(trial);
    } while (std::next_permutation(order.begin(), order.end()));
    Diagnostics diagnostics;
    const Results results = analyze(system, options_for(us(24000)), diagnostics).value();
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      if (results.tasks[task].guaranteed == true) continue;
      const WhatIfs tried =
          what_if(system, options_for(us(24000)), results, std::vector<std::vector<UnitIndex>>(4, {core}), task);
      const WhatIf* ranked = of_kind(tried, ChangeKind::order);
      CAPTURE(repeat, task);
      CHECK((ranked != nullptr && ranked->works) == any);
      if (!any && !says(tried, "has the highest priority")) CHECK(says(tried, "(Audsley)"));
      ++(any ? repaired : impossible);
    }
  }
  CHECK(repaired > 20);
  CHECK(impossible > 20);
}

TEST_CASE("what if: nothing is sought for a deadline that is guaranteed or absent") {
  const Inverted met(1000, 2000);
  const System system = test::SystemMaker(met.maker).build();
  const WhatIfs tried = tried_for(system, met.fast);
  CHECK_FALSE(tried.sought);
  CHECK(tried.tried.empty());
  CHECK(tried.in_vain.empty());
}

TEST_CASE("what if: a search that takes too long ends and says so", "[long]") {
  // Each analysis simulates about 2.4 million instants.
  test::SystemMaker maker;
  const UnitIndex core = maker.core("core");
  for (int i = 0; i < 6; ++i) {
    const TaskIndex task = maker.task("task", core, i + 1, maker.periodic(1000 + i));
    maker.compute(task, 180);
    maker[task].deadline = us(i == 0 ? 1000 : 250);
  }
  const System system = maker.build();
  AnalysisOptions options = options_for(us(200'000'000));
  Diagnostics diagnostics;
  const Results results = analyze(system, options, diagnostics).value();
  REQUIRE(results.events > 1'000'000);
  const WhatIfs tried = what_if(system, options, results, std::vector<std::vector<UnitIndex>>(6, {core}), 0);
  CHECK(says(tried, "Some changes were not tried, because the analyses take too long"));
}

}  // namespace small_changes_test
