// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The cost of memory accesses for a kernel, alone and beside others: a model with named parameters, fitted to
/// measurements.
///
/// There are two kinds of kernels. A *walk* (sequential, random) is described by a single access of a warp; the
/// prediction is in cycles per access. A *bulk* kernel is described by the demands of its whole work: time that uses
/// nothing shared, time on the load path of an SM, and time on the memory path behind it; the prediction is in cycles
/// per kernel.
///
/// The access of a walk takes
///
///   queue(hit + share * ((hit + miss (+) dram) + lanes - hit))
///
/// with a (+) b = (a^p + b^p)^(1/p), p = dram_exponent. `hit` is the latency of an L2 hit. `share` is the proportion of
/// misses, from the footprint of all resident kernels relative to the L2. `miss` is the latency of a miss; it depends
/// on the pattern, the number of missing warps, and CPU traffic. `dram` is the time that one round of all missing warps
/// occupies the memory bandwidth, `lanes` the queue of single lanes with separate misses. `queue` is the bandwidth
/// between an SM and the L2. Zero-copy memory is never cached: every access misses. Neither CPUs nor other kernels slow
/// down accesses as long as everything fits the L2. docs/reference/gpu.md describes each part, and the errors of the
/// model.
///
/// Values are doubles, not schedule times: they are predictions of measurements, not bounds.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/gpu/interference.hpp"
#include "engine/gpu/memory_parameters.hpp"
#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

enum class InterferenceCause : std::uint8_t {
  hit_latency,       ///< L2 hits, without interference; for a bulk kernel the part that uses nothing shared
  load_path,         ///< bandwidth between an SM and the L2
  misses,            ///< misses caused by the kernel's own footprint
  shared_l2,         ///< misses because others also use the L2
  crowded_misses,    ///< misses take longer because more warps miss
  memory_bandwidth,  ///< queueing for the memory bandwidth
  cpu_traffic,
};
std::string_view to_string(InterferenceCause cause);

struct InterferencePart {
  InterferenceCause cause = InterferenceCause::hit_latency;
  std::optional<std::size_t> other;  ///< index of the other kernel; nothing: the kernel itself, or the CPUs
  double cycles = 0;                 ///< never negative
};

struct InterferencePrediction {
  double alone_cycles = 0;   ///< per access; for a bulk kernel in total
  double beside_cycles = 0;  ///< for the part that waits for memory
  double memory_slowdown = 1;
  double slowdown = 1;  ///< 1 - memory_share + memory_share * memory_slowdown
  /// The parts of beside_cycles. The kernel's own parts precede the others and add up to alone_cycles; the others are
  /// present only if they are above zero.
  std::vector<InterferencePart> parts;
  std::int64_t resident_blocks = 0;  ///< of the kernel
  std::int64_t resident_other_blocks = 0;
  std::int64_t waiting_blocks = 0;    ///< of all kernels: blocks without room, which cause no interference yet
  std::int64_t shared_footprint = 0;  ///< bytes of device memory that all resident kernels walk through
};

/// Maximum number of other kernels.
constexpr std::int64_t max_kernels_beside = 1'000'000;

/// Predicts `kernel` beside `others`, launched in this order, and CPU traffic; alone means without both. Blocks are
/// placed by the rule of N14 on warps, threads and block slots. The error names the invalid figure.
tl::expected<InterferencePrediction, std::string> predict_interference(const MemoryParameters& parameters,
                                                                       const SmLimits& limits,
                                                                       const MemoryKernel& kernel,
                                                                       const std::vector<MemoryKernels>& others,
                                                                       const CpuTraffic& cpu);

/// A resident kernel and its running blocks on each SM, at least one in all.
struct ResidentKernel {
  const MemoryKernel* kernel = nullptr;
  std::vector<std::int64_t> blocks;
};

/// The same for kernels that already run, on the SMs where their blocks are; the kernels must be valid.
InterferencePrediction predict_interference(const MemoryParameters& parameters, const ResidentKernel& kernel,
                                            const std::vector<ResidentKernel>& others, const CpuTraffic& cpu);

/// An upper limit of `memory_slowdown` for the kernel beside at most one instance of each of `others` and CPU traffic,
/// however many of their blocks are resident, and on whichever SMs. The kernels must be valid.
///
/// The time of an access never decreases if any kernel has more blocks on an SM, or in all. So the others count with as
/// many blocks as their launches and an SM allow, on every SM. The time alone grows with the kernel's own blocks, too.
/// So the limit is the maximum over ranges of them: the time beside the others at the end of a range, divided by the
/// time alone at its beginning.
double largest_slowdown(const MemoryParameters& parameters, const SmLimits& limits, const MemoryKernel& kernel,
                        const std::vector<const MemoryKernel*>& others, const CpuTraffic& cpu);

/// What is wrong with a kernel as input of the model; "" if nothing is.
std::string fault_of(const MemoryParameters& parameters, const SmLimits& limits, const MemoryKernel& kernel);

/// Prediction from the coarse table (N21) for devices without measurements: the maximum slowdown by any other kernels
/// and CPUs. Assumes that both excesses add up.
struct CoarsePrediction {
  double by_kernels = 0;  ///< excess over 1
  double by_cpu = 0;
  double memory_slowdown = 1;
  double slowdown = 1;
};
CoarsePrediction predict_coarsely(const InterferenceTable& table, double memory_share, bool other_kernels, bool cpu);

}  // namespace amalthea::engine::nvidia
