// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// How another thread, or a signal handler, follows long work and ends it.

#include <atomic>

namespace amalthea {

struct Work {
  std::atomic<bool> stop = false;  ///< set it, and the work ends soon, with what it has by then
  std::atomic<double> done = 0;    ///< from 0 to 1, set by the work
};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace amalthea
