// SPDX-License-Identifier: Apache-2.0
// Random problems against the system simulation, a stepwise GPU and the analysis of GCAPS.
#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "tests/engine/nvidia/time_slice_problems.hpp"
#include "tests/support/thoroughness.hpp"

namespace nvidia_time_slice_test {
namespace {

// ---------------------------------------------------------------- against the system simulation

/// A task set drawn so that the bounds are often finite: shares of the core and of the GPU are drawn first.
TimeSliceProblem random_problem(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  TimeSliceProblem problem;
  const int cores = draw(1, 3), count = draw(2, 5);
  for (int core = 0; core < cores; ++core) problem.cores.push_back(std::to_string(core));
  problem.gpus.front().context_switch = us(draw(0, 2) == 0 ? draw(1, 5) : 0);
  if (draw(0, 3) == 0) {
    problem.gpus.front().interference.kernel_by_memcpy.ppm = 2'000'000;
    problem.gpus.front().interference.kernel_by_memset.ppm = 4'000'000;
    problem.gpus.front().interference.copy_by_kernel.ppm = 2'000'000;
  }
  const int load = draw(20, 90);  // percent
  // Short GPU segments of uncertain length before long CPU segments bring jobs of a suspending task close together.
  const bool long_tails = draw(0, 2) == 0;
  static constexpr int periods[] = {100, 200, 300, 400, 600, 1200};
  for (int i = 0; i < count; ++i) {
    const int period = periods[draw(0, 5)];
    const int budget = std::max(4, period * load / 100 / count);
    const bool offloads = draw(0, 4) != 0;
    std::vector<nvidia::Segment> segments;
    if (!offloads) {
      segments.push_back(cpu(draw(1, 2 * budget)));
    } else {
      GpuSegment gpu;
      const int operations = draw(1, 4), visits = draw(0, 3) == 0 ? 2 : 1;
      for (int o = 0; o < operations; ++o) {
        const int length = std::max(1, draw(1, 2 * budget) / operations / visits);
        const int kind = draw(0, 4);
        gpu.operations.push_back(
            kind < 3 ? kernel(length)
                     : copy(length, kind == 3 ? StreamOperationKind::host_to_device : StreamOperationKind::memset));
      }
      segments.push_back(cpu(long_tails ? 0 : draw(0, budget / 2)));
      for (int visit = 0; visit < visits; ++visit) {
        segments.push_back(gpu);
        segments.push_back(cpu(long_tails ? draw(budget / 2, budget) : draw(0, budget / 2)));
      }
    }
    problem.tasks.push_back(task(
        std::string(1, static_cast<char>('a' + i)), static_cast<std::size_t>(draw(0, cores - 1)), draw(1, 6), period,
        draw(0, 1) == 0 ? WaitMode::busy : WaitMode::suspend, draw(1, 4) * draw(2, 15), std::move(segments)));
  }
  return problem;
}

struct Tightness {
  std::vector<double> ratios;
  std::size_t bounded = 0, unbounded = 0, systems = 0;
  double quantile(double q) {
    std::sort(ratios.begin(), ratios.end());
    return ratios.empty() ? 0 : ratios[static_cast<std::size_t>(q * static_cast<double>(ratios.size() - 1))];
  }
  std::string text() {
    return fmt::format(
        "{} systems, {} tasks with a bound, {} without; observed / bound: median {:.3f}, 90 % {:.3f}, "
        "largest {:.3f}",
        systems, bounded, unbounded, quantile(0.5), quantile(0.9), quantile(1));
  }
};

std::string description(const TimeSliceProblem& problem) {
  std::string text = fmt::format("switch {} slow {}\n", problem.gpus.front().context_switch.picoseconds() / 1'000'000,
                                 problem.gpus.front().interference.kernel_by_memcpy.ppm);
  for (const GpuTask& task : problem.tasks) {
    text += fmt::format("{} core {} prio {} T {} {} L {} p {}:", task.name, task.core, task.priority,
                        task.period.picoseconds() / 1'000'000, name_of(task.wait), task.slice.picoseconds() / 1'000'000,
                        static_cast<int>(task.gpu_priority));
    for (const nvidia::Segment& segment : task.segments) {
      if (const auto* own = std::get_if<CpuSegment>(&segment))
        text += fmt::format(" C{}", own->worst.picoseconds() / 1'000'000);
      else
        for (const GpuOperation& operation : std::get<GpuSegment>(segment).operations)
          text += fmt::format(" {}{}/{}", name_of(operation.kind), operation.worst.picoseconds() / 1'000'000,
                              operation.longest_block.picoseconds() / 1'000'000);
    }
    text += "\n";
  }
  return text;
}

/// Simulated times must lie between the bounds; the simulation rounds progress at every event down by less than 1 ps.
void check_random_systems(std::uint32_t seed, int systems, Tightness& tightness) {
  std::mt19937 random(seed);
  const Duration rounding = Duration::nanoseconds(1);
  for (int system = 0; system < systems; ++system) {
    const TimeSliceProblem problem = random_problem(random);
    const TimeSliceBounds bounds = bounds_of(problem);
    ++tightness.systems;
    std::vector<Duration> worst(problem.tasks.size());
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::vector<std::int64_t> offsets;
      for (const GpuTask& task : problem.tasks)
        offsets.push_back(attempt == 0 ? 0
                                       : std::uniform_int_distribution<std::int64_t>(
                                             0, task.period.picoseconds() / 1'000'000 - 1)(random));
      const Results results = simulated(problem, offsets, us(2400));
      // Device tasks follow the host tasks in the same order; their time is a GPU segment, which is always bounded.
      for (std::size_t i = 0, device = problem.tasks.size(); i < problem.tasks.size(); ++i) {
        if (bounds.tasks[i].gpu_segments.empty()) continue;
        const auto& seen = results.tasks[device++].response;
        const bool below = seen.jobs == 0 || seen.max <= bounds.tasks[i].gpu_segments.front() + rounding;
        if (below) continue;
        INFO(description(problem));
        INFO("system " << system << " of seed " << seed << ", GPU segment of " << problem.tasks[i].name << ", observed "
                       << seen.max.picoseconds() << ", bound " << bounds.tasks[i].gpu_segments.front().picoseconds());
        CHECK(below);
      }
      for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
        const auto& seen = results.tasks[i];
        const TaskBound& bound = bounds.tasks[i];
        worst[i] = std::max(worst[i], seen.response.max);
        const bool ended = seen.unfinished == 0 || (bound.response && *bound.response > problem.tasks[i].period);
        const bool below = !bound.response || (seen.response.max <= *bound.response + rounding && ended);
        const bool above = seen.response.jobs == 0 || seen.response.min >= bound.best;
        if (below && above) continue;
        INFO(description(problem));
        INFO("system " << system << " of seed " << seed << ", task " << problem.tasks[i].name << ", observed "
                       << seen.response.min.picoseconds() << " ... " << seen.response.max.picoseconds() << ", bound "
                       << (bound.response ? bound.response->picoseconds() : -1));
        CHECK(below);
        CHECK(above);
      }
    }
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const TaskBound& bound = bounds.tasks[i];
      (bound.response ? tightness.bounded : tightness.unbounded) += 1;
      if (!bound.response) continue;
      const bool adds_up = sum_of_parts(bound) == *bound.response;
      if (!adds_up) {
        INFO(description(problem));
        CHECK(sum_of_parts(bound) == *bound.response);
      }
      if (!bound.response->is_zero())
        tightness.ratios.push_back(static_cast<double>(worst[i].picoseconds()) /
                                   static_cast<double>(bound.response->picoseconds()));
    }
  }
}

