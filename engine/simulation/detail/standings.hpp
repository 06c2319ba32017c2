// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The state of a job at this instant, and the reason for it.

#include <optional>

#include "engine/simulation/detail/cores.hpp"
#include "engine/simulation/detail/device_tasks.hpp"
#include "engine/simulation/detail/memory_traffic.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

class Standings {
 public:
  Standings(const System& system, const CoreScheduling& cpu, const Jobs& jobs, const TimelessActivities& activities,
            const Cores& cores, const DeviceTasks& devices, const MemoryTraffic& traffic)
      : system_(system),
        cpu_(cpu),
        jobs_(jobs),
        activities_(activities),
        cores_(cores),
        devices_(devices),
        traffic_(traffic) {}

  /// For a task with a job.
  Standing of(TaskIndex task) const;
  /// Whether it is ready but does not run. Only then its reason is an obstacle on the cores.
  bool is_kept_from_core(TaskIndex task) const;
  /// The state of such a task, without the reason.
  ProcessState kept_from_core(TaskIndex task) const {
    return jobs_[task].started ? ProcessState::ready : ProcessState::active;
  }
  /// Whether it waits for a device.
  bool waits_for_device(TaskIndex task) const;

  /// The unit that works for it: the core, or the GPU.
  std::optional<UnitIndex> unit_of(TaskIndex task) const;
  /// The activity it has reached.
  std::optional<NodeIndex> node_of(TaskIndex task) const;

 private:
  Activities doing(TaskIndex task) const;
  Reason reason_of_wait(TaskIndex task) const;
  Reason obstacle(TaskIndex task) const;

  const System& system_;
  const CoreScheduling& cpu_;
  const Jobs& jobs_;
  const TimelessActivities& activities_;
  const Cores& cores_;
  const DeviceTasks& devices_;
  const MemoryTraffic& traffic_;
};

}  // namespace amalthea::engine::simulation
