// SPDX-License-Identifier: Apache-2.0
// Bounds for kernels whose warps share SMs, against SMs that a few lines here execute cycle by cycle. They share no
// code with the engine: tests/reference/sub_core.hpp reads the warp policies from their description.

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <catch2/catch.hpp>

#include "amalthea/diagnostic.hpp"
#include "engine/bounds/bounds.hpp"
#include "engine/nvidia/warp_policies.hpp"
#include "engine/nvidia/warps.hpp"
#include "engine/program/kernel_instructions.hpp"
#include "tests/reference/sub_core.hpp"
#include "tests/support/system_maker.hpp"
#include "tests/support/thoroughness.hpp"

namespace bounds_shared_warps_test {

using namespace amalthea;
using namespace amalthea::engine;
using namespace test;

namespace {

struct DrawnKernel {
  std::string text;
  std::vector<reference::WarpOp> program;
  long time = 0;  ///< of a block without instructions, or of a copy
  long budget = 1, warps = 1, memory = 0;
  long blocks = 1;  ///< 0: it is a copy
};

struct DrawnTask {
  std::vector<DrawnKernel> kernels;
  long period = 1;
  std::size_t stream = 0;
  bool high = false;  ///< its stream has high priority
  bool host = false;  ///< it triggers each kernel, in a stream of its own, and waits for it; it alone has its stream
};

struct DrawnGpu {
  const nvidia::WarpPolicy* policy = nullptr;
  const nvidia::WarpPipelines* pipelines = nullptr;
  long sms = 1, schedulers = 1, warps = 8, slots = 4;
  std::vector<DrawnTask> tasks;
};

constexpr long shared_memory = 64;  // KiB of each SM

/// One process, cycle by cycle. SMs with equal room are tried in any order.
class ReferenceGpu {
 public:
  ReferenceGpu(const DrawnGpu& drawn, std::mt19937_64& random)
      : drawn_(drawn),
        random_(random),
        sms_(static_cast<std::size_t>(drawn.sms)),
        jobs_(drawn.tasks.size()),
        streams_(drawn.tasks.size()) {}

  /// The longest response of every task.
  std::vector<long> run(const std::vector<long>& offsets, long until) {
    std::vector<long> longest(drawn_.tasks.size());
    for (long cycle = 0; cycle < until || is_at_work(); ++cycle) {
      end_blocks(cycle);
      end_copy(cycle);
      for (Stream& stream : streams_) {
        if (!stream.at_work || stream.started < kernel_of(stream).blocks || stream.running > 0) continue;
        stream.at_work = false;
        const std::size_t task = stream.tasks.front();
        stream.tasks.pop_front();
        Job& job = jobs_[task];
        job.has_kernel = false;
        if (++job.kernel < drawn_.tasks[task].kernels.size()) continue;
        job.kernel = 0;
        longest[task] = std::max(longest[task], cycle - job.released.front());
        job.released.pop_front();
      }
      for (std::size_t task = 0; task < drawn_.tasks.size(); ++task) {
        if (cycle < until && cycle >= offsets[task] && (cycle - offsets[task]) % drawn_.tasks[task].period == 0)
          jobs_[task].released.push_back(cycle);
        if (jobs_[task].released.empty() || std::exchange(jobs_[task].has_kernel, true)) continue;
        streams_[drawn_.tasks[task].stream].tasks.push_back(task);
      }
      for (Stream& stream : streams_)
        if (!stream.at_work && !stream.tasks.empty()) submit(stream);
      if (!copies_.empty() && copy_ends_ < 0) copy_ends_ = cycle + kernel_of(*copies_.front()).time;
      while (!queue_.empty() && start_block(*queue_.front(), cycle))
        if (queue_.front()->started == kernel_of(*queue_.front()).blocks) queue_.pop_front();
      for (Sm& sm : sms_)
        for (auto& scheduler : sm.schedulers) scheduler.execute(cycle);
    }
    return longest;
  }

