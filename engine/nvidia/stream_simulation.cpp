#include "engine/nvidia/stream_simulation.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <stdexcept>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {
namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// The end of a block or of a copy.
struct End {
  Instant time;
  std::size_t sequence = 0;  ///< ends of one instant come in the order of their starts
  std::size_t operation = 0;
  SmIndex sm = 0;
};
struct Later {
  bool operator()(const End& a, const End& b) const {
    return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
  }
};

class Simulation {
 public:
  Simulation(const StreamScenario& scenario, std::vector<SmUse> use)
      : scenario_(scenario),
        use_(std::move(use)),
        placement_(scenario.limits, scenario.scan, scenario.ties),
        runs_(scenario.operations.size()),
        running_blocks_(scenario.operations.size(), 0),
        order_(scenario.operations.size()),
        rank_(scenario.operations.size()),
        stream_queues_(scenario.streams.size()),
        copy_queues_(static_cast<std::size_t>(scenario.copy_engines)),
        copy_engine_busy_(copy_queues_.size(), false) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return scenario.operations[a].release < scenario.operations[b].release;
    });
    for (std::size_t rank = 0; rank < order_.size(); ++rank) rank_[order_[rank]] = rank;
  }

  StreamRun run() {
    while (released_ < order_.size() || !ends_.empty()) {
      Instant next = Instant::never();
      if (released_ < order_.size()) next = scenario_.operations[order_[released_]].release;
      if (!ends_.empty()) next = std::min(next, ends_.top().time);
      now_ = next;
      finish();
      release();
      fill_queues();
      assign_blocks();
      assign_copies();
      // What takes no time ends at this instant: the loop comes back to it.
    }
    if (completed_ != runs_.size()) throw std::logic_error("operations of a stream scenario wait for ever");
    return {std::move(runs_), {}};
  }

 private:
  const StreamOperation& operation(std::size_t index) const { return scenario_.operations[index]; }
  bool is_kernel(std::size_t index) const { return operation(index).kind == StreamOperationKind::kernel; }
  std::size_t copy_engine_of(std::size_t index) const {
    return operation(index).kind == StreamOperationKind::device_to_host ? copy_queues_.size() - 1 : 0;
  }

  void finish() {
    while (!ends_.empty() && ends_.top().time == now_) {
      const End end = ends_.top();
      ends_.pop();
      const std::size_t index = end.operation;
      if (!is_kernel(index)) {
        copy_engine_busy_[copy_engine_of(index)] = false;
        complete(index);
        continue;
      }
      placement_.remove(end.sm, use_[index]);
      --resident_blocks_;
      --running_blocks_[index];
      if (running_blocks_[index] == 0 && is_fully_assigned(index)) complete(index);  // G4
    }
  }

  bool is_fully_assigned(std::size_t index) const {
    return static_cast<std::int64_t>(runs_[index].blocks.size()) == operation(index).blocks;
  }

  /// G4, C4: leaves its stream, whose next operation becomes the head.
  void complete(std::size_t index) {
    runs_[index].completion = now_;
    ++completed_;
    auto& queue = stream_queues_[operation(index).stream];
    queue.pop_front();
    heads_.erase(rank_[index]);
    null_ranks_.erase(rank_[index]);
    if (!queue.empty()) add_head(queue.front());
  }

  void add_head(std::size_t index) {
    heads_.insert(rank_[index]);
    waiting_heads_.insert(rank_[index]);
  }

  /// G1.
  void release() {
    for (; released_ < order_.size() && operation(order_[released_]).release == now_; ++released_) {
      const std::size_t index = order_[released_];
      auto& queue = stream_queues_[operation(index).stream];
      queue.push_back(index);
      if (scenario_.streams[operation(index).stream].is_null) null_ranks_.insert(released_);
      if (queue.size() == 1) add_head(index);
    }
  }

  /// G2, C1 and N7: heads of streams enter the queues of their engines in the order of release. An operation of the
  /// NULL stream must be the first of all heads; the others must come before the first of the NULL stream that has not
  /// ended.
  void fill_queues() {
    for (auto at = waiting_heads_.begin(); at != waiting_heads_.end(); at = waiting_heads_.erase(at)) {
      const std::size_t index = order_[*at];
      const std::size_t first_null = null_ranks_.empty() ? nothing : *null_ranks_.begin();
      if (*at > first_null || (*at == first_null && *heads_.begin() != *at)) return;
      runs_[index].enqueued = now_;
      if (is_kernel(index)) {
        kernel_queues_[static_cast<std::size_t>(scenario_.streams[operation(index).stream].priority)].push_back(index);
      } else {
        copy_queues_[copy_engine_of(index)].push_back(index);
      }
    }
  }

  /// X1, A2: the first of the highest priority's queue, as long as there is room.
  void assign_blocks() {
    for (auto& queue : kernel_queues_)
      for (; !queue.empty(); queue.pop_front()) {
        const std::size_t index = queue.front();
        const StreamOperation& kernel = operation(index);
        if (resident_blocks_ > 0 && kernel.cache_config != *cache_config_) return;  // N8
        OperationRun& run = runs_[index];
        while (!is_fully_assigned(index)) {
          const auto sm = placement_.place(use_[index]);
          if (!sm) return;
          cache_config_ = &kernel.cache_config;
          const Instant end = now_ + kernel.duration;
          if (run.blocks.empty()) run.start = now_;
          run.blocks.push_back({*sm, now_, end});
          ends_.push({end, sequence_++, index, *sm});
          ++resident_blocks_;
          ++running_blocks_[index];
        }
      }
  }

  /// C2, C3.
  void assign_copies() {
    for (std::size_t engine = 0; engine < copy_queues_.size(); ++engine) {
      auto& queue = copy_queues_[engine];
      if (copy_engine_busy_[engine] || queue.empty()) continue;
      const std::size_t index = queue.front();
      queue.pop_front();
      copy_engine_busy_[engine] = true;
      runs_[index].start = now_;
      ends_.push({now_ + operation(index).duration, sequence_++, index, 0});
    }
  }

  const StreamScenario& scenario_;
  std::vector<SmUse> use_;  ///< of a kernel's block
  BlockPlacement placement_;
  std::vector<OperationRun> runs_;
  std::vector<std::int64_t> running_blocks_;
  std::vector<std::size_t> order_;  ///< operations by release
  std::vector<std::size_t> rank_;   ///< place of an operation in order_
  std::size_t released_ = 0;        ///< how many of order_
  std::size_t completed_ = 0;

  std::vector<std::deque<std::size_t>> stream_queues_;
  std::set<std::size_t> heads_;               ///< ranks of the heads of all streams
  std::set<std::size_t> waiting_heads_;       ///< those that are in no engine's queue yet
  std::set<std::size_t> null_ranks_;          ///< of the NULL stream's operations that have not ended
  std::deque<std::size_t> kernel_queues_[2];  ///< by priority, high first
  std::vector<std::deque<std::size_t>> copy_queues_;
  std::vector<bool> copy_engine_busy_;

  std::priority_queue<End, std::vector<End>, Later> ends_;
  std::size_t sequence_ = 0;
  std::int64_t resident_blocks_ = 0;
  const std::string* cache_config_ = nullptr;  ///< of the resident blocks
  Instant now_;
};

}  // namespace

