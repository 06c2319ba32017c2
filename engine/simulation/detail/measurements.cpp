// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/measurements.hpp"

#include <algorithm>
#include <utility>

#include "engine/simulation/detail/accounts.hpp"

namespace amalthea::engine::simulation {
namespace {

/// What was added to the parts of a job since `before`: parts keep their order, and their times only grow.
std::vector<Contribution> difference(const std::vector<Contribution>& now, const std::vector<Contribution>& before) {
  std::vector<Contribution> added;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Duration time = i < before.size() ? now[i].time - before[i].time : now[i].time;
    if (!time.is_zero()) added.push_back({now[i].kind, now[i].by, time, now[i].traffic});
  }
  return added;
}

}  // namespace

Measurements::Measurements(const SimulationInput& input, const Clock& clock, const Jobs& jobs, Accounts& accounts)
    : input_(input),
      system_(input.system),
      clock_(clock),
      jobs_(jobs),
      accounts_(accounts),
      tasks_(input.system.tasks.size()) {
  for (TaskIndex task = 0; task < tasks_.size(); ++task) {
    tasks_[task].runnables.resize(input.programs[task].runnables.size());
    tasks_[task].operations.resize(input.programs[task].steps.size());
  }
  for (const Chain& chain : system_.chains)
    for (const TaskIndex task : chain.tasks) tasks_[task].in_chain = true;
  for (const Requirement& requirement : system_.requirements)
    if (const auto* chain = std::get_if<Requirement::OfChain>(&requirement.subject))
      for (const TaskIndex task : chain->tasks) tasks_[task].in_chain = true;
}

// ---- events

void Measurements::on(const Activated& event) {
  if (!jobs_.is_measured(clock_.now())) return;
  ++(event.lost ? tasks_[event.task].lost : tasks_[event.task].metrics.activations);
}

void Measurements::on(const JobBegun& event) {
  for (RunnableMeasurement& runnable : tasks_[event.task].runnables) runnable.seen = false;
}

void Measurements::on(const StepBegun& event) {
  const auto& index = jobs_.step(event.task).runnable;
  if (!index) return;
  RunnableMeasurement& runnable = tasks_[event.task].runnables[*index];
  if (!runnable.seen) runnable.start = clock_.now();
  runnable.seen = true;
}

void Measurements::on(const StepEnded& event) {
  if (const auto& runnable = jobs_.step(event.task).runnable)
    tasks_[event.task].runnables[*runnable].end = clock_.now();
}

void Measurements::on(const OperationSubmitted& event) {
  if (jobs_.is_measured(jobs_[event.task].release))
    tasks_[event.task].before_operation = accounts_.parts_so_far(event.task);
}

void Measurements::on(const OperationEnded& event) {
  const Job& job = jobs_[event.task];
  if (!jobs_.is_measured(job.release)) return;
  TaskMeasurement& of = tasks_[event.task];
  OperationMeasurement& operation = of.operations[job.step];
  const Duration duration = clock_.now() - event.submitted;
  if (operation.durations.empty() || duration > operation.longest) {
    operation.longest = duration;
    operation.parts = difference(accounts_.parts_so_far(event.task), of.before_operation);
  }
  operation.durations.push_back(duration);
}

void Measurements::on(const CoreGiven& event) {
  if (event.moved && jobs_.is_measured(jobs_[event.task].release)) ++tasks_[event.task].metrics.migrations;
}

void Measurements::on(const Preempted& event) {
  if (jobs_.is_measured(jobs_[event.task].release)) ++tasks_[event.task].metrics.preemptions;
}

void Measurements::on(const JobEnded& event) {
  const TaskIndex task = event.task;
  TaskMeasurement& of = tasks_[task];
  const Job& job = jobs_[task];
  const Instant now = clock_.now(), started = job.started.value_or(now);
  const bool measured = jobs_.is_measured(job.release);
  if (measured) measure(task, started);
  of.before = {job.release, started, now};
  if (of.in_chain) of.accesses.push_back({started, now, job.release});
  if (!measured) return;
  const Duration response = now - job.release;
  if (of.responses.empty() || response > of.worst) {
    of.worst = response;
    of.worst_release = job.release;
    of.worst_parts = accounts_.take_parts(task);
    keep_largest(of.worst_parts, input_.contributions);
  }
  of.responses.push_back(response);
  for (RunnableMeasurement& runnable : of.runnables)
    if (runnable.seen) runnable.durations.push_back(runnable.end - runnable.start);
}

