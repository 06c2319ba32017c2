// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the scheduler of Linux did, from traces in CTF 1.8, as LTTng records them. The library babeltrace2 reads them
/// in a process of its own: its memory and time are limited there, and what a damaged trace does to it stays there.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace amalthea::traces {

/// A thread as an event names it.
struct ThreadName {
  std::int64_t id = 0;
  std::array<char, 32> name{};  ///< ends with 0; the kernel has 15 characters
};

struct SchedulerEvent {
  enum class Kind : std::uint8_t {
    switches,   ///< from `thread` to `next` on `cpu`
    wakes,      ///< `thread` may run again
    discarded,  ///< the tracer has lost events of this stream up to here
    other,      ///< says nothing here; now and then, so that `row` advances
    end,        ///< the trace is complete
  };
  Kind kind = Kind::other;
  std::uint64_t row = 0;    ///< among all events, from 1
  std::int64_t time = 0;    ///< ns from the origin of the clock; of discarded events the last possible one
  std::int64_t cpu = -1;    ///< -1: unknown
  std::int64_t state = 0;   ///< of `thread` when it leaves, as the kernel writes it
  std::uint64_t count = 0;  ///< of discarded events; 0: unknown
  ThreadName thread, next;
};

/// Gives the events of all folders in the order of their times, until `give` returns false. Each folder has a file
/// `metadata`. The error is "" for a whole trace, or states why it ends.
std::string read_scheduler_events(const std::vector<std::string>& folders, std::uint64_t bytes,
                                  const std::function<bool(const SchedulerEvent&)>& give);

}  // namespace amalthea::traces
