// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Makes the names of engine/gpu/ available in this folder.

namespace amalthea::engine::gpu {}

namespace amalthea::engine::nvidia {
using namespace gpu;
}
