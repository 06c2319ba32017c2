// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Scenarios of streams: what some processes put into their streams and when, run on the device of device.hpp or, of an
/// AMD GPU, on that of amd/device.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/time.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/nvidia/device.hpp"

namespace amalthea::engine::nvidia {

/// One process's share of the GPU.
struct Context {
  std::string name;
  Duration slice = Duration::microseconds(2600);  ///< > 0
  ContextPriority priority = ContextPriority::medium;
};

struct Stream {
  std::string name;  ///< "" for the NULL stream
  StreamPriority priority = StreamPriority::low;
  bool is_null = false;
  std::size_t context = 0;       ///< index into StreamScenario::contexts
  amd::StreamSettings amd = {};  ///< of an AMD GPU, without is_null
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
  std::string cache_config;   ///< kernels with different ones do not run beside each other
  double memory_share = 0;    ///< 0 … 1: how much of a kernel's time is bound by memory (N21)
  amd::KernelCost cost = {};  ///< on an AMD GPU
};

struct StreamScenario : DeviceSettings {
  std::vector<Context> contexts;  ///< in the order of the runlist
  std::vector<Stream> streams;    ///< at most one NULL stream in each context
  std::vector<StreamOperation> operations;
  /// Of an AMD GPU; of the settings above then only the limits and copy engines count, which are the same.
  std::optional<amd::DeviceSettings> amd;
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

/// The error says which operation cannot run: a block that no SM takes, more blocks than most_simulated_blocks, or an
/// end beyond 2^63 ps.
tl::expected<StreamRun, std::string> simulate_streams(const StreamScenario& scenario);

}  // namespace amalthea::engine::nvidia
