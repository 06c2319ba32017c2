// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Interface of an event-driven GPU model of any vendor, for simulations of streams and of systems. The vendor defines
/// the rules (nvidia/device.hpp, amd/device.hpp); devices/makers.hpp creates a device from a profile.
///
/// At every instant at which something happens the caller calls `advance`, then `submit` for new operations, then
/// `settle`. Work that takes no time ends at the next call for the same instant.

#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::gpu {

class Device {
 public:
  virtual ~Device() = default;

  /// All contexts and streams must be added before the first operation. slice > 0. If kernels of different contexts run
  /// concurrently, slices and priorities have no effect.
  virtual ContextIndex add_context(Duration slice, ContextPriority priority) = 0;
  virtual StreamIndex add_stream(ContextIndex context, const StreamSettings& settings) = 0;
  /// Engines serve the most urgent context that has work, instead of taking turns (NVIDIA). A larger urgency precedes.
  virtual void schedule_by_urgency() {}
  virtual void set_urgency(ContextIndex, std::int64_t) {}

  /// Ids are reused after the end of the operation. A kernel has at least one block, which fits an empty SM.
  virtual OperationId submit(const DeviceOperation& operation) = 0;
  /// Advances the time to `now`, which must not be before the last call; appends what ends now.
  virtual void advance(Instant now, std::vector<OperationId>& completed) = 0;
  /// Decides what executes from the instant of the last `advance`; call it after all changes at that instant.
  virtual void settle() = 0;
  /// From now on, this is the CPUs' use of the memory; devices without a law for it ignore it. Call it before `settle`.
  virtual void set_cpu_traffic(const CpuTraffic&) {}
  /// The next instant at which to call `advance` even without new operations; valid after `settle`.
  virtual Instant next_event() = 0;

  /// For an operation that has ended; valid until the next `submit`.
  virtual OperationRun& run_of(OperationId id) = 0;
  virtual const DeviceOperation& operation(OperationId id) const = 0;
  /// Valid after `settle`.
  virtual OperationStanding standing(OperationId id) const = 0;

  virtual EngineIndex engines() const = 0;
  /// Time in which the engine has served a context.
  virtual Duration busy(EngineIndex engine) const = 0;
  /// From now on, appends every slice when it ends; slices that end together are ordered by engine. GPUs without time
  /// slices have none.
  virtual void record_slices(std::vector<EngineSlice>& slices) = 0;
  /// From now on, appends every begin and end of a block, in order.
  virtual void record_blocks(std::vector<BlockStep>& steps) = 0;
};

}  // namespace amalthea::engine::gpu
