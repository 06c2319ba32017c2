// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// From a model to GPUs: contexts, streams and launches by the custom properties gpu.* of tasks, runnables and units.
/// gpu_program.cpp also has device_program (execution.hpp), the operations of a device task.

#include <memory>
#include <string>
#include <vector>

#include "reference/execution.hpp"

namespace reference {

/// A GPU of a model with the streams of its tasks.
struct Device {
  Index unit = none;
  std::unique_ptr<Gpu> gpu;
  std::vector<std::uint32_t> stream;    ///< by task; none: the task is not on this GPU
  std::vector<std::size_t> operations;  ///< of the execution, by their numbers on the GPU
};

/// All GPUs that have tasks. Questions about a GPU have its unit as entity. Throws Refused for properties that this
/// reading does not know: AMD queues, MPS, warp schedulers, measured memory.
std::vector<Device> devices(const Model&, Behaviour&, const RunOptions&);

/// Whether accesses of CPUs to this memory slow the GPU down while they take time (S-gpu-13): the GPU has it in reach, too.
bool shares_memory(const Model&, Index gpu, Index memory);

}  // namespace reference
