// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Verdicts on the timing constraints of a model: what a simulation showed of their events, and what bounds guarantee.
/// docs/reference/constraints.md says what each constraint demands.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/results/constraint_result.hpp"

namespace amalthea::engine {

class ConstraintObserver;
struct Program;
struct Results;

/// One result per constraint of the system. `observer` has watched the simulation that filled `results`, bounds
/// included, with these programs.
std::vector<ConstraintResult> judge_constraints(const System& system, const ConstraintObserver& observer,
                                                const std::vector<Program>& programs, const Results& results);

/// Says where what was recorded of the constraints ended early.
void report_constraints(const ConstraintObserver& observer, Diagnostics& diagnostics);

/// How long to simulate beyond all offsets, so that limits of constraints have passed at least once: twice the longest
/// of them. Zero where there are none.
Duration time_needed_by_constraints(const System& system);

}  // namespace amalthea::engine
