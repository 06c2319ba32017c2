// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long the kernels and copies of one context delay each other, if its streams are used by several tasks.
///
/// Time here is the time for which an engine serves the context; blocks make no progress otherwise. Every stream has at
/// most one operation in the queues of engines (G2). C is the longest time of a block, with the largest slowdown, g the
/// number of blocks, and the *rounds* are ceil(g / M), if an idle GPU holds M blocks of the kernel. A bound must hold
/// for all shorter times too: a block that ends earlier may delay others, because another kernel takes its place.
/// Neither of the two arguments below uses more than an upper bound on the time of each block.
///
/// Copies. A copy engine executes the copies of a context one after the other, first come, first served. So at most one
/// copy of each other stream precedes a copy.
///
/// Kernels of equal priority, *in sequence*. Let kernels be numbered as they enter the queue, and let F(j) be the
/// instant at which all kernels up to j have ended. No block overtakes (X1). So from F(j - 1) on, kernel j has all SMs
/// to itself until its last block is assigned: either M of its blocks are resident or all are assigned. After r C, at
/// least min(g, r M) of its blocks have ended, whichever were resident before. So F(j) - F(j - 1) is at most the rounds
/// of j times C. A kernel k thus takes at most its own rounds and those of the kernels before it: at most one of every
/// other stream. This also holds for kernels that occupy the whole engine and for cache configurations (N8).
///
/// Kernels of two priorities, in sequence. Let B be the longest block of low priority.
/// - A kernel of high priority first waits for resident blocks of low priority, at most B, because none is assigned
///   while it waits (A2). After that the argument above holds among the kernels of high priority.
/// - A kernel of low priority: charge every instant to the oldest kernel of high priority that has not ended, if there
///   is one, else to the oldest of low priority. The former is charged at most B and its rounds. For the latter, let u
///   blocks have not ended when an interval begins that is charged to j. If a kernel of high priority ends the interval
///   after l, at least M floor(l / C) of them have ended, and M more will by (floor(l / C) + 1) C. The interruption
///   lasts at most B and the rounds of its kernels. So if it lasts until these M have ended, it costs at most B plus
///   these rounds in addition; otherwise less than C <= B. So a kernel of low priority takes at most its own rounds,
///   those of one kernel of every other stream of low priority, and B and the rounds of every kernel of high priority
///   that is active in the window.
///
/// Kernels *by area*. While k has blocks to assign, the next block of some kernel h of at least its priority does not
/// fit on any SM. On each SM there is a resource of which too little is free: more than capacity - need(h) is in use.
/// Let need be the largest need of all kernels of the context, and let full be the smallest sum of blocks of these
/// kernels that exceeds capacity - need. Then the blocks on this SM use at least full. Let the weight of a block be the
/// largest use / full over all resources. So the weights on each of the N SMs add up to at least 1. So the last block
/// of k is assigned after at most the sum of weight times C over all blocks that are resident in this time, divided by
/// N: those of k but one, and those of the other kernels as above. k then ends within its C. This argument needs no B,
/// but all kernels must state their launch configurations, and the same cache configuration.
///
/// Masks. If a mask restricts k to some SMs, M counts the blocks that these hold while they are idle. The arguments in
/// sequence do not change: no block overtakes, and other kernels that have blocks to assign wait even for idle SMs. By
/// area, only the SMs that h may use are full, so N is the smallest number of SMs that any kernel of the context may use.
///
/// Coarse preemption. If a slice ends only at the end of blocks, no block is assigned after the slice, and all resident
/// ones end. So every interval begins with idle SMs, and what is left of the rounds at its end is part of the drain:
/// the arguments hold for the time outside of drains. If it ends only at the end of kernels, the kernels that have
/// begun also end in the drain.

#include <optional>
#include <string>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

/// A kernel as the others of its context see it.
struct KernelBlocks {
  Duration block;  ///< C
  std::int64_t blocks = 1;
  std::optional<SmUse> use;  ///< of each block; nothing: one block that occupies the whole engine
  std::string cache_config;
  std::int64_t sms = 0;  ///< number of SMs that its blocks may use; 0: all
};

/// The weights of blocks among the kernels of a context.
class BlockWeights {
 public:
  /// `kernels`: all of the context.
  BlockWeights(const SmLimits& limits, const std::vector<KernelBlocks>& kernels);

  /// Whether the argument by area applies to these kernels.
  bool apply() const { return apply_; }
  /// The time for which this number of blocks of the kernel can keep other blocks from all SMs: weight * C * blocks / N,
  /// rounded up. Saturates like the sums of the analysis, at 2^61 ps.
  Duration time(const KernelBlocks& kernel, std::int64_t blocks) const;

 private:
  /// A resource of an SM: how much a block uses, and the least use that keeps some block away; 0: it never does.
  struct Resource {
    std::int64_t SmUse::*use;
    std::int64_t full = 0;
  };
  bool apply_ = false;
  std::int64_t sms_ = 1;  ///< the fewest that a kernel may use
  std::vector<Resource> resources_;
};

}  // namespace amalthea::engine::nvidia
