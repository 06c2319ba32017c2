// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/task_set.hpp"

#include <algorithm>

namespace amalthea::engine::cpu {

Duration least_distance(const EventModel& arrivals, std::int64_t count) {
  using Wide = detail::Int128;
  const Wide by_period = Wide(arrivals.period.picoseconds()) * count - arrivals.jitter.picoseconds();
  const Wide by_distance = Wide(arrivals.minimum_distance.picoseconds()) * count;
  const Wide most = Duration::max().picoseconds();
  return Duration::picoseconds(static_cast<std::int64_t>(std::min(most, std::max({Wide(0), by_period, by_distance}))));
}

Duration longest_section(const CpuTask& task) {
  Duration longest;
  for (const Section& section : task.sections) longest = std::max(longest, section.length);
  return longest;
}

Duration longest_blocking(const std::vector<CpuTask>& tasks) {
  Duration section, cooperative;
  for (const CpuTask& task : tasks) {
    section = std::max(section, longest_section(task));
    cooperative = std::max(cooperative, task.cooperative.value_or(Duration{}));
  }
  return section + cooperative;
}

double utilization(const std::vector<CpuTask>& tasks) {
  double sum = 0;
  for (const CpuTask& task : tasks)
    if (!task.unlimited)
      sum += static_cast<double>(task.worst.picoseconds()) / static_cast<double>(task.arrivals.period.picoseconds());
  return sum;
}

}  // namespace amalthea::engine::cpu
