// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the host tasks of a System are to the analyses of their cores: who is how urgent, which parts of a job are left
/// to whom, and which analysis fits the schedulers of a core.
///
/// Ranks follow the algorithms of the schedulers as the simulation has them: interrupts before tasks; fixed priorities
/// (also OSEK and round robin), periods (rate monotonic) or deadlines (deadline monotonic); a child scheduler by the
/// share under which its parent schedules it. Whoever is not told apart has the same rank.
///
/// Sections. A non-preemptive task is left to interrupts only, from its start to its end (a passive wait may find what
/// it waits for); what cannot be interrupted is left to nobody; a semaphore with a priority ceiling, from request to
/// release, to those above the largest rank of its users. A cooperative task is left to others of its kind at schedule
/// points and between runnables that its task calls. What is taken longer than it may be is safe for the others; the
/// last section of a job is taken shorter.
///
/// Semaphores have no bound on waiting for them, and so their users none, unless no request ever waits (all may hold
/// what they hold at a time), or: a priority ceiling, users of one scheduler on one core, no round robin, free at
/// first, every job gives back what it takes, and nobody waits for anything while holding it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/task_set.hpp"
#include "engine/program/program.hpp"

namespace amalthea::engine::cpu {

struct TaskShape {
  std::int64_t rank = 0;  ///< larger is more urgent
  std::vector<Section> sections;
  Section last;
  std::optional<Duration> cooperative;
  Duration last_cooperative;
  bool lingers = false;
  std::string fault;  ///< why it has no bound; "" when nothing is wrong
};

/// A section that may last for ever has this length.
inline constexpr Duration endless = Limits{}.window;

enum class CoreAnalysis : std::uint8_t {
  fixed_priority,
  earliest_deadline,
  global,  ///< fixed priorities on several cores
};

/// A core, or several that tasks move between.
struct CoreModel {
  std::vector<UnitIndex> units;
  std::vector<TaskIndex> tasks;  ///< active ones
  CoreAnalysis analysis = CoreAnalysis::fixed_priority;
  std::string fault;  ///< why none of its tasks has a bound; "" when nothing is wrong
};

struct CoreModels {
  std::vector<TaskShape> shapes;                           ///< parallel to System::tasks
  std::vector<std::optional<std::size_t>> core_of;         ///< of every active host task
  std::vector<CoreModel> cores;                            ///< those with active tasks
  std::vector<std::optional<Duration>> relative_deadline;  ///< of every task: what EDF goes by
};

struct StepTime {
  Duration best, worst;
};

/// `active`: host tasks that something activates. `programs` are flattened and at their longest; `time_of` is what
/// an execute step takes. `periods` are those of periods_of (program/releases.hpp).
CoreModels core_models(const System& system, const std::vector<bool>& active, const std::vector<Program>& programs,
                       const std::function<StepTime(TaskIndex, std::size_t)>& time_of,
                       const std::vector<std::optional<Duration>>& periods);

}  // namespace amalthea::engine::cpu