// ---------------------------------------------------------------- a GPU alone, microsecond by microsecond

struct Observed {
  std::int64_t response = 0;  ///< longest, from release
  std::int64_t segment = 0;   ///< longest, from the start of the job
};

/// Independent of the engine: contexts whose jobs are one GPU segment, with priorities and points of preemption.
std::vector<Observed> stepwise(const TimeSliceProblem& problem, const std::vector<std::int64_t>& offsets,
                               std::int64_t until) {
  struct Job {
    std::vector<std::int64_t> releases;  // that have not ended
    std::size_t operation = 0;
    std::int64_t progress = 0, start = 0;
  };
  struct Engine {
    std::optional<std::size_t> serving, last;
    std::size_t slot = 0;
    std::int64_t ready = 0;
    std::optional<std::int64_t> limit;
  };
  const auto in_us = [](Duration time) { return time.picoseconds() / 1'000'000; };
  const std::size_t count = problem.tasks.size();
  std::vector<std::size_t> list;
  for (int round = 1; round <= 3; ++round)
    for (std::size_t i = 0; i < count; ++i)
      if (static_cast<int>(problem.tasks[i].gpu_priority) >= round) list.push_back(i);
  std::vector<Job> jobs(count);
  std::vector<Observed> observed(count);
  Engine engines[2];
  for (Engine& engine : engines) engine.slot = list.size() - 1;
  const auto operations = [&](std::size_t i) -> const std::vector<GpuOperation>& {
    return std::get<GpuSegment>(problem.tasks[i].segments.front()).operations;
  };
  const auto wants = [&](std::size_t i, std::size_t engine) {
    return !jobs[i].releases.empty() &&
           (operations(i)[jobs[i].operation].kind == StreamOperationKind::kernel) == (engine == 1);
  };
  const auto can_leave = [&](std::size_t i) {
    const GpuOperation& operation = operations(i)[jobs[i].operation];
    const bool has_blocks =
        operation.kind == StreamOperationKind::kernel && problem.gpus.front().preemption == gpu::Preemption::block;
    return problem.gpus.front().preemption == gpu::Preemption::instruction || jobs[i].progress == 0 ||
           (has_blocks && jobs[i].progress % in_us(operation.longest_block) == 0);
  };
  for (std::int64_t now = 0; now < until; ++now) {
    for (std::size_t i = 0; i < count; ++i)
      if (now >= offsets[i] && (now - offsets[i]) % in_us(problem.tasks[i].period) == 0) {
        if (jobs[i].releases.empty()) jobs[i].start = now;
        jobs[i].releases.push_back(now);
      }
    for (std::size_t e = 0; e < 2; ++e) {
      Engine& engine = engines[e];
      const auto contested = [&] {
        for (std::size_t i = 0; i < count; ++i)
          if (i != *engine.serving && wants(i, e)) return true;
        return false;
      };
      if (engine.serving && wants(*engine.serving, e)) {
        const std::int64_t slice = in_us(problem.tasks[*engine.serving].slice);
        if (!engine.limit && contested())
          for (engine.limit = engine.ready + slice; *engine.limit < now;) *engine.limit += slice;
        if (!engine.limit || now < *engine.limit || !can_leave(*engine.serving)) continue;
      }
      engine.serving.reset();
      for (std::size_t i = 1; i <= list.size() && !engine.serving; ++i)
        if (const std::size_t slot = (engine.slot + i) % list.size(); wants(list[slot], e)) {
          engine.serving = list[slot];
          engine.slot = slot;
          engine.ready =
              now + (engine.last && *engine.last != list[slot] ? in_us(problem.gpus.front().context_switch) : 0);
          engine.last = list[slot];
          engine.limit.reset();
        }
      if (engine.serving && contested()) engine.limit = engine.ready + in_us(problem.tasks[*engine.serving].slice);
    }
    // What is served now is decided for both engines before anything ends.
    std::vector<std::size_t> running;
    for (std::size_t e = 0; e < 2; ++e)
      if (engines[e].serving && now >= engines[e].ready) running.push_back(*engines[e].serving);
    for (const std::size_t i : running) {
      Job& job = jobs[i];
      if (++job.progress < in_us(operations(i)[job.operation].worst)) continue;
      job.progress = 0;
      if (++job.operation < operations(i).size()) continue;
      job.operation = 0;
      observed[i].response = std::max(observed[i].response, now + 1 - job.releases.front());
      observed[i].segment = std::max(observed[i].segment, now + 1 - job.start);
      job.releases.erase(job.releases.begin());
      job.start = now + 1;
    }
  }
  return observed;
}

