// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Exact response times where nothing varies: for device tasks that share a GPU context, and all tasks that depend on
/// them.
///
/// A *part* of a system is a set of tasks that no other task affects: tasks of one core, tasks of one GPU, tasks that
/// activate each other or wait for each other. If all its stimuli are periodic without jitter or single, and all its
/// execution times are fixed, and no order among equals matters, it has a single possible schedule, which the simulation
/// computes. SMs with equal room are equals, too (placement_ties.hpp). If its state is the same at two instants
/// that are a hyperperiod apart, after all offsets have passed, its schedule repeats from then on. The longest response so
/// far is then the worst case for the stated offsets.

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/detail/core_models.hpp"

namespace amalthea::engine::bounds {

/// Replaces the upper bounds of the tasks and operations of such parts.
void add_exact_responses(const ProblemInput& input, SystemBounds& bounds);

}  // namespace amalthea::engine::bounds
