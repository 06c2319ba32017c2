// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The order in which the warp scheduler of a sub-core selects its warps.
///
/// LRR and GTO as commonly described, and QAWS ("QoS-aware warp scheduling"): kernels have budgets, those with equal
/// budgets form a group, and a group keeps its priority until its warps have switched that often. Numbers W… refer to
/// docs/reference/gpu.md.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace amalthea::engine::nvidia {

/// Index of a warp of the SM, in the order of kernels. A sub-core has some of these warps.
using WarpIndex = std::size_t;

/// The state of a warp as the scheduler sees it in one cycle.
struct WarpView {
  std::int64_t release = 0;  ///< cycle; with equal releases the lower index is the older warp
  std::int64_t budget = 1;   ///< budget of its kernel
  std::size_t number = 0;    ///< how many were added to the sub-core before it
  bool present = false;      ///< released, with remaining instructions
  bool ready = false;        ///< present, its latency has passed and its pipeline is free
};

/// State of a policy across cycles. Indices refer to the sub-core's own warps.
struct WarpMemory {
  std::optional<std::size_t> last;  ///< the warp that issued last, at any time ("greedy")
  /// Budgets of the groups with present warps; the front has priority.
  std::vector<std::int64_t> groups;
  std::int64_t relieved = 0;                 ///< context switches within the front group since it became the front
  std::optional<std::size_t> last_of_front;  ///< the warp of the front group that issued last since then
  /// whether the first warp in the order issued in the previous cycle, if there was one (literal variant)
  bool head_issued = true;
  /// number of times a group lost its priority because its budget was used up
  std::int64_t group_switches = 0;
};

struct WarpPolicy {
  std::string_view name;
  std::string_view meaning;
  bool uses_budgets = false;
  /// Cycles in which no warp is ready change its state; otherwise at most the first of them does.
  bool counts_idle_cycles = false;
  /// Selects the warp that issues, a ready one; nothing only if none is ready. Called once per cycle.
  std::optional<std::size_t> (*choose)(const std::vector<WarpView>& warps, WarpMemory& memory) = nullptr;
};

/// All policies. A new one is one function and one entry.
const std::vector<WarpPolicy>& warp_policies();

/// The policy with this name; null if there is none.
const WarpPolicy* find_warp_policy(std::string_view name);

}  // namespace amalthea::engine::nvidia
