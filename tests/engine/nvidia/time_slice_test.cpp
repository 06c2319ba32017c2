// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/time_slice_analysis.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "engine/devices/stream_simulation.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace nvidia_time_slice_test {

using namespace test;
namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;
using engine::Results;
using gpu::ContextPriority;
using gpu::StreamOperationKind;
using nvidia::BoundPart;
using nvidia::CpuSegment;
using nvidia::GpuOperation;
using nvidia::GpuSegment;
using nvidia::GpuTask;
using nvidia::TaskBound;
using nvidia::TimeSliceBounds;
using nvidia::TimeSliceProblem;
using nvidia::WaitMode;

namespace {

CpuSegment cpu(std::int64_t worst) { return {us(worst), us(worst)}; }
GpuOperation kernel(std::int64_t worst, std::int64_t block = 0) {
  return {StreamOperationKind::kernel, us(worst), us(worst), us(block), 1};
}
GpuOperation copy(std::int64_t worst, StreamOperationKind kind = StreamOperationKind::host_to_device) {
  return {kind, us(worst), us(worst), {}, 1};
}

GpuTask task(std::string name, std::size_t core, std::int64_t priority, std::int64_t period, WaitMode wait,
             std::int64_t slice, std::vector<nvidia::Segment> segments) {
  GpuTask task;
  task.name = std::move(name);
  task.core = core;
  task.priority = priority;
  task.period = task.deadline = us(period);
  task.wait = wait;
  task.slice = us(slice);
  task.segments = std::move(segments);
  return task;
}

TimeSliceProblem problem_of(std::vector<GpuTask> tasks, std::int64_t context_switch = 0) {
  TimeSliceProblem problem;
  problem.gpus.front().context_switch = us(context_switch);
  for (const GpuTask& task : tasks)
    while (problem.cores.size() <= task.core) problem.cores.push_back(std::to_string(problem.cores.size()));
  problem.tasks = std::move(tasks);
  return problem;
}

TimeSliceBounds bounds_of(const TimeSliceProblem& problem) { return time_slice_bounds(problem).value(); }

Duration sum_of_parts(const TaskBound& bound) {
  Duration sum;
  for (const auto& part : bound.parts) sum += part.time;
  return sum;
}
Duration part(const TaskBound& bound, BoundPart kind, std::optional<std::size_t> by = std::nullopt) {
  for (const auto& share : bound.parts)
    if (share.part == kind && share.by == by) return share.time;
  return {};
}

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

/// The problem as a system that is simulated; host task i is task i. All GPU segments of a task must be alike.
Results simulated(const TimeSliceProblem& problem, const std::vector<std::int64_t>& offsets, Duration until) {
  SystemMaker maker;
  std::vector<UnitIndex> cores;
  for (const std::string& name : problem.cores) cores.push_back(maker.core(name));
  const UnitIndex gpu = maker.gpu("GPU");
  std::vector<TaskIndex> hosts;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const GpuTask& task = problem.tasks[i];
    hosts.push_back(maker.task(task.name, cores[task.core], task.priority,
                               maker.periodic(task.period.picoseconds() / 1'000'000, offsets[i])));
    maker[hosts.back()].deadline = task.deadline;
  }
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const GpuTask& task = problem.tasks[i];
    std::optional<TaskIndex> device;
    StimulusIndex request = 0;
    EventIndex done = 0;
    for (const nvidia::Segment& segment : task.segments) {
      if (const auto* own = std::get_if<CpuSegment>(&segment)) {
        maker.compute(hosts[i], own->worst.picoseconds() / 1'000'000);
        continue;
      }
      if (!device) {
        request = maker.inter_process();
        done = maker.event("done" + std::to_string(i));
        device = maker.task("GPU part of " + task.name, gpu, 0, request);
        maker[*device].time_slice = task.slice;
        for (const GpuOperation& operation : std::get<GpuSegment>(segment).operations) {
          const std::int64_t length = operation.worst.picoseconds() / 1'000'000;
          if (operation.kind == StreamOperationKind::kernel)
            maker.kernel(*device, length, operation.memory_share);
          else
            maker.copy(*device, length,
                       operation.kind == StreamOperationKind::memset ? CopyKind::memset : CopyKind::host_to_device);
        }
        maker.set(*device, done, hosts[i]);
      }
      maker.trigger(hosts[i], request);
      maker.wait(hosts[i], done, task.wait == WaitMode::busy);
      maker.clear(hosts[i], done);
    }
  }
  engine::DeviceProfile profile = plain_profile(us(1000));
  profile.context_switch = problem.gpus.front().context_switch;
  profile.interference.kernel_by_memcpy = problem.gpus.front().interference.kernel_by_memcpy;
  profile.interference.kernel_by_memset = problem.gpus.front().interference.kernel_by_memset;
  profile.interference.copy_by_kernel = problem.gpus.front().interference.copy_by_kernel;
  return analyzed(maker.build(), until, profile);
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

