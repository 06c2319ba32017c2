// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long kernels of one context take if their warps share sub-cores with those of other kernels, or with blocks of
/// the same kernel that start at another time. docs/theory/gpu.md ("Warps that share a sub-core") has the proofs.
///
/// Every warp policy issues whenever a warp is ready. So a block takes at most its *path*, the latencies of a warp's
/// instructions, and what other warps of the sub-core issue until it has ended. What the others issue counts for each
/// of their jobs in that time, since some policies prefer warps of later kernels. What kernels that have ended left in
/// pipelines counts once, or like what has not ended.
///
/// Without waiting. If the blocks of the kernels that may be resident together never fill all SMs, each kernel starts
/// as soon as it is submitted. The placement rule limits the blocks of it on an SM. So it takes at most its path and
/// what those blocks, and those of each other kernel, issue on one sub-core.
///
/// With waiting. While blocks of a kernel wait, the weights (streams.hpp) on each SM add up to at least 1. So the wait
/// takes at most the sum over all blocks of weight times residence, divided by the number of SMs. The residence of a
/// block is its path and what others issue meanwhile. A block that issues delays at most the others on its SM, whose
/// weights have a largest sum. What it leaves in pipelines at its end delays the block that takes its place, too.
///
/// Waiting once. Kernels that are submitted later start no block during the wait. So only one kernel of each other
/// stream adds to the wait, unless its stream has higher priority. In sequence: kernels of one priority end one after
/// the other, each after its rounds, so that paths and everything issued add up. Once the last
/// block has started, later kernels delay it on one sub-core only. All this is proven for latencies without masks only,
/// in a process that has the GPU to itself and that nothing slows down. So is the limit on blocks of others that are
/// beside several blocks of the kernel.
///
/// Oldest first. With the policy greedy-then-oldest, if no kernel waits for SMs and no pipeline of a kernel is ever
/// occupied, later kernels delay each instruction of a warp by at most the instructions that one of their warps issues
/// without a pause. Of each other stream, at most one kernel is older.
///
/// Masks. The placement rule chooses among the SMs of a mask, and a block that waits finds all of these occupied. So
/// each kernel counts its own SMs, with the blocks of all others as if they were there. Weights count the smallest mask.
///
/// Letters leave the order of instructions to the SM. A block takes at most its own instructions, and what others
/// execute on the SM: an instruction counts with the part of a cycle's units, or of its schedulers, that it occupies.
///
/// Time here is that for which the engine serves the context, without slowdown (time_slice_analysis.hpp, (9) and (12)).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/kernel_delays.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/makespan/kernel.hpp"
#include "engine/nvidia/names.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

/// A kernel with a launch configuration. All of a context have one cache configuration.
struct SharingKernel {
  std::size_t task = 0;    ///< at most one kernel of a task is at work at a time
  std::size_t stream = 0;  ///< and one of a stream
  std::size_t host = 0;    ///< the task that triggers it, or its own
  SmUse block;
  std::int64_t blocks = 1;
  Duration time;                              ///< of a block without instructions, whatever is beside it
  std::vector<WarpInstruction> instructions;  ///< of each warp
  makespan::PerUnit letters{};                ///< the same, with LetterUnits: how many for each kind of unit
  std::vector<bool> mask = {};                ///< the SMs that its blocks may use; empty: all
};

/// What an SM executes in a cycle.
struct LetterUnits {
  makespan::PerUnit capacity{};  ///< instructions for a kind of unit, > 0
  std::int64_t schedulers = 1;   ///< instructions in all
};

struct SharedSm {
  SmLimits limits;
  const WarpPipelines* pipelines = nullptr;
  Frequency clock;
  bool greedy_then_oldest = false;        ///< the warp policy
  std::optional<LetterUnits> units = {};  ///< kernels state letters, and the SM chooses among their instructions
};

/// For all kernels of a context. In the first way, by[kernel][other] covers all kernels that the task has in the stream,
/// one after the other. by[kernel][kernel] is what a kernel adds to the time for which the context is at work beyond its own.
/// If blocks may wait, three ways more count the wait once. If not, some ways more limit the blocks on an SM. With the
/// policy greedy-then-oldest, a last way counts each other stream only once.
std::vector<gpu::KernelDelays> shared_warp_delays(const SharedSm& sm, const std::vector<SharingKernel>& kernels);

}  // namespace amalthea::engine::nvidia
