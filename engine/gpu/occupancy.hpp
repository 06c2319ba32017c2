// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How many blocks of a kernel a streaming multiprocessor (SM) takes, and which resource says no.
///
/// Source: Olmedo et al., "Dissecting the CUDA scheduling hierarchy", RTAS 2020: rules N1 (limits per platform), N3 (a
/// block occupies whole warps), N10 (Eq. 1), N17 (shared memory), N18 (registers).
///
/// Admission counts whole units: a block fits when warps, threads, registers, shared memory and the number of blocks
/// all stay within the SM's limits. Eq. 1 as printed takes the maximum over the resources and counts blocks twice; it
/// is computed beside the admission for comparison and decides nothing.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace amalthea::engine::gpu {

/// What an SM and a block may hold (N1). Memory in bytes.
struct SmLimits {
  std::int64_t sms = 1;
  std::int64_t sms_per_gpc = 2;  ///< SMs of one graphics processing cluster, by consecutive numbers (N2)
  std::int64_t warp_size = 32;   ///< threads (N3)
  std::int64_t threads = 2048;   ///< per SM
  std::int64_t threads_per_block = 1024;
  std::int64_t blocks = 32;        ///< resident per SM
  std::int64_t registers = 65536;  ///< per SM: the register file
  std::int64_t registers_per_block = 65536;
  std::int64_t registers_per_thread = 255;
  std::int64_t register_unit = 256;  ///< registers of a warp are given out in multiples of this; 1: exactly (N18)
  std::int64_t shared_memory = 65536;
  std::int64_t shared_memory_per_block = 49152;
  std::int64_t shared_memory_unit = 256;      ///< shared memory of a block counts in multiples of this (N17)
  std::int64_t shared_memory_ignored = 3072;  ///< up to here shared memory does not count (N17)
  /// Whether exactly `shared_memory_ignored` bytes count: the source says "more than 3KB" and "once it reaches" (N17).
  bool threshold_counts = false;
  std::int64_t cores = 128;          ///< CUDA cores per SM
  std::int64_t warp_schedulers = 4;  ///< per SM
  // Lanes per SM of load and store, special functions, double precision; 0: not known.
  std::int64_t load_store_units = 0;
  std::int64_t special_units = 0;
  std::int64_t double_units = 0;

  std::int64_t max_warps() const { return threads / warp_size; }
};

/// Launch configuration of a block.
struct BlockShape {
  std::int64_t threads = 1;
  std::int64_t registers = 0;      ///< per thread; 0: not known, does not count
  std::int64_t shared_memory = 0;  ///< bytes
};

/// What blocks occupy of an SM: of one block, or of all that are resident.
struct SmUse {
  std::int64_t blocks = 0;
  std::int64_t warps = 0;
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;  ///< as it counts (N17)

  friend bool operator==(const SmUse&, const SmUse&) = default;
  SmUse& operator+=(const SmUse& other);
  SmUse& operator-=(const SmUse& other);
};

/// Shared memory as it counts (N17): nothing up to the threshold, above it rounded up to the unit.
std::int64_t counted_shared_memory(const SmLimits& limits, std::int64_t bytes);

/// What one block of this shape occupies: warps rounded up (N3), registers per warp rounded up to the allocation unit
/// (N18), shared memory as it counts (N17). The error says which limit of a block the shape breaks.
tl::expected<SmUse, std::string> use_of_block(const SmLimits& limits, const BlockShape& shape);

/// Whether a block fits beside what is resident: all resources must suffice (N10, read as a minimum).
bool fits(const SmLimits& limits, const SmUse& resident, const SmUse& block);

/// How many blocks of `block` (one of them) an idle SM takes.
std::int64_t resident_blocks(const SmLimits& limits, const SmUse& block);

/// Eq. 1 when a block is to join `launched` blocks of the same shape. A term without demand is infinite.
struct Equation1 {
  std::int64_t block = 1;  ///< number of the block that is to be admitted, counted from 1
  /// As printed: max(floor(MaxThreads / (32 NWarp)), T_SHM / ((U_SHM + 3 KB) NB), RegFile / (Regs NWarps)), with NWarp
  /// and U_SHM including the new block, NB the blocks launched before, and Regs taken per warp, so that units agree.
  double printed = std::numeric_limits<double>::infinity();
  /// The minimum of floor(MaxThreads / (32 NWarp)), T_SHM / U_SHM with U_SHM as it counts, RegFile / (Regs NWarps).
  double minimum = std::numeric_limits<double>::infinity();
  /// Whether the block is admitted: `minimum` >= 1 and fewer than the most blocks resident.
  bool admitted = false;
};
/// `shape` must be one that use_of_block accepts.
Equation1 equation_1(const SmLimits& limits, const BlockShape& shape, std::int64_t launched);

struct ResourceLimit {
  std::string_view resource;   ///< "blocks", "warps", "registers", "shared memory"
  std::int64_t per_block = 0;  ///< as it counts; 0: no demand
  std::int64_t per_sm = 0;
  std::int64_t blocks = 0;  ///< how many the resource allows; -1: any number
  bool binds = false;       ///< allows no more than any other
};

struct Occupancy {
  BlockShape shape;
  SmUse block;                        ///< what one block occupies
  std::vector<ResourceLimit> limits;  ///< one per resource, always in the order above
  std::int64_t blocks = 0;            ///< resident per SM
  std::int64_t warps = 0;             ///< resident per SM
  std::vector<Equation1> equation;    ///< for every block that fits and the first that does not
  /// Registers per thread up to which registers can never bind before threads do (N18): 32 where an SM holds 2048
  /// threads, 64 where it holds 1024.
  std::int64_t harmless_registers = 0;
};

/// The error is that of use_of_block. A shape that is accepted fits at least once where a block's limits do not exceed
/// an SM's, which profiles see to.
tl::expected<Occupancy, std::string> occupancy(const SmLimits& limits, const BlockShape& shape);

}  // namespace amalthea::engine::gpu
