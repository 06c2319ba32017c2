// SPDX-License-Identifier: Apache-2.0
#include "engine/chains/chain_latency.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "amalthea/graph/chain_data.hpp"
#include "amalthea/graph/job_paths.hpp"
#include "engine/program/releases.hpp"
#include "engine/results/lost_activations.hpp"

namespace amalthea::engine {
namespace {

/// Maximum number of job-to-job steps, so that an enumeration takes a fraction of a second.
constexpr std::int64_t max_steps = 10'000'000;

/// The releases of one task as plain integers: an enumeration needs millions of them, and `enumeration_of` has ensured
/// that none overflows.
struct Releases {
  std::int64_t period = 0;
  std::int64_t offset = 0;

  std::int64_t first_from(std::int64_t time) const {
    return time <= offset ? offset : offset + (time - offset + period - 1) / period * period;
  }
  /// For time >= offset.
  std::int64_t last_until(std::int64_t time) const { return time - (time - offset) % period; }
};

struct Enumeration {
  std::vector<Releases> tasks;
  std::int64_t hyperperiod = 0;
  std::int64_t begun = 0;     ///< every task has been released by then
  std::int64_t complete = 0;  ///< reads from then on have a source job of the first task
};

tl::expected<Enumeration, std::string> enumeration_of(std::span<const Periodic> tasks) {
  const std::string too_long = "the hyperperiod of the tasks in the chain is too long";
  Enumeration result;
  try {
    Duration hyperperiod = Duration::picoseconds(1);
    Duration begun, path;
    for (const Periodic& task : tasks) {
      const std::int64_t period = task.period.picoseconds();
      hyperperiod = hyperperiod * (period / std::gcd(hyperperiod.picoseconds(), period));
      begun = std::max(begun, task.offset);
      path += task.period * 2;  // at most a wait and an execution
      result.tasks.push_back({period, task.offset.picoseconds()});
    }
    // The latest instant that the steps below reach; it only has to be representable.
    static_cast<void>((begun + hyperperiod + path) * 2);
    result.hyperperiod = hyperperiod.picoseconds();
    result.begun = begun.picoseconds();
    result.complete = (begun + path).picoseconds();
  } catch (const std::overflow_error&) {
    return tl::unexpected(too_long);
  }
  const std::int64_t jobs = (result.begun + result.hyperperiod) / result.tasks.front().period +
                            result.hyperperiod / result.tasks.back().period;
  if (jobs > max_steps / static_cast<std::int64_t>(tasks.size())) return tl::unexpected(too_long);
  return result;
}

/// The first write of the last task that reflects the read of the first task at `read`.
std::int64_t first_output(const std::vector<Releases>& tasks, std::int64_t read) {
  std::int64_t written = read + tasks.front().period;
  for (std::size_t i = 1; i < tasks.size(); ++i) written = tasks[i].first_from(written) + tasks[i].period;
  return written;
}

/// When the first task read the data that the last task's job released at `release` processes; not before
/// Enumeration::complete.
std::int64_t source_of(const std::vector<Releases>& tasks, std::int64_t release) {
  for (std::size_t i = tasks.size() - 1; i > 0; --i) release = tasks[i - 1].last_until(release - tasks[i - 1].period);
  return release;
}

// ---------------------------------------------------------------- chains of a system

/// Whether the waiting task waits for each job of the device task: for its event, and nothing else sets or replaces that.
bool awaits(const System& system, TaskIndex waiting, TaskIndex device) {
  if (system.tasks[device].side != Side::device) return false;
  bool found = false;
  for (const auto& edge : boost::make_iterator_range(boost::edges(system.graph.boost()))) {
    const NodeIndex from = boost::source(edge, system.graph.boost()), to = boost::target(edge, system.graph.boost());
    if (system.graph.boost()[edge].kind != EdgeKind::event || system.graph[from].task != device ||
        system.graph[to].task != waiting)
      continue;
    const auto& wait = std::get<WaitEvents>(system.graph[to].activity);
    if (wait.events.size() > 1 && !wait.all) return false;
    const auto& set = std::get<SetEvents>(system.graph[from].activity).events;
    for (const auto& other : boost::make_iterator_range(boost::in_edges(to, system.graph.boost()))) {
      const NodeIndex by = boost::source(other, system.graph.boost());
      const auto* also = std::get_if<SetEvents>(&system.graph[by].activity);
      if (by != from && also != nullptr &&
          std::find_first_of(also->events.begin(), also->events.end(), set.begin(), set.end()) != also->events.end())
        return false;
    }
    found = true;
  }
  return found;
}

/// Whether the jobs of `task` do nothing that takes time or writes after setting events.
bool sets_events_last(const System& system, TaskIndex task) {
  bool set = false;
  for (const NodeIndex node : system.tasks[task].body) {
    const Activity& activity = system.graph[node].activity;
    if (std::holds_alternative<Branch>(activity)) return false;  // it may not set them
    if (std::holds_alternative<SetEvents>(activity))
      set = true;
    else if (set && !std::holds_alternative<Call>(activity))
      return false;
  }
  return set;
}

/// Whether the task may leave its core before its end, or have its priority raised.
bool waits_or_locks(const System& system, const Task& task) {
  return std::any_of(task.body.begin(), task.body.end(), [&](NodeIndex node) {
    const Activity& activity = system.graph[node].activity;
    return std::holds_alternative<WaitEvents>(activity) || std::holds_alternative<UseSemaphore>(activity);
  });
}

/// Whether no job of `next` starts while one of `task` is pending.
bool precedes(const System& system, TaskIndex task, TaskIndex next) {
  const Task &first = system.tasks[task], &second = system.tasks[next];
  for (const Task* each : {&first, &second})
    if (each->side != Side::host || each->kind != ProcessKind::task || each->units.size() > 1 || each->folded_into ||
        waits_or_locks(system, *each))
      return false;
  return first.unit == second.unit && first.scheduler == second.scheduler && first.priority > second.priority &&
         has_fixed_priorities(system.platform.schedulers[first.scheduler].kind);
}

bool may_use(const Task& task, UnitIndex unit) {
  return task.unit == unit || std::find(task.units.begin(), task.units.end(), unit) != task.units.end();
}

/// Whether the task is the most urgent one of its core, so that nothing preempts it at the instant at which it ends.
bool is_never_preempted(const System& system, TaskIndex task) {
  const Task& own = system.tasks[task];
  const Scheduler& scheduler = system.platform.schedulers[own.scheduler];
  if (own.units.size() > 1 || scheduler.parent || !has_fixed_priorities(scheduler.kind)) return false;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& other = system.tasks[index];
    if (index == task || other.side != Side::host || other.folded_into || !may_use(other, own.unit)) continue;
    if (other.scheduler != own.scheduler || other.priority >= own.priority || waits_or_locks(system, other))
      return false;
  }
  return true;
}

/// Whether a job's end takes time of the operating system.
bool ends_in_overhead(const System& system, const Task& task) {
  const std::optional<OverheadTicks>& overhead = system.platform.schedulers[task.scheduler].overhead;
  if (!overhead) return false;
  switch (task.kind) {
    case ProcessKind::task:
      return overhead->terminate_task.has_value();
    case ProcessKind::isr_category1:
      return overhead->isr_category1_after.has_value();
    case ProcessKind::isr_category2:
      return overhead->isr_category2_after.has_value();
  }
  return true;
}

class ChainAnalysis {
 public:
  ChainAnalysis(const System& system, std::span<const Bound> responses)
      : system_(system),
        responses_(responses),
        releases_(recurrent_releases_of(system)),
        periodic_(releases_of(system)),
        periods_(periods_of(system)),
        paths_(system) {}

