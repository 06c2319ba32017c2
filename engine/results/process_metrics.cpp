// SPDX-License-Identifier: Apache-2.0
#include "engine/results/process_metrics.hpp"

#include <algorithm>

namespace amalthea::engine {

std::string_view to_string(ProcessState state) {
  constexpr std::array<std::string_view, 7> names{"not active", "active",  "ready",  "running",
                                                  "waiting",    "polling", "parking"};
  return names[static_cast<std::size_t>(state)];
}

void Extent::add(Duration value) {
  min_ = jobs_ == 0 ? value : std::min(min_, value);
  max_ = jobs_ == 0 ? value : std::max(max_, value);
  sum_ += value.picoseconds();
  ++jobs_;
}

Duration Extent::mean() const {
  if (jobs_ == 0) return Duration{};
  const auto count = static_cast<detail::Int128>(jobs_);
  const detail::Int128 above = sum_ - count * min_.picoseconds();  // >= 0, as divide requires
  return min_ + Duration::picoseconds(detail::divide(above, count, Rounding::nearest));
}

}  // namespace amalthea::engine
