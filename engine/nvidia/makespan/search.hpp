// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The longest work-conserving schedule of the warps of an SM: exactly, or as an interval when stopped early.
///
/// Warps are alike, so a state is how many warps are at which instruction; a schedule is a path. States are visited
/// by the number of executed instructions, each with the longest time in which it can be reached, and left out when
/// even an upper bound on the rest (relaxation.hpp) does not get it to the length that is looked for. A search that
/// keeps only the best states of each number comes first and gives a schedule; then lengths are refuted from the upper
/// bound down to that of the schedule.
///
/// Where the first phase of the kernel is on one unit, its warps are executed one after the other: they are alike and
/// begin together, so which of them has executed may be decided when one leaves.
///
/// The result does not depend on the number of threads unless it is stopped by time.

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
  unsigned threads = 1;                           ///< > 0
  std::optional<double> time_limit;               ///< seconds
  std::uint64_t memory = std::uint64_t{2} << 30;  ///< bytes for states and bounds; the search gives up beyond
  bool search = true;                             ///< otherwise only bounds and a simple schedule
  /// Called now and then, by the calling thread.
  std::function<void(const SearchProgress&)> progress = {};
};

/// In cycles: lower <= the longest schedule <= upper.
struct SearchResult {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  Schedule witness;          ///< work-conserving, of length `lower`
  std::uint64_t states = 0;  ///< visited, over all searches
  std::uint64_t bytes = 0;   ///< most memory for states and bounds at a time
  double seconds = 0;

  bool exact() const { return lower == upper; }
};

/// States of more warps and instructions than this together are not searched; bounds and a simple schedule remain.
inline constexpr std::int64_t max_state_bits = 54;

SearchResult worst_makespan(const Problem& problem, const SearchOptions& options);

}  // namespace amalthea::engine::nvidia::makespan
