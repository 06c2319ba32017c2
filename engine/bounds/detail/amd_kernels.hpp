// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The kernels of active device tasks on an AMD GPU, as amd/kernel_delays.hpp needs them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/amd/kernel_delays.hpp"
#include "engine/bounds/detail/activations.hpp"
#include "engine/bounds/detail/offloads.hpp"

namespace amalthea::engine::bounds {

struct AmdKernels {
  std::vector<amd::SharingKernel> kernels;
  std::vector<TaskStep> steps;  ///< parallel to the kernels
  /// Parallel to the kernels: the time of one that nothing delays, if it has costs (gpu::KernelCost).
  std::vector<std::optional<Duration>> alone;
  std::int64_t queues = 0;   ///< HSA queues that they use
  bool shares_aces = false;  ///< several of them may have one ACE because streams state ACEs
  std::string fault;         ///< why no bound covers the costs of a kernel; "": nothing, or there are none
};

/// Device tasks of one host that are never active beside each other count as one task.
AmdKernels amd_kernels(const AnalyzedSystem& subject, const std::vector<Activations>& activations,
                       const Offloads& offloads, UnitIndex unit);

}  // namespace amalthea::engine::bounds
