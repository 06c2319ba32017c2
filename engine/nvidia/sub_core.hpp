// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// One warp scheduler with its pipelines and warps, cycle by cycle (W1, warps.hpp). Warps may be added at any cycle, so
/// that blocks can start on an SM while others execute. A copy is a state from which to look ahead.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/nvidia/warp_policies.hpp"
#include "engine/nvidia/warps.hpp"

namespace amalthea::engine::nvidia {

class SubCore {
 public:
  /// A warp as it is added.
  struct Added {
    const std::vector<WarpInstruction>* program = nullptr;  ///< must outlive the warp; not empty
    std::int64_t release = 0;  ///< it may issue from this cycle on, which must not be before the current one
    std::int64_t budget = 1;
    WarpIndex index = 0;  ///< a name for the caller
  };
  struct Warp {
    Added given;
    std::size_t next = 0;       ///< instruction
    std::int64_t ready_at = 0;  ///< earliest cycle at which it may issue, with regard to latency
    std::int64_t finish = 0;    ///< once it has ended: the cycle after its last issue
    WarpCycles cycles;          ///< in which `step` observed it
    bool has_ended() const { return next == given.program->size(); }
  };

  SubCore(const WarpPolicy& policy, const WarpPipelines& pipelines) : policy_(&policy), pipelines_(&pipelines) {}

  /// Orders among equals and cyclic orders are those in which warps are added. The sub-core forgets warps that have ended
  /// before.
  void add(const Added& warp);
  /// Executes one cycle, and accounts for the cycle of every warp. The warp that issues, if any.
  std::optional<WarpIndex> step();
  /// Executes cycles until a warp ends, but none from `limit` on. The warp that has ended, if any; it ended before
  /// `cycle`.
  std::optional<WarpIndex> run(std::int64_t limit);

  std::int64_t cycle() const { return cycle_; }  ///< the next one
  bool has_warps() const { return left_ > 0; }   ///< that have not ended
  /// Those that have ended since the last addition are included.
  const std::vector<Warp>& warps() const { return warps_; }
  std::int64_t group_switches() const { return memory_.group_switches; }  ///< by budgets that were used up
  std::int64_t second_issues() const { return second_issues_; }           ///< in the cycle of another one

 private:
  const WarpPipelines::Use& use_of(const Warp& warp) const;
  std::optional<std::size_t> select();
  void account(std::size_t warp, std::optional<std::size_t> choice);
  bool issue(Warp& warp);
  std::size_t issue_one(Warp& warp);
  void forget_ended();
  std::int64_t next_change() const;

  const WarpPolicy* policy_;
  const WarpPipelines* pipelines_;
  std::vector<Warp> warps_;
  std::vector<WarpView> views_;  ///< parallel to warps_
  WarpMemory memory_;
  std::array<std::int64_t, warp_unit_names.size()> occupied_until_{};
  std::size_t left_ = 0;
  std::size_t added_ = 0;
  std::int64_t cycle_ = 0;
  std::int64_t second_issues_ = 0;
};

}  // namespace amalthea::engine::nvidia
