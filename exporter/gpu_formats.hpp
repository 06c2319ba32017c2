#pragma once
/// \file
/// Text and JSON of the GPU models that work alone (docs/gpu.md). The JSON forms are one object and end with a line
/// end.

#include <string>

#include "engine/device_profile.hpp"
#include "engine/nvidia/occupancy.hpp"

namespace amalthea::exporter {

std::string render_occupancy_json(const engine::DeviceProfile& profile, const engine::nvidia::Occupancy& occupancy);
/// `profile` must have multiprocessors.
std::string render_occupancy_text(const engine::DeviceProfile& profile, const engine::nvidia::Occupancy& occupancy,
                                  bool colour);

}  // namespace amalthea::exporter
