// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// An NVIDIA GPU event by event: contexts, streams, queues, blocks on SMs, copies.
///
/// Sources: Amert et al., "GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017, for the rules
///  G1 an operation enters its stream's queue when it is submitted;
///  G2 a kernel enters the execution engine's (EE) queue when it reaches the head of its stream;
///  G3 it leaves the EE queue when all its blocks are assigned, G4 its stream when all have ended;
///  X1 only blocks of the head of the EE queue are assigned: none passes it;
///  R1–R3 a block is assigned to an SM that has warps, registers, shared memory and a place for it;
///  C1, C2 a copy enters its copy engine's (CE) queue at the head of its stream, and is assigned when it is the head
///     there and the engine is free; C3 it leaves that queue when assigned, C4 its stream when it has ended;
///  A1, A2 there is an EE queue per priority of streams; a block is assigned only while those of higher priority are
///     empty, which means fully assigned, not ended: low blocks may run beside high ones, and assigned blocks stay.
/// Olmedo et al., RTAS 2020: all this for every context (process) apart; which context an engine serves is the
/// application scheduler's decision (N5, runlist.hpp), for the execution engine and each copy engine on its own (N6).
/// Operations of a NULL stream wait for all that was submitted before them to any stream of their context, and hold up
/// all that is submitted after them (N7); a kernel starts no block while blocks of kernels with another cache
/// configuration run (N8); blocks go to SMs by the rule of block_placement.hpp (N14); what runs beside each other slows
/// each other (N21, interference.hpp).
///
/// The owner calls, at every instant at which something happens: `advance`, then `submit` for what comes, then
/// `settle`. So at one instant: what ends (copies, then blocks in the order of their starts), then what comes, then
/// heads of streams enter queues, then slices end, then assignment. Work that takes no time ends at the next call for
/// the same instant.

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/block_ends.hpp"
#include "engine/gpu/interference.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/slowdown.hpp"
#include "engine/gpu/stream_fifos.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/device_settings.hpp"
#include "engine/nvidia/runlist.hpp"

namespace amalthea::engine::nvidia {

using StreamIndex = std::uint32_t;
using OperationId = DeviceOperationId;
/// 0: the execution engine, 1: the copy engine, 2: the one for copies from the device, where there are two.
using EngineIndex = std::uint32_t;
std::string_view name_of_engine(EngineIndex engine);  ///< "EE", "CE", "CE2"

enum class StreamPriority : std::uint8_t { high, low };
std::string_view name_of(StreamPriority priority);  ///< "high", "low"

enum class StreamOperationKind : std::uint8_t { kernel, host_to_device, device_to_host, memset };
std::string_view name_of(StreamOperationKind kind);  ///< "kernel", "h2d", "d2h", "memset"

/// What is put into a stream.
struct DeviceOperation {
  StreamOperationKind kind = StreamOperationKind::kernel;
  StreamIndex stream = 0;
  Duration duration;  ///< of the copy, or of each block, when nothing disturbs it
  std::int64_t blocks = 1;
  /// What a block occupies; it must fit an empty SM. Nothing: one block that takes the whole execution engine.
  std::optional<SmUse> block;
  std::string cache_config;  ///< kernels with different ones do not run beside each other
  double memory_share = 0;   ///< 0 … 1: how much of a kernel's time is bound by memory (N21)
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
struct Standing {
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

class Device {
 public:
  explicit Device(const DeviceSettings& settings);

  /// All contexts and streams before the first operation. slice > 0.
  ContextIndex add_context(Duration slice, ContextPriority priority);
  /// At most one NULL stream in each context, whose operations count as of `priority`, too.
  StreamIndex add_stream(ContextIndex context, StreamPriority priority, bool is_null);

  /// Ids are used again after the operation's end. A kernel has at least one block.
  OperationId submit(const DeviceOperation& operation);
  /// Accounts for the time up to `now`, which is not before that of the last call; appends what ends now.
  void advance(Instant now, std::vector<OperationId>& completed);
  /// Decides what goes on from the instant of the last `advance`; call after all changes of that instant.
  void settle();
  /// When to call next although nothing new comes; after `settle`.
  Instant next_event();

  /// Of an operation that has ended: until the next `submit`.
  OperationRun& run_of(OperationId id) { return operations_[id].run; }
  const DeviceOperation& operation(OperationId id) const { return operations_[id].operation; }
  ContextIndex context_of(OperationId id) const { return streams_[operations_[id].operation.stream].context; }
  /// After `settle`.
  Standing standing(OperationId id) const;

  EngineIndex engines() const { return static_cast<EngineIndex>(engines_.size()); }
  /// Time in which the engine has served a context.
  Duration busy(EngineIndex engine) const;
  /// From now on appends every slice when it ends; those of one end by engine.
  void record_slices(std::vector<EngineSlice>& slices) { slices_ = &slices; }
  /// From now on appends every begin and end of a block, in their order.
  void record_blocks(std::vector<BlockStep>& steps) { block_steps_ = &steps; }

