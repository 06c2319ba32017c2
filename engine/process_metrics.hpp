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

namespace amalthea::engine {

enum class ProcessState : std::uint8_t { not_active, active, ready, running, waiting, polling, parking };
std::string_view to_string(ProcessState);

/// Named as AMALTHEA's TimeMetric; one value for every job.
enum class TimeMetric : std::uint8_t {
  activate_to_activate,  ///< from the activation of the job before
  start_to_start,
  end_to_end,
  end_to_start,          ///< from the end of the job before to the start
  start_delay,           ///< activation to start
  response_time,         ///< activation to end
  gross_execution_time,  ///< start to end
  net_execution_time,    ///< running and polling
  core_execution_time,   ///< executing its own ticks and accesses: running, without overhead and without memory
  memory_access_time,    ///< of `running`, what goes to label accesses
  os_overhead,           ///< of `running`, what the operating system takes
  running_time,
  ready_time,  ///< after the start
  waiting_time,
  polling_time,
  parking_time,
  lateness,  ///< end minus deadline; negative: early. Only where there is a deadline
};
inline constexpr std::size_t time_metrics = static_cast<std::size_t>(TimeMetric::lateness) + 1;
/// AMALTHEA's literal: "ActivateToActivate", …
std::string_view to_string(TimeMetric);

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
