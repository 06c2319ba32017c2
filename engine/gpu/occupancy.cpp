// SPDX-License-Identifier: Apache-2.0
#include "engine/gpu/occupancy.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace amalthea::engine::gpu {
namespace {

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) { return value / by + (value % by != 0 ? 1 : 0); }
constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return divide_up(value, unit) * unit; }

std::int64_t registers_per_warp(const SmLimits& limits, std::int64_t registers) {
  return round_up(registers * limits.warp_size, limits.register_unit);
}

double quotient(std::int64_t capacity, std::int64_t demand) {
  return demand == 0 ? std::numeric_limits<double>::infinity()
                     : static_cast<double>(capacity) / static_cast<double>(demand);
}

}  // namespace

SmUse& SmUse::operator+=(const SmUse& other) {
  blocks += other.blocks;
  warps += other.warps;
  registers += other.registers;
  shared_memory += other.shared_memory;
  return *this;
}

SmUse& SmUse::operator-=(const SmUse& other) {
  blocks -= other.blocks;
  warps -= other.warps;
  registers -= other.registers;
  shared_memory -= other.shared_memory;
  return *this;
}

std::int64_t counted_shared_memory(const SmLimits& limits, std::int64_t bytes) {
  const bool counts = bytes > limits.shared_memory_ignored ||
                      (limits.threshold_counts && bytes > 0 && bytes == limits.shared_memory_ignored);
  return counts ? round_up(bytes, limits.shared_memory_unit) : 0;
}

tl::expected<SmUse, std::string> use_of_block(const SmLimits& limits, const BlockShape& shape) {
  if (shape.threads < 1) return tl::unexpected(fmt::format("a block has at least 1 thread, not {}", shape.threads));
  if (shape.threads > limits.threads_per_block)
    return tl::unexpected(
        fmt::format("a block of {} threads exceeds the {} a block may have", shape.threads, limits.threads_per_block));
  if (shape.registers < 0 || shape.registers > limits.registers_per_thread)
    return tl::unexpected(fmt::format("{} registers per thread are not between 0 and the {} a thread may have",
                                      shape.registers, limits.registers_per_thread));
  if (shape.shared_memory < 0 || shape.shared_memory > limits.shared_memory_per_block)
    return tl::unexpected(fmt::format("{} bytes of shared memory are not between 0 and the {} a block may have",
                                      shape.shared_memory, limits.shared_memory_per_block));
  SmUse use;
  use.blocks = 1;
  use.warps = divide_up(shape.threads, limits.warp_size);
  use.registers = use.warps * registers_per_warp(limits, shape.registers);
  use.shared_memory = counted_shared_memory(limits, shape.shared_memory);
  if (use.registers > limits.registers_per_block)
    return tl::unexpected(
        fmt::format("{} warps with {} registers per thread take {} registers, more than the {} a block may have",
                    use.warps, shape.registers, use.registers, limits.registers_per_block));
  if (!fits(limits, {}, use))
    return tl::unexpected(fmt::format("a block of {} warps, {} registers and {} bytes of shared memory exceeds an SM",
                                      use.warps, use.registers, use.shared_memory));
  return use;
}

bool fits(const SmLimits& limits, const SmUse& resident, const SmUse& block) {
  return resident.blocks + block.blocks <= limits.blocks && resident.warps + block.warps <= limits.max_warps() &&
         resident.registers + block.registers <= limits.registers &&
         resident.shared_memory + block.shared_memory <= limits.shared_memory;
}

std::int64_t resident_blocks(const SmLimits& limits, const SmUse& block) {
  std::int64_t blocks = limits.blocks;
  if (block.warps > 0) blocks = std::min(blocks, limits.max_warps() / block.warps);
  if (block.registers > 0) blocks = std::min(blocks, limits.registers / block.registers);
  if (block.shared_memory > 0) blocks = std::min(blocks, limits.shared_memory / block.shared_memory);
  return blocks;
}

Equation1 equation_1(const SmLimits& limits, const BlockShape& shape, std::int64_t launched) {
  const SmUse block = use_of_block(limits, shape).value();
  const std::int64_t blocks = launched + 1;
  const std::int64_t warps = blocks * block.warps;
  const double threads = static_cast<double>(limits.threads / (warps * limits.warp_size));
  const double registers = quotient(limits.registers, blocks * block.registers);
  Equation1 result;
  result.block = blocks;
  result.printed =
      std::max({threads, quotient(limits.shared_memory_per_block, (blocks * shape.shared_memory + 3072) * launched), registers});
  result.minimum = std::min({threads, quotient(limits.shared_memory, blocks * block.shared_memory), registers});
  result.admitted = result.minimum >= 1 && blocks <= limits.blocks;
  return result;
}

tl::expected<Occupancy, std::string> occupancy(const SmLimits& limits, const BlockShape& shape) {
  const auto block = use_of_block(limits, shape);
  if (!block) return tl::unexpected(block.error());
  Occupancy result;
  result.shape = shape;
  result.block = *block;
  result.limits = {{"blocks", 1, limits.blocks, 0, false},
                   {"warps", block->warps, limits.max_warps(), 0, false},
                   {"registers", block->registers, limits.registers, 0, false},
                   {"shared memory", block->shared_memory, limits.shared_memory, 0, false}};
  result.blocks = resident_blocks(limits, *block);
  for (ResourceLimit& limit : result.limits) {
    limit.blocks = limit.per_block == 0 ? -1 : limit.per_sm / limit.per_block;
    limit.binds = limit.blocks == result.blocks;
  }
  result.warps = result.blocks * block->warps;
  for (std::int64_t launched = 0; launched <= result.blocks; ++launched)
    result.equation.push_back(equation_1(limits, shape, launched));
  const std::int64_t per_warp = limits.registers / limits.max_warps() / limits.register_unit * limits.register_unit;
  result.harmless_registers = std::min(limits.registers_per_thread, per_warp / limits.warp_size);
  return result;
}

}  // namespace amalthea::engine::gpu
