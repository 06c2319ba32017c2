// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/semaphore_ceilings.hpp"

#include <algorithm>
#include <map>
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
  std::vector<SemaphoreIndex> inner = {};  ///< other semaphores, requested while it holds this one
};
using SemaphoreUses = std::vector<SemaphoreUse>;

/// Adds the uses of a task by semaphore. Sets the first of `faults` of each for an unsupported use.
void add_uses(const AnalyzedSystem& subject, TaskIndex task, std::vector<SemaphoreUses>& uses,
              std::vector<std::string>& faults) {
  struct Held {
    SemaphoreIndex semaphore = 0;
    SemaphoreUse use;
    std::int64_t units = 0;
  };
  std::vector<Held> all;
  const auto complain = [&](SemaphoreIndex semaphore, std::string_view what) {
    if (faults[semaphore].empty()) faults[semaphore] = fmt::format("which {} {}", subject.name(task), what);
  };
  const auto complain_of_held = [&](std::string_view what) {
    for (const Held& held : all)
      if (held.units > 0) complain(held.semaphore, what);
  };
  for (std::size_t step = 0; step < subject.steps(task).size(); ++step) {
    const StepKind kind = subject.step({task, step}).kind;
    if (kind == StepKind::wait) complain_of_held("holds while it waits for an event");
    if (kind == StepKind::terminate) complain_of_held("holds when it ends");
    if (kind != StepKind::request_semaphore && kind != StepKind::release_semaphore) continue;
    const auto& access = subject.activity<UseSemaphore>({task, step});
    const SemaphoreIndex semaphore = access.semaphore;
    if (kind == StepKind::request_semaphore)
      for (Held& other : all)
        if (other.semaphore != semaphore && other.units > 0) other.use.inner.push_back(semaphore);
    auto known = std::find_if(all.begin(), all.end(), [&](const Held& held) { return held.semaphore == semaphore; });
    if (known == all.end()) known = all.insert(all.end(), {semaphore, {task}});
    auto& [of, use, held] = *known;
    if (!subject.is_host(task)) complain(semaphore, "uses on a GPU");
    if (!subject.worst[task].unanalyzable.empty()) complain(semaphore, "may use inside a branch");
    const bool exclusive = access.operation == UseSemaphore::Operation::exclusive;
    use.exclusive = use.exclusive || exclusive;
    if (kind == StepKind::request_semaphore) {
      use.again = use.again || held > 0;
      use.polls = use.polls || access.active || subject.system.semaphores[semaphore].spinlock;
      held += exclusive ? subject.system.semaphores[semaphore].capacity : 1;
    } else {
      if (held == 0) complain(semaphore, "releases without requesting it");
      held = use.exclusive ? 0 : std::max<std::int64_t>(0, held - 1);
    }
    use.most = std::max(use.most, held);
  }
  complain_of_held("does not release");
  for (Held& held : all) uses[held.semaphore].push_back(std::move(held.use));
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

bool takes_turns(const AnalyzedSystem& subject, const Ranks& ranks, const SemaphoreUses& uses) {
  return std::any_of(uses.begin(), uses.end(), [&](const SemaphoreUse& use) {
    return traits_of(algorithm_of(subject, ranks.schedulers[use.task].front())).takes_turns;
  });
}

bool on_one_core(const AnalyzedSystem& subject, const SemaphoreUses& uses) {
  const UnitIndex unit = subject.task(uses.front().task).unit;
  return std::all_of(uses.begin(), uses.end(), [&](const SemaphoreUse& use) {
    return subject.task(use.task).unit == unit && subject.task(use.task).units.size() <= 1;
  });
}

/// What decides how long its requests wait (see the header).
enum class Class : std::uint8_t { never, ceiling, joined, timed, endless };

Class class_of(const AnalyzedSystem& subject, const Ranks& ranks, bool has_ceiling, const SemaphoreUses& uses) {
  if (!on_one_core(subject, uses) || takes_turns(subject, ranks, uses)) return Class::timed;
  if (has_ceiling) return of_one_scheduler(subject, ranks, uses) ? Class::ceiling : Class::timed;
  const Task& first = subject.task(uses.front().task);
  const bool apart =
      others_migrate(subject, first.unit) || std::any_of(uses.begin(), uses.end(), [&](const SemaphoreUse& use) {
        return use.polls || is_interrupt(subject.task(use.task)) != is_interrupt(first);
      });
  return apart ? Class::timed : Class::joined;
}

/// Why nothing bounds the wait for it, whatever its class.
std::string why_endless(const AnalyzedSystem& subject, const Semaphore& semaphore, const SemaphoreUses& uses) {
  for (const SemaphoreUse& use : uses)
    if (use.most > semaphore.free)
      return fmt::format("of which {} requests more than is initially free", subject.name(use.task));
  if (semaphore.free < semaphore.capacity &&
      std::any_of(uses.begin(), uses.end(), [](const SemaphoreUse& use) { return use.exclusive; }))
    return "which is requested as a whole but is initially not free";
  return {};
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

/// Why this class does not bound the wait.
std::string why_endless(const AnalyzedSystem& subject, const Ranks& ranks, Class kind, const SemaphoreUses& uses) {
  if (kind != Class::joined && kind != Class::timed) return {};
  for (const SemaphoreUse& use : uses) {
    if (use.again) return fmt::format("which {} requests again while it holds it", subject.name(use.task));
    for (const SchedulerIndex scheduler : ranks.schedulers[use.task])
      if (stops_without_budget(algorithm_of(subject, scheduler)))
        return fmt::format("which {} may hold while its server has no budget", subject.name(use.task));
    if (kind == Class::timed && is_interrupt(subject.task(use.task)))
      return fmt::format("which {}, an interrupt, may wait for", subject.name(use.task));
  }
  return {};
}

/// The classes of all semaphores, with their users.
class Classification {
 public:
  Classification(const AnalyzedSystem& subject, const Ranks& ranks, const std::vector<bool>& has_ceiling,
                 SemaphoreCeilings& found, std::vector<SemaphoreUses> uses)
      : subject_(subject),
        ranks_(ranks),
        has_ceiling_(has_ceiling),
        found_(found),
        uses_(std::move(uses)),
        classes_(uses_.size(), Class::never) {}

  Class of(SemaphoreIndex semaphore) const { return classes_[semaphore]; }
  void set(SemaphoreIndex semaphore, Class kind) {
    classes_[semaphore] = kind;
    const std::string fault = why_endless(subject_, ranks_, kind, uses_[semaphore]);
    if (!fault.empty()) make_endless(semaphore, fault);
  }
  void make_endless(SemaphoreIndex semaphore, const std::string& fault) {
    classes_[semaphore] = Class::endless;
    for (const SemaphoreUse& use : uses_[semaphore])
      add_fault(found_.faults, use.task, fmt::format("it uses the semaphore {}, {}", name(semaphore), fault));
  }

  /// Holders wait for other semaphores: in a cycle for ever, else at most as long as for these.
  void settle() {
    settle_classes();
    for (SemaphoreIndex semaphore = 0; semaphore < uses_.size(); ++semaphore)
      if (may_wait(semaphore) && leads_to_itself(semaphore))
        make_endless(semaphore, "which may deadlock: its holders wait for other semaphores in a cycle");
    settle_classes();
  }

 private:
  const std::string& name(SemaphoreIndex semaphore) const { return subject_.system.semaphores[semaphore].name; }
  bool may_wait(SemaphoreIndex semaphore) const {
    return classes_[semaphore] == Class::joined || classes_[semaphore] == Class::timed;
  }

  void settle_classes() {
    for (bool again = true; again;) {
      again = false;
      for (SemaphoreIndex semaphore = 0; semaphore < uses_.size(); ++semaphore)
        for (const SemaphoreUse& use : uses_[semaphore])
          for (const SemaphoreIndex inner : use.inner) again = settle(semaphore, use, inner) || again;
    }
  }

  /// For one that is requested while the other is held. Returns whether a class changed.
  bool settle(SemaphoreIndex semaphore, const SemaphoreUse& use, SemaphoreIndex inner) {
    const Class outside = classes_[semaphore], inside = classes_[inner];
    if (outside == Class::endless) return false;
    if (inside == Class::endless) {
      make_endless(semaphore, fmt::format("which {} holds while it requests {}, and no bound exists for that",
                                          subject_.name(use.task), name(inner)));
      return true;
    }
    // A holder that waits leaves the core to others. With a ceiling, it then precedes them as soon as it continues.
    const bool raises = outside == Class::ceiling || (outside == Class::never && has_ceiling_[semaphore]);
    if ((raises && may_wait(inner)) || (outside == Class::joined && inside == Class::timed))
      set(semaphore, Class::timed);
    else if (outside == Class::timed && inside == Class::ceiling)
      set(inner, Class::timed);
    else
      return false;
    return true;
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
          if (!may_wait(inner)) continue;
          if (inner == semaphore) return true;
          if (!reached[inner]) open.push_back(inner);
          reached[inner] = true;
        }
    }
    return false;
  }

  const AnalyzedSystem& subject_;
  const Ranks& ranks_;
  const std::vector<bool>& has_ceiling_;
  SemaphoreCeilings& found_;
  std::vector<SemaphoreUses> uses_;
  std::vector<Class> classes_;
};

