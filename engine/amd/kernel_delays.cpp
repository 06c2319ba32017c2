// SPDX-License-Identifier: Apache-2.0
#include "engine/amd/kernel_delays.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace amalthea::engine::amd {
namespace {

using Wide = amalthea::detail::Int128;

constexpr Duration infinite = Duration::picoseconds(std::int64_t{1} << 61);
constexpr std::int64_t one_cu = 1'000'000'000;  ///< the weight that fills a CU

Duration sum(Duration a, Duration b) {
  return Duration::picoseconds(
      static_cast<std::int64_t>(std::min<Wide>(Wide(a.picoseconds()) + b.picoseconds(), infinite.picoseconds())));
}

/// time x count x weight / units; `units` in parts.
Duration share(Duration time, std::int64_t count, std::int64_t weight, std::int64_t units) {
  const Wide area = Wide(time.picoseconds()) * count;
  if (area >= infinite.picoseconds()) return infinite;
  return Duration::picoseconds(
      static_cast<std::int64_t>(std::min<Wide>((area * weight + units - 1) / units, infinite.picoseconds())));
}

/// The CUs that a kernel may use.
struct Place {
  std::vector<std::vector<std::uint64_t>> enabled;  ///< by SE: a bit for each of its CUs
  std::vector<std::int64_t> units;                  ///< by SE
  std::vector<std::size_t> engines;                 ///< SEs with any, in order
  std::int64_t fewest = 0;                          ///< on one of these SEs

  std::int64_t count() const { return static_cast<std::int64_t>(engines.size()); }
  std::int64_t levels(std::int64_t blocks) const { return amalthea::detail::divide(blocks, count(), Rounding::up); }
  /// Of the first `blocks` blocks, those on the SE at this position among `engines`.
  std::int64_t blocks_on(std::size_t position, std::int64_t blocks) const {
    return (blocks + count() - 1 - static_cast<std::int64_t>(position)) / count();
  }
};

Place place_of(const DeviceSettings& settings, const std::optional<CuMask>& mask) {
  const Layout layout = settings.layout();
  const CuMask enabled = mask ? *mask : full_mask(layout);
  Place place;
  place.units = units_by_engine(layout, enabled);
  place.enabled.resize(place.units.size(),
                       std::vector<std::uint64_t>(static_cast<std::size_t>(layout.units_per_engine / 64 + 1)));
  for (std::size_t bit = 0; bit < enabled.bits.size(); ++bit) {  // A7
    const std::size_t unit = bit / place.units.size();
    if (enabled.bits[bit]) place.enabled[bit % place.units.size()][unit / 64] |= std::uint64_t{1} << (unit % 64);
  }
  for (std::int64_t engine = 0; engine < layout.engines; ++engine) {
    const std::int64_t units = place.units[static_cast<std::size_t>(engine)];
    if (units == 0) continue;
    place.engines.push_back(static_cast<std::size_t>(engine));
    place.fewest = place.engines.size() == 1 ? units : std::min(place.fewest, units);
  }
  return place;
}

/// Of all its blocks.
Duration all_dispatched(const SharingKernel& kernel) { return share(kernel.dispatch, kernel.blocks, 1, 1); }

class Delays {
 public:
  Delays(const DeviceSettings& settings, const std::vector<SharingKernel>& kernels, std::int64_t queues,
         bool shares_aces)
      : settings_(settings), kernels_(kernels), aces_(std::min(settings.aces, queues)) {
    for (const SharingKernel& kernel : kernels) {
      dispatching_ = std::max(dispatching_, kernel.dispatch);
      places_.push_back(place_of(settings, kernel.mask));
      if (kernel.use) longest_ = std::max(longest_, kernel.block);
      if (!kernel.use) any_whole_ = true;
    }
    for (std::size_t resource = 0; resource < resources.size(); ++resource)
      for (const SharingKernel& kernel : kernels)
        if (kernel.use) units_[resource] = std::gcd(units_[resource], (*kernel.use).*resources[resource]);
    shares_aces_ = shares_aces || queues > settings.aces;
    for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) weights_.push_back(weights_for(kernel));
  }

