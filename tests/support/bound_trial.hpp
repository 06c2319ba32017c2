// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is seen of simulated systems, held against what the analysis says of every job.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random_system.hpp"

namespace test {

/// What came of trying many systems.
struct BoundTrial {
  std::uint64_t systems = 0, simulations = 0, jobs = 0;
  std::uint64_t bounded = 0, unbounded = 0;  ///< tasks
  std::uint64_t chains = 0;                  ///< with a bound
  std::vector<std::string> faults;           ///< what was outside of its bounds, a sentence each
  std::vector<float> ratios;                 ///< of tasks with a bound: the longest seen of it

  /// Simulates the system for a thousand microseconds at its longest times with the densest releases, as it is and with
  /// all offsets zero; then as often as this with random releases, at longest, shortest and random times in turn.
  void run(const RandomSystem& drawn, std::uint64_t seed, int random_runs);
  std::string text() const;  ///< the figures, then the first faults
};

}  // namespace test
