// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/detail/fixed_point.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "engine/bounds/detail/event_waits.hpp"
#include "engine/bounds/detail/semaphore_waits.hpp"

namespace amalthea::engine::bounds {
namespace {

/// Maximum number of alternations between jitters and bounds; what still grows then has no bound. With bounds by rows
/// jitters grow more slowly: after as many rounds, they grow without.
constexpr std::size_t max_rounds = 50;
/// The same for bounds and waits for semaphores.
constexpr std::size_t max_semaphore_rounds = 200;

class FixedPoint {
 public:
  FixedPoint(const ProblemInput& input, const Triggers& triggers, std::vector<Activations>& activations,
             Problems& problems, Faults& faults)
      : subject_(input.subject),
        cores_(input.cores),
        activations_(activations),
        problems_(problems),
        faults_(faults),
        events_(input, triggers, problems),
        semaphores_(input.subject, input.cores, problems) {}

  Solution run() {
    std::size_t last = max_rounds;
    for (std::size_t round = 0;; ++round) {
      if (round == max_rounds && use_rows(false)) last += max_rounds;
      find_bounds();
      if (!solution_.fault.empty()) return std::move(solution_);
      const bool may_grow = round < last;
      const bool later = raise_jitters(may_grow), more = raise_accesses(may_grow), longer = raise_responses(may_grow),
                 waits = events_.raise(solution_, may_grow, faults_);
      if (!later && !more && !longer && !waits && !semaphores_.lost_any()) break;
    }
    if (last > max_rounds) {
      use_rows(true);
      find_bounds();
    }
    for (TaskIndex task = 0; task < subject_.tasks(); ++task) {
      solution_.waits.push_back(events_.parts(task));
      solution_.awaits_signal.push_back(events_.awaits_signal(task));
      const auto semaphores = semaphores_.parts(task);
      solution_.waits.back().insert(solution_.waits.back().end(), semaphores.begin(), semaphores.end());
    }
    return std::move(solution_);
  }

 private:
  Activation* activation_of(const ProblemTask& problem_task) {
    auto& all = activations_[problem_task.task].all;
    return problem_task.activation < all.size() ? &all[problem_task.activation] : nullptr;
  }

  /// Whether its place stands for all activations of the task.
  bool is_merged(const ProblemTask& problem_task) const {
    const auto& all = problems_.of_task[problem_task.task];
    return all.size() > 1 && problems_.problem_tasks[all[0]].at == problems_.problem_tasks[all[1]].at;
  }

  /// Returns whether there are any.
  bool use_rows(bool use) {
    bool any = false;
    for (CoreProblem& core : problems_.cores) {
      core.uses_rows = use;
      any = any || !core.rows.empty();
    }
    return any;
  }

