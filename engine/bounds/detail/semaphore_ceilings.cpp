// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/semaphore_ceilings.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace amalthea::engine::bounds {
namespace {

/// How a task uses a semaphore.
struct SemaphoreUse {
  TaskIndex task = 0;
  std::int64_t most = 0;  ///< maximum number of units held at a time
  bool exclusive = false;
  bool polls = false;
  bool again = false;                      ///< requested while it holds it
  std::vector<SemaphoreIndex> inner = {};  ///< other semaphores without a ceiling, requested while it holds this one
};
using SemaphoreUses = std::vector<SemaphoreUse>;

/// Nothing if the task does not use it. Sets `fault` for an unsupported use.
std::optional<SemaphoreUse> use_of(const AnalyzedSystem& subject, const std::vector<bool>& has_ceiling,
                                   SemaphoreIndex semaphore, TaskIndex task, std::string& fault) {
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
      if (held == 0 || kind != StepKind::request_semaphore || has_ceiling[access.semaphore]) continue;
      if (has_ceiling[semaphore]) complain("holds while it requests a semaphore without a priority ceiling");
      use->inner.push_back(access.semaphore);
      continue;
    }
    if (!use) use = SemaphoreUse{task};
    if (!subject.is_host(task)) complain("uses on a GPU");
    if (!subject.worst[task].unanalyzable.empty()) complain("may use inside a branch");
    const bool exclusive = access.operation == UseSemaphore::Operation::exclusive;
    use->exclusive = use->exclusive || exclusive;
    if (kind == StepKind::request_semaphore) {
      use->again = use->again || held > 0;
      use->polls = use->polls || access.active || subject.system.semaphores[semaphore].spinlock;
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

/// Whether tasks that no user knows of run on its core and on others.
bool others_migrate(const AnalyzedSystem& subject, UnitIndex unit) {
  const auto& tasks = subject.system.tasks;
  return std::any_of(tasks.begin(), tasks.end(), [unit](const Task& task) {
    return task.units.size() > 1 && std::find(task.units.begin(), task.units.end(), unit) != task.units.end();
  });
}

SchedulingAlgorithm algorithm_of(const AnalyzedSystem& subject, SchedulerIndex scheduler) {
  return subject.system.platform.schedulers[scheduler].kind;
}

/// Why the wait for one without a ceiling has no bound, besides what applies to all.
std::string why_endless_without_ceiling(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreUses& uses) {
  const Task& first = subject.task(uses.front().task);
  if (others_migrate(subject, first.unit)) return "whose users share a core with tasks that migrate";
  for (const SemaphoreUse& use : uses) {
    if (is_interrupt(subject.task(use.task)) != is_interrupt(first)) return "which tasks and interrupts share";
    if (use.polls) return fmt::format("which {} polls for on the core of its holder", subject.name(use.task));
    if (use.again) return fmt::format("which {} requests again while it holds it", subject.name(use.task));
    for (const SchedulerIndex scheduler : ranks.schedulers[use.task])
      if (algorithm_of(subject, scheduler) == SchedulingAlgorithm::polling_periodic_server ||
          algorithm_of(subject, scheduler) == SchedulingAlgorithm::deferrable_server)
        return fmt::format("which {} may hold while its server has no budget", subject.name(use.task));
  }
  return {};
}

/// Why nothing bounds the wait for it.
std::string why_endless(const AnalyzedSystem& subject, const Ranks& ranks, const Semaphore& semaphore, bool has_ceiling,
                        const SemaphoreUses& uses) {
  const Task& first = subject.task(uses.front().task);
  for (const SemaphoreUse& use : uses) {
    const Task& task = subject.task(use.task);
    if (task.unit != first.unit || task.units.size() > 1)
      return fmt::format("which is shared between cores: {} may wait for {}", first.name,
                         &task == &first ? std::string("others") : task.name);
  }
  if (has_ceiling && !of_one_scheduler(subject, ranks, uses)) return "which is shared by tasks of several schedulers";
  for (const SemaphoreUse& use : uses) {
    if (algorithm_of(subject, ranks.schedulers[use.task].front()) == SchedulingAlgorithm::priority_based_round_robin)
      return "whose users take turns (round robin)";
    if (use.most > semaphore.free)
      return fmt::format("of which {} requests more than is initially free", subject.name(use.task));
  }
  if (semaphore.free < semaphore.capacity &&
      std::any_of(uses.begin(), uses.end(), [](const SemaphoreUse& use) { return use.exclusive; }))
    return "which is requested as a whole but is initially not free";
  return has_ceiling ? "" : why_endless_without_ceiling(subject, ranks, uses);
}

/// For every semaphore, whether its ceiling has an effect. Tasks that are scheduled by their deadlines have no priority
/// that it could raise.
std::vector<bool> effective_ceilings(const AnalyzedSystem& subject, const Ranks& ranks) {
  const auto& semaphores = subject.system.semaphores;
  std::vector<bool> used(semaphores.size()), by_priority(semaphores.size());
  for (TaskIndex task = 0; task < subject.tasks(); ++task)
    for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
      if (subject.step({task, step}).kind != StepKind::request_semaphore) continue;
      const SemaphoreIndex semaphore = subject.activity<UseSemaphore>({task, step}).semaphore;
      used[semaphore] = true;
      if (!subject.is_host(task) || !uses_deadlines(algorithm_of(subject, ranks.schedulers[task].front())))
        by_priority[semaphore] = true;
    }
  std::vector<bool> effective;
  for (SemaphoreIndex semaphore = 0; semaphore < semaphores.size(); ++semaphore)
    effective.push_back(semaphores[semaphore].priority_ceiling && (by_priority[semaphore] || !used[semaphore]));
  return effective;
}

/// The semaphores without a ceiling for which requests may wait, with their users.
class WaitedSemaphores {
 public:
  WaitedSemaphores(const AnalyzedSystem& subject, SemaphoreCeilings& found)
      : subject_(subject), found_(found), uses_(found.endless.size()) {}

