#include "engine/gpu_device.hpp"

#include <algorithm>

namespace amalthea::engine {

GpuDevice::GpuDevice(const DeviceProfile& profile)
    : profile_(profile), copy_engine_(profile.context_switch), execution_engine_(profile.context_switch) {}

ContextIndex GpuDevice::add_context(Duration slice) {
  copy_engine_.add_context(slice);
  return execution_engine_.add_context(slice);
}

OperationId GpuDevice::submit(const DeviceOperation& operation) {
  // Ids are used again, so that a long simulation needs no more memory than a short one.
  OperationId id = 0;
  if (free_ids_.empty()) {
    id = static_cast<OperationId>(operations_.size());
    operations_.push_back(operation);
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
    operations_[id] = operation;
  }
  (operation.kind == OperationKind::kernel ? execution_engine_ : copy_engine_)
      .enqueue(operation.context, id, operation.work);
  return id;
}

void GpuDevice::advance(Instant now, std::vector<OperationId>& completed) {
  for (TimeSlicedEngine* engine : {&copy_engine_, &execution_engine_})
    if (const auto done = engine->advance(now)) {
      completed.push_back(*done);
      free_ids_.push_back(*done);
    }
}

void GpuDevice::settle(Instant now) {
  copy_engine_.arbitrate(now);
  execution_engine_.arbitrate(now);
  const auto copy = copy_engine_.executing();
  const auto kernel = execution_engine_.executing();
  if (!copy || !kernel) {
    copy_engine_.set_slowdown({});
    execution_engine_.set_slowdown({});
    return;
  }
  const double intensity = operations_[*kernel].memory_intensity;
  const bool is_memset = operations_[*copy].kind == OperationKind::memset;
  execution_engine_.set_slowdown(
      weigh(is_memset ? profile_.interference.kernel_by_memset : profile_.interference.kernel_by_memcpy, intensity));
  // A kernel disturbs a copy as far as it uses memory itself.
  copy_engine_.set_slowdown(weigh(profile_.interference.copy_by_kernel, intensity));
}

Instant GpuDevice::next_event() const { return std::min(copy_engine_.next_event(), execution_engine_.next_event()); }

}  // namespace amalthea::engine