/// The same on the device of device.hpp: one SM that takes one block.
std::vector<std::int64_t> device_responses(const TimeSliceProblem& problem, const std::vector<std::int64_t>& offsets,
                                           std::int64_t until) {
  gpu::StreamScenario scenario;
  scenario.limits().sms = scenario.limits().sms_per_gpc = scenario.limits().blocks = 1;
  scenario.device.preemption = problem.gpus.front().preemption;
  scenario.device.context_switch = problem.gpus.front().context_switch;
  struct Job {
    std::size_t task = 0;
    std::size_t last_operation = 0;
  };
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const GpuTask& task = problem.tasks[i];
    scenario.contexts.push_back({task.name, task.slice, task.gpu_priority});
    scenario.streams.push_back({{gpu::StreamPriority::low, false}, task.name, i});
    for (Duration release = us(offsets[i]); release < us(until); release += task.period) {
      for (const GpuOperation& written : std::get<GpuSegment>(task.segments.front()).operations) {
        gpu::StreamOperation operation;
        operation.kind = written.kind;
        operation.stream = i;
        operation.release = Instant::at(release);
        operation.duration = written.worst;
        if (written.kind == StreamOperationKind::kernel) {
          operation.duration = written.longest_block;
          operation.blocks = written.worst.picoseconds() / written.longest_block.picoseconds();
        }
        scenario.operations.push_back(operation);
      }
      jobs.push_back({i, scenario.operations.size() - 1});
    }
  }
  const auto runs = gpu::simulate_streams(scenario).value().operations;
  std::vector<std::int64_t> worst(problem.tasks.size());
  for (const Job& job : jobs) {
    const Instant end = runs[job.last_operation].completion;
    if (end > Instant::at(us(until))) continue;
    const Duration response = end - scenario.operations[job.last_operation].release;
    worst[job.task] = std::max(worst[job.task], response.picoseconds() / 1'000'000);
  }
  return worst;
}

