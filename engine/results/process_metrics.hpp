// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// AMALTHEA's metrics of a process over its jobs: its states, and the times between its events.
///
/// States: *active* from activation to the first start; *running*; *polling*: waits actively on its core; *parking*:
/// was polling when other tasks took the core; *ready*: could run, but other tasks use the core; *waiting*: waits
/// passively, without a core. A device task is running while one of its operations executes, and ready while one waits.

#include <array>
#include <cstdint>
#include <string_view>

#include "amalthea/time.hpp"
#include "amalthea/time_metric.hpp"

namespace amalthea::engine {

enum class ProcessState : std::uint8_t { not_active, active, ready, running, waiting, polling, parking };
std::string_view to_string(ProcessState);

using amalthea::TimeMetric;

/// Minimum, mean and maximum of the observed values; may be negative (lateness). Meaningless if jobs = 0.
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

/// For a task over its measured jobs.
struct ProcessMetrics {
  std::array<Extent, time_metrics> times;  ///< by TimeMetric
  std::uint64_t activations = 0;           ///< without lost ones
  std::uint64_t preemptions = 0;
  std::uint64_t migrations = 0;  ///< to another core

  const Extent& operator[](TimeMetric metric) const { return times[static_cast<std::size_t>(metric)]; }
  Extent& operator[](TimeMetric metric) { return times[static_cast<std::size_t>(metric)]; }
};

}  // namespace amalthea::engine
