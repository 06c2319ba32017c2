// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How kernels and CPUs use the memory: the input of the laws of memory contention.

#include <cstdint>
#include <optional>
#include <string_view>

namespace amalthea::engine::gpu {

enum class AccessPattern : std::uint8_t {
  sequential,  ///< neighboring lanes read neighboring 4-byte elements, and advance together (coalesced)
  random,      ///< each next element is anywhere in the footprint
  bulk,        ///< not a walk: a whole kernel described by its demands
};

enum class MemoryLocation : std::uint8_t {
  device,
  zero_copy,  ///< pinned host memory that the GPU reads in place
};

/// The memory use of a kernel.
struct MemoryKernel {
  AccessPattern pattern = AccessPattern::sequential;
  MemoryLocation location = MemoryLocation::device;
  /// random: each lane of a warp reads a separate element; otherwise all lanes read the same one
  bool lanes_differ = true;
  std::int64_t footprint = 0;  ///< bytes that are read repeatedly, by the whole kernel; required for walks
  std::int64_t threads = 1;    ///< per block
  std::int64_t blocks = 1;
  std::optional<double> fetched_bytes;  ///< sequential: what a miss fetches, if known to differ
  /// Bulk: cycles of the kernel's whole work. The parts that use nothing shared or the load path of an SM are divided
  /// among the blocks, which run concurrently; the memory path serves all of them.
  double own_cycles = 0;
  double load_path_cycles = 0;
  double memory_path_cycles = 0;
  /// Share (0 … 1) of the kernel's time that waits for memory; the rest is not slowed down (N21).
  double memory_share = 1;
};

struct MemoryKernels {
  MemoryKernel kernel;
  std::int64_t count = 1;
};

enum class CpuTrafficKind : std::uint8_t { none, random, sequential };

/// Concurrent CPU activity: walks through arrays larger than their caches, by one thread on each of `cores`.
struct CpuTraffic {
  CpuTrafficKind kind = CpuTrafficKind::none;
  std::int64_t cores = 0;  ///< 0 to the cpu_cores of the measurements; in between the slowdown is interpolated
  friend bool operator==(const CpuTraffic&, const CpuTraffic&) = default;
};

/// What is known about a kernel's use of the memory.
struct KernelMemory {
  std::int64_t footprint = 0;             ///< bytes of all the data it accesses; 0: unknown
  std::optional<MemoryKernel> described;  ///< its pattern, with the footprint and the launch; nothing: not stated
};

/// What a slowdown is taken from: the measured memory model of a profile, or its table of factors.
enum class ContentionBasis : std::uint8_t { table, measured };
constexpr std::string_view name_of(ContentionBasis basis) {
  return basis == ContentionBasis::measured ? "measured" : "table";
}

}  // namespace amalthea::engine::gpu
