#include "engine/statistics.hpp"

#include <algorithm>

namespace amalthea::engine {

Statistics summarise(std::vector<Duration> values) {
  Statistics statistics;
  statistics.jobs = values.size();
  if (values.empty()) return statistics;
  std::sort(values.begin(), values.end());
  statistics.min = values.front();
  statistics.max = values.back();
  detail::Int128 sum = 0;
  for (const Duration value : values) sum += value.picoseconds();
  const auto count = static_cast<detail::Int128>(values.size());
  statistics.mean = Duration::picoseconds(detail::divide(sum, count, Rounding::nearest));
  const std::size_t rank = (values.size() * 99 + 99) / 100;  // ceil(0.99 n), counted from 1
  statistics.p99 = values[rank - 1];
  return statistics;
}

}  // namespace amalthea::engine
