// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Candidates: their application to a system, their canonical form, and the constraints they violate.

#include <cstdint>

#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// Writes the candidate into `system`, which is the placement's system or was changed by this function only.
void apply(const Placement& placement, const Candidate& candidate, System& system);

/// The candidate with only the choices that this placement allows; the rest is as in the placement's system.
Candidate canonical(const Placement& placement, const Candidate& candidate);

std::size_t broken_constraints(const Constraints& constraints, const Placement& placement, const Candidate& candidate);

/// See Solution::changes.
std::size_t count_changes(const Problem& problem, const Placement& placement, const Candidate& candidate);

/// The candidate with the same order of priorities on every unit, of which as many as possible are those of the model.
Candidate with_few_priorities(const Placement& placement, Candidate candidate);

/// Equal candidates have equal hashes.
std::uint64_t hash_of(const Candidate& candidate);

}  // namespace amalthea::explore::detail
