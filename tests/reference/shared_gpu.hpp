// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Kernels of one process whose warps share SMs, written from the text of docs/reference/gpu.md (rules G, X, A, N11 and
/// N12, "Warp schedulers inside an SM"). Every half of a cycle is executed, and nothing is predicted.
///
/// The cycles of an SM begin with its first block since it was idle. Releases are at the beginning of a whole cycle, or
/// just after it.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reference/sub_core.hpp"

namespace reference {

struct SharedKernel {
  std::vector<WarpOp> program;
  std::string text;  ///< of the program
  long time = 0;     ///< of a block without instructions, or of a copy
  long budget = 1, warps = 1, memory = 0;
  long blocks = 1;  ///< 0: it is a copy
};

struct SharedTask {
  std::vector<SharedKernel> kernels;
  long period = 1;
  std::size_t stream = 0;
  bool high = false;  ///< its stream has high priority
  bool host = false;  ///< it triggers each kernel, in a stream of its own, and waits for it; it alone has its stream
};

struct SharedSystem {
  std::string policy = "gto", pipelines = "free";
  bool two_per_cycle = false;
  long sms = 1, schedulers = 1, warps = 8, slots = 4, memory = 64;  ///< warps and so on of each SM
  std::vector<SharedTask> tasks;
};

/// The longest response of every task, in cycles.
class SharedGpu {
 public:
  /// Which of so many SMs with equal room gets a block.
  using Choose = std::function<std::size_t(std::size_t)>;

  /// Offsets are halves of cycles: 2 * cycle, or 2 * cycle + 1 for just after its beginning.
  SharedGpu(const SharedSystem& system, std::vector<long> offsets)
      : system_(&system),
        offsets_(std::move(offsets)),
        sms_(static_cast<std::size_t>(system.sms)),
        jobs_(system.tasks.size()),
        streams_(system.tasks.size()),
        longest_(system.tasks.size()),
        whole_(std::all_of(offsets_.begin(), offsets_.end(), [](long offset) { return offset % 2 == 0; })) {}

  /// With releases before the cycle `until`, up to the end of all jobs.
  std::vector<long> run(long until, const Choose& choose) {
    while (half_ < 2 * until || is_at_work()) step(until, choose);
    return longest_;
  }

  /// Half of a cycle, or a whole one if nothing happens in its middle.
  void step(long until, const Choose& choose) {
    end_blocks();
    end_copy();
    for (Stream& stream : streams_)
      if (stream.at_work && stream.started == kernel_of(stream).blocks && stream.running == 0) end_kernel(stream);
    for (std::size_t task = 0; task < jobs_.size(); ++task) {
      const long period = 2 * system_->tasks[task].period;
      if (half_ < 2 * until && half_ >= offsets_[task] && (half_ - offsets_[task]) % period == 0)
        jobs_[task].released.push_back(half_);
      if (jobs_[task].released.empty() || std::exchange(jobs_[task].has_kernel, true)) continue;
      streams_[system_->tasks[task].stream].tasks.push_back(task);
    }
    for (std::size_t stream = 0; stream < streams_.size(); ++stream)
      if (!streams_[stream].at_work && !streams_[stream].tasks.empty()) submit(stream);
    if (!copies_.empty() && copy_ends_ < 0) copy_ends_ = half_ + 2 * kernel_of(streams_[copies_.front()]).time;
    while (!queue_.empty() && start_block(queue_.front(), choose)) {
      const Stream& first = streams_[queue_.front()];
      if (first.started == kernel_of(first).blocks) queue_.pop_front();
    }
    for (Sm& sm : sms_)
      for (WarpScheduler& scheduler : sm.schedulers)
        if (sm.cycle_begins(half_)) scheduler.execute(sm.next_cycle(half_));
    half_ += whole_ ? 2 : 1;
  }

