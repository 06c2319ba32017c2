// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Results for a chain: latencies under LET, bounds, observations, and the verdicts on its limits.
/// docs/theory/chains.md defines every latency and names the sources.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/results/coverage.hpp"

namespace amalthea::engine {

/// When a job read and wrote (under implicit communication: its start and its end), and when it was released.
struct JobAccess {
  Instant read;
  Instant write;
  Instant release = {};
};

/// The longest, and some shortest, observed latencies; docs/theory/chains.md defines them. Nothing if no chain instance
/// completed within the recorded time.
struct ObservedLatencies {
  /// number of reads of the first task that were followed to the write of the last task
  std::uint64_t reads = 0;
  std::optional<Duration> reaction;
  std::optional<Duration> reduced_reaction;
  std::optional<Duration> age;
  std::optional<Duration> reduced_age;
  std::optional<Duration> least_reaction = {};  ///< the shortest reduced reaction
  std::optional<Duration> least_age = {};       ///< the shortest reduced age
  friend bool operator==(const ObservedLatencies&, const ObservedLatencies&) = default;
};

/// Latencies under Logical Execution Time: a job reads at its release and writes one period later. A read at the
/// instant of a write sees the written value.
struct LetLatencies {
  /// longest, from just after a read of the first task to the first write that reflects the next read
  Duration reaction;
  Duration reduced_reaction;  ///< longest, from a read of the first task to the first write that shows it
  Duration age;               ///< longest, from a read of the first task until the last write it affects is overwritten
  Duration reduced_age;       ///< longest, from a read of the first task to the last write it affects
  /// longest, from a read that reached a write to the first write for the following read
  Duration first_to_first;
  Duration shortest;  ///< shortest, from a read of the first task to a write that reflects it
  friend bool operator==(const LetLatencies&, const LetLatencies&) = default;
};

/// Upper bounds on the latencies of the same names under implicit or explicit communication.
struct LatencyBounds {
  Duration reaction;
  Duration reduced_reaction;
  Duration age;
  Duration reduced_age;
  friend bool operator==(const LatencyBounds&, const LatencyBounds&) = default;
};

/// What a task of a chain adds to a latency, in chain order.
struct ChainStep {
  Duration wait;  ///< until a job of the task reads what the task before has written; see the user of the struct
  Duration run;   ///< from then to its write
  friend bool operator==(const ChainStep&, const ChainStep&) = default;
};

/// How the tasks of a chain exchange data: one way for all. A model may state another one for an access (AM0497).
enum class Communication : std::uint8_t {
  implicit,         ///< a job reads at its start and writes at its end
  explicit_access,  ///< it reads and writes at the positions of its accesses
  let,              ///< Logical Execution Time: it reads at its release and writes one period later
};
std::string_view to_string(Communication);  ///< "implicit", "explicit", "let"

enum class LimitVerdict : std::uint8_t {
  met,        ///< observed or proven to hold
  missed,     ///< observed or proven not to hold
  unknown,    ///< neither: nothing was observed, and no bound is within the limit
  unbounded,  ///< of a requirement that is the deadline of an unbounded task
};
std::string_view to_string(LimitVerdict);

/// If a latency is unknown, `…_reason` states why; else it is empty.
struct ChainResult {
  std::optional<LetLatencies> let;
  std::string let_reason;
  std::optional<LatencyBounds> implicit;  ///< jobs read at their start and write at their end
  std::string implicit_reason;
  /// Parallel to Chain::tasks, sum up to implicit->reaction: a wait of at most the longest time between two releases
  /// (none where the end of the task before activates it), and the bound on the response; zero where the next task of
  /// the chain waits for its end anyway.
  std::vector<ChainStep> implicit_steps;
  ObservedLatencies observed;  ///< in the simulation, where jobs read at their start and write at their end
  /// Parallel to Chain::tasks, sum up to observed.reaction. The first wait begins at the read before, which just missed
  /// the stimulus.
  std::vector<ChainStep> observed_steps;
  Coverage coverage = {};                        ///< of the bounds for implicit and explicit communication
  std::optional<LatencyBounds> explicit_access;  ///< jobs read and write at the positions of their accesses
  std::string explicit_reason;
  /// For every limit of the chain, for each kind of communication; chain_limits.hpp.
  struct Judgement {
    LimitVerdict verdict = LimitVerdict::unknown;
    std::optional<bool> guaranteed;       ///< as in TaskResult
    std::string reason;                   ///< a sentence
    Coverage coverage = {};               ///< of the guarantee
    std::optional<Duration> beyond = {};  ///< of a violation that was observed, or found under LET: its extent
  };
  struct Limit {
    Judgement let, implicit, explicit_access;
    const Judgement& by(Communication) const;
  };
  std::vector<Limit> limits;
};

}  // namespace amalthea::engine
