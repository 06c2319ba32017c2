// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How kernels, copies and CPUs slow each other through memory: the coarse table of factors.
///
/// Source: Olmedo et al., RTAS 2020 (N21): the paper's curves are lost, its maxima are what the table holds.
///
/// How aggressors combine is ours. Those of one kind add up, each with the share of its time that is bound by memory,
/// to at most one: the maximum of a kind is its maximum, however many there are. Of several kinds the worst counts.
/// Blocks of one kernel do not slow each other: that is in the kernel's own duration.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/slowdown.hpp"

namespace amalthea::engine::gpu {

/// The full slowdown of a victim that is bound by memory all the time, beside an aggressor that is, too.
struct InterferenceTable {
  Slowdown kernel_by_memcpy;     ///< a copy engine that copies
  Slowdown kernel_by_memset;     ///< a copy engine that sets memory
  Slowdown kernel_by_same_gpc;   ///< another kernel in the same graphics processing cluster
  Slowdown kernel_by_other_gpc;  ///< another kernel in other clusters only
  Slowdown kernel_by_cpu;        ///< the CPUs at their worst
  Slowdown copy_by_kernel;
  Slowdown copy_by_cpu;

  friend bool operator==(const InterferenceTable&, const InterferenceTable&) = default;
};

/// A kernel whose blocks run.
struct RunningKernel {
  double memory_share = 0;           ///< 0 … 1
  std::vector<std::int64_t> blocks;  ///< running, per graphics processing cluster
};

/// What runs beside each other at one instant.
struct Neighbourhood {
  std::vector<RunningKernel> kernels;
  std::optional<std::size_t> memcpy;  ///< a copy engine that copies; engines by their index
  std::optional<std::size_t> memset;
  double cpu_traffic = 0;  ///< 0 … 1 of the worst
};

enum class Aggressor : std::uint8_t { none, kernel, copy, cpu };

struct Interference {
  Slowdown slowdown;
  Aggressor by = Aggressor::none;  ///< who counts; of equals the first of memset, memcpy, kernels, CPUs
  std::size_t index = 0;           ///< the kernel in the list (the heaviest, of equals the first), or the copy engine
};

/// On blocks of kernel `victim` in cluster `gpc`.
Interference interference_on_kernel(const InterferenceTable& table, const Neighbourhood& beside, std::size_t victim,
                                    std::size_t gpc);
/// On every copy.
Interference interference_on_copy(const InterferenceTable& table, const Neighbourhood& beside);

}  // namespace amalthea::engine::gpu
