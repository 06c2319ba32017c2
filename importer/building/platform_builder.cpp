// SPDX-License-Identifier: Apache-2.0
// Hardware and schedulers of a System, from the version-independent views.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"
#include "importer/building/detail/memory_costs.hpp"
#include "importer/building/profile_file.hpp"

namespace amalthea::importer::detail {
namespace {

void build_definitions(BuildContext& context, const views::Hardware& hardware) {
  auto& definitions = context.system.platform.definitions;
  for (const views::HwUnitDefinition& definition : hardware.unit_definitions) {
    context.definitions.add(definition.element, static_cast<std::uint32_t>(definitions.size()));
    definitions.push_back(
        {std::string(definition.name), definition.type.value_or(PuType::cpu), definition.element.origin()});
  }
}

std::vector<MemoryAccess> accesses_of(BuildContext& context, const views::Hardware& hardware, const MemoryCosts& costs,
                                      const views::HwUnit& unit) {
  std::vector<MemoryAccess> accesses;
  for (const views::HwIndex index : unit.accesses) {
    const views::HwAccess& access = hardware.accesses[index];
    if (!access.memory) continue;
    const views::AccessCost cost = views::cost_of(hardware, access);
    const auto before = std::find_if(accesses.begin(), accesses.end(),
                                     [&](const MemoryAccess& other) { return other.memory == *access.memory; });
    if (before != accesses.end() && !(before->read == cost.read && before->write == cost.write &&
                                      before->data_rate.bytes_per_second == cost.data_rate.bytes_per_second))
      context.report_second(
          fmt::format("access of \"{}\" to the memory \"{}\"", unit.name, hardware.memories[*access.memory].name),
          access.element);
    accesses.push_back({*access.memory, cost.read, cost.write, cost.data_rate});
    const auto built = static_cast<UnitIndex>(context.system.platform.units.size());
    for (const bool write : {false, true})
      if (auto open = costs.open(access, write); !open.empty())
        (write ? context.open_writes : context.open_reads)[{built, *access.memory}] = std::move(open);
    report_costs_besides_path(context, hardware, access);
    if (costs.any_stated() || states_rate(access)) continue;
    if (cost.read_source == views::LatencySource::none) context.free_reads.insert({built, *access.memory});
    if (cost.write_source == views::LatencySource::none) context.free_writes.insert({built, *access.memory});
  }
  return accesses;
}

std::string enclosing_structures(const views::Hardware& hardware, const views::HwUnit& element) {
  std::string names;
  for (auto structure = element.structure; structure; structure = hardware.structures[*structure].parent)
    names.append(names.empty() ? "" : " ").append(hardware.structures[*structure].name);
  return names;
}

/// gpu.platform. Nothing but a GPU that keeps the model's profile needs a file.
void read_device_profile(BuildContext& context, Element element, ProcessingUnit& unit) {
  const auto stated = custom_property(element, "gpu.platform");
  if (!stated) return;
  unit.device_profile = stated->value;
  const auto& changes = context.options.profiles;
  const bool replaced = std::any_of(changes.begin(), changes.end(), [&](const ProfileChange& change) {
    return change.unit.empty() || change.unit == unit.name;
  });
  if (unit.type != PuType::gpu || replaced) return;
  if (auto text = read_profile(element, stated->value))
    unit.profile_text = std::move(*text);
  else
    context.error("AM0596",
                  fmt::format("gpu.platform \"{}\" of \"{}\" cannot be used: {}; put the file beside the model, or use "
                              "--platform {}=FILE",
                              stated->value, unit.name, text.error(), unit.name),
                  stated->element.location(), stated->element.path());
}

void build_units(BuildContext& context, const views::Hardware& hardware) {
  Platform& platform = context.system.platform;
  const MemoryCosts costs(hardware);
  for (const views::HwUnit& element : hardware.units) {
    ProcessingUnit unit;
    unit.name = element.name;
    unit.origin = element.element.origin();
    unit.location = element.element.location();
    // A unit without definition uses ticks without an entry per definition.
    unit.definition = element.definition.value_or(static_cast<DefinitionIndex>(platform.definitions.size()));
    if (element.definition) unit.type = platform.definitions[*element.definition].type;
    unit.frequency = element.clock;
    const auto line = cache_line(hardware, element);
    unit.cache_line = line.value_or(unit.cache_line);
    const auto index = static_cast<UnitIndex>(platform.units.size());
    if (auto open = open_cache_lines(hardware, element); !open.empty())
      context.open_lines.emplace(index, std::move(open));
    else if (!line)
      context.units_without_line.insert(index);
    read_device_profile(context, element.element, unit);
    if (const auto policy = custom_property(element.element, "gpu.warpPolicy")) unit.warp_policy = policy->value;
    if (const auto order = custom_property(element.element, "gpu.contextScheduling")) {
      unit.context_scheduling = order->value;
      constexpr std::array<std::string_view, 2> orders{"timeslice", "priority"};
      if (std::find(orders.begin(), orders.end(), order->value) == orders.end())
        context.error("AM0589",
                      fmt::format("custom property gpu.contextScheduling is \"{}\"; expected timeslice or priority{}",
                                  order->value, did_you_mean(order->value, orders)),
                      order->element.location(), order->element.path());
    }
    if (const auto pipelines = custom_property(element.element, "gpu.warpPipelines"))
      unit.warp_pipelines = pipelines->value;
    if (unit.type == PuType::gpu) unit.settings = unit_settings(element.element);
    unit.enclosing_structures = enclosing_structures(hardware, element);
    unit.accesses = accesses_of(context, hardware, costs, element);
    context.units.add(element.element, index);
    platform.units.push_back(std::move(unit));
  }
}

}  // namespace

void build_platform(BuildContext& context) {
  const views::Hardware hardware = views::hardware_of(context.model, context.diagnostics);
  context.mapping = views::mapping_of(context.model);
  for (views::TaskAllocation& allocation : context.mapping.tasks)
    for (Parameter& parameter : views::default_parameters(context.model, allocation))
      allocation.parameters.push_back(std::move(parameter));
  Platform& platform = context.system.platform;
  if (!hardware.structures.empty()) platform.name = hardware.structures.front().name;
  for (const views::HwMemory& memory : hardware.memories) {
    context.memories.add(memory.element, static_cast<std::uint32_t>(platform.memories.size()));
    platform.memories.push_back({std::string(memory.name), memory.element.origin()});
  }
  build_definitions(context, hardware);
  build_units(context, hardware);
  change_profiles(context);
  for (const Element prescaler : open_clock_ratios(hardware)) context.assume(Unstated::other_clock_ratio, prescaler);
  const views::OperatingSystems systems = views::operating_systems_of(context.model, context.diagnostics);
  build_schedulers(context, systems);
  build_semaphores(context, systems);
}

}  // namespace amalthea::importer::detail
