// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// NVIDIA among the makers of GPUs. A profile that is no other maker's is one of NVIDIA's.

#include "engine/gpu/device_maker.hpp"

namespace amalthea::engine::nvidia {

const gpu::DeviceMaker& maker();

}  // namespace amalthea::engine::nvidia
