// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether the times that follow from the instructions of kernels (gpu.instructions) are bounds, and what is if not.
///
/// They are those of blocks that start together on SMs that nothing else uses (program/kernel_instructions.hpp). A block
/// takes longer if its warps compete with those of other kernels, or with blocks that started at another time. No SM
/// needs to be busy for that: the placement rule puts blocks of two streams on one SM while others are idle (N11, N12).
/// So the times hold only if, in the context of the kernel,
/// - no kernel of another stream can be at work at the same time: a host waits for one before it triggers the other, or
///   one needs an empty GPU (no launch configuration, another cache configuration); or masks give both separate SMs; or
///   a block of the one does not fit beside a block of the other, and an SM holds one block of the kernel;
/// - all blocks of the kernel are resident at once, or one at a time on each SM.
/// Otherwise nvidia/shared_warps.hpp bounds all kernels of the context, if its argument applies.

#include <string>
#include <vector>

#include "engine/bounds/detail/offloads.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/kernel_delays.hpp"

namespace amalthea::engine::bounds {

struct SharedSms {
  bool compete = false;                   ///< whether instructions of several kernels or blocks compete on SMs
  std::string fault;                      ///< why the time of a block is unknown; "" if all are known
  std::vector<gpu::KernelDelays> delays;  ///< of the kernels, where they share SMs, in some ways
  std::vector<TaskStep> kernels;          ///< parallel to those
};

/// Whether the kernel states latencies. Letters may be executed as ticks, so they do not count.
bool has_latencies(const Kernel& kernel);

/// For a context of an NVIDIA GPU.
SharedSms shared_sms(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                     const Offloads& offloads, const GpuContext& context);

}  // namespace amalthea::engine::bounds
