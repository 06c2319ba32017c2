// SPDX-License-Identifier: Apache-2.0
#include "amalthea/views/hardware.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "amalthea/diagnostic.hpp"
#include "amalthea/views/detail/reading.hpp"
#include "amalthea/views/quantities.hpp"
#include "amalthea/views/stated_maximum.hpp"

namespace amalthea::views {
namespace {

using amalthea::detail::Int128;

// ------------------------------------------------------------------------------------------------ single values

/// The quantity if its unit is stated: sizes and rates without a unit are meaningless.
Element with_unit(Element quantity) {
  return quantity && !literal_attribute(quantity, "unit").empty() ? quantity : Element{};
}

/// Sizes and rates that do not affect timing: unreadable ones are treated as unstated.
std::optional<DataSize> size_of(Element size) {
  if (!with_unit(size)) return std::nullopt;
  const auto parsed = parse_data_size(size.attribute_or("value", "0"), size.attribute_or("unit", ""));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

std::optional<Cycles> latency_of(Element latency, Diagnostics& diagnostics) {
  // A LatencyDeviation without content is unstated.
  if (latency && latency.is("LatencyDeviation") && !latency.child("cycles") && !latency.child("deviation"))
    return std::nullopt;
  const auto deviation = deviation_of<std::int64_t>(latency, diagnostics);
  if (!deviation) return std::nullopt;
  report_open(*deviation, "a latency", diagnostics);
  return cycles_of(*deviation, diagnostics);
}

/// Before 0.9.0 a bare number is in hertz: 0.7.0 has no unit, and migrated models do not write one.
std::optional<Frequency> quartz_frequency(Element quartz, Diagnostics& diagnostics) {
  const Element frequency = quartz.child("frequency");
  const Element holder = frequency ? frequency : quartz;
  const std::string_view name = frequency ? "value" : "frequency";
  if (frequency && with_unit(frequency))
    return number_attribute(frequency, "value") == 0.0 ? std::nullopt : frequency_of(frequency, diagnostics);
  const auto hertz = number_attribute(holder, name, diagnostics);
  if (!hertz || !(*hertz > 0) || *hertz > 9e15) return std::nullopt;
  return Frequency::millihertz(std::llround(*hertz * 1000));
}

std::optional<PuType> pu_type(std::string_view literal) {
  if (literal == "CPU") return PuType::cpu;
  if (literal == "GPU") return PuType::gpu;
  if (literal == "Accelerator") return PuType::accelerator;
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------ costs of paths

/// A cost along a path: parts with a known clock in attoseconds (10^-18 s), so that sums over different clocks are much
/// more precise than a cycle; parts without a clock in cycles of the unit.
struct PathSum {
  struct Bounds {
    bool stated = false;
    std::array<Int128, 3> attoseconds{};  // lower, average, upper
    std::array<Int128, 3> cycles{};
  };
  Bounds read, write;
  std::optional<DataRate> data_rate;
};

constexpr Int128 per_cycle_at_a_millihertz = static_cast<Int128>(1000000000000) * 1000000000;  // 10^21 as
constexpr Int128 longest = per_cycle_at_a_millihertz * 1000000000;                             // 10^9 s and more

void add(PathSum::Bounds& sum, const std::optional<Cycles>& cost, Frequency clock) {
  if (!cost) return;
  sum.stated = true;
  const std::array<std::int64_t, 3> cycles{cost->lower, cost->average, cost->upper};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (clock.is_zero()) {
      sum.cycles[i] += cycles[i];
      continue;
    }
    // Clamped so that neither product nor sum exceeds 128 bits, for any numbers in the model.
    const Int128 product = std::min<std::int64_t>(cycles[i], 100000000000000000) * per_cycle_at_a_millihertz;
    const Int128 rounded = i == 0 ? 0 : i == 2 ? clock.millihertz() - 1 : clock.millihertz() / 2;
    sum.attoseconds[i] = std::min(longest, sum.attoseconds[i] + (product + rounded) / clock.millihertz());
  }
}

void add(PathSum::Bounds& sum, const PathSum::Bounds& other) {
  sum.stated = sum.stated || other.stated;
  for (std::size_t i = 0; i < other.cycles.size(); ++i) {
    sum.attoseconds[i] = std::min(longest, sum.attoseconds[i] + other.attoseconds[i]);
    sum.cycles[i] = std::min(longest, sum.cycles[i] + other.cycles[i]);
  }
}

void add_rate(std::optional<DataRate>& least, const std::optional<DataRate>& rate) {
  if (rate && rate->bytes_per_second > 0) least = least ? std::min(*least, *rate) : *rate;
}

/// In thousandths of a cycle, rounded down.
Int128 thousandths(Int128 attoseconds, Frequency clock) {
  const Int128 millihertz = std::min<std::int64_t>(clock.millihertz(), 100000000000000000);
  return attoseconds / per_cycle_at_a_millihertz * millihertz * 1000 +
         attoseconds % per_cycle_at_a_millihertz * millihertz / (per_cycle_at_a_millihertz / 1000);
}

std::int64_t to_integer(Int128 value) {
  return static_cast<std::int64_t>(std::min<Int128>(value, std::numeric_limits<std::int64_t>::max()));
}

std::optional<Cycles> in_cycles(const PathSum::Bounds& sum, Frequency clock) {
  if (!sum.stated) return std::nullopt;
  std::array<Int128, 3> cycles = sum.cycles;
  if (!clock.is_zero()) {
    cycles[0] += (thousandths(sum.attoseconds[0], clock) + 1) / 1000;
    cycles[1] += (thousandths(sum.attoseconds[1], clock) + 500) / 1000;
    cycles[2] += (thousandths(sum.attoseconds[2], clock) + 999) / 1000;
  }
  Cycles result{to_integer(cycles[0]), to_integer(cycles[1]), to_integer(cycles[2])};
  result.upper = std::max(result.lower, result.upper);
  result.average = std::clamp(result.average, result.lower, result.upper);
  return result;
}

Cycles saturated_sum(const Cycles& a, const Cycles& b) {
  const auto sum = [](std::int64_t x, std::int64_t y) { return to_integer(static_cast<Int128>(x) + y); };
  return {sum(a.lower, b.lower), sum(a.average, b.average), sum(a.upper, b.upper)};
}

// ------------------------------------------------------------------------------------------------ building the view

/// The context of an element during the walk through the tree.
struct TreePosition {
  std::optional<HwIndex> structure;
  std::optional<HwIndex> unit;
  Element prescaler;  // the nearest enclosing one
};

class HardwareBuilder {
 public:
  HardwareBuilder(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  Hardware build() {
    for_each_part(model_, "HWModel", [this](Element part) { walk(part, {}); });
    // Up to 0.7.1 types may also be among the constraints.
    for_each_part(model_, "PropertyConstraintsModel", [this](Element part) {
      for (const Element child : part.children())
        if (child.is("CoreType") || child.is("MemoryType")) visit(child, {});
    });
    resolve_definitions();
    resolve_modules();
    resolve_connections();
    resolve_accesses();
    hardware_.unit_of = units_;
    hardware_.memory_of = memories_;
    return std::move(hardware_);
  }

 private:
  template <typename Part>
  static HwIndex append(std::vector<Part>& parts, Part part) {
    parts.push_back(std::move(part));
    return static_cast<HwIndex>(parts.size() - 1);
  }

  // First the tree: every part gets its index. The reader has limited the nesting.

  void walk(Element container, const TreePosition& position) {
    for (const Element child : container.children()) visit(child, position);
  }

  void visit(Element element, TreePosition position) {
    const std::string_view cls = element.class_name();
    const std::string_view name = element.name();
    if (const Element prescaler = element.child("prescaler")) position.prescaler = prescaler;
    if (cls == "HwStructure" || cls == "HwSystem" || cls == "ECU" || cls == "Microcontroller" || cls == "HwComponent") {
      position.structure = append(hardware_.structures, {element, name, position.structure});
      walk(element, position);
    } else if (cls == "ProcessingUnit" || cls == "Core") {
      HwUnit unit;
      fill(unit, element, position);
      position.unit = append(hardware_.units, std::move(unit));
      units_.add(element, *position.unit);
      walk(element, position);
    } else if (cls == "Memory") {
      HwMemory memory;
      fill(memory, element, position);
      memories_.add(element, append(hardware_.memories, std::move(memory)));
      walk(element, position);
    } else if (cls == "Cache") {
      HwCache cache;
      fill(cache, element, position);
      caches_.add(element, append(hardware_.caches, std::move(cache)));
      if (position.unit) hardware_.units[*position.unit].caches.push_back(*caches_.find(element));
      walk(element, position);
    } else if (cls == "ConnectionHandler" || cls == "Network") {
      HwHandler handler;
      fill(handler, element, position);
      handlers_.add(element, append(hardware_.handlers, std::move(handler)));
      walk(element, position);
    } else if (cls == "HwPort" || cls == "ComplexPort") {
      add_port(element);
    } else if (cls == "HwConnection") {
      HwConnection connection;
      connection.element = element;
      connection.name = name;
      connection.structure = position.structure;
      connections_.add(element, append(hardware_.connections, std::move(connection)));
    } else if (cls == "FrequencyDomain" || cls == "PowerDomain" || cls == "Quartz") {
      HwDomain domain;
      domain.element = element;
      domain.power = cls == "PowerDomain";
      domains_.add(element, append(hardware_.domains, std::move(domain)));
      // up to 0.8.0 it may contain everything that other parts contain
      if (cls == "Quartz") walk(element, position);
    } else if (cls == "HwAccessElement" || cls == "HwAccessPath" || cls == "LatencyAccessPath") {
      add_access(element, position);
    } else if (cls == "HwFeatureCategory") {
      for (const Element feature : element.children("features"))
        features_.add(feature, append(hardware_.features,
                                      {feature, name, feature.name(), number_attribute(feature, "value").value_or(0)}));
    } else {
      add_definition(element, cls);
    }
  }

  void fill(HwModule& module, Element element, const TreePosition& position) {
    module.element = element;
    module.name = element.name();
    module.structure = position.structure;
    module.unit = position.unit;
    module.prescaler = position.prescaler;
  }

  void add_port(Element element) {
    HwPort port;
    port.element = element;
    port.name = element.name();
    port.owner = element.parent();
    port.interface = literal_attribute(element, "portInterface");
    if (element.is("ComplexPort")) {
      if (const auto master = flag_attribute(element, "master")) port.type = *master ? "initiator" : "responder";
      const auto cycles = [this, element](std::string_view attribute) -> std::optional<std::int64_t> {
        const auto value = integer_attribute(element, attribute, diagnostics_);
        return value && *value > 0 ? value : std::nullopt;
      };
      port.read_cycles = cycles("readCycles");
      port.write_cycles = cycles("writeCycles");
      const std::string_view direction = literal_attribute(element, "direction");
      port.readable = direction != "W";
      port.writable = direction != "R";
    } else {
      port.type = literal_attribute(element, "portType");
    }
    ports_.add(element, append(hardware_.ports, std::move(port)));
  }

  void add_access(Element element, const TreePosition& position) {
    HwAccess access;
    access.element = element;
    access.name = element.name();
    access.unit = position.unit;
    accesses_.add(element, append(hardware_.accesses, std::move(access)));
  }

  void add_definition(Element element, std::string_view cls) {
    const std::string_view name = element.name();
    if (cls == "ProcessingUnitDefinition" || cls == "CoreType") {
      HwUnitDefinition definition;
      definition.element = element;
      definition.name = name;
      unit_definitions_.add(element, append(hardware_.unit_definitions, std::move(definition)));
    } else if (cls == "MemoryDefinition" || cls == "MemoryType") {
      HwMemoryDefinition definition;
      definition.element = element;
      memory_definitions_.add(element, append(hardware_.memory_definitions, std::move(definition)));
    } else if (cls == "CacheDefinition") {
      HwCacheDefinition definition;
      definition.element = element;
      cache_definitions_.add(element, append(hardware_.cache_definitions, std::move(definition)));
    } else if (cls == "ConnectionHandlerDefinition" || cls == "NetworkType" || cls == "Bus" || cls == "Bridge" ||
               cls == "CrossbarSwitch") {
      HwHandlerDefinition definition;
      definition.element = element;
      handler_definitions_.add(element, append(hardware_.handler_definitions, std::move(definition)));
    }
  }

  // Then the content of the parts and their references.

  void resolve_definitions() {
    for (HwUnitDefinition& definition : hardware_.unit_definitions) {
      definition.type = pu_type(definition.element.attribute_or("puType", ""));
      for (const Element feature : model_.references(definition.element, "features"))
        if (const auto index = features_.find(feature)) definition.features.push_back(*index);
    }
    for (HwMemoryDefinition& definition : hardware_.memory_definitions) {
      const Element element = definition.element;
      definition.size = size_of(element.child("size"));
      definition.access_latency = latency_of(element.child("accessLatency"), diagnostics_);
      definition.data_rate = data_rate_of(with_unit(element.child("dataRate")), diagnostics_);
    }
    for (HwCacheDefinition& definition : hardware_.cache_definitions) {
      const Element element = definition.element;
      definition.line_size = data_size_of(with_unit(element.child("lineSize")), diagnostics_);
      definition.access_latency = latency_of(element.child("accessLatency"), diagnostics_);
      definition.cache_type = literal_attribute(element, "cacheType");
    }
    for (HwHandlerDefinition& definition : hardware_.handler_definitions) {
      const Element element = definition.element;
      definition.read_latency = latency_of(element.child("readLatency"), diagnostics_);
      definition.write_latency = latency_of(element.child("writeLatency"), diagnostics_);
      definition.data_rate = data_rate_of(with_unit(element.child("dataRate")), diagnostics_);
    }
    for (HwDomain& domain : hardware_.domains) {
      if (domain.element.is("Quartz"))
        domain.frequency = quartz_frequency(domain.element, diagnostics_).value_or(Frequency{});
    }
  }

  void resolve_modules() {
    const auto definition = [this](HwModule& module, const ElementIndex& definitions) {
      for (const std::string_view feature : {"definition", "coreType", "type"})
        if (!module.definition) module.definition = definitions.find(model_.reference(module.element, feature));
    };
    // Units first: a domain that drives a unit must be readable, that of another module only if it is not empty.
    for (HwUnit& unit : hardware_.units) {
      resolve_clock(unit, true);
      definition(unit, unit_definitions_);
    }
    for (HwMemory& memory : hardware_.memories) {
      resolve_clock(memory, false);
      definition(memory, memory_definitions_);
    }
    for (HwCache& cache : hardware_.caches) {
      resolve_clock(cache, false);
      definition(cache, cache_definitions_);
    }
    for (HwHandler& handler : hardware_.handlers) {
      resolve_clock(handler, false);
      definition(handler, handler_definitions_);
    }
    port_clocks_.resize(hardware_.ports.size());
    for (HwIndex index = 0; index < hardware_.ports.size(); ++index) {
      const HwPort& port = hardware_.ports[index];
      if (HwModule* module = module_of(port.owner)) {
        module->ports.push_back(index);
        port_clocks_[index] = module->clock;
      }
    }
    for (HwMemory& memory : hardware_.memories) resolve_memory_latency(memory);
  }

  HwModule* module_of(Element element) {
    if (const auto index = units_.find(element)) return &hardware_.units[*index];
    if (const auto index = memories_.find(element)) return &hardware_.memories[*index];
    if (const auto index = caches_.find(element)) return &hardware_.caches[*index];
    if (const auto index = handlers_.find(element)) return &hardware_.handlers[*index];
    return nullptr;
  }

  Frequency domain_frequency(HwIndex index, bool required) {
    HwDomain& domain = hardware_.domains[index];
    const Element value =
        domain.power || domain.element.is("Quartz") ? Element{} : domain.element.child("defaultValue");
    if (value && domain.frequency.is_zero() && (required || number_attribute(value, "value").value_or(0) != 0))
      domain.frequency = frequency_of(value, diagnostics_).value_or(Frequency{});
    return domain.frequency;
  }

  void resolve_clock(HwModule& module, bool required) {
    auto frequency_domain = domains_.find(model_.reference(module.element, "frequencyDomain"));
    double ratio = 1;
    if (module.prescaler) {
      if (const auto quartz = domains_.find(model_.reference(module.prescaler, "quartz"))) frequency_domain = quartz;
      // 0, the default, means that none is stated.
      if (const auto stated = number_attribute(module.prescaler, "clockRatio", diagnostics_); stated && *stated > 0)
        ratio = *stated;
      else if (stated && *stated != 0)
        detail::report_unusable(module.prescaler, "clockRatio", "it must be above zero", diagnostics_);
    }
    if (!frequency_domain) return;
    module.clock = domain_frequency(*frequency_domain, required);
    if (ratio != 1) {
      const double millihertz = std::round(static_cast<double>(module.clock.millihertz()) * ratio);
      module.clock = Frequency::millihertz(millihertz < 9e18 ? static_cast<std::int64_t>(millihertz) : 0);
    }
  }

  void resolve_memory_latency(HwMemory& memory) {
    if (memory.definition)
      memory.read_latency = memory.write_latency = hardware_.memory_definitions[*memory.definition].access_latency;
    for (const HwIndex index : memory.ports) {
      const HwPort& port = hardware_.ports[index];
      if (!memory.read_latency && port.readable && port.read_cycles)
        memory.read_latency = Cycles{*port.read_cycles, *port.read_cycles, *port.read_cycles};
      if (!memory.write_latency && port.writable && port.write_cycles)
        memory.write_latency = Cycles{*port.write_cycles, *port.write_cycles, *port.write_cycles};
    }
  }

  void resolve_connections() {
    for (HwConnection& connection : hardware_.connections) {
      connection.port1 = ports_.find(model_.reference(connection.element, "port1"));
      connection.port2 = ports_.find(model_.reference(connection.element, "port2"));
      connection.read_latency = latency_of(connection.element.child("readLatency"), diagnostics_);
      connection.write_latency = latency_of(connection.element.child("writeLatency"), diagnostics_);
      connection.data_rate = data_rate_of(with_unit(connection.element.child("dataRate")), diagnostics_);
    }
  }

  void resolve_accesses() {
    for (HwIndex index = 0; index < hardware_.accesses.size(); ++index) {
      HwAccess& access = hardware_.accesses[index];
      if (access.element.is("HwAccessElement"))
        resolve_access_element(access);
      else
        resolve_access_path(access);
      if (access.unit) hardware_.units[*access.unit].accesses.push_back(index);
    }
    sums_.resize(hardware_.accesses.size());
    states_.resize(hardware_.accesses.size(), State::untouched);
    for (HwIndex index = 0; index < hardware_.accesses.size(); ++index) {
      sum_up(index);
      HwAccess& access = hardware_.accesses[index];
      const Frequency clock = access.unit ? hardware_.units[*access.unit].clock : Frequency{};
      access.path_cost = {in_cycles(sums_[index].read, clock), in_cycles(sums_[index].write, clock),
                          sums_[index].data_rate};
    }
  }

  void resolve_access_element(HwAccess& access) {
    const Element element = access.element, destination = model_.reference(element, "destination");
    access.memory = memories_.find(destination);
    access.target_unit = units_.find(destination);
    access.read_latency = latency_of(element.child("readLatency"), diagnostics_);
    access.write_latency = latency_of(element.child("writeLatency"), diagnostics_);
    access.data_rate = data_rate_of(element.child("dataRate"), diagnostics_);
    const Element path = element.child("accessPath");
    if (!path) return;
    access.start_address = address_attribute(path, "startAddress");
    access.end_address = address_attribute(path, "endAddress");
    access.memory_offset = address_attribute(path, "memOffset");
    using Kind = HwPathElement::Kind;
    for (const Element part : model_.references(path, "pathElements")) {
      if (const auto connection = connections_.find(part)) access.path.push_back({Kind::connection, *connection});
      if (const auto handler = handlers_.find(part)) access.path.push_back({Kind::handler, *handler});
      if (const auto cache = caches_.find(part)) access.path.push_back({Kind::cache, *cache});
      if (const auto unit = units_.find(part)) access.path.push_back({Kind::unit, *unit});
    }
  }

  void resolve_access_path(HwAccess& access) {
    const Element element = access.element;
    access.unit = units_.find(model_.reference(element, "source"));
    const Element target = model_.reference(element, "target");
    access.memory = memories_.find(target);
    access.target_unit = units_.find(target);
    using Kind = HwPathElement::Kind;
    for (const Element part : element.children()) {
      if (part.is("HwElementRef")) {
        if (const auto port = ports_.find(model_.reference(part, "port")))
          access.path.push_back({Kind::port, *port});
        else
          access.lost.push_back(part);
      } else if (part.is("HwAccessPathRef") || part.is("AccessPathRef")) {
        if (const auto other = accesses_.find(model_.reference(part, "ref")))
          access.path.push_back({Kind::access, *other});
        else
          access.lost.push_back(part);
      } else if (part.is("LatencyConstant") || part.is("LatencyDeviation")) {
        HwLatency latency;
        latency.element = part;
        latency.cycles = latency_of(part, diagnostics_).value_or(Cycles{});
        latency.clock = domains_.find(model_.reference(part, "quartz"));
        const std::string_view type = literal_attribute(part, "accessType");
        latency.reads = type != "W";
        latency.writes = type != "R";
        access.latencies.push_back(latency);
      }
    }
  }

  /// Sums up this path and, before it, the paths that are part of it. Not recursive, since paths may refer to each
  /// other in chains of any length. A cyclic path counts once.
  void sum_up(HwIndex first) {
    std::vector<HwIndex> open{first};
    while (!open.empty()) {
      const HwIndex index = open.back();
      const HwAccess& access = hardware_.accesses[index];
      if (states_[index] == State::done) {
        open.pop_back();
        continue;
      }
      if (states_[index] == State::untouched) {
        states_[index] = State::open;
        for (const HwPathElement& part : access.path) {
          if (part.kind != HwPathElement::Kind::access) continue;
          if (states_[part.index] == State::untouched) {
            open.push_back(part.index);
          } else if (states_[part.index] == State::open && reported_circles_++ == 0) {
            diagnostics_.add("AM0213", Severity::warning,
                             fmt::format("access path \"{}\" contains itself; the analysis ignores the reference that "
                                         "closes the cycle; remove it",
                                         hardware_.accesses[part.index].name),
                             access.element.location(), access.element.path());
          }
        }
        if (open.back() != index) continue;
      }
      sum_up_parts(access, sums_[index]);
      states_[index] = State::done;
      open.pop_back();
    }
  }

  void sum_up_parts(const HwAccess& access, PathSum& sum) {
    Frequency clock = access.unit ? hardware_.units[*access.unit].clock : Frequency{};
    for (const HwPathElement& part : access.path) {
      switch (part.kind) {
        case HwPathElement::Kind::connection: {
          const HwConnection& connection = hardware_.connections[part.index];
          add(sum.read, connection.read_latency, clock);
          add(sum.write, connection.write_latency, clock);
          add_rate(sum.data_rate, connection.data_rate);
          break;
        }
        case HwPathElement::Kind::handler: {
          const HwHandler& handler = hardware_.handlers[part.index];
          clock = handler.clock;
          if (!handler.definition) break;
          const HwHandlerDefinition& definition = hardware_.handler_definitions[*handler.definition];
          add(sum.read, definition.read_latency, clock);
          add(sum.write, definition.write_latency, clock);
          add_rate(sum.data_rate, definition.data_rate);
          break;
        }
        case HwPathElement::Kind::cache: {
          const HwCache& cache = hardware_.caches[part.index];
          clock = cache.clock;
          if (!cache.definition) break;
          add(sum.read, hardware_.cache_definitions[*cache.definition].access_latency, clock);
          add(sum.write, hardware_.cache_definitions[*cache.definition].access_latency, clock);
          break;
        }
        case HwPathElement::Kind::unit:
          clock = hardware_.units[part.index].clock;
          break;
        case HwPathElement::Kind::port: {
          const HwPort& port = hardware_.ports[part.index];
          const auto constant = [](std::int64_t cycles) { return Cycles{cycles, cycles, cycles}; };
          if (port.read_cycles) add(sum.read, constant(*port.read_cycles), port_clocks_[part.index]);
          if (port.write_cycles) add(sum.write, constant(*port.write_cycles), port_clocks_[part.index]);
          break;
        }
        case HwPathElement::Kind::access:
          if (states_[part.index] != State::done) break;
          add(sum.read, sums_[part.index].read);
          add(sum.write, sums_[part.index].write);
          add_rate(sum.data_rate, sums_[part.index].data_rate);
          break;
      }
    }
    for (const HwLatency& latency : access.latencies) {
      const Frequency ticks_with = latency.clock ? hardware_.domains[*latency.clock].frequency : Frequency{};
      if (latency.reads) add(sum.read, latency.cycles, ticks_with);
      if (latency.writes) add(sum.write, latency.cycles, ticks_with);
    }
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  Hardware hardware_;
  ElementIndex features_, unit_definitions_, memory_definitions_, cache_definitions_, handler_definitions_, domains_,
      units_, memories_, caches_, handlers_, ports_, connections_, accesses_;
  std::vector<Frequency> port_clocks_;
  enum class State : std::uint8_t { untouched, open, done };
  std::vector<PathSum> sums_;
  std::vector<State> states_;
  std::size_t reported_circles_ = 0;
};

/// A cost in cycles of `from` as cycles of `to`.
Cycles converted(const Cycles& cycles, Frequency from, Frequency to) {
  if (from.is_zero() || to.is_zero() || from == to) return cycles;
  PathSum::Bounds sum;
  add(sum, cycles, from);
  return in_cycles(sum, to).value_or(cycles);
}

}  // namespace

Hardware hardware_of(const Model& model, Diagnostics& diagnostics) {
  return HardwareBuilder(model, diagnostics).build();
}

AccessCost cost_of(const Hardware& hardware, const HwAccess& access) {
  AccessCost cost;
  const HwMemory* memory = access.memory ? &hardware.memories[*access.memory] : nullptr;
  const Frequency clock = access.unit ? hardware.units[*access.unit].clock : Frequency{};
  const auto choose = [&](const std::optional<Cycles>& own, const std::optional<Cycles>& path,
                          const std::optional<Cycles>& at_memory, Cycles& chosen, LatencySource& source) {
    if (own) {
      chosen = *own;
      source = LatencySource::access;
    } else if (path) {
      chosen = *path;
      if (memory != nullptr && memory->definition)
        if (const auto& latency = hardware.memory_definitions[*memory->definition].access_latency)
          chosen = saturated_sum(chosen, converted(*latency, memory->clock, clock));
      source = LatencySource::path;
    } else if (at_memory) {
      chosen = converted(*at_memory, memory->clock, clock);
      source = LatencySource::memory;
    }
  };
  choose(access.read_latency, access.path_cost.read, memory != nullptr ? memory->read_latency : std::nullopt, cost.read,
         cost.read_source);
  choose(access.write_latency, access.path_cost.write, memory != nullptr ? memory->write_latency : std::nullopt,
         cost.write, cost.write_source);
  std::optional<DataRate> rate = access.data_rate ? access.data_rate : access.path_cost.data_rate;
  if (memory != nullptr && memory->definition)
    add_rate(rate, hardware.memory_definitions[*memory->definition].data_rate);
  cost.data_rate = rate.value_or(DataRate{});
  return cost;
}

}  // namespace amalthea::views
