// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the timing constraints of a model: what a simulation observed of their events, and what the bounds
/// guarantee. docs/reference/constraints.md defines each constraint.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "amalthea/location.hpp"
#include "engine/results/constraint_result.hpp"

namespace amalthea::engine {

class ConstraintObserver;
struct Program;
struct Results;

/// One result per constraint of the system. `observer` has observed the simulation of these programs that filled
/// `results`; `results` includes bounds.
std::vector<ConstraintResult> judge_constraints(const System& system, const ConstraintObserver& observer,
                                                const std::vector<Program>& programs, const Results& results);

/// The same for events that were measured: no bound takes part, and the measurement may begin at any time.
std::vector<ConstraintResult> judge_measured_constraints(const System& system, const ConstraintObserver& observer);

/// Reports if the recording for constraints ended early.
void report_constraints(const ConstraintObserver& observer, Diagnostics& diagnostics);

/// The time to simulate beyond all offsets, so that every limit of a constraint has elapsed at least once: twice the
/// longest limit. Zero without limits.
Duration time_needed_by_constraints(const System& system);

}  // namespace amalthea::engine
