// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/task_set.hpp"

#include <algorithm>

#include "engine/cpu/largest_parts.hpp"

namespace amalthea::engine::cpu {

std::int64_t max_arrivals(const EventModel& arrivals, Duration window) {
  if (window < Duration{}) return 0;
  using Wide = detail::Int128;
  const Wide whole = Wide(window.picoseconds()) + arrivals.jitter.picoseconds();
  // A division of 128 bits takes much longer.
  const auto narrow = static_cast<std::int64_t>(whole);
  const auto by_period = narrow == whole ? narrow / arrivals.period.picoseconds()
                                         : static_cast<std::int64_t>(whole / arrivals.period.picoseconds());
  if (arrivals.minimum_distance <= Duration{}) return 1 + by_period;
  return 1 + std::min(by_period, window.picoseconds() / arrivals.minimum_distance.picoseconds());
}

Duration least_distance(const EventModel& arrivals, std::int64_t count) {
  using Wide = detail::Int128;
  const Wide by_period = Wide(arrivals.period.picoseconds()) * count - arrivals.jitter.picoseconds();
  const Wide by_distance = Wide(arrivals.minimum_distance.picoseconds()) * count;
  const Wide most = Duration::max().picoseconds();
  return Duration::picoseconds(static_cast<std::int64_t>(std::min(most, std::max({Wide(0), by_period, by_distance}))));
}

void balance(CpuBound& bound) {
  Duration sum;
  for (const CpuShare& share : bound.parts) sum += share.time;
  if (sum < *bound.response) {
    bound.parts.push_back({CpuPart::supply, std::nullopt, *bound.response - sum});
    return;
  }
  Duration before = sum - *bound.response;
  const auto take = [&before](CpuShare& share) {
    const Duration taken = std::min(before, share.time);
    share.time -= taken;
    before -= taken;
  };
  for (const CpuPart part : {CpuPart::backlog, CpuPart::blocking, CpuPart::preemption})
    for (CpuShare& share : bound.parts)
      if (share.part == part) take(share);
  bound.parts.erase(std::remove_if(bound.parts.begin(), bound.parts.end(),
                                   [](const CpuShare& share) { return share.time.is_zero(); }),
                    bound.parts.end());
}

void keep_largest(std::vector<CpuShare>& shares, std::size_t most) {
  keep_largest_parts(shares, most, [](const CpuShare& a, const CpuShare& b) { return a.part == b.part; });
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
