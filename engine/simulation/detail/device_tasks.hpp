// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Device tasks: what their jobs submit to GPUs, one operation after the other, and what becomes of it.

#include <memory>
#include <optional>
#include <vector>

#include "engine/devices/makers.hpp"
#include "engine/simulation/detail/branches.hpp"
#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/timeless_activities.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

class DeviceTasks {
 public:
  /// `recorded`: what engines and blocks do is told.
  DeviceTasks(const SimulationInput& input, const Clock& clock, Jobs& jobs, TimelessActivities& activities,
              Branches& branches, const Listeners& listeners, bool recorded);

  /// When something happens on a device.
  Instant next() const;
  /// Time has come to now: operations end, and their jobs go on.
  void advance();
  /// Those that can go on do.
  void go_on();
  bool can_go_on() const { return !jobs_.going_on().empty(); }
  /// The engines choose whom they serve.
  void settle();
  /// Tells what has begun and ended on the devices at this instant.
  void notify_operations();
  /// Whether anything may have changed for an operation at this instant.
  bool changed() const { return changed_; }

  /// The job has submitted something that has not ended.
  bool is_at_work(TaskIndex task) const { return states_[task].operation.has_value(); }
  /// Why that takes its time.
  Reason reason(TaskIndex task) const;
  /// Which engine executes it.
  gpu::EngineIndex engine_of(TaskIndex task) const;
  /// How the devices were used up to now.
  void measure(std::vector<ResourceResult>& resources);

 private:
  struct Device {
    UnitIndex unit = 0;
    std::unique_ptr<gpu::Device> gpu;
    std::vector<TaskIndex> task_of_operation;
    std::vector<gpu::EngineSlice> slices;     ///< not yet told
    std::vector<gpu::BlockStep> block_steps;  ///< the same
    Instant due = Instant::never();           ///< when something happens there
    bool changed = true;                      ///< it is to settle; at first it is
  };
  struct State {
    std::size_t device = 0;
    gpu::StreamIndex stream = 0;
    std::optional<gpu::OperationId> operation;  ///< submitted and not completed
    Instant submitted;                          ///< when it was
  };
  void build_streams(const SimulationInput& input);
  void go_on(TaskIndex task);
  void submit(TaskIndex task);
  void notify_blocks(Device& device);

  const System& system_;
  const Clock& clock_;
  Jobs& jobs_;
  TimelessActivities& activities_;
  Branches& branches_;
  const Listeners& listeners_;
  const bool recorded_;
  std::vector<Device> devices_;
  std::vector<State> states_;  ///< of every task
  std::vector<gpu::OperationId> completed_;
  bool changed_ = false;
  Instant advanced_to_;
};

}  // namespace amalthea::engine::simulation
