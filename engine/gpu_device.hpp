#pragma once
/// \file
/// A GPU as the system simulation sees it: one copy engine and one execution engine, arbitrated apart (N6), that slow
/// each other by the factors of the device's profile. A kernel occupies the whole execution engine.

#include <cstdint>
#include <vector>

#include "amalthea/graph/runnable_graph.hpp"
#include "amalthea/time.hpp"
#include "engine/device_profile.hpp"
#include "engine/time_sliced_engine.hpp"

namespace amalthea::engine {

enum class OperationKind : std::uint8_t { copy, memset, kernel };

struct DeviceOperation {
  OperationKind kind = OperationKind::kernel;
  ContextIndex context = 0;
  Duration work;                ///< when undisturbed
  double memory_intensity = 1;  ///< share bound by memory; copies: 1
};

class GpuDevice {
 public:
  explicit GpuDevice(const DeviceProfile& profile);

  /// A context with this time slice on both engines.
  ContextIndex add_context(Duration slice);

  OperationId submit(const DeviceOperation& operation);
  /// Accounts for the time up to `now`; appends what completes now, the copy engine's first.
  void advance(Instant now, std::vector<OperationId>& completed);
  /// Arbitrates both engines and sets their mutual slowdown; call after all changes at `now`.
  void settle(Instant now);
  Instant next_event() const;

  const DeviceOperation& operation(OperationId id) const { return operations_[id]; }
  const TimeSlicedEngine& copy_engine() const { return copy_engine_; }
  const TimeSlicedEngine& execution_engine() const { return execution_engine_; }
  const TimeSlicedEngine& engine_of(OperationKind kind) const {
    return kind == OperationKind::kernel ? execution_engine_ : copy_engine_;
  }

 private:
  DeviceProfile profile_;
  TimeSlicedEngine copy_engine_;
  TimeSlicedEngine execution_engine_;
  std::vector<DeviceOperation> operations_;
  std::vector<OperationId> free_ids_;
};

}  // namespace amalthea::engine