 private:
  struct Block {
    std::size_t stream = 0;
    long warps = 0, memory = 0;
    long end = 0;                                         ///< without instructions
    std::vector<std::pair<std::size_t, std::size_t>> at;  ///< scheduler and number of each warp
  };
  struct Sm {
    std::vector<reference::WarpScheduler> schedulers;
    std::vector<Block> blocks;
    long dealt = 0, used = 0, used_memory = 0;
  };
  struct Job {
    std::deque<long> released;
    std::size_t kernel = 0;
    bool has_kernel = false;  ///< in its stream
  };
  struct Stream {
    std::deque<std::size_t> tasks;  ///< each has a kernel here, the first one's is at work
    bool at_work = false;
    long started = 0, running = 0;
  };

  const DrawnTask& task_of(const Stream& stream) const { return drawn_.tasks[stream.tasks.front()]; }
  const DrawnKernel& kernel_of(const Stream& stream) const {
    return task_of(stream).kernels[jobs_[stream.tasks.front()].kernel];
  }

  /// Copies in sequence; kernels behind all of high priority, and behind all others if it has low priority.
  void submit(Stream& stream) {
    stream.at_work = true;
    stream.started = 0;
    if (kernel_of(stream).blocks == 0) {
      stream.running = 1;
      copies_.push_back(&stream);
      return;
    }
    const auto goes_after = [&](const Stream* other) { return task_of(*other).high || !task_of(stream).high; };
    queue_.insert(std::find_if_not(queue_.begin(), queue_.end(), goes_after), &stream);
  }

  bool is_at_work() const {
    return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& each) { return !each.released.empty(); });
  }

  void end_blocks(long cycle) {
    for (Sm& sm : sms_) {
      const auto has_ended = [&](const Block& block) {
        return cycle >= block.end && std::all_of(block.at.begin(), block.at.end(), [&](const auto& warp) {
                 return sm.schedulers[warp.first].has_ended(warp.second);
               });
      };
      for (std::size_t block = 0; block < sm.blocks.size();) {
        if (!has_ended(sm.blocks[block])) {
          ++block;
          continue;
        }
        --streams_[sm.blocks[block].stream].running;
        sm.used -= sm.blocks[block].warps;
        sm.used_memory -= sm.blocks[block].memory;
        sm.blocks.erase(sm.blocks.begin() + static_cast<std::ptrdiff_t>(block));
      }
      if (sm.blocks.empty()) sm = Sm();
    }
  }

  void end_copy(long cycle) {
    if (copies_.empty() || copy_ends_ != cycle) return;
    copies_.front()->running = 0;
    copies_.pop_front();
    copy_ends_ = -1;
  }

  bool start_block(Stream& stream, long cycle) {
    const DrawnKernel& kernel = kernel_of(stream);
    std::vector<Sm*> best;
    long most = 1;
    for (Sm& sm : sms_) {
      const long room = (drawn_.warps - sm.used) / kernel.warps;
      if (static_cast<long>(sm.blocks.size()) >= drawn_.slots || room < most) continue;
      if (sm.used_memory + kernel.memory > shared_memory) continue;
      if (room > most) best.clear();
      most = room;
      best.push_back(&sm);
    }
    if (best.empty()) return false;
    Sm& sm = *best[random_() % best.size()];
    if (sm.schedulers.empty())
      sm.schedulers.assign(static_cast<std::size_t>(drawn_.schedulers),
                           {std::string(drawn_.policy->name), drawn_.pipelines->dual_issue, {}});
    Block block{task_of(stream).stream, kernel.warps, kernel.memory, cycle + kernel.time, {}};
    for (long warp = 0; warp < kernel.warps && !kernel.program.empty(); ++warp) {
      const auto scheduler = static_cast<std::size_t>(sm.dealt++ % drawn_.schedulers);
      reference::StartingWarp added;
      added.ops = kernel.program;
      added.start = cycle;
      added.budget = kernel.budget;
      block.at.emplace_back(scheduler, sm.schedulers[scheduler].add(std::move(added)));
    }
    sm.used += kernel.warps;
    sm.used_memory += kernel.memory;
    sm.blocks.push_back(std::move(block));
    ++stream.started;
    ++stream.running;
    return true;
  }