void Measurements::measure(TaskIndex task, Instant started) {
  ProcessMetrics& metrics = tasks_[task].metrics;
  const JobTimes& times = accounts_.times(task);
  const Instant now = clock_.now(), release = jobs_[task].release;
  const Duration running = times.in(ProcessState::running), polling = times.in(ProcessState::polling);
  metrics[TimeMetric::start_delay].add(started - release);
  metrics[TimeMetric::response_time].add(now - release);
  metrics[TimeMetric::gross_execution_time].add(now - started);
  metrics[TimeMetric::net_execution_time].add(running + polling);
  metrics[TimeMetric::core_execution_time].add(times.doing(Activities::computing));
  metrics[TimeMetric::memory_access_time].add(times.doing(Activities::accessing));
  metrics[TimeMetric::os_overhead].add(times.doing(Activities::operating_system));
  metrics[TimeMetric::running_time].add(running);
  metrics[TimeMetric::ready_time].add(times.in(ProcessState::ready));
  metrics[TimeMetric::waiting_time].add(times.in(ProcessState::waiting));
  metrics[TimeMetric::polling_time].add(polling);
  metrics[TimeMetric::parking_time].add(times.in(ProcessState::parking));
  if (const auto deadline = system_.tasks[task].deadline) metrics[TimeMetric::lateness].add(now - release - *deadline);
  const auto& before = tasks_[task].before;
  if (!before) return;
  metrics[TimeMetric::activate_to_activate].add(release - before->release);
  metrics[TimeMetric::start_to_start].add(started - before->start);
  metrics[TimeMetric::end_to_end].add(now - before->end);
  metrics[TimeMetric::end_to_start].add(started - before->end);
}

// ---- results

void Measurements::report(Results& results) {
  results.tasks.resize(tasks_.size());
  for (TaskIndex task = 0; task < tasks_.size(); ++task) report_task(task, results);
  for (TaskMeasurement& of : tasks_) results.accesses.push_back(std::move(of.accesses));
}

void Measurements::report_task(TaskIndex task, Results& results) {
  TaskMeasurement& of = tasks_[task];
  const Job& job = jobs_[task];
  TaskResult& result = results.tasks[task];
  // Measured jobs that have not ended: the current one, and those that wait for it.
  std::vector<Instant> unfinished;
  const auto add = [&](Instant release) {
    if (jobs_.is_measured(release)) unfinished.push_back(release);
  };
  if (job.active) add(job.release);
  for (const Instant release : job.waiting_releases) add(release);
  result.unfinished = unfinished.size();
  if (const auto deadline = system_.tasks[task].deadline)
    result.missed_deadlines =
        static_cast<std::uint64_t>(std::count_if(of.responses.begin(), of.responses.end(),
                                                 [&](Duration response) { return response > *deadline; }) +
                                   std::count_if(unfinished.begin(), unfinished.end(),
                                                 [&](Instant release) { return clock_.now() - release >= *deadline; }));
  result.lost_activations = of.lost;
  result.metrics = of.metrics;
  if (!of.responses.empty()) {
    result.worst_release = of.worst_release;
    result.contributions = std::move(of.worst_parts);
  }
  if (input_.keep_responses) results.responses.push_back(of.responses);
  result.response = summarise(std::move(of.responses));
  const Program& program = input_.programs[task];
  for (std::size_t i = 0; i < program.runnables.size(); ++i)
    results.runnables.push_back({program.runnables[i], task, summarise(std::move(of.runnables[i].durations))});
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (program.steps[i].kind == StepKind::copy || program.steps[i].kind == StepKind::kernel)
      results.operations.push_back({program.steps[i].node,
                                    task,
                                    summarise(std::move(of.operations[i].durations)),
                                    {},
                                    std::move(of.operations[i].parts)});
}

}  // namespace amalthea::engine::simulation
