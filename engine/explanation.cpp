// SPDX-License-Identifier: Apache-2.0
#include "engine/explanation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine {
namespace {

bool at_work(const Interval& interval) {
  const ProcessState state = interval.standing.state;
  return interval.unit && (state == ProcessState::running || state == ProcessState::polling);
}

/// Records the job to explain, and what other tasks do meanwhile.
class JobWatcher : public SimulationObserver {
 public:
  JobWatcher(TaskIndex task, Instant release, Duration response)
      : task_(task), release_(release), response_(response) {}

  bool wants_intervals_after(Instant now) const override { return now >= release_ && !found_; }
  bool wants_obstacles_of(TaskIndex task) const override { return task == task_; }

  void interval(const Interval& interval) override {
    if (interval.task == task_) {
      if (!found_) present_.push_back(interval);
      return;
    }
    if (at_work(interval) && interval.to > release_ && interval.from < release_ + response_) {
      others_.push_back(interval);
      others_.back().from = std::max(interval.from, release_);
      others_.back().to = std::min(interval.to, release_ + response_);
    }
  }

  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override {
    if (task != task_ || found_) return;
    found_ = release == release_ && now - release == response_;
    if (found_)
      job_ = job;
    else
      present_.clear();
  }

  bool found() const { return found_; }
  std::uint64_t job() const { return job_; }
  std::vector<Interval> own() { return std::move(present_); }
  std::vector<Interval> others() { return std::move(others_); }

 private:
  TaskIndex task_;
  Instant release_;
  Duration response_;
  bool found_ = false;
  std::uint64_t job_ = 0;
  std::vector<Interval> present_, others_;
};

/// Finds the first job that is late.
class LateFinder : public SimulationObserver {
 public:
  LateFinder(TaskIndex task, Duration deadline) : task_(task), deadline_(deadline) {}
  void completed(TaskIndex task, std::uint64_t, Instant release, Instant now) override {
    if (task == task_ && !release_ && now - release > deadline_) {
      release_ = release;
      response_ = now - release;
    }
  }
  std::optional<Instant> release() const { return release_; }
  Duration response() const { return response_; }

 private:
  TaskIndex task_;
  Duration deadline_;
  std::optional<Instant> release_;
  Duration response_;
};

/// Whether jobs wait for earlier ones ever longer: some never end, or the longest one waited for longer than its deadline.
bool lags_behind(const Task& task, const TaskResult& result) {
  if (!task.deadline || result.missed_deadlines == 0) return false;
  return result.unfinished > 0 ||
         std::any_of(result.contributions.begin(), result.contributions.end(), [&](const Contribution& part) {
           return part.kind == ContributionKind::backlog && part.time > *task.deadline;
         });
}

/// What the intervals of a job add up to.
std::vector<Contribution> summed(const std::vector<Interval>& own) {
  std::vector<Contribution> parts;
  for (const Interval& one : own) {
    Reason reason = one.standing.reason;
    // Its own work, whoever slows it down.
    if (reason.kind == ContributionKind::execution || reason.kind == ContributionKind::memory ||
        reason.kind == ContributionKind::copy || reason.kind == ContributionKind::kernel) {
      reason.by.reset();
      reason.traffic = TrafficKind::none;
    }
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Contribution& part) {
      return part.kind == reason.kind && part.by == reason.by && part.traffic == reason.traffic;
    });
    if (same == parts.end())
      parts.push_back({reason.kind, reason.by, one.to - one.from, reason.traffic});
    else
      same->time += one.to - one.from;
  }
  return parts;
}

/// The units that matter to a task: its cores, and its GPUs if any of its time is spent on them.
std::vector<bool> units_of(const System& system, TaskIndex task, const std::vector<Interval>& own) {
  std::vector<bool> wanted(system.platform.units.size(), false);
  wanted[system.tasks[task].unit] = true;
  for (const UnitIndex unit : system.tasks[task].units) wanted[unit] = true;
  for (const Interval& interval : own) {
    if (interval.unit) wanted[*interval.unit] = true;
    switch (interval.standing.reason.kind) {
      case ContributionKind::copy:
      case ContributionKind::kernel:
      case ContributionKind::engine_slice:
      case ContributionKind::engine_queue:
      case ContributionKind::context_switch:
      case ContributionKind::interference:
        for (UnitIndex unit = 0; unit < wanted.size(); ++unit)
          if (system.platform.units[unit].type == PuType::gpu) wanted[unit] = true;
        break;
      default:
        break;
    }
  }
  return wanted;
}

}  // namespace

tl::expected<Explanation, std::string> explain(const System& system, const AnalysisOptions& options,
                                               const Results& results, TaskIndex asked) {
  const TaskIndex task = system.tasks[asked].folded_into.value_or(asked);
  const TaskResult& result = results.tasks[task];
  if (!result.worst_release)
    return tl::unexpected(fmt::format("no job of {} ended in the {} that were simulated", system.tasks[task].name,
                                      format_duration(results.horizon)));
  Diagnostics ignored;  // already reported by the analysis
  const auto preparation = prepare_simulation(system, options, ignored);
  if (!preparation) return tl::unexpected(std::string("the system cannot be simulated"));
  const std::vector<Program> programs =
      compile_programs(system, options.execution, preparation->devices, options.compile);
  Instant release = *result.worst_release;
  Duration response = result.response.max;
  SimulationInput input{
      system, programs, preparation->devices, preparation->until, preparation->grace, preparation->periods};
  input.execution = options.execution;
  input.max_steps = options.max_steps;
  input.contention = options.contention;
  Explanation explanation;
  if (lags_behind(system.tasks[task], result)) {
    LateFinder late(task, *system.tasks[task].deadline);
    input.observer = &late;
    Results first;
    simulate(input, first);
    if (late.release()) {
      explanation.first_late = true;
      release = *late.release();
      response = late.response();
    }
  }
  JobWatcher watcher(task, release, response);
  input.observer = &watcher;
  Results again;
  simulate(input, again);
  if (!watcher.found()) return tl::unexpected(std::string("the longest job did not recur in the second simulation"));

  explanation.task = task;
  explanation.job = watcher.job();
  explanation.release = release;
  explanation.completion = release + response;
  explanation.own = watcher.own();
  if (const Instant begun = explanation.own.empty() ? explanation.completion : explanation.own.front().from;
      begun > explanation.release) {
    Interval backlog;
    backlog.task = task;
    backlog.job = explanation.job;
    backlog.release = backlog.from = explanation.release;
    backlog.to = begun;
    backlog.standing.reason = {ContributionKind::backlog, task, {}};
    explanation.own.insert(explanation.own.begin(), backlog);
  }
  explanation.contributions = explanation.first_late ? summed(explanation.own) : result.contributions;
  const std::vector<bool> wanted = units_of(system, task, explanation.own);
  for (Interval& interval : watcher.others())
    if (wanted[*interval.unit]) explanation.others.push_back(interval);
  std::stable_sort(explanation.others.begin(), explanation.others.end(),
                   [](const Interval& a, const Interval& b) { return a.from < b.from; });
  return explanation;
}

}  // namespace amalthea::engine
