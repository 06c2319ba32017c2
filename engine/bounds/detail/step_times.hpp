// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Minimum and maximum times of steps, including the rounding to picoseconds.

#include "engine/bounds/detail/analyzed_system.hpp"

namespace amalthea::engine::bounds {

/// Shortest and longest time of one or more steps.
struct Span {
  Duration best, worst;
  Span& operator+=(const Span& other) {
    best += other.best;
    worst += other.worst;
    return *this;
  }
};

/// At best, steps that a job may leave out take no time.
Span span_of(const AnalyzedSystem& subject, TaskStep task_step);
/// The same for a job that takes all alternatives of branches with CompileOptions::every_alternative.
Span span_if_taken(const AnalyzedSystem& subject, TaskStep task_step);

/// The maximum time of each block of a kernel, without what it costs beside it on an AMD GPU.
Duration longest_block(const AnalyzedSystem& subject, TaskStep task_step);
/// The minimum, the same.
Duration shortest_block(const AnalyzedSystem& subject, TaskStep task_step);

/// What a copy or kernel may lose to rounding where something slows it down.
Duration rounding_of(const AnalyzedSystem& subject, TaskStep task_step);

/// Over all execute steps of a task.
Span execution_of(const AnalyzedSystem& subject, TaskIndex task);
/// Over its execute steps in [from, to).
Span execution_of(const AnalyzedSystem& subject, TaskIndex task, std::size_t from, std::size_t to);

/// The maximum time of a job's label accesses in [from, to) in memory that the GPU also uses; above zero if it may have
/// any. Where an alternative of a branch has some, everything that the job executes there counts.
Duration accesses_of(const AnalyzedSystem& subject, TaskIndex task, UnitIndex gpu, std::size_t from, std::size_t to);

/// Over all copies and kernels of a device task.
Span operations_of(const AnalyzedSystem& subject, TaskIndex device);

}  // namespace amalthea::engine::bounds
