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
/// it. docs/gpu.md tells each part, and what the law is off by.
///
/// Doubles, not times of a schedule: predictions of measurements, no bounds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/gpu/interference.hpp"
#include "engine/gpu/occupancy.hpp"

namespace amalthea::engine::nvidia {

/// Everything the law knows of a device; "measured_memory" of a device profile. Cycles are those of the GPU's clock,
/// sizes are in KiB.
struct MemoryParameters {
  double clock_mhz = 0;
  double l2_capacity = 0;

  double hit_latency = 0;         ///< L2 hit of one thread, with the loop around it
  double hit_warp_extra = 0;      ///< more for a whole warp
  double hit_lane_extra = 0;      ///< more for each further lane that reads an element of its own
  double warp_load = 0;           ///< what 128 bytes take of an SM's load path
  double warp_load_exponent = 0;  ///< how sharply latency gives way to that bandwidth
  double unqueued_warps = 0;      ///< so many warps' loads of 128 bytes on one SM never wait for each other
  double lane_load = 0;           ///< what the 32 bytes of a lane of its own take of the load path
  double unqueued_lanes = 0;      ///< so many such lanes on one SM never wait for each other

  double miss_latency = 0;                ///< of a miss, beyond the hit
  double fetched_bytes = 0;               ///< a miss of a sequential walk brings so many bytes
  double lost_sectors_streams = 0;        ///< so many sequential walks bring only half as much per miss
  double lost_sectors_exponent = 0;       ///< how late that sets in
  double burst_per_doubling = 0;          ///< misses of the warps of one block arrive together: more per doubling
  double sequential_ramp_alone = 0;       ///< beyond the capacity, until one kernel's sequential walk always misses
  double sequential_ramp_shared = 0;      ///< the same where several kernels share the L2
  double sequential_ramp_exponent = 0;    ///< of the latter ramp
  double random_miss_latency = 0;         ///< mean cost of an access of a random walk far beyond the capacity
  double random_growth_from = 0;          ///< from so many warps on it grows …
  double random_growth_per_doubling = 0;  ///< … by so much with each doubling, up to miss_latency
  double random_overflow_exponent = 0;    ///< share of misses 1 - (capacity / footprint)^this
  double zero_copy_latency = 0;           ///< of every access to zero-copy memory, beyond an L2 hit
  double zero_copy_random_extra = 0;      ///< more for a random walk far beyond the size of the L2

  double dram_line = 0;           ///< what 128 bytes take of the memory's bandwidth
  double dram_exponent = 0;       ///< how sharply latency gives way to it
  double lane_miss = 0;           ///< what a lane's miss takes of it when the queue is full
  double lane_miss_depth = 0;     ///< so many lanes fill the queue
  double lane_miss_exponent = 0;  ///< how the cost of each grows up to there
  double lane_miss_ramp = 0;      ///< scale of the footprint beyond the capacity at which lanes' misses cost that
  double lane_miss_ramp_exponent = 0;

  double cpu_cores = 0;           ///< interfering CPU cores in the measurements
  double cpu_random_latency = 0;  ///< factor on miss latencies
  double cpu_random_queue = 0;    ///< more per access for each warp that misses
  double cpu_sequential_latency = 0;
  double cpu_sequential_queue = 0;

  friend bool operator==(const MemoryParameters&, const MemoryParameters&) = default;
};

/// The parameters by name, as a profile spells them; all are required there and lie between their bounds.
struct MemoryParameterField {
  const char* name;
  double MemoryParameters::*value;
  double minimum;
};
const std::vector<MemoryParameterField>& memory_parameter_fields();

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
constexpr std::int64_t most_kernels_beside = 1'000'000;

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
