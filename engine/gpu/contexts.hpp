// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The processes that share a GPU, and their streams: which device tasks belong to which.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

struct GpuStream {
  std::string name;            ///< "" if it belongs to a single task
  bool high_priority = false;  ///< any of its tasks has high priority
  std::string cu_mask = {};    ///< of the first of its tasks that specifies one; "": none
  std::vector<TaskIndex> tasks = {};
};

struct GpuContext {
  Duration slice;                   ///< the longest among its tasks
  std::uint32_t runlist_slots = 2;  ///< the maximum among its tasks
  std::vector<TaskIndex> tasks;     ///< in model order
  std::vector<GpuStream> streams;
};

/// The contexts on a GPU in the order of their first tasks, which is the order of the runlist. A device task without a
/// named context has its own context, and one without a named stream has its own stream.
std::vector<GpuContext> contexts_on(const System& system, UnitIndex unit, const DeviceProfile& profile);

/// The time slice of a device task: its own, else that of the device, clamped to the scheduler's limits.
Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile);

}  // namespace amalthea::engine
