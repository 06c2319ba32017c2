// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much work bounds have taken. Steps are counted instead of time, so that what is limited by them is the same on
/// every machine.

#include <cstdint>

namespace amalthea {

/// Of all bounds computed in this thread so far: arrivals that were counted, and steps of programs that were looked at.
inline thread_local std::uint64_t bound_steps = 0;

}  // namespace amalthea
