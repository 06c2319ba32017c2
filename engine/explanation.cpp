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
  JobWatcher watcher(task, *result.worst_release, result.response.max);
  SimulationInput input{
      system, programs, preparation->devices, preparation->until, preparation->grace, preparation->periods};
  input.execution = options.execution;
  input.max_steps = options.max_steps;
  input.contention = options.contention;
  input.observer = &watcher;
  Results again;
  simulate(input, again);
  if (!watcher.found()) return tl::unexpected(std::string("the longest job did not recur in the second simulation"));

  Explanation explanation;
  explanation.task = task;
  explanation.job = watcher.job();
  explanation.release = *result.worst_release;
  explanation.completion = explanation.release + result.response.max;
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
  const std::vector<bool> wanted = units_of(system, task, explanation.own);
  for (Interval& interval : watcher.others())
    if (wanted[*interval.unit]) explanation.others.push_back(interval);
  std::stable_sort(explanation.others.begin(), explanation.others.end(),
                   [](const Interval& a, const Interval& b) { return a.from < b.from; });
  return explanation;
}

}  // namespace amalthea::engine
