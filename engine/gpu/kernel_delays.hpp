// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How long kernels of a GPU delay each other, if kernels of different streams run concurrently and may overtake.

#include <cstddef>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::gpu {

/// One way to bound the time of a kernel from submission to end: its own time, plus what each execution of another
/// kernel in that window adds. Times of 2^61 ps or more mean that this way has no bound.
struct KernelDelays {
  std::vector<Duration> own;              ///< of every kernel
  std::vector<std::vector<Duration>> by;  ///< by[kernel][other]
  /// front[kernel][other]: what the other one adds besides if it was submitted before: once in each other stream, but for
  /// each execution in a stream of higher priority. Empty: nothing.
  std::vector<std::vector<Duration>> front = {};
  bool one_priority = false;       ///< has no bound if streams have several priorities
  std::vector<Duration> lag = {};  ///< for how long each kernel may delay others once it has ended; empty: not known
  /// What kernels that ended before may still add to each kernel: others, where their `lag` is not known, and the same
  /// kernel, if it ended so late. With `lag` others count like those that have not ended.
  std::vector<Duration> left = {}, again = {};
  bool single = false;     ///< holds only for kernels that no other one of their job follows or precedes at once
  bool or_before = false;  ///< of this way and the one before, the larger counts
  bool once = false;       ///< at most one execution in each other stream delays each execution, whatever the window

  /// When kernels end is not known.
  void forget_ends() {
    for (std::size_t kernel = 0; kernel < left.size(); ++kernel) own[kernel] += left[kernel] + again[kernel];
    lag.clear();
    left.clear();
    again.clear();
  }
};

}  // namespace amalthea::engine::gpu