/// Whether no task and no semaphore belongs to several cores. Then only tasks of one core are compared by rank.
bool cores_are_apart(const AnalyzedSystem& subject, const std::vector<SemaphoreUses>& uses) {
  const auto& tasks = subject.system.tasks;
  return std::none_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.units.size() > 1; }) &&
         std::all_of(uses.begin(), uses.end(),
                     [&](const SemaphoreUses& of) { return of.empty() || on_one_core(subject, of); });
}

/// Ranks that count as one: from the first to the second.
using RankInterval = std::pair<std::int64_t, std::int64_t>;

/// Overlapping intervals are one.
std::vector<RankInterval> united(std::vector<RankInterval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<RankInterval> all;
  for (const RankInterval& interval : intervals) {
    if (!all.empty() && interval.first <= all.back().second)
      all.back().second = std::max(all.back().second, interval.second);
    else
      all.push_back(interval);
  }
  return all;
}

/// Gives all ranks from the least to the most urgent user of a semaphore the least of them: on its core if `apart`, else
/// on all cores.
void join_ranks(const AnalyzedSystem& subject, const SemaphoreCeilings& semaphores, bool apart, Ranks& ranks) {
  const auto core_of = [&](TaskIndex task) { return apart ? subject.task(task).unit : UnitIndex{}; };
  std::map<UnitIndex, std::vector<RankInterval>> joined;
  for (const auto& users : semaphores.waiting) {
    if (users.empty()) continue;
    RankInterval interval{nobody, least_urgent};
    for (const TaskIndex user : users) {
      interval.first = std::min(interval.first, ranks.rank[user]);
      interval.second = std::max(interval.second, ranks.rank[user]);
    }
    joined[core_of(users.front())].push_back(interval);
  }
  if (joined.empty()) return;
  for (auto& [core, intervals] : joined) intervals = united(std::move(intervals));
  ranks.most_urgent_task = 0;
  for (TaskIndex task = 0; task < subject.tasks(); ++task) {
    if (!subject.is_host(task)) continue;
    std::int64_t& rank = ranks.rank[task];
    if (const auto of = joined.find(core_of(task)); of != joined.end())
      for (const auto& [least, most] : of->second)
        if (rank >= least && rank <= most) rank = least;
    if (!is_interrupt(subject.task(task))) ranks.most_urgent_task = std::max(ranks.most_urgent_task, rank);
  }
}

}  // namespace