  const DrawnGpu& drawn_;
  std::mt19937_64& random_;
  std::vector<Sm> sms_;
  std::vector<Job> jobs_;  ///< of each task
  std::vector<Stream> streams_;
  std::deque<Stream*> queue_, copies_;
  long copy_ends_ = -1;  ///< of the first
};

void add_instruction(DrawnKernel& kernel, const nvidia::WarpPipelines& pipelines, nvidia::WarpUnit unit, long latency) {
  const auto index = static_cast<std::size_t>(unit);
  kernel.text += fmt::format("{}{}:{}", kernel.text.empty() ? "" : ",", nvidia::warp_unit_names[index], latency);
  const auto& use = pipelines.uses[index];
  kernel.program.push_back({latency, static_cast<int>(use.pipeline), use.cycles});
}

class Drawing {
 public:
  explicit Drawing(std::mt19937_64& random) : random_(random) {}

  /// With this policy and without pipelines, if it is not "".
  DrawnGpu gpu(const std::string& policy) {
    DrawnGpu drawn;
    drawn.policy = policy.empty() ? &any_of(nvidia::warp_policies()) : nvidia::find_warp_policy(policy);
    drawn.pipelines = policy.empty() ? &any_of(nvidia::warp_pipelines()) : &nvidia::warp_pipelines().front();
    drawn.sms = draw(1, 4);
    drawn.schedulers = 1L << draw(0, 2);
    drawn.warps = 16 * draw(1, 4);
    drawn.slots = draw(4, 32);
    const bool priorities = draw(0, 2) == 0, hosts = draw(0, 1) == 0;
    for (long tasks = draw(1, 3); tasks > 0; --tasks) {
      DrawnTask task;
      task.stream = drawn.tasks.size();
      task.high = priorities && draw(0, 1) == 0;
      task.host = hosts && draw(0, 1) == 0;
      // In the stream of the task before it.
      if (!task.host && !drawn.tasks.empty() && !drawn.tasks.back().host && draw(0, 5) == 0) {
        task.stream = drawn.tasks.back().stream;
        task.high = drawn.tasks.back().high;
      }
      for (long kernels = draw(0, 3) == 0 ? 2 : 1; kernels > 0; --kernels)
        task.kernels.push_back(draw(0, 7) == 0 ? without_instructions() : with_latencies(*drawn.pipelines));
      if (draw(0, 4) == 0) {
        DrawnKernel copy;
        copy.blocks = 0;
        copy.time = draw(1, 200);
        task.kernels.insert(task.kernels.begin() + draw(0, static_cast<long>(task.kernels.size())), copy);
      }
      task.period = draw(1, 8) * 500;
      drawn.tasks.push_back(std::move(task));
    }
    return drawn;
  }

