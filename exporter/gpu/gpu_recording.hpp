// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the simulation of a system does on one of its GPUs, as a run of streams: for the timelines of such runs.

#include <map>
#include <tuple>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::exporter {

/// Records the first `most` operations and their blocks. A kernel without a launch configuration is a block on every SM,
/// because it occupies the whole execution engine.
class GpuRecording final : public engine::SimulationObserver {
 public:
  /// The references must outlive it.
  GpuRecording(const System& system, UnitIndex gpu, const engine::DeviceProfile& profile, std::size_t most);

  bool wants_intervals() const override { return false; }
  bool wants_events() const override { return true; }
  void begins(const engine::SimulationInput& input) override { input_ = &input; }
  void operation(const engine::OperationChange& change) override;
  void block(const engine::BlockChange& change) override;
  void served(UnitIndex unit, const engine::gpu::EngineSlice& slice) override;

  /// After the simulation; operations that have not ended are left out. `run` has one entry for every operation. They
  /// are in the order of the stimuli that release their tasks, and of their submissions: as those of a scenario.
  struct Streams {
    engine::gpu::StreamScenario scenario;
    engine::gpu::StreamRun run;
  };
  Streams take() &&;

 private:
  using Key = std::tuple<TaskIndex, std::uint64_t, std::size_t>;
  engine::gpu::OperationRun* run_of(TaskIndex task, std::uint64_t job, std::size_t step);

  const System& system_;
  UnitIndex gpu_;
  std::size_t most_;
  const engine::SimulationInput* input_ = nullptr;
  Streams streams_;
  std::map<TaskIndex, std::size_t> stream_of_;
  std::map<Key, std::size_t> open_;  ///< operations that have not ended
  std::map<TaskIndex, std::size_t> rank_of_;
  std::vector<bool> ended_;         ///< parallel to the operations
  std::vector<std::size_t> ranks_;  ///< the same
};

}  // namespace amalthea::exporter
