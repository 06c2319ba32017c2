// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/sm_warps.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace amalthea::engine::nvidia {
namespace {

constexpr std::int64_t parts = 1'000'000;  // of a picosecond

constexpr std::int64_t look_ahead = 256;   // cycles
constexpr std::size_t most_states = 4096;  // that are kept
constexpr std::size_t most_steps = 256;    // from an idle SM; a chain is destroyed recursively

}  // namespace

/// A state, and those that follow it.
struct SmEpisode {
  struct Block {
    std::size_t number = 0;  ///< within the episode
    std::int64_t left = 0;   ///< warps that have not ended
    std::int64_t end = 0;    ///< the cycle after the last issue of those that have
  };
  using Next = std::shared_ptr<SmEpisode>;

  std::vector<SubCore> sub_cores;
  std::vector<Block> blocks;
  std::int64_t dealt = 0;         ///< warps, since the SM was idle
  std::vector<std::size_t> ends;  ///< the blocks that end next, in `end_cycle`; empty: unknown
  std::vector<SubCore> later;     ///< at a later cycle, before a block ends; none: nothing is known
  std::vector<Block> blocks_later;
  std::int64_t end_cycle = 0;
  std::size_t steps = 0;                ///< from an idle SM
  std::shared_ptr<std::size_t> states;  ///< number of all those that are kept
  std::map<std::pair<std::int64_t, const BlockWarps*>, Next> after_start;
  std::map<std::size_t, Next> after_end;

  static void execute_until(std::int64_t cycle, std::vector<SubCore>& sub_cores, std::vector<Block>& blocks) {
    for (SubCore& sub_core : sub_cores)
      while (const auto ended = sub_core.run(cycle)) count_end(blocks, *ended, sub_core.cycle());
  }

  static void count_end(std::vector<Block>& blocks, WarpIndex block, std::int64_t cycle) {
    const auto at = std::find_if(blocks.begin(), blocks.end(), [&](const Block& any) { return any.number == block; });
    --at->left;
    at->end = std::max(at->end, cycle);
  }

  /// Looks ahead in steps, and keeps the last one before a block ends.
  void find_ends() {
    std::vector<SubCore> ahead = sub_cores;
    std::vector<Block> seen = blocks;
    const auto has_ended = [](const Block& block) { return block.left == 0; };
    for (std::int64_t cycle = sub_cores.front().cycle(); std::none_of(seen.begin(), seen.end(), has_ended);) {
      if (cycle > sub_cores.front().cycle()) {
        later = ahead;
        blocks_later = seen;
      }
      cycle += look_ahead;
      execute_until(cycle, ahead, seen);
    }
    end_cycle = std::numeric_limits<std::int64_t>::max();
    for (const Block& block : seen)
      if (has_ended(block)) end_cycle = std::min(end_cycle, block.end);
    for (const Block& block : seen)
      if (has_ended(block) && block.end == end_cycle) ends.push_back(block.number);
  }

  /// The state that follows by `change` at a cycle, computed once.
  template <typename Known, typename Key, typename Change>
  Next after(Known& known, const Key& key, std::int64_t cycle, const Change& change) {
    if (const auto found = known.find(key); found != known.end()) return found->second;
    auto next = std::make_shared<SmEpisode>();
    const bool is_late = !later.empty() && later.front().cycle() <= cycle;
    next->sub_cores = is_late ? later : sub_cores;
    next->blocks = is_late ? blocks_later : blocks;
    next->dealt = dealt;
    next->states = states;
    execute_until(cycle, next->sub_cores, next->blocks);
    change(*next);
    if (steps < most_steps && *states < most_states) {
      next->steps = steps + 1;
      ++*states;
      known.emplace(key, next);
    }
    return next;
  }
};

const std::shared_ptr<SmEpisode>& SmEpisodes::idle() {
  if (!idle_ || *idle_->states >= most_states) {
    idle_ = std::make_shared<SmEpisode>();
    idle_->states = std::make_shared<std::size_t>(0);
  }
  return idle_;
}

void SmWarps::start(BlockNumber block, const BlockWarps& warps, SmEpisodes& episodes) {
  if (blocks_.empty()) {
    state_ = episodes.idle();
    clock_cycles_ = warps.clock_cycles;
    clock_picoseconds_ = warps.clock_picoseconds;
    started_ = 0;
    now_ = 0;
  }
  const std::int64_t cycle = next_cycle();
  state_ = state_->after(state_->after_start, std::pair(cycle, &warps), cycle, [&](SmEpisode& next) {
    if (next.sub_cores.empty())
      next.sub_cores.assign(static_cast<std::size_t>(warps.sub_cores), SubCore(*warps.policy, *warps.pipelines));
    for (std::int64_t warp = 0; warp < warps.warps.warps; ++warp)
      next.sub_cores[static_cast<std::size_t>(next.dealt++ % warps.sub_cores)].add(
          {&warps.warps.program, cycle, warps.warps.budget, started_});
    next.blocks.push_back({started_, warps.warps.warps, 0});
  });
  blocks_.emplace_back(started_++, block);
  ends_.clear();
}

void SmWarps::advance(Duration elapsed, Slowdown slowdown) {
  now_ += detail::Int128{elapsed.picoseconds()} * parts * 1'000'000 / slowdown.ppm;
  // The end of a block is rounded up to a picosecond. Its rest belongs to no cycle.
  if (!ends_.empty()) now_ = std::min(now_, time_of(end_cycle_));
}

const std::vector<SmWarps::BlockNumber>& SmWarps::next_ends() {
  if (!ends_.empty()) return ends_;
  if (state_->ends.empty()) state_->find_ends();
  end_cycle_ = state_->end_cycle;
  for (const auto& [number, block] : blocks_)
    if (std::find(state_->ends.begin(), state_->ends.end(), number) != state_->ends.end()) ends_.push_back(block);
  return ends_;
}

Duration SmWarps::time_to_end(Slowdown slowdown) {
  next_ends();
  const detail::Int128 left = std::max<detail::Int128>(0, time_of(end_cycle_) - now_);
  return Duration::picoseconds(detail::divide(left * slowdown.ppm, detail::Int128{parts} * 1'000'000, Rounding::up));
}

void SmWarps::end(BlockNumber block) {
  const auto at =
      std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& known) { return known.second == block; });
  const std::size_t number = at->first;
  state_ = state_->after(state_->after_end, number, end_cycle_, [&](SmEpisode& next) {
    std::erase_if(next.blocks, [&](const SmEpisode::Block& ended) { return ended.number == number; });
  });
  blocks_.erase(at);
  std::erase(ends_, block);
}

detail::Int128 SmWarps::time_of(std::int64_t cycle) const {
  return detail::Int128{detail::divide(detail::Int128{cycle} * clock_picoseconds_, clock_cycles_, Rounding::nearest)} *
         parts;
}

/// The first cycle that has not begun.
std::int64_t SmWarps::next_cycle() const {
  auto cycle = static_cast<std::int64_t>(now_ / parts * clock_cycles_ / clock_picoseconds_);
  while (cycle > 0 && time_of(cycle - 1) >= now_) --cycle;
  while (time_of(cycle) < now_) ++cycle;
  return cycle;
}

}  // namespace amalthea::engine::nvidia
