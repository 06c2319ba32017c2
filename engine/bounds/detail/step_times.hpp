// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long steps take at least and at most, with what rounding to picoseconds may have lost or gained.

#include "engine/bounds/detail/analyzed_system.hpp"

namespace amalthea::engine::bounds {

/// Shortest and longest time of a step or of several.
struct Span {
  Duration best, worst;
  Span& operator+=(const Span& other) {
    best += other.best;
    worst += other.worst;
    return *this;
  }
};

Span span_of(const AnalyzedSystem& subject, TaskStep task_step);

/// Of all execute steps of a task.
Span execution_of(const AnalyzedSystem& subject, TaskIndex task);
/// Of its execute steps from one up to another, which does not count.
Span execution_of(const AnalyzedSystem& subject, TaskIndex task, std::size_t from, std::size_t to);

/// Of all copies and kernels of a device task.
Span operations_of(const AnalyzedSystem& subject, TaskIndex device);

}  // namespace amalthea::engine::bounds
