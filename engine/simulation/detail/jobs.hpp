// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Jobs of tasks, one after the other: from the release through the steps of the program to the end.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "amalthea/distribution.hpp"
#include "engine/cpu/detail/core_scheduling.hpp"
#include "engine/simulation/detail/clock.hpp"
#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/task_list.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine::simulation {

/// A task's present job.
struct Job {
  bool active = false;    ///< it has begun, and not ended
  bool waiting = false;   ///< in a wait that is not satisfied
  bool parked = false;    ///< waits for a semaphore
  bool granted = false;   ///< has been given the semaphore it waited for
  bool at_point = false;  ///< cooperative: the present step begins where it may be left
  std::size_t step = 0;   ///< next or present step
  Instant release;
  std::uint64_t number = 0;              ///< from 0; of a task without a job that of the next one
  Duration remaining;                    ///< of the present execute step
  Duration work;                         ///< of the present step, in this job
  std::optional<Instant> started;        ///< when it first ran, or submitted something
  std::optional<RandomStream> random;    ///< of its execution times, from the first that varies on
  std::optional<RandomStream> chance;    ///< of its branches, from the first on
  std::deque<Instant> waiting_releases;  ///< of those that come after it
};

class Jobs {
 public:
  Jobs(const SimulationInput& input, Clock& clock, CoreScheduling& cpu, const Listeners& listeners);

  Job& operator[](TaskIndex task) { return jobs_[task]; }
  const Job& operator[](TaskIndex task) const { return jobs_[task]; }
  bool on_device(TaskIndex task) const { return system_.tasks[task].side == Side::device; }
  bool at_end(TaskIndex task) const { return jobs_[task].step == programs_[task].steps.size(); }
  const Step& step(TaskIndex task) const { return programs_[task].steps[jobs_[task].step]; }
  const Activity& activity(TaskIndex task) const { return *activities_[task][jobs_[task].step]; }
  /// Whether a job with this release counts.
  bool is_measured(Instant release) const { return release < end_; }
  /// Measured jobs that have not ended.
  std::uint64_t outstanding() const { return outstanding_; }

  void release(TaskIndex task, StimulusIndex stimulus, std::optional<TaskIndex> by);
  /// The present step begins to run (host) or is submitted (device).
  void begin_step(TaskIndex task);
  /// The present step has ended.
  void end_step(TaskIndex task);
  void go_to(TaskIndex task, std::size_t step);
  /// A host task must be out of its ready queue.
  void end_job(TaskIndex task);

  /// Device tasks that can go on, in the order in which they came to. Whoever takes them empties it.
  std::vector<TaskIndex>& going_on() { return going_on_; }
  /// Those with a job, in order of its start.
  const TaskList& active() const { return active_; }
  const TaskList& active_on_devices() const { return active_on_devices_; }

 private:
  void begin_job(TaskIndex task, Instant release);
  void load_step(TaskIndex task);

  const System& system_;
  const std::vector<Program>& programs_;
  const Instant end_;  ///< of the measured time
  const std::uint64_t seed_;
  Clock& clock_;
  CoreScheduling& cpu_;
  const Listeners& listeners_;
  std::vector<Job> jobs_;                                 ///< parallel to System::tasks
  std::vector<std::vector<const Activity*>> activities_;  ///< of every task's steps
  TaskList active_, active_on_devices_;
  std::vector<TaskIndex> going_on_;
  std::uint64_t outstanding_ = 0;
};

}  // namespace amalthea::engine::simulation
