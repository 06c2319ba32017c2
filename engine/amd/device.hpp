// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Event-driven model of an AMD GPU: streams, HSA queues, ACEs, shader engines, compute units, copies.
///
/// Source: Otterness and Anderson, "Exploring AMD GPU Scheduling Details by Experimenting With 'Worst Practices'",
/// RTNS 2021, as the rules
/// - A2 a stream is a FIFO: an operation begins when the previous one has ended; copies go to DMA engines;
/// - A3 kernels of unmasked streams go to the few HSA queues of their process's pool; a stream gets the next one in
///   turn at its first kernel. A stream with a CU mask has its own queue. A queue executes one kernel at a time. Queue
///   q belongs to ACE (asynchronous compute engine) q mod the number of ACEs. A kernel may name another queue of the
///   pool, so that a stream uses several; its order stays that of A2;
/// - A4 an ACE serves its queues in turn, kernel by kernel, and advances to the next as soon as all blocks are
///   dispatched. With slices, it also does so at the end of a slice if another queue has a kernel to dispatch; blocks on
///   CUs and at SEs continue. Sources state slices, but not their length;
/// - A5 it dispatches blocks in increasing order, block i to the i-th shader engine (SE), cyclically, among those with
///   any enabled CU. It waits for a busy SE and never skips it;
/// - A6 a workload manager per SE has a slot for each ACE. It serves the slots in turn (TurnRule); if no CU has room
///   for a slot's block, blocks of other slots go first. Among CUs with room it selects the one with the fewest
///   threads, among equals the lowest number (which the sources do not define);
/// - A7 only CUs in the mask of the queue execute its blocks (cu_mask.hpp);
/// - A10 the cost of blocks (KernelCost).
///
/// The rest is the same as for NVIDIA's GPUs: operations and streams, recorded runs, occupancy, NULL streams (N7).
/// There are no time slices: kernels of different processes run concurrently. A kernel without launch configuration
/// occupies the whole GPU, once it is empty; later kernels start no block before it.
///
/// Order within one instant, given the calls of gpu/device.hpp: operations and blocks end (copies, then blocks in the
/// order of their starts), then new operations arrive, then heads of streams enter queues, then ACEs dispatch blocks in
/// their order and SEs start them, until nothing changes.
///
/// With more queues in use than the ACEs have slots for, the firmware multiplexes them in time: the queues with packets
/// get the slots in turn, for a quantum each. A queue without a slot dispatches no blocks; those on CUs continue.
///
/// Not modeled: blocks that start in resources that an ending block has released only in part, and blocks that the
/// firmware stops in the middle to give a slot away.

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/amd/cu_mask.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/gpu/block_ends.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/slowdown.hpp"
#include "engine/gpu/stream_fifos.hpp"

namespace amalthea::engine::amd {

using QueueIndex = std::uint32_t;

class Device : public gpu::Device {
 public:
  explicit Device(const DeviceSettings& settings);

  ContextIndex add_context(Duration slice, ContextPriority priority) override;
  StreamIndex add_stream(ContextIndex context, const StreamSettings& settings) override;

  OperationId submit(const DeviceOperation& operation) override;
  void advance(Instant now, std::vector<OperationId>& completed) override;
  void settle() override;
  Instant next_event() override;

  OperationRun& run_of(OperationId id) override { return operations_[id].run; }
  const DeviceOperation& operation(OperationId id) const override { return operations_[id].operation; }
  OperationStanding standing(OperationId id) const override;

  EngineIndex engines() const override { return static_cast<EngineIndex>(copies_.size() + 1); }
  /// Time in which a kernel, or a copy, was executing.
  Duration busy(EngineIndex engine) const override;
  /// No slices: AMD GPUs have no time slices.
  void record_slices(std::vector<EngineSlice>&) override {}
  /// CUs count as SMs.
  void record_blocks(std::vector<BlockStep>& steps) override { block_steps_ = &steps; }
  /// Number of HSA queues created so far.
  std::size_t queues() const { return queues_.size(); }

 private:
  using Ranked = RankedOperation;

  struct Operation {
    DeviceOperation operation;
    std::uint64_t rank = 0;  ///< order of submission
    bool in_queue = false;
    QueueIndex queue = 0;
    std::int64_t handed_out = 0;  ///< blocks dispatched to SEs
    std::int64_t running = 0;     ///< blocks on CUs
    std::int64_t ended = 0;
    std::int64_t threads = 0;  ///< per block
    Slowdown everywhere;       ///< slowdown of all its blocks: reuse, contention, other kernels
    OperationRun run;
  };

  struct Stream {
    ContextIndex context = 0;
    StreamSettings settings;
    StreamFifo fifo;
    std::optional<QueueIndex> queue;
  };

  struct Context {
    StreamHeads heads;  ///< heads that may enter queues
    std::vector<std::optional<QueueIndex>> pool;
    std::size_t next_in_pool = 0;
  };

