// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/memory_parameters.hpp"

namespace amalthea::engine::gpu {

const std::vector<MemoryParameterField>& memory_parameter_fields() {
  using P = MemoryParameters;
  static const std::vector<MemoryParameterField> fields = {
      {"clock_mhz", &P::clock_mhz, 1},
      {"l2_capacity_kib", &P::l2_capacity, 1},
      {"hit_latency", &P::hit_latency, 1},
      {"hit_warp_extra", &P::hit_warp_extra, 0},
      {"hit_lane_extra", &P::hit_lane_extra, 0},
      {"warp_load", &P::warp_load, 0},
      {"warp_load_exponent", &P::warp_load_exponent, 1},
      {"unqueued_warps", &P::unqueued_warps, 0},
      {"lane_load", &P::lane_load, 0},
      {"unqueued_lanes", &P::unqueued_lanes, 0},
      {"miss_latency", &P::miss_latency, 1},
      {"fetched_bytes", &P::fetched_bytes, 32},
      {"lost_sectors_streams", &P::lost_sectors_streams, 1},
      {"lost_sectors_exponent", &P::lost_sectors_exponent, 1},
      {"burst_per_doubling", &P::burst_per_doubling, 0},
      {"sequential_ramp_alone_kib", &P::sequential_ramp_alone, 1},
      {"sequential_ramp_shared_kib", &P::sequential_ramp_shared, 1},
      {"sequential_ramp_exponent", &P::sequential_ramp_exponent, 1},
      {"random_miss_latency", &P::random_miss_latency, 1},
      {"random_growth_from", &P::random_growth_from, 1},
      {"random_growth_per_doubling", &P::random_growth_per_doubling, 0},
      {"random_overflow_exponent", &P::random_overflow_exponent, 0.1},
      {"zero_copy_latency", &P::zero_copy_latency, 1},
      {"zero_copy_random_extra", &P::zero_copy_random_extra, 0},
      {"dram_line", &P::dram_line, 0.001},
      {"dram_exponent", &P::dram_exponent, 1},
      {"lane_miss", &P::lane_miss, 0},
      {"lane_miss_depth", &P::lane_miss_depth, 1},
      {"lane_miss_exponent", &P::lane_miss_exponent, 0},
      {"lane_miss_ramp_kib", &P::lane_miss_ramp, 1},
      {"lane_miss_ramp_exponent", &P::lane_miss_ramp_exponent, 0.1},
      {"cpu_cores", &P::cpu_cores, 1},
      {"cpu_random_latency", &P::cpu_random_latency, 1},
      {"cpu_random_queue", &P::cpu_random_queue, 0},
      {"cpu_sequential_latency", &P::cpu_sequential_latency, 1},
      {"cpu_sequential_queue", &P::cpu_sequential_queue, 0},
  };
  return fields;
}

}  // namespace amalthea::engine::gpu
