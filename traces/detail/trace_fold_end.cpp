// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "traces/detail/trace_fold.hpp"

namespace amalthea::traces {
namespace {

using SubjectKind = Subject::Kind;

engine::Statistics statistics_of(const engine::Sample& sample) {
  if (sample.count() == 0) return {};
  return {sample.count(), sample.min(), sample.mean(), sample.percentile(990), sample.max()};
}

}  // namespace

// ---------------------------------------------------------------- jobs that end

void TraceFold::end_job(Job& job, const Event& event) {
  Process& process = processes_[event.target];
  for (const auto& [number, run] : job.runs.all())
    report(TraceFinding::illegal_event, event,
           fmt::format("{} terminates, but its runnable {} has not terminated", job_text(event.target, event.instance),
                       name(run.runnable)));
  const Subject& subject = subjects_[event.target];
  if (subject.kind == SubjectKind::task) {
    check_accesses(process, job, subject.index, event);
    measure_job(process, job, subject.index, event);
  } else if (subject.kind == SubjectKind::operation || subject.kind == SubjectKind::block) {
    const bool measured = job.whole && job.measured;
    MeasuredOperation& operation = comparison_.operations[subject.index];
    const Duration running = job.in[static_cast<std::size_t>(State::running)];
    if (measured && subject.kind == SubjectKind::block) operation.block.add(running);
    if (measured && subject.kind == SubjectKind::operation) {
      operation.execution.add(running);
      operation.duration.add(event.time - job.activation);
      check_bound(event, job_text(event.target, job.instance), "takes {} from its submission",
                  event.time - job.activation, expected_.operation_bounds[subject.index]);
    }
  }
  remove_job(event.target, job);
}

void TraceFold::measure_job(Process& process, Job& job, TaskIndex task, const Event& event) {
  const Instant now = event.time, started = job.start.value_or(now);
  if (expected_.in_chain[task] && job.whole && !job.unseen) {
    results_.accesses[task].push_back({started, now, job.activation});
    if (++accesses_ >= input_.max_accesses) {
      engine::fold_accesses(system_, results_.accesses, input_.max_accesses / 2, chains_);
      accesses_ = 0;
      for (const auto& jobs : results_.accesses) accesses_ += jobs.size();
    }
  }
  const bool measured = is_measured(job.activation);
  const auto in = [&](State state) { return job.in[static_cast<std::size_t>(state)]; };
  const Duration execution = in(State::running) + in(State::polling), response = now - job.activation;
  const Duration slack = resolution_ * (job.changes + 1);
  if (measured && expected_.longest[task] && in(State::running) > *expected_.longest[task] + slack)
    report(TraceFinding::long_execution, event,
           fmt::format("{} executes for {}, but at most {} by the model", job_text(event.target, job.instance),
                       format_duration(in(State::running)), format_duration(*expected_.longest[task])));
  if (measured && job.whole) {
    MeasuredTask& of = comparison_.tasks[task];
    of.execution.add(execution);
    const auto add = [&](TimeMetric metric, Duration value) { of.metrics[metric].add(value); };
    add(TimeMetric::gross_execution_time, now - started);
    add(TimeMetric::net_execution_time, execution);
    add(TimeMetric::running_time, in(State::running));
    add(TimeMetric::ready_time, in(State::ready));
    add(TimeMetric::waiting_time, in(State::waiting));
    add(TimeMetric::polling_time, in(State::polling));
    add(TimeMetric::parking_time, in(State::parking));
    const auto deadline = system_.tasks[task].deadline;
    if (deadline && response > *deadline) ++of.late;
    if (!job.unseen) {
      if (of.response.count() == 0 || response > of.response.max())
        of.longest = text_of(event.place, comparison_.files.back().path, comparison_.files.back().report.tables);
      of.response.add(response);
      add(TimeMetric::response_time, response);
      add(TimeMetric::start_delay, started - job.activation);
      if (deadline) add(TimeMetric::lateness, response - *deadline);
    }
    if (process.before && !job.unseen) {
      add(TimeMetric::activate_to_activate, job.activation - process.before->activation);
      add(TimeMetric::start_to_start, started - process.before->start);
      add(TimeMetric::end_to_end, now - process.before->end);
      add(TimeMetric::end_to_start, started - process.before->end);
    }
    check_bound(event, job_text(event.target, job.instance), "has a response time of {}", response,
                expected_.bounds[task]);
    for (const auto& [runnable, extent] : job.extents)
      this->measured(task, runnable).duration.add(extent.second - extent.first);
  }
  process.before.reset();
  if (!job.unseen) process.before = {job.activation, started, now};
  if (shown_ != nullptr) shown_->completed(task, job.instance, job.activation, now);
}

// ---------------------------------------------------------------- the end

void TraceFold::end(TraceFile file) {
  std::map<std::pair<EntityKind, std::string>, std::size_t> unmatched;
  for (std::size_t index = 0; index < comparison_.unmatched.size(); ++index)
    unmatched.emplace(std::pair(comparison_.unmatched[index].kind, comparison_.unmatched[index].name), index);
  for (EntityIndex entity = 0; entity < entities_.size(); ++entity) {
    const Subject subject = subjects_[entity];
    if (subject.kind == SubjectKind::unknown) {
      const Entity& unknown = entities_[entity];
      const auto [known, is_new] =
          unmatched.emplace(std::pair(unknown.kind, unknown.name), comparison_.unmatched.size());
      if (is_new) comparison_.unmatched.push_back({unknown.kind, unknown.name, 0});
      comparison_.unmatched[known->second].events += counts_[entity];
    }
    if (now_ > sources_[entity].at) report_awaited(entity);
    if (any_trigger_) report_untriggered(entity);
    const Core& core = cores_[entity];
    if (subject.kind == SubjectKind::core && core.process != no_entity && !has_intervals_)
      occupy(subject.index, core.since, now_);
    if (subject.kind != SubjectKind::task) continue;
    for (const Job& job : processes_[entity].jobs) {
      if (!job.whole || !is_measured(job.activation)) continue;
      MeasuredTask& of = comparison_.tasks[subject.index];
      ++of.unfinished;
      if (const auto deadline = system_.tasks[subject.index].deadline; deadline && now_ - job.activation >= *deadline)
        ++of.late;
    }
  }
  for (StimulusIndex stimulus = 0; stimulus < occurring_.size(); ++stimulus) {
    MeasuredStimulus& of = comparison_.stimuli[stimulus];
    if (occurring_[stimulus].occurrences.count() <= of.occurrences.count()) continue;
    of.occurrences = std::move(occurring_[stimulus].occurrences);
    of.resolution = resolution_;
  }
  file.begin = begin_;
  file.end = now_;
  file.truncated = truncated_;
  comparison_.files.back() = std::move(file);

  const Instant from = input_.from.value_or(begin_), to = std::min(now_, input_.until.value_or(now_));
  results_.horizon = to > from ? to - from : Duration::picoseconds(1);
  for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
    MeasuredTask& of = comparison_.tasks[task];
    of.metrics.activations = of.activations;
    engine::TaskResult& result = results_.tasks[task];
    result.response = statistics_of(of.response);
    result.unfinished = of.unfinished;
    result.lost_activations = of.lost;
    result.missed_deadlines = of.late;
    result.metrics = of.metrics;
  }
  for (const MeasuredRunnable& runnable : comparison_.runnables)
    if (runnable.duration.count() > 0)
      results_.runnables.push_back({runnable.runnable, runnable.task, statistics_of(runnable.duration)});
  for (UnitIndex unit = 0; unit < busy_.size(); ++unit)
    if (system_.platform.units[unit].type == PuType::cpu)
      results_.resources.push_back(
          {unit, engine::ResourceKind::core,
           static_cast<double>(busy_[unit].picoseconds()) / static_cast<double>(results_.horizon.picoseconds())});
  observer_.ended(now_);
  engine::judge_measurement(system_, observer_, chains_, results_);
  if (!comparison_.judged.tasks.empty()) engine::keep_worse_verdicts(comparison_.judged, results_);
  comparison_.judged = std::move(results_);
}

}  // namespace amalthea::traces
