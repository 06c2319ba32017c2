// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a profile says of a GPU that hands out blocks from hardware queues (AMD), beyond its limits. All is data of the
/// profile (platforms/radeon-vii.json), where each figure names its source; amd/device.hpp says what it does.

#include <cstdint>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/kernel_cost.hpp"

namespace amalthea::engine::gpu {

/// Who of several waiting blocks comes first in a shader engine. The sources leave open what becomes of the turn of a
/// slot whose block finds no room (A6).
enum class TurnRule : std::uint8_t {
  round_robin,  ///< the slot after the one that was served last
  oldest,       ///< the slot that was filled first
};
std::string_view name_of(TurnRule rule);  ///< "round_robin", "oldest"

struct QueueArchitecture {
  std::int64_t aces = 4;           ///< asynchronous compute engines
  std::int64_t slots_per_ace = 8;  ///< HSA queues that an ACE can have; beyond aces x slots the model ends
  std::int64_t pool_queues = 4;    ///< HSA queues that unmasked streams of a process share (GPU_MAX_HW_QUEUES, A3)
  TurnRule turns = TurnRule::round_robin;
  Duration launch_overhead;  ///< from a call of the host until its kernel is in its queue
  std::vector<NamedKernel> kernels;
};

}  // namespace amalthea::engine::gpu