TEST_CASE("slots of other contexts in the runlist pass before each turn") {
  // A high, B medium, C low: A B C A B A, by hand.
  std::vector<nvidia::SharingContext> contexts(3);
  for (auto& context : contexts) context.slice = us(1);
  contexts[0].priority = ContextPriority::high;
  contexts[1].priority = ContextPriority::medium;
  contexts[2].priority = ContextPriority::low;
  const auto slots = [&](std::size_t self, std::size_t other, std::int64_t turns) {
    return slots_before(contexts, self, other, turns);
  };
  CHECK(slots(0, 1, 1) == 1);
  CHECK(slots(0, 1, 3) == 2);
  CHECK(slots(0, 2, 3) == 1);
  CHECK(slots(0, 2, 4) == 2);
  CHECK(slots(1, 0, 1) == 2);  // the last of a list and the first of the next
  CHECK(slots(1, 0, 2) == 3);
  CHECK(slots(1, 2, 2) == 1);
  CHECK(slots(2, 0, 1) == 3);
  CHECK(slots(2, 1, 5) == 10);

  // Every list of four contexts against counting in the list itself.
  contexts.resize(4, contexts[0]);
  for (int code = 0; code < 81; ++code) {
    for (int i = 0, rest = code; i < 4; ++i, rest /= 3)
      contexts[static_cast<std::size_t>(i)].priority = static_cast<ContextPriority>(1 + rest % 3);
    std::vector<std::size_t> list;
    for (int round = 1; round <= 3; ++round)
      for (std::size_t i = 0; i < 4; ++i)
        if (static_cast<int>(contexts[i].priority) >= round) list.push_back(i);
    bool equal = true;
    for (std::size_t self = 0; self < 4; ++self)
      for (std::size_t other = 0; other < 4; ++other)
        for (std::int64_t turns = 1; turns <= 7 && other != self; ++turns) {
          std::int64_t most = 0;
          for (std::size_t start = 0; start < list.size(); ++start) {
            std::int64_t count = 0, own = 0;
            for (std::size_t at = start; own < turns; at = (at + 1) % list.size()) {
              if (list[at] == other) ++count;
              if (list[at] == self) ++own;
            }
            most = std::max(most, count);
          }
          equal = equal && slots(self, other, turns) == most;
        }
    CHECK(equal);
  }
}

TEST_CASE("N22 V1: bounds equal the actual times for two kernels that share the execution engine") {
  // A 5 and B 3 in slices of 2: A0-2 B2-4 A4-6 B6-7 A7-8.
  const auto bounds = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                            task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(3)}}})}));
  // A waits for all 3 of B (3 turns would allow 6); B, in 2 turns, for 4 of A's 5.
  CHECK(bounds.tasks[0].response == us(8));
  CHECK(bounds.tasks[1].response == us(7));
  CHECK(bounds.tasks[0].best == us(5));
  CHECK(part(bounds.tasks[1], BoundPart::gpu) == us(3));
  CHECK(part(bounds.tasks[1], BoundPart::slices, 0) == us(4));
  CHECK(bounds.tasks[1].gpu_segments == std::vector{us(7)});
  CHECK(bounds.execution_demand == Approx(0.08));
}

TEST_CASE("every switch of the engine to another context costs time") {
  const auto bounds = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                            task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(3)}}})},
                                           1));
  // A: 5 + 3 of B, B has 2 turns, A has 3. B: 3 + 4 of A, 2 turns of each.
  CHECK(bounds.tasks[0].response == us(5 + 3 + 2 + 3));
  CHECK(bounds.tasks[1].response == us(3 + 4 + 2 + 2));
  CHECK(part(bounds.tasks[0], BoundPart::own_switches) == us(3));
  CHECK(part(bounds.tasks[0], BoundPart::switches, 1) == us(2));
  // Of two contexts that alternate, one waits for the switch to the other, its slice, and the switch back.
  const auto turns = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(2)}}}),
                                 task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(2)}}})},
                                1);
  CHECK(bounds_of(turns).tasks[1].response == us(1 + 2 + 1 + 2));
  CHECK(simulated(turns, {0, 0}, us(1000)).tasks[1].response.max == us(6));
  // A context alone on its engine never switches.
  const auto alone = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(5)}}}),
                                           task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{copy(3)}}})},
                                          1));
  CHECK(alone.tasks[0].response == us(5));
  CHECK(alone.tasks[1].response == us(3));
}

