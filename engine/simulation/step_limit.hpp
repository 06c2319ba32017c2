// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much a simulation may cost. Steps are counted instead of time, so that results depend on no machine.

#include <cstdint>

namespace amalthea::engine {

/// Instants and activities: some seconds of computing.
inline constexpr std::uint64_t default_simulation_steps = 10'000'000;

}  // namespace amalthea::engine
