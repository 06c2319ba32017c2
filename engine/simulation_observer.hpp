#pragma once
/// \file
/// Who wants to see a simulation as it runs: traces, pictures, the story of one job.

#include <cstdint>
#include <optional>

#include "engine/job_account.hpp"

namespace amalthea::engine {

/// A time in which nothing changed for a job: it did, or suffered, one thing.
struct Interval {
  TaskIndex task = 0;
  std::uint64_t job = 0;  ///< of the task, counted from 0 by their start
  Instant release;        ///< of the job
  Instant from;
  Instant to;
  Standing standing;
  std::optional<UnitIndex> unit;  ///< the core it runs or polls on, or the GPU that works for it
  std::optional<NodeIndex> node;  ///< the activity it has come to; nothing before the first
};

class SimulationObserver {
 public:
  virtual ~SimulationObserver() = default;
  /// In the order of `to`; of jobs that end at one instant in the order in which they end. Intervals are not empty.
  virtual void interval(const Interval&) = 0;
  /// An activation, lost or not.
  virtual void released(TaskIndex /*task*/, Instant /*now*/, bool /*lost*/) {}
  /// `job` as in Interval.
  virtual void completed(TaskIndex /*task*/, std::uint64_t /*job*/, Instant /*release*/, Instant /*now*/) {}
};

}  // namespace amalthea::engine
