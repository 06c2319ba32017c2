// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The processes that share a GPU, and their streams: which device tasks belong together.

#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

struct GpuStream {
  std::string name;            ///< "" when a task has it to itself
  bool high_priority = false;  ///< of any of its tasks
  std::string cu_mask = {};    ///< as written by the first of its tasks that has one; "": none
  std::vector<TaskIndex> tasks = {};
};

struct GpuContext {
  Duration slice;                   ///< the longest of its tasks'
  std::uint32_t runlist_slots = 2;  ///< the most of its tasks'
  std::vector<TaskIndex> tasks;     ///< in model order
  std::vector<GpuStream> streams;
};

/// The contexts on a GPU in the order of their first tasks, which is that of the runlist. A device task that names no
/// context is one of its own; one that names no stream has one of its own.
std::vector<GpuContext> contexts_on(const System& system, UnitIndex unit, const DeviceProfile& profile);

/// The time slice that a device task asks for: its own, else the device's, within the scheduler's limits.
Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile);

}  // namespace amalthea::engine
