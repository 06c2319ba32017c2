// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verdict on a whole model: the worst of everything that limits its timing and of everything that was not judged
/// (docs/reference/verdicts.md). The one place where it is decided; formats, exit codes and batches only repeat it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/finding_consequences.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

/// From best to worst.
enum class OverallVerdict : std::uint8_t {
  guaranteed,  ///< no job can break the limit
  met,         ///< the simulation saw nothing break it
  unknown,     ///< not, or not wholly, judged
  unbounded,   ///< nothing bounds when a task ends, by arithmetic and in the simulation
  missed,      ///< seen broken
};
inline constexpr std::size_t overall_verdicts = 5;
std::string_view to_string(OverallVerdict);

/// A limit that was judged, or something that was not and makes the verdict unknown.
struct JudgedLimit {
  enum class Kind : std::uint8_t {
    deadline,     ///< of a task
    task,         ///< a task without deadline that is unbounded, lost activations or was not seen
    requirement,  ///< other than a deadline
    latency,      ///< EventChainLatencyConstraint
    constraint,   ///< every other timing constraint
    finding,      ///< part of the model was not understood or is not simulated
  };
  Kind kind = Kind::deadline;
  OverallVerdict verdict = OverallVerdict::met;
  std::string name;    ///< "Control", "latency constraint \"brake\""; of a finding its place or id
  std::string reason;  ///< in a sentence
};
std::string_view to_string(JudgedLimit::Kind);  ///< "deadline", "task", …

struct Assessment {
  OverallVerdict verdict = OverallVerdict::met;
  std::array<std::size_t, overall_verdicts> counts{};  ///< of the limits, by verdict
  /// Tasks in their order, then requirements, chains, constraints, findings. A wrapper that fell away is counted with
  /// its function, and a requirement that is a task's deadline with the task.
  std::vector<JudgedLimit> limits;
  std::vector<Assumption> assumptions;  ///< what the verdict holds under; with Results::strict they are unknown
  std::vector<std::string> replaced;    ///< what was judged in place of what the model says

  std::size_t count(OverallVerdict which) const { return counts[static_cast<std::size_t>(which)]; }
  /// Whether the model limits anything. If not, and nothing is unknown, the verdict is met, on the assumption that
  /// nothing had to be kept.
  bool has_limits() const;
};

/// The verdict on what an analysis found; `findings` are all of reading, building and analysing.
Assessment assess(const System& system, const Results& results, const Diagnostics& findings);

}  // namespace amalthea::engine