  ChainResult analyze(const Chain& chain) const {
    ChainResult result;
    const ChainData data = chain_data(system_, paths_, chain);
    if (!data.obstacle.empty()) {
      result.let_reason = result.implicit_reason = result.explicit_reason = data.obstacle;
      return result;
    }
    let(chain, result);
    for (const TaskIndex task : chain.tasks)
      if (releases_[task])
        for (const TaskIndex released : releases_[task]->trigger_path)
          if (released < responses_.size()) result.coverage &= coverage_of(system_, released, responses_[released]);
    for (std::size_t i = 1; i < chain.tasks.size(); ++i)
      if (const TaskIndex task = chain.tasks[i];
          releases_[task] && (!periods_[task] || releases_[task]->periodic.offset > *periods_[task]))
        result.coverage &= {Coverage::Offsets::up_to_period, {}, {}};
    result.implicit = bounds(chain, {}, result.implicit_reason, &result.implicit_steps);
    result.explicit_access = bounds(chain, data.writes_first, result.explicit_reason, nullptr);
    return result;
  }

 private:
  std::string no_releases(TaskIndex task, std::string_view needed) const {
    return fmt::format("{}; {}", why_not_periodic(system_, task), needed);
  }

  std::string not_every_time(TaskIndex task) const {
    return fmt::format("not every job that may activate task \"{}\" does", system_.tasks[task].name);
  }

