// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What the analyses of CPU schedulers (fixed_priority.hpp, earliest_deadline.hpp, global_fixed_priority.hpp) look at:
/// a few numbers of every task, and what they find.
///
/// Time is whole picoseconds; a job's response time counts from its release. Nothing here throws: what grows beyond
/// `Limits` has no bound.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/time.hpp"

namespace amalthea::engine::cpu {

/// At most 1 + floor((w + jitter) / period) jobs are released in a closed window of length w and, with a minimum
/// distance, at most 1 + floor(w / minimum_distance).
struct EventModel {
  Duration period;  ///< > 0
  Duration jitter;
  Duration minimum_distance;  ///< zero: none
};

/// In a closed window.
std::int64_t max_arrivals(const EventModel& arrivals, Duration window);
/// From a release to the `count`-th after it.
Duration least_distance(const EventModel& arrivals, std::int64_t count);

/// Part of a job that is left only to tasks of a priority above the threshold: a critical section under immediate
/// priority ceiling, a part that cannot be interrupted, a whole non-preemptive job.
struct Section {
  Duration length;
  std::int64_t threshold = 0;
};

struct CpuTask {
  EventModel arrivals;
  Duration worst;             ///< execution of a job
  std::int64_t priority = 0;  ///< larger is more urgent; of fixed priorities
  Duration deadline;          ///< relative to the release; of earliest deadline first
  std::vector<Section> sections;
  /// How every job ends: from the start of this section to the end of the job none but those above its threshold come
  /// between. Length zero: nothing is known.
  Section last;
  /// Left to other cooperative tasks only between sections of at most this length; to all others at any time. While
  /// a more urgent cooperative task waits for that, it is as urgent.
  std::optional<Duration> cooperative;
  Duration last_cooperative;  ///< the last of these sections, at least
  /// After all that takes time a job may be left once more before it ends: whoever comes at that instant goes first.
  bool preemptible_at_end = false;
  /// Nothing is known of it: it has no bound, and nothing that it may keep from its core.
  bool unlimited = false;
};

enum class CpuPart : std::uint8_t {
  execution,
  backlog,     ///< earlier jobs of the task
  preemption,  ///< jobs of `by` that come before
  blocking,    ///< a section of `by`, which is less urgent
  supply,      ///< time that a server does not give
};

struct CpuShare {
  CpuPart part = CpuPart::execution;
  std::optional<std::size_t> by;
  Duration time;  ///< > 0
};

enum class NoBound : std::uint8_t {
  none,
  unlimited,  ///< `obstacle` is unlimited, perhaps the task itself
  overload,   ///< the demand of all that counts exceeds what there is
  too_long,   ///< busy for longer than Limits::window, or not found in Limits::steps
};

struct CpuBound {
  std::optional<Duration> response;
  std::vector<CpuShare> parts;  ///< they add up to the response
  NoBound reason = NoBound::none;
  std::size_t obstacle = 0;
};

struct Limits {
  Duration window = Duration::seconds(1000);  ///< busy for longer: no bound
  std::int64_t steps = 2'000'000;             ///< so often arrivals of a task are counted, for all tasks together
};

/// Long-run demand of the tasks: worst execution per period.
double utilization(const std::vector<CpuTask>& tasks);

}  // namespace amalthea::engine::cpu
