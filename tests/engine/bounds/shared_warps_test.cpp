// SPDX-License-Identifier: Apache-2.0
// Bounds for kernels whose warps share SMs, against SMs that a few lines here execute cycle by cycle. They share no code
// with the engine: tests/reference/sub_core.hpp reads the warp policies from their description.

#include <algorithm>
#include <deque>
#include <random>
#include <string>
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
  long budget = 1, warps = 1, blocks = 1;
};

struct DrawnTask {
  std::vector<DrawnKernel> kernels;
  long period = 1;
};

struct DrawnGpu {
  const nvidia::WarpPolicy* policy = nullptr;
  const nvidia::WarpPipelines* pipelines = nullptr;
  long sms = 1, schedulers = 1, warps = 8, slots = 4;
  bool letters = false;
  std::vector<DrawnTask> tasks;  ///< each has a stream
};

/// One process, cycle by cycle. SMs with equal room are tried in any order.
class ReferenceGpu {
 public:
  ReferenceGpu(const DrawnGpu& drawn, std::mt19937_64& random)
      : drawn_(drawn), random_(random), sms_(static_cast<std::size_t>(drawn.sms)), streams_(drawn.tasks.size()) {}

  /// The longest response of every task.
  std::vector<long> run(const std::vector<long>& offsets, long until) {
    std::vector<long> longest(drawn_.tasks.size());
    for (long cycle = 0; cycle < until || is_at_work(); ++cycle) {
      end_blocks();
      for (std::size_t task = 0; task < streams_.size(); ++task) {
        Stream& stream = streams_[task];
        if (stream.at_work && stream.started == kernel_of(task).blocks && stream.running == 0) {
          stream.at_work = false;
          if (++stream.kernel == drawn_.tasks[task].kernels.size()) {
            longest[task] = std::max(longest[task], cycle - stream.released.front());
            stream.released.pop_front();
            stream.kernel = 0;
          }
        }
        if (cycle < until && cycle >= offsets[task] && (cycle - offsets[task]) % drawn_.tasks[task].period == 0)
          stream.released.push_back(cycle);
        if (stream.at_work || stream.released.empty()) continue;
        stream.at_work = true;
        stream.started = 0;
        queue_.push_back(task);
      }
      while (!queue_.empty() && start_block(queue_.front(), cycle))
        if (streams_[queue_.front()].started == kernel_of(queue_.front()).blocks) queue_.pop_front();
      for (Sm& sm : sms_)
        for (auto& scheduler : sm.schedulers) scheduler.execute(cycle);
    }
    return longest;
  }

 private:
  struct Block {
    std::size_t task = 0;
    long warps = 0;
    std::vector<std::pair<std::size_t, std::size_t>> at;  ///< scheduler and number of each warp
  };
  struct Sm {
    std::vector<reference::WarpScheduler> schedulers;
    std::vector<Block> blocks;
    long dealt = 0, used = 0;
  };
  struct Stream {
    std::deque<long> released;
    std::size_t kernel = 0;
    bool at_work = false;
    long started = 0, running = 0;
  };

  const DrawnKernel& kernel_of(std::size_t task) const { return drawn_.tasks[task].kernels[streams_[task].kernel]; }

  bool is_at_work() const {
    return std::any_of(streams_.begin(), streams_.end(), [](const Stream& each) { return !each.released.empty(); });
  }

  void end_blocks() {
    for (Sm& sm : sms_) {
      const auto has_ended = [&](const Block& block) {
        return std::all_of(block.at.begin(), block.at.end(),
                           [&](const auto& warp) { return sm.schedulers[warp.first].has_ended(warp.second); });
      };
      for (std::size_t block = 0; block < sm.blocks.size();) {
        if (!has_ended(sm.blocks[block])) {
          ++block;
          continue;
        }
        --streams_[sm.blocks[block].task].running;
        sm.used -= sm.blocks[block].warps;
        sm.blocks.erase(sm.blocks.begin() + static_cast<std::ptrdiff_t>(block));
      }
      if (sm.blocks.empty()) sm = Sm();
    }
  }

  bool start_block(std::size_t task, long cycle) {
    const DrawnKernel& kernel = kernel_of(task);
    std::vector<Sm*> best;
    long most = 1;
    for (Sm& sm : sms_) {
      const long room = (drawn_.warps - sm.used) / kernel.warps;
      if (static_cast<long>(sm.blocks.size()) >= drawn_.slots || room < most) continue;
      if (room > most) best.clear();
      most = room;
      best.push_back(&sm);
    }
    if (best.empty()) return false;
    Sm& sm = *best[random_() % best.size()];
    if (sm.schedulers.empty())
      sm.schedulers.assign(static_cast<std::size_t>(drawn_.schedulers),
                           {std::string(drawn_.policy->name), drawn_.pipelines->dual_issue, {}});
    Block block{task, kernel.warps, {}};
    for (long warp = 0; warp < kernel.warps; ++warp) {
      const auto scheduler = static_cast<std::size_t>(sm.dealt++ % drawn_.schedulers);
      reference::StartingWarp added;
      added.ops = kernel.program;
      added.start = cycle;
      added.budget = kernel.budget;
      block.at.emplace_back(scheduler, sm.schedulers[scheduler].add(std::move(added)));
    }
    sm.used += kernel.warps;
    sm.blocks.push_back(std::move(block));
    ++streams_[task].started;
    ++streams_[task].running;
    return true;
  }

  const DrawnGpu& drawn_;
  std::mt19937_64& random_;
  std::vector<Sm> sms_;
  std::vector<Stream> streams_;
  std::deque<std::size_t> queue_;
};

class Drawing {
 public:
  explicit Drawing(std::mt19937_64& random) : random_(random) {}

