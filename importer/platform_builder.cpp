// Hardware and schedulers of a System.

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "amalthea/ascii.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/properties.hpp"
#include "amalthea/views/quantities.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

PuType pu_type(Element definition) {
  const std::string_view written = definition.attribute_or("puType", "");
  if (written == "GPU") return PuType::gpu;
  return written == "Accelerator" ? PuType::accelerator : PuType::cpu;
}

void build_definitions(BuildContext& context) {
  for (const Element definition : context.model.all("hwModel", "definitions")) {
    if (!definition.is("ProcessingUnitDefinition")) continue;
    auto& definitions = context.system.platform.definitions;
    context.definitions.add(definition, static_cast<std::uint32_t>(definitions.size()));
    definitions.push_back({std::string(definition.name()), pu_type(definition)});
  }
}

/// Line size of the first cache that stands in the same structure as the unit.
std::optional<DataSize> cache_line_beside(const Model& model, Element unit, Diagnostics& diagnostics) {
  for (const Element sibling : unit.parent().children())
    if (sibling.tag() == "modules" && sibling.is("Cache"))
      if (const Element definition = model.reference(sibling, "definition"))
        if (const auto line = data_size_of(definition.child("lineSize"), diagnostics); line && line->bytes > 0)
          return line;
  return std::nullopt;
}

void build_accesses(BuildContext& context, Element element, ProcessingUnit& unit) {
  for (const Element access : element.children("accessElements")) {
    const auto memory = context.memories.find(context.model.reference(access, "destination"));
    if (!memory) continue;
    MemoryAccess cost;
    cost.memory = *memory;
    cost.read = cycles_of(access.child("readLatency"), context.diagnostics).value_or(Cycles{});
    cost.write = cycles_of(access.child("writeLatency"), context.diagnostics).value_or(Cycles{});
    cost.data_rate = data_rate_of(access.child("dataRate"), context.diagnostics).value_or(DataRate{});
    unit.accesses.push_back(cost);
  }
}

void build_units(BuildContext& context) {
  Platform& platform = context.system.platform;
  for (const Element element : modules(context.model, "ProcessingUnit")) {
    ProcessingUnit unit;
    unit.name = element.name();
    unit.origin = element.origin();
    unit.location = element.location();
    if (const auto definition = context.definitions.find(context.model.reference(element, "definition"))) {
      unit.definition = *definition;
      unit.type = platform.definitions[*definition].type;
    } else {
      // Ticks without an entry per definition still work on it.
      unit.definition = static_cast<DefinitionIndex>(platform.definitions.size());
    }
    unit.frequency = clock_of(context.model, element, context.diagnostics).value_or(Frequency{});
    unit.cache_line = cache_line_beside(context.model, element, context.diagnostics).value_or(DataSize{64});
    if (const auto profile = custom_property(element, "gpu.platform")) unit.device_profile = profile->value;
    for (Element structure = element.parent(); structure && structure.tag() == "structures";
         structure = structure.parent())
      unit.enclosing_structures.append(unit.enclosing_structures.empty() ? "" : " ").append(structure.name());
    build_accesses(context, element, unit);
    context.units.add(element, static_cast<std::uint32_t>(platform.units.size()));
    platform.units.push_back(std::move(unit));
  }
}

void build_schedulers(BuildContext& context) {
  Platform& platform = context.system.platform;
  for (const Element os : context.model.all("osModel", "operatingSystems")) {
    for (const Element element : os.children()) {
      if (element.tag() != "taskSchedulers") continue;
      Scheduler scheduler;
      scheduler.name = element.name();
      scheduler.algorithm = scheduling_algorithm(context.model, element);
      scheduler.origin = element.origin();
      for (const Parameter& parameter : scheduling_parameters(element)) {
        const bool minimum = equal_ignoring_case(parameter.name, "minimumTimeslice");
        if (!minimum && !equal_ignoring_case(parameter.name, "maximumTimeslice")) continue;
        if (const auto time = parse_time_text(parameter.value))
          (minimum ? scheduler.minimum_time_slice : scheduler.maximum_time_slice) = *time;
      }
      context.schedulers.add(element, static_cast<std::uint32_t>(platform.schedulers.size()));
      platform.schedulers.push_back(std::move(scheduler));
    }
  }
  for (const Element allocation : context.model.all("mappingModel", "schedulerAllocation")) {
    const auto scheduler = context.schedulers.find(context.model.reference(allocation, "scheduler"));
    if (!scheduler) continue;
    for (const Element unit : context.model.references(allocation, "responsibility"))
      if (const auto index = context.units.find(unit)) platform.schedulers[*scheduler].units.push_back(*index);
  }
}

}  // namespace

void build_platform(BuildContext& context) {
  if (context.model.version() < Version::v0_9_0) {
    context.error(
        "AM0300",
        fmt::format(
            "the hardware model of AMALTHEA {} (before 0.9.0) cannot be analysed; convert the model with APP4MC first",
            to_string(context.model.version())),
        context.model.documents().front()->root().location());
    return;
  }
  for (const Element structure : context.model.all("hwModel", "structures")) {
    context.system.platform.name = structure.name();
    break;
  }
  for (const Element memory : modules(context.model, "Memory")) {
    context.memories.add(memory, static_cast<std::uint32_t>(context.system.platform.memories.size()));
    context.system.platform.memories.push_back({std::string(memory.name()), memory.origin()});
  }
  build_definitions(context);
  build_units(context);
  build_schedulers(context);
}

}  // namespace amalthea::importer::detail
