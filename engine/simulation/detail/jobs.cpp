// SPDX-License-Identifier: Apache-2.0
#include "engine/simulation/detail/jobs.hpp"

#include "engine/simulation/detail/listeners.hpp"

namespace amalthea::engine::simulation {

Jobs::Jobs(const SimulationInput& input, Clock& clock, CoreScheduling& cpu, const Listeners& listeners)
    : system_(input.system),
      programs_(input.programs),
      end_(Instant::at(input.until)),
      seed_(input.seed),
      clock_(clock),
      cpu_(cpu),
      listeners_(listeners),
      jobs_(input.system.tasks.size()),
      activities_(jobs_.size()),
      active_(jobs_.size()),
      active_on_devices_(jobs_.size()) {
  for (TaskIndex task = 0; task < jobs_.size(); ++task)
    for (const Step& step : programs_[task].steps) activities_[task].push_back(&system_.graph[step.node].activity);
}

void Jobs::release(TaskIndex task, StimulusIndex stimulus, std::optional<TaskIndex> by) {
  Job& job = jobs_[task];
  const std::uint32_t limit = system_.tasks[task].activation_limit;
  const bool lost = job.active && limit != 0 && job.waiting_releases.size() + 1 >= limit;
  listeners_.notify(Activated{task, stimulus, by, lost});
  if (lost) return;
  if (job.active)
    job.waiting_releases.push_back(clock_.now());
  else
    begin_job(task, clock_.now());
  if (is_measured(clock_.now())) ++outstanding_;
}

void Jobs::begin_job(TaskIndex task, Instant release) {
  Job& job = jobs_[task];
  job.active = true;
  job.release = release;
  job.waiting = job.parked = job.granted = false;
  job.started.reset();
  job.random.reset();
  job.chance.reset();
  active_.add(task);
  if (on_device(task)) active_on_devices_.add(task);
  listeners_.notify(JobBegun{task});
  go_to(task, 0);
  if (on_device(task)) {
    going_on_.push_back(task);
  } else {
    cpu_.released(task, release);
    cpu_.make_ready(task, clock_.now());
  }
}

void Jobs::load_step(TaskIndex task) {
  if (at_end(task)) return;
  Job& job = jobs_[task];
  const Step& present = step(task);
  if (present.varying && !job.random) job.random = execution_stream(seed_, task, job.number);
  job.work = present.varying ? work_of(present, *job.random) : present.work;
  job.remaining = present.kind == StepKind::execute ? job.work : Duration{};
}

void Jobs::begin_step(TaskIndex task) { listeners_.notify(StepBegun{task}); }

void Jobs::end_step(TaskIndex task) {
  clock_.count_step();
  begin_step(task);
  listeners_.notify(StepEnded{task});
  go_to(task, step(task).next);
}

void Jobs::go_to(TaskIndex task, std::size_t step) {
  jobs_[task].step = step;
  jobs_[task].at_point = false;
  listeners_.notify(StepChanged{task});
  load_step(task);
}

void Jobs::end_job(TaskIndex task) {
  Job& job = jobs_[task];
  listeners_.notify(JobEnded{task});
  job.active = false;
  ++job.number;
  active_.remove(task);
  if (on_device(task)) active_on_devices_.remove(task);
  if (is_measured(job.release)) --outstanding_;
  if (job.waiting_releases.empty()) return;
  const Instant release = job.waiting_releases.front();
  job.waiting_releases.pop_front();
  begin_job(task, release);
}

}  // namespace amalthea::engine::simulation