  std::vector<KernelDelays> run() const {
    KernelDelays area, levels;
    std::vector<std::optional<std::size_t>> alike(kernels_.size());  // an earlier kernel with the same waiting ones
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      for (std::size_t other = 0; other < kernel && !alike[kernel]; ++other)
        if (waits_with(kernel, other)) alike[kernel] = other;
      area.by.push_back(alike[kernel] ? area.by[*alike[kernel]] : by_area(waiting_with(kernel)));
      levels.by.emplace_back(kernels_.size(), infinite);
    }
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel)
      for (std::size_t other = 0; other < kernels_.size(); ++other) {
        Duration& time = area.by[kernel][other];
        if (kernels_[kernel].task == kernels_[other].task || kernels_[kernel].stream == kernels_[other].stream)
          time = {};
        const bool same_pool = kernels_[kernel].pool && kernels_[kernel].pool == kernels_[other].pool;
        if (!time.is_zero() && same_pool && kernels_[other].use) time = sum(time, kernels_[other].block);
        if (!time.is_zero()) time = sum(time, dispatch_by(kernel, other));
      }
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      area.own.push_back(own_by_area(kernel, area));
      levels.own.push_back(infinite);
      if (!any_whole_) add_levels(kernel, area, levels);
    }
    return {std::move(area), std::move(levels)};
  }

 private:
  static constexpr std::array resources = {&SmUse::blocks, &SmUse::warps, &SmUse::registers, &SmUse::shared_memory};

  std::int64_t capacity(std::size_t resource) const {
    const SmLimits& limits = settings_.limits;
    return std::array{limits.blocks, limits.max_warps(), limits.registers, limits.shared_memory}[resource];
  }

  /// The weights of blocks of all kernels, where a block of this one waits.
  std::vector<std::int64_t> weights_for(std::size_t waiting) const {
    std::vector<std::int64_t> weights(kernels_.size(), 0);
    if (!kernels_[waiting].use) return weights;
    for (std::size_t resource = 0; resource < resources.size(); ++resource) {
      const std::int64_t need = (*kernels_[waiting].use).*resources[resource];
      if (need == 0) continue;
      const std::int64_t full = ((capacity(resource) - need) / units_[resource] + 1) * units_[resource];
      for (std::size_t kernel = 0; kernel < kernels_.size() && full <= capacity(resource); ++kernel)
        if (kernels_[kernel].use)
          weights[kernel] = std::max(
              weights[kernel], amalthea::detail::divide(Wide((*kernels_[kernel].use).*resources[resource]) * one_cu,
                                                        full, Rounding::up));
    }
    return weights;
  }

  /// Whether `other` may wait in place of the kernel; all that may do so may wait in place of each other.
  bool waits_with(std::size_t kernel, std::size_t other) const {
    return kernel == other || any_whole_ || shares_aces_ ||
           (kernels_[kernel].pool && kernels_[kernel].pool == kernels_[other].pool);
  }

  std::vector<std::size_t> waiting_with(std::size_t kernel) const {
    std::vector<std::size_t> waiting;
    for (std::size_t other = 0; other < kernels_.size(); ++other)
      if (waits_with(kernel, other) && kernels_[other].use) waiting.push_back(other);
    return waiting;
  }

  bool overlap(std::size_t a, std::size_t b, std::size_t engine) const {
    const auto &of_a = places_[a].enabled[engine], &of_b = places_[b].enabled[engine];
    for (std::size_t word = 0; word < of_a.size(); ++word)
      if ((of_a[word] & of_b[word]) != 0) return true;
    return false;
  }

  /// What an execution of every kernel adds to the time for which one of these waits.
  std::vector<Duration> by_area(const std::vector<std::size_t>& waiting) const {
    std::vector<Duration> times;
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      const SharingKernel& other = kernels_[kernel];
      Duration time = other.use ? Duration{} : other.block;
      for (std::size_t position = 0; position < places_[kernel].engines.size() && other.use; ++position) {
        const std::size_t engine = places_[kernel].engines[position];
        Duration most;
        for (const std::size_t place : waiting)
          if (overlap(place, kernel, engine))
            most = std::max(most, share(other.block, places_[kernel].blocks_on(position, other.blocks),
                                        weights_[place][kernel], places_[place].units[engine] * one_cu));
        time = sum(time, most);
      }
      times.push_back(any_whole_ ? sum(time, longest_) : time);
    }
    return times;
  }

  /// What the dispatch of another kernel delays this one.
  Duration dispatch_by(std::size_t kernel, std::size_t other) const {
    return waits_with(kernel, other) ? all_dispatched(kernels_[other]) : Duration{};
  }

  Duration own_by_area(std::size_t index, const KernelDelays& area) const {
    const SharingKernel& kernel = kernels_[index];
    if (std::all_of(area.by[index].begin(), area.by[index].end(), [](Duration time) { return time.is_zero(); }))
      return time_alone(settings_, kernel, dispatching_);
    if (any_whole_) {
      if (!kernel.use) return sum(kernel.block, longest_);
      return sum(kernel.block, by_area(waiting_with(index))[index]);
    }
    const Place& place = places_[index];
    const std::int64_t weight = weights_[index][index], before_last = place.levels(kernel.blocks) - 1;
    const std::int64_t charged = place.count() == 1 ? before_last : std::max<std::int64_t>(0, 2 * before_last - 1);
    Duration engine_by_engine;
    for (std::size_t position = 0; position < place.engines.size(); ++position)
      engine_by_engine = sum(engine_by_engine, share(kernel.block, place.blocks_on(position, kernel.blocks - 1), weight,
                                                     place.units[place.engines[position]] * one_cu));
    return sum(sum(kernel.block, sum(all_dispatched(kernel), dispatching_)),
               std::min(engine_by_engine, share(kernel.block, charged, weight, place.fewest * one_cu)));
  }

  void add_levels(std::size_t index, const KernelDelays& area, KernelDelays& levels) const {
    const auto waiting = waiting_with(index);
    Duration longest = kernels_[index].block;
    std::vector<std::int64_t> weights(kernels_.size());
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      if (kernel != index && area.by[index][kernel].is_zero()) continue;
      longest = std::max(longest, kernels_[kernel].block);
      for (const std::size_t place : waiting) weights[kernel] = std::max(weights[kernel], weights_[place][kernel]);
    }
    std::int64_t fewest = places_[index].fewest;
    for (const std::size_t place : waiting) fewest = std::min(fewest, places_[place].fewest);
    const std::int64_t units = fewest * one_cu - 2 * aces_ * *std::max_element(weights.begin(), weights.end());
    if (units <= 0) return;
    const auto time = [&](std::size_t kernel) {
      return share(longest, places_[kernel].levels(kernels_[kernel].blocks), weights[kernel], units);
    };
    levels.own[index] =
        sum(sum(kernels_[index].block, sum(all_dispatched(kernels_[index]), dispatching_)), time(index));
    for (std::size_t kernel = 0; kernel < kernels_.size(); ++kernel) {
      Duration& by = levels.by[index][kernel];
      by = {};
      if (area.by[index][kernel].is_zero()) continue;
      const bool same_pool = kernels_[index].pool && kernels_[index].pool == kernels_[kernel].pool;
      by = sum(sum(time(kernel), same_pool ? kernels_[kernel].block : Duration{}), dispatch_by(index, kernel));
    }
  }

  const DeviceSettings& settings_;
  const std::vector<SharingKernel>& kernels_;
  std::int64_t aces_;  ///< that they use
  bool shares_aces_ = false;
  bool any_whole_ = false;
  Duration dispatching_;  ///< the longest dispatch of a block
  Duration longest_;      ///< block of a kernel that does not occupy the whole GPU
  std::array<std::int64_t, resources.size()> units_{};
  std::vector<Place> places_;
  std::vector<std::vector<std::int64_t>> weights_;  ///< [waiting][kernel]
};

}  // namespace

