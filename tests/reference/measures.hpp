// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an execution shows: latencies of chains, timing constraints, and metrics of requirements.

#include <cstdint>
#include <string>
#include <vector>

#include "reference/execution.hpp"

namespace reference {

/// Longest and shortest times of the chain that this execution shows; -1: nothing was measured.
struct Latencies {
  Time reaction = -1, reduced_reaction = -1, age = -1, reduced_age = -1, shortest = -1;
};
Latencies latencies(const Passage&);

enum class Verdict : std::uint8_t { met, missed, unknown };

struct Judged {
  Verdict verdict = Verdict::unknown;
  Time at = -1;                  ///< the occurrence that breaks it
  std::string why;               ///< missed or unknown: the reason
  std::int64_t occurrences = 0;  ///< judged
  double margin = 0;             ///< of times: least distance to the limit in picoseconds, negative if missed
};

/// Judges constraint `number` on the trace; needs RunOptions::trace.
Judged judge(const Model&, const Execution&, std::size_t number);

/// Judges requirement `number`: of every job, or in total for counts and percentages of a unit.
Judged meets(const Model&, const Execution&, std::size_t number);

/// Longest response time of a task; `unfinished` counts the jobs released before `until` that have not ended.
struct Responses {
  Time longest = -1, shortest = -1;
  std::int64_t jobs = 0, unfinished = 0, lost = 0;
};
Responses responses(const Execution&, Index task, Time until = never);

}  // namespace reference