  DrawnGpu gpu() {
    DrawnGpu drawn;
    drawn.policy = &any_of(nvidia::warp_policies());
    drawn.pipelines = &any_of(nvidia::warp_pipelines());
    drawn.sms = draw(1, 4);
    drawn.schedulers = 1L << draw(0, 2);
    drawn.warps = 16 * draw(1, 4);
    drawn.slots = draw(4, 32);
    drawn.letters = draw(0, 9) == 0;
    if (drawn.letters) drawn.pipelines = nvidia::find_warp_pipelines("free");
    for (long tasks = draw(1, 3); tasks > 0; --tasks) {
      DrawnTask& task = drawn.tasks.emplace_back();
      for (long kernels = draw(0, 3) == 0 ? 2 : 1; kernels > 0; --kernels)
        task.kernels.push_back(drawn.letters ? with_letters() : with_latencies(*drawn.pipelines));
      task.period = draw(1, 8) * 500;
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
    return kernel;
  }

  DrawnKernel with_latencies(const nvidia::WarpPipelines& pipelines) {
    DrawnKernel kernel = launch();
    const long stall = draw(10, 200);
    for (long length = draw(1, 12); length > 0; --length) {
      const auto unit = static_cast<std::size_t>(draw(0, 3));  // all pipelines have these
      const long latency = unit == 3 ? draw(10, stall) : draw(1, 6);
      kernel.text += fmt::format("{}{}:{}", kernel.text.empty() ? "" : ",", nvidia::warp_unit_names[unit], latency);
      const auto& use = pipelines.uses[unit];
      kernel.program.push_back({latency, static_cast<int>(use.pipeline), use.cycles});
    }
    return kernel;
  }

  /// On pipelines that are never occupied. Few, since the engine searches the longest of their schedules.
  DrawnKernel with_letters() {
    DrawnKernel kernel = launch();
    kernel.warps = draw(1, 2);
    kernel.blocks = draw(1, 3);
    const long length = draw(1, 3);
    kernel.text = fmt::format("{}C", length);
    kernel.program.assign(static_cast<std::size_t>(length), {1, 0, 0});
    return kernel;
  }

  std::mt19937_64& random_;
};

SystemBounds bounds_of(const DrawnGpu& drawn) {
  SystemMaker maker;
  const UnitIndex gpu = maker.gpu("GPU");
  DeviceProfile profile = plain_profile(us(1000));
  gpu::SmLimits& limits = profile.multiprocessors.emplace();
  limits.sms = drawn.sms;
  limits.warp_schedulers = drawn.schedulers;
  limits.threads = 32 * drawn.warps;
  limits.blocks = drawn.slots;
  limits.cores = 32 * drawn.schedulers;
  for (const DrawnTask& each : drawn.tasks) {
    const TaskIndex task = maker.task("k", gpu, 0, maker.periodic(each.period));
    maker[task].gpu.context = "process";
    for (const DrawnKernel& drawn_kernel : each.kernels) {
      Kernel kernel;
      kernel.memory_intensity = 0;
      kernel.launch = Launch{drawn_kernel.blocks, 32 * drawn_kernel.warps, 0, 0, ""};
      kernel.instructions = KernelInstructions{drawn_kernel.text, drawn_kernel.budget, {}};
      maker.add(task, kernel);
    }
  }
  System system = maker.build();
  system.platform.units[gpu].warp_policy = drawn.policy->name;
  system.platform.units[gpu].warp_pipelines = drawn.pipelines->name;
  Diagnostics findings;
  REQUIRE(resolve_instructions(system, &profile, findings));
  return system_bounds(system, {&profile});
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

Comparison compare(std::uint64_t seed, long systems, int runs) {
  std::mt19937_64 random(seed);
  Comparison found;
  for (long system = 0; system < systems; ++system) {
    Drawing drawing(random);
    const DrawnGpu drawn = drawing.gpu();
    const SystemBounds bounds = bounds_of(drawn);
    std::vector<long> longest(drawn.tasks.size());
    for (int run = 0; run < runs; ++run) {
      std::vector<long> offsets;
      // All at once, soon after each other, or anywhere.
      for (const DrawnTask& task : drawn.tasks)
        offsets.push_back(run == 0 ? 0 : drawing.draw(0, run % 3 == 0 ? task.period - 1 : 100));
      const auto seen = ReferenceGpu(drawn, random).run(offsets, run % 3 == 0 ? 4000 : 400);
      for (std::size_t task = 0; task < seen.size(); ++task) longest[task] = std::max(longest[task], seen[task]);
    }
    for (TaskIndex task = 0; task < drawn.tasks.size(); ++task) {
      INFO("system " << system << " of seed " << seed << ", task " << task << ", policy " << drawn.policy->name
                     << ", reason " << bounds.tasks[task].reason);
      const auto& worst = bounds.tasks[task].worst;
      ++(worst ? found.bounded : found.unbounded);
      if (!worst) continue;
      REQUIRE(us(longest[task]) <= *worst);
      REQUIRE(us(longest[task]) >= bounds.tasks[task].best);
      if (drawn.tasks.size() > 1)
        found.ratios.push_back(double(worst->picoseconds()) / double(us(longest[task]).picoseconds()));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy") {
  Comparison found = compare(1, 1000, 5);
  CHECK(found.bounded > found.unbounded);
  INFO("median of bound / longest response: " << found.median());
  CHECK(found.median() <= 2.6);
}

TEST_CASE("kernels whose warps share SMs stay within their bounds under every warp policy, at length", "[long]") {
  Comparison found = compare(2, test::times(8'000), 3);
  CHECK(found.bounded > found.unbounded);
}

}  // namespace bounds_shared_warps_test
