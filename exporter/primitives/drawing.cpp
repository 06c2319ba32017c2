// SPDX-License-Identifier: Apache-2.0
#include "exporter/primitives/drawing.hpp"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/diagnostic.hpp"

namespace amalthea::exporter {

std::size_t take_lane(std::vector<Instant>& lanes, Instant start, Instant end) {
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[lane] <= start) {
      lanes[lane] = end;
      return lane;
    }
  lanes.push_back(end);
  return lanes.size() - 1;
}

std::string decimal(std::int64_t picoseconds, int digits) {
  std::int64_t unit = 1;
  for (int digit = 0; digit < digits; ++digit) unit *= 10;
  std::string text = fmt::format("{}", picoseconds / unit);
  if (const std::int64_t rest = picoseconds % unit; rest != 0) {
    text += fmt::format(".{:0{}}", rest, digits);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::vector<std::pair<Instant, std::string>> axis_marks(Instant end, std::int64_t most) {
  constexpr std::array<std::pair<int, std::string_view>, 5> units = {
      {{12, "s"}, {9, "ms"}, {6, "us"}, {3, "ns"}, {0, "ps"}}};
  const std::int64_t length = end.picoseconds();
  std::int64_t step = 1;
  for (std::int64_t power = 1; length / step >= most;) {
    if (step == power) {
      step = 2 * power;
    } else if (step == 2 * power) {
      step = 5 * power;
    } else {
      power *= 10;
      step = power;
    }
  }
  std::size_t unit = 0;
  const auto size_of = [](int digits) {
    std::int64_t size = 1;
    for (int digit = 0; digit < digits; ++digit) size *= 10;
    return size;
  };
  while (unit + 1 < units.size() && size_of(units[unit].first) > length) ++unit;
  std::vector<std::pair<Instant, std::string>> marks;
  for (std::int64_t time = 0;; time += step) {
    marks.emplace_back(Instant::at(Duration::picoseconds(time)),
                       fmt::format("{} {}", decimal(time, units[unit].first), units[unit].second));
    if (length - time < step) return marks;
  }
}

std::string printable(std::string_view text) {
  const std::string valid = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return one_line(nlohmann::json::parse(valid).get<std::string>());
}

}  // namespace amalthea::exporter
