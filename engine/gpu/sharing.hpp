// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How contexts (processes) and their streams share a GPU: priorities, preemption, masks of compute units, queues.
/// Devices ignore what their vendor's GPUs lack.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::gpu {

/// The value is the number of entries of a context in the runlist of an engine.
enum class ContextPriority : std::uint8_t { low = 1, medium = 2, high = 3 };
std::string_view name_of(ContextPriority priority);  ///< "low", "medium", "high"

/// The share of a process in the GPU.
struct Context {
  std::string name;
  Duration slice = Duration::microseconds(2600);  ///< > 0
  ContextPriority priority = ContextPriority::medium;
  std::int64_t urgency = 0;  ///< larger precedes, if contexts are scheduled by urgency
  std::size_t gpu = 0;       ///< of a scenario with several: which of them it is on
};

/// When an engine can preempt a context whose time slice has ended (N5).
enum class Preemption : std::uint8_t {
  instruction,  ///< immediately; blocks and copies continue later where they stopped
  block,        ///< when the running blocks, or the copy, have ended; none begins meanwhile
  kernel,       ///< when the kernels with running blocks, or the copy, have ended; no other begins meanwhile
};
std::string_view name_of(Preemption preemption);  ///< "instruction", "block", "kernel"

enum class StreamPriority : std::uint8_t { high, low };
std::string_view name_of(StreamPriority priority);  ///< "high", "low"

/// Compute units (CUs), or SMs, that a stream may use: one bit per unit (amd/cu_mask.hpp and nvidia/sm_mask.hpp parse
/// them).
struct CuMask {
  std::vector<bool> bits;

  std::int64_t count() const { return std::count(bits.begin(), bits.end(), true); }
  friend bool operator==(const CuMask&, const CuMask&) = default;
};

/// The settings of a stream.
struct StreamSettings {
  StreamPriority priority = StreamPriority::low;  ///< NVIDIA
  bool is_null = false;                           ///< at most one in each context; its operations also have `priority`
  bool has_barriers = false;                      ///< some of its copies are from or to pageable memory
  std::optional<CuMask> mask = {};                ///< one bit per CU or SM, with at least one set
  // NVIDIA, for processes that share one context (MPS): NULL streams order the streams of their process only.
  std::uint32_t process = 0;     ///< its index in the context
  std::int64_t process_sms = 0;  ///< number of SMs that may hold blocks of the process at a time; 0: all
  // AMD:
  std::optional<std::int64_t> queue = {};  ///< index in the pool, instead of the next in turn; < pool_queues
  /// ACE of a masked stream's queue, instead of the next in turn; < aces
  std::optional<std::int64_t> on_ace = {};
};

}  // namespace amalthea::engine::gpu
