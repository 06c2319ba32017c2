// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a GPU is, and what processes give it: settings, contexts, operations.

#include <cstdint>
#include <string>
#include <vector>

#include "reference/behaviour.hpp"
#include "reference/warps.hpp"

namespace reference {

/// Figures of a GPU profile as plain numbers. Factors are thousandths (3000: three times as long). The defaults are
/// those of a Jetson TX2 without any slowdown.
struct GpuSettings {
  enum class Leave { instruction, block, kernel };

  int copy_engines = 1;  ///< with two, copies from the device have the second one (S-gpu-4)
  Time slice = 2'600'000'000;
  Time context_switch = 0;
  Leave leave = Leave::instruction;  ///< where an engine can leave a context (S-gpu-8)

  int sms = 2, sms_per_gpc = 2, sms_per_tpc = 1;
  int warps = 64, blocks = 32;                            // of an SM
  std::int64_t registers = 65536, shared_memory = 65536;  // of an SM; bytes
  int threads_per_block = 1024, schedulers = 4;           // at most; schedulers: warps of an SM in a cycle (S-gpu-16)
  std::string units = "CCCC";                             ///< of them on units of each kind, a letter for each
  std::int64_t registers_per_block = 65536, shared_memory_per_block = 49152;
  std::int64_t register_unit = 256, shared_unit = 256, shared_ignored = 3072;  ///< per warp; bytes; N17

  std::int64_t kernel_by_memcpy = 1000, kernel_by_memset = 1000, kernel_by_same_sm = 1000, kernel_by_same_gpc = 1000,
               kernel_by_other_gpc = 1000, kernel_by_cpu = 1000, copy_by_kernel = 1000, copy_by_cpu = 1000;

  bool less_slowdown = false;  ///< whether an operation may be slowed down less than by the factors (S-gpu-14)
  bool any_placement = false;  ///< whether a block may go to any SM with room (S-gpu-12)
};

struct Launch {
  std::int64_t blocks = 1;
  int threads = 32;
  std::int64_t registers = 0, shared_memory = 0;  ///< per thread; bytes per block
  std::string cache;                              ///< empty: none stated
};

struct GpuOperation {
  enum class Kind { to_device, from_device, memset, kernel };

  Kind kind = Kind::kernel;
  Time least = 0, most = 0;    ///< of the copy, of each block, or of a kernel without launch
  std::vector<Launch> launch;  ///< empty or one: without it a kernel has the whole engine
  std::uint32_t task = 0;      ///< entity of the questions about its times
  std::int64_t memory = 1000;  ///< thousandths of the time that wait for memory
  std::string instructions;    ///< of each warp, a letter for each, in place of the time of a block (S-gpu-16)
};

struct GpuContext {
  Time slice = -1;           ///< -1: that of the settings
  int slots = 2;             ///< of a round of the runlist: 1 low, 2 medium, 3 high
  std::int64_t urgency = 0;  ///< counts under contexts by priority
  bool shared = false;       ///< several tasks use it
};

}  // namespace reference
