// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What an execution shows: latencies of chains, timing constraints, and metrics of requirements (S-measure).

#include <cstdint>
#include <string>
#include <vector>

#include "reference/execution.hpp"

namespace reference {

/// Longest and shortest times that this execution shows; -1: nothing was measured. `open` is the time for which the oldest
/// read without a write that shows it, or a later one, has waited at the end: the reaction is at least that long.
struct Latencies {
  Time reaction = -1, reduced_reaction = -1, age = -1, reduced_age = -1, shortest = -1, open = -1;
};
/// \param activation  reads count from the activation of their job (a chain that begins with the stimulus)
Latencies latencies(const Passage&, Time end, bool activation = false);

enum class Verdict : std::uint8_t { met, missed, unknown };

struct Judged {
  Verdict verdict = Verdict::unknown;
  Time at = -1;                  ///< the occurrence that breaks it
  std::string why;               ///< of an unknown verdict
  std::int64_t occurrences = 0;  ///< judged
  double margin = 1e300;         ///< least distance to a limit, negative if missed; in picoseconds, jobs or percent
};

/// Judges constraint `number` on the trace; needs RunOptions::trace.
Judged judge(const Model&, const Execution&, std::size_t number,
             Passage::Communication = Passage::Communication::implicit);

/// Judges requirement `number`. Jobs released from `until` on do not count.
Judged meets(const Model&, const Execution&, std::size_t number, Time until = never);

}  // namespace reference
