// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Device tasks: their jobs submit operations to GPUs, one after the other.

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/devices/makers.hpp"
#include "engine/nvidia/sm_warps.hpp"
#include "engine/simulation/detail/branches.hpp"
#include "engine/simulation/detail/jobs.hpp"
#include "engine/simulation/detail/timeless_activities.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

class DeviceTasks {
 public:
  /// `recorded`: listeners are notified of engine slices and block steps.
  DeviceTasks(const SimulationInput& input, const Clock& clock, Jobs& jobs, TimelessActivities& activities,
              Branches& branches, const Listeners& listeners, bool recorded);

  /// The time of the next event on a device.
  Instant next() const;
  /// Advances the devices to the current time: operations end, and their jobs continue.
  void advance();
  /// Continues all jobs that can continue.
  void go_on();
  bool can_go_on() const { return !jobs_.going_on().empty(); }
  /// From now on, cores access the memory of this GPU like that, and execute these tasks.
  void set_cpu_traffic(UnitIndex unit, const gpu::CpuTraffic& traffic, std::vector<TaskIndex> by);
  /// The engines select what they execute next.
  void settle();
  /// The first operation in the order of the jobs that executes and accesses memory; nothing if there is none.
  struct Load {
    TaskIndex by = 0;
    TrafficKind kind = TrafficKind::none;
    friend bool operator==(const Load&, const Load&) = default;
  };
  std::optional<Load> load() const;
  std::vector<UnitIndex> units() const;
  /// Notifies listeners of operations that began or ended on the devices at this instant.
  void notify_operations();
  /// Whether anything may have changed for an operation at this instant.
  bool changed() const { return changed_; }

  /// Whether the job has submitted an operation that has not ended.
  bool is_at_work(TaskIndex task) const { return states_[task].operation.has_value(); }
  /// Why that operation takes time.
  Reason reason(TaskIndex task) const;
  /// The engine that executes it.
  gpu::EngineIndex engine_of(TaskIndex task) const;
  /// Adds the utilization of the devices up to now.
  void measure(std::vector<ResourceResult>& resources);

 private:
  struct Device {
    UnitIndex unit = 0;
    std::unique_ptr<gpu::Device> gpu;
    std::vector<TaskIndex> task_of_operation;
    std::vector<gpu::EngineSlice> slices;     ///< listeners are not yet notified of these
    std::vector<gpu::BlockStep> block_steps;  ///< listeners are not yet notified of these
    Instant due = Instant::never();           ///< time of the next event there
    bool changed = true;                      ///< settle() must visit it; initially true
    gpu::CpuTraffic traffic;
    std::vector<TaskIndex> traffic_by;
    std::map<NodeIndex, nvidia::BlockWarps> warps;    ///< of kernels whose instructions are simulated
    std::map<NodeIndex, gpu::CuMask> masks = {};      ///< of kernels that have one of their own
    std::map<NodeIndex, gpu::KernelCost> costs = {};  ///< of kernels that state some
  };
  struct State {
    std::size_t device = 0;
    gpu::StreamIndex stream = 0;
    std::optional<gpu::OperationId> operation;  ///< submitted and not completed
    Instant submitted;                          ///< when it was submitted
  };
  void build_streams(const SimulationInput& input);
  void add_kernels(TaskIndex task, const DeviceProfile& profile);
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
  std::vector<State> states_;  ///< for every task
  std::vector<gpu::OperationId> completed_;
  bool changed_ = false;
  Instant advanced_to_;
};

}  // namespace amalthea::engine::simulation
