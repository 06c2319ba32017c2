// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When stimuli occur: single occurrences for the simulation, and arrival bounds for the analysis.
///
/// All occurrences comply with the definition of the stimulus (system.hpp). The pattern decides what the stimulus
/// leaves open (densest / average / sparsest / random):
/// - Periodic: maximum jitter for the first occurrence and minimum jitter for all others / average jitter for all /
///   minimum jitter for all / random jitter for each,
/// - Sporadic: minimum / average / maximum distance / random for each,
/// - Burst: the first burst as late and all others as early as possible, with the densest occurrences / evenly
///   distributed over the length / the same / random within the length,
/// - ArrivalCurve: the first at 0, each as early as possible / periodic, at the mean of minimum and maximum long-run
///   distance (the minimum if there is no maximum) / periodic, at the maximum (or else the minimum) / random within
///   what the curve allows, without a maximum up to twice the minimum long-run distance after the previous one; the
///   first within one such distance,
/// - VariableRate: maximum / average / minimum rate / random for each step, limited by the maximum change.
/// Single and Synthetic leave nothing open. InterProcess and EventDriven have no occurrences of their own. The patterns
/// of different stimuli are independent.

#include <cstdint>
#include <memory>
#include <optional>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

enum class ArrivalPattern : std::uint8_t { densest, average, sparsest, random };

enum class Execution : std::uint8_t;  // program.hpp

/// The pattern for worst, average, best and random execution times: densest, average, sparsest, random.
ArrivalPattern pattern_for(Execution);

struct ArrivalOptions {
  ArrivalPattern pattern = ArrivalPattern::densest;
  /// for `random`; the k-th occurrence of a stimulus depends on these three members only
  std::uint64_t seed = 0;
  StimulusIndex stimulus = 0;
};

/// The occurrences of one stimulus in the order of time; simultaneous ones are returned one by one.
class Arrivals {
 public:
  /// Copies what it needs of the stimulus.
  Arrivals(const Stimulus& stimulus, const ArrivalOptions& options);
  ~Arrivals();
  Arrivals(Arrivals&&) noexcept;
  Arrivals& operator=(Arrivals&&) noexcept;

  /// Nothing if there are no more, or none within `longest_simulation`.
  std::optional<Instant> next();

  /// The generator of the occurrences.
  class Source;

 private:
  std::unique_ptr<Source> source_;  // null: no more
};

/// In any closed window of length w there are at most 1 + floor((w + jitter) / period) occurrences, and where
/// minimum_distance > 0 at most 1 + floor(w / minimum_distance).
///
/// This is the event model "periodic with jitter and minimum distance" (Richter: Compositional Scheduling Analysis
/// Using Standard Event Models, 2005, eq. 3.11), for closed windows.
struct ArrivalBound {
  Duration period;  ///< > 0
  Duration jitter;
  Duration minimum_distance;  ///< 0: none
};

/// Holds for every pattern that the stimulus allows. The period is the minimum long-run distance (rounded down), the
/// jitter the smallest safe one for it:
/// - Periodic, VariableRate, Sporadic: as stated; a minimum distance that is not shorter than the period replaces it,
/// - Single: a period of `longest_simulation`,
/// - Synthetic: with f(i) = i × period / n - occurrence i, the largest f minus the smallest,
/// - Burst of n in a length L, d apart: (n - 1) |period / n - d| + L - (n - 1) d; the minimum distance is d, or what the
///   bursts leave between them if that is less,
/// - ArrivalCurve: maximum over m of m × period minus the minimum time from one to the m-th after it.
/// Nothing for InterProcess and EventDriven, and if occurrences may be arbitrarily dense.
std::optional<ArrivalBound> arrival_bound(const Stimulus& stimulus);

/// The maximum number of occurrences in a closed window of this length, >= 0.
std::int64_t max_arrivals(const ArrivalBound& bound, Duration window);

/// The stimulus as exactly one occurrence at each offset + k × period, if it is strictly periodic; constant jitter is
/// part of the offset. Nothing if a condition may suppress its effect.
std::optional<Periodic> strictly_periodic(const Stimulus& stimulus);

/// The time after which the stimulus repeats itself for every pattern, except for jitter. Periodic, Synthetic, Burst.
std::optional<Duration> repetition(const Stimulus& stimulus);

/// The latest first occurrence of a stimulus that occurs at all; for Periodic only the offset.
Duration first_arrival(const Stimulus& stimulus);

/// Whether some occurrences of the stimulus do not activate.
bool is_conditional(const Stimulus& stimulus);

/// The longest time from any instant of a run to the next occurrence. It holds for the stated offset, and for all up to
/// the period (Sporadic: the maximum distance). Nothing if no occurrence may follow: for Single, InterProcess, EventDriven,
/// ArrivalCurve and VariableRate, and if a condition may suppress its effect or a counter skips occurrences.
std::optional<Duration> longest_until_next(const Stimulus& stimulus);

/// Maximum long-run rate, in occurrences per picosecond. 0 for Single; nothing for InterProcess and EventDriven, and if
/// there is no limit.
std::optional<double> arrival_rate(const Stimulus& stimulus);

/// The minimum long-run distance between occurrences, rounded down to whole picoseconds. Nothing if arrival_rate is
/// nothing or 0.
std::optional<Duration> arrival_period(const Stimulus& stimulus);

/// The number of occurrences in a burst; those after its length do not count.
std::int64_t occurrences_of(const Burst& burst);

}  // namespace amalthea::engine
