// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Candidates: applying them to a system, what of them counts, and which constraints they break.

#include <cstdint>

#include "explore/detail/space.hpp"

namespace amalthea::explore::detail {

/// Writes the candidate into `system`, which is the placement's or was changed by this function only.
void apply(const Placement& placement, const Candidate& candidate, System& system);

/// What is decided in this placement; the rest is as the placement's system has it.
Candidate canonical(const Placement& placement, const Candidate& candidate);

std::size_t broken_constraints(const Constraints& constraints, const Placement& placement, const Candidate& candidate);

/// Equal candidates have equal ones.
std::uint64_t hash_of(const Candidate& candidate);

}  // namespace amalthea::explore::detail
