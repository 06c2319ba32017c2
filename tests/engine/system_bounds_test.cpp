// Bounds of whole systems: by hand, and against the simulation.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/bounds.hpp"
#include "tests/engine/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

Duration sum_of(const std::vector<Contribution>& parts) {
  Duration sum;
  for (const Contribution& part : parts) sum += part.time;
  return sum;
}
Duration part(const Bound& bound, ContributionKind kind, std::optional<TaskIndex> by = std::nullopt) {
  for (const Contribution& share : bound.parts)
    if (share.kind == kind && share.by == by) return share.time;
  return {};
}

Ticks ticks(std::int64_t best, std::int64_t worst) {
  Ticks ticks;
  ticks.otherwise = Cycles{best, (best + worst) / 2, worst};
  return ticks;
}

// ---------------------------------------------------------------- random systems

struct RandomSystem {
  System system;
  DeviceProfile profile;
};

/// Cores and a GPU with tasks that compute, poll for or sleep until what they offload (with and without work of their
/// own beside it), trigger others in the middle of their jobs, have several stimuli, share contexts, wait for tasks
/// that are none of the GPU's. Shares of the load are drawn first, so that bounds are often finite.
RandomSystem random_system(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto one_in = [&](int n) { return draw(1, n) == 1; };
  SystemMaker maker;
  std::vector<UnitIndex> cores;
  for (int i = draw(1, 3); i > 0; --i) cores.push_back(maker.core(fmt::format("core{}", i)));
  const UnitIndex gpu = maker.gpu("GPU");
  const auto core = [&] { return cores[static_cast<std::size_t>(draw(0, static_cast<int>(cores.size()) - 1))]; };
  const int count = draw(2, 5), load = draw(20, 80);
  static constexpr int periods[] = {100, 200, 300, 400, 600, 1200};
  std::vector<TaskIndex> shared;
  int names = 0;
  const auto compute = [&](TaskIndex task, int longest) {
    const int worst = draw(0, longest);
    maker.add(task, Compute{ticks(draw(0, worst), worst)});
  };
  const auto operations = [&](TaskIndex device, int budget) {
    for (int i = draw(1, 3), left = i; left > 0; --left) {
      const int worst = draw(1, std::max(1, 2 * budget / i));
      if (one_in(3)) {
        maker.copy(device, worst, one_in(3) ? CopyKind::memset : CopyKind::host_to_device);
      } else {
        Kernel kernel;
        kernel.ticks = ticks(draw(1, worst), worst);
        kernel.memory_intensity = draw(0, 2) / 2.0;
        maker.add(device, kernel);
      }
    }
  };
  const auto device_task = [&](StimulusIndex stimulus, int budget) {
    const TaskIndex device = maker.task(fmt::format("device{}", names++), gpu, 0, stimulus);
    maker[device].time_slice = us(draw(1, 4) * draw(2, 15));
    maker[device].gpu.runlist_slots = static_cast<std::uint32_t>(draw(1, 3));
    if (one_in(12)) maker[device].gpu.context = "shared";
    operations(device, budget);
    return device;
  };
  for (int i = 0; i < count; ++i) {
    const int period = periods[draw(0, 5)], budget = std::max(4, period * load / 100 / count);
    const StimulusIndex stimulus = maker.periodic(period);
    if (one_in(6)) {
      device_task(stimulus, budget);
      continue;
    }
    const TaskIndex host = maker.task(fmt::format("host{}", names++), core(), draw(1, 6), stimulus);
    maker[host].deadline = us(1200);
    compute(host, budget / 2);
    const auto trigger_another = [&] {
      const StimulusIndex request = maker.inter_process();
      maker.trigger(host, request);
      if (one_in(4)) {
        device_task(request, budget / 3);
      } else {
        const TaskIndex triggered = maker.task(fmt::format("triggered{}", names++), core(), draw(1, 6), request);
        compute(triggered, budget / 2);
        if (one_in(4)) {
          const StimulusIndex further = maker.inter_process();
          maker.trigger(triggered, further);
          const TaskIndex last = maker.task(fmt::format("last{}", names++), core(), draw(1, 6), further);
          compute(last, budget / 2);
        }
      }
    };
    if (one_in(4)) trigger_another();
    if (!one_in(4)) {
      const StimulusIndex request = maker.inter_process();
      const TaskIndex device = device_task(request, budget);
      const EventIndex done = maker.event(fmt::format("done{}", host));
      maker.set(device, done, host);
      if (one_in(6))
        maker.trigger(device, [&] {
          const StimulusIndex further = maker.inter_process();
          compute(maker.task(fmt::format("after{}", names++), core(), draw(1, 6), further), budget / 2);
          return further;
        }());
      const bool active = one_in(2);
      for (int visit = one_in(4) ? 2 : 1; visit > 0; --visit) {
        maker.trigger(host, request);
        if (one_in(2)) compute(host, budget);
        maker.wait(host, done, active);
        maker.clear(host, done);
        if (!one_in(3)) compute(host, budget / 2);
      }
    } else if (one_in(3)) {
      System& system = maker.system();
      system.stimuli[maker.periodic(periods[draw(0, 5)])].activates.push_back(host);
    }
    if (one_in(5)) trigger_another();
    if (one_in(2)) compute(host, budget / 2);
  }
  RandomSystem result{maker.build(), plain_profile(us(1000))};
  result.profile.context_switch = us(one_in(3) ? draw(1, 5) : 0);
  if (one_in(4)) {
    result.profile.interference.kernel_by_memcpy.ppm = 2'000'000;
    result.profile.interference.kernel_by_memset.ppm = 4'000'000;
    result.profile.interference.copy_by_kernel.ppm = 2'000'000;
  }
  return result;
}