  void add(SemaphoreIndex semaphore, SemaphoreUses uses) { uses_[semaphore] = std::move(uses); }

  void make_endless(SemaphoreIndex semaphore, const SemaphoreUses& uses, const std::string& fault) {
    found_.endless[semaphore] = true;
    for (const SemaphoreUse& use : uses)
      add_fault(found_.faults, use.task, fmt::format("it uses the semaphore {}, {}", name(semaphore), fault));
  }

  /// Holders wait for other semaphores: in a cycle for ever, else at most as long as for these.
  void check_order() {
    for (SemaphoreIndex semaphore = 0; semaphore < uses_.size(); ++semaphore)
      if (!uses_[semaphore].empty() && leads_to_itself(semaphore))
        drop(semaphore, "which may deadlock: its holders wait for other semaphores in a cycle");
    for (bool again = true; again;) {
      again = false;
      for (SemaphoreIndex semaphore = 0; semaphore < uses_.size(); ++semaphore)
        for (const SemaphoreUse& use : uses_[semaphore]) {
          const auto endless = std::find_if(use.inner.begin(), use.inner.end(),
                                            [this](SemaphoreIndex inner) { return found_.endless[inner]; });
          if (endless == use.inner.end()) continue;
          drop(semaphore, fmt::format("which {} holds while it requests {}, and no bound exists for that",
                                      subject_.name(use.task), name(*endless)));
          again = true;
          break;
        }
    }
  }

  void report() {
    for (SemaphoreIndex semaphore = 0; semaphore < uses_.size(); ++semaphore)
      for (const SemaphoreUse& use : uses_[semaphore]) found_.waiting[semaphore].push_back(use.task);
  }

 private:
  const std::string& name(SemaphoreIndex semaphore) const { return subject_.system.semaphores[semaphore].name; }

  void drop(SemaphoreIndex semaphore, const std::string& fault) {
    make_endless(semaphore, std::exchange(uses_[semaphore], {}), fault);
  }

