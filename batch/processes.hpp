// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Runs work in separate processes, so that a crash, a hang or excessive memory use does not affect the rest.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace amalthea::batch {

struct ProcessLimits {
  std::optional<std::chrono::milliseconds> time;  ///< wall-clock time of one piece of work
  std::optional<std::uint64_t> memory;            ///< bytes of address space, of one process
};

enum class Ending : std::uint8_t { finished, out_of_time, out_of_memory, crashed };

struct Outcome {
  Ending ending = Ending::finished;
  std::string output;  ///< the result of the work, if it finished
  int signal = 0;      ///< the signal that ended a crashed process; 0: it exited without a result
};

struct ProcessWork {
  std::size_t count = 0;
  unsigned at_once = 1;  ///< > 0
  ProcessLimits limits;
  /// Runs in a separate process, whose output and error streams are discarded.
  std::function<std::string(std::size_t)> work;
  /// Runs in the calling process, once per piece, in order. False: start and deliver no more.
  std::function<bool(std::size_t, Outcome)> done;
  /// Called periodically with the number of finished pieces.
  std::function<void(std::size_t)> progress;
  std::function<bool()> stop;  ///< called periodically; true: end the processes, and deliver no more
};

/// Call it while the process has no other threads. At most a few more pieces than `at_once` wait for delivery. Throws
/// std::system_error if no process can be started.
void run_processes(const ProcessWork& work);

}  // namespace amalthea::batch
