// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Task sets for the analyses of CPU schedulers (fixed_priority.hpp, suspending_tasks.hpp, earliest_deadline.hpp,
/// global_fixed_priority.hpp):
/// the parameters of each task, and the resulting bounds.
///
/// Time is in whole picoseconds; a response time counts from the release. Nothing here throws: a task that exceeds
/// `Limits` has no bound.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/primitives/counted_steps.hpp"
#include "amalthea/time.hpp"

namespace amalthea::engine::cpu {

/// At most 1 + floor((w + jitter) / period) jobs are released in a closed window of length w and, with a minimum
/// distance, at most 1 + floor(w / minimum_distance).
struct EventModel {
  Duration period;  ///< > 0
  Duration jitter;
  Duration minimum_distance;  ///< zero: no minimum distance
};

/// Maximum number of arrivals in a closed window.
std::int64_t max_arrivals(const EventModel& arrivals, Duration window);
/// Minimum distance from a release to the `count`-th after it.
Duration least_distance(const EventModel& arrivals, std::int64_t count);

/// Part of a job that only tasks with a priority above the threshold can preempt: a critical section under the
/// immediate priority ceiling protocol, an uninterruptible part, or a whole non-preemptive job.
struct Section {
  Duration length;
  std::int64_t threshold = 0;
  bool polls = false;  ///< it contains polling for a semaphore, and `length` does not
};

struct CpuTask {
  EventModel arrivals;
  Duration worst;             ///< WCET of a job
  std::int64_t priority = 0;  ///< for fixed priorities; larger is more urgent
  Duration deadline;          ///< for EDF; relative to the release
  std::vector<Section> sections;
  /// How every job ends: from the start of this section to the end of the job, only tasks above its threshold can
  /// preempt it. Length zero: unknown.
  Section last;
  /// Other cooperative tasks can preempt it only between sections of at most this length; all others at any time. While
  /// a higher-priority cooperative task waits for that, this task inherits its urgency.
  std::optional<Duration> cooperative;
  Duration last_cooperative;  ///< minimum length of the last of these sections
  /// A job can be preempted once more after its last execution and before it ends: a task released at that instant runs
  /// first. This applies to cooperative tasks with a schedule point at the end, and to tasks that end after a wait or
  /// after they activated others.
  bool preemptible_at_end = false;
  /// The longest time for which a job waits for a GPU or for semaphores, and how often.
  Duration waiting;
  std::int64_t waits = 0;
  bool polls = false;  ///< every wait polls, and so keeps the core; otherwise some suspend
  Duration polled;     ///< the part of `waiting` for which it polls
  /// What a job takes beside `worst` without needing the core. Only the analyses of fixed_priority.hpp count it.
  Duration pause;
  /// For every request of a semaphore that another core may grant at any time: the section that begins then.
  std::vector<Section> granted;
  /// Nothing is known about it: it has no bound, and may take all time from its core.
  bool unlimited = false;

  /// Round robin: all tasks of this priority take turns of at most this execution time. None of them has sections or
  /// waits, and the jobs of each are independent of those of the others.
  std::optional<Duration> turn;

  bool has_sections() const { return !sections.empty() || cooperative; }
};

enum class CpuPart : std::uint8_t {
  execution,
  backlog,     ///< earlier jobs of the same task
  preemption,  ///< jobs of `by` that run first
  blocking,    ///< a section of `by`, which has a lower priority
  supply,      ///< time that a server does not supply
  waiting,     ///< for a GPU or a semaphore
};

struct CpuShare {
  CpuPart part = CpuPart::execution;
  std::optional<std::size_t> by;
  Duration time;             ///< > 0
  std::uint32_t others = 0;  ///< > 0: the sum of as many shares, each `by` another task
};

enum class NoBound : std::uint8_t {
  none,
  unlimited,  ///< `obstacle` is unlimited; it may be the task itself
  overload,   ///< the total demand exceeds the supply
  too_long,   ///< the busy window exceeds Limits::window, or the iteration exceeds Limits::steps
  no_supply,  ///< its server may not get its budget in every period
};

struct CpuBound {
  std::optional<Duration> response;
  std::vector<CpuShare> parts;  ///< their sum is the response
  NoBound reason = NoBound::none;
  std::size_t obstacle = 0;
  /// Of fixed priorities, max over the jobs q of a busy period of J + f(q) - qT: the jobs of the task end with this
  /// jitter, less what they execute at least. (J + `response` counts J twice for all but the first job.)
  std::optional<Duration> end_jitter = {};
  std::vector<Duration> trigger_jitters =
      {};  ///< parallel to RowStep::triggers, or empty: the same for what precedes them
};

struct Limits {
  Duration window = Duration::seconds(1000);  ///< longer busy windows have no bound
  std::int64_t steps = 2'000'000;             ///< maximum number of arrival computations for all tasks together
  StepCount taken = {};
  std::size_t parts = 64;  ///< the most shares that a bound keeps apart; the number of all grows with its square
};

/// Makes the parts of a bound as long as the response. Work before the release does not count: first of the backlog, then
/// of the preempting tasks. What a server did not supply is the rest.
void balance(CpuBound& bound);
/// Keeps the largest shares apart, in their order, and adds the others up, one sum for each kind of part.
void keep_largest(std::vector<CpuShare>& shares, std::size_t most);

Duration longest_section(const CpuTask& task);
/// The longest time for which sections of one task keep others from a core in a row: a cooperative section, and another
/// one that it waits for.
Duration longest_blocking(const std::vector<CpuTask>& tasks);

/// Long-run utilization of the tasks: sum of WCET / period.
double utilization(const std::vector<CpuTask>& tasks);

}  // namespace amalthea::engine::cpu
