// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Response times of kernels on one execution engine, without a simulation of blocks.
///
/// Source: Paredes Zevallos, "AMALTHEA-based GPU Response Time Analysis for NVidia's Jetson TX2", 2019 (T6–T12).
/// Kernels reach the engine's queue in a known order. All blocks have the same size; the GPU holds `g_max` of them.
/// Every block of a kernel takes the same time, whatever runs concurrently. No block overtakes one of an earlier kernel
/// (X1). The analysis holds for one kernel per stream, one priority and no copies (T9), and if a block's threads divide
/// an SM's, so that the SM of a block is irrelevant (T7).
///
/// Times are integers in any unit. A result beyond 2^63 - 1 is an error.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/input/located_json.hpp"

namespace amalthea::engine::nvidia {

/// A kernel in this analysis (T6).
struct RtaKernel {
  std::int64_t release = 0;    ///< r >= 0: enqueued on the execution engine's queue
  std::int64_t execution = 0;  ///< C >= 0: of each block
  std::int64_t blocks = 1;     ///< g >= 1
  std::int64_t period = 0;     ///< T = deadline; 0: not specified
  std::int64_t threads = 0;    ///< b, per block; 0: not specified

  friend bool operator==(const RtaKernel&, const RtaKernel&) = default;
};

struct RtaProblem {
  std::int64_t g_max = 1;  ///< blocks resident on the whole GPU, >= 1
  std::vector<RtaKernel> kernels;
};

/// The values of a kernel by Eq. 3.11–3.15 as printed, which may be odd numbers of halves.
struct PrintedClosedForm {
  std::int64_t t_a_halves = 0;
  std::int64_t g_f_halves = 0;
  std::int64_t f_halves = 0;
};

struct RtaResult {
  std::vector<std::int64_t> completion;  ///< f, in input order; the printed algorithm may fill only a part
  std::vector<std::int64_t> response;    ///< R = f - r
  /// The printed algorithm only: the kernel on which it does not terminate.
  std::optional<std::size_t> endless_at;
  /// The closed form only: as printed. Ends before the first kernel for which a value exceeds 2^62.
  std::vector<PrintedClosedForm> printed;
};

/// The corrected algorithm (T9). Kernels are processed by release, those of the same release in input order. The rows
/// of the heap hold blocks that end at the same time, at most g_max in total. Kernels with many blocks cost no more
/// than others, since whole rounds of g_max blocks are skipped. O(n log n) for n kernels on a GPU of a given size; in
/// general every kernel pops and pushes at most min(n, g_max) rows.
tl::expected<RtaResult, std::string> response_times(const RtaProblem& problem);

/// The closed form for kernels of the same release and the same C (Eq. 3.8–3.15, corrected, T11): with g_f free blocks
/// at t_a, n = ceil(max(0, g - g_f) / g_max), t_a += n C, g_f += n g_max - g, f = t_a + C. O(n). The error names the
/// kernel that differs. As printed: K = floor(|g - g_f| / g_max), alpha = (sgn(g - g_f) + 1) / 2, t_a += alpha C + K C,
/// g_f = alpha g_max - (g - g_f - K g_max), f = t_a + C. So alpha is 1/2 when g = g_f, and t_a is one C late when g - g_f
/// is a multiple of g_max.
tl::expected<RtaResult, std::string> response_times_closed(const RtaProblem& problem);

/// Algorithm 2 as printed (T8), for comparison: rows are never removed from the heap (E1), a row of no blocks makes it
/// run forever (E2; here it stops with `endless_at`), and releases are ignored (E4): in input order, from time 0.
tl::expected<RtaResult, std::string> response_times_as_printed(const RtaProblem& problem);

/// Kernels released repeatedly with their periods.
struct PeriodicRtaResult {
  std::vector<std::int64_t> worst_response;  ///< in input order
  std::vector<std::int64_t> worst_release;   ///< of the first job with that response
  std::vector<std::int64_t> jobs;            ///< number of analyzed jobs, per kernel
  std::int64_t hyperperiod = 0;              ///< least common multiple of the periods
  std::int64_t until = 0;                    ///< releases before this time were analyzed
  /// The engine is in the same state at `until` and one hyperperiod earlier. The schedule then repeats, and the
  /// responses are the worst ones for these releases.
  bool repeats = false;
};

/// The corrected algorithm over all releases r + k T, first in, first out; a kernel without period is released once.
/// The jobs of one kernel are in one stream: each reaches the engine's queue when it is released and the previous one
/// has ended. Hyperperiods are added until the state repeats, or until there are `max_jobs`. The error states that no
/// kernel has a period, that the hyperperiod is too long, or that the demand, the sum of C g / (g_max T), exceeds one:
/// then responses grow without bound.
tl::expected<PeriodicRtaResult, std::string> response_times_periodic(const RtaProblem& problem,
                                                                     std::int64_t max_jobs = 2'000'000);

/// u = C g b / T of a kernel (Eq. 3.3); nothing if T or b is not specified.
std::optional<double> utilization(const RtaKernel& kernel);
/// U, the sum (Eq. 3.4), in threads; nothing if one of them is not specified.
std::optional<double> utilization(const RtaProblem& problem);
/// R <= T for all kernels with T.
bool meets_deadlines(const RtaProblem& problem, const std::vector<std::int64_t>& response);

/// The error of kernels whose blocks have different sizes (Eq. 3.5), if any.
std::optional<std::string> unequal_blocks(const RtaProblem& problem);

/// Without g_max it is that of the two SMs of a TX2 (Eq. 3.6), which b must divide.
/// `{"g_max": 8, "b": 512, "kernels": [{"r": 0, "C": 4, "g": 2, "T": 15}, …]}`; b, T and r (0) are optional, and a
/// kernel may have its own b.
tl::expected<RtaProblem, TextError> parse_rta_problem(std::string_view json);

}  // namespace amalthea::engine::nvidia
