// SPDX-License-Identifier: Apache-2.0
#include "lsp/hints.hpp"

#include <algorithm>
#include <stdexcept>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/rounded_duration.hpp"

namespace amalthea::lsp {
namespace {

/// One element states so many cores at most.
constexpr std::size_t most_units = 3;

/// "20 ms to 28 ms on Core1"; "" if there is no such time.
std::string time_on(const ProcessingUnit& unit, const Ticks& ticks) {
  const Cycles* cycles = ticks.on(unit.definition);
  if (cycles == nullptr || unit.frequency.is_zero()) return {};
  try {
    const Duration least = ticks_to_duration(cycles->lower, unit.frequency, Rounding::down);
    const Duration most = ticks_to_duration(cycles->upper, unit.frequency, Rounding::up);
    const std::string from = least == most ? std::string() : format_duration(least, Rounding::down) + " to ";
    return fmt::format("{}{} on {}", from, format_duration(most, Rounding::up), one_line(unit.name));
  } catch (const std::overflow_error&) {
    return {};
  }
}

/// Of an activity; null if it has none, or if they are those of a block.
const Ticks* ticks_of(const Activity& activity) {
  if (const auto* compute = std::get_if<Compute>(&activity)) return &compute->ticks;
  const auto* kernel = std::get_if<Kernel>(&activity);
  return kernel == nullptr || kernel->launch ? nullptr : &*kernel->ticks;
}

}  // namespace

Hints hints_of(const System& system, const engine::Results& results) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::string>> times;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const GraphNode& activity = system.graph[node];
    const Ticks* ticks = ticks_of(activity.activity);
    if (ticks == nullptr) continue;
    const Task& task = system.tasks[activity.task];
    auto& texts = times[{activity.origin.document, activity.origin.element}];
    for (const UnitIndex unit : task.units.empty() ? std::vector{task.unit} : task.units) {
      std::string text = time_on(system.platform.units[unit], *ticks);
      if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
    }
  }
  Hints hints;
  for (const auto& [place, texts] : times) {
    std::string text;
    for (std::size_t i = 0; i < std::min(texts.size(), most_units); ++i) text += (i == 0 ? "" : ", ") + texts[i];
    if (texts.size() > most_units) text += ", …";
    if (!text.empty()) hints.emplace(place, std::move(text));
  }
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (const auto& bound = results.tasks[task].bound.worst; bound && !system.tasks[task].folded_into)
      hints.emplace(std::pair(system.tasks[task].origin.document, system.tasks[task].origin.element),
                    "at most " + format_duration(*bound, Rounding::up));
  return hints;
}

}  // namespace amalthea::lsp
