// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What is found of a chain: latencies under LET, bounds, what was observed, and the verdicts on its limits.
/// docs/theory/chains.md defines every latency and names the sources.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine {

/// When a job read and wrote, under implicit communication its start and its end; and when it was released.
struct JobAccess {
  Instant read;
  Instant write;
  Instant release = {};
};

/// The longest, and some shortest, of what was observed; docs/theory/chains.md defines the latencies. Nothing where none
/// came to its end within what was recorded.
struct ObservedLatencies {
  std::uint64_t reads = 0;  ///< of the first task, followed to the last one's write
  std::optional<Duration> reaction;
  std::optional<Duration> reduced_reaction;
  std::optional<Duration> age;
  std::optional<Duration> reduced_age;
  std::optional<Duration> least_reaction = {};  ///< the shortest reduced reaction
  std::optional<Duration> least_age = {};       ///< the shortest reduced age
  friend bool operator==(const ObservedLatencies&, const ObservedLatencies&) = default;
};

/// Latencies under Logical Execution Time: a job reads at its release and writes one period later. What is written at
/// an instant is seen by who reads at that instant.
struct LetLatencies {
  Duration reaction;          ///< longest, from just after a read of the first task to the first write that shows it
  Duration reduced_reaction;  ///< longest, from a read of the first task to the first write that shows it
  Duration age;               ///< longest, from a read of the first task until the last write it shaped is overwritten
  Duration reduced_age;       ///< longest, from a read of the first task to the last write that it shaped
  Duration first_to_first;    ///< longest, from a read that reached a write to the first write of what came next
  Duration shortest;          ///< shortest of all, from a read of the first task to a write that shows it
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

/// How the tasks of a chain hand data on, which models do not say.
enum class Communication : std::uint8_t {
  implicit,         ///< a job reads at its start and writes at its end
  explicit_access,  ///< it reads and writes where its accesses stand
  let,              ///< Logical Execution Time: it reads at its release and writes one period later
};
std::string_view to_string(Communication);  ///< "implicit", "explicit", "let"

enum class LimitVerdict : std::uint8_t {
  met,      ///< seen to hold, or shown
  missed,   ///< seen or shown not to hold
  unknown,  ///< neither: nothing was seen, and no bound is within the limit
};
std::string_view to_string(LimitVerdict);

/// Where a latency is not known `…_reason` says why; else it is empty.
struct ChainResult {
  std::optional<LetLatencies> let;
  std::string let_reason;
  std::optional<LatencyBounds> implicit;  ///< jobs read at their start and write at their end
  std::string implicit_reason;
  ObservedLatencies observed;  ///< in the simulation, where jobs read at their start and write at their end
  std::optional<LatencyBounds> explicit_access;  ///< jobs read and write where their accesses stand
  std::string explicit_reason;
  /// Of every limit of the chain, by each kind of communication; chain_limits.hpp.
  struct Judgement {
    LimitVerdict verdict = LimitVerdict::unknown;
    std::optional<bool> guaranteed;  ///< as in TaskResult
    std::string reason;              ///< in a sentence
  };
  struct Limit {
    Judgement let, implicit, explicit_access;
    const Judgement& by(Communication) const;
  };
  std::vector<Limit> limits;
};

}  // namespace amalthea::engine
