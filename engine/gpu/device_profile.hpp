// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Properties of a GPU that the model does not contain: time slices, context switch cost, mutual slowdown of copies and
/// kernels. Profiles are data (platforms/*.json, built in); users may supply their own in the same form.
///
/// Profiles and the contexts on a System's GPUs (contexts.hpp) are in namespace engine, since the whole engine uses
/// them. Namespace gpu contains the vocabulary of devices.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/platform.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/interference.hpp"
#include "engine/gpu/kernel_cost.hpp"
#include "engine/gpu/memory_parameters.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/queue_architecture.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine {

struct DeviceProfile {
  std::string name;
  std::string description;
  std::vector<std::string> recognised_by;  ///< names of units or structures that identify this device
  std::vector<std::string> unknown;        ///< figures that are not published; their values are placeholders
  std::vector<std::string> assumed;        ///< not published for this device; their values are pessimistic assumptions
  std::vector<std::string> left_out;       ///< slowdowns without a value, which count as 1; none that is unknown
  Duration time_slice;                     ///< default of a context for which the model states none
  Duration context_switch;                 ///< lost whenever an engine switches to another context
  /// Lost when a kernel of a stream of high priority takes the place of blocks of a started kernel of low priority. No
  /// profile states it; scenarios and models do.
  Duration stream_preemption;
  gpu::InterferenceTable interference;
  int copy_engines = 1;                    ///< with two, copies from the device have their own
  std::int64_t copy_bytes_per_second = 0;  ///< of a copy engine; 0: unknown
  /// At which the host copies between pageable memory and the page-locked buffer of the driver. The default is the
  /// slowest that is published of a whole copy of pageable memory (M. Harris, "How to Optimize Data Transfers in CUDA
  /// C/C++", 2012: a laptop).
  std::int64_t staging_bytes_per_second = 2'300'000'000;
  gpu::Preemption preemption = gpu::Preemption::instruction;  ///< when a context can be preempted
  std::optional<gpu::SmLimits> multiprocessors;               ///< limits of an SM; nothing if unknown
  /// Measured memory parameters, in addition to the table of factors; nothing without measurements.
  std::optional<gpu::MemoryParameters> measured_memory;
  std::vector<gpu::MeasuredCase> measured_cases;  ///< the largest slowdowns among these measurements
  /// For an AMD GPU: compute units are the multiprocessors, shader engines the clusters.
  std::optional<gpu::QueueArchitecture> amd;
  /// 0 … 1: constant memory traffic of CPUs relative to the worst case, beside what a model's tasks access. No profile
  /// states it; scenarios and models do. NVIDIA only.
  double cpu_traffic = 0;

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

/// The measured kernel with that name in the profile, case-insensitive; null if there is none.
const gpu::NamedKernel* find_kernel(const DeviceProfile& profile, std::string_view name);

/// Parses the JSON text of a profile. The error states where what is missing or wrong: "line:column: path: what".
tl::expected<DeviceProfile, std::string> parse_device_profile(std::string_view json);

const std::vector<DeviceProfile>& built_in_profiles();
const DeviceProfile* find_profile(std::string_view name);

/// The profile for a unit: that of its file, else its gpu.platform property, else the profile that recognizes the name of
/// the unit or of its structures, else "generic". The error names an unknown gpu.platform, or states what is wrong in the
/// file.
tl::expected<const DeviceProfile*, std::string> profile_for(const ProcessingUnit& unit);

}  // namespace amalthea::engine