  /// Whether data passes from the first task to the second within one interval: they are one task, the first activates
  /// the second, or the second activates the first and awaits it.
  bool shares_interval(TaskIndex first, TaskIndex second) const {
    const auto executed = [this](TaskIndex task) { return system_.tasks[task].folded_into.value_or(task); };
    const auto activates = [&](TaskIndex task, TaskIndex activated) {
      const std::vector<TaskIndex>& path = releases_[activated]->trigger_path;
      return std::find(path.begin(), path.end(), executed(task)) != path.end();
    };
    return activates(first, second) || (activates(second, first) && awaits(system_, second, first));
  }

  void let(const Chain& chain, ChainResult& result) const {
    // A triggered task has no interval of its own: it runs within that of its trigger.
    std::vector<Periodic> tasks;
    std::optional<TaskIndex> last;
    for (const TaskIndex task : chain.tasks) {
      const auto& releases = periodic_[task];
      if (!releases || !releases->every_time) {
        result.let_reason =
            releases ? not_every_time(task) : no_releases(task, "latencies under LET need strictly periodic releases");
        return;
      }
      if (!last || !shares_interval(*last, task)) tasks.push_back(releases->periodic);
      last = task;
    }
    if (auto latencies = let_latencies(tasks))
      result.let = *latencies;
    else
      result.let_reason = std::move(latencies.error());
  }

  /// Whether each job of `next` is activated by a job of `task` that does nothing after that, and ends before the other
  /// one starts. (One that something preempts at this instant ends later, and a GPU may read at once.)
  bool follows(TaskIndex task, TaskIndex next) const {
    const Task &before = system_.tasks[task], &after = system_.tasks[next];
    const std::vector<TaskIndex>& path = releases_[next]->trigger_path;
    if (before.side != Side::host || after.side != Side::host || before.folded_into || after.folded_into ||
        path.size() < 2 || path[path.size() - 2] != task || ends_in_overhead(system_, before) ||
        !(precedes(system_, task, next) || is_never_preempted(system_, task)))
      return false;
    const auto activates = [&](NodeIndex node) {
      const auto* trigger = std::get_if<Trigger>(&system_.graph[node].activity);
      if (trigger == nullptr) return Certainty::never;
      const std::vector<TaskIndex>& tasks = system_.stimuli[trigger->stimulus].activates;
      return std::find(tasks.begin(), tasks.end(), next) != tasks.end() ? Certainty::always : Certainty::never;
    };
    const auto works = [&](NodeIndex node) {
      const bool nothing = std::holds_alternative<Call>(system_.graph[node].activity);
      return nothing || activates(node) == Certainty::always ? Certainty::never : Certainty::always;
    };
    return !paths_.may_remain(task, works, activates);
  }

  /// Upper bound on the response time of the task.
  tl::expected<Duration, std::string> known(TaskIndex task) const {
    if (task < responses_.size() && responses_[task].worst) return *responses_[task].worst;
    return tl::unexpected(fmt::format("the response time of task \"{}\" has no bound", system_.tasks[task].name));
  }

  /// Upper bound on the end of the task's jobs, relative to the release at the beginning of their row.
  tl::expected<Duration, std::string> response(TaskIndex task) const {
    const std::vector<TaskIndex>& path = releases_[task]->trigger_path;
    // A task that triggers a device task and waits for its end does not end earlier.
    if (path.size() == 2 && sets_events_last(system_, task) && awaits(system_, path.front(), task))
      return known(path.front());
    Duration sum;
    for (const TaskIndex index : path) {
      const auto part = known(index);
      if (!part) return part;
      sum += *part;
    }
    return sum;
  }

  /// `writes_first`: by task; empty: none does. `steps`: what each task adds to the bound on the reaction time; may be
  /// null.
  std::optional<LatencyBounds> bounds(const Chain& chain, const std::vector<bool>& writes_first, std::string& reason,
                                      std::vector<ChainStep>* steps) const {
    if (responses_.empty()) {
      reason = "no bounds on response times are computed";
      return std::nullopt;
    }
    std::vector<BoundedTask> tasks;
    for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
      const TaskIndex task = chain.tasks[i];
      if (!releases_[task]) {
        reason = no_releases(task, "bounds on latencies need releases that always come again");
        return std::nullopt;
      }
      if (!releases_[task]->every_time) {
        reason = not_every_time(task);
        return std::nullopt;
      }
      const Duration period = releases_[task]->periodic.period;
      try {
        const bool next = i > 0 && follows(chain.tasks[i - 1], task);
        const auto longest = next ? known(task) : response(task);
        if (!longest) {
          reason = longest.error();
          return std::nullopt;
        }
        for (const TaskIndex released : releases_[task]->trigger_path) {
          const std::string lost = why_activations_may_be_lost(system_, released, responses_[released]);
          if (lost.empty()) continue;
          reason = fmt::format("of task \"{}\" {}", system_.tasks[released].name, lost);
          return std::nullopt;
        }
        tasks.push_back({period, *longest, i < writes_first.size() && writes_first[i],
                         i + 1 < chain.tasks.size() && releases_[task]->trigger_path.size() == 1 &&
                             precedes(system_, task, chain.tasks[i + 1]),
                         releases_[task]->periodic.offset, next});
        if (next) tasks[i - 1].precedes_next = false;
      } catch (const std::overflow_error&) {
        reason = too_large;
        return std::nullopt;
      }
    }
    try {
      return latency_bounds(tasks, steps);
    } catch (const std::overflow_error&) {
      reason = too_large;
      return std::nullopt;
    }
  }

