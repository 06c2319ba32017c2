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

/// One result per chain of the system, with neither what was observed nor its limits judged. `responses` are upper
/// bounds on the response times of its tasks, by task; empty when none are computed.
std::vector<ChainResult> chain_latencies(const System& system, std::span<const std::optional<Duration>> responses);

}  // namespace amalthea::engine
