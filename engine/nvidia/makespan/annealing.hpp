// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Long schedules of the warps of an SM, found by simulated annealing over warp strings: a lower bound on the longest
/// schedule.
///
/// Source: Berezovskyi, Bletsas, Petters, ETFA 2013. A step swaps two random entries of the string. The temperature
/// decreases linearly from T0 to 0. A schedule that is not shorter is accepted; one that is d cycles shorter is
/// accepted with the probability min(1, T / d) (Eq. 3). Runs start from templates in turn: round robin, fixed priority,
/// most pending first, random order.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/nvidia/makespan/schedule.hpp"

namespace amalthea::engine::nvidia::makespan {

enum class Template : std::uint8_t { round_robin, fixed_priority, max_pending, random };
inline constexpr std::uint64_t templates = 4;
std::string_view to_string(Template start);

struct AnnealingOptions {
  std::uint64_t iterations = 2'000'000;  ///< of each run
  std::uint64_t runs = 8;                ///< > 0; run r begins with template r modulo 4
  double temperature = 0.3;              ///< T0, in cycles; >= 0
  std::uint64_t seed = 1;
  unsigned threads = 1;              ///< > 0; the result does not depend on them
  std::optional<double> time_limit;  ///< seconds; the results then depend on the machine
  /// Called for each new longest schedule, by one thread at a time: its cycles, and the seconds.
  std::function<void(std::int64_t, double)> progress = {};
};

/// A run's longest schedule from an iteration on.
struct CurvePoint {
  std::uint64_t iteration = 0;
  std::int64_t makespan = 0;
};

/// The best schedule of one run.
struct AnnealingRun {
  Template start = Template::round_robin;
  std::int64_t first = 0;         ///< makespan of the initial template
  std::int64_t best = 0;          ///< cycles
  std::uint64_t best_at = 0;      ///< number of iterations when it was found
  std::uint64_t iterations = 0;   ///< number of iterations done
  WarpString string;              ///< of the best schedule
  std::vector<CurvePoint> curve;  ///< ascending in both; begins with the template
  std::uint64_t exchanges = 0;    ///< evaluated schedules
  std::uint64_t placed = 0;       ///< entries of the string that they placed anew
};

/// When any run first reached a makespan.
struct Improvement {
  std::int64_t makespan = 0;
  double seconds = 0;
};

struct AnnealingResult {
  std::int64_t best = 0;
  WarpString string;  ///< of the best schedule; among equals that of the first run
  std::vector<AnnealingRun> runs;
  std::vector<Improvement> history;  ///< ascending; its times depend on the machine
  double seconds = 0;
};

AnnealingResult anneal(const Problem& problem, const AnnealingOptions& options);

}  // namespace amalthea::engine::nvidia::makespan
