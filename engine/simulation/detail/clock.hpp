// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The current time of a simulation, and the number of steps at this instant.

#include <cstdint>

#include "amalthea/time.hpp"

namespace amalthea::engine::simulation {

/// Thrown when time no longer advances, or advances too slowly to reach the end.
struct StepLimitReached {};

class Clock {
 public:
  Instant now() const { return now_; }
  void set(Instant now) {
    if (now != now_) steps_ = 0;
    now_ = now;
  }
  /// Counts an activity. Too many at one instant mean that tasks without execution time activate each other in a cycle.
  void count_step() {
    if (++steps_ > max_steps) throw StepLimitReached{};
  }

 private:
  static constexpr std::uint64_t max_steps = 1'000'000;
  Instant now_;
  std::uint64_t steps_ = 0;
};

}  // namespace amalthea::engine::simulation
