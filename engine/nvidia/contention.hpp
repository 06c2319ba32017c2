// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The law of memory contention for copies and kernels of an NVIDIA GPU: who slows down whom, now and at worst.
/// Scenarios, the simulation of systems and bounds use it alike. What contention does to accesses of CPUs is in
/// program/memory_contention.hpp.
///
/// A kernel waits for memory for a share m of its time, so beside something with the factor k it progresses at the rate
/// 1 / (1 - m + m k) (N21). There are two bases for k:
/// - *measured*: the memory model (memory_model.hpp) for kernels with a known pattern, footprint and launch. It covers
///   other kernels and CPU traffic, if it knows all kernels that run.
/// - *table*: the factors of the profile. Aggressors of one kind add up, each with its memory-bound share, to at most
///   one: the factor is the limit for any number of aggressors. Copies count by the number of processes that copy, CPUs
///   by the number of cores that access memory; each adds the same excess until the factor is reached.
/// No measurement covers copies, so their factors are always those of the table. They apply to the share of a kernel's
/// footprint that does not fit into the L2, if both sizes are known.
/// A block beside blocks of other kernels on its SM has one factor more, whatever its share m.
/// Among several kinds only the worst counts. Blocks of one kernel do not slow each other down, since the kernel's own
/// duration includes that.
///
/// The memory model predicts medians, and shares of a factor interpolate, so neither is a bound. The worst case is the
/// largest measured value of the case with a margin, if a measured case covers the kernel, and otherwise the full factor
/// of the table. It is never below the law's own prediction for any CPU traffic and any number of resident blocks.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/interference.hpp"
#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/nvidia/memory_model.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

/// A kernel with running blocks.
struct RunningKernel {
  double memory_share = 0;           ///< 0 … 1
  std::vector<std::int64_t> blocks;  ///< number of running blocks, per graphics processing cluster
  const KernelMemory* memory = nullptr;
  std::vector<std::int64_t> blocks_on_sm = {};  ///< per SM; only if `memory` has a pattern
};

/// What executes concurrently at one instant.
struct Neighbourhood {
  std::vector<RunningKernel> kernels;
  std::optional<std::size_t> memcpy;  ///< index of a copy engine that copies
  std::optional<std::size_t> memset;
  std::int64_t copying_processes = 1;  ///< contexts with a copy that has begun or is due to begin
  CpuTraffic cpu;                      ///< any number of cores, beside the profile's constant traffic
};

enum class Aggressor : std::uint8_t { none, kernel, copy, cpu };

struct Interference {
  Slowdown slowdown;
  /// the aggressor that counts; among equals the first of memset, memcpy, kernels, CPUs
  Aggressor by = Aggressor::none;
  std::size_t index = 0;  ///< index of the kernel (the heaviest, among equals the first), or of the copy engine
};

/// An upper limit of a slowdown, and where it is from.
struct WorstSlowdown {
  Slowdown slowdown;
  ContentionBasis basis = ContentionBasis::table;
};

/// A kernel that may run beside another one.
struct KernelInUse {
  const KernelMemory* memory = nullptr;
  double memory_share = 1;
};

class ContentionLaw {
 public:
  ContentionLaw() = default;
  explicit ContentionLaw(const DeviceProfile& profile);

  /// For blocks of kernel `victim` in cluster `gpc`.
  Interference on_kernel(const Neighbourhood& beside, std::size_t victim, std::size_t gpc) const;
  /// For a block without instructions, if a block of another kernel is on its SM.
  Slowdown on_same_sm() const { return table_.kernel_by_same_sm; }
  /// For every copy.
  Interference on_copy(const Neighbourhood& beside) const;

  /// The basis for a kernel beside other kernels and CPUs.
  ContentionBasis basis_of(const KernelMemory& kernel) const;
  /// For a kernel beside any CPU traffic, and no other kernel.
  WorstSlowdown worst_by_cpu(const KernelMemory& kernel, double memory_share) const;
  /// For a kernel beside at most one kernel of each of these streams, and any CPU traffic if there is some.
  WorstSlowdown worst_by_kernels(const KernelMemory& kernel, double memory_share,
                                 const std::vector<std::vector<KernelInUse>>& streams, bool cpu_traffic) const;
  /// By the constant traffic of CPUs that the profile states.
  Slowdown always_on_kernel(double memory_share) const {
    return weigh(weigh(table_.kernel_by_cpu, constant_traffic_), memory_share);
  }
  Slowdown always_on_copy() const { return weigh(table_.copy_by_cpu, constant_traffic_); }
  /// For a copy beside any CPU traffic.
  Slowdown worst_of_copy_by_cpu() const { return table_.copy_by_cpu; }

 private:
  double cpu_share(const Neighbourhood& beside) const;
  double beyond_l2(const KernelMemory* memory) const;
  bool can_predict(const std::vector<RunningKernel>& kernels) const;
  Interference predicted(const Neighbourhood& beside, std::size_t victim) const;
  double largest_prediction(const MemoryKernel& kernel) const;
  double worst_prediction(const MemoryKernel& kernel, const std::vector<const MemoryKernel*>& others,
                          bool cpu_traffic) const;
  double worst_prediction(const MemoryKernel& kernel, const std::vector<std::vector<const MemoryKernel*>>& streams,
                          bool cpu_traffic) const;

  InterferenceTable table_;
  std::optional<MemoryParameters> parameters_;
  std::vector<MeasuredCase> cases_;
  SmLimits limits_;
  double constant_traffic_ = 0;
};

}  // namespace amalthea::engine::nvidia