struct Tightness {
  std::vector<double> ratios;
  std::size_t bounded = 0, unbounded = 0, devices = 0, triggered = 0;
  std::string text() {
    std::sort(ratios.begin(), ratios.end());
    const auto quantile = [this](double q) {
      return ratios.empty() ? 0 : ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1))];
    };
    return fmt::format(
        "{} tasks with a bound ({} of the GPU, {} triggered by host tasks), {} without; observed / bound: median "
        "{:.3f}, "
        "90 % {:.3f}, largest {:.6f}",
        bounded, devices, triggered, unbounded, quantile(0.5), quantile(0.9), quantile(1));
  }
};

void check_random_systems(std::uint32_t seed, int systems, Tightness& tightness) {
  std::mt19937 random(seed);
  for (int index = 0; index < systems; ++index) {
    RandomSystem drawn = random_system(random);
    std::vector<Duration> longest(drawn.system.tasks.size());
    Results results;
    for (int attempt = 0; attempt < 4; ++attempt) {
      if (attempt > 1)
        for (Stimulus& stimulus : drawn.system.stimuli)
          if (auto* periodic = std::get_if<Periodic>(&stimulus.occurrence))
            periodic->offset = us(
                std::uniform_int_distribution<std::int64_t>(0, periodic->period.picoseconds() / 1'000'000 - 1)(random));
      AnalysisOptions options;
      options.until = us(2400);
      options.profile = &drawn.profile;
      options.execution = attempt == 1 ? Execution::best : attempt == 3 ? Execution::average : Execution::worst;
      Diagnostics diagnostics;
      results = analyze(drawn.system, options, diagnostics).value();
      const auto check = [&](const std::string& what, const Statistics& seen, const Bound& bound, bool ended) {
        const bool below = !bound.worst || ((seen.jobs == 0 || seen.max <= *bound.worst) && ended);
        const bool above = seen.jobs == 0 || !bound.best || seen.min >= *bound.best;
        const bool ordered = !bound.worst || !bound.best || *bound.best <= *bound.worst;
        if (below && above && ordered) return;
        INFO("system " << index << " of seed " << seed << ", " << what << ", attempt " << attempt << ", observed "
                       << seen.min.picoseconds() << " ... " << seen.max.picoseconds() << ", bounds "
                       << (bound.best ? bound.best->picoseconds() : -1) << " ... "
                       << (bound.worst ? bound.worst->picoseconds() : -1));
        CHECK(below);
        CHECK(above);
        CHECK(ordered);
      };
      for (TaskIndex task = 0; task < drawn.system.tasks.size(); ++task) {
        const TaskResult& result = results.tasks[task];
        const bool host = drawn.system.tasks[task].side == Side::host;
        check(drawn.system.tasks[task].name, result.response, result.bound, !host || result.unfinished == 0);
        longest[task] = std::max(longest[task], result.response.max);
      }
      for (const OperationResult& operation : results.operations)
        check(drawn.system.graph[operation.node].name, operation.duration, operation.bound, true);
    }
    for (TaskIndex task = 0; task < drawn.system.tasks.size(); ++task) {
      const Bound& bound = results.tasks[task].bound;
      (bound.worst ? tightness.bounded : tightness.unbounded) += 1;
      if (bound.worst.has_value() == bound.reason.empty() && sum_of(bound.parts) == bound.worst.value_or(Duration{})) {
        if (!bound.worst) continue;
        const std::string& name = drawn.system.tasks[task].name;
        tightness.devices += drawn.system.tasks[task].side == Side::device ? 1 : 0;
        tightness.triggered += name.find("triggered") == 0 || name.find("last") == 0 || name.find("after") == 0 ? 1 : 0;
        if (!bound.worst->is_zero())
          tightness.ratios.push_back(static_cast<double>(longest[task].picoseconds()) /
                                     static_cast<double>(bound.worst->picoseconds()));
        continue;
      }
      INFO("system " << index << " of seed " << seed << ", " << drawn.system.tasks[task].name);
      CHECK(bound.worst.has_value() == bound.reason.empty());
      CHECK(sum_of(bound.parts) == bound.worst.value_or(Duration{}));
    }
  }
}

}  // namespace

