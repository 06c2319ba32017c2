// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How many activations of a task can be pending at once. More than its activation limit are lost.
///
/// Let R be the bound of a task. A job that is pending at an instant t has been released at t - R or later, if a job that
/// ends at t counts: no standard says whether it makes room for an activation at t. So with a new activation at t at most
/// n activations are pending, n the maximum number of arrivals in a closed window of length R, summed over all activation
/// patterns: with their jitter and minimum distance, and for triggers with the jitter that they inherit.
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