  long draw(long least, long most) {
    return least + static_cast<long>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  template <typename All>
  const typename All::value_type& any_of(const All& all) {
    return all[static_cast<std::size_t>(draw(0, static_cast<long>(all.size()) - 1))];
  }

  DrawnKernel launch() {
    DrawnKernel kernel;
    kernel.warps = draw(1, 8);
    kernel.blocks = draw(1, 6);
    kernel.budget = draw(1, 3);
    if (draw(0, 3) == 0) kernel.memory = draw(4, 24);
    return kernel;
  }

  DrawnKernel with_latencies(const nvidia::WarpPipelines& pipelines) {
    DrawnKernel kernel = launch();
    const long stall = draw(10, 200);
    for (long length = draw(1, 12); length > 0; --length) {
      // All pipelines have these; FP64 occupies some for long.
      const auto unit = draw(0, 9) == 0 ? nvidia::WarpUnit::fp64 : static_cast<nvidia::WarpUnit>(draw(0, 3));
      add_instruction(kernel, pipelines, unit, unit == nvidia::WarpUnit::memory ? draw(10, stall) : draw(1, 6));
    }
    return kernel;
  }

  DrawnKernel without_instructions() {
    DrawnKernel kernel = launch();
    kernel.time = draw(1, 100);
    return kernel;
  }

  std::mt19937_64& random_;
};

Kernel kernel_of(const DrawnKernel& drawn) {
  Kernel kernel;
  kernel.memory_intensity = 0;
  kernel.launch = Launch();
  kernel.launch->blocks = drawn.blocks;
  kernel.launch->threads = 32 * drawn.warps;
  kernel.launch->shared_memory = 1024 * drawn.memory;
  if (drawn.program.empty())
    kernel.ticks = constant_ticks(drawn.time);
  else
    kernel.instructions = KernelInstructions{drawn.text, drawn.budget, {}};
  return kernel;
}

void add(SystemMaker& maker, TaskIndex task, const DrawnKernel& drawn) {
  if (drawn.blocks == 0)
    maker.copy(task, drawn.time);
  else
    maker.add(task, kernel_of(drawn));
}

/// Of each task.
std::vector<Bound> bounds_of(const DrawnGpu& drawn) {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  DeviceProfile profile = plain_profile(us(1000));
  gpu::SmLimits& limits = profile.multiprocessors.emplace();
  limits.sms = drawn.sms;
  limits.warp_schedulers = drawn.schedulers;
  limits.threads = 32 * drawn.warps;
  limits.blocks = drawn.slots;
  limits.cores = 32 * drawn.schedulers;
  limits.shared_memory = 1024 * shared_memory;
  std::vector<const DeviceProfile*> devices{&profile};
  std::vector<TaskIndex> tasks;
  const auto device_task = [&](const DrawnTask& each, StimulusIndex released) {
    const TaskIndex task = maker.task("k", gpu, 0, released);
    maker[task].gpu.context = "process";
    maker[task].gpu.high_priority = each.high;
    return task;
  };
  for (const DrawnTask& each : drawn.tasks) {
    if (!each.host) {
      tasks.push_back(device_task(each, maker.periodic(each.period)));
      maker[tasks.back()].gpu.stream = fmt::format("stream{}", each.stream);
      for (const DrawnKernel& kernel : each.kernels) add(maker, tasks.back(), kernel);
      continue;
    }
    const TaskIndex host = maker.task("host", maker.core("core"), 1, maker.periodic(each.period));
    devices.push_back(nullptr);
    tasks.push_back(host);
    for (const DrawnKernel& kernel : each.kernels) {
      const StimulusIndex request = maker.inter_process();
      const TaskIndex task = device_task(each, request);
      add(maker, task, kernel);
      maker.offload(host, task, request, 0, 0, false);
    }
  }
  System system = maker.build();
  system.platform.units[gpu].warp_policy = drawn.policy->name;
  system.platform.units[gpu].warp_pipelines = drawn.pipelines->name;
  Diagnostics findings;
  REQUIRE(resolve_instructions(system, &profile, findings));
  const SystemBounds all = system_bounds(system, devices);
  std::vector<Bound> bounds;
  for (const TaskIndex task : tasks) bounds.push_back(all.tasks[task]);
  return bounds;
}

/// To understand a system that fails.
std::string text_of(const DrawnGpu& drawn) {
  std::string text = fmt::format("{} SMs with {} schedulers, {} warps and {} slots, {} on {}", drawn.sms,
                                 drawn.schedulers, drawn.warps, drawn.slots, drawn.policy->name, drawn.pipelines->name);
  for (const DrawnTask& task : drawn.tasks) {
    text += fmt::format("\n- every {}, stream {}{}{}:", task.period, task.stream, task.high ? ", high" : "",
                        task.host ? ", host" : "");
    for (const DrawnKernel& kernel : task.kernels)
      text += fmt::format(" {} blocks of {} warps, {} KiB, {} cycles, budget {}, [{}];", kernel.blocks, kernel.warps,
                          kernel.memory, kernel.time, kernel.budget, kernel.text);
  }
  return text;
}

struct Comparison {
  long bounded = 0, unbounded = 0;
  std::vector<double> ratios;  ///< bound / longest response, where tasks share the GPU

