// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// When stimuli occur: one after the other for a simulation, and at most how often for an analysis.
///
/// Everything produced is legal by the stimulus' own statement (system.hpp). What that leaves open is up to the
/// pattern, densest / average / sparsest / random:
/// - Periodic: the first as late, all others as early as jitter lets them / all late by the average / by the least /
///   each jitter drawn,
/// - Sporadic: least / average / largest distance / each drawn,
/// - Burst: the first burst as late, all others as early as they may be, and as dense / evenly over the length /
///   likewise / anywhere within the length,
/// - ArrivalCurve: the first at 0, each as early as can be / evenly, at the middle of least and largest long-run
///   distance (the least where nothing limits it) / evenly, at the largest (or else least) / at any time that leaves
///   the others possible, where nothing limits it up to twice the least long-run distance after the one before; the
///   first within one such distance,
/// - VariableRate: largest / average / least rate / that of each step drawn, then brought within the largest change.
/// Single and Synthetic leave nothing open. InterProcess and EventDriven have no occurrences of their own. Nothing is
/// said of how the patterns of several stimuli come together.

#include <cstdint>
#include <memory>
#include <optional>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

enum class ArrivalPattern : std::uint8_t { densest, average, sparsest, random };

enum class Execution : std::uint8_t;  // program.hpp

/// What goes with worst, average, best and random execution times: densest, average, sparsest, random.
ArrivalPattern pattern_for(Execution);

struct ArrivalOptions {
  ArrivalPattern pattern = ArrivalPattern::densest;
  std::uint64_t seed = 0;  ///< of `random`; the k-th occurrence of a stimulus depends on nothing but these three
  StimulusIndex stimulus = 0;
};

/// The occurrences of one stimulus in order of time; several at one instant are told one by one.
class Arrivals {
 public:
  /// The stimulus is copied as far as it is needed.
  Arrivals(const Stimulus& stimulus, const ArrivalOptions& options);
  ~Arrivals();
  Arrivals(Arrivals&&) noexcept;
  Arrivals& operator=(Arrivals&&) noexcept;

  /// Nothing when there are no more, or none within `longest_simulation`.
  std::optional<Instant> next();

  /// Where each occurrence comes from.
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

/// Holds for every pattern that the stimulus allows. The period is the least long-run distance (rounded down), the
/// jitter the least that is safe with it:
/// - Periodic, VariableRate, Sporadic: as stated; where the minimum distance is no shorter than the period it takes its
///   place,
/// - Single: a period of `longest_simulation`,
/// - Synthetic: with f(i) = i × period / n - occurrence i, the largest f less the smallest,
/// - Burst of n in a length L, d apart: (n - 1)(period / n - d) + L - (n - 1) d,
/// - ArrivalCurve: largest over m of m × period less the least time from one to the m-th after it.
/// Nothing for InterProcess and EventDriven, and where occurrences may be arbitrarily dense.
std::optional<ArrivalBound> arrival_bound(const Stimulus& stimulus);

/// The most occurrences in a closed window of this length, >= 0.
std::int64_t max_arrivals(const ArrivalBound& bound, Duration window);

/// The stimulus as one that occurs at offset + k × period and never else, if it is such a one: jitter that never varies
/// is part of the offset. Not where a condition may keep it from having an effect.
std::optional<Periodic> strictly_periodic(const Stimulus& stimulus);

/// Time after which the stimulus occurs again as before, whatever its pattern, but for jitter. Periodic, Synthetic,
/// Burst.
std::optional<Duration> repetition(const Stimulus& stimulus);

/// Latest time at which a stimulus that occurs at all occurs for the first time; of Periodic the offset alone.
Duration first_arrival(const Stimulus& stimulus);

/// Occurrences per picosecond in the long run, at the most. 0 for Single; nothing for InterProcess and EventDriven, and
/// where there is no limit.
std::optional<double> arrival_rate(const Stimulus& stimulus);

/// The smallest long-run distance between occurrences, rounded down to whole picoseconds. Nothing where arrival_rate
/// is nothing or 0.
std::optional<Duration> arrival_period(const Stimulus& stimulus);

/// How many of a burst's occurrences come: those after its length are left out.
std::int64_t occurrences_of(const Burst& burst);

}  // namespace amalthea::engine