std::string_view name_of(StreamOperationKind kind) {
  switch (kind) {
    case StreamOperationKind::kernel:
      return "kernel";
    case StreamOperationKind::host_to_device:
      return "h2d";
    case StreamOperationKind::device_to_host:
      return "d2h";
    case StreamOperationKind::memset:
      return "memset";
  }
  return "";
}

tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario) {
  std::vector<SmUse> use(scenario.operations.size());
  std::int64_t blocks = 0;
  for (std::size_t index = 0; index < scenario.operations.size(); ++index) {
    const StreamOperation& operation = scenario.operations[index];
    if (operation.kind != StreamOperationKind::kernel) continue;
    const auto block = use_of_block(scenario.limits, operation.shape);
    if (!block) return tl::unexpected(fmt::format("operations[{}]: {}", index, block.error()));
    use[index] = *block;
    if (operation.blocks > most_simulated_blocks - blocks)
      return tl::unexpected(fmt::format("operations[{}]: more than {} blocks in all", index, most_simulated_blocks));
    blocks += operation.blocks;
  }
  try {
    return Simulation(scenario, std::move(use)).run();
  } catch (const std::overflow_error&) {
    return tl::unexpected(std::string("the scenario lasts longer than 2^63 ps"));
  }
}

}  // namespace amalthea::engine::nvidia
