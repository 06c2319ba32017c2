// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How contexts (processes) and their streams share a GPU: priorities, preemption, masks of compute units, queues.
/// A maker's devices do without what they do not have.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::gpu {

/// The value is how often a context stands in the runlist of an engine.
enum class ContextPriority : std::uint8_t { low = 1, medium = 2, high = 3 };
std::string_view name_of(ContextPriority priority);  ///< "low", "medium", "high"

/// One process's share of the GPU.
struct Context {
  std::string name;
  Duration slice = Duration::microseconds(2600);  ///< > 0
  ContextPriority priority = ContextPriority::medium;
};

/// Where an engine can leave a context whose time slice has ended (N5).
enum class Preemption : std::uint8_t {
  instruction,  ///< at once; blocks and copies go on where they were
  block,        ///< when the blocks that run have ended, or the copy; none begins in the meantime
  kernel,       ///< when the kernels of which blocks run have ended, or the copy; no other begins in the meantime
};
std::string_view name_of(Preemption preemption);  ///< "instruction", "block", "kernel"

enum class StreamPriority : std::uint8_t { high, low };
std::string_view name_of(StreamPriority priority);  ///< "high", "low"

/// Compute units (CUs) that a stream may use, by bit; as many as there are CUs (amd/cu_mask.hpp reads them).
struct CuMask {
  std::vector<bool> bits;

  std::int64_t count() const { return std::count(bits.begin(), bits.end(), true); }
  friend bool operator==(const CuMask&, const CuMask&) = default;
};

/// What a stream is created with.
struct StreamSettings {
  StreamPriority priority = StreamPriority::low;  ///< NVIDIA
  bool is_null = false;  ///< at most one in each context, whose operations count as of `priority`, too
  // AMD:
  std::optional<CuMask> mask = {};          ///< as long as there are CUs, with at least one
  std::optional<std::int64_t> queue = {};   ///< of the pool, instead of the next in turn; < pool_queues
  std::optional<std::int64_t> on_ace = {};  ///< of a masked stream's queue, instead of the next in turn; < aces
};

}  // namespace amalthea::engine::gpu