Rounds rounds_alone(const DeviceSettings& settings, std::int64_t blocks, const SmUse& use,
                    const std::optional<CuMask>& mask) {
  const Place place = place_of(settings, mask);
  const std::int64_t per_unit = resident_blocks(settings.limits, use);
  const auto rounds = [&](std::int64_t count, std::int64_t units) {
    return amalthea::detail::divide(count, units * per_unit, Rounding::up);
  };
  Rounds found{1, rounds(place.levels(blocks), place.fewest)};
  for (std::size_t position = 0; position < place.engines.size(); ++position)
    found.least =
        std::max(found.least, rounds(place.blocks_on(position, blocks), place.units[place.engines[position]]));
  return found;
}

Duration time_alone(const DeviceSettings& settings, const SharingKernel& kernel, Duration dispatching) {
  if (!kernel.use) return kernel.block;
  const Duration blocks =
      share(kernel.block, rounds_alone(settings, kernel.blocks, *kernel.use, kernel.mask).most, 1, 1);
  return sum(blocks, sum(all_dispatched(kernel), dispatching));
}

std::vector<KernelDelays> kernel_delays(const DeviceSettings& settings, const std::vector<SharingKernel>& kernels,
                                        std::int64_t queues, bool shares_aces) {
  return Delays(settings, kernels, queues, shares_aces).run();
}

}  // namespace amalthea::engine::amd
