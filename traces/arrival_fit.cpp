// SPDX-License-Identifier: Apache-2.0
#include "traces/arrival_fit.hpp"

#include <algorithm>

namespace amalthea::traces {
namespace {

constexpr std::size_t max_corners = 65'536;

using Wide = amalthea::detail::Int128;

}  // namespace

void Occurrences::add(std::uint64_t number, Instant time) {
  const auto wanted = static_cast<std::int64_t>(std::min<std::uint64_t>(number, std::uint64_t{1} << 50U));
  number_ = wanted > number_ ? wanted : number_ + 1;
  if (count_++ == 0) first_ = time;
  if (!complete_) return;
  const Corner corner{number_, time.picoseconds()};
  push(lower_, corner, 1);
  push(upper_, corner, -1);
}

/// `side` 1: the hull from below. Corners that the new one makes superfluous are removed.
void Occurrences::push(std::vector<Corner>& hull, Corner corner, int side) {
  const auto turn = [&](const Corner& a, const Corner& b) {
    return Wide{b.first - a.first} * Wide{corner.second - a.second} -
           Wide{b.second - a.second} * Wide{corner.first - a.first};
  };
  while (hull.size() >= 2 && turn(hull[hull.size() - 2], hull.back()) * side <= 0) hull.pop_back();
  hull.push_back(corner);
  if (hull.size() > max_corners) complete_ = false;
}

PeriodicFit Occurrences::fit(Duration period) const {
  const auto rest = [&](const Corner& corner) {
    return Wide{corner.second} - Wide{corner.first} * period.picoseconds();
  };
  const auto less = [&](const Corner& a, const Corner& b) { return rest(a) < rest(b); };
  const Wide lowest = rest(*std::min_element(lower_.begin(), lower_.end(), less));
  const Wide highest = rest(*std::max_element(upper_.begin(), upper_.end(), less));
  constexpr Wide most = std::int64_t{1} << 62U;
  return {period, Duration::picoseconds(static_cast<std::int64_t>(std::clamp(lowest, -most, most))),
          Duration::picoseconds(static_cast<std::int64_t>(std::min(highest - lowest, most)))};
}

std::optional<PeriodicFit> Occurrences::best_fit() const {
  if (count_ < 3 || !complete_) return std::nullopt;
  // The jitter is a convex function of the period.
  std::int64_t low = 1, high = upper_.back().second - upper_.front().second + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (fit(Duration::picoseconds(middle)).jitter <= fit(Duration::picoseconds(middle + 1)).jitter)
      high = middle;
    else
      low = middle + 1;
  }
  return fit(Duration::picoseconds(low));
}

}  // namespace amalthea::traces
