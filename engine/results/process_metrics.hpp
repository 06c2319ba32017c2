// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What AMALTHEA measures of a process over its jobs: the states it was in, and the times between its events.
///
/// States: *active* from activation to the first start; *running*; *polling*: waits actively on its core; *parking*:
/// polled, and the core was given to others; *ready*: could run, the core is given to others; *waiting*: waits
/// passively, off its core. A device task runs while one of its operations is executed, and is ready while one waits.

#include <array>
#include <cstdint>
#include <string_view>

#include "amalthea/time.hpp"
#include "amalthea/time_metric.hpp"

namespace amalthea::engine {

enum class ProcessState : std::uint8_t { not_active, active, ready, running, waiting, polling, parking };
std::string_view to_string(ProcessState);

using amalthea::TimeMetric;

/// Least, mean and largest of the values seen; may be negative (lateness). With jobs = 0 they mean nothing.
class Extent {
 public:
  void add(Duration value);
  std::uint64_t jobs() const { return jobs_; }
  Duration min() const { return min_; }
  Duration max() const { return max_; }
  Duration mean() const;  ///< rounded to nearest

 private:
  std::uint64_t jobs_ = 0;
  Duration min_, max_;
  detail::Int128 sum_ = 0;  ///< ps
};

/// Of a task over its measured jobs.
struct ProcessMetrics {
  std::array<Extent, time_metrics> times;  ///< by TimeMetric
  std::uint64_t activations = 0;           ///< those that were lost not included
  std::uint64_t preemptions = 0;
  std::uint64_t migrations = 0;  ///< to another core

  const Extent& operator[](TimeMetric metric) const { return times[static_cast<std::size_t>(metric)]; }
  Extent& operator[](TimeMetric metric) { return times[static_cast<std::size_t>(metric)]; }
};

}  // namespace amalthea::engine
