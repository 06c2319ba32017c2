// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/exact_responses.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "amalthea/detail/counted_steps.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/program/releases.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Hyperperiods to simulate after the last offset. A schedule that does not repeat within them has no exact responses.
constexpr std::int64_t most_hyperperiods = 4;
/// The simulation costs less than the analysis of a large system.
constexpr std::int64_t most_jobs = 20'000;
constexpr std::uint64_t most_steps = 1'000'000;

/// The parts of a system, as sets of tasks.
class Parts {
 public:
  explicit Parts(const ProblemInput& input) : leader_(input.subject.tasks()) {
    const AnalyzedSystem& subject = input.subject;
    std::iota(leader_.begin(), leader_.end(), TaskIndex{0});
    for (const CoreModel& core : input.cores.cores) join(core.tasks);
    std::vector<TaskIndex> first_of_unit(subject.system.platform.units.size(), none);
    for (TaskIndex task = 0; task < subject.tasks(); ++task) {
      if (!subject.is_host(task)) {
        TaskIndex& first = first_of_unit[subject.task(task).unit];
        if (first != none) join(first, task);
        first = task;
      }
      for (const Step& step : subject.steps(task)) {
        for (const TaskIndex setter : step.setters) join(task, setter);
        if (step.kind != StepKind::trigger) continue;
        const auto& trigger = std::get<Trigger>(subject.system.graph[step.node].activity);
        for (const TaskIndex activated : subject.system.stimuli[trigger.stimulus].activates) join(task, activated);
      }
    }
  }

  /// All active tasks of the part of `task`.
  std::vector<TaskIndex> of(TaskIndex task, const std::vector<Activations>& activations) const {
    std::vector<TaskIndex> part;
    for (TaskIndex other = 0; other < leader_.size(); ++other)
      if (find(other) == find(task) && activations[other].any()) part.push_back(other);
    return part;
  }

 private:
  static constexpr TaskIndex none = static_cast<TaskIndex>(-1);

  TaskIndex find(TaskIndex task) const {
    while (leader_[task] != task) task = leader_[task];
    return task;
  }
  void join(TaskIndex a, TaskIndex b) {
    const TaskIndex first = find(a), second = find(b);
    leader_[std::max(first, second)] = std::min(first, second);
  }
  void join(const std::vector<TaskIndex>& tasks) {
    for (const TaskIndex task : tasks) join(tasks.front(), task);
  }

  std::vector<TaskIndex> leader_;
};

bool is_server(const Scheduler& scheduler) {
  return scheduler.kind == SchedulingAlgorithm::polling_periodic_server ||
         scheduler.kind == SchedulingAlgorithm::deferrable_server ||
         scheduler.kind == SchedulingAlgorithm::constant_bandwidth_server;
}

bool has_fixed_times(const AnalyzedSystem& subject, TaskIndex task) {
  const Program &best = subject.best[task], &worst = subject.worst[task];
  if (!worst.unanalyzable.empty() || best.steps.size() != worst.steps.size()) return false;
  for (std::size_t step = 0; step < worst.steps.size(); ++step) {
    const StepKind kind = worst.steps[step].kind;
    if (kind == StepKind::branch || kind == StepKind::set_mode || kind == StepKind::request_semaphore ||
        kind == StepKind::release_semaphore || kind == StepKind::terminate || worst.steps[step].skipped ||
        best.steps[step].skipped || best.steps[step].work != worst.steps[step].work)
      return false;
  }
  const auto& body = subject.task(task).body;
  return std::none_of(body.begin(), body.end(), [&](NodeIndex node) {
    return std::holds_alternative<Branch>(subject.system.graph[node].activity);
  });
}

bool has_fixed_releases(const AnalyzedSystem& subject, TaskIndex task) {
  return std::all_of(subject.system.stimuli.begin(), subject.system.stimuli.end(), [&](const Stimulus& stimulus) {
    if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) == stimulus.activates.end()) return true;
    if (stimulus.condition || stimulus.counter.prescaler != 1 || stimulus.counter.offset != 0) return false;
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    return std::holds_alternative<InterProcess>(stimulus.occurrence) ||
           (periodic != nullptr && periodic->jitter.lower == 0 && periodic->jitter.upper == 0 &&
            periodic->minimum_distance <= periodic->period);
  });
}

/// Whether it runs on one core that keeps no state while it is idle.
bool has_plain_core(const ProblemInput& input, TaskIndex task) {
  if (!input.subject.is_host(task)) return true;
  const auto& schedulers = input.cores.ranks.schedulers[task];
  return !input.cores.core(task).several() &&
         std::none_of(schedulers.begin(), schedulers.end(), [&](SchedulerIndex scheduler) {
           return is_server(input.subject.system.platform.schedulers[scheduler]);
         });
}

