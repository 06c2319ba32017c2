// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A GPU of either maker, driven in one way: what simulations of streams and of systems need of it.

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/amd/device.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/device.hpp"

namespace amalthea::engine {

/// Every call is that of nvidia::Device or amd::Device of the same name.
class GpuDevice {
 public:
  explicit GpuDevice(const nvidia::DeviceSettings& settings) : device_(nvidia::Device(settings)) {}
  explicit GpuDevice(const amd::DeviceSettings& settings) : device_(amd::Device(settings)) {}
  explicit GpuDevice(const DeviceProfile& profile)
      : device_(profile.amd ? Either(amd::Device(amd_settings(profile)))
                            : Either(nvidia::Device(device_settings(profile)))) {}

  /// On AMD GPUs slices and priorities are without effect.
  nvidia::ContextIndex add_context(Duration slice, nvidia::ContextPriority priority) {
    if (auto* device = std::get_if<amd::Device>(&device_)) return device->add_context();
    return std::get<nvidia::Device>(device_).add_context(slice, priority);
  }
  /// On AMD GPUs the priority is without effect, on NVIDIA's the settings but for is_null.
  nvidia::StreamIndex add_stream(nvidia::ContextIndex context, nvidia::StreamPriority priority,
                                 const amd::StreamSettings& settings) {
    if (auto* device = std::get_if<amd::Device>(&device_)) return device->add_stream(context, settings);
    return std::get<nvidia::Device>(device_).add_stream(context, priority, settings.is_null);
  }
  /// On NVIDIA's GPUs the cost is without effect.
  nvidia::OperationId submit(const nvidia::DeviceOperation& operation, const amd::KernelCost& cost = {}) {
    if (auto* device = std::get_if<amd::Device>(&device_)) return device->submit(operation, cost);
    return std::get<nvidia::Device>(device_).submit(operation);
  }
  void advance(Instant now, std::vector<nvidia::OperationId>& completed) {
    std::visit([&](auto& device) { device.advance(now, completed); }, device_);
  }
  void settle() {
    std::visit([](auto& device) { device.settle(); }, device_);
  }
  Instant next_event() {
    return std::visit([](auto& device) { return device.next_event(); }, device_);
  }
  nvidia::OperationRun& run_of(nvidia::OperationId id) {
    return std::visit([id](auto& device) -> nvidia::OperationRun& { return device.run_of(id); }, device_);
  }
  const nvidia::DeviceOperation& operation(nvidia::OperationId id) const {
    return std::visit([id](const auto& device) -> const nvidia::DeviceOperation& { return device.operation(id); },
                      device_);
  }
  nvidia::Standing standing(nvidia::OperationId id) const {
    return std::visit([id](const auto& device) { return device.standing(id); }, device_);
  }
  nvidia::EngineIndex engines() const {
    return std::visit([](const auto& device) { return device.engines(); }, device_);
  }
  Duration busy(nvidia::EngineIndex engine) const {
    return std::visit([engine](const auto& device) { return device.busy(engine); }, device_);
  }
  /// AMD GPUs have none.
  void record_slices(std::vector<nvidia::EngineSlice>& slices) {
    if (auto* device = std::get_if<nvidia::Device>(&device_)) device->record_slices(slices);
  }
  void record_blocks(std::vector<nvidia::BlockStep>& steps) {
    std::visit([&](auto& device) { device.record_blocks(steps); }, device_);
  }

 private:
  using Either = std::variant<nvidia::Device, amd::Device>;
  Either device_;
};

}  // namespace amalthea::engine
