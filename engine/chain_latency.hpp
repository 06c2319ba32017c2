#pragma once
/// \file
/// End-to-end latencies of chains of periodic tasks (cause-effect chains), exactly under LET and as bounds under
/// implicit and explicit communication. docs/architecture.md defines every latency and names the sources.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "amalthea/graph/system.hpp"
#include "amalthea/time.hpp"
#include "engine/chain_observation.hpp"

namespace amalthea::engine {

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

/// The latencies of tasks that are released so, in the order of the chain, at least one; over the hyperperiod of the
/// tasks and the time before it in which not all of them have begun. On failure why they are not known.
tl::expected<LetLatencies, std::string> let_latencies(std::span<const Periodic> tasks);

/// Upper bounds on the latencies of the same names under implicit or explicit communication.
struct LatencyBounds {
  Duration reaction;
  Duration reduced_reaction;
  Duration age;
  Duration reduced_age;
  friend bool operator==(const LatencyBounds&, const LatencyBounds&) = default;
};

/// A task of a chain whose jobs may read and write at any time between their release and their end.
struct BoundedTask {
  Duration period;
  Duration response;  ///< no job ends later than this after its release
  /// A job may write what the next task reads before it has read what the task before it wrote: that then goes out with
  /// the next job.
  bool writes_first = false;
};

/// At least one task. Throws std::overflow_error.
LatencyBounds latency_bounds(std::span<const BoundedTask> tasks);

enum class LimitVerdict : std::uint8_t {
  met,      ///< shown
  missed,   ///< shown not to hold
  unknown,  ///< neither: no latency is known, or only a bound that is not within the limit
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
  /// Of every limit of the chain.
  struct Limit {
    LimitVerdict let = LimitVerdict::unknown;
    LimitVerdict implicit = LimitVerdict::unknown;
    LimitVerdict explicit_access = LimitVerdict::unknown;
  };
  std::vector<Limit> limits;
};

/// One result per chain of the system. `responses` are upper bounds on the response times of its tasks, by task; empty
/// when none are computed.
std::vector<ChainResult> chain_latencies(const System& system, std::span<const std::optional<Duration>> responses);

}  // namespace amalthea::engine
