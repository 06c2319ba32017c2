// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Which parts of a job are left to whom.
///
/// A non-preemptive task is left to interrupts only, from its start to its end (a passive wait may find what it waits
/// for); what cannot be interrupted is left to nobody; a semaphore with a priority ceiling, from request to release, to
/// those above the largest rank of its users. A cooperative task is left to others of its kind at schedule points and
/// between runnables that its task calls. What is taken longer than it may be is safe for the others; the last section
/// of a job is taken shorter.

#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/detail/semaphore_ceilings.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::bounds {

/// A section that may last for ever has this length.
inline constexpr Duration endless = cpu::Limits{}.window;

/// The members are those of cpu::CpuTask; thresholds are ranks.
struct TaskShape {
  std::vector<cpu::Section> sections;
  cpu::Section last;
  std::optional<Duration> cooperative;
  Duration last_cooperative;
  bool preemptible_at_end = false;

  bool has_sections() const { return !sections.empty() || cooperative; }
};

/// Of a host task.
TaskShape shape_of(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreCeilings& semaphores,
                   TaskIndex host);

/// Whether a Terminate comes before other steps than those that the operating system adds.
bool ends_early(const Program& program);

}  // namespace amalthea::engine::bounds