TEST_CASE("bounds of tasks on one core are those of the textbook") {
  // Burns, Wellings, "Real-Time Systems and Programming Languages", the set with T = 80, 40, 20 and C = 40, 10, 5,
  // rate-monotonic: R = 80, 15, 5, though its utilisation of 1 is far above Liu and Layland's 0.78.
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex a = maker.task("a", core, 1, maker.periodic(80)), b = maker.task("b", core, 2, maker.periodic(40)),
                  c = maker.task("c", core, 3, maker.periodic(20));
  maker.compute(a, 40);
  maker.compute(b, 10);
  maker.compute(c, 5);
  for (const TaskIndex task : {a, b, c}) maker[task].deadline = us(80);
  maker[c].deadline = us(4);
  const Results results = analysed(maker.build(), us(80));
  CHECK(results.tasks[a].bound.worst == us(80));
  CHECK(results.tasks[b].bound.worst == us(15));
  CHECK(results.tasks[c].bound.worst == us(5));
  CHECK(results.tasks[a].bound.best == us(40));
  CHECK(part(results.tasks[a].bound, ContributionKind::execution) == us(40));
  CHECK(part(results.tasks[a].bound, ContributionKind::preemption, b) == us(20));
  CHECK(part(results.tasks[a].bound, ContributionKind::preemption, c) == us(20));
  CHECK(results.tasks[a].guaranteed == true);
  CHECK(results.tasks[c].guaranteed == false);
}

