// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How many blocks of a kernel fit on a streaming multiprocessor (SM), and which resource is the limit.
///
/// Source: Olmedo et al., "Dissecting the CUDA scheduling hierarchy", RTAS 2020: rules N1 (limits per platform), N3 (a
/// block occupies whole warps), N10 (Eq. 1), N17 (shared memory), N18 (registers).
///
/// Admission uses whole units: a block fits if warps, threads, registers, shared memory and the number of blocks all
/// stay within the limits of the SM. Eq. 1 as printed takes the maximum over the resources and counts blocks twice. It
/// is computed for comparison only.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace amalthea::engine::gpu {

/// The limits of an SM and of a block (N1). Memory in bytes.
struct SmLimits {
  std::int64_t sms = 1;
  std::int64_t sms_per_gpc = 2;  ///< SMs of one graphics processing cluster, by consecutive numbers (N2)
  std::int64_t sms_per_tpc = 2;  ///< SMs of one texture processing cluster (TPC), by consecutive numbers
  std::int64_t warp_size = 32;   ///< threads (N3)
  std::int64_t threads = 2048;   ///< per SM
  std::int64_t threads_per_block = 1024;
  std::int64_t blocks = 32;        ///< resident per SM
  std::int64_t registers = 65536;  ///< per SM: the register file
  std::int64_t registers_per_block = 65536;
  std::int64_t registers_per_thread = 255;
  std::int64_t register_unit = 256;  ///< allocation granularity of the registers of a warp; 1: exact (N18)
  std::int64_t shared_memory = 65536;
  std::int64_t shared_memory_per_block = 49152;
  std::int64_t shared_memory_unit = 256;      ///< allocation granularity of the shared memory of a block (N17)
  std::int64_t shared_memory_ignored = 3072;  ///< shared memory up to this size does not count (N17)
  /// Whether exactly `shared_memory_ignored` bytes count: the source states both "more than 3KB" and "once it reaches"
  /// (N17).
  bool threshold_counts = false;
  std::int64_t cores = 128;          ///< CUDA cores per SM
  std::int64_t warp_schedulers = 4;  ///< per SM
  // Lanes per SM; 0: unknown.
  std::int64_t load_store_units = 0;
  std::int64_t special_units = 0;
  std::int64_t double_units = 0;
  std::int64_t int32_units = 0;   ///< lanes for INT32 beside those for FP32; 0: unknown, or FP32's lanes execute them
  std::int64_t tensor_units = 0;  ///< tensor cores per SM; 0: none

  std::int64_t max_warps() const { return threads / warp_size; }
  friend bool operator==(const SmLimits&, const SmLimits&) = default;
};

/// Launch configuration of a block.
struct BlockShape {
  std::int64_t threads = 1;
  std::int64_t registers = 0;      ///< per thread; 0: unknown, does not count
  std::int64_t shared_memory = 0;  ///< bytes

  friend bool operator==(const BlockShape&, const BlockShape&) = default;
};

/// The resources of an SM that blocks occupy: one block, or all resident ones.
struct SmUse {
  std::int64_t blocks = 0;
  std::int64_t warps = 0;
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;  ///< rounded (N17)

  friend bool operator==(const SmUse&, const SmUse&) = default;
  SmUse& operator+=(const SmUse& other);
  SmUse& operator-=(const SmUse& other);
};

/// Shared memory as the SM allocates it (N17): nothing up to the threshold, above that rounded up.
std::int64_t counted_shared_memory(const SmLimits& limits, std::int64_t bytes);

/// The resources of one block of this shape: warps rounded up (N3), registers per warp rounded up to the allocation
/// unit (N18), shared memory rounded (N17). The error states which limit of a block the shape violates.
tl::expected<SmUse, std::string> use_of_block(const SmLimits& limits, const BlockShape& shape);

/// Whether a block fits in addition to the resident ones: all resources must suffice (N10, read as a minimum).
bool fits(const SmLimits& limits, const SmUse& resident, const SmUse& block);

/// The number of blocks like `block` that fit on an idle SM.
std::int64_t resident_blocks(const SmLimits& limits, const SmUse& block);

/// Eq. 1 for one more block besides `launched` blocks of the same shape. A term without demand is infinite.
struct Equation1 {
  std::int64_t block = 1;  ///< number of the block to admit, counted from 1
  /// As printed: max(floor(MaxThreads / (32 NWarp)), T_SHM / ((U_SHM + 3 KB) NB), RegFile / (Regs NWarps)), with NWarp
  /// and U_SHM including the new block, NB the blocks launched before, and Regs per warp, so that the units match.
  double printed = std::numeric_limits<double>::infinity();
  /// The minimum of floor(MaxThreads / (32 NWarp)), T_SHM / U_SHM with rounded U_SHM, RegFile / (Regs NWarps).
  double minimum = std::numeric_limits<double>::infinity();
  /// Whether the block is admitted: `minimum` >= 1 and fewer blocks than the maximum are resident.
  bool admitted = false;
};
/// use_of_block must accept `shape`.
Equation1 equation_1(const SmLimits& limits, const BlockShape& shape, std::int64_t launched);

struct ResourceLimit {
  std::string_view resource;   ///< "blocks", "warps", "registers", "shared memory"
  std::int64_t per_block = 0;  ///< rounded; 0: no demand
  std::int64_t per_sm = 0;
  std::int64_t blocks = 0;  ///< blocks that the resource allows; -1: any number
  bool binds = false;       ///< no resource allows fewer
};

struct Occupancy {
  BlockShape shape;
  SmUse block;                        ///< resources of one block
  std::vector<ResourceLimit> limits;  ///< one per resource, always in the order above
  std::int64_t blocks = 0;            ///< resident per SM
  std::int64_t warps = 0;             ///< resident per SM
  std::vector<Equation1> equation;    ///< for every block that fits and the first that does not
  /// Number of registers per thread up to which registers never limit before threads do (N18): 32 if an SM holds 2048
  /// threads, 64 if it holds 1024.
  std::int64_t harmless_registers = 0;
};

/// The error is that of use_of_block. An accepted shape fits at least once, provided that the limits of a block do not
/// exceed those of an SM; profiles ensure that.
tl::expected<Occupancy, std::string> occupancy(const SmLimits& limits, const BlockShape& shape);

}  // namespace amalthea::engine::gpu