 private:
  /// Order of submission, and the operation.
  using Ranked = RankedOperation;

  struct Operation {
    DeviceOperation operation;
    std::uint64_t rank = 0;
    bool in_queue = false;  ///< has entered its engine's queue
    std::int64_t assigned = 0;
    std::int64_t running = 0;              ///< blocks assigned and not ended
    std::vector<std::int64_t> running_in;  ///< the same per graphics processing cluster
    std::vector<Slowdown> slowdowns;       ///< of its blocks per cluster, as of the last settle
    Slowdown worst;                        ///< of them where blocks run; of a copy its own
    std::optional<OperationId> aggressor;  ///< whence `worst`
    OperationRun run;
  };

  struct Stream {
    ContextIndex context = 0;
    StreamPriority priority = StreamPriority::low;
    StreamFifo fifo;
  };

  /// A block that is resident.
  struct Block {
    OperationId operation = 0;
    SmIndex sm = 0;
    std::size_t index = 0;  ///< in the operation's run
    Duration remaining;     ///< undisturbed time, as of `since`
    Instant since;
    Slowdown slowdown;
    std::uint64_t sequence = 0;  ///< of the starts
    std::size_t place = 0;       ///< in Context::resident
  };

  struct Copy {
    std::deque<OperationId> queue;
    std::optional<OperationId> active;  ///< out of the queue, not ended
    Duration remaining;
  };

  struct Context {
    StreamHeads heads;                      ///< what may enter the engines' queues
    std::deque<OperationId> kernels[2];     ///< EE queues by priority, high first
    std::vector<std::uint32_t> resident;    ///< blocks, by their place in blocks_
    std::vector<OperationId> memory_bound;  ///< kernels with resident blocks and a memory share, by first assignment
    bool whole = false;                     ///< a block that takes the whole engine is resident
    BlockPlacement placement;
    std::string cache_config;  ///< of the resident blocks
    std::vector<Copy> copies;  ///< per copy engine

    explicit Context(BlockPlacement empty, std::size_t copy_engines)
        : placement(std::move(empty)), copies(copy_engines) {}
  };

  struct Engine {
    Runlist runlist;
    Duration busy;  ///< up to `since`
    Instant since;
    EngineSlice slice;  ///< the present one
    bool in_slice = false;
  };

  bool is_kernel(OperationId id) const { return operations_[id].operation.kind == StreamOperationKind::kernel; }
  std::size_t copy_engine_of(OperationId id) const;
  bool is_fully_assigned(OperationId id) const { return operations_[id].assigned == operations_[id].operation.blocks; }
  std::size_t gpc(SmIndex sm) const { return static_cast<std::size_t>(gpc_of(settings_.limits, sm)); }

  void end_copies(std::vector<OperationId>& completed);
  void end_blocks(std::vector<OperationId>& completed);
  void complete(OperationId id, std::vector<OperationId>& completed);
  void fill_queues(Context& context);
  void arbitrate(EngineIndex engine);
  bool can_leave(EngineIndex engine) const;
  bool has_work(const Context& context, EngineIndex engine) const;
  std::optional<ContextIndex> served(EngineIndex engine) const;
  void serve_kernels();
  void serve_copies(std::size_t copy_engine);
  void assign_blocks(Context& context);
  bool assign_block(Context& context, OperationId id);
  void book(Block& block) const;
  void foresee(std::uint32_t block);
  void book_copy(std::size_t copy_engine);
  Instant copy_end(std::size_t copy_engine) const;
  void update_interference();
  std::optional<OperationId> aggressor_of(const Interference& interference) const;
  std::optional<OperationId> at_work(EngineIndex engine) const;

  DeviceSettings settings_;
  std::vector<Context> contexts_;
  std::vector<Stream> streams_;
  Recycled<Operation> operations_;
  Recycled<Block> blocks_;
  std::vector<Engine> engines_;  ///< by EngineIndex

  std::optional<ContextIndex> running_;               ///< whose blocks run
  std::vector<std::optional<ContextIndex>> copying_;  ///< per copy engine: whose copy moves
  std::vector<Instant> copy_since_;                   ///< per copy engine: up to when its copy's progress is booked
  BlockEnds ends_;
  std::uint64_t next_rank_ = 0;
  std::uint64_t next_sequence_ = 0;
  bool neighbourhood_changed_ = false;
  Instant now_;
  std::vector<EngineSlice>* slices_ = nullptr;
  std::vector<BlockStep>* block_steps_ = nullptr;
};

}  // namespace amalthea::engine::nvidia