TEST_CASE("N22 V3: a block or kernel that outlasts its slice delays others by the overrun") {
  // A 6 in blocks of 3, B one block of 4, slices of 2: A0-3 B3-7 A7-10 with B released at 1.
  auto problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(6, 3)}}}),
                             task("B", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(4)}}})});
  CHECK(bounds_of(problem).tasks[1].response == us(8));  // 2 turns, 2 slots of 2
  problem.gpus.front().preemption = gpu::Preemption::block;
  // A needs 3 turns at most, in which B's single block of 4 runs once; B waits for 6, all of A, of 2 (2 + 3).
  CHECK(bounds_of(problem).tasks[0].response == us(10));
  CHECK(bounds_of(problem).tasks[1].response == us(10));
  // With an A that always requests the engine, the overrun is separate from the slice.
  problem.tasks[0] = task("A", 0, 1, 10, WaitMode::suspend, 2, {GpuSegment{{kernel(60, 3)}}});
  const auto bounds = bounds_of(problem);
  CHECK_FALSE(bounds.tasks[0].response);
  CHECK(part(bounds.tasks[1], BoundPart::slices, 0) == us(2 * 2));
  CHECK(part(bounds.tasks[1], BoundPart::overruns, 0) == us(2 * 3));
  problem.gpus.front().preemption = gpu::Preemption::kernel;
  problem.tasks[1].period = us(1000);
  CHECK(part(bounds_of(problem).tasks[1], BoundPart::overruns, 0) == us(2 * 60));
}

TEST_CASE("a context of high priority gets three slots for each slot of low priority") {
  auto problem = problem_of({task("high", 0, 1, 10, WaitMode::suspend, 2, {GpuSegment{{kernel(60)}}}),
                             task("low", 1, 1, 100, WaitMode::suspend, 2, {GpuSegment{{kernel(4)}}})});
  problem.tasks[0].gpu_priority = ContextPriority::high;
  problem.tasks[1].gpu_priority = ContextPriority::low;
  CHECK(bounds_of(problem).tasks[1].response == us(4 + 2 * 3 * 2));
}

TEST_CASE("a kernel is slowed down by copies of others only while they last") {
  auto problem = problem_of({task("A", 0, 1, 100, WaitMode::suspend, 50, {GpuSegment{{kernel(10)}}}),
                             task("B", 1, 1, 100, WaitMode::suspend, 50, {GpuSegment{{copy(4)}}})});
  problem.gpus.front().interference.kernel_by_memcpy.ppm = 3'000'000;
  problem.gpus.front().interference.kernel_by_memset.ppm = 8'000'000;
  // 4 of copying cost the kernel two thirds of 4, rounded up.
  CHECK(bounds_of(problem).tasks[0].response == us(10) + Duration::picoseconds(2'666'667));
  CHECK(bounds_of(problem).tasks[1].response == us(4));
  problem.gpus.front().interference.copy_by_kernel.ppm = 2'000'000;
  CHECK(bounds_of(problem).tasks[1].response == us(8));
  // The copy itself may now last 8.
  CHECK(bounds_of(problem).tasks[0].response == us(10) + Duration::picoseconds(5'333'334));
  std::get<GpuSegment>(problem.tasks[0].segments[0]).operations[0].memory_share = 0;
  CHECK(bounds_of(problem).tasks[0].response == us(10));
  CHECK(bounds_of(problem).tasks[1].response == us(4));  // nor is it slowed by a kernel that leaves memory alone
}

