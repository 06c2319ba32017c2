// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Jobs of tasks, one after the other: from the release through the steps of the program to the end.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "amalthea/distribution.hpp"
#include "engine/cpu/core_scheduling.hpp"
#include "engine/simulation/detail/clock.hpp"
#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/task_list.hpp"
#include "engine/simulation/simulation.hpp"

namespace amalthea::engine::simulation {

/// The current job of a task.
struct Job {
  bool active = false;    ///< it has begun and not ended
  bool waiting = false;   ///< in a wait that is not satisfied
  bool parked = false;    ///< waits for a semaphore
  bool granted = false;   ///< got the semaphore it waited for
  bool at_point = false;  ///< cooperative: the current step begins at a schedule point
  std::size_t step = 0;   ///< next or current step
  Instant release;
  std::uint64_t number = 0;              ///< from 0; for a task without a job, the number of the next one
  Duration remaining;                    ///< of the current execute step
  Duration work;                         ///< of the current step, in this job
  std::optional<Instant> started;        ///< when it first ran, or submitted something
  std::optional<RandomStream> random;    ///< for its execution times; created at the first one that varies
  std::optional<RandomStream> chance;    ///< for its branches; created at the first one
  std::deque<Instant> waiting_releases;  ///< releases of later jobs
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
  /// Whether a job with this release is measured.
  bool is_measured(Instant release) const { return release < end_; }
  /// Measured jobs that have not ended.
  std::uint64_t outstanding() const { return outstanding_; }

  void release(TaskIndex task, StimulusIndex stimulus, std::optional<TaskIndex> by);
  /// The current step begins to run (host) or is submitted (device).
  void begin_step(TaskIndex task);
  /// The current step has ended.
  void end_step(TaskIndex task);
  void go_to(TaskIndex task, std::size_t step);
  /// A host task must not be in its ready queue any more.
  void end_job(TaskIndex task);

  /// Device tasks that can continue, in the order in which they became able to. The caller empties the list.
  std::vector<TaskIndex>& going_on() { return going_on_; }
  /// Tasks with a job, in the order of its start.
  const TaskList& active() const { return active_; }
  const TaskList& active_on_devices() const { return active_on_devices_; }

 private:
  void begin_job(TaskIndex task, Instant release);
  void load_step(TaskIndex task);

  const System& system_;
  const std::vector<Program>& programs_;
  const Instant end_;  ///< end of the measured time
  const std::uint64_t seed_;
  Clock& clock_;
  CoreScheduling& cpu_;
  const Listeners& listeners_;
  std::vector<Job> jobs_;                                 ///< parallel to System::tasks
  std::vector<std::vector<const Activity*>> activities_;  ///< of the steps of every task
  TaskList active_, active_on_devices_;
  std::vector<TaskIndex> going_on_;
  std::uint64_t outstanding_ = 0;
};

}  // namespace amalthea::engine::simulation
