// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What would improve a task's response time: re-analyzes the system with one change at a time.
///
/// The changes, where they apply:
/// - all polling tasks on the task's core (including itself) suspend instead: they wait passively;
/// - every GPU context gets its minimum time slice (the scheduler's minimum, else one millisecond);
/// - both.
///
/// For a host task with a deadline that is not guaranteed also:
/// - another core: with the task's priority and, if that is not enough, with the priority of its deadline there;
/// - a higher priority: the lowest that works, else the one with the shortest response;
/// - another order of priorities on its core: that of Audsley (1991), with the bounds as test, else by deadline and
///   improved by exchanging neighbors. As many tasks as possible keep their priority;
/// - another offset of its periodic stimulus, in tenths of the period: the smallest that works, judged with bounds for
///   the stated offsets.
/// For any task with a deadline that is not guaranteed: how many per cent fewer ticks of it, and of the device tasks that
/// it offloads to, would do, to one per cent.
///
/// A change works if the task meets its deadline and no other task loses its verdict or its guarantee. For a task that
/// meets its deadline already, it works if the deadline becomes guaranteed.
///
/// The effort is limited by counts of simulated instants and of steps of bounds, so that results do not depend on the
/// machine. If the limit is reached, `in_vain` says so.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"
#include "engine/results/results.hpp"

namespace amalthea::engine {

enum class ChangeKind : std::uint8_t { waiting, slices, waiting_and_slices, core, priority, order, offset, ticks };
std::string_view to_string(ChangeKind);  ///< "waiting", "slices", "waiting and slices", "core", …

struct WhatIf {
  ChangeKind kind = ChangeKind::waiting;
  std::string change;           ///< description: "with GPU time slices of 1 ms"
  TaskResult result;            ///< result of the task with this change
  std::size_t values = 1;       ///< how many values of the model it changes
  std::vector<TaskIndex> late;  ///< other tasks that lose their verdict or their guarantee
  bool works = false;
  std::optional<std::int64_t> percent_less;  ///< of ticks
};

/// The smallest change that works gives a guarantee if any does, needs no fewer ticks if possible, and changes the
/// fewest values.
struct WhatIfs {
  std::vector<WhatIf> tried;            ///< in the order above; empty if nothing applies
  std::vector<std::string> in_vain;     ///< what was tried or excluded and gave no entry, one sentence each
  std::optional<std::size_t> smallest;  ///< of `tried`, see below
  bool sought = false;                  ///< whether a change that works was looked for
};

/// `options` are used as in `analyze`, whose results are `results`. `allowed`: for each task the units it may run on.
WhatIfs what_if(const System& system, const AnalysisOptions& options, const Results& results,
                const std::vector<std::vector<UnitIndex>>& allowed, TaskIndex task);

}  // namespace amalthea::engine
