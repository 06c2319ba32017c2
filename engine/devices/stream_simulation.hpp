// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams: what some processes put into their streams and when, run on a device of whichever maker.

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::gpu {

struct Stream : StreamSettings {
  std::string name;         ///< "" for the NULL stream
  std::size_t context = 0;  ///< index into StreamScenario::contexts
};

/// A call that puts a kernel or a copy into a stream. Operations of one release are called in the scenario's order.
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
  KernelCost cost = {};      ///< on an AMD GPU
};

struct StreamScenario {
  /// The GPU it runs on: a profile, with what the scenario says otherwise. Its SMs are known.
  DeviceProfile device;
  double cpu_traffic = 0;         ///< 0 … 1: how much of the worst memory traffic the CPUs make
  std::vector<Context> contexts;  ///< in the order of the runlist
  std::vector<Stream> streams;    ///< at most one NULL stream in each context
  std::vector<StreamOperation> operations;

  StreamScenario() { device.multiprocessors.emplace(); }
  SmLimits& limits() { return *device.multiprocessors; }
  const SmLimits& limits() const { return *device.multiprocessors; }
};

/// HSA queues that the streams with kernels need on an AMD GPU: one for each with a mask, those of a pool for each
/// context.
std::int64_t hsa_queues(const StreamScenario& scenario);

struct StreamRun {
  std::vector<OperationRun> operations;  ///< one per operation of the scenario, in their order
  std::vector<EngineSlice> slices;       ///< by start; those of one start by engine
};

/// Most blocks of all kernels together.
constexpr std::int64_t most_simulated_blocks = 10'000'000;

/// Most instants at which something happens, unless more are allowed. Time slices are recorded at them.
constexpr std::uint64_t default_stream_steps = 2'000'000;

/// The error says which operation cannot run: a block that no SM takes, more blocks than most_simulated_blocks, or an
/// end beyond 2^63 ps; or that the simulation needs more steps.
tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario,
                                                      std::uint64_t most_steps = default_stream_steps);

}  // namespace amalthea::engine::gpu
