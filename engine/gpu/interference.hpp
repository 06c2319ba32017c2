// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mutual slowdown of kernels, copies and CPUs through memory: the coarse table of factors.
///
/// Source: Olmedo et al., RTAS 2020 (N21). The paper's curves are not available; the table holds its maxima.
///
/// The combination of aggressors is our own model. Aggressors of one kind add up, each with its memory-bound share, to
/// at most one: the maximum of a kind is its limit for any number of aggressors. Among several kinds the worst one
/// counts. Blocks of one kernel do not slow each other down, since the kernel's own duration includes that.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/slowdown.hpp"

namespace amalthea::engine::gpu {

/// Slowdown of a fully memory-bound victim beside a fully memory-bound aggressor.
struct InterferenceTable {
  Slowdown kernel_by_memcpy;     ///< a copy engine that copies
  Slowdown kernel_by_memset;     ///< a copy engine that sets memory
  Slowdown kernel_by_same_gpc;   ///< another kernel in the same graphics processing cluster
  Slowdown kernel_by_other_gpc;  ///< another kernel in other clusters only
  Slowdown kernel_by_cpu;        ///< the CPUs with worst-case traffic
  Slowdown copy_by_kernel;
  Slowdown copy_by_cpu;

  friend bool operator==(const InterferenceTable&, const InterferenceTable&) = default;
};

/// A kernel with running blocks.
struct RunningKernel {
  double memory_share = 0;           ///< 0 … 1
  std::vector<std::int64_t> blocks;  ///< number of running blocks, per graphics processing cluster
};

/// What executes concurrently at one instant.
struct Neighbourhood {
  std::vector<RunningKernel> kernels;
  std::optional<std::size_t> memcpy;  ///< index of a copy engine that copies
  std::optional<std::size_t> memset;
  double cpu_traffic = 0;  ///< 0 … 1 of the worst case
};

enum class Aggressor : std::uint8_t { none, kernel, copy, cpu };

struct Interference {
  Slowdown slowdown;
  /// the aggressor that counts; among equals the first of memset, memcpy, kernels, CPUs
  Aggressor by = Aggressor::none;
  std::size_t index = 0;  ///< index of the kernel (the heaviest, among equals the first), or of the copy engine
};

/// For blocks of kernel `victim` in cluster `gpc`.
Interference interference_on_kernel(const InterferenceTable& table, const Neighbourhood& beside, std::size_t victim,
                                    std::size_t gpc);
/// For every copy.
Interference interference_on_copy(const InterferenceTable& table, const Neighbourhood& beside);

}  // namespace amalthea::engine::gpu
