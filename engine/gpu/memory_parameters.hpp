// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What was measured of a GPU's memory, as a profile has it: the parameters of the law of nvidia/memory_model.hpp.

#include <vector>

namespace amalthea::engine::gpu {

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

}  // namespace amalthea::engine::gpu