TimeSliceProblem random_gpu_problem(std::mt19937& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  TimeSliceProblem problem;
  problem.gpus.front().context_switch = us(draw(0, 2));
  problem.gpus.front().preemption = static_cast<gpu::Preemption>(draw(0, 2));
  const int count = draw(2, 4), load = draw(20, 100);
  for (int i = 0; i < count; ++i) {
    const int period = draw(20, 150), budget = std::max(2, period * load / 100 / count);
    GpuSegment gpu;
    const int operations = draw(1, 3);
    for (int o = 0; o < operations; ++o) {
      const int block = draw(1, std::max(1, budget / operations / 2));
      const int blocks = draw(1, std::max(1, 2 * budget / operations / block));
      gpu.operations.push_back(draw(0, 3) == 0 ? copy(block) : kernel(block * blocks, block));
    }
    problem.cores.push_back(std::to_string(i));
    problem.tasks.push_back(task(std::string(1, static_cast<char>('a' + i)), static_cast<std::size_t>(i), 1, period,
                                 WaitMode::suspend, draw(1, 8), {gpu}));
    problem.tasks.back().gpu_priority = static_cast<ContextPriority>(draw(1, 3));
  }
  return problem;
}

void check_random_gpus(std::uint32_t seed, int systems, Tightness& tightness) {
  std::mt19937 random(seed);
  for (int system = 0; system < systems; ++system) {
    const TimeSliceProblem problem = random_gpu_problem(random);
    const TimeSliceBounds bounds = bounds_of(problem);
    ++tightness.systems;
    std::vector<std::int64_t> worst(problem.tasks.size());
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::vector<std::int64_t> offsets;
      for (std::size_t i = 0; i < problem.tasks.size(); ++i)
        offsets.push_back(attempt == 0 ? 0 : std::uniform_int_distribution<std::int64_t>(0, 100)(random));
      const auto observed = stepwise(problem, offsets, 1500);
      for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
        const TaskBound& bound = bounds.tasks[i];
        worst[i] = std::max(worst[i], observed[i].response);
        const bool below = (!bound.response || us(observed[i].response) <= *bound.response) &&
                           us(observed[i].segment) <= bound.gpu_segments.front();
        if (below) continue;
        INFO(description(problem));
        INFO("system " << system << " of seed " << seed << ", preemption "
                       << static_cast<int>(problem.gpus.front().preemption) << ", task " << problem.tasks[i].name
                       << ", observed " << observed[i].response << " and " << observed[i].segment << ", bound "
                       << (bound.response ? bound.response->picoseconds() : -1) << " and "
                       << bound.gpu_segments.front().picoseconds());
        CHECK(below);
      }
    }
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const TaskBound& bound = bounds.tasks[i];
      (bound.response ? tightness.bounded : tightness.unbounded) += 1;
      if (bound.response)
        tightness.ratios.push_back(static_cast<double>(us(worst[i]).picoseconds()) /
                                   static_cast<double>(bound.response->picoseconds()));
    }
  }
}

