// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Headroom: how much worse one thing, or all of them, may become until the first limit is violated. A sensitivity
/// analysis: it analyzes the system again and again, with longer execution times, a slower core or GPU, slower memory
/// or more jitter.
///
/// Growth is in whole percent, from -90 % to +900 % (ten times) for times, and from -100 % to +100 % of the period for
/// jitter. A growth of p % extends what is possible: the longest time becomes p % longer, the shortest stays. So a bound
/// for p % also covers every smaller growth. Data rates have no shortest time: they change as a whole.
///
/// Neither bounds nor simulations must become worse monotonically. The search therefore scans the range, bisects before
/// the first violation and then tests values in between again. `holds` is below every tested growth that violates a
/// limit.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/verdict.hpp"

namespace amalthea::engine {

/// What becomes worse.
struct Stress {
  enum class Kind : std::uint8_t {
    everything,  ///< times and jitter, each by the same share
    times,       ///< all execution times, kernels and memory accesses
    jitters,     ///< of all periodic stimuli
    task,        ///< its execution time; for a device task that of its kernels, unless those state instructions
    core,        ///< all execution on it, including accesses whose cost the model states in cycles
    gpu,         ///< its kernels; by a slower clock, for its copies too, if any state instructions
    memory,      ///< accesses to it, also by copies; with a table of costs, accesses to all memories
    jitter,      ///< of a periodic stimulus
  };
  Kind kind = Kind::everything;
  std::uint32_t index = 0;  ///< task, unit, memory or stimulus
  friend bool operator==(const Stress&, const Stress&) = default;
};
std::string_view to_string(Stress::Kind);  ///< "everything", "times", …
/// The name of the task, unit, memory or stimulus; "" for all of them.
std::string name_of(const System& system, const Stress& stress);

/// Percent to search; jitter grows by percent of the period.
struct GrowthRange {
  int least = -90, largest = 900;
};
GrowthRange range_of(Stress::Kind kind);

/// Applies the growth to the system and, for memory, to the table of costs in the options. False if it has no effect.
/// May throw std::overflow_error.
bool apply(const Stress& stress, int percent, System& system, AnalysisOptions& options);

/// Everything that can grow in this system: first all together, then one thing at a time.
std::vector<Stress> stresses_of(const System& system, const AnalysisOptions& options);

/// How far one thing may grow.
struct Margin {
  /// The largest tested growth, in percent, below which no test violates a limit that holds today. Nothing if no limit
  /// holds today.
  std::optional<int> holds;
  std::optional<int> breaks;        ///< the smallest tested growth that violates one; nothing: none in the range
  std::vector<JudgedLimit> broken;  ///< the limits violated there
  bool monotone = true;             ///< false: they hold again for a larger growth
  /// Limits that do not hold today, but would with the largest reduction; and the smallest tested reduction (negative)
  /// with which all of these hold.
  std::vector<JudgedLimit> repaired;
  std::optional<int> needed;
};

struct StressHeadroom {
  Stress stress;
  Margin guaranteed;  ///< by bounds, for the limits that are guaranteed today
  Margin seen;        ///< in the simulation, for the limits that hold in it today
  std::size_t analyses = 0;
  Coverage covers = {};  ///< what all guarantees of its analyses cover
};

struct Headroom {
  std::size_t limits = 0;      ///< that the analysis judges
  std::size_t guaranteed = 0;  ///< of them, today
  std::size_t met = 0;         ///< of them, today, at least in the simulation
  std::vector<StressHeadroom> of;
  bool stopped_early = false;  ///< interrupted; `of` lacks the last ones
  Coverage covers = {};        ///< what all guarantees cover, today and with every tested growth
};

struct HeadroomOptions {
  AnalysisOptions analysis;        ///< `work` follows the search and can stop it; `observer` is ignored
  std::size_t analyses_each = 60;  ///< at most, for each Stress; the result is less exact if they do not suffice
  unsigned threads = 1;            ///< the result does not depend on it
};

/// `results` must come from `analyze` with the same options.
Headroom headroom(const System& system, const Results& results, const HeadroomOptions& options);

}  // namespace amalthea::engine
