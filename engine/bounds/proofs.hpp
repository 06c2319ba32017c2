// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What a proof assistant needs to check bounds on response times with the theorems of Prosa 0.5
/// (docs/theory/bounds.md#proved-bounds): the task set of a core, and for every task of it a busy interval and one
/// solution for each point of the search space.
///
/// The task sets are those that the bounds were computed from. The numbers follow Prosa's equations, so a response may
/// be longer than the bound, which has more arguments. Times are whole picoseconds; windows of arrivals are half open.
/// Nothing here is trusted: the proof assistant evaluates the equations again.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/bounds/bounds.hpp"

namespace amalthea::engine {

/// How jobs share the core: which theorem applies.
enum class ProofKind : std::uint8_t {
  preemptive,               ///< fixed priorities
  preemptive_above,         ///< the same, without tasks of lower priority that can always be preempted
  preemptive_rows,          ///< the same, where tasks trigger others of lower priority
  floating,                 ///< fixed priorities; parts of jobs cannot be preempted
  non_preemptive,           ///< fixed priorities
  deadline,                 ///< earliest deadline first, preemptive
  deadline_non_preemptive,  ///< earliest deadline first
};

struct ProofTask {
  TaskIndex task = 0;         ///< several entries of a task are its activation patterns
  Duration cost;              ///< > 0
  std::int64_t priority = 0;  ///< larger is more urgent; from 1
  Duration deadline;          ///< of `deadline…`, relative to the arrival
  Duration section;           ///< of `floating`: longest part that cannot be preempted; at least one picosecond
  Duration period;            ///< if there are no steps: the least distance of arrivals
  /// Otherwise at most `second` arrivals in windows of at least the length `first`, up to the horizon.
  std::vector<std::pair<Duration, std::int64_t>> steps;
  Duration horizon;
};

struct ProofClaim {
  std::size_t task = 0;             ///< index into the tasks of the core
  Duration busy;                    ///< L, a fixed point of the demand
  Duration response;                ///< R
  std::vector<Duration> solutions;  ///< F, one for each point of the search space, in its order
};

/// A task that another one triggers: its curve is that of the source with the jitter R - `least`.
struct ProofRow {
  std::size_t task = 0, source = 0;  ///< indices into the tasks of the core
  Duration least;                    ///< from the arrival of the source's job to the trigger
};

struct CoreProof {
  UnitIndex unit = 0;
  ProofKind kind = ProofKind::preemptive;
  std::vector<ProofTask> tasks;
  std::vector<ProofRow> rows;  ///< of `preemptive_rows`; a source comes before the tasks that depend on its bound
  std::vector<ProofClaim> claims;
};

struct Proofs {
  std::vector<CoreProof> cores;
  /// For every task, what is claimed: the longest response of its activation patterns.
  std::vector<std::optional<Duration>> responses;
  std::vector<std::string> reasons;  ///< for every task without: why, as a clause; "" if it does not run on a core
};

Proofs proofs_of(const System& system, const SystemBounds& bounds);

}  // namespace amalthea::engine
