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
#include "engine/cpu/semaphore_holders.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {

/// The length of a section that may never end.
inline constexpr Duration endless = cpu::Limits{}.window;

/// A request of a semaphore for which semaphore_waits.hpp bounds the wait, and the section up to its release.
struct SemaphoreRequest {
  SemaphoreIndex semaphore = 0;
  bool polls = false;
  bool whole = false;              ///< all units of it
  Duration execution;              ///< longest, within the section
  std::vector<std::size_t> inner;  ///< the requests within the section: indices into those of the task
  bool waits_for_rank = false;     ///< requests within the section wait for tasks of the same core and rank
  bool ends_waiting = false;       ///< may end without execution after the last wait
  bool after_execution = false;    ///< the job certainly executes between becoming ready and the request
  /// While it polls and up to the release, only tasks above this rank preempt it, for other reasons than the semaphore.
  std::optional<std::int64_t> protection;
  /// The longest section of the task if this semaphore had no ceiling: what else keeps its core from others.
  cpu::Section without;
};

/// A job waits while it holds semaphores with a priority ceiling: when the wait ends, it precedes tasks up to the ceiling.
/// The section lasts until all tasks can preempt the job again.
struct GrantedSection {
  cpu::Section section;
  std::optional<SemaphoreIndex> semaphore;  ///< that it waits for; nothing: it waits for an event
};

/// The members are those of cpu::CpuTask; thresholds are ranks.
struct TaskShape {
  std::vector<cpu::Section> sections;
  cpu::Section last;
  std::optional<Duration> cooperative;
  Duration last_cooperative;
  bool preemptible_at_end = false;
  bool waits_for_semaphores = false;        ///< of the same core, without a priority ceiling
  std::vector<cpu::SemaphoreSection> held;  ///< each section of these
  std::vector<SemaphoreRequest> requests;
  std::vector<GrantedSection> granted;

  bool has_sections() const { return !sections.empty() || cooperative; }
};

/// Whether the task itself calls the runnable.
bool is_outer(const AnalyzedSystem& subject, TaskStep call);

/// Of a host task.
TaskShape shape_of(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreCeilings& semaphores,
                   TaskIndex host);

/// Whether a Terminate precedes other steps than those that the operating system adds.
bool ends_early(const Program& program);

}  // namespace amalthea::engine::bounds
