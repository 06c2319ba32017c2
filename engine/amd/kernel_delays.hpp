// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Bounds on how long kernels of an AMD GPU delay each other, from the rules of device.hpp.
///
/// Let C be the longest time of a block of a kernel and g its number of blocks. The kernel uses E shader engines (SEs),
/// so it has ceil(g / E) *levels* of E consecutive blocks, one on each SE (A5). A block takes C whatever runs beside
/// it.
///
/// *Alone*, a kernel takes at most ceil(levels / M) C, if M of its blocks fit on the SE with the fewest enabled compute
/// units (CUs). By induction, a block of level n starts by floor(n / M) C: its SE then holds at most M - 1 blocks of
/// lower levels, and it was dispatched when the level below had started. It takes at least the largest number of rounds
/// on any SE.
///
/// *Waiting.* Let k be the first of its stream, and consider an instant before its last block starts.
/// - k may wait for a kernel of the same HSA queue (A3) all of whose blocks have started: at most C of that kernel.
/// - Otherwise the ACE of k has a block in the slot of some SE that fits on no CU of its mask there: a block of k or of
///   another kernel of this ACE (A4). So the SE is *full*: on each of its N enabled CUs, more than capacity - need of
///   some resource is in use. Let full be the smallest multiple of the greatest common divisor of all uses that exceeds
///   capacity - need, and let the weight w of a block be the largest use / full of any resource. So the weights of the
///   resident blocks of the SE add up to at least N.
///
/// *By area*: a full SE executes weights of N. So the blocks of a kernel on an SE account for at most w C / N each, and
/// a kernel for the sum over its SEs. In the wait for its own blocks, k accounts for less: follow the blocks whose
/// starts let the next one be dispatched back from the last block. Their levels decrease, and when one of level n + 2
/// is dispatched, all blocks of level n have started. So the blocks of level n account for at most C during the wait of
/// one block of level n + 1, and once more for C in all later waits: 2 w C / N instead of E w C / N.
///
/// *By levels*: divide the wait into windows (t - L, t], where L is the longest block of any kernel and an SE is full
/// at t. In each window blocks of weight N started on this SE. An ACE hands its blocks to an SE one by one, and all
/// blocks of a level consecutively. So of each ACE at most two of these blocks belong to levels of which a block had
/// started before the window: the one in the slot, and the one after it. The other levels, of weight N - 2 w per ACE
/// with the largest w, are new. So a kernel accounts for at most w L / (N - 2 w ACEs) per level.
///
/// N and need are the worst over the kernels that k may wait behind: k and the kernels of its queue; and all kernels if
/// there are more queues than ACEs. Blocks on CUs that none of these may use do not count.
///
/// *Dispatch.* An ACE may need a time d for each block that it dispatches. Then an instant before the last block of k
/// starts may also belong to the dispatch of a block by the ACE of k. The block is one of k or of a kernel that k may
/// wait behind: g d for each of them. One dispatch may go on from before k was submitted, so the longest d of any kernel
/// counts once. The other instants are as above. Alone, block i is dispatched by floor(n / M) C + i d: by induction after
/// the block before it, d later, and after the block of the level before on its SE has started.
///
/// *Whole.* A kernel without launch configuration waits for an empty GPU, and kernels submitted later wait for it. Each
/// accounts for its C. An instant at which no SE is full for a kernel that may start belongs to a drain: no block
/// starts, and the running ones end. A drain takes at most the longest block. It ends when such a kernel starts, or an
/// ACE turns to an earlier kernel. So each kernel accounts for one drain more, and any kernel may wait in place of k.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/gpu/kernel_delays.hpp"

namespace amalthea::engine::amd {

/// A kernel of a GPU that several tasks may use.
struct SharingKernel {
  /// Kernels of one task never run at the same time, and neither do those of one stream.
  std::size_t task = 0, stream = 0;
  Duration block;  ///< C
  std::int64_t blocks = 1;
  std::optional<SmUse> use;              ///< of each block; nothing: one block that occupies the whole GPU
  std::optional<CuMask> mask = {};       ///< nothing: all CUs
  std::optional<std::size_t> pool = {};  ///< kernels with the same one may wait in the same HSA queue
  Duration dispatch = {};                ///< the longest time of an ACE for each block
};

/// Rounds of blocks of a kernel that is alone on the GPU.
struct Rounds {
  std::int64_t least = 1;
  std::int64_t most = 1;
};
Rounds rounds_alone(const DeviceSettings& settings, std::int64_t blocks, const SmUse& use,
                    const std::optional<CuMask>& mask);

/// A kernel that nothing delays but an ACE that still dispatches a block of another one for `dispatching`.
Duration time_alone(const DeviceSettings& settings, const SharingKernel& kernel, Duration dispatching);

/// The ways to bound the kernels. `queues`: how many HSA queues they use, at most DeviceSettings::queues(). With
/// `shares_aces`, several of them may have one ACE even if there are fewer queues than ACEs. Kernels with times of
/// dispatch are not beside any that occupies the whole GPU.
std::vector<KernelDelays> kernel_delays(const DeviceSettings& settings, const std::vector<SharingKernel>& kernels,
                                        std::int64_t queues, bool shares_aces = false);

}  // namespace amalthea::engine::amd
