// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// In which order the warp scheduler of a sub-core serves its warps.
///
/// LRR and GTO as they are commonly described, and QAWS ("QoS-aware warp scheduling"): kernels have budgets, those with
/// equal budgets are a group, and a group keeps its priority until its warps have relieved each other that often.
/// Numbers W… are those of docs/reference/gpu.md.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace amalthea::engine::nvidia {

/// Of a warp of the SM, in the order of kernels. A sub-core knows some of them.
using WarpIndex = std::size_t;

/// A warp as the scheduler sees it in one cycle.
struct WarpView {
  std::int64_t release = 0;  ///< cycle; with equal releases the lower index is the older warp
  std::int64_t budget = 1;   ///< of its kernel
  bool present = false;      ///< released, and has instructions left
  bool ready = false;        ///< present, its latency has passed and its pipeline is free
};

/// What policies remember from cycle to cycle. Indices are those of the sub-core's own warps.
struct WarpMemory {
  std::optional<std::size_t> last;  ///< the warp that issued last, however long ago ("greedy")
  /// Groups that have present warps, by their budget; the front is prioritised.
  std::vector<std::int64_t> groups;
  std::int64_t relieved = 0;                 ///< context switches within the front group since it came to the front
  std::optional<std::size_t> last_of_front;  ///< who issued last in the front group since then
  bool head_issued = true;          ///< the first in the order of the cycle before, if there was one (literal variant)
  std::int64_t group_switches = 0;  ///< how often a group lost its priority because its budget was used up
};

struct WarpPolicy {
  std::string_view name;
  std::string_view meaning;
  bool uses_budgets = false;
  /// The warp that issues, a ready one; nothing only when none is ready. Called once in every cycle.
  std::optional<std::size_t> (*choose)(const std::vector<WarpView>& warps, WarpMemory& memory) = nullptr;
};

/// All there are. A new one is one function and one entry.
const std::vector<WarpPolicy>& warp_policies();

/// By its name; null when there is none.
const WarpPolicy* find_warp_policy(std::string_view name);

}  // namespace amalthea::engine::nvidia
