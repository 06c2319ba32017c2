// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Profile data for a GPU that dispatches blocks from hardware queues (AMD), in addition to its limits. All values are
/// data of the profile (platforms/radeon-vii.json), where each figure names its source; amd/device.hpp describes their
/// effect.

#include <cstdint>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/kernel_cost.hpp"

namespace amalthea::engine::gpu {

/// Order of several waiting blocks in a shader engine. The sources do not define what happens to the turn of a slot
/// whose block does not fit (A6).
enum class TurnRule : std::uint8_t {
  round_robin,  ///< starts with the slot after the one served last
  oldest,       ///< starts with the slot that was filled first
};
std::string_view name_of(TurnRule rule);  ///< "round_robin", "oldest"

struct QueueArchitecture {
  std::int64_t aces = 4;           ///< asynchronous compute engines
  std::int64_t slots_per_ace = 8;  ///< HSA queues per ACE; beyond aces x slots, queues take turns
  std::int64_t pool_queues = 4;    ///< HSA queues that unmasked streams of a process share (GPU_MAX_HW_QUEUES, A3)
  TurnRule turns = TurnRule::round_robin;
  /// With more queues than slots, the firmware gives the slots to other queues after this time.
  Duration quantum = Duration::microseconds(10'000);
  /// After this time, an ACE that dispatches blocks of a kernel turns to its next queue (A4); zero: after all blocks.
  Duration ace_slice;
  Duration launch_overhead;  ///< from a call of the host until its kernel is in its queue
  Duration launch_pause;     ///< of a host that launches repeatedly: from the end of a kernel to the next call
  Duration launch_offset;    ///< of two such hosts: from the first call of one to that of the other
  std::vector<NamedKernel> kernels;

  friend bool operator==(const QueueArchitecture&, const QueueArchitecture&) = default;
};

}  // namespace amalthea::engine::gpu