  static constexpr const char* too_large = "the sum of the response times overflows";

  const System& system_;
  std::span<const Bound> responses_;
  std::vector<std::optional<TaskReleases>> releases_;  ///< that always come again
  std::vector<std::optional<TaskReleases>> periodic_;  ///< those that are strictly periodic
  std::vector<std::optional<Duration>> periods_;       ///< minimum distances in the long run
  JobPaths paths_;
};

}  // namespace

tl::expected<LetLatencies, std::string> let_latencies(std::span<const Periodic> tasks) {
  const auto enumeration = enumeration_of(tasks);
  if (!enumeration) return tl::unexpected(enumeration.error());
  const std::vector<Releases>& steps = enumeration->tasks;
  std::int64_t reaction = 0, reduced_reaction = 0, age = 0, reduced_age = 0, first_to_first = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();

  // Forward from every job of the first task; reads before all tasks have been released may wait longer than any later
  // one.
  const std::int64_t first_period = steps.front().period;
  const std::int64_t last_read = enumeration->begun + enumeration->hyperperiod;
  for (std::int64_t read = steps.front().offset; read < last_read; read += first_period) {
    const std::int64_t output = first_output(steps, read);
    reduced_reaction = std::max(reduced_reaction, output - read);
    shortest = std::min(shortest, output - read);
    // The next read sees a stimulus that occurs just after a read.
    reaction = std::max(reaction, first_output(steps, read + first_period) - read);
  }

  // Backward from every job of the last task in one hyperperiod.
  const std::int64_t last_period = steps.back().period;
  const std::int64_t begin = steps.back().first_from(enumeration->complete);
  std::int64_t source = source_of(steps, begin);
  for (std::int64_t release = begin; release < begin + enumeration->hyperperiod; release += last_period) {
    const std::int64_t output = release + last_period, next_source = source_of(steps, output);
    reduced_age = std::max(reduced_age, output - source);
    age = std::max(age, output + last_period - source);
    if (next_source != source) first_to_first = std::max(first_to_first, output + last_period - source);
    source = next_source;
  }
  return LetLatencies{
      Duration::picoseconds(reaction),    Duration::picoseconds(reduced_reaction), Duration::picoseconds(age),
      Duration::picoseconds(reduced_age), Duration::picoseconds(first_to_first),   Duration::picoseconds(shortest)};
}

LatencyBounds latency_bounds(std::span<const BoundedTask> tasks, std::vector<ChainStep>* steps) {
  // Data that misses a job is processed by the next one, a period later, which ends within its response time. If the
  // task precedes the next one, the first job of that task since the release reads after the end. A task that follows the
  // one before has a job for each of its jobs, which the activation makes wait for the data; both are one step.
  Duration all;
  std::vector<ChainStep> usual, found;
  for (const BoundedTask& task : tasks) {
    const int periods = (task.follows ? 0 : 1) + (task.writes_first ? 1 : 0);
    usual.push_back({task.period * periods, task.precedes_next ? Duration{} : task.response});
    all += usual.back().wait + usual.back().run;
  }
  // The first data also waits for first jobs; it waits longest for them if it is read at 0.
  const auto first = [&](Duration time) {
    found = usual;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Duration late = i == 0 || tasks[i].follows ? Duration{} : tasks[i].offset - time - tasks[i].period;
      if (late > Duration{}) found[i].wait += late;
      time += found[i].wait + found[i].run;
    }
    return time;
  };
  const Duration reduced_reaction = first(Duration{} - tasks.front().period), reaction = first({});
  if (steps != nullptr) *steps = found;
  return {reaction, reduced_reaction, all, all - tasks.back().period};
}

std::vector<ChainResult> chain_latencies(const System& system, std::span<const Bound> responses) {
  const ChainAnalysis analysis(system, responses);
  std::vector<ChainResult> results;
  for (const Chain& chain : system.chains) results.push_back(analysis.analyze(chain));
  return results;
}

}  // namespace amalthea::engine
