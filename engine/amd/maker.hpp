// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// AMD as a GPU vendor: profiles with DeviceProfile::amd.

#include "engine/gpu/device_maker.hpp"

namespace amalthea::engine::amd {

const gpu::DeviceMaker& maker();

}  // namespace amalthea::engine::amd