  /// Computes the bounds for the current jitters.
  void find_bounds() {
    for (const ProblemTask& problem_task : problems_.problem_tasks) {
      const Activation* activation = activation_of(problem_task);
      if (activation == nullptr || problems_.is_unlimited(problem_task)) continue;
      const Duration jitter =
          is_merged(problem_task) ? merged(activations_[problem_task.task].all).jitter : activation->jitter;
      problems_.jitter_of(problem_task) = std::min(jitter, longest_period);
      if (problem_task.waiting)
        problems_.gpu.problem.tasks[*problem_task.waiting].jitter =
            std::min(longest_period, merged(activations_[problem_task.task].all).jitter);
      if (jitter < nvidia::longest_analyzed) continue;
      problems_.set_unlimited(problem_task);
      add_fault(faults_, problem_task.task, "the jitters of its activation sources are too long");
    }
    auto found = nvidia::time_slice_bounds(problems_.gpu.problem);
    if (!found) {
      solution_.fault = found.error();
      return;
    }
    solution_.gpu = std::move(*found);
    for (CoreProblem& core : problems_.cores)
      for (cpu::CpuTask& task : core.tasks) task.waiting = task.polled = {};
    for (const ProblemTask& problem_task : problems_.problem_tasks) {
      if (!problem_task.waiting) continue;
      Duration waiting;
      for (const Duration segment : solution_.gpu.tasks[*problem_task.waiting].gpu_segments)
        waiting = std::min(nvidia::longest_analyzed, waiting + std::min(nvidia::longest_analyzed, segment));
      for (const nvidia::WaitSegment& wait : solution_.longest_waits(problems_.gpu.problem, *problem_task.waiting))
        waiting = std::min(
            nvidia::longest_analyzed,
            waiting + std::min(nvidia::longest_analyzed, solution_.gpu.tasks[wait.task].gpu_segments[wait.segment]));
      cpu::CpuTask& task = problems_.cores[*problem_task.core].tasks[problem_task.at];
      const bool polls = problems_.gpu.problem.tasks[*problem_task.waiting].wait == nvidia::WaitMode::busy;
      task.waiting = waiting;
      task.polled = polls ? waiting : Duration{};
    }
    events_.add();
    semaphores_.begin();
    solution_.cores.resize(problems_.cores.size());
    for (std::size_t round = 0;; ++round) {
      for (std::size_t core = 0; core < problems_.cores.size(); ++core)
        if (cores_.cores[core].apart)
          solution_.cores[core] = cores_.cores[core].analysis->bounds(problems_.cores[core]);
      if (!semaphores_.raise(solution_.cores, round < max_semaphore_rounds, faults_)) return;
    }
  }

  /// Updates the jitters from the bounds; returns whether any changed.
  bool raise_jitters(bool may_grow) {
    bool changed = false;
    for (const ProblemTask& problem_task : problems_.problem_tasks) {
      Activation* activation = activation_of(problem_task);
      if (activation == nullptr || !activation->source || problems_.is_unlimited(problem_task)) continue;
      const auto jitter = jitter_after(*activation->source);
      if (jitter && *jitter <= activation->jitter) continue;
      changed = true;
      if (jitter && *jitter < nvidia::longest_analyzed && may_grow) {
        activation->jitter = *jitter;
        continue;
      }
      problems_.set_unlimited(problem_task);
      faults_[problem_task.task] =
          fmt::format("it is triggered by {}, {}", subject_.name(activation->source->task),
                      jitter ? "and the fixed-point iteration of the two bounds diverges" : "which has no bound");
    }
    return changed;
  }

  /// The same for the responses of tasks on separate cores that wait for GPUs: the longest of all activations.
  bool raise_responses(bool may_grow) {
    bool changed = false;
    for (std::size_t index = 0; index < problems_.gpu.problem.tasks.size(); ++index) {
      auto& stated = problems_.gpu.problem.tasks[index].elsewhere;
      if (!stated || !*stated || problems_.gpu.problem.tasks[index].unlimited) continue;
      std::optional<Duration> longest = **stated;
      for (const std::size_t each : problems_.of_task[problems_.gpu.members[index].task]) {
        const auto response = solution_.response_of(problems_.problem_tasks[each]);
        longest = longest && response ? std::optional(std::max(*longest, *response)) : std::nullopt;
      }
      if (longest == *stated) continue;
      changed = true;
      *stated = may_grow ? longest : std::nullopt;
    }
    return changed;
  }

  /// The same for the label accesses of cores that are analyzed separately, which slow down operations of the GPU.
  bool raise_accesses(bool may_grow) {
    bool changed = false;
    unbounded_accesses_.resize(problems_.gpu.other_accesses.size());
    for (std::size_t at = 0; at < problems_.gpu.other_accesses.size(); ++at) {
      nvidia::CpuDemand& demand = problems_.gpu.problem.other_accesses[at].demand;
      const auto& [index, shortest_job] = problems_.gpu.other_accesses[at];
      const ProblemTask& problem_task = problems_.problem_tasks[index];
      if (!demand || unbounded_accesses_[at]) continue;
      const auto response = solution_.response_of(problem_task);
      const bool bounded = response && !problems_.is_unlimited(problem_task);
      const Duration jitter = bounded ? problems_.jitter_of(problem_task) + *response : Duration{};
      if (bounded && jitter <= demand->jitter) continue;
      changed = true;
      if (bounded && may_grow) {
        demand->jitter = jitter;
        continue;
      }
      unbounded_accesses_[at] = true;
      demand = problems_.is_unlimited(problem_task) ? std::nullopt
                                                    : nvidia::accesses_without_response(shortest_job, demand->work);
    }
    return changed;
  }

