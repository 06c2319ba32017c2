// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The warps of all blocks on one SM whose instructions are stated, on the sub-cores of sub_core.hpp. Blocks start and
/// end at any time. Time passes only while the device says so: not while another context is served.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/slowdown.hpp"
#include "engine/nvidia/sub_core.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

/// What each block of a kernel executes, and where.
struct BlockWarps {
  WarpKernel warps;  ///< of a block; its release has no meaning
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  std::int64_t sub_cores = 1;
  /// The SM's clock: so many cycles take so many picoseconds.
  std::int64_t clock_cycles = 1;
  std::int64_t clock_picoseconds = 1;
};

/// What was computed for an SM since it was idle. SMs on which the same blocks start at the same cycles share it, and so
/// do later repetitions.
struct SmEpisode;

/// All episodes of a device.
class SmEpisodes {
 public:
  /// The state of an idle SM.
  const std::shared_ptr<SmEpisode>& idle();

 private:
  std::shared_ptr<SmEpisode> idle_;
};

class SmWarps {
 public:
  using BlockNumber = std::uint32_t;

  /// The warps go to the sub-cores in turn. They start with the next cycle. An SM without blocks begins anew: its cycles
  /// begin now, and what the last block did there has no effect. `warps` must outlive the episodes.
  void start(BlockNumber block, const BlockWarps& warps, SmEpisodes& episodes);
  /// Time passes, at most `time_to_end`; everything takes `slowdown` as long.
  void advance(Duration elapsed, Slowdown slowdown);
  /// The blocks that end next, all at the same time. There must be a block.
  const std::vector<BlockNumber>& next_ends();
  Duration time_to_end(Slowdown slowdown);
  /// One of `next_ends`, after `time_to_end`.
  void end(BlockNumber block);

 private:
  detail::Int128 time_of(std::int64_t cycle) const;
  std::int64_t next_cycle() const;

  std::shared_ptr<SmEpisode> state_;
  std::vector<std::pair<std::size_t, BlockNumber>> blocks_;  ///< resident; their numbers in the episode
  std::size_t started_ = 0;                                  ///< blocks, since the SM was idle
  std::int64_t clock_cycles_ = 1;
  std::int64_t clock_picoseconds_ = 1;
  detail::Int128 now_ = 0;         ///< millionths of a picosecond since the SM was idle
  std::vector<BlockNumber> ends_;  ///< empty: unknown
  std::int64_t end_cycle_ = 0;     ///< of those
};

}  // namespace amalthea::engine::nvidia
