// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Event-driven model of an NVIDIA GPU: contexts, streams, queues, blocks on SMs, copies.
///
/// Sources: Amert et al., "GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017, for the rules
/// - G1 an operation enters its stream's queue when it is submitted;
/// - G2 a kernel enters the execution engine's (EE) queue when it reaches the head of its stream;
/// - G3 it leaves the EE queue when all its blocks are assigned, G4 its stream when all have ended;
/// - X1 only blocks of the head of the EE queue are assigned: no kernel overtakes it;
/// - R1–R3 a block is assigned to an SM with enough warps, registers, shared memory and a free block slot;
/// - C1, C2 a copy enters its copy engine's (CE) queue at the head of its stream, and is assigned when it is the head
///   of that queue and the engine is free; C3 it leaves that queue when assigned, C4 its stream when it has ended;
/// - A1, A2 there is an EE queue per stream priority; a block is assigned only while the queues of higher priority are
///   empty. That means fully assigned, not ended: low-priority blocks may run beside high-priority ones, and assigned
///   blocks stay.
///
/// QAWS: a preemption of a stream takes time. A kernel of high priority preempts one of low priority if both could start a
/// block now, the latter has started, and none of its blocks has started since the last preemption. No block of the
/// context starts then until the time is over; resident blocks continue.
///
/// Olmedo et al., RTAS 2020: all this holds separately for every context (process). The application scheduler decides
/// which context an engine serves (N5, runlist.hpp), independently for the execution engine and each copy engine (N6).
/// Operations of a NULL stream wait for everything submitted before them to any stream of their context, and delay
/// everything submitted after them (N7). A kernel starts no block while blocks of kernels with another cache
/// configuration run (N8). Blocks go to SMs by the rule of block_placement.hpp (N14). Concurrent operations slow each
/// other down (N21, contention.hpp), and so do blocks of different kernels on one SM. The time of blocks whose
/// instructions are stated follows from the warps on their SM (sm_warps.hpp); if something slows one of them down, it
/// slows all warps there. Masks restrict kernels to some of the SMs (sm_mask.hpp). Processes can share one context (MPS):
/// then only their NULL streams are apart, and each may be limited to a number of SMs at a time.
///
/// Order within one instant, given the calls of gpu/device.hpp: operations and blocks end (copies, then blocks in the
/// order of their starts), then new operations arrive, then heads of streams enter queues, then slices end, then blocks
/// are assigned.

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/block_ends.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/slowdown.hpp"
#include "engine/gpu/stream_fifos.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/contention.hpp"
#include "engine/nvidia/device_settings.hpp"
#include "engine/nvidia/runlist.hpp"
#include "engine/nvidia/sm_warps.hpp"

namespace amalthea::engine::nvidia {

class Device : public gpu::Device {
 public:
  explicit Device(const DeviceSettings& settings);

  ContextIndex add_context(Duration slice, ContextPriority priority) override;
  StreamIndex add_stream(ContextIndex context, const StreamSettings& settings) override;
  void schedule_by_urgency() override;
  void set_urgency(ContextIndex context, std::int64_t urgency) override;

  OperationId submit(const DeviceOperation& operation) override;
  void advance(Instant now, std::vector<OperationId>& completed) override;
  void settle() override;
  void set_cpu_traffic(const CpuTraffic& traffic) override;
  Instant next_event() override;

  OperationRun& run_of(OperationId id) override { return operations_[id].run; }
  const DeviceOperation& operation(OperationId id) const override { return operations_[id].operation; }
  OperationStanding standing(OperationId id) const override;

  EngineIndex engines() const override { return static_cast<EngineIndex>(engines_.size()); }
  Duration busy(EngineIndex engine) const override;
  void record_slices(std::vector<EngineSlice>& slices) override { slices_ = &slices; }
  void record_blocks(std::vector<BlockStep>& steps) override { block_steps_ = &steps; }

 private:
  /// Order of submission, and the operation.
  using Ranked = RankedOperation;

  struct Operation {
    DeviceOperation operation;
    std::uint64_t rank = 0;
    bool in_queue = false;  ///< it is in the queue of its engine
    std::int64_t assigned = 0;
    std::int64_t running = 0;              ///< blocks assigned and not ended
    std::vector<std::int64_t> running_in;  ///< the same per graphics processing cluster
    std::vector<std::int64_t> running_on;  ///< the same per SM, if the law of contention needs it
    std::vector<Slowdown> slowdowns;       ///< of its blocks per cluster, at the last settle
    Slowdown worst;                        ///< the largest over clusters with running blocks; for a copy its own
    std::optional<OperationId> aggressor;  ///< the cause of `worst`
    bool by_cpus = false;                  ///< the CPUs are the cause
    OperationRun run;
  };

  struct Stream {
    ContextIndex context = 0;
    StreamPriority priority = StreamPriority::low;
    StreamFifo fifo;
    std::optional<CuMask> mask = {};  ///< SMs that its kernels may use
    std::uint32_t process = 0;        ///< index in Context::processes
  };

  /// One of the processes that share a context (MPS).
  struct Process {
    StreamHeads heads;                 ///< heads that may enter the queues of engines
    std::int64_t most_sms = 0;         ///< number of SMs that may hold its blocks at a time; 0: all
    std::vector<std::int64_t> blocks;  ///< its resident blocks per SM; only maintained with a limit
    std::int64_t sms = 0;              ///< SMs with resident blocks of it
  };