  /// The release jitter of a triggered task; nothing if the source has no bound.
  std::optional<Duration> jitter_after(const Activation::Source& source) {
    const auto& problem_tasks = problems_.of_task[source.task];
    if (source.activation >= problem_tasks.size()) return std::nullopt;
    const ProblemTask& problem_task = problems_.problem_tasks[problem_tasks[source.activation]];
    const auto response = solution_.response_of(problem_task);
    const Activation* activation = activation_of(problem_task);
    // A device task for which a host waits: the activation of the host that triggers it.
    if (problem_task.task != source.task)
      if (const auto& host = activations_[source.task].all[source.activation].source)
        activation = &activations_[host->task].all[host->activation];
    if (!response || activation == nullptr) return std::nullopt;
    Duration latest = activation->jitter + *response;
    // The response of a device task may be that of the host that waits for it.
    if (problem_task.task != source.task) return latest;
    Duration certain = source.certain;
    if (problem_task.core && !is_merged(problem_task)) {
      const cpu::CpuBound& bound = solution_.cores[*problem_task.core][problem_task.at];
      if (bound.end_jitter) latest = std::min(latest, *bound.end_jitter);
      const auto trigger = trigger_jitter(problem_task, source);
      if (trigger && *trigger - source.before < latest - std::min(latest, certain)) {
        latest = *trigger;
        certain = source.before;
      }
    }
    return latest - std::min(latest, certain);
  }

  /// When the source has triggered at the latest, if its bound tells.
  std::optional<Duration> trigger_jitter(const ProblemTask& problem_task, const Activation::Source& source) const {
    const auto& jitters = solution_.cores[*problem_task.core][problem_task.at].trigger_jitters;
    if (jitters.empty() || !source.most_before) return std::nullopt;
    const auto& triggers = problems_.cores[*problem_task.core].rows[problem_task.at].triggers;
    const auto at = std::find(triggers.begin(), triggers.end(), *source.most_before);
    return at == triggers.end() ? std::nullopt
                                : std::optional(jitters[static_cast<std::size_t>(at - triggers.begin())]);
  }

  const AnalyzedSystem& subject_;
  const CoreModels& cores_;
  std::vector<Activations>& activations_;
  Problems& problems_;
  Faults& faults_;
  std::vector<bool> unbounded_accesses_;
  EventWaits events_;
  SemaphoreWaits semaphores_;
  Solution solution_;
};

}  // namespace

std::optional<Duration> Solution::response_of(const ProblemTask& problem_task) const {
  if (!problem_task.core) return gpu.tasks[problem_task.at].response;
  const auto& response = cores[*problem_task.core][problem_task.at].response;
  return response && *response < nvidia::longest_analyzed ? response : std::nullopt;
}

std::vector<nvidia::WaitSegment> Solution::longest_waits(const nvidia::TimeSliceProblem& problem,
                                                         std::size_t at) const {
  const std::vector<nvidia::WaitSegment> waits = nvidia::waits_of(problem.tasks[at]);
  std::vector<Duration> times;
  for (const nvidia::WaitSegment& wait : waits) times.push_back(gpu.tasks[wait.task].gpu_segments[wait.segment]);
  std::vector<nvidia::WaitSegment> longest;
  for (const std::size_t index : nvidia::longest_waits(waits, times)) longest.push_back(waits[index]);
  return longest;
}

Solution solve(const ProblemInput& input, const Triggers& triggers, std::vector<Activations>& activations,
               Problems& problems, Faults& faults) {
  return FixedPoint(input, triggers, activations, problems, faults).run();
}

}  // namespace amalthea::engine::bounds
