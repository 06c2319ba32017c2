// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mutual slowdown of kernels, copies and CPUs through memory: the coarse table of factors, and largest measured values.
/// nvidia/contention.hpp is the law that uses them.
///
/// Source: Olmedo et al., RTAS 2020 (N21). The paper's curves are not available; the table holds its maxima.

#include <cstdint>
#include <vector>

#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/slowdown.hpp"

namespace amalthea::engine::gpu {

/// Slowdown of a fully memory-bound victim beside a fully memory-bound aggressor, except for `kernel_by_same_sm`.
struct InterferenceTable {
  Slowdown kernel_by_memcpy;     ///< a copy engine that copies
  Slowdown kernel_by_memset;     ///< a copy engine that sets memory
  Slowdown kernel_by_same_gpc;   ///< another kernel in the same graphics processing cluster
  Slowdown kernel_by_other_gpc;  ///< another kernel in other clusters only
  /// Of a block beside blocks of other kernels on its SM, by their use of its units. It does not depend on memory, and
  /// does not apply to blocks whose instructions are stated: those compete cycle by cycle.
  Slowdown kernel_by_same_sm;
  Slowdown kernel_by_cpu;  ///< the CPUs with worst-case traffic
  Slowdown copy_by_kernel;
  Slowdown copy_by_cpu;
  /// Number of processes with copies that slow a kernel down by the full factor; fewer have their share of the excess.
  std::int64_t copying_processes = 1;
  /// The same for CPU cores that access the memory.
  std::int64_t accessing_cores = 1;
  std::int64_t l2_cache = 0;  ///< bytes; 0: unknown. Data that fits into it is not slowed down

  friend bool operator==(const InterferenceTable&, const InterferenceTable&) = default;
};

/// The largest slowdown that was measured beside CPU traffic, of kernels up to this size that run alone on the GPU.
struct MeasuredCase {
  AccessPattern pattern = AccessPattern::sequential;
  MemoryLocation location = MemoryLocation::device;
  std::int64_t footprint = 0;  ///< bytes, at most
  std::int64_t threads = 1;    ///< per block, at most
  std::int64_t blocks = 1;     ///< at most
  Slowdown by_cpu;

  friend bool operator==(const MeasuredCase&, const MeasuredCase&) = default;
};

}  // namespace amalthea::engine::gpu
