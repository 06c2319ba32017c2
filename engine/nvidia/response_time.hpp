// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times of kernels on one execution engine, without simulating blocks.
///
/// Source: Paredes Zevallos, "AMALTHEA-based GPU Response Time Analysis for NVidia's Jetson TX2", 2019 (T6–T12).
/// Kernels reach the engine's queue in a known order; all blocks have the same size, of which the GPU takes `g_max` at
/// a time; every block of a kernel lasts the same, whatever runs beside it; no block passes one of an earlier kernel
/// (X1). It holds for one kernel per stream, one priority and no copies (T9), and where a block's threads divide an
/// SM's, so that it does not matter on which SM a block is (T7).
///
/// Times are whole numbers of any unit. A result beyond 2^63 - 1 is an error.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/input/located_json.hpp"

namespace amalthea::engine::nvidia {

/// A kernel as the analysis sees it (T6).
struct RtaKernel {
  std::int64_t release = 0;    ///< r >= 0: enqueued on the execution engine's queue
  std::int64_t execution = 0;  ///< C >= 0: of each block
  std::int64_t blocks = 1;     ///< g >= 1
  std::int64_t period = 0;     ///< T = deadline; 0: not given
  std::int64_t threads = 0;    ///< b, per block; 0: not given

  friend bool operator==(const RtaKernel&, const RtaKernel&) = default;
};

struct RtaProblem {
  std::int64_t g_max = 1;  ///< blocks resident on the whole GPU, >= 1
  std::vector<RtaKernel> kernels;
};

struct RtaResult {
  std::vector<std::int64_t> completion;  ///< f, in input order; of the printed algorithm only as far as it got
  std::vector<std::int64_t> response;    ///< R = f - r
  /// The printed algorithm only: the kernel on which it never ends.
  std::optional<std::size_t> endless_at;
};

/// The corrected algorithm (T9). Kernels are taken by release, those of one release in input order. The rows of the
/// heap hold blocks that end at one time, at most g_max of them. Kernels of many blocks take no longer than others:
/// whole rounds of all g_max blocks are skipped over. O(n log n) for n kernels on a GPU of a given size; in general
/// every kernel pops and pushes at most as many rows as there are, min(n, g_max).
tl::expected<RtaResult, std::string> response_times(const RtaProblem& problem);

/// The closed form for kernels of one release and one C (Eq. 3.8–3.15, corrected, T11): with g_f blocks free at t_a,
/// n = ceil(max(0, g - g_f) / g_max), t_a += n C, g_f += n g_max - g, f = t_a + C. O(n). The error says which kernel
/// differs. (As printed, alpha is 1/2 when g = g_f, and t_a is one C late when g - g_f is a multiple of g_max.)
tl::expected<RtaResult, std::string> response_times_closed(const RtaProblem& problem);

/// Algorithm 2 as printed (T8), for comparison: rows are never taken out of the heap (E1), a row of no blocks makes it
/// run forever (E2, which ends here with `endless_at`), and releases are ignored (E4): in input order, from time 0.
tl::expected<RtaResult, std::string> response_times_as_printed(const RtaProblem& problem);

/// Kernels released again and again with their periods.
struct PeriodicRtaResult {
  std::vector<std::int64_t> worst_response;  ///< in input order
  std::vector<std::int64_t> worst_release;   ///< of the first job with that response
  std::vector<std::int64_t> jobs;            ///< looked at, per kernel
  std::int64_t hyperperiod = 0;              ///< least common multiple of the periods
  std::int64_t until = 0;                    ///< releases before this time were looked at
  /// The engine is in the same state at `until` and a hyperperiod before: what comes is what has been seen, and the
  /// responses are the worst there are for these releases.
  bool repeats = false;
};

/// The corrected algorithm over all releases r + k T, first in, first out; a kernel without period is released once.
/// The jobs of one kernel are in one stream: each reaches the engine's queue when it is released and the one before has
/// ended. Hyperperiods are added until the state repeats, or until there are `max_jobs`. The error says that periods
/// are missing altogether, the hyperperiod too long, or the demand, the sum of C g / (g_max T), above one: then
/// responses grow without end.
tl::expected<PeriodicRtaResult, std::string> response_times_periodic(const RtaProblem& problem,
                                                                     std::int64_t max_jobs = 2'000'000);

/// u = C g b / T of a kernel (Eq. 3.3); nothing where T or b is not given.
std::optional<double> utilization(const RtaKernel& kernel);
/// U, the sum (Eq. 3.4), in threads; nothing where one is not given.
std::optional<double> utilization(const RtaProblem& problem);
/// R <= T wherever T is given.
bool meets_deadlines(const RtaProblem& problem, const std::vector<std::int64_t>& response);

/// `{"g_max": 8, "b": 512, "kernels": [{"r": 0, "C": 4, "g": 2, "T": 15}, …]}`; b, T and r (0) may be left out, b may
/// stand in a kernel.
tl::expected<RtaProblem, TextError> parse_rta_problem(std::string_view json);

}  // namespace amalthea::engine::nvidia
