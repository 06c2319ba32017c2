#pragma once
/// \file
/// Streams, queues and blocks of one process on an NVIDIA GPU, event by event.
///
/// Sources: Amert et al., "GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed", RTSS 2017, for the rules
///  G1 an operation enters its stream's queue when it is released;
///  G2 a kernel enters the execution engine's (EE) queue when it reaches the head of its stream;
///  G3 it leaves the EE queue when all its blocks are assigned, G4 its stream when all have ended;
///  X1 only blocks of the head of the EE queue are assigned: none passes it;
///  R1–R3 a block is assigned to an SM that has warps, registers, shared memory and a place for it;
///  C1, C2 a copy enters its copy engine's (CE) queue at the head of its stream, and is assigned when it is the head
///  there
///     and the engine is free; C3 it leaves that queue when assigned, C4 its stream when it has ended;
///  A1, A2 there is an EE queue per priority of streams; a block is assigned only while those of higher priority are
///     empty, which means fully assigned, not ended: low blocks may run beside high ones, and assigned blocks stay.
/// Olmedo et al., RTAS 2020: operations of the NULL stream wait for all that was released before them in any stream,
/// and hold up all that is released after them (N7); a kernel starts no block while blocks of kernels with another
/// cache configuration run (N8); blocks go to SMs by the rule of block_placement.hpp (N14).
///
/// At one instant: what ends, then releases, then heads of streams enter queues, then assignment; again until nothing
/// changes. What happens at once happens in the order of release, operations of one release in their given order.
///
/// A block lasts what its kernel says, whatever runs beside it. All streams are of one process.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"
#include "engine/nvidia/block_placement.hpp"
#include "engine/nvidia/interference.hpp"
#include "engine/nvidia/occupancy.hpp"

namespace amalthea::engine::nvidia {

/// How often a context stands in the runlist: in each of so many rounds, so that of A high, B medium and C low the list
/// is A B C A B A (N5; the numbers are ours, the source gives none).
enum class ContextPriority : std::uint8_t { low = 1, medium = 2, high = 3 };
std::string_view name_of(ContextPriority priority);  ///< "low", "medium", "high"

/// Where an engine can leave a context whose time slice has ended (N5).
enum class Preemption : std::uint8_t {
  instruction,  ///< at once; blocks and copies go on where they were
  block,        ///< when the blocks that run have ended, or the copy; none begins in the meantime
  kernel,       ///< when the kernels of which blocks run have ended, or the copy; no other begins in the meantime
};
std::string_view name_of(Preemption preemption);  ///< "instruction", "block", "kernel"

/// One process's share of the GPU.
struct Context {
  std::string name;
  Duration slice = Duration::microseconds(2600);  ///< > 0
  ContextPriority priority = ContextPriority::medium;
};

enum class StreamPriority : std::uint8_t { high, low };

struct Stream {
  std::string name;  ///< "" for the NULL stream
  StreamPriority priority = StreamPriority::low;
  bool is_null = false;
  std::size_t context = 0;  ///< index into StreamScenario::contexts
};

enum class StreamOperationKind : std::uint8_t { kernel, host_to_device, device_to_host, memset };
std::string_view name_of(StreamOperationKind kind);  ///< "kernel", "h2d", "d2h", "memset"

/// A call that puts a kernel or a copy into a stream.
struct StreamOperation {
  std::string name;
  StreamOperationKind kind = StreamOperationKind::kernel;
  std::size_t stream = 0;  ///< index into StreamScenario::streams
  Instant release;         ///< not before the start of the simulation
  Duration duration;       ///< of the copy, or of each block, when nothing disturbs it
  std::int64_t blocks = 1;
  BlockShape shape;
  std::string cache_config;  ///< kernels with different ones do not run beside each other
  double memory_share = 0;   ///< 0 … 1: how much of a kernel's time is bound by memory (N21)
};

struct StreamScenario {
  SmLimits limits;
  /// With two, copies from the device have an engine of their own.
  int copy_engines = 1;
  ScanOrder scan = ScanOrder::even_odd;
  TiePolicy ties = TiePolicy::scan;
  Preemption preemption = Preemption::instruction;
  Duration context_switch;  ///< lost whenever an engine turns to another context
  InterferenceTable interference;
  double cpu_traffic = 0;         ///< 0 … 1: how much of the worst memory traffic the CPUs make
  std::vector<Context> contexts;  ///< at least one; the order is that of the runlist
  std::vector<Stream> streams;    ///< at most one NULL stream in each context
  std::vector<StreamOperation> operations;
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
  std::size_t engine = 0;   ///< 0: the execution engine, 1: the copy engine, 2: the one for copies from the device
  std::size_t context = 0;  ///< index into StreamScenario::contexts
  Instant start;
  Instant ready;  ///< when the switch to the context was done; until then nothing of it runs
  Instant end;
};

struct StreamRun {
  std::vector<OperationRun> operations;  ///< one per operation of the scenario, in their order
  /// By start; those of one start by engine. Slices of one context that follow each other are one.
  std::vector<EngineSlice> slices;
};

/// Most blocks of all kernels together.
constexpr std::int64_t most_simulated_blocks = 10'000'000;

/// The error says which operation cannot run: a block that no SM takes, more blocks than most_simulated_blocks, or an
/// end beyond 2^63 ps.
tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario);

}  // namespace amalthea::engine::nvidia
