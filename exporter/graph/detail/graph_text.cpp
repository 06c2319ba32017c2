// SPDX-License-Identifier: Apache-2.0
#include "exporter/graph/detail/graph_text.hpp"

#include <fmt/core.h>

namespace amalthea::exporter {
namespace {

/// Cycles on the unit the task runs on: "1000 ticks", or "800 to 1000 ticks".
std::string ticks_text(const System& system, const Ticks& ticks, TaskIndex task) {
  const Cycles* cycles = ticks.on(system.platform.units[system.tasks[task].unit].definition);
  if (cycles == nullptr) return "ticks";
  return cycles->lower == cycles->upper ? fmt::format("{} ticks", cycles->upper)
                                        : fmt::format("{} to {} ticks", cycles->lower, cycles->upper);
}

/// "Gear := Reverse", "Speed += 1".
std::string mode_text(const System& system, const SetMode& set) {
  const Mode& mode = system.modes[set.mode];
  if (set.operation != SetMode::Operation::set)
    return fmt::format("{} {} {}", mode.name, set.operation == SetMode::Operation::increment ? "+=" : "-=", set.value);
  return fmt::format("{} := {}", mode.name, mode_value_name(mode, set.value));
}

}  // namespace

std::vector<std::string> describe(const System& system, const GraphNode& node) {
  if (const auto* compute = std::get_if<Compute>(&node.activity))
    return {ticks_text(system, compute->ticks, node.task)};
  if (const auto* kernel = std::get_if<Kernel>(&node.activity))
    return {node.name, ticks_text(system, kernel->ticks, node.task)};
  if (const auto* copy = std::get_if<Copy>(&node.activity)) return {node.name, fmt::format("{} B", copy->size.bytes)};
  if (std::holds_alternative<Branch>(node.activity)) return {node.name};
  if (const auto* set = std::get_if<SetMode>(&node.activity)) return {mode_text(system, *set)};
  if (node.name.empty()) return {std::string(kind_name(node.activity))};
  return {fmt::format("{} {}", kind_name(node.activity), node.name)};
}

}  // namespace amalthea::exporter
