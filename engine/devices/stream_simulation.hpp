// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams: what processes submit to their streams and when, executed on a device of any vendor.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::nvidia {
struct BlockWarps;
}

namespace amalthea::engine::gpu {

struct Stream : StreamSettings {
  std::string name;         ///< "" for the NULL stream
  std::size_t context = 0;  ///< index into StreamScenario::contexts
};

/// A call that submits a kernel or a copy to a stream. Operations with the same release are submitted in the scenario's
/// order.
struct StreamOperation {
  std::string name;
  StreamOperationKind kind = StreamOperationKind::kernel;
  std::size_t stream = 0;  ///< index into StreamScenario::streams
  Instant release;         ///< not before the start of the simulation
  Duration duration;       ///< of the copy, or of each block, without interference
  std::int64_t blocks = 1;
  BlockShape shape;
  std::string cache_config;                         ///< kernels with different ones do not run concurrently
  double memory_share = 0;                          ///< 0 … 1: memory-bound share of a kernel's time (N21)
  KernelCost cost = {};                             ///< for AMD GPUs
  std::shared_ptr<const KernelMemory> memory = {};  ///< NVIDIA: its footprint; null: unknown
  /// NVIDIA: SMs that its blocks may use, instead of those of the stream; one bit per SM.
  std::optional<CuMask> mask = {};
  /// NVIDIA: what the warps of its blocks execute, in place of the duration; null: unknown.
  std::shared_ptr<const nvidia::BlockWarps> warps = {};
  bool pageable = false;                   ///< a copy from or to pageable memory; its stream has barriers
  std::optional<std::int64_t> queue = {};  ///< AMD: of the pool of HSA queues, instead of the stream's
};

/// A program that issues the same operations again and again. An iteration begins when the operations of the one before
/// have ended.
struct StreamLoop {
  std::vector<std::size_t> calls;  ///< operations of the scenario: the first iteration; none: it issues nothing
  Instant start;                   ///< of the first iteration; releases in later ones keep their distance to the start
  std::int64_t iterations = 0;     ///< 0: no limit
  Duration time;                   ///< no iteration begins so long after the start; zero: no limit
  bool is_synchronized = false;    ///< an iteration also waits for the loops that are synchronized too
};

/// One of the GPUs of a scenario that names them. They do not disturb each other.
struct ScenarioGpu {
  std::string name;
  DeviceProfile device;     ///< as that of a scenario of one GPU
  bool by_urgency = false;  ///< the same
};

struct StreamScenario {
  /// The GPU it runs on: a profile, with the changes of the scenario. Its SMs are known.
  DeviceProfile device;
  std::vector<Context> contexts;  ///< in the order of the runlist
  bool by_urgency = false;        ///< contexts are scheduled by urgency instead of by time slices
  std::vector<Stream> streams;    ///< at most one NULL stream in each context
  std::vector<StreamOperation> operations;
  std::vector<StreamLoop> loops;  ///< an operation belongs to one loop at most
  /// In place of `device` and `by_urgency`; every context states its GPU, and there are no loops. None: one GPU without
  /// a name.
  std::vector<ScenarioGpu> gpus;

  StreamScenario() { device.multiprocessors.emplace(); }
  SmLimits& limits() { return *device.multiprocessors; }
  const SmLimits& limits() const { return *device.multiprocessors; }
  /// Of one of the GPUs, also if it is the only one.
  const DeviceProfile& device_of(std::size_t gpu) const { return gpus.empty() ? device : gpus[gpu].device; }
  bool by_urgency_on(std::size_t gpu) const { return gpus.empty() ? by_urgency : gpus[gpu].by_urgency; }
  std::size_t gpu_of(const Stream& stream) const { return gpus.empty() ? 0 : contexts[stream.context].gpu; }
};

/// What one of the GPUs executes, as a scenario of this GPU alone.
struct GpuPart {
  StreamScenario scenario;
  std::vector<std::size_t> contexts, operations;  ///< of the whole scenario, for each one of the part
};
/// The parts of all GPUs that the scenario names, in their order.
std::vector<GpuPart> parts_of(const StreamScenario& scenario);

/// Number of HSA queues that the streams with kernels need on an AMD GPU that is the only one: one for each stream with
/// a mask, and those of a pool for each context.
std::int64_t hsa_queues(const StreamScenario& scenario);

struct StreamRun {
  std::vector<OperationRun> operations;  ///< one per operation of the scenario, in the same order
  std::vector<EngineSlice> slices;       ///< ordered by start, then by engine
  /// The operations of later iterations, whose numbers continue those of the scenario.
  std::vector<StreamOperation> repeated;
  std::vector<std::vector<std::vector<std::size_t>>> iterations;  ///< numbers of operations by loop and iteration
};

/// Moves the operations that a run has repeated to its scenario, so that the run has one for each of them.
void append_repeated(StreamScenario& scenario, StreamRun& run);

/// Maximum number of blocks over all kernels.
constexpr std::int64_t max_simulated_blocks = 10'000'000;

/// By default, the number of instants of a simulation. Time slices are recorded at them.
constexpr std::uint64_t default_stream_steps = 2'000'000;

/// The error states which operation cannot run: a block that fits no SM, more blocks than max_simulated_blocks, or an
/// end beyond 2^63 ps; or that the simulation needs more steps. A loop needs a limit. Blocks and steps count for all
/// GPUs together.
tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario,
                                                      std::uint64_t max_steps = default_stream_steps);

}  // namespace amalthea::engine::gpu
