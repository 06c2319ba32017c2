// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compares simulated systems with the bounds of their analysis.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/random_system.hpp"

namespace test {

/// The results over many systems.
struct BoundTrial {
  std::uint64_t systems = 0, simulations = 0, jobs = 0;
  std::uint64_t bounded = 0, unbounded = 0;  ///< tasks
  std::uint64_t awaiting = 0;                ///< bounded tasks that wait for events of tasks on CPUs
  std::uint64_t exact = 0;                   ///< bounded tasks whose bound is exact; they have no ratio
  std::uint64_t for_offsets = 0;             ///< tasks with a tighter bound for the stated offsets
  std::uint64_t chains = 0;                  ///< with a bound
  std::uint64_t lossless = 0, lossy = 0;     ///< tasks with a bound and an activation limit, per simulation
  std::vector<std::string> faults;           ///< values outside of their bounds, one sentence each
  std::vector<float> ratios;  ///< for tasks with a bound: the longest observed response relative to the bound

  /// Simulates the system for a thousand microseconds with its longest times and the densest releases, as it is and
  /// with all offsets zero; then this number of times with random releases, with longest, shortest and random times in
  /// turn.
  void run(const RandomSystem& drawn, std::uint64_t seed, int random_runs);
  std::string text() const;  ///< the figures, then the first faults
};

}  // namespace test
