// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The measured memory parameters of a GPU in a profile: parameters of the model in nvidia/memory_model.hpp.

#include <vector>

namespace amalthea::engine::gpu {

/// All parameters of the memory model for a device; "measured_memory" of a device profile. Cycles are those of the
/// GPU's clock, sizes are in KiB.
struct MemoryParameters {
  double clock_mhz = 0;
  double l2_capacity = 0;

  double hit_latency = 0;         ///< L2 hit of one thread, including the loop around it
  double hit_warp_extra = 0;      ///< additional for a whole warp
  double hit_lane_extra = 0;      ///< additional for each further lane that reads a separate element
  double warp_load = 0;           ///< time that 128 bytes occupy the load path of an SM
  double warp_load_exponent = 0;  ///< sharpness of the transition from latency-bound to bandwidth-bound
  double unqueued_warps = 0;      ///< number of warps whose loads of 128 bytes on one SM never queue
  double lane_load = 0;           ///< time that the 32 bytes of a separate lane occupy the load path
  double unqueued_lanes = 0;      ///< number of such lanes on one SM that never queue

  double miss_latency = 0;           ///< latency of a miss, in addition to the hit
  double fetched_bytes = 0;          ///< number of bytes that a miss of a sequential walk fetches
  double lost_sectors_streams = 0;   ///< number of sequential walks for which a miss fetches only half as much
  double lost_sectors_exponent = 0;  ///< onset of that effect
  /// misses of the warps of one block arrive together: additional cost per doubling
  double burst_per_doubling = 0;
  /// ramp beyond the capacity until the sequential walk of one kernel always misses
  double sequential_ramp_alone = 0;
  double sequential_ramp_shared = 0;      ///< the same if several kernels share the L2
  double sequential_ramp_exponent = 0;    ///< of the latter ramp
  double random_miss_latency = 0;         ///< mean cost of an access of a random walk far beyond the capacity
  double random_growth_from = 0;          ///< number of warps from which it grows …
  double random_growth_per_doubling = 0;  ///< … by this much with each doubling, up to miss_latency
  double random_overflow_exponent = 0;    ///< share of misses 1 - (capacity / footprint)^this
  double zero_copy_latency = 0;           ///< of every access to zero-copy memory, in addition to an L2 hit
  double zero_copy_random_extra = 0;      ///< additional for a random walk far beyond the size of the L2

  double dram_line = 0;           ///< time that 128 bytes occupy the memory
  double dram_exponent = 0;       ///< sharpness of the transition to bandwidth-bound
  double lane_miss = 0;           ///< time that a lane's miss occupies the memory when the queue is full
  double lane_miss_depth = 0;     ///< number of lanes that fill the queue
  double lane_miss_exponent = 0;  ///< growth of the cost per lane up to that number
  /// scale of the footprint beyond the capacity at which lane misses have that cost
  double lane_miss_ramp = 0;
  double lane_miss_ramp_exponent = 0;

  double cpu_cores = 0;           ///< number of interfering CPU cores in the measurements
  double cpu_random_latency = 0;  ///< factor on miss latencies
  double cpu_random_queue = 0;    ///< additional per access for each warp that misses
  double cpu_sequential_latency = 0;
  double cpu_sequential_queue = 0;

  friend bool operator==(const MemoryParameters&, const MemoryParameters&) = default;
};

/// The parameters by the names that profiles use; all are required and have a minimum.
struct MemoryParameterField {
  const char* name;
  double MemoryParameters::*value;
  double minimum;
};
const std::vector<MemoryParameterField>& memory_parameter_fields();

}  // namespace amalthea::engine::gpu
