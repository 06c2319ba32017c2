// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The longest work-conserving schedule of the warps of an SM: exact, or an interval if stopped early.
///
/// Warps are interchangeable, so a state is the number of warps at each instruction, and a schedule is a path. States
/// are visited by the number of executed instructions, each with the longest time to reach it. A state is pruned if
/// even an upper bound on the rest (relaxation.hpp) does not reach the target length. A beam search that keeps only the
/// best states of each number runs first and yields a schedule. Then lengths are refuted from the upper bound down to
/// the length of that schedule.
///
/// If the first phase of the kernel is on one unit, its warps are executed one after the other. They are
/// interchangeable and start together, so the choice of the warp can be postponed until one leaves the phase.
///
/// The result does not depend on the number of threads, unless a time limit stops it.

#include <cstdint>
#include <functional>
#include <optional>

#include "engine/nvidia/makespan/schedule.hpp"

namespace amalthea::engine::nvidia::makespan {

struct SearchProgress {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::uint64_t states = 0;
  double seconds = 0;
};

struct SearchOptions {
  unsigned threads = 1;              ///< > 0
  std::optional<double> time_limit;  ///< seconds
  /// for states and bounds, in bytes; the search gives up beyond that
  std::uint64_t memory = std::uint64_t{2} << 30;
  bool search = true;  ///< otherwise only bounds and a simple schedule
  /// Called periodically by the calling thread.
  std::function<void(const SearchProgress&)> progress = {};
};

/// In cycles: lower <= the longest schedule <= upper.
struct SearchResult {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  Schedule witness;          ///< work-conserving, of length `lower`
  std::uint64_t states = 0;  ///< visited, over all searches
  std::uint64_t bytes = 0;   ///< peak memory for states and bounds
  double seconds = 0;

  bool exact() const { return lower == upper; }
};

/// Problems with more state bits (from warps and instructions) are not searched; bounds and a simple schedule remain.
inline constexpr std::int64_t max_state_bits = 54;

SearchResult worst_makespan(const Problem& problem, const SearchOptions& options);

}  // namespace amalthea::engine::nvidia::makespan
