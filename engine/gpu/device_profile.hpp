// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is known of a GPU beyond the model: time slices, switch cost, how copies and kernels slow each other.
/// Profiles are data (platforms/*.json, built in); users may give one of their own in the same form.
///
/// Profiles and the contexts on a System's GPUs (contexts.hpp) are in namespace engine, since all of the engine speaks
/// of them; namespace gpu is the vocabulary of devices.

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
  std::vector<std::string> recognised_by;  ///< names of units or structures that mean this device
  Duration time_slice;                     ///< of a context for which the model states none
  Duration context_switch;                 ///< lost whenever an engine turns to another context
  gpu::InterferenceTable interference;
  int copy_engines = 1;  ///< with two, copies from the device have one of their own
  gpu::Preemption preemption = gpu::Preemption::instruction;  ///< where a context can be left
  std::optional<gpu::SmLimits> multiprocessors;               ///< what blocks may occupy; nothing where it is not known
  /// Beside the table of factors, what was measured; nothing where nobody measured.
  std::optional<gpu::MemoryParameters> measured_memory;
  /// Of an AMD GPU, whose compute units are the multiprocessors and whose shader engines the clusters.
  std::optional<gpu::QueueArchitecture> amd;
};

/// The profile's measured kernel of that name, whatever its case; null where there is none.
const gpu::NamedKernel* find_kernel(const DeviceProfile& profile, std::string_view name);

/// From the JSON text of a profile; the error says where what is missing or wrong: "line:column: path: what".
tl::expected<DeviceProfile, std::string> parse_device_profile(std::string_view json);

const std::vector<DeviceProfile>& built_in_profiles();
const DeviceProfile* find_profile(std::string_view name);

/// The profile for a unit: its gpu.platform property, else one that recognises the unit's or its structures' name,
/// else "generic". The error names a gpu.platform that is not known.
tl::expected<const DeviceProfile*, std::string> profile_for(const ProcessingUnit& unit);

}  // namespace amalthea::engine
