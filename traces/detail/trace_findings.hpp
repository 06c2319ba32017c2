// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What traces get reported for, with its place. Of each kind only the first ones are listed.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "amalthea/location.hpp"
#include "traces/event.hpp"
#include "traces/trace_reader.hpp"

namespace amalthea::traces {

enum class TraceFinding : std::uint8_t {
  malformed,         ///< a line that cannot be read
  truncated,         ///< the trace ends within an event
  time_goes_back,    ///< an event is earlier than the one before it
  illegal_event,     ///< not possible in the state of the process or runnable
  no_activation,     ///< a job that starts without an activation
  unknown_name,      ///< not in the model
  foreign_core,      ///< a task on a core that it is not mapped to
  foreign_runnable,  ///< a runnable that the task does not call
  busy_core,         ///< two processes on one core
  less_urgent,       ///< a task is preempted by a less urgent one
  early_activation,  ///< activations closer than the model allows
  stimulus,          ///< a stimulus without its activation, or the reverse
  access,            ///< a job accesses a label less often than the model states
  above_bound,       ///< a response time above its bound
  long_execution,    ///< an execution time above that of the model
  count
};

class TraceFindings {
 public:
  static constexpr std::uint64_t listed = 10;  ///< of each kind

  /// `mapped`: ComparisonInput::mapped.
  TraceFindings(Diagnostics& diagnostics, bool mapped) : diagnostics_(diagnostics), mapped_(mapped) {}

  /// A new trace.
  void begin(const std::string& path, const std::vector<std::string>* tables);
  void add(TraceFinding kind, const Place& place, std::string message);
  void add(const Problem& problem);
  /// Adds, for each kind, how many are not listed.
  void end();
  std::uint64_t total() const;

 private:
  Diagnostics& diagnostics_;
  bool mapped_;
  std::string path_;
  const std::vector<std::string>* tables_ = nullptr;
  std::array<std::uint64_t, static_cast<std::size_t>(TraceFinding::count)> counts_{}, totals_{};
};

}  // namespace amalthea::traces
