// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an AMD GPU of device.hpp is made with, and what its kernels cost. All is data of a profile
/// (engine/gpu/platforms/radeon-vii.json), where each figure names its source.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/amd/cu_mask.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::amd {

/// Who of several waiting blocks comes first in a shader engine. The sources leave open what becomes of the turn of a
/// slot whose block finds no room (A6).
enum class TurnRule : std::uint8_t {
  round_robin,  ///< the slot after the one that was served last
  oldest,       ///< the slot that was filled first
};
std::string_view name_of(TurnRule rule);  ///< "round_robin", "oldest"

struct DeviceSettings {
  nvidia::SmLimits limits;  ///< of a CU; sms = all CUs, sms_per_gpc = those of a shader engine
  std::int64_t aces = 4;
  std::int64_t slots_per_ace = 8;  ///< HSA queues that an ACE can have; beyond aces x slots the model ends
  std::int64_t pool_queues = 4;    ///< HSA queues that unmasked streams of a process share (GPU_MAX_HW_QUEUES, A3)
  TurnRule turns = TurnRule::round_robin;
  int copy_engines = 1;

  Layout layout() const { return {limits.sms / limits.sms_per_gpc, limits.sms_per_gpc}; }
  std::int64_t queues() const { return aces * slots_per_ace; }
};

/// What a stream is created with.
struct StreamSettings {
  bool is_null = false;
  std::optional<CuMask> mask;          ///< as long as there are CUs, with at least one
  std::optional<std::int64_t> queue;   ///< of the pool, instead of the next in turn; < pool_queues
  std::optional<std::int64_t> on_ace;  ///< of a masked stream's queue, instead of the next in turn; < aces
};

/// What blocks of a kernel cost beyond their duration. By default nothing: a block takes its duration, whatever is
/// beside it. Shares are in parts per million (ppm).
struct KernelCost {
  /// Processor sharing: with at most so many threads resident a CU runs all of them at full speed, beyond that they
  /// share it by threads. 0: they never slow each other.
  std::int64_t full_speed_threads = 0;
  std::int64_t weight_ppm = 1'000'000;  ///< of a thread when different kernels share a CU; > 0
  Duration dispatch;                    ///< of an ACE for each block
  Duration dispatch_beside;             ///< the same while another ACE has a kernel at work
  std::int64_t spread_ppm = 0;          ///< standard deviation of the blocks' durations

  /// With more than `reuse_from` and up to `reuse_to` blocks resident, blocks find each other's data in the cache, and
  /// take less by up to this.
  std::int64_t reuse_ppm = 0;
  std::int64_t reuse_from = 0;
  std::int64_t reuse_to = 1;
  /// Contention for memory: so much longer for every 1024 threads beyond `contention_from` that are resident on the
  /// GPU.
  std::int64_t contention_ppm = 0;
  std::int64_t contention_from = 0;
  /// So much longer where at least half of the resident threads are of other kernels; with fewer in proportion.
  std::int64_t beside_ppm = 0;
};

/// A kernel that was measured on a device.
struct NamedKernel {
  std::string name;  ///< "mm1024"
  std::int64_t blocks = 1;
  nvidia::BlockShape shape;
  Duration duration;  ///< of a block alone
  KernelCost cost;
};

/// What a profile says of an AMD GPU beyond its limits.
struct Architecture {
  std::int64_t aces = 4;
  std::int64_t slots_per_ace = 8;
  std::int64_t pool_queues = 4;
  Duration launch_overhead;  ///< from a call of the host until its kernel is in its queue
  std::vector<NamedKernel> kernels;
};

}  // namespace amalthea::engine::amd
