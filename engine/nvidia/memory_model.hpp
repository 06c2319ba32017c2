// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What memory costs a kernel alone and beside others: a law with named parameters, fitted to measurements.
///
/// Two kinds of kernels. A *walk* (sequential, random) is described by what one access of a warp does; the prediction
/// is in cycles per access. A *bulk* kernel is described by what its whole work asks of three things: of nothing that
/// is shared, of an SM's load path, of the memory path behind it; the prediction is in cycles per kernel.
///
/// A walk's access takes
///
///   queue(hit + share * ((hit + miss (+) dram) + lanes - hit))
///
/// with a (+) b = (a^p + b^p)^(1/p), p = dram_exponent. `hit` is the latency of an L2 hit; `share` is how many accesses
/// miss, by the footprint of everything resident against the L2; `miss` is the latency of a miss, by pattern, by how
/// many warps miss, and by CPU traffic; `dram` is what one round of all missing warps takes of the memory's bandwidth,
/// `lanes` the queue of single lanes that miss on their own. `queue` is the bandwidth between an SM and the L2.
/// Zero-copy memory is never cached: every access misses. What fits the L2 is not slowed by CPUs or by what else fits
/// it. docs/reference/gpu.md tells each part, and what the law is off by.
///
/// Doubles, not times of a schedule: predictions of measurements, no bounds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/gpu/interference.hpp"
#include "engine/gpu/memory_parameters.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

enum class AccessPattern : std::uint8_t {
  sequential,  ///< neighbouring lanes read neighbouring 4-byte elements, and step on together (coalesced)
  random,      ///< each next element lies anywhere in the footprint
  bulk,        ///< not a walk: a whole kernel by its demands
};

enum class MemoryLocation : std::uint8_t {
  device,
  zero_copy,  ///< pinned host memory that the GPU reads in place
};

/// How a kernel uses memory.
struct MemoryKernel {
  AccessPattern pattern = AccessPattern::sequential;
  MemoryLocation location = MemoryLocation::device;
  bool lanes_differ = true;    ///< random: each lane of a warp reads an element of its own, not all the same one
  std::int64_t footprint = 0;  ///< bytes that are read again and again, of the whole kernel; required for walks
  std::int64_t threads = 1;    ///< per block
  std::int64_t blocks = 1;
  std::optional<double> fetched_bytes;  ///< sequential: what a miss brings, where it is known to differ
  /// Bulk: cycles of the kernel's whole work. What nothing shares and what an SM's load path does is divided among
  /// the blocks, which run at once; the memory path serves all of it.
  double own_cycles = 0;
  double load_path_cycles = 0;
  double memory_path_cycles = 0;
  /// Share (0 … 1) of the kernel's time that waits for memory; the rest is not slowed (N21).
  double memory_share = 1;
};

struct MemoryKernels {
  MemoryKernel kernel;
  std::int64_t count = 1;
};

enum class CpuTrafficKind : std::uint8_t { none, random, sequential };

/// What the CPUs do meanwhile: walks through arrays beyond their caches, by one thread on each of `cores`.
struct CpuTraffic {
  CpuTrafficKind kind = CpuTrafficKind::none;
  std::int64_t cores = 0;  ///< 0 to the cpu_cores of the measurements; in between the excess grows with their number
};

enum class InterferenceCause : std::uint8_t {
  hit_latency,       ///< L2 hits, undisturbed; of a bulk kernel what it shares with nothing
  load_path,         ///< bandwidth between an SM and the L2
  misses,            ///< misses that the kernel's own footprint makes
  shared_l2,         ///< misses because others need the L2 too
  crowded_misses,    ///< misses take longer because more warps miss
  memory_bandwidth,  ///< the queue for the memory's bandwidth
  cpu_traffic,
};
std::string_view to_string(InterferenceCause cause);

struct InterferencePart {
  InterferenceCause cause = InterferenceCause::hit_latency;
  std::optional<std::size_t> other;  ///< index into the others; nothing: the kernel itself, or the CPUs
  double cycles = 0;                 ///< never negative
};

struct InterferencePrediction {
  double alone_cycles = 0;   ///< per access; of a bulk kernel for all of it
  double beside_cycles = 0;  ///< of what waits for memory
  double memory_slowdown = 1;
  double slowdown = 1;  ///< 1 - memory_share + memory_share * memory_slowdown
  /// What beside_cycles consists of. Those of the kernel itself come first and add up to alone_cycles; the others are
  /// there only where they are above zero.
  std::vector<InterferencePart> parts;
  std::int64_t resident_blocks = 0;  ///< of the kernel
  std::int64_t resident_other_blocks = 0;
  std::int64_t waiting_blocks = 0;    ///< of all kernels: no room beside those before them; they disturb nobody yet
  std::int64_t shared_footprint = 0;  ///< bytes of device memory that all resident kernels walk through
};

/// Most kernels beside.
constexpr std::int64_t max_kernels_beside = 1'000'000;

/// `kernel` beside `others`, launched in this order, and CPU traffic; alone means without both. Blocks are placed by
/// the rule of N14 on warps, threads and places for blocks. The error says what is wrong with which figure.
tl::expected<InterferencePrediction, std::string> predict_interference(const MemoryParameters& parameters,
                                                                       const SmLimits& limits,
                                                                       const MemoryKernel& kernel,
                                                                       const std::vector<MemoryKernels>& others,
                                                                       const CpuTraffic& cpu);

/// What the coarse table (N21) says where nothing was measured: the most that other kernels and CPUs can do, whatever
/// they are. Both at once: the excesses add up (assumption).
struct CoarsePrediction {
  double by_kernels = 0;  ///< excess over 1
  double by_cpu = 0;
  double memory_slowdown = 1;
  double slowdown = 1;
};
CoarsePrediction predict_coarsely(const InterferenceTable& table, double memory_share, bool other_kernels, bool cpu);

}  // namespace amalthea::engine::nvidia
