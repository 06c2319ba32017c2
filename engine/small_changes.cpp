// SPDX-License-Identifier: Apache-2.0
#include "engine/small_changes.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <variant>

#include "amalthea/quantity.hpp"

namespace amalthea::engine {
namespace {

Shape scaled(const Shape& shape, double factor) {
  return std::visit(
      [factor](auto changed) -> Shape {
        using Kind = decltype(changed);
        if constexpr (std::is_same_v<Kind, GaussShape>) {
          changed.mean *= factor;
          changed.standard_deviation *= factor;
        } else if constexpr (std::is_same_v<Kind, WeibullShape>) {
          changed.scale *= factor;
        } else if constexpr (std::is_same_v<Kind, HistogramShape>) {
          for (auto& entry : changed.entries) {
            entry.lower = static_cast<std::int64_t>(static_cast<double>(entry.lower) * factor);
            entry.upper = static_cast<std::int64_t>(static_cast<double>(entry.upper) * factor);
          }
        }
        return changed;
      },
      shape);
}

void scale(Cycles& cycles, std::int64_t percent) {
  const auto part = [percent](std::int64_t value) {
    return amalthea::detail::divide(static_cast<amalthea::detail::Int128>(value) * percent, 100, Rounding::up);
  };
  cycles.lower = part(cycles.lower);
  cycles.average = part(cycles.average);
  cycles.upper = part(cycles.upper);
  if (cycles.shape)
    cycles.shape = std::make_shared<const Shape>(scaled(*cycles.shape, static_cast<double>(percent) / 100));
}

void scale(Ticks& ticks, std::int64_t percent) {
  if (ticks.otherwise) scale(*ticks.otherwise, percent);
  for (auto& [definition, cycles] : ticks.extended) scale(cycles, percent);
}

}  // namespace

std::optional<SchedulerIndex> scheduler_on(const Platform& platform, SchedulerIndex own, UnitIndex unit) {
  const auto responsible = [unit](const Scheduler& scheduler) {
    return !scheduler.interrupt_controller &&
           std::find(scheduler.units.begin(), scheduler.units.end(), unit) != scheduler.units.end();
  };
  if (own < platform.schedulers.size() && responsible(platform.schedulers[own])) return own;
  const auto found = std::find_if(platform.schedulers.begin(), platform.schedulers.end(), responsible);
  if (found == platform.schedulers.end()) return std::nullopt;
  return static_cast<SchedulerIndex>(found - platform.schedulers.begin());
}

void move_task(System& system, TaskIndex index, UnitIndex unit) {
  Task& task = system.tasks[index];
  task.scheduler = scheduler_on(system.platform, task.scheduler, unit).value_or(task.scheduler);
  task.unit = unit;
  task.units.clear();
}

std::optional<TaskIndex> wrapper_of(const System& system, TaskIndex task) {
  if (system.tasks[task].side == Side::device)
    for (const NodeIndex node : system.tasks[task].body)
      if (const auto* set = std::get_if<SetEvents>(&system.graph[node].activity); set != nullptr && set->task)
        return set->task;
  return std::nullopt;
}

void scale_ticks(System& system, TaskIndex task, std::int64_t percent) {
  for (TaskIndex one = 0; one < system.tasks.size(); ++one) {
    if (one != task && wrapper_of(system, one) != task) continue;
    for (const NodeIndex node : system.tasks[one].body) {
      Activity& activity = system.graph[node].activity;
      if (auto* compute = std::get_if<Compute>(&activity)) scale(compute->ticks, percent);
      // Instructions, which decide the time, stay.
      if (auto* kernel = std::get_if<Kernel>(&activity); kernel != nullptr && !kernel->instructions)
        scale(kernel->ticks, percent);
    }
  }
}

std::vector<std::int64_t> ascending_priorities(const std::vector<std::int64_t>& present) {
  const auto count = static_cast<std::int64_t>(present.size());
  if (present.empty()) return {};
  const auto [least, most] = std::minmax_element(present.begin(), present.end());
  const std::int64_t lowest = std::min<std::int64_t>(1, *least);
  std::vector<std::int64_t> values(present.size());
  constexpr std::int64_t far = std::int64_t{1} << 62;  // sums stay in range
  // The kept ones have room between them if their present values minus their positions never decrease: the longest
  // such subsequence.
  std::vector<std::size_t> ends;  // of the best subsequence of each length
  std::vector<std::size_t> before(present.size(), ~std::size_t{0});
  const auto room = [&](std::size_t at) { return present[at] - static_cast<std::int64_t>(at); };
  if (*least > -far && *most < far - count)
    for (std::size_t at = 0; at < present.size(); ++at) {
      if (room(at) < lowest) continue;
      const auto longer = std::upper_bound(ends.begin(), ends.end(), room(at),
                                           [&](std::int64_t value, std::size_t end) { return value < room(end); });
      if (longer != ends.begin()) before[at] = *std::prev(longer);
      if (longer == ends.end())
        ends.push_back(at);
      else
        *longer = at;
    }
  std::vector<bool> kept(present.size(), false);
  if (!ends.empty())
    for (std::size_t at = ends.back(); at != ~std::size_t{0}; at = before[at]) kept[at] = true;
  std::size_t first = 0;
  while (first < kept.size() && !kept[first]) ++first;
  for (std::size_t at = 0; at < present.size(); ++at) {
    if (kept[at])
      values[at] = present[at];
    else if (at > first)
      values[at] = values[at - 1] + 1;
    else  // below the first kept one, or none is kept
      values[at] = first < kept.size() ? present[first] - static_cast<std::int64_t>(first - at)
                                       : lowest + static_cast<std::int64_t>(at);
  }
  return values;
}

}  // namespace amalthea::engine
