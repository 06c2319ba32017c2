// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is put into the streams of a GPU, and what a device tells of it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/kernel_cost.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/slowdown.hpp"

namespace amalthea::engine::gpu {

using ContextIndex = std::uint32_t;
using StreamIndex = std::uint32_t;
/// Of an operation of a device that has not ended.
using OperationId = std::uint32_t;
/// Of a streaming multiprocessor, or of a compute unit.
using SmIndex = std::uint32_t;
/// 0: the execution engine, 1: the copy engine, 2: the one for copies from the device, where there are two.
using EngineIndex = std::uint32_t;
std::string_view name_of_engine(EngineIndex engine);  ///< "EE", "CE", "CE2"

enum class StreamOperationKind : std::uint8_t { kernel, host_to_device, device_to_host, memset };
std::string_view name_of(StreamOperationKind kind);  ///< "kernel", "h2d", "d2h", "memset"

/// What is put into a stream.
struct DeviceOperation {
  StreamOperationKind kind = StreamOperationKind::kernel;
  StreamIndex stream = 0;
  Duration duration;  ///< of the copy, or of each block, when nothing disturbs it
  std::int64_t blocks = 1;
  /// What a block occupies; it must fit an empty SM. Nothing: one block that takes the whole execution engine.
  std::optional<SmUse> block = {};
  std::string cache_config = {};  ///< kernels with different ones do not run beside each other (NVIDIA)
  double memory_share = 0;        ///< 0 … 1: how much of a kernel's time is bound by memory (NVIDIA, N21)
  KernelCost cost = {};           ///< beyond the duration of its blocks (AMD, A10)
};

struct BlockRun {
  SmIndex sm = 0;
  Instant start;
  Instant end;  ///< in between the block stands still while its context is not served
};

struct OperationRun {
  Instant enqueued;              ///< into the queue of its engine
  Instant start;                 ///< of the copy, or of the first block
  Instant completion;            ///< of the copy, or of the last block to end
  std::vector<BlockRun> blocks;  ///< of a kernel, in order of assignment
};

/// Time that an engine gave to a context without interruption.
struct EngineSlice {
  EngineIndex engine = 0;
  ContextIndex context = 0;
  Instant start;
  Instant ready;  ///< when the switch to the context was done; until then nothing of it runs
  Instant end;
};

/// Why an operation that has not ended is where it is.
struct OperationStanding {
  enum class Kind : std::uint8_t {
    executing,  ///< blocks of it run, or the copy does; `by`, if anyone, slows it
    queued,     ///< its context is served, but others of the context come first: `by`
    waiting,    ///< its engine serves another context, in which `by`, if anyone, executes
    switching,  ///< its engine turns to its context
  };
  Kind kind = Kind::executing;
  Slowdown slowdown;               ///< of the slowest of its blocks
  std::optional<OperationId> by;   ///< an operation that has not ended
  std::optional<ContextIndex> to;  ///< waiting: the context that is served
};

/// A block begins or ends.
struct BlockStep {
  OperationId operation = 0;  ///< as run_of takes it
  std::size_t block = 0;      ///< of the kernel, in order of assignment
  SmIndex sm = 0;
  bool begins = true;
};

}  // namespace amalthea::engine::gpu
