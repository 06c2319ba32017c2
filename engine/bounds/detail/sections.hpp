// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which sections of a job can be preempted by which tasks.
///
/// Only interrupts preempt a non-preemptive task, from its start to its end (a passive wait may find its event already
/// set). Nothing preempts an uninterruptible section. While a task holds a semaphore with a priority ceiling, only
/// tasks above the largest rank of its users preempt it. Other cooperative tasks preempt a cooperative task at schedule
/// points and between the runnables that it calls. An overestimated section is safe for the other tasks; the last
/// section of a job is underestimated.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/semaphore_ceilings.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {

/// The length of a section that may never end.
inline constexpr Duration endless = cpu::Limits{}.window;

/// The members are those of cpu::CpuTask; thresholds are ranks.
struct TaskShape {
  std::vector<cpu::Section> sections;
  cpu::Section last;
  std::optional<Duration> cooperative;
  Duration last_cooperative;
  bool preemptible_at_end = false;
  bool waits_for_semaphores = false;  ///< for a bounded time

  bool has_sections() const { return !sections.empty() || cooperative; }
};

/// Of a host task.
TaskShape shape_of(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreCeilings& semaphores,
                   TaskIndex host);

/// Whether a Terminate precedes other steps than those that the operating system adds.
bool ends_early(const Program& program);

}  // namespace amalthea::engine::bounds