/// Whether every GPU of the part has one active context, and one of these contexts several active tasks. A runlist of
/// several contexts keeps its position while it is idle.
bool has_one_process(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  bool shared = false;
  std::set<UnitIndex> gpus;
  for (const TaskIndex task : part)
    if (!input.subject.is_host(task)) gpus.insert(input.subject.task(task).unit);
  for (const UnitIndex gpu : gpus) {
    const DeviceProfile& profile = *input.subject.devices[gpu];
    if (profile.amd) return false;
    std::size_t contexts = 0;
    for (const GpuContext& context : contexts_on(input.subject.system, gpu, profile)) {
      const auto active = std::count_if(context.tasks.begin(), context.tasks.end(),
                                        [&](TaskIndex task) { return input.activations[task].any(); });
      contexts += active > 0 ? 1 : 0;
      shared = shared || active > 1;
    }
    if (contexts != 1) return false;
  }
  return shared;
}

/// When the part begins to work after it was idle.
class Beginnings : public SimulationObserver {
 public:
  bool wants_intervals() const override { return false; }
  void released(TaskIndex, Instant now, bool lost) override {
    if (lost) return;
    if (pending_ == 0 && (!idle_since_ || *idle_since_ < now)) found.insert(now);
    ++pending_;
  }
  void completed(TaskIndex, std::uint64_t, Instant, Instant now) override {
    if (--pending_ == 0) idle_since_ = now;
  }

  std::set<Instant> found;

 private:
  std::int64_t pending_ = 0;
  std::optional<Instant> idle_since_;
};

/// The periods and offsets of a part.
struct Pattern {
  Duration hyperperiod, last_offset;
  double releases_per_picosecond = 0;
};

std::optional<Pattern> pattern_of(const System& system) {
  Pattern pattern;
  std::int64_t multiple = 1;
  for (const Stimulus& stimulus : system.stimuli) {
    const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence);
    if (periodic == nullptr || stimulus.activates.empty()) continue;
    const std::int64_t period = periodic->period.picoseconds();
    if (__builtin_mul_overflow(multiple / std::gcd(multiple, period), period, &multiple)) return std::nullopt;
    pattern.last_offset = std::max(pattern.last_offset, periodic->offset);
    pattern.releases_per_picosecond += static_cast<double>(stimulus.activates.size()) / static_cast<double>(period);
  }
  const auto longest = static_cast<double>(nvidia::longest_analyzed.picoseconds());
  if (static_cast<double>(multiple) * (most_hyperperiods + 1) > longest) return std::nullopt;
  pattern.hyperperiod = Duration::picoseconds(multiple);
  return pattern;
}

/// The schedule of the part, if it repeats.
std::optional<Results> schedule_of(const ProblemInput& input, const std::vector<TaskIndex>& part) {
  const AnalyzedSystem& subject = input.subject;
  System alone = subject.system;
  for (Stimulus& stimulus : alone.stimuli)
    std::erase_if(stimulus.activates,
                  [&](TaskIndex task) { return std::find(part.begin(), part.end(), task) == part.end(); });
  const auto pattern = pattern_of(alone);
  if (!pattern) return std::nullopt;
  const Duration until = pattern->last_offset + pattern->hyperperiod * most_hyperperiods;
  if (static_cast<double>(until.picoseconds()) * pattern->releases_per_picosecond > most_jobs) return std::nullopt;
  const auto periods = periods_of(subject.system);
  SimulationInput simulated{alone, subject.worst, subject.devices, until, {}, periods};
  Beginnings beginnings;
  simulated.observer = &beginnings;
  simulated.max_steps = most_steps;
  Results results;
  simulate(simulated, results);
  bound_steps += results.events;
  if (results.stopped_early) return std::nullopt;
  const bool repeats = std::any_of(beginnings.found.begin(), beginnings.found.end(), [&](Instant instant) {
    return instant >= Instant{} + pattern->last_offset && beginnings.found.count(instant + pattern->hyperperiod) > 0;
  });
  return repeats ? std::optional(std::move(results)) : std::nullopt;
}

}  // namespace

void add_exact_responses(const ProblemInput& input, SystemBounds& bounds) {
  const AnalyzedSystem& subject = input.subject;
  const Parts parts(input);
  std::vector<bool> visited(subject.tasks(), false);
  for (TaskIndex first = 0; first < subject.tasks(); ++first) {
    if (visited[first] || subject.is_host(first) || !input.activations[first].any()) continue;
    const auto part = parts.of(first, input.activations);
    for (const TaskIndex task : part) visited[task] = true;
    if (!has_one_process(input, part) || !std::all_of(part.begin(), part.end(), [&](TaskIndex task) {
          return has_fixed_times(subject, task) && has_fixed_releases(subject, task) && has_plain_core(input, task);
        }))
      continue;
    const auto schedule = schedule_of(input, part);
    if (!schedule) continue;
    for (const TaskIndex task : part) {
      const TaskResult& result = schedule->tasks[task];
      if (result.response.jobs == 0) continue;
      Bound& bound = bounds.tasks[task];
      bound.worst = result.response.max;
      bound.parts = result.contributions;
      bound.reason.clear();
      bound.exact = true;
    }
    for (const OperationResult& operation : schedule->operations) {
      const auto bound = bounds.operations.find(operation.node);
      if (bound == bounds.operations.end() || operation.duration.jobs == 0) continue;
      bound->second.worst = operation.duration.max;
      bound->second.reason.clear();
      bound->second.exact = true;
    }
  }
}

}  // namespace amalthea::engine::bounds
