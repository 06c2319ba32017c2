// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What blocks of a kernel cost beyond their duration, and kernels that were measured (A10 in docs/reference/gpu-amd.md).

#include <cstdint>
#include <string>

#include "amalthea/time.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::gpu {

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
  BlockShape shape;
  Duration duration;  ///< of a block alone
  KernelCost cost;
};

}  // namespace amalthea::engine::gpu