// ---------------------------------------------------------------- the reference

/// GCAPS' bound for the driver's default scheduling, for systems of kernels, one slice length, no switch cost, all
/// polling or all suspending, and priorities that differ; nothing beyond the period, nor where it takes the jitter of a
/// suspending task that has none itself.
std::optional<std::int64_t> gcaps(const TimeSliceProblem& problem, std::size_t index) {
  const auto in_us = [](Duration time) { return time.picoseconds() / 1'000'000; };
  const auto ceiling = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t slice = in_us(problem.tasks[0].slice);
  struct Sums {
    std::int64_t execution = 0, gpu = 0, slices = 0;
  };
  const auto sums = [&](std::size_t i) {
    Sums sums;
    for (const nvidia::Segment& segment : problem.tasks[i].segments) {
      if (const auto* own = std::get_if<CpuSegment>(&segment)) {
        sums.execution += in_us(own->worst);
        continue;
      }
      std::int64_t length = 0;
      for (const GpuOperation& operation : std::get<GpuSegment>(segment).operations) length += in_us(operation.worst);
      sums.gpu += length;
      sums.slices += ceiling(length, slice);
    }
    return sums;
  };
  const GpuTask& self = problem.tasks[index];
  const auto above_here = [&](std::size_t other) {
    return problem.tasks[other].core == self.core && problem.tasks[other].priority > self.priority;
  };
  std::int64_t others = 0, outside = 0;  // processes, and those neither above on the core nor the task's own
  for (std::size_t other = 0; other < problem.tasks.size(); ++other)
    if (other != index && sums(other).gpu > 0) {
      ++others;
      if (!above_here(other)) ++outside;
    }
  if (self.wait == WaitMode::suspend)
    for (std::size_t other = 0; other < problem.tasks.size(); ++other)
      if (above_here(other) && !gcaps(problem, other)) return std::nullopt;
  const Sums own = sums(index);
  const std::int64_t alone = own.execution + own.gpu + own.slices * slice * others;
  for (std::int64_t window = alone; window <= in_us(self.period);) {
    std::int64_t next = alone;
    for (std::size_t other = 0; other < problem.tasks.size(); ++other) {
      if (!above_here(other)) continue;
      const Sums its = sums(other);
      const std::int64_t period = in_us(problem.tasks[other].period);
      if (self.wait == WaitMode::busy)
        next += ceiling(window, period) * (its.execution + its.gpu + its.slices * slice * outside);
      else
        next += ceiling(window + period - its.execution, period) * its.execution;
    }
    if (next == window) return window;
    window = next;
  }
  return std::nullopt;
}