  /// A resident block.
  struct Block {
    OperationId operation = 0;
    SmIndex sm = 0;
    std::size_t index = 0;  ///< in the operation's run
    FluidWork remaining;    ///< as of `since`
    Instant since;
    Slowdown slowdown;
    std::uint64_t sequence = 0;  ///< sequence number of the start
    std::size_t place = 0;       ///< index in Context::resident
    std::uint64_t turn = 0;      ///< in which it was placed (BlockPlacement)
  };

  struct Sm {
    /// The resident blocks; only maintained if they slow each other down.
    std::vector<std::uint32_t> resident;
    bool is_shared = false;  ///< by several kernels
    // The blocks whose warps are stated:
    SmWarps warps;
    std::vector<std::uint32_t> blocks;
    Instant since;      ///< time up to which the progress of the warps is accounted for
    Slowdown slowdown;  ///< since then, the largest of its blocks
    bool changed = false;
  };

  struct Copy {
    std::deque<OperationId> queue;
    std::optional<OperationId> active;  ///< out of the queue, not ended
    FluidWork remaining;
  };

  struct Context {
    std::vector<Process> processes;
    std::deque<OperationId> kernels[2];   ///< EE queues by priority, high first
    std::vector<std::uint32_t> resident;  ///< blocks, by their index in blocks_
    /// kernels with resident blocks and a memory share, ordered by first assignment
    std::vector<OperationId> memory_bound;
    bool whole = false;  ///< a block that occupies the whole engine is resident
    BlockPlacement placement;
    std::optional<StreamIndex> placing;  ///< the stream whose block was placed last
    std::string cache_config;            ///< of the resident blocks
    bool is_preempted = false;           ///< by a stream: no block of low priority has started since
    Instant preempted_until;             ///< no block starts before
    std::vector<Copy> copies;            ///< per copy engine
    std::vector<Sm> sms;

    explicit Context(BlockPlacement empty, std::size_t copy_engines)
        : placement(std::move(empty)), copies(copy_engines), sms(static_cast<std::size_t>(placement.limits().sms)) {}
  };

  struct Engine {
    Runlist runlist;
    Duration busy;  ///< up to `since`
    Instant since;
    EngineSlice slice;  ///< the current slice
    bool in_slice = false;
  };

  ContextIndex context_of(OperationId id) const { return streams_[operations_[id].operation.stream].context; }
  bool is_kernel(OperationId id) const { return operations_[id].operation.kind == StreamOperationKind::kernel; }
  std::size_t copy_engine_of(OperationId id) const;
  bool is_fully_assigned(OperationId id) const { return operations_[id].assigned == operations_[id].operation.blocks; }
  std::size_t gpc(SmIndex sm) const { return static_cast<std::size_t>(gpc_of(settings_.limits, sm)); }

  void end_copies(std::vector<OperationId>& completed);
  void end_blocks(std::vector<OperationId>& completed);
  void complete(OperationId id, std::vector<OperationId>& completed);
  void fill_queues(Context& context);
  Process& process_of(OperationId id);
  const std::vector<bool>* allowed_sms(OperationId id);
  void count_block(OperationId id, SmIndex sm, std::int64_t change);
  void arbitrate(EngineIndex engine);
  bool can_leave(EngineIndex engine) const;
  bool has_work(const Context& context, EngineIndex engine) const;
  std::optional<ContextIndex> served(EngineIndex engine) const;
  void serve_kernels();
  void serve_copies(std::size_t copy_engine);
  void assign_blocks(Context& context);
  bool could_start(const Context& context, OperationId kernel);
  bool preempts(const Context& context, OperationId kernel);
  bool assign_block(Context& context, OperationId id);
  void book(Block& block) const;
  void predict_end(std::uint32_t block);
  const BlockWarps* warps_of(const Block& block) const { return operations_[block.operation].operation.warps; }
  void start_warps(Context& context, std::uint32_t block);
  void book_warps(Sm& sm) const;
  void change(Sm& sm);
  void predict_changed();
  void book_copy(std::size_t copy_engine);
  Instant copy_end(std::size_t copy_engine) const;
  bool slows_on_same_sm() const { return settings_.contention.on_same_sm() > Slowdown{}; }
  void find_sharing(Sm& sm);
  Slowdown slowdown_of(const Block& block) const;
  void slow_down(std::uint32_t block);
  std::optional<OperationId> sharing_sms_with(OperationId id) const;
  void update_interference();
  std::int64_t copying_contexts() const;
  void blame(Operation& victim, const Interference& interference) const;
  std::optional<OperationId> at_work(EngineIndex engine) const;

  DeviceSettings settings_;
  std::vector<Context> contexts_;
  std::vector<Stream> streams_;
  Recycled<Operation> operations_;
  Recycled<Block> blocks_;
  std::vector<Engine> engines_;  ///< by EngineIndex

  std::optional<ContextIndex> running_;               ///< the context whose blocks run
  std::vector<std::optional<ContextIndex>> copying_;  ///< per copy engine: the context whose copy executes
  /// per copy engine: time up to which the progress of its copy is accounted for
  std::vector<Instant> copy_since_;
  BlockEnds ends_;
  std::uint64_t next_rank_ = 0;
  std::uint64_t next_sequence_ = 0;
  bool neighbourhood_changed_ = false;
  SmEpisodes episodes_;
  std::vector<Sm*> changed_sms_;           ///< whose next ends are to be predicted again
  std::vector<bool> allowed_;              ///< of allowed_sms
  std::vector<RankedOperation> entering_;  ///< of fill_queues
  CpuTraffic cpu_traffic_;
  Instant now_;
  std::vector<EngineSlice>* slices_ = nullptr;
  std::vector<BlockStep>* block_steps_ = nullptr;
};

}  // namespace amalthea::engine::nvidia