TEST_CASE("a polling task occupies its core and a suspending task adds jitter") {
  for (const WaitMode wait : {WaitMode::busy, WaitMode::suspend}) {
    const auto bounds =
        bounds_of(problem_of({task("high", 0, 2, 100, wait, 50, {cpu(5), GpuSegment{{kernel(20)}}, cpu(3)}),
                              task("low", 0, 1, 100, WaitMode::busy, 50, {cpu(10)})}));
    CHECK(bounds.tasks[0].response == us(28));
    CHECK(bounds.tasks[1].response == us(wait == WaitMode::busy ? 38 : 18));
    CHECK(part(bounds.tasks[1], BoundPart::preemption, 0) == us(wait == WaitMode::busy ? 28 : 8));
    CHECK(bounds.core_demand[0] == Approx(wait == WaitMode::busy ? 0.38 : 0.18));
  }
  // With a period of 30 two jobs of the suspending task fall into the window 10 + 2 * 8 + (28 - 8).
  const auto two =
      bounds_of(problem_of({task("high", 0, 2, 30, WaitMode::suspend, 50, {cpu(5), GpuSegment{{kernel(20)}}, cpu(3)}),
                            task("low", 0, 1, 100, WaitMode::busy, 50, {cpu(10)})}));
  CHECK(two.tasks[1].response == us(26));
}

TEST_CASE("jobs of a suspending task delayed by the GPU may run back to back") {
  // high's first job waits for other's 40 on the GPU and runs 50-80, its second runs 110-140; low is released at 50.
  const auto problem =
      problem_of({task("other", 1, 1, 1000, WaitMode::suspend, 50, {GpuSegment{{kernel(40)}}}),
                  task("high", 0, 2, 100, WaitMode::suspend, 50, {cpu(0), GpuSegment{{kernel(10)}}, cpu(30)}),
                  task("low", 0, 1, 1000, WaitMode::busy, 50, {cpu(35)})});
  CHECK(simulated(problem, {0, 0, 50}, us(1000)).tasks[2].response.max == us(35 + 2 * 30));
  const auto bounds = bounds_of(problem);
  CHECK(bounds.tasks[1].response == us(10 + 40 + 30));
  CHECK(bounds.tasks[2].response == us(35 + 2 * 30));
}

TEST_CASE("other tasks on the core do not delay a task while it uses the GPU") {
  // 5 jobs of 4 fit beside the kernel of 100; only those around the CPU segments count.
  const auto bounds = bounds_of(
      problem_of({task("often", 0, 2, 20, WaitMode::busy, 50, {cpu(4)}),
                  task("offloads", 0, 1, 200, WaitMode::busy, 50, {cpu(2), GpuSegment{{kernel(100)}}, cpu(3)})}));
  CHECK(bounds.tasks[1].response == us((2 + 4) + 100 + (3 + 4)));
}

TEST_CASE("a last segment without execution time still waits for tasks released at that instant") {
  // low's kernel ends at 20, when high is released: it goes on at 24.
  const auto problem = problem_of({task("high", 0, 2, 20, WaitMode::busy, 50, {cpu(4)}),
                                   task("low", 0, 1, 100, WaitMode::busy, 50, {GpuSegment{{kernel(16)}}})});
  const auto bounds = bounds_of(problem);
  const auto seen = simulated(problem, {0, 0}, us(1000));
  CHECK(seen.tasks[1].response.max == us(24));
  CHECK(bounds.tasks[1].response == us(24));
}

TEST_CASE("the core response is that of the textbook with jitter for suspending rivals") {
  // C = 3 under T = 4, C = 1 and T = 6, C = 2: 3 -> 6 -> 8 -> 9 -> 10.
  const std::vector<nvidia::CoreRival> rivals = {{us(4), us(0), us(1)}, {us(6), us(0), us(2)}};
  CHECK(nvidia::core_response(us(3), rivals, us(12)) == us(10));
  CHECK(nvidia::core_response(us(3), rivals, us(10)) == us(10));
  CHECK_FALSE(nvidia::core_response(us(3), rivals, us(9)));
  CHECK(nvidia::core_response(us(3), {{us(10), us(6), us(2)}}, us(100)) == us(7));
  CHECK_FALSE(nvidia::core_response(us(1), {{us(2), us(0), us(2)}}, Duration::max()));
}