/// The bound for priority scheduling of contexts in the same paper's form, for suspending tasks with kernels only, no
/// switch cost, and priorities that differ: tasks of higher priority on the core, and all GPU segments of higher
/// priority, with the jitters T - C and T - G.
std::optional<std::int64_t> by_priority(const TimeSliceProblem& problem, std::size_t index) {
  const auto in_us = [](Duration time) { return time.picoseconds() / 1'000'000; };
  const auto ceiling = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto sums = [&](std::size_t i) {
    std::pair<std::int64_t, std::int64_t> sums;
    for (const nvidia::Segment& segment : problem.tasks[i].segments) {
      if (const auto* own = std::get_if<CpuSegment>(&segment)) sums.first += in_us(own->worst);
      if (const auto* gpu = std::get_if<GpuSegment>(&segment))
        for (const GpuOperation& operation : gpu->operations) sums.second += in_us(operation.worst);
    }
    return sums;
  };
  const GpuTask& self = problem.tasks[index];
  const auto own = sums(index);
  for (std::int64_t window = own.first + own.second; window <= in_us(self.period);) {
    std::int64_t next = own.first + own.second;
    for (std::size_t other = 0; other < problem.tasks.size(); ++other) {
      const GpuTask& its = problem.tasks[other];
      if (its.priority <= self.priority) continue;
      const auto [execution, gpu] = sums(other);
      const bool above_here = its.core == self.core;
      if ((above_here || (gpu > 0 && own.second > 0)) && !by_priority(problem, other)) return std::nullopt;
      const std::int64_t period = in_us(its.period);
      if (above_here) next += ceiling(window + period - execution, period) * execution;
      if (own.second > 0) next += ceiling(window + period - gpu, period) * gpu;
    }
    if (next == window) return window;
    window = next;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("the stepwise GPU reproduces N22 V1 and V3") {
  auto problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5, 5)}}}),
                             task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(3, 3)}}})});
  CHECK(stepwise(problem, {0, 0}, 100)[0].response == 8);
  CHECK(stepwise(problem, {0, 0}, 100)[1].response == 7);
  problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(6, 3)}}}),
                        task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(4, 4)}}})});
  problem.gpus.front().preemption = gpu::Preemption::block;
  CHECK(stepwise(problem, {0, 1}, 100)[0].response == 10);
  CHECK(stepwise(problem, {0, 1}, 100)[1].response == 6);
}

TEST_CASE("device and stepwise GPU agree on slices and priorities and switches and preemption points") {
  std::mt19937 random(4);
  for (int system = 0; system < 1000; ++system) {
    const TimeSliceProblem problem = random_gpu_problem(random);
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i)
      offsets.push_back(std::uniform_int_distribution<std::int64_t>(0, 100)(random));
    std::vector<std::int64_t> expected;
    for (const Observed& observed : stepwise(problem, offsets, 1500)) expected.push_back(observed.response);
    INFO(description(problem));
    INFO("system " << system << ", preemption " << static_cast<int>(problem.gpus.front().preemption));
    REQUIRE(device_responses(problem, offsets, 1500) == expected);
  }
}

TEST_CASE("no job on a stepwise GPU with priorities and preemption points exceeds its bound") {
  Tightness tightness;
  check_random_gpus(77, 600, tightness);
  INFO(tightness.text());
  CHECK(tightness.bounded > 600);
  CHECK(tightness.quantile(1) == 1);
}

TEST_CASE("no simulated job of a random system with time slices exceeds its bound or undercuts its best case") {
  Tightness tightness;
  check_random_systems(20241, 600, tightness);
  INFO(tightness.text());
  CHECK(tightness.bounded > 300);
  CHECK(tightness.quantile(1) > 0.99);
}

