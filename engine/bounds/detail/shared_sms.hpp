// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether the times that follow from the instructions of kernels (gpu.instructions) are bounds.
///
/// They are those of blocks that start together on SMs that nothing else uses (program/kernel_instructions.hpp). A block
/// takes longer if its warps compete with those of other kernels, or with blocks that started at another time. No idle
/// SM needs to lack for that: the placement rule puts blocks of two streams on one SM while others are idle (N11, N12).
/// So the times hold only if, in the context of the kernel,
/// - no kernel of another stream can be at work at the same time: a host waits for one before it triggers the other, or
///   one needs an empty GPU (no launch configuration, another cache configuration); or masks give both separate SMs; or
///   a block of the one does not fit beside a block of the other, and an SM holds one block of the kernel;
/// - all blocks of the kernel are resident at once, or one at a time on each SM.

#include <string>

#include "engine/bounds/detail/offloads.hpp"
#include "engine/gpu/contexts.hpp"

namespace amalthea::engine::bounds {

/// For a context of an NVIDIA GPU: why the time of a block in it is unknown; "" if all are known.
std::string fault_of_shared_sms(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                                const Offloads& offloads, const GpuContext& context);

}  // namespace amalthea::engine::bounds
