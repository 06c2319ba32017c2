// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/periodic_resource.hpp"

#include <algorithm>

namespace amalthea::engine::cpu {
namespace {

using Wide = detail::Int128;

/// The maximum time without any supply at first.
Wide first_wait(const PeriodicResource& resource) {
  const Wide period = resource.period.picoseconds(), budget = resource.budget.picoseconds();
  const Wide delay = resource.response.value_or(resource.period).picoseconds() - budget;
  return period - budget + delay + (resource.polling ? budget : 0);
}

}  // namespace

Duration longest_pause(const PeriodicResource& resource) {
  return Duration::picoseconds(
      static_cast<std::int64_t>(std::min<Wide>(first_wait(resource), Duration::max().picoseconds())));
}

Duration longest_wait_for(const PeriodicResource& resource, Duration work) {
  const Wide period = resource.period.picoseconds(), budget = resource.budget.picoseconds();
  const Wide full = (work.picoseconds() - 1) / budget;  // full budgets before the last one needed
  const Wide wait = first_wait(resource) + full * period + (work.picoseconds() - full * budget);
  return Duration::picoseconds(static_cast<std::int64_t>(std::min<Wide>(wait, Duration::max().picoseconds())));
}

CpuTask as_task(const PeriodicResource& resource) {
  CpuTask task;
  task.arrivals.period = resource.period;
  task.worst = resource.budget;
  if (!resource.polling) task.arrivals.jitter = resource.period - resource.budget;
  return task;
}

}  // namespace amalthea::engine::cpu