SemaphoreCeilings semaphore_ceilings(const AnalyzedSystem& subject, Ranks& ranks) {
  const std::size_t count = subject.system.semaphores.size();
  SemaphoreCeilings found{std::vector<std::optional<std::int64_t>>(count), std::vector<bool>(count),
                          std::vector<std::vector<TaskIndex>>(count),      std::vector<bool>(count),
                          std::vector<std::optional<std::int64_t>>(count), Faults(subject.tasks())};
  const std::vector<bool> has_ceiling = effective_ceilings(subject, ranks);
  std::vector<SemaphoreUses> uses(count);
  std::vector<std::string> faults(count);
  for (TaskIndex task = 0; task < subject.tasks(); ++task) add_uses(subject, task, uses, faults);

  Classification classes(subject, ranks, has_ceiling, found, uses);
  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore) {
    if (uses[semaphore].empty()) continue;
    const Semaphore& stated = subject.system.semaphores[semaphore];
    std::string& fault = faults[semaphore];
    if (fault.empty() && never_waits(stated, uses[semaphore])) continue;
    if (fault.empty()) fault = why_endless(subject, stated, uses[semaphore]);
    if (fault.empty())
      classes.set(semaphore, class_of(subject, ranks, has_ceiling[semaphore], uses[semaphore]));
    else
      classes.make_endless(semaphore, fault);
  }
  classes.settle();

  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore) {
    found.endless[semaphore] = classes.of(semaphore) == Class::endless;
    found.timed[semaphore] = classes.of(semaphore) == Class::timed;
    if (classes.of(semaphore) != Class::joined) continue;
    for (const SemaphoreUse& use : uses[semaphore]) found.waiting[semaphore].push_back(use.task);
  }
  ranks.own_rank = ranks.rank;
  join_ranks(subject, found, cores_are_apart(subject, uses), ranks);
  for (SemaphoreIndex semaphore = 0; semaphore < count; ++semaphore) {
    if (uses[semaphore].empty()) continue;
    if (found.endless[semaphore] && subject.system.semaphores[semaphore].priority_ceiling)
      found.ceiling[semaphore] = nobody;
    if (!has_ceiling[semaphore] || found.ceiling[semaphore]) continue;
    const auto& users = uses[semaphore];
    if (found.timed[semaphore])
      for (const SemaphoreUse& use : users)
        found.urgency[semaphore] =
            std::max(found.urgency[semaphore].value_or(ranks.urgency[use.task]), ranks.urgency[use.task]);
    // With users under several schedulers, the blocked tasks cannot be determined.
    const bool comparable = of_one_scheduler(subject, ranks, users) || (found.timed[semaphore] && ranks.by_urgency);
    found.ceiling[semaphore] = comparable ? ceiling_of(subject, ranks, users) : nobody;
  }
  return found;
}

}  // namespace amalthea::engine::bounds
