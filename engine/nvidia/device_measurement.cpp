// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/device_measurement.hpp"

#include <algorithm>
#include <limits>

namespace amalthea::engine::nvidia {
namespace {

std::vector<std::int64_t> counts_of(const std::vector<SmIndex>& sms, std::int64_t count) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(count));
  for (const SmIndex sm : sms)
    if (sm < counts.size()) ++counts[sm];
  return counts;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back(), values.size()};
}

PlacementComparison compare_placement(const SmLimits& limits, const SmUse& block, ScanOrder order,
                                      const std::vector<RecordedBlock>& recorded) {
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  for (const RecordedBlock& each : recorded) first_end = std::min(first_end, each.end);
  PlacementComparison result;
  BlockPlacement placement(limits, order);
  std::vector<SmIndex> seen, predicted;
  for (const RecordedBlock& each : recorded) {
    if (each.start >= first_end) continue;
    const auto sm = placement.place(block);
    if (!sm) break;
    seen.push_back(static_cast<SmIndex>(each.sm));
    predicted.push_back(*sm);
    result.equal += seen.back() == *sm ? 1 : 0;
  }
  result.blocks = static_cast<std::int64_t>(seen.size());
  const auto counts = counts_of(seen, limits.sms);
  result.same_counts = counts == counts_of(predicted, limits.sms);
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  result.is_balanced = *most - *least <= 1;
  result.seen.assign(seen.begin(), seen.begin() + std::min<std::ptrdiff_t>(std::ssize(seen), limits.sms));
  return result;
}

TimeSlices time_slices_of(const Gaps& first, const Gaps& second) {
  std::vector<double> slices, gaps, switches;
  for (std::size_t index = 0; index < first.size(); ++index) {
    const auto [begin, end] = first[index];
    gaps.push_back(static_cast<double>(end - begin));
    if (index > 0) slices.push_back(static_cast<double>(begin - first[index - 1].second));
    for (const auto& [its_begin, its_end] : second) {
      if (its_end > begin && its_end < end) switches.push_back(static_cast<double>(its_end - begin));
      if (its_begin > begin && its_begin < end) switches.push_back(static_cast<double>(end - its_begin));
    }
  }
  return {spread_of(std::move(slices)), spread_of(std::move(gaps)), spread_of(std::move(switches))};
}

double overlap_of(double one, double other, double together) {
  return std::clamp((one + other - together) / std::min(one, other), 0.0, 1.0);
}

}  // namespace amalthea::engine::nvidia