TEST_CASE("bounds by priority never exceed those of GCAPS and exist more often") {
  std::mt19937 random(2025);
  std::size_t ours = 0, theirs = 0, larger = 0, all = 0;
  double sum = 0, both = 0;
  for (int system = 0; system < 1000; ++system) {
    TimeSliceProblem problem = random_problem(random);
    problem.gpus.front().context_switch = {};
    problem.gpus.front().by_priority = true;
    problem.contexts.clear();
    problem.streams.clear();
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      GpuTask& task = problem.tasks[i];
      task.wait = WaitMode::suspend;
      task.priority = static_cast<std::int64_t>(i);
      problem.contexts.push_back({0, task.slice, engine::gpu::ContextPriority::medium, task.priority});
      problem.streams.push_back({i, engine::gpu::StreamPriority::low});
      for (nvidia::Segment& segment : task.segments)
        if (auto* gpu = std::get_if<GpuSegment>(&segment)) {
          gpu->stream = i;
          for (GpuOperation& operation : gpu->operations) operation.kind = StreamOperationKind::kernel;
        }
    }
    const auto bounds = bounds_of(problem);
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const auto reference = by_priority(problem, i);
      const auto& response = bounds.tasks[i].response;
      ++all;
      ours += response ? 1 : 0;
      theirs += reference ? 1 : 0;
      if (!reference || !response || *reference == 0) continue;
      ++both;
      larger += *response > us(*reference) ? 1 : 0;
      sum += static_cast<double>(response->picoseconds()) / static_cast<double>(us(*reference).picoseconds());
    }
  }
  INFO(fmt::format("{} tasks: {} with a bound here, {} with GCAPS; of both {:.0f}, {} larger here; mean ratio {:.3f}",
                   all, ours, theirs, both, larger, sum / both));
  CHECK(theirs > 500);
  CHECK(ours > theirs);
  CHECK(larger == 0);
  CHECK(sum / both < 1);
}

TEST_CASE("bounds never exceed those of GCAPS where both apply and exist more often") {
  std::mt19937 random(2024);
  std::size_t ours = 0, theirs = 0, smaller = 0, all = 0;
  std::vector<double> ratios;
  for (int system = 0; system < 1000; ++system) {
    TimeSliceProblem problem = random_problem(random);
    problem.gpus.front().context_switch = {};
    const WaitMode wait = system % 2 == 0 ? WaitMode::busy : WaitMode::suspend;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      GpuTask& task = problem.tasks[i];
      task.wait = wait;
      task.slice = problem.tasks[0].slice;
      task.priority = static_cast<std::int64_t>(i);
      for (nvidia::Segment& segment : task.segments)
        if (auto* gpu = std::get_if<GpuSegment>(&segment))
          for (GpuOperation& operation : gpu->operations) operation.kind = StreamOperationKind::kernel;
    }
    const auto bounds = bounds_of(problem);
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const auto reference = gcaps(problem, i);
      const auto& response = bounds.tasks[i].response;
      ++all;
      ours += response ? 1 : 0;
      theirs += reference ? 1 : 0;
      if (!reference) continue;
      const bool not_above = response && *response <= us(*reference);
      if (!not_above) {
        INFO(description(problem) << "task " << problem.tasks[i].name << " " << *reference);
        CHECK(not_above);
        continue;
      }
      smaller += *response < us(*reference) ? 1 : 0;
      if (*reference > 0)
        ratios.push_back(static_cast<double>(response->picoseconds()) /
                         static_cast<double>(us(*reference).picoseconds()));
    }
  }
  std::sort(ratios.begin(), ratios.end());
  INFO(fmt::format("{} tasks: {} with a bound here, {} with GCAPS, {} of these smaller; mean ratio {:.3f}", all, ours,
                   theirs, smaller,
                   std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size())));
  CHECK(ours > theirs);
  CHECK(smaller > 0);
  CHECK(theirs > 500);
}

TEST_CASE("thousands of random GPU systems stay within their bounds", "[long]") {
  Tightness systems, gpus;
  check_random_systems(7, test::times(1600), systems);
  check_random_gpus(8, test::times(1600), gpus);
  CHECK(systems.bounded > test::times(std::size_t{2000}));
  CHECK(gpus.bounded > test::times(std::size_t{2000}));
  WARN("systems: " << systems.text());
  WARN("GPUs alone: " << gpus.text());
}

}  // namespace nvidia_time_slice_test
