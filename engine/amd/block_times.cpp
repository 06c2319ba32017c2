// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/block_times.hpp"

#include <algorithm>

namespace amalthea::engine::amd {
namespace {

using Wide = amalthea::detail::Int128;

constexpr std::int64_t million = 1'000'000;  ///< parts per million
constexpr std::int64_t half_step = 1'000;    ///< of influences of the whole GPU
constexpr Wide endless = Wide{1} << 61U;

Wide rounded_up(Wide numerator, Wide denominator) { return (numerator + denominator - 1) / denominator; }

bool is_slowed_everywhere(const gpu::KernelCost& cost) {
  return cost.contention_ppm > 0 || cost.reuse_ppm > 0 || cost.beside_ppm > 0;
}

/// In ppm.
Wide slowest_everywhere(const gpu::KernelCost& cost, std::int64_t threads_on_gpu) {
  if (!is_slowed_everywhere(cost)) return million;
  Wide ppm = million;
  if (threads_on_gpu > cost.contention_from)
    ppm += Wide{cost.contention_ppm} * (threads_on_gpu - cost.contention_from) / 1024;
  return ppm * (million + cost.beside_ppm) / million + half_step;
}

}  // namespace

Duration shortest_time(const CostlyBlock& block) {
  const gpu::KernelCost& cost = block.cost;
  const std::int64_t spread = std::max(million / 10, million - max_deviation_ppm * cost.spread_ppm / million);
  const std::int64_t reuse = is_slowed_everywhere(cost) ? million - cost.reuse_ppm - half_step : million;
  if (spread < million || reuse < million)
    return scale(scale(block.shortest, spread, million, Rounding::down), std::max<std::int64_t>(reuse, 0), million,
                 Rounding::down);
  return block.shortest;
}

Duration longest_time(const CostlyBlock& block, const Company& company, const gpu::SmLimits& limits) {
  const gpu::KernelCost& cost = block.cost;
  const std::int64_t threads = limits.max_warps() * limits.warp_size;
  const bool is_shared = cost.full_speed_threads > 0 && threads > cost.full_speed_threads;
  const Wide work = rounded_up(
      Wide{block.longest.picoseconds()} * (million + Wide{max_deviation_ppm} * cost.spread_ppm / million), million);
  if (work >= endless) return endless_block;
  Wide time = work;
  if (is_shared || is_slowed_everywhere(cost)) {
    Wide slowdown = slowest_everywhere(cost, threads * limits.sms);
    if (is_shared) {
      const Wide own = Wide{cost.full_speed_threads} * cost.weight_ppm;
      const Wide all = Wide{block.threads} * cost.weight_ppm +
                       Wide{std::max<std::int64_t>(0, threads - block.threads)} * company.heaviest_ppm;
      if (all > own) slowdown = rounded_up(slowdown * all, own);
    }
    const std::int64_t units = is_slowed_everywhere(cost) ? limits.sms : 1;
    const Wide briefest =
        (is_slowed_everywhere(cost) ? company.briefest_on_gpu : company.briefest_on_unit).picoseconds();
    const Wide changes = Wide{3} * limits.blocks * units;
    const Wide lost = rounded_up(slowdown * changes, million);
    if (lost >= briefest) return endless_block;
    // Below 2^61 each, so that the product fits.
    time = slowdown >= endless ? endless : rounded_up(slowdown * (work + changes), million) + 1;
    if (time >= endless) return endless_block;
    time = rounded_up(time * briefest, briefest - lost);
  }
  time += cost.warm_up.picoseconds();
  return time >= endless ? endless_block : Duration::picoseconds(static_cast<std::int64_t>(time));
}

}  // namespace amalthea::engine::amd