TEST_CASE("a task without a bound has a reason and does not affect the bounds of others") {
  const auto overloaded = bounds_of(problem_of({task("A", 0, 1, 100, WaitMode::suspend, 10, {GpuSegment{{kernel(90)}}}),
                                                task("B", 1, 1, 100, WaitMode::suspend, 10, {GpuSegment{{kernel(30)}}}),
                                                task("C", 1, 2, 100, WaitMode::suspend, 10, {cpu(5)})}));
  CHECK_FALSE(overloaded.tasks[0].response);
  CHECK(overloaded.tasks[0].reason == "the execution engine is overloaded: utilization 120.00 %");
  CHECK(overloaded.tasks[0].parts.empty());
  CHECK(overloaded.tasks[1].response == us(30 + 3 * 10 + 5));  // by slots alone, and C may run when it wants to end
  CHECK(overloaded.tasks[2].response == us(5));

  const auto core = bounds_of(problem_of(
      {task("A", 0, 2, 10, WaitMode::busy, 10, {cpu(6)}), task("B", 0, 1, 20, WaitMode::busy, 10, {cpu(9)})}));
  CHECK(core.tasks[0].response == us(6));
  CHECK(core.tasks[1].reason == "core 0 is overloaded by tasks of the same or a higher priority: utilization 105.00 %");

  auto late = problem_of({task("A", 0, 1, 100, WaitMode::busy, 10, {cpu(6)})});
  late.tasks[0].deadline = us(5);
  CHECK_FALSE(bounds_of(late).tasks[0].in_time);
  CHECK(bounds_of(late).tasks[0].reason == "the bound exceeds the deadline by 1 us");
}

TEST_CASE("WATERS 2019: SFM needs short slices of Detection and lane detection needs SFM to suspend") {
  // Worst times of the model in us; SFM and lane detection share a core.
  const auto problem = [](std::int64_t detection_slice, WaitMode sfm) {
    auto waters = problem_of({task("SFM", 0, 6, 33000, sfm, 7200, {cpu(3180), GpuSegment{{kernel(7900)}}, cpu(3530)}),
                              task("Lane", 0, 2, 66000, WaitMode::busy, 1, {cpu(42240)}),
                              task("Lidar", 1, 8, 33000, WaitMode::busy, 1, {cpu(13660)}),
                              task("Detection", 1, 4, 200000, WaitMode::suspend, detection_slice,
                                   {cpu(3690), GpuSegment{{kernel(116000)}}, cpu(1020)})});
    return waters;
  };
  const auto original = problem(50000, WaitMode::busy);
  const auto before = bounds_of(original);
  CHECK_FALSE(before.tasks[0].response);
  CHECK(
      before.tasks[0].reason ==
      "the GPU may serve other contexts for 100 ms, most of it Detection (100 ms), but the task has a period of 33 ms");
  CHECK(before.tasks[0].gpu_segments == std::vector{us(7900 + 2 * 50000)});
  // 3 turns with 7.2 ms of SFM before each; Lidar once before each CPU segment.
  CHECK(before.tasks[3].response == us(3690 + 13660 + 116000 + 3 * 7200 + 1020 + 13660));

  for (const WaitMode wait : {WaitMode::busy, WaitMode::suspend}) {
    const auto short_slices = problem(5000, wait);
    const auto bounds = bounds_of(short_slices);
    CHECK(bounds.tasks[0].response == us(3180 + 7900 + 2 * 5000 + 3530));
    // Suspending: 42.24 + 3 * 6.71, since 62.37 + (24.61 - 6.71) is less than 3 periods.
    if (wait == WaitMode::suspend) {
      CHECK(bounds.tasks[1].response == us(42240 + 3 * (3180 + 3530)));
      CHECK(bounds.tasks[1].in_time);
    } else {
      CHECK_FALSE(bounds.tasks[1].response);
      CHECK(bounds.tasks[1].reason ==
            "core 0 is overloaded by tasks of the same or a higher priority: utilization 108.27 %");
    }
    const auto seen = simulated(short_slices, {0, 0, 0, 0}, us(660000));
    for (std::size_t i = 0; i < 4; ++i)
      if (bounds.tasks[i].response) CHECK(seen.tasks[i].response.max <= *bounds.tasks[i].response);
  }
}

