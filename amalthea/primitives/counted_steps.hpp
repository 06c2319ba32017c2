// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How much work bounds take. Steps are counted instead of time, so that what is limited by them is the same on every
/// machine.

#include <cstdint>

namespace amalthea {

/// Where a caller counts them: arrivals that were counted, and steps of programs that were looked at.
struct StepCount {
  std::uint64_t* total = nullptr;  ///< null: nobody counts

  void add(std::uint64_t steps = 1) const {
    if (total) *total += steps;
  }
};

}  // namespace amalthea
