// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Costs of a kernel's blocks beyond their duration, and measured kernels (A10 in docs/reference/gpu-amd.md).

#include <cstdint>
#include <string>

#include "amalthea/time.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::gpu {

/// Costs of a kernel's blocks beyond their duration. By default none: a block takes its duration, whatever runs beside
/// it. Shares are in parts per million (ppm).
struct KernelCost {
  /// Processor sharing: up to this many resident threads a CU runs at full speed, beyond that the threads share it. 0:
  /// no slowdown.
  std::int64_t full_speed_threads = 0;
  std::int64_t weight_ppm = 1'000'000;  ///< of a thread if different kernels share a CU; > 0
  Duration dispatch;                    ///< time of an ACE for each block
  Duration dispatch_beside;             ///< the same while another ACE has an active kernel
  /// Blocks that start before any block of their launch has ended wait so long for their first data. They hold their
  /// place meanwhile, but do not slow down others.
  Duration warm_up;
  std::int64_t spread_ppm = 0;  ///< standard deviation of the blocks' durations

  /// With more than `reuse_from` and up to `reuse_to` resident blocks, blocks reuse each other's data in the cache and
  /// are faster by up to this share.
  std::int64_t reuse_ppm = 0;
  std::int64_t reuse_from = 0;
  std::int64_t reuse_to = 1;
  /// Memory contention: slower by this share for every 1024 resident threads on the GPU beyond `contention_from`.
  std::int64_t contention_ppm = 0;
  std::int64_t contention_from = 0;
  /// Slower by this share if at least half of the resident threads belong to other kernels; proportionally less below
  /// that.
  std::int64_t beside_ppm = 0;

  friend bool operator==(const KernelCost&, const KernelCost&) = default;
};

/// A kernel measured on a device.
struct NamedKernel {
  std::string name;         ///< "mm1024"
  std::string plugin = {};  ///< of hip_plugin_framework, which launches it with this grid; "": unknown
  std::int64_t blocks = 1;
  BlockShape shape;
  Duration duration;  ///< of a single block alone
  KernelCost cost;

  friend bool operator==(const NamedKernel&, const NamedKernel&) = default;
};

}  // namespace amalthea::engine::gpu
