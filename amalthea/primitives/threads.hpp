// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Work that several threads share.

#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace amalthea {

/// Calls `work(number)` in this thread, with 0, and in up to `count - 1` others, with 1 and up; in fewer where the
/// system starts no more. When all have returned, the first exception of any of them is thrown again.
template <typename Work>
void in_threads(std::size_t count, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto guarded = [&](std::size_t number) {
    try {
      work(number);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t number = 1; number < count; ++number) others.emplace_back(guarded, number);
    } catch (const std::system_error&) {
      // Those that have been started do all of the work.
    } catch (const std::bad_alloc&) {
    }
    guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace amalthea
