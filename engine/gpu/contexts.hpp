// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The processes that share a GPU, and their streams: which device tasks belong to which.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::engine {

struct GpuStream {
  std::string name;                            ///< "" if it belongs to a single task, and for the NULL stream
  bool is_null = false;                        ///< the NULL stream of its process
  bool has_pageable = false;                   ///< any of its tasks copies from or to pageable memory
  bool high_priority = false;                  ///< any of its tasks has high priority
  std::string cu_mask = {};                    ///< of the first of its tasks that specifies one; "": none
  std::string sm_mask = {};                    ///< the same on an NVIDIA GPU
  std::optional<std::int64_t> hsa_queue = {};  ///< on an AMD GPU, of the first of its tasks that states one
  std::optional<std::int64_t> ace = {};        ///< the same
  std::size_t process = 0;                     ///< under MPS: the process of the context that it belongs to
  double mps_share = 0;                        ///< of that process, in percent; 0: without MPS
  std::vector<TaskIndex> tasks = {};
};

struct GpuContext {
  Duration slice;                   ///< the longest among its tasks
  std::uint32_t runlist_slots = 2;  ///< the maximum among its tasks
  std::vector<TaskIndex> tasks;     ///< in model order
  std::vector<GpuStream> streams;
  std::int64_t urgency = 0;   ///< the highest priority of its tasks
  std::size_t processes = 1;  ///< under MPS: the processes that share it

  /// Whether a NULL stream, or copies of pageable memory, order other streams of their process.
  bool has_barriers() const;
};

/// The contexts on a GPU in the order of their first tasks, which is the order of the runlist. A device task without a
/// named context has its own context, and one without a named stream has its own stream, unless it uses the NULL stream.
/// Processes under MPS share one context.
std::vector<GpuContext> contexts_on(const System& system, UnitIndex unit, const DeviceProfile& profile);

/// Whether the GPU schedules contexts by the priorities of their tasks (gpu.contextScheduling is "priority").
bool schedules_by_urgency(const System& system, UnitIndex unit);

/// The time slice of a device task: its own, else that of the device, clamped to the scheduler's limits.
Duration time_slice_of(const System& system, const Task& task, const DeviceProfile& profile);

}  // namespace amalthea::engine
