// Hardware and schedulers of a System, from the views that hide the versions' forms.

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/ascii.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

void build_definitions(BuildContext& context, const views::Hardware& hardware) {
  auto& definitions = context.system.platform.definitions;
  for (const views::HwUnitDefinition& definition : hardware.unit_definitions) {
    context.definitions.add(definition.element, static_cast<std::uint32_t>(definitions.size()));
    definitions.push_back({std::string(definition.name), definition.type.value_or(PuType::cpu)});
  }
}

std::optional<DataSize> line_of(const views::Hardware& hardware, const views::HwCache& cache) {
  if (!cache.definition) return std::nullopt;
  const auto& line = hardware.cache_definitions[*cache.definition].line_size;
  return line && line->bytes > 0 ? line : std::nullopt;
}

/// Per structure, the line size of the first cache directly in it that states one.
std::vector<std::optional<DataSize>> shared_cache_lines(const views::Hardware& hardware) {
  std::vector<std::optional<DataSize>> lines(hardware.structures.size());
  for (const views::HwCache& cache : hardware.caches)
    if (cache.structure && !cache.unit && !lines[*cache.structure]) lines[*cache.structure] = line_of(hardware, cache);
  return lines;
}

/// The line size of the unit's first own cache that states one, else of one that stands beside the unit.
std::optional<DataSize> cache_line(const views::Hardware& hardware, const views::HwUnit& unit,
                                   const std::vector<std::optional<DataSize>>& shared) {
  for (const views::HwIndex cache : unit.caches)
    if (const auto line = line_of(hardware, hardware.caches[cache])) return line;
  return unit.structure ? shared[*unit.structure] : std::nullopt;
}

std::vector<MemoryAccess> accesses_of(const views::Hardware& hardware, const views::HwUnit& unit) {
  std::vector<MemoryAccess> accesses;
  for (const views::HwIndex index : unit.accesses) {
    const views::HwAccess& access = hardware.accesses[index];
    if (!access.memory) continue;
    const views::AccessCost cost = views::cost_of(hardware, access);
    accesses.push_back({*access.memory, cost.read, cost.write, cost.data_rate});
  }
  return accesses;
}

std::string enclosing_structures(const views::Hardware& hardware, const views::HwUnit& element) {
  std::string names;
  for (auto structure = element.structure; structure; structure = hardware.structures[*structure].parent)
    names.append(names.empty() ? "" : " ").append(hardware.structures[*structure].name);
  return names;
}

void build_units(BuildContext& context, const views::Hardware& hardware) {
  Platform& platform = context.system.platform;
  const auto shared_lines = shared_cache_lines(hardware);
  for (const views::HwUnit& element : hardware.units) {
    ProcessingUnit unit;
    unit.name = element.name;
    unit.origin = element.element.origin();
    unit.location = element.element.location();
    // Ticks without an entry per definition still work on a unit without definition.
    unit.definition = element.definition.value_or(static_cast<DefinitionIndex>(platform.definitions.size()));
    if (element.definition) unit.type = platform.definitions[*element.definition].type;
    unit.frequency = element.clock;
    unit.cache_line = cache_line(hardware, element, shared_lines).value_or(unit.cache_line);
    if (const auto profile = custom_property(element.element, "gpu.platform")) unit.device_profile = profile->value;
    unit.enclosing_structures = enclosing_structures(hardware, element);
    unit.accesses = accesses_of(hardware, element);
    context.units.add(element.element, static_cast<std::uint32_t>(platform.units.size()));
    platform.units.push_back(std::move(unit));
  }
}

void build_schedulers(BuildContext& context, const views::OperatingSystems& systems) {
  Platform& platform = context.system.platform;
  for (const views::OsScheduler& element : systems.schedulers) {
    if (element.interrupt_controller) continue;
    Scheduler scheduler;
    scheduler.name = element.name;
    scheduler.algorithm = element.algorithm.name;
    scheduler.origin = element.element.origin();
    for (const Parameter& parameter : element.parameters) {
      const bool minimum = equal_ignoring_case(parameter.name, "minimumTimeslice");
      if (!minimum && !equal_ignoring_case(parameter.name, "maximumTimeslice")) continue;
      if (const auto time = parse_time_text(parameter.value))
        (minimum ? scheduler.minimum_time_slice : scheduler.maximum_time_slice) = *time;
    }
    if (element.parent)
      context.diagnostics.add(
          "AM0420", Severity::warning,
          fmt::format("scheduler \"{}\" is scheduled by \"{}\"; this is not simulated, each has its units to itself",
                      scheduler.name, systems.schedulers[*element.parent].name),
          element.element.location(), element.element.path());
    context.schedulers.add(element.element, static_cast<std::uint32_t>(platform.schedulers.size()));
    platform.schedulers.push_back(std::move(scheduler));
  }
  for (const views::SchedulerAllocation& allocation : context.mapping.schedulers) {
    const auto scheduler = context.schedulers.find(allocation.scheduler);
    if (!scheduler) continue;
    for (const Element unit : allocation.responsibility)
      if (const auto index = context.units.find(unit)) platform.schedulers[*scheduler].units.push_back(*index);
  }
}

}  // namespace

void build_platform(BuildContext& context) {
  const views::Hardware hardware = views::hardware_of(context.model, context.diagnostics);
  context.mapping = views::mapping_of(context.model);
  Platform& platform = context.system.platform;
  if (!hardware.structures.empty()) platform.name = hardware.structures.front().name;
  for (const views::HwMemory& memory : hardware.memories) {
    context.memories.add(memory.element, static_cast<std::uint32_t>(platform.memories.size()));
    platform.memories.push_back({std::string(memory.name), memory.element.origin()});
  }
  build_definitions(context, hardware);
  build_units(context, hardware);
  // Numbers in an operating system are its overheads, which are not simulated: unreadable ones do no harm here.
  Diagnostics about_systems;
  build_schedulers(context, views::operating_systems_of(context.model, about_systems));
  for (const Diagnostic& finding : about_systems.all())
    if (finding.severity != Severity::error)
      context.diagnostics.add(finding.id, finding.severity, finding.message, finding.location, finding.path);
}

}  // namespace amalthea::importer::detail
