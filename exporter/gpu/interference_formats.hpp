// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Text and JSON of predicted memory interference, and of the model compared with measurements (docs/reference/gpu.md).

#include <string>
#include <vector>

#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/memory_model.hpp"
#include "engine/nvidia/tx2_measurements.hpp"

namespace amalthea::exporter {

/// A query to the model.
struct InterferenceQuestion {
  engine::nvidia::MemoryKernel kernel;
  std::vector<engine::nvidia::MemoryKernels> others;
  engine::nvidia::CpuTraffic cpu;
};

/// `profile` must have measured_memory.
std::string render_interference_json(const engine::DeviceProfile& profile, const InterferenceQuestion& question,
                                     const engine::nvidia::InterferencePrediction& prediction);
std::string render_interference_text(const engine::DeviceProfile& profile, const InterferenceQuestion& question,
                                     const engine::nvidia::InterferencePrediction& prediction, bool colour);

/// For a profile without measured_memory.
std::string render_coarse_interference_json(const engine::DeviceProfile& profile, double memory_share,
                                            const engine::nvidia::CoarsePrediction& prediction);
std::string render_coarse_interference_text(const engine::DeviceProfile& profile, double memory_share,
                                            const engine::nvidia::CoarsePrediction& prediction, bool colour);

using ComparedMeasurements = std::vector<engine::nvidia::ComparedMeasurement>;
std::string render_measurements_json(const engine::DeviceProfile& profile, const ComparedMeasurements& rows);
std::string render_measurements_text(const engine::DeviceProfile& profile, const ComparedMeasurements& rows,
                                     bool colour);

}  // namespace amalthea::exporter