  struct Queue {
    std::size_t ace = 0;
    std::vector<bool> enabled;         ///< by CU
    std::vector<std::size_t> engines;  ///< SEs with any enabled CU, in order
    std::deque<OperationId> packets;
    bool at_work = false;       ///< the first packet is being dispatched or is dispatched
    bool mapped = true;         ///< it has a slot
    bool is_suspended = false;  ///< it lost its slot or its slice while the first packet was being dispatched
  };

  struct Ace {
    std::vector<QueueIndex> queues;
    std::size_t turn = 0;
    std::optional<OperationId> current;  ///< whose blocks are being dispatched
    Instant ready;                       ///< when it can dispatch the next block
    Instant slice_end = Instant::never();
    std::int64_t kernels = 0;  ///< kernels begun and not ended
  };

  struct Slot {
    OperationId operation = 0;
    std::int64_t block = 0;
    std::uint64_t since = 0;  ///< sequence number
  };
  struct ShaderEngine {
    std::vector<std::optional<Slot>> slots;  ///< by ACE
    std::size_t turn = 0;
  };

  struct Unit {
    SmUse use;
    std::int64_t threads = 0;
    std::int64_t awake = 0;   ///< threads of blocks that have their first data
    std::int64_t weight = 0;  ///< of these, x weight_ppm
    std::vector<std::uint32_t> blocks;
    bool changed = false;
  };

  struct Block {
    OperationId operation = 0;
    std::size_t unit = 0;
    std::size_t index = 0;  ///< index in the operation's run
    Duration remaining;     ///< at full speed, as of `since`
    Instant since;
    Slowdown slowdown;
    std::uint64_t sequence = 0;
    bool is_new = false;     ///< its end is not predicted yet
    bool is_asleep = false;  ///< it waits for its first data; its predicted end is that of the wait
  };

  struct CopyEngine {
    std::deque<OperationId> fifo;
    std::optional<OperationId> active;
    Instant end;
    Duration busy;
  };

  bool is_kernel(OperationId id) const { return operations_[id].operation.kind == StreamOperationKind::kernel; }
  std::size_t copy_engine_of(OperationId id) const;
  ContextIndex context_of(OperationId id) const { return streams_[operations_[id].operation.stream].context; }
  void complete(OperationId id, std::vector<OperationId>& completed);
  void end_copies(std::vector<OperationId>& completed);
  void end_blocks(std::vector<OperationId>& completed);
  void fill_queues(Context& context);
  QueueIndex queue_of(const DeviceOperation& kernel);
  QueueIndex pool_queue(Context& context, std::size_t place);
  QueueIndex add_queue(const std::optional<CuMask>& mask, std::optional<std::int64_t> on_ace);
  void move_blocks();
  bool serve_ace(std::size_t ace);
  bool take_packet(Ace& ace);
  bool is_waiting(QueueIndex queue) const;
  bool is_wanted(const Ace& ace) const;
  void suspend_current(Ace& ace);
  void end_slices();
  void map_queues();
  void wake(std::uint32_t block);
  bool place_whole(Ace& ace);
  bool serve_engine(std::size_t engine);
  bool serve_one(std::size_t engine);
  std::optional<std::size_t> unit_for(std::size_t engine, const Slot& slot) const;
  void start_block(std::size_t unit, OperationId id, std::int64_t number);
  void start_copies();
  void update_speeds();
  Slowdown suffered_everywhere(const Operation& kernel) const;
  Slowdown suffered_in(const Unit& unit, const Operation& kernel) const;
  Duration time_of_block(const Operation& kernel, std::int64_t number) const;

  DeviceSettings settings_;
  std::vector<Context> contexts_;
  std::vector<Stream> streams_;
  Recycled<Operation> operations_;
  std::vector<Queue> queues_;
  std::vector<Ace> aces_;
  std::vector<ShaderEngine> engines_;
  std::vector<Unit> units_;
  Recycled<Block> blocks_;
  std::vector<CopyEngine> copies_;
  std::vector<OperationId> resident_;  ///< kernels with blocks on CUs, in the order of their first block

  bool whole_ = false;             ///< a kernel occupies the whole GPU
  std::set<Ranked> whole_wanted_;  ///< kernels that wait for an empty GPU
  std::int64_t kernels_ = 0;       ///< kernels begun and not ended
  std::int64_t threads_ = 0;       ///< resident threads
  std::int64_t running_ = 0;       ///< running blocks
  bool mixture_changed_ = false;
  Instant quantum_end_ = Instant::never();  ///< when the slots are given to other queues
  std::size_t next_mapped_ = 0;             ///< the queue with which they begin
  Duration kernels_busy_;
  Instant kernels_since_;
  BlockEnds ends_;
  std::vector<BlockStep>* block_steps_ = nullptr;
  std::uint64_t next_rank_ = 0;
  std::uint64_t next_sequence_ = 0;
  Instant now_;
};

}  // namespace amalthea::engine::amd
