// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/semaphore_ceilings.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

namespace amalthea::engine::bounds {
namespace {

/// How a task uses a semaphore.
struct SemaphoreUse {
  TaskIndex task = 0;
  std::int64_t most = 0;  ///< maximum number of units held at a time
  bool exclusive = false;
};
using SemaphoreUses = std::vector<SemaphoreUse>;

/// Nothing if the task does not use it. Sets `fault` for an unsupported use.
std::optional<SemaphoreUse> use_of(const AnalyzedSystem& subject, SemaphoreIndex semaphore, TaskIndex task,
                                   std::string& fault) {
  std::optional<SemaphoreUse> use;
  std::int64_t held = 0;
  const auto complain = [&](std::string_view what) {
    if (fault.empty()) fault = fmt::format("which {} {}", subject.name(task), what);
  };
  for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
    const StepKind kind = subject.step({task, step}).kind;
    if (kind == StepKind::wait && held > 0) complain("holds while it waits for an event");
    if (kind != StepKind::request_semaphore && kind != StepKind::release_semaphore) continue;
    const auto& access = subject.activity<UseSemaphore>({task, step});
    if (access.semaphore != semaphore) {
      const Semaphore& other = subject.system.semaphores[access.semaphore];
      if (held > 0 && kind == StepKind::request_semaphore && !other.priority_ceiling)
        complain("holds while it requests a semaphore without a priority ceiling");
      continue;
    }
    if (!use) use = SemaphoreUse{task, 0, false};
    if (!subject.is_host(task)) complain("uses on a GPU");
    if (!subject.worst[task].unanalyzable.empty()) complain("may use inside a branch");
    const bool exclusive = access.operation == UseSemaphore::Operation::exclusive;
    use->exclusive = use->exclusive || exclusive;
    if (kind == StepKind::request_semaphore) {
      held += exclusive ? subject.system.semaphores[semaphore].capacity : 1;
    } else {
      if (held == 0) complain("releases without requesting it");
      held = use->exclusive ? 0 : std::max<std::int64_t>(0, held - 1);
    }
    use->most = std::max(use->most, held);
  }
  if (use && held > 0) complain("does not release");
  return use;
}

std::int64_t ceiling_of(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreUses& uses) {
  std::int64_t ceiling = least_urgent;
  for (const SemaphoreUse& use : uses)
    ceiling = std::max(ceiling, subject.is_host(use.task) ? ranks.rank[use.task] : nobody);
  return ceiling;
}

bool never_waits(const Semaphore& semaphore, const SemaphoreUses& uses) {
  std::int64_t all = 0;
  for (const SemaphoreUse& use : uses) all += use.most;
  return all <= semaphore.free;
}

bool of_one_scheduler(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreUses& uses) {
  const TaskIndex first = uses.front().task;
  return std::all_of(uses.begin(), uses.end(), [&](const SemaphoreUse& use) {
    return ranks.schedulers[use.task].front() == ranks.schedulers[first].front() &&
           is_interrupt(subject.task(use.task)) == is_interrupt(subject.task(first));
  });
}

/// Why nothing bounds the wait for it.
std::string why_endless(const AnalyzedSystem& subject, const Ranks& ranks, const Semaphore& semaphore,
                        const SemaphoreUses& uses) {
  const Task& first = subject.task(uses.front().task);
  for (const SemaphoreUse& use : uses) {
    const Task& task = subject.task(use.task);
    if (task.unit != first.unit || task.units.size() > 1)
      return fmt::format("which is shared between cores: {} may wait for {}", first.name,
                         &task == &first ? std::string("others") : task.name);
  }
  if (!semaphore.priority_ceiling) return "which has no priority ceiling";
  if (!of_one_scheduler(subject, ranks, uses)) return "which is shared by tasks of several schedulers";
  const SchedulerIndex scheduler = ranks.schedulers[uses.front().task].front();
  if (subject.system.platform.schedulers[scheduler].kind == SchedulingAlgorithm::priority_based_round_robin)
    return "whose users take turns (round robin)";
  if (uses_deadlines(subject.system.platform.schedulers[scheduler].kind))
    return "whose ceiling has no effect on tasks that are scheduled by their deadlines";
  for (const SemaphoreUse& use : uses)
    if (use.most > semaphore.free)
      return fmt::format("of which {} requests more than is initially free", subject.name(use.task));
  if (semaphore.free < semaphore.capacity &&
      std::any_of(uses.begin(), uses.end(), [](const SemaphoreUse& use) { return use.exclusive; }))
    return "which is requested as a whole but is initially not free";
  return {};
}

}  // namespace

SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, const Ranks& ranks) {
  const std::size_t count = subject.system.semaphores.size();
  SemaphoreCeilings found{std::vector<std::optional<std::int64_t>>(count), std::vector<bool>(count),
                          Faults(subject.tasks())};
  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore) {
    SemaphoreUses uses;
    std::string fault;
    for (TaskIndex task = 0; task < subject.tasks(); ++task)
      if (const auto use = use_of(subject, semaphore, task, fault)) uses.push_back(*use);
    if (uses.empty()) continue;
    const Semaphore& stated = subject.system.semaphores[semaphore];
    if (stated.priority_ceiling) found.ceiling[semaphore] = ceiling_of(subject, ranks, uses);
    if (fault.empty() && never_waits(stated, uses)) {
      // With users under several schedulers, the blocked tasks cannot be determined.
      if (stated.priority_ceiling && !of_one_scheduler(subject, ranks, uses)) found.ceiling[semaphore] = nobody;
      continue;
    }
    if (fault.empty()) fault = why_endless(subject, ranks, stated, uses);
    if (fault.empty()) continue;
    found.endless[semaphore] = true;
    if (stated.priority_ceiling) found.ceiling[semaphore] = nobody;
    for (const SemaphoreUse& use : uses)
      add_fault(found.faults, use.task, fmt::format("it uses the semaphore {}, {}", stated.name, fault));
  }
  return found;
}

}  // namespace amalthea::engine::bounds
