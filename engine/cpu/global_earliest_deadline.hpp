// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Preemptive global earliest deadline first: all tasks may run on the same m cores, and the m ready jobs with the
/// earliest deadlines do.
///
/// It covers tasks that never wait and have no sections, with 0 < C <= D <= T, where T is the minimum distance of two
/// releases and D the deadline that the scheduler uses; one job of each task is pending then. A set has bounds if one of
/// these tests shows that no job misses its deadline:
/// - GFB (Goossens, Funk, Baruah, "Priority-driven scheduling of periodic task systems on multiprocessors", Real-Time
///   Systems 25, 2003; with densities by Bertogna, Cirinei, Lipari, "Improved schedulability analysis of EDF on
///   multiprocessor platforms", ECRTS 2005): with the densities C / D, their sum is at most m - (m - 1) max.
/// - BAK (Baker, "Multiprocessor EDF and deadline monotonic schedulability analysis", RTSS 2003): for every task k with
///   l = C_k / D_k, the sum over all i of min(1, b_i) is at most m - (m - 1) l, where b_i = U_i (1 + (T_i - D_i) / D_k)
///   + max(0, C_i - l T_i) / D_k and U_i = C_i / T_i.
/// - BC (Bertogna, Cirinei, "Response-time analysis for globally scheduled symmetric multiprocessor platforms", RTSS
///   2007): every R_k <= D_k, where
///     R_k = C_k + floor(1/m sum over i != k of min(W_i(R_k), E_i(D_k), R_k - C_k + 1)),
///     W_i(L) = N C_i + min(C_i, L + R_i - C_i - N T_i),  N = floor((L + R_i - C_i) / T_i),
///     E_i(D) = n C_i + min(C_i, max(0, D - n T_i - (D_i - R_i))),  n = floor(D / T_i).
///   W bounds what i executes in a window of length L (their Equation 5), E what its jobs with deadlines within the
///   window execute (their Equation 8). R_i begins as D_i and shrinks, until no R changes.
/// The proof is by contradiction: up to the first missed deadline all R_i hold, so there is none. Then every R of BC
/// bounds a response, and so does D. Sums of quotients that are closer to their limit than rounding errors count as
/// above it.

#include <optional>
#include <vector>

#include "engine/cpu/task_set.hpp"

namespace amalthea::engine::cpu {

/// Nothing if the set is not covered, or if no test holds. Else every task has a bound, of at most its deadline. `cores`:
/// how many there are, at least 1.
std::optional<std::vector<CpuBound>> global_earliest_deadline_bounds(const std::vector<CpuTask>& tasks,
                                                                     std::size_t cores, const Limits& limits = {});

}  // namespace amalthea::engine::cpu
