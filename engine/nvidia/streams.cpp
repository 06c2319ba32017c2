// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/streams.hpp"

#include <algorithm>
#include <numeric>

namespace amalthea::engine::nvidia {
namespace {

constexpr std::int64_t most_picoseconds = std::int64_t{1} << 61;

/// The smallest sum of the sizes, each any number of times, that exceeds `capacity` - need but not `capacity`. There is
/// one, because a block that does not fit finds others there.
std::int64_t least_full(std::vector<std::int64_t> sizes, std::int64_t capacity) {
  const std::int64_t need = *std::max_element(sizes.begin(), sizes.end());
  if (need == 0) return 0;
  std::int64_t unit = 0;
  for (const std::int64_t size : sizes) unit = std::gcd(unit, size);
  constexpr std::int64_t most_sums = 4096;
  const std::int64_t steps = capacity / unit;
  // More than capacity - need in use, and a multiple of the unit.
  const std::int64_t more = (capacity - need) / unit + 1;
  if (steps > most_sums) return more * unit;
  std::vector<bool> reached(static_cast<std::size_t>(steps) + 1, false);
  reached[0] = true;
  for (std::int64_t sum = 1; sum <= steps; ++sum)
    for (const std::int64_t size : sizes)
      if (size > 0 && size / unit <= sum && reached[static_cast<std::size_t>(sum - size / unit)])
        reached[static_cast<std::size_t>(sum)] = true;
  for (std::int64_t sum = more; sum <= steps; ++sum)
    if (reached[static_cast<std::size_t>(sum)]) return sum * unit;
  return 0;  // no such block ever lacks this resource
}

}  // namespace

BlockWeights::BlockWeights(const SmLimits& limits, const std::vector<KernelBlocks>& kernels) : sms_(limits.sms) {
  apply_ = !kernels.empty() && std::all_of(kernels.begin(), kernels.end(), [&](const KernelBlocks& kernel) {
    return kernel.use && kernel.cache_config == kernels.front().cache_config;
  });
  if (!apply_) return;
  for (const KernelBlocks& kernel : kernels)
    if (kernel.sms > 0) sms_ = std::min(sms_, kernel.sms);
  for (const auto& [use, capacity] :
       {std::pair(&SmUse::blocks, limits.blocks), std::pair(&SmUse::warps, limits.max_warps()),
        std::pair(&SmUse::registers, limits.registers), std::pair(&SmUse::shared_memory, limits.shared_memory)}) {
    std::vector<std::int64_t> sizes;
    for (const KernelBlocks& kernel : kernels) sizes.push_back((*kernel.use).*use);
    if (const std::int64_t full = least_full(std::move(sizes), capacity); full > 0) resources_.push_back({use, full});
  }
}

Duration BlockWeights::time(const KernelBlocks& kernel, std::int64_t blocks) const {
  using Wide = detail::Int128;
  Wide most = 0;
  for (const Resource& resource : resources_) {
    const Wide area = Wide(kernel.block.picoseconds()) * blocks;
    if (area >= most_picoseconds) return Duration::picoseconds(most_picoseconds);
    const Wide divisor = Wide(resource.full) * sms_;
    most = std::max(most, (area * ((*kernel.use).*(resource.use)) + divisor - 1) / divisor);
  }
  return Duration::picoseconds(static_cast<std::int64_t>(std::min<Wide>(most, most_picoseconds)));
}

}  // namespace amalthea::engine::nvidia
