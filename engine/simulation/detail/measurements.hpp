// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The measurements of a simulation: for every task the times of its measured jobs, its longest job, and when its jobs
/// read and wrote.

#include <optional>
#include <vector>

#include "engine/results/results.hpp"
#include "engine/simulation/detail/events.hpp"
#include "engine/simulation/detail/jobs.hpp"

namespace amalthea::engine::simulation {

class Accounts;

class Measurements {
 public:
  Measurements(const SimulationInput& input, const Clock& clock, const Jobs& jobs, Accounts& accounts);

  void on(const Activated& event);
  void on(const JobBegun& event);
  void on(const JobEnded& event);
  void on(const StepBegun& event);
  void on(const StepEnded& event);
  void on(const OperationSubmitted& event);
  void on(const OperationEnded& event);
  void on(const CoreGiven& event);
  void on(const Preempted& event);

  /// Everything except the utilization of resources. No measurement is possible afterwards.
  void report(Results& results);

 private:
  struct RunnableMeasurement {
    Instant start, end;  ///< in the current job
    bool seen = false;   ///< in the current job
    std::vector<Duration> durations;
  };
  struct JobBefore {
    Instant release, start, end;
  };
  struct OperationMeasurement {
    std::vector<Duration> durations;
    Duration longest;
    std::vector<Contribution> parts;  ///< of the longest
  };
  struct TaskMeasurement {
    std::vector<Duration> responses;
    Duration worst;
    Instant worst_release;
    std::vector<Contribution> worst_parts;
    std::uint64_t lost = 0;
    ProcessMetrics metrics;
    std::optional<JobBefore> before;
    std::vector<RunnableMeasurement> runnables;    ///< for each of Program::runnables
    std::vector<OperationMeasurement> operations;  ///< for each step
    std::vector<Contribution> before_operation;    ///< the parts of the current job's time up to its last submission
    bool in_chain = false;                         ///< the accesses of its jobs are recorded
    std::vector<JobAccess> accesses;               ///< of all ended jobs
  };
  void measure(TaskIndex task, Instant started);
  void report_task(TaskIndex task, Results& results);

  const SimulationInput& input_;
  const System& system_;
  const Clock& clock_;
  const Jobs& jobs_;
  Accounts& accounts_;
  std::vector<TaskMeasurement> tasks_;  ///< for every task
};

}  // namespace amalthea::engine::simulation
