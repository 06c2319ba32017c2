// SPDX-License-Identifier: Apache-2.0
// Hardware and schedulers of a System, from the version-independent views.

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/detail/ascii.hpp"
#include "amalthea/detail/near_miss.hpp"
#include "amalthea/views/hardware.hpp"
#include "amalthea/views/operating_system.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"

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

/// The line size of the unit's first own cache that states one, else of a cache next to the unit.
std::optional<DataSize> cache_line(const views::Hardware& hardware, const views::HwUnit& unit,
                                   const std::vector<std::optional<DataSize>>& shared) {
  for (const views::HwIndex cache : unit.caches)
    if (const auto line = line_of(hardware, hardware.caches[cache])) return line;
  return unit.structure ? shared[*unit.structure] : std::nullopt;
}

/// The parts on the way to a memory that leave open what a read or a write takes there.
class OpenCosts {
 public:
  OpenCosts(const views::Hardware& hardware, const views::HwAccess& access, bool write)
      : hardware_(hardware), write_(write) {
    check_rate(access.element, access.data_rate);
    if (one_of(access.read_latency, access.write_latency)) return;
    if (access.read_latency || access.write_latency) {
      check_both(access.element, access.read_latency, access.write_latency);
      return;
    }
    for (const views::HwPathElement& part : access.path) check(part);
    check_memory(hardware.memories[*access.memory], !access.path.empty());
  }

  std::vector<BuildContext::OpenCost> found;

 private:
  const std::optional<Cycles>& one_of(const std::optional<Cycles>& read, const std::optional<Cycles>& write) const {
    return write_ ? write : read;
  }
  void add(Element part, std::string_view what) { found.push_back({part, what}); }

  void check_rate(Element holder, const std::optional<DataRate>& rate) {
    if (holder.child("dataRate") && !(rate && rate->bytes_per_second > 0))
      add(holder.child("dataRate"), "states no value above zero");
  }
  void check_both(Element holder, const std::optional<Cycles>& read, const std::optional<Cycles>& write) {
    if (one_of(read, write) || !(read || write)) return;
    add(holder,
        write_ ? "states a latency for reads and none for writes" : "states a latency for writes and none for reads");
  }
  void check_clock(const views::HwModule& module, const std::optional<Cycles>& latency) {
    if (latency && latency->upper > 0 && module.clock.is_zero()) add(module.element, "has a latency and no clock");
  }

  void check(const views::HwPathElement& part) {
    using Kind = views::HwPathElement::Kind;
    if (part.kind == Kind::connection) {
      const views::HwConnection& connection = hardware_.connections[part.index];
      check_both(connection.element, connection.read_latency, connection.write_latency);
      check_rate(connection.element, connection.data_rate);
    } else if (part.kind == Kind::handler) {
      const views::HwHandler& handler = hardware_.handlers[part.index];
      if (!handler.definition) return add(handler.element, "has no definition");
      const views::HwHandlerDefinition& definition = hardware_.handler_definitions[*handler.definition];
      check_both(definition.element, definition.read_latency, definition.write_latency);
      check_clock(handler, one_of(definition.read_latency, definition.write_latency));
      check_rate(definition.element, definition.data_rate);
    } else if (part.kind == Kind::cache) {
      const views::HwCache& cache = hardware_.caches[part.index];
      if (!cache.definition) return add(cache.element, "has no definition");
      check_clock(cache, hardware_.cache_definitions[*cache.definition].access_latency);
    }
  }

  void check_memory(const views::HwMemory& memory, bool behind_path) {
    if (!memory.definition) {
      if (behind_path) add(memory.element, "has no definition");
      return;
    }
    const views::HwMemoryDefinition& definition = hardware_.memory_definitions[*memory.definition];
    check_clock(memory, definition.access_latency);
    check_rate(definition.element, definition.data_rate);
  }

  const views::Hardware& hardware_;
  bool write_;
};

std::vector<MemoryAccess> accesses_of(BuildContext& context, const views::Hardware& hardware,
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
    if (access.element.is("HwAccessElement"))  // before 0.9.0 paths state latencies themselves
      for (const bool write : {false, true})
        if (auto open = OpenCosts(hardware, access, write).found; !open.empty())
          (write ? context.open_writes : context.open_reads)[{built, *access.memory}] = std::move(open);
    if (cost.data_rate.bytes_per_second > 0) continue;
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

void build_units(BuildContext& context, const views::Hardware& hardware) {
  Platform& platform = context.system.platform;
  const auto shared_lines = shared_cache_lines(hardware);
  for (const views::HwUnit& element : hardware.units) {
    ProcessingUnit unit;
    unit.name = element.name;
    unit.origin = element.element.origin();
    unit.location = element.element.location();
    // A unit without definition uses ticks without an entry per definition.
    unit.definition = element.definition.value_or(static_cast<DefinitionIndex>(platform.definitions.size()));
    if (element.definition) unit.type = platform.definitions[*element.definition].type;
    unit.frequency = element.clock;
    const auto line = cache_line(hardware, element, shared_lines);
    unit.cache_line = line.value_or(unit.cache_line);
    if (!line) context.units_without_line.insert(static_cast<UnitIndex>(platform.units.size()));
    if (const auto profile = custom_property(element.element, "gpu.platform")) unit.device_profile = profile->value;
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
    unit.enclosing_structures = enclosing_structures(hardware, element);
    unit.accesses = accesses_of(context, hardware, element);
    context.units.add(element.element, static_cast<std::uint32_t>(platform.units.size()));
    platform.units.push_back(std::move(unit));
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
  const views::OperatingSystems systems = views::operating_systems_of(context.model, context.diagnostics);
  build_schedulers(context, systems);
  build_semaphores(context, systems);
}

}  // namespace amalthea::importer::detail