TEST_CASE("a triggered task inherits its trigger's period with jitter") {
  // On core 1: fast (T 10, C 3) before source (T 20, C 1 + 1, triggering after the first): R = 2 + 3 = 5, so that the
  // trigger comes between 1 and 4 after the release: jitter 5 - 2 = 3. On core 2: triggered (C 4) before below (T 40).
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex fast = maker.task("fast", one, 2, maker.periodic(10)),
                  source = maker.task("source", one, 1, maker.periodic(20)),
                  triggered = maker.task("triggered", two, 2, request),
                  below = maker.task("below", two, 1, maker.periodic(40));
  maker.compute(fast, 3);
  maker.compute(source, 1);
  maker.trigger(source, request);
  maker.compute(source, 1);
  maker.compute(triggered, 4);
  SECTION("which brings one more job into a window") {
    maker.compute(below, 14);  // 18 + 3 > 20: a second job, 22; without jitter 18
    const Results results = analysed(maker.build(), us(40));
    CHECK(results.tasks[source].bound.worst == us(5));
    CHECK(results.tasks[triggered].bound.worst == us(4));
    CHECK(results.tasks[below].bound.worst == us(22));
  }
  SECTION("or does not") {
    maker.compute(below, 13);  // 17 + 3 = 20
    const Results results = analysed(maker.build(), us(40));
    CHECK(results.tasks[below].bound.worst == us(17));
    CHECK(results.tasks[below].bound.best == us(13));
  }
}

TEST_CASE("what is executed beside an offload counts once at worst and not at best") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core"), gpu = maker.gpu("GPU");
  const StimulusIndex request = maker.inter_process();
  const TaskIndex host = maker.task("host", core, 1, maker.periodic(100)),
                  device = maker.task("device", gpu, 0, request);
  const EventIndex done = maker.event("done");
  maker.compute(host, 5);
  maker.trigger(host, request);
  maker.compute(host, 20);
  maker.wait(host, done, false);
  maker.clear(host, done);
  maker.compute(host, 7);
  maker.kernel(device, 30);
  maker.set(device, done, host);
  const Results results = analysed(maker.build(), us(100));
  CHECK(results.tasks[host].response.max == us(5 + 30 + 7));
  CHECK(results.tasks[host].bound.best == us(5 + 30 + 7));
  CHECK(results.tasks[host].bound.worst == us(5 + 20 + 30 + 7));
  CHECK(results.tasks[device].bound.worst == us(30));
  CHECK(results.operations.front().bound.worst == us(30));
  CHECK(part(results.tasks[host].bound, ContributionKind::kernel) == us(30));
}

TEST_CASE("a task with two stimuli has the bound of both kinds of jobs") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const TaskIndex twice = maker.task("twice", core, 1, maker.periodic(50));
  maker.system().stimuli[maker.periodic(70)].activates.push_back(twice);
  maker.compute(twice, 10);
  const Results results = analysed(maker.build(), us(350));
  CHECK(results.tasks[twice].response.max == us(20));
  CHECK(results.tasks[twice].bound.worst == us(20));
  CHECK(part(results.tasks[twice].bound, ContributionKind::backlog, twice) == us(10));
}

