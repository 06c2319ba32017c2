// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What any GPU has (engine/gpu/) goes by its short names in here.

namespace amalthea::engine::gpu {}

namespace amalthea::engine::nvidia {
using namespace gpu;
}
