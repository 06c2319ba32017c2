// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Operations in the streams of a GPU, and what a device reports about them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/activity.hpp"
#include "amalthea/time.hpp"
#include "engine/gpu/kernel_cost.hpp"
#include "engine/gpu/memory_use.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/sharing.hpp"
#include "engine/gpu/slowdown.hpp"

namespace amalthea::engine::nvidia {
struct BlockWarps;
}

namespace amalthea::engine::gpu {

using ContextIndex = std::uint32_t;
using StreamIndex = std::uint32_t;
/// An operation of a device that has not ended.
using OperationId = std::uint32_t;
/// A streaming multiprocessor, or a compute unit.
using SmIndex = std::uint32_t;
/// 0: the execution engine, 1: the copy engine, 2: the one for copies from the device, if there are two.
using EngineIndex = std::uint32_t;
std::string_view name_of_engine(EngineIndex engine);  ///< "EE", "CE", "CE2"

enum class StreamOperationKind : std::uint8_t { kernel, host_to_device, device_to_host, memset };
/// What an activity of a device task is to the device: a kernel, or the copy that it states.
StreamOperationKind kind_of(const Activity& activity);
std::string_view name_of(StreamOperationKind kind);  ///< "kernel", "h2d", "d2h", "memset"

/// An operation submitted to a stream.
struct DeviceOperation {
  StreamOperationKind kind = StreamOperationKind::kernel;
  StreamIndex stream = 0;
  Duration duration;  ///< of the copy, or of each block, without interference
  std::int64_t blocks = 1;
  /// Resources of a block; it must fit an empty SM. Nothing: one block that occupies the whole execution engine.
  std::optional<SmUse> block = {};
  std::string cache_config = {};  ///< kernels with different ones do not run concurrently (NVIDIA)
  double memory_share = 0;        ///< 0 … 1: memory-bound share of a kernel's time (NVIDIA, N21)
  KernelCost cost = {};           ///< in addition to the duration of its blocks (AMD, A10)
  /// SMs that its blocks may use, instead of those of the stream (NVIDIA); one bit per SM, with at least one set.
  std::optional<CuMask> mask = {};
  /// What a kernel does to the memory; null: unknown. It must outlive the operation (NVIDIA).
  const KernelMemory* memory = nullptr;
  /// What the warps of its blocks execute, in place of the duration; null: unknown. It must outlive the device (NVIDIA,
  /// sm_warps.hpp).
  const nvidia::BlockWarps* warps = nullptr;
  /// A copy from or to pageable memory, which executes apart from all other operations of its process. Its stream has
  /// barriers.
  bool pageable = false;
  std::optional<std::int64_t> queue = {};  ///< of the pool of HSA queues, instead of the stream's (AMD, A3)
};

struct BlockRun {
  SmIndex sm = 0;
  Instant start;
  Instant end;  ///< in between the block makes no progress while its context is not served
};

struct OperationRun {
  Instant enqueued;              ///< when it entered the queue of its engine
  Instant start;                 ///< of the copy, or of the first block
  Instant completion;            ///< of the copy, or of the last block
  std::vector<BlockRun> blocks;  ///< for a kernel, in order of assignment
};

/// Uninterrupted time in which an engine served a context.
struct EngineSlice {
  EngineIndex engine = 0;
  ContextIndex context = 0;
  Instant start;
  Instant ready;  ///< end of the context switch; nothing of the context runs before
  Instant end;
};

/// The state of an operation that has not ended.
struct OperationStanding {
  enum class Kind : std::uint8_t {
    executing,  ///< its blocks, or the copy, execute; `by`, if any, slows it down
    queued,     ///< its context is served, but other operations of the context precede it: `by`
    waiting,    ///< its engine serves another context, which executes `by`, if any
    switching,  ///< its engine switches to its context
  };
  Kind kind = Kind::executing;
  Slowdown slowdown;               ///< of its slowest block
  std::optional<OperationId> by;   ///< an operation that has not ended
  std::optional<ContextIndex> to;  ///< waiting: the context that is served
  bool by_cpus = false;            ///< executing: memory traffic of CPUs slows it down, not `by`
};

/// A block begins or ends.
struct BlockStep {
  OperationId operation = 0;  ///< id for run_of
  std::size_t block = 0;      ///< number within the kernel, in order of assignment
  SmIndex sm = 0;
  bool begins = true;
};

}  // namespace amalthea::engine::gpu