  /// Whether an SM has had more warps than that since it was idle.
  bool has_dealt(long warps) const {
    return std::any_of(sms_.begin(), sms_.end(), [&](const Sm& each) { return each.dealt > warps; });
  }
  long half() const { return half_; }
  const std::vector<long>& longest() const { return longest_; }
  bool is_at_work() const {
    return std::any_of(jobs_.begin(), jobs_.end(), [](const Job& each) { return !each.released.empty(); });
  }
  bool has_pending(std::size_t most) const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& each) { return each.released.size() > most; });
  }

  /// Two with the same offsets and equal texts at instants that are hyperperiods apart go on alike. SMs that are alike
  /// count as one.
  std::string text() const {
    std::string text;
    const auto add = [&](long value) { text += std::to_string(value) + ' '; };
    for (const Job& job : jobs_) {
      for (const long released : job.released) add(half_ - released);
      text += job.has_kernel ? 'k' : 'n';
      add(static_cast<long>(job.kernel));
    }
    for (const Stream& stream : streams_) {
      for (const std::size_t task : stream.tasks) add(static_cast<long>(task));
      text += stream.at_work ? 'w' : 'n';
      add(stream.started);
      add(stream.running);
    }
    for (const std::size_t stream : queue_) add(static_cast<long>(stream));
    text += 'c';
    for (const std::size_t stream : copies_) add(static_cast<long>(stream));
    add(copy_ends_ < 0 ? -1 : copy_ends_ - half_);
    std::vector<std::string> sms;
    for (const Sm& sm : sms_) sms.push_back(text_of(sm));
    std::sort(sms.begin(), sms.end());
    for (const std::string& sm : sms) text += '\n' + sm;
    return text;
  }

 private:
  struct Block {
    std::size_t stream = 0;
    long warps = 0, memory = 0;
    long end = 0;                                         ///< without instructions
    std::vector<std::pair<std::size_t, std::size_t>> at;  ///< scheduler and number of each warp
  };
  struct Sm {
    std::vector<WarpScheduler> schedulers;
    std::vector<Block> blocks;
    long dealt = 0, used = 0, used_memory = 0;
    long first = 0;  ///< the half in which its cycles begin
    bool cycle_begins(long half) const { return (half - first) % 2 == 0; }
    long next_cycle(long half) const { return (half - first + 1) / 2; }
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

  const SharedTask& task_of(const Stream& stream) const { return system_->tasks[stream.tasks.front()]; }
  const SharedKernel& kernel_of(const Stream& stream) const {
    return task_of(stream).kernels[jobs_[stream.tasks.front()].kernel];
  }

  std::string text_of(const Sm& sm) const {
    std::string text = std::to_string(sm.dealt % system_->schedulers) + (sm.cycle_begins(half_) ? 'c' : 'n');
    for (const Block& block : sm.blocks) {
      text += " b" + std::to_string(block.stream) + ' ' + std::to_string(std::max(0L, block.end - half_));
      for (const auto& [scheduler, warp] : block.at)
        text += ' ' + std::to_string(scheduler) + ':' + std::to_string(warp);
    }
    for (const WarpScheduler& scheduler : sm.schedulers) text += " | " + scheduler.text(sm.next_cycle(half_));
    return text;
  }

  void end_kernel(Stream& stream) {
    stream.at_work = false;
    const std::size_t task = stream.tasks.front();
    stream.tasks.pop_front();
    Job& job = jobs_[task];
    job.has_kernel = false;
    if (++job.kernel < system_->tasks[task].kernels.size()) return;
    job.kernel = 0;
    // What is just after the beginning of a cycle is there in the limit.
    longest_[task] = std::max(longest_[task], half_ / 2 - job.released.front() / 2);
    job.released.pop_front();
  }

  /// Copies in sequence; kernels behind all of high priority, and behind all others if it has low priority.
  void submit(std::size_t index) {
    Stream& stream = streams_[index];
    stream.at_work = true;
    stream.started = 0;
    if (kernel_of(stream).blocks == 0) {
      stream.running = 1;
      copies_.push_back(index);
      return;
    }
    const auto goes_after = [&](std::size_t other) { return task_of(streams_[other]).high || !task_of(stream).high; };
    queue_.insert(std::find_if_not(queue_.begin(), queue_.end(), goes_after), index);
  }

  void end_blocks() {
    for (Sm& sm : sms_) {
      std::erase_if(sm.blocks, [&](const Block& block) {
        const bool ended = half_ >= block.end && std::all_of(block.at.begin(), block.at.end(), [&](const auto& warp) {
                             return sm.cycle_begins(half_) && sm.schedulers[warp.first].has_ended(warp.second);
                           });
        if (!ended) return false;
        --streams_[block.stream].running;
        sm.used -= block.warps;
        sm.used_memory -= block.memory;
        return true;
      });
      if (sm.blocks.empty()) sm = Sm();
    }
  }

  void end_copy() {
    if (copies_.empty() || copy_ends_ != half_) return;
    streams_[copies_.front()].running = 0;
    copies_.pop_front();
    copy_ends_ = -1;
  }

  bool start_block(std::size_t index, const Choose& choose) {
    Stream& stream = streams_[index];
    const SharedKernel& kernel = kernel_of(stream);
    std::vector<Sm*> best;
    long most = 1;
    for (Sm& sm : sms_) {
      const long room = (system_->warps - sm.used) / kernel.warps;
      if (static_cast<long>(sm.blocks.size()) >= system_->slots || room < most) continue;
      if (sm.used_memory + kernel.memory > system_->memory) continue;
      if (room > most) best.clear();
      most = room;
      best.push_back(&sm);
    }
    if (best.empty()) return false;
    Sm& sm = *best[best.size() == 1 ? 0 : choose(best.size())];
    if (sm.schedulers.empty()) {
      const WarpScheduler idle(system_->policy, system_->two_per_cycle, {});
      sm.schedulers.assign(static_cast<std::size_t>(system_->schedulers), idle);
      sm.first = half_;
    }
    Block block{index, kernel.warps, kernel.memory, half_ + 2 * kernel.time, {}};
    for (long warp = 0; warp < kernel.warps && !kernel.program.empty(); ++warp) {
      const auto scheduler = static_cast<std::size_t>(sm.dealt++ % system_->schedulers);
      StartingWarp added;
      added.ops = kernel.program;
      added.start = sm.next_cycle(half_);
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

  const SharedSystem* system_;
  std::vector<long> offsets_;
  std::vector<Sm> sms_;
  std::vector<Job> jobs_;  ///< of each task
  std::vector<Stream> streams_;
  std::deque<std::size_t> queue_, copies_;  ///< streams
  long copy_ends_ = -1;                     ///< of the first
  long half_ = 0;
  std::vector<long> longest_;
  bool whole_ = true;  ///< nothing happens but at the beginning of cycles
};

}  // namespace reference
