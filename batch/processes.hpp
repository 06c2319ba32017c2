// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Work in processes of their own, so that one that crashes, hangs or eats all memory stops nobody else.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace amalthea::batch {

struct ProcessLimits {
  std::optional<std::chrono::milliseconds> time;  ///< by the clock, of one piece of work
  std::optional<std::uint64_t> memory;            ///< bytes of address space, of one process
};

enum class Ending : std::uint8_t { finished, out_of_time, out_of_memory, crashed };

struct Outcome {
  Ending ending = Ending::finished;
  std::string output;  ///< what the work returned; of a finished one
  int signal = 0;      ///< that ended a crashed one; 0: it left without a result
};

struct ProcessWork {
  std::size_t count = 0;
  unsigned at_once = 1;  ///< > 0
  ProcessLimits limits;
  /// In a process of its own, whose output and error streams lead nowhere.
  std::function<std::string(std::size_t)> work;
  /// In the calling process, once per piece and in their order, whatever the order in which they end. False: no more is
  /// started, and no more is delivered.
  std::function<bool(std::size_t, Outcome)> done;
  /// Called now and then with how many have ended.
  std::function<void(std::size_t)> progress;
};

/// Call it while the process has no other thread. At most a few pieces more than `at_once` wait for their turn to be
/// delivered. Throws std::system_error where no process can be started.
void run_processes(const ProcessWork& work);

}  // namespace amalthea::batch
