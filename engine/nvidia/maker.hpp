// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// NVIDIA as a GPU vendor. A profile that no other vendor claims is one of NVIDIA's.

#include "engine/gpu/device_maker.hpp"

namespace amalthea::engine::nvidia {

const gpu::DeviceMaker& maker();

}  // namespace amalthea::engine::nvidia
