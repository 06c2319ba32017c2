// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times in polling and deferrable servers, also within each other, that count how often tasks use up budgets.
///
/// The bounds of periodic_resource.hpp assume that all budget is gone when a job arrives. These count what the tasks of
/// a server can have executed. A server with the budget Q and the period P lacks budget only after its tasks have
/// executed Q since it was filled, and then for at most P - Q. Tasks are fully preemptive and do not wait. No other
/// task ranks between, or with, two tasks of a server.
///
/// A job is pending while it has something left to execute; one of task i, below, until it ends. Jobs of one task run in
/// the order of their releases.
///
/// Let W_j(w) be the most that task j executes in any window of length w, and N the most releases in a half-open window
/// of w + R_j - C_j. At its end, a job released y after the start of the window less R_j has executed at most y in it.
/// A job released z before the end has executed at most z. So the cases are N jobs, of which the last one is cut off,
/// or N + 1 or N + 2 of which the first and the last one are:
///   W_j(w) = (N - 1) C_j + max(min(C_j, w + R_j - C_j - d_j(N - 1)), w + R_j - d_j(N), C_j + w + R_j - d_j(N + 1))
/// without the last term if it is at most C_j, and at most w. A server executes at most n_s(w) Q in a window of length
/// w, where n_s counts the jitter P - Q (as_task), and at most the sum of W_j(w) over its tasks.
///
/// Let task i run in the server s_k, which is within s_(k-1), ..., s_1. At each level "above" means what runs directly
/// in that server (or in none) and ranks above the next server of this path; in s_k, of at least the priority of i.
///
/// Deferrable servers. The window of a job of i begins at the last instant 0, up to its release, at which no task above
/// is pending at any level, and none of i. In it, one of these is pending. Let s_l be the server of the outermost one.
/// Either something above executes, or s_l or a server around it lacks budget. So the job ends at the smallest t with
///   t = own + sum over tasks above of n_j(t) C_j + sum over servers above of what they execute in any window of t
///         + sum over the path of lack_l(t).
/// Let s_l be filled last, up to 0, at -f with 0 <= f < P. It executes v before 0, and X(f, t) is the most that it
/// executes from -f to t. Count the times at which it lacks budget while a task of the window in it is pending. Each of
/// them has used up one Q since -f, and that task executes later, or has not executed all by t. So there are at most
/// M(X) = floor((X - 1) / Q) of them.
/// - If there is none before the next filling, only what s_l executes after 0 counts: M(X(0, t)) (P - Q).
/// - Otherwise, the first one lasts at most P - Q - (f - v), since s_l executes nothing for f - v before 0, and Q
///   before it lacks budget. Each other one lasts at most P - Q. Since v <= Q, there is at most one time more than
///   above.
/// - f - v does not shrink with f. So the smallest f with M(X(f, t)) > M(X(0, t)), if there is one, is the worst:
///   lack(t) = max(M(X(0, t)) (P - Q), (M(X(0, t)) + 1) (P - Q) - (f - v)).
/// - Let E = (M(X(0, t)) + 1) Q + 1, the least X with one time more. Tasks above in s_l then execute at most X - v
///   after 0, also where their n_j(t) C_j are more. Neither does X - f grow with f, so X = E at the worst f. The
///   difference is subtracted for one s_l, that with the largest.
/// X(f, t) is at most min(f, Q) + X(0, t). It is also at most the sum over the tasks of W_j(f + t), and for those above
/// of W_j(f) + n_j(t) C_j. Less urgent tasks in s_k execute before 0 only. Those in a server around it also execute
/// while one further in lacks budget.
///
/// If a server of the path is polling, it may also lose its budget, but only while no task in it is ready. The window
/// begins at the last instant 0, up to the release, at which no task of s_k above i and no job of i is pending. From
/// then on the servers of the path keep their budget once they are filled. Let I be the longest period of a polling
/// one. After I' <= I, those with a period of at most I have been filled, and the job ends at most t' later, with the
/// smallest t' with
///   t' = own + sum over tasks above in s_k of n_j(I + t') C_j + sum over other tasks above of W_j(t')
///         + sum over servers above, as before, for t' + sum over the path of M(X) (P - Q).
/// X is what the server executes in min(I + t', P + t') before the end: since it was filled last, up to I', but not
/// before 0. A deferrable server with a longer period than I may lack budget once more.
///
/// All R together are the smallest fixed point, reached from below. The first job to exceed its R would need another
/// one that has done so before. Wherever these equations hold for all jobs of i released before t, the window is over
/// at t.

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/cpu/periodic_resource.hpp"
#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

struct NestedServer {
  PeriodicResource resource;
  std::optional<std::size_t> parent = {};  ///< the server that it runs in
};

/// Replaces the bounds of tasks in servers by smaller ones, also NoBound::no_supply. `server_of`, parallel to the
/// tasks: the innermost server that each runs in. Does nothing where it does not apply, or takes too many steps.
void improve_in_servers(const std::vector<CpuTask>& tasks, const std::vector<std::optional<std::size_t>>& server_of,
                        const std::vector<NestedServer>& servers, const Limits& limits, std::vector<CpuBound>& bounds);

}  // namespace amalthea::engine::cpu
