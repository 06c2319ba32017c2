// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether a task executes after it has waited for another one and before it triggers it again.
///
/// A job may end some steps after it has set the event, or at that instant: no standard says whether its end precedes what
/// the event causes. A trigger in between finds the job pending. With a limit of one activation it is lost, and the event
/// of a later wait is never set.

#include <functional>

#include "engine/bounds/detail/analyzed_system.hpp"

namespace amalthea::engine::bounds {

struct TriggerGaps {
  bool within = true;  ///< a job certainly executes between any two triggers, after the wait for the first one
  bool across = true;  ///< so it does from its last wait to its end, or the next job before its first trigger
};

/// `awaits`: whether this step of the caller waits for the called task.
TriggerGaps trigger_gaps(const AnalyzedSystem& subject, TaskIndex caller, TaskIndex called,
                         const std::function<bool(std::size_t)>& awaits);

/// Whether the step triggers the task.
bool triggers(const AnalyzedSystem& subject, TaskStep task_step, TaskIndex called);

}  // namespace amalthea::engine::bounds
