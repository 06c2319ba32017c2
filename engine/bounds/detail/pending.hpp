// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How many activations of a task can be pending at once. More than its activation limit are lost.
///
/// Let R be the bound of a task. A job that is pending at an instant t has been released after t - R, or at t - R if jobs
/// that end at t count. So with a new activation at t at most n activations are pending, n the maximum number of
/// arrivals in a window of length R, summed over all activation patterns: with their jitter and minimum distance, and
/// for triggers with the jitter that they inherit.
///
/// The window is half-open if a job that ends at t makes room for an activation at t. By the order of an instant
/// (docs/theory/scheduling.md) this holds where only stimuli activate a task on a CPU and a job executes after its last
/// wait, request or schedule point. Then a job that ends a bound's length after its release ends with a step that takes
/// time: otherwise it could take longer. In all other cases the window is closed.
///
/// Lost activations do not invalidate R: fewer jobs are another legal sequence of releases.

#include <cstdint>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/detail/problems.hpp"

namespace amalthea::engine::bounds {

/// At once, if no job takes longer than `response`; the activations of the task must be known.
std::int64_t most_pending(const ProblemInput& input, TaskIndex task, Duration response);

/// Sets Bound::pending of all tasks with a bound, except exact ones, which know it already.
void add_pending(const ProblemInput& input, SystemBounds& bounds);

}  // namespace amalthea::engine::bounds
