// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether a schedule depends on which of several SMs with equal room gets a block. The papers state the room (N14), and
/// an order of the SMs for one GPU only. Such an order proves nothing.

#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/bounds/detail/analyzed_system.hpp"
#include "engine/gpu/occupancy.hpp"
#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::engine::bounds {

/// The choice has no effect among SMs with the same blocks since the same instants, and where all blocks need the same.
/// Where the cluster (GPC) of a kernel matters to others, whole clusters are compared. Kernels whose instructions compete on SMs are not its subject.
class PlacementTies {
 public:
  PlacementTies(const AnalyzedSystem& subject, const std::vector<TaskIndex>& part);

  /// All of the part, in their order.
  void block(const BlockChange& change);
  bool found() const { return found_; }

 private:
  struct Blocks {
    gpu::SmUse use;
    std::vector<bool> mask;  ///< empty: all SMs
  };
  struct Sm {
    gpu::SmUse use;
    std::multiset<std::tuple<TaskIndex, std::size_t, Instant>> blocks;  ///< task, step and begin of each
    std::vector<bool> masks;   ///< of each kernel with a mask: whether it may use it
    std::int64_t cluster = 0;  ///< 0 unless it matters
  };
  struct Gpu {
    gpu::SmLimits limits;
    std::vector<Sm> sms;
    bool matters = false;
  };

  static bool are_alike(const Gpu& gpu, const Sm& a, const Sm& b);
  bool may_choose_another(const Gpu& gpu, const Sm& chosen, const Blocks& kernel) const;

  const AnalyzedSystem& subject_;
  std::map<std::pair<TaskIndex, std::size_t>, Blocks> kernels_;
  std::map<UnitIndex, Gpu> gpus_;
  bool found_ = false;
};

}  // namespace amalthea::engine::bounds