  /// Whether a holder may wait for another request of the same semaphore, itself or through others.
  bool leads_to_itself(SemaphoreIndex semaphore) const {
    std::vector<bool> reached(uses_.size());
    std::vector<SemaphoreIndex> open = {semaphore};
    while (!open.empty()) {
      const SemaphoreIndex at = open.back();
      open.pop_back();
      for (const SemaphoreUse& use : uses_[at])
        for (const SemaphoreIndex inner : use.inner) {
          if (inner == semaphore) return true;
          if (!reached[inner]) open.push_back(inner);
          reached[inner] = true;
        }
    }
    return false;
  }

  const AnalyzedSystem& subject_;
  SemaphoreCeilings& found_;
  std::vector<SemaphoreUses> uses_;
};

/// Gives all ranks from the least to the most urgent user of a semaphore the least of them.
void join_ranks(const SemaphoreCeilings& semaphores, Ranks& ranks) {
  std::vector<std::pair<std::int64_t, std::int64_t>> joined;
  for (const auto& users : semaphores.waiting) {
    if (users.empty()) continue;
    joined.emplace_back(nobody, least_urgent);
    for (const TaskIndex user : users) {
      joined.back().first = std::min(joined.back().first, ranks.rank[user]);
      joined.back().second = std::max(joined.back().second, ranks.rank[user]);
    }
  }
  std::sort(joined.begin(), joined.end());
  // Overlapping intervals are one.
  std::vector<std::pair<std::int64_t, std::int64_t>> classes;
  for (const auto& interval : joined) {
    if (!classes.empty() && interval.first <= classes.back().second)
      classes.back().second = std::max(classes.back().second, interval.second);
    else
      classes.push_back(interval);
  }
  const auto rank_of = [&](std::int64_t rank) {
    for (const auto& [least, most] : classes)
      if (rank >= least && rank <= most) return least;
    return rank;
  };
  for (std::int64_t& rank : ranks.rank) rank = rank_of(rank);
  ranks.most_urgent_task = rank_of(ranks.most_urgent_task);
}

}  // namespace

SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, Ranks& ranks) {
  const std::size_t count = subject.system.semaphores.size();
  SemaphoreCeilings found{std::vector<std::optional<std::int64_t>>(count), std::vector<bool>(count),
                          std::vector<std::vector<TaskIndex>>(count), Faults(subject.tasks())};
  const std::vector<bool> has_ceiling = effective_ceilings(subject, ranks);
  std::vector<SemaphoreUses> all_uses(count);
  WaitedSemaphores waited(subject, found);
  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore) {
    SemaphoreUses& uses = all_uses[semaphore];
    std::string fault;
    for (TaskIndex task = 0; task < subject.tasks(); ++task)
      if (const auto use = use_of(subject, has_ceiling, semaphore, task, fault)) uses.push_back(*use);
    if (uses.empty()) continue;
    const Semaphore& stated = subject.system.semaphores[semaphore];
    if (fault.empty() && never_waits(stated, uses)) {
      // With users under several schedulers, the blocked tasks cannot be determined.
      if (has_ceiling[semaphore] && !of_one_scheduler(subject, ranks, uses)) found.ceiling[semaphore] = nobody;
      continue;
    }
    if (fault.empty()) fault = why_endless(subject, ranks, stated, has_ceiling[semaphore], uses);
    if (!fault.empty()) {
      if (stated.priority_ceiling) found.ceiling[semaphore] = nobody;
      waited.make_endless(semaphore, uses, fault);
    } else if (!has_ceiling[semaphore]) {
      waited.add(semaphore, uses);
    }
  }
  waited.check_order();
  waited.report();
  join_ranks(found, ranks);
  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore)
    if (has_ceiling[semaphore] && !all_uses[semaphore].empty() && !found.ceiling[semaphore])
      found.ceiling[semaphore] = ceiling_of(subject, ranks, all_uses[semaphore]);
  return found;
}

}  // namespace amalthea::engine::bounds
