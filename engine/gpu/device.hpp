// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A GPU event by event, whoever made it: how simulations of streams and of systems drive one. The rules are those of
/// its maker (nvidia/device.hpp, amd/device.hpp); devices/makers.hpp makes one from a profile.
///
/// The owner calls, at every instant at which something happens: `advance`, then `submit` for what comes, then
/// `settle`. Work that takes no time ends at the next call for the same instant.

#include <vector>

#include "amalthea/time.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::gpu {

class Device {
 public:
  virtual ~Device() = default;

  /// All contexts and streams before the first operation. slice > 0. Where kernels of different contexts run beside
  /// each other, slices and priorities are without effect.
  virtual ContextIndex add_context(Duration slice, ContextPriority priority) = 0;
  virtual StreamIndex add_stream(ContextIndex context, const StreamSettings& settings) = 0;

  /// Ids are used again after the operation's end. A kernel has at least one block, which fits an empty SM.
  virtual OperationId submit(const DeviceOperation& operation) = 0;
  /// Accounts for the time up to `now`, which is not before that of the last call; appends what ends now.
  virtual void advance(Instant now, std::vector<OperationId>& completed) = 0;
  /// Decides what goes on from the instant of the last `advance`; call after all changes of that instant.
  virtual void settle() = 0;
  /// When to call next although nothing new comes; after `settle`.
  virtual Instant next_event() = 0;

  /// Of an operation that has ended: until the next `submit`.
  virtual OperationRun& run_of(OperationId id) = 0;
  virtual const DeviceOperation& operation(OperationId id) const = 0;
  /// After `settle`.
  virtual OperationStanding standing(OperationId id) const = 0;

  virtual EngineIndex engines() const = 0;
  /// Time in which the engine has served a context.
  virtual Duration busy(EngineIndex engine) const = 0;
  /// From now on appends every slice when it ends, those of one end by engine. Without time slices there are none.
  virtual void record_slices(std::vector<EngineSlice>& slices) = 0;
  /// From now on appends every begin and end of a block, in their order.
  virtual void record_blocks(std::vector<BlockStep>& steps) = 0;
};

}  // namespace amalthea::engine::gpu