TEST_CASE("what is outside of the analysis has a reason, and takes only what depends on it along") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), gpu = maker.gpu("GPU");
  const EventIndex done = maker.event("done");
  const TaskIndex waiter = maker.task("waiter", one, 2, maker.periodic(100)),
                  below = maker.task("below", one, 1, maker.periodic(100)),
                  above = maker.task("above", one, 3, maker.periodic(100)),
                  setter = maker.task("setter", two, 1, maker.periodic(100));
  maker.wait(waiter, done, false);
  maker.clear(waiter, done);
  maker.compute(waiter, 5);
  maker.compute(below, 5);
  maker.compute(above, 5);
  maker.compute(setter, 5);
  maker.set(setter, done, waiter);
  const TaskIndex first = maker.task("first", gpu, 0, maker.periodic(100)),
                  second = maker.task("second", gpu, 0, maker.periodic(100)),
                  apart = maker.task("apart", gpu, 0, maker.periodic(100));
  for (const TaskIndex task : {first, second, apart}) {
    maker.kernel(task, 10);
    maker[task].time_slice = us(20);
  }
  maker[first].gpu.context = maker[second].gpu.context = "shared";
  const Results results = analysed(maker.build(), us(100));
  CHECK(results.tasks[waiter].bound.reason ==
        "it waits for setter, a task on a CPU, and only waits for a GPU are analysed");
  CHECK(results.tasks[waiter].bound.best == us(5));
  CHECK(results.tasks[below].bound.reason ==
        "waiter, of at least its priority on one, has no bound: " + results.tasks[waiter].bound.reason);
  CHECK(results.tasks[above].bound.worst == us(5));
  CHECK(results.tasks[setter].bound.worst == us(5));
  CHECK_THAT(results.tasks[first].bound.reason, Catch::StartsWith("it shares its GPU context with second"));
  CHECK_THAT(results.tasks[second].bound.reason, Catch::StartsWith("it shares its GPU context with first"));
  // Whatever the shared context does, one of its slots comes before the only turn.
  CHECK(results.tasks[apart].bound.worst == us(10 + 20));
}

TEST_CASE("an overloaded core or GPU is named with its demand, and what does not depend on it is bounded") {
  SystemMaker maker;
  const UnitIndex one = maker.core("one"), two = maker.core("two"), gpu = maker.gpu("GPU");
  const TaskIndex high = maker.task("high", one, 2, maker.periodic(10)),
                  low = maker.task("low", one, 1, maker.periodic(10)),
                  elsewhere = maker.task("elsewhere", two, 1, maker.periodic(10)),
                  left = maker.task("left", gpu, 0, maker.periodic(10)),
                  right = maker.task("right", gpu, 0, maker.periodic(10));
  maker.compute(high, 6);
  maker.compute(low, 6);
  maker.compute(elsewhere, 6);
  maker.kernel(left, 6);
  maker.kernel(right, 6);
  const Results results = analysed(maker.build(), us(100));
  CHECK(results.tasks[high].bound.worst == us(6));
  CHECK(results.tasks[elsewhere].bound.worst == us(6));
  CHECK(results.tasks[low].bound.reason == "core one is overloaded by those of at least its priority: demand 1.2000");
  CHECK(results.tasks[left].bound.reason == "the execution engine is overloaded: demand 1.2000");
  CHECK(results.tasks[right].bound.reason == results.tasks[left].bound.reason);
}

TEST_CASE("tasks that trigger each other in a circle have no bound") {
  SystemMaker maker;
  const UnitIndex core = maker.core("core");
  const StimulusIndex there = maker.inter_process(), back = maker.inter_process();
  const TaskIndex a = maker.task("a", core, 1, back), b = maker.task("b", core, 2, there);
  maker.system().stimuli[maker.periodic(100)].activates.push_back(a);
  maker.compute(a, 1);
  maker.trigger(a, there);
  maker.compute(b, 1);
  maker.trigger(b, back);
  const System system = maker.build();
  const auto bounds = system_bounds(system, default_devices(system));
  CHECK(bounds.tasks[a].reason == "tasks trigger each other in a circle, which has no period");
  CHECK(bounds.tasks[b].reason == bounds.tasks[a].reason);
}

TEST_CASE("no simulated job or operation of a random system exceeds its bound or undercuts the best case") {
  Tightness tightness;
  check_random_systems(1, 2000, tightness);
  INFO(tightness.text());
  CHECK(tightness.bounded > 3000);
  CHECK(tightness.triggered > 200);
  CHECK(tightness.ratios.back() > 0.99);
}

TEST_CASE("thousands of random systems keep to their bounds", "[long]") {
  Tightness tightness;
  for (std::uint32_t seed = 2; seed < 12; ++seed) check_random_systems(seed, test::times(400), tightness);
  WARN(tightness.text());
  CHECK(tightness.bounded > test::times(std::size_t{6000}));
}