  double median() {
    REQUIRE(!ratios.empty());
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
  }
};

/// `often`: kernels come often, under the policy gto, without pipelines.
Comparison compare(std::uint64_t seed, long systems, int runs, bool often = false) {
  std::mt19937_64 random(seed);
  Comparison found;
  for (long system = 0; system < systems; ++system) {
    Drawing drawing(random);
    DrawnGpu drawn = drawing.gpu(often ? "gto" : "");
    for (DrawnTask& task : drawn.tasks)
      if (often) task.period = drawing.draw(1, 8) * 50;
    const auto bounds = bounds_of(drawn);
    std::vector<long> longest(drawn.tasks.size());
    for (int run = 0; run < runs; ++run) {
      std::vector<long> offsets;
      // All at once, soon after each other, or anywhere.
      for (const DrawnTask& task : drawn.tasks)
        offsets.push_back(run == 0 ? 0 : drawing.draw(0, run % 3 == 0 ? task.period - 1 : 100));
      const auto seen = ReferenceGpu(drawn, random).run(offsets, run % 3 == 0 ? 4000 : 400);
      for (std::size_t task = 0; task < seen.size(); ++task) longest[task] = std::max(longest[task], seen[task]);
    }
    for (std::size_t task = 0; task < drawn.tasks.size(); ++task) {
      INFO("system " << system << " of seed " << seed << ", task " << task << ": " << text_of(drawn));
      INFO("response " << longest[task] << ", bound " << (bounds[task].worst ? bounds[task].worst->picoseconds() : 0));
      const auto& worst = bounds[task].worst;
      ++(worst ? found.bounded : found.unbounded);
      if (!worst) continue;
      REQUIRE(us(longest[task]) <= *worst);
      REQUIRE(us(longest[task]) >= bounds[task].best);
      if (drawn.tasks.size() > 1)
        found.ratios.push_back(double(worst->picoseconds()) / double(us(longest[task]).picoseconds()));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("what a kernel leaves in a pipeline counts for the next kernel of its stream, too") {
  DrawnGpu drawn;
  drawn.policy = &nvidia::warp_policies().front();
  drawn.pipelines = nvidia::find_warp_pipelines("turing");
  DrawnKernel doubles, loads;
  add_instruction(doubles, *drawn.pipelines, nvidia::WarpUnit::fp64, 1);
  add_instruction(loads, *drawn.pipelines, nvidia::WarpUnit::memory, 400);
  add_instruction(loads, *drawn.pipelines, nvidia::WarpUnit::memory, 1);
  drawn.tasks = {{{doubles, doubles}, 1000, 0}, {{loads}, 1000, 1}};
  const auto bounds = bounds_of(drawn);
  REQUIRE(bounds[0].worst);
  // Meanwhile the loads keep the SM from becoming idle. One instruction of FP64 occupies its pipeline for 64 cycles.
  std::mt19937_64 random(1);
  const long response = ReferenceGpu(drawn, random).run({10, 0}, 400)[0];
  CHECK(response == 64 + 1);
  CHECK(us(response) <= *bounds[0].worst);
}

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy") {
  Comparison found = compare(1, 500, 5);
  CHECK(found.bounded > found.unbounded);
  INFO("median of bound / longest response: " << found.median());
  CHECK(found.median() <= 2.6);
}

TEST_CASE("with the oldest warp first, kernels stay within their bounds however often others come") {
  CHECK(compare(3, 500, 4, true).bounded > 300);
}

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy, at length", "[long]") {
  Comparison found = compare(2, test::times(8'000), 3);
  CHECK(found.bounded > found.unbounded);
}

}  // namespace bounds_shared_warps_test
