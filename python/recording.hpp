// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A trace in memory, column by column, for numpy.

#include <cstdint>
#include <vector>

#include <pybind11/pybind11.h>

#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::python {

/// Intervals in which the state of a job and its reason did not change, and the jobs that ended. Times are picoseconds;
/// -1 stands for none.
class Recording final : public engine::SimulationObserver {
 public:
  void interval(const engine::Interval& interval) override;
  void completed(TaskIndex task, std::uint64_t job, Instant release, Instant now) override;

  /// `{"intervals": {column: array}, "jobs": {column: array}, "states": [name]}`. Empties the recording.
  pybind11::dict take();

 private:
  struct Intervals {
    std::vector<std::int32_t> task, unit, by;
    std::vector<std::int64_t> job, release_ps, start_ps, end_ps;
    std::vector<std::int8_t> state;
  } intervals_;
  struct Jobs {
    std::vector<std::int32_t> task;
    std::vector<std::int64_t> job, release_ps, end_ps;
  } jobs_;
};

}  // namespace amalthea::python