TEST_CASE("an invalid time slice problem is rejected with a reason") {
  const auto refused = [](auto&& change) {
    auto problem = problem_of({task("A", 0, 1, 100, WaitMode::busy, 10, {cpu(1), GpuSegment{{kernel(6)}}})});
    change(problem);
    const auto bounds = time_slice_bounds(problem);
    return bounds ? std::string() : bounds.error();
  };
  const auto gpu = [](TimeSliceProblem& problem) -> GpuOperation& {
    return std::get<GpuSegment>(problem.tasks[0].segments[1]).operations[0];
  };
  CHECK(refused([](auto&) {}).empty());
  CHECK(refused([](auto& problem) { problem.tasks[0].period = {}; }) ==
        "task A: period, deadline and time slice must be above zero and below 1000 s");
  CHECK(refused([](auto& problem) { problem.tasks[0].core = 1; }) == "task A: its core is not there");
  CHECK(refused([&](auto& problem) { gpu(problem).best = us(7); }) ==
        "task A: best times must be at most the worst, and all together below 1000 s");
  CHECK(refused([&](auto& problem) { gpu(problem).worst = gpu(problem).best = Duration::seconds(1000); }) ==
        "task A: best times must be at most the worst, and all together below 1000 s");
  CHECK(refused([&](auto& problem) { gpu(problem).worst = gpu(problem).best = {}; }) ==
        "task A: a copy or kernel takes no time");
  CHECK(refused([&](auto& problem) { gpu(problem).longest_block = us(7); }) ==
        "task A: a block is longer than its kernel");
  CHECK(refused([&](auto& problem) { gpu(problem).memory_share = 1.5; }) == "task A: a memory share is not in 0 ... 1");
  CHECK(refused([](auto& problem) { problem.tasks[0].segments.push_back(GpuSegment{}); }) ==
        "task A: a GPU segment has no operation");
  CHECK(refused([](auto& problem) { problem.gpus.front().interference.copy_by_kernel.ppm = 999'999; }) ==
        "slowdowns must be between 1 and 1000");
  CHECK(refused([](auto& problem) { problem.gpus.front().context_switch = Duration::max(); }) ==
        "the context switch must be below 1000 s");
}

TEST_CASE("extreme values yield no bound and neither hang nor overflow") {
  // Periods of a picosecond, slices of a picosecond, demands just below one: iterations that would never end.
  TimeSliceProblem problem = problem_of(
      {task("A", 0, 1, 900'000'000, WaitMode::suspend, 1, {cpu(1), GpuSegment{{kernel(400'000'000)}}, cpu(1)}),
       task("B", 0, 2, 900'000'000, WaitMode::busy, 1, {cpu(1), GpuSegment{{copy(3), kernel(400'000'000)}}}),
       task("C", 0, 3, 1, WaitMode::suspend, 1, {cpu(1)})});
  problem.gpus.front().context_switch = Duration::seconds(999);
  problem.gpus.front().interference.copy_by_kernel.ppm = problem.gpus.front().interference.kernel_by_memcpy.ppm =
      1'000'000'000;
  for (GpuTask& task : problem.tasks) task.slice = Duration::picoseconds(1);
  problem.tasks[2].period = Duration::picoseconds(1'000'000'000);
  problem.tasks[2].segments = {CpuSegment{{}, Duration::picoseconds(999'999'999)}};
  for (const auto preemption : {gpu::Preemption::instruction, gpu::Preemption::kernel}) {
    problem.gpus.front().preemption = preemption;
    const auto bounds = bounds_of(problem);
    CHECK_FALSE(bounds.tasks[0].response);
    CHECK_FALSE(bounds.tasks[1].response);
    CHECK(bounds.tasks[2].response == Duration::picoseconds(999'999'999));
  }
}

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

TEST_CASE("by priority a group waits for all work of more urgent contexts and once for less urgent ones") {
  std::vector<nvidia::SharingContext> contexts(3);
  for (auto& context : contexts) context.slice = us(1);
  contexts[0].urgency = 1;
  contexts[1].urgency = 2;
  contexts[2].urgency = 3;
  contexts[0].overrun = us(7);
  contexts[0].demand = std::vector<nvidia::EngineDemand>{{us(100), {}, us(50), 1}};
  contexts[2].demand = std::vector<nvidia::EngineDemand>{{us(40), {}, us(10), 1}};
  contexts[1].demand.emplace();
  nvidia::OperationGroup group{us(20), us(20)};
  // 20 of work, 7 until the less urgent one leaves and its switch; 2 times 10 more urgent; 2 switches there, 3 back.
  const auto bound = nvidia::group_bound(group, contexts, 1, us(1), true);
  CHECK(bound.response == us(20 + 7 + 1 + 2 * 10 + 2 + 3));
  CHECK(bound.own_switches == us(3));
  contexts[2].demand.reset();
  CHECK(nvidia::group_bound(group, contexts, 1, us(1), true).response >= Duration::picoseconds(std::int64_t{1} << 61));
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
