// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Who accesses the memory at an instant, and what that does to others: cores that execute label accesses slow down
/// operations of GPUs and, under dynamic contention, each other; operations of GPUs slow accesses down.

#include <optional>
#include <vector>

#include "engine/simulation/detail/cores.hpp"
#include "engine/simulation/detail/device_tasks.hpp"
#include "engine/simulation/job_account.hpp"

namespace amalthea::engine::simulation {

class MemoryTraffic {
 public:
  MemoryTraffic(const SimulationInput& input, const CoreScheduling& cpu, const Jobs& jobs, Cores& cores,
                DeviceTasks& devices, const Listeners& listeners);

  /// Call it when cores and devices have decided what they execute from now on, but devices are not settled yet.
  void before_devices();
  /// Call it after devices are settled.
  void after_devices();

  /// For a task whose label access executes now.
  Reason reason_of_access(TaskIndex task) const;

 private:
  using CoreIndex = CoreScheduling::CoreIndex;

  /// How a step accesses the memory of a GPU.
  enum class Reach : std::uint8_t { none, sequential, random };
  struct Gpu {
    UnitIndex unit = 0;
    IndexSet sequential, random;              ///< cores that access its memory now
    std::vector<std::vector<Reach>> reaches;  ///< of every task, by step
  };
  /// The slowdown of an access, and who causes most of it.
  struct Cause {
    Slowdown slowdown;
    std::optional<TaskIndex> by;
    TrafficKind traffic = TrafficKind::none;
    std::vector<TaskIndex> also;
  };
  bool accesses_memory(TaskIndex task) const;
  Reach reach_of(UnitIndex gpu, const GraphNode& node) const;
  void classify(CoreIndex core);
  void update_speed(CoreIndex core);
  void add_executing(const IndexSet& cores, std::optional<CoreIndex> except, std::vector<TaskIndex>& tasks) const;

  const SimulationInput& input_;
  const Jobs& jobs_;
  Cores& cores_;
  DeviceTasks& devices_;
  const Listeners& listeners_;
  std::vector<std::vector<bool>> accesses_;  ///< of every task, by step
  std::vector<Gpu> gpus_;
  IndexSet accessing_;      ///< cores
  std::int64_t count_ = 0;  ///< of them
  bool changed_ = false;    ///< accessing cores, or their tasks, since the last speeds
  std::optional<DeviceTasks::Load> load_;
  std::vector<Cause> causes_;  ///< for every core
};

}  // namespace amalthea::engine::simulation
