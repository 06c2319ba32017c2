// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times under fixed priorities on one core whose tasks belong to rows: tasks that trigger each other. Jobs of a
/// row keep distances, so not all of them can delay one job.
///
/// Let a row occur at k T + x, for an unknown x: the k-th job of its step j is released in [o_j, o_j + J_j] after that.
/// A busy period of the level of task i begins at 0. In it, step j has at most
///   n_j(x, w) = number of k with x + k T + o_j + J_j >= 0 and x + k T + o_j <= w
/// arrivals in a closed window of length w. What a row may take in it is then
///   W(x, w) = sum over its steps on the core, of at least the priority of i, of n_j(x, w) C_j.
/// It is largest for one of the x with x + o_j + J_j = 0. Of a window [0, w], what arrives after u takes at most w - u:
///   I(x, w) = min over u <= w of W(x, u) + w - u.
/// The equations of fixed_priority.hpp hold with the maximum of I over these x, instead of the sum of n(w) C.
/// - Tindell, "Adding time-offsets to schedulability analysis", University of York, YCS 221, 1994;
/// - Palencia, González Harbour, "Schedulability analysis for tasks with static and dynamic offsets", RTSS 1998;
/// - Mäki-Turja, Nolin, "Efficient implementation of tight response-times for tasks with offsets", Real-Time Systems
///   2008: I instead of W.
///
/// The own row of task i has one x for the whole busy period, up to which a job of i is the first of its row, and the
/// bound is the maximum over these x. Let a be the sum of C over the steps of the same core that have executed all when a
/// job of i is released (`done`), with x + o + J >= 0. Whatever of it the busy period contains precedes that release. So
///   R_i = max over x of f - max(0, x + o_i, a),
/// and jobs of i have executed all at most max over x of f - x - o_i after the earliest release.

#include <cstddef>
#include <optional>
#include <vector>

#include "amalthea/time.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Where a task stands in its row.
struct RowStep {
  std::optional<std::size_t> row = {};  ///< nothing: a task whose releases only its EventModel describes
  bool periodic = false;                ///< the row occurs every T exactly; otherwise at least T apart
  Duration offset = {};                 ///< the earliest release after the row occurs; the jitter of the task follows
  /// Tasks of the same core: in each row, their jobs have executed all when the one of this task is released.
  std::vector<std::size_t> done = {};
  /// The task of the same core whose last action alone releases it.
  std::optional<std::size_t> released_by = {};
  /// Where its jobs trigger others: what they execute before, at most. A trigger needs no core beyond that.
  std::vector<Duration> triggers = {};
};

/// Replaces the bounds of fixed_priority_bounds by smaller ones. `steps` are parallel to the tasks, none of which waits.
/// Tasks for which this takes too many steps keep theirs.
void improve_by_rows(const std::vector<CpuTask>& tasks, const std::vector<RowStep>& steps, const Limits& limits,
                     std::vector<CpuBound>& bounds);

/// The same for tasks i that a less urgent task j releases (`released_by`). When j triggers i, j has the core. So tasks
/// below i are not within a section that keeps i from it, unless cooperative ones are and j is not cooperative. No
/// earlier job of i is pending. Others of at least the priority of i that are pending were released while a section of j
/// kept them waiting. Let s be the length of that, at most. So R_i is the smallest w with
///   w = C_i + sum over hep(i) of n(w + s) C
/// and the last section of i as in fixed_priority.hpp.
void improve_after_triggers(const std::vector<CpuTask>& tasks, const std::vector<RowStep>& steps, const Limits& limits,
                            std::vector<CpuBound>& bounds);

}  // namespace amalthea::engine::cpu
