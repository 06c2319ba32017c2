// SPDX-License-Identifier: Apache-2.0
#include "importer/building/detail/memory_costs.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

namespace amalthea::importer::detail {
namespace {

using Kind = views::HwPathElement::Kind;
using OpenCost = BuildContext::OpenCost;

/// The access and, before 0.9.0, the paths that are part of its path.
std::vector<const views::HwAccess*> ways_of(const views::Hardware& hardware, const views::HwAccess& access) {
  std::vector<const views::HwAccess*> ways{&access};
  for (std::size_t i = 0; i < ways.size(); ++i)
    for (const views::HwPathElement& part : ways[i]->path) {
      if (part.kind != Kind::access) continue;
      const views::HwAccess* inner = &hardware.accesses[part.index];
      if (std::find(ways.begin(), ways.end(), inner) == ways.end()) ways.push_back(inner);
    }
  return ways;
}
std::vector<views::HwPathElement> parts_of(const views::Hardware& hardware, const views::HwAccess& access) {
  std::vector<views::HwPathElement> parts;
  for (const views::HwAccess* way : ways_of(hardware, access))
    parts.insert(parts.end(), way->path.begin(), way->path.end());
  return parts;
}

bool is_initiator(const views::HwPort& port) { return port.type == "initiator"; }

const views::HwHandlerDefinition* definition_of(const views::Hardware& hardware, const views::HwHandler& handler) {
  return handler.definition ? &hardware.handler_definitions[*handler.definition] : nullptr;
}
const views::HwCacheDefinition* definition_of(const views::Hardware& hardware, const views::HwCache& cache) {
  return cache.definition ? &hardware.cache_definitions[*cache.definition] : nullptr;
}
const views::HwMemoryDefinition* definition_of(const views::Hardware& hardware, const views::HwMemory& memory) {
  return memory.definition ? &hardware.memory_definitions[*memory.definition] : nullptr;
}

/// The module that has the port.
const views::HwModule* module_of(const views::Hardware& hardware, Element owner) {
  if (const auto unit = hardware.unit_of.find(owner)) return &hardware.units[*unit];
  if (const auto memory = hardware.memory_of.find(owner)) return &hardware.memories[*memory];
  const auto handler = std::find_if(hardware.handlers.begin(), hardware.handlers.end(),
                                    [owner](const views::HwHandler& one) { return one.element == owner; });
  return handler == hardware.handlers.end() ? nullptr : &*handler;
}

bool is_above_zero(const std::optional<DataRate>& rate) { return rate && rate->bytes_per_second > 0; }

/// What one access in one direction leaves open.
class OpenCosts {
 public:
  OpenCosts(const views::Hardware& hardware, const views::HwAccess& access, bool write)
      : hardware_(hardware), access_(access), write_(write), parts_(parts_of(hardware, access)) {}

  std::vector<OpenCost> found;

  void add(Element part, std::string_view what) { found.push_back({part, what}); }

  void check_rate(Element holder, const std::optional<DataRate>& rate) {
    if (holder.child("dataRate") && !is_above_zero(rate)) add(holder.child("dataRate"), "states no value above zero");
  }
  template <typename Cost>
  void check_both(Element holder, const std::optional<Cost>& read, const std::optional<Cost>& write) {
    if ((write_ ? write : read) || !(read || write)) return;
    add(holder,
        write_ ? "states a latency for reads and none for writes" : "states a latency for writes and none for reads");
  }
  void check_clock(const views::HwModule& module, const std::optional<Cycles>& latency) {
    if (latency && latency->upper > 0 && module.clock.is_zero()) add(module.element, "has a latency and no clock");
  }

  /// `stated`: which parts of other paths state a latency.
  template <typename Stated>
  void check_parts(const Stated& stated) {
    const bool own_rate = access_.data_rate.has_value();
    for (const views::HwPathElement& part : parts_) {
      if (part.kind == Kind::connection) check(hardware_.connections[part.index], own_rate);
      if (part.kind == Kind::handler) check(hardware_.handlers[part.index], stated.handler, own_rate);
      if (part.kind == Kind::cache) check(hardware_.caches[part.index], stated.cache);
      if (part.kind == Kind::port) {
        const views::HwPort& port = hardware_.ports[part.index];
        check(port, stated.port[is_initiator(port) ? 1 : 0]);
      }
    }
  }

  /// The data rates that count beside a latency of the access as a whole.
  void check_rates() {
    if (const auto* definition = definition_of(hardware_, hardware_.memories[*access_.memory]))
      check_rate(definition->element, definition->data_rate);
    if (access_.data_rate) return;
    for (const views::HwPathElement& part : parts_) {
      if (part.kind == Kind::connection) {
        const views::HwConnection& connection = hardware_.connections[part.index];
        check_rate(connection.element, connection.data_rate);
        if (lacks_rate(connection)) add_missing_rate(connection);
      } else if (part.kind == Kind::handler) {
        const auto* definition = definition_of(hardware_, hardware_.handlers[part.index]);
        if (definition == nullptr) continue;
        check_rate(definition->element, definition->data_rate);
        if (lacks_rate(*definition)) add_missing_rate(*definition);
      }
    }
  }

  /// Whether anything behind or on the way states a latency.
  bool states_latency() const { return access_.path_cost.read || access_.path_cost.write; }

  void check_memory(const views::HwMemory& memory) {
    const views::HwMemoryDefinition* definition = definition_of(hardware_, memory);
    if (definition == nullptr) {
      if (!access_.path.empty()) add(memory.element, "has no definition");
      return;
    }
    check_clock(memory, definition->access_latency);
    check_rate(definition->element, definition->data_rate);
    if (states_latency() && !definition->access_latency)
      add(definition->element, "states no accessLatency, although parts on the way to it state theirs");
  }

  /// Entries of a LatencyAccessPath, before 0.9.0.
  void check(const views::HwLatency& latency) {
    if (!(write_ ? latency.writes : latency.reads)) return;
    if (latency.element.is("LatencyDeviation") && !latency.element.child("deviation"))
      return add(latency.element, "states no cycles");
    if (latency.cycles.upper == 0) return;
    if (views::integer_attribute(latency.element, "transferSize").value_or(0) > 0)
      return add(latency.element, "is that of a transferSize, so that an access may take it several times");
    if (!latency.clock) return add(latency.element, "does not state the quartz whose cycles it counts");
    const views::HwDomain& quartz = hardware_.domains[*latency.clock];
    if (quartz.frequency.is_zero()) add(quartz.element, "has no frequency, although a latency counts its cycles");
  }

 private:
  /// Connections are mostly wires, which take no time. One that does is told by another one on the way.
  void check(const views::HwConnection& connection, bool own_rate) {
    const auto has_latency = [](const views::HwConnection& one) { return one.read_latency || one.write_latency; };
    check_both(connection.element, connection.read_latency, connection.write_latency);
    check_rate(connection.element, connection.data_rate);
    if (!has_latency(connection) && is_connection_on_the_way(has_latency))
      add(connection.element, "states no latency, although another connection on the way does");
    else if (!own_rate && lacks_rate(connection))
      add_missing_rate(connection);
  }
  template <typename States>
  bool is_connection_on_the_way(const States& states) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const views::HwPathElement& part) {
      return part.kind == Kind::connection && states(hardware_.connections[part.index]);
    });
  }
  bool lacks_rate(const views::HwConnection& connection) const {
    return !connection.element.child("dataRate") &&
           is_connection_on_the_way([](const views::HwConnection& one) { return is_above_zero(one.data_rate); });
  }
  void add_missing_rate(const views::HwConnection& connection) {
    add(connection.element, "states no data rate, although another connection on the way does");
  }

  void check(const views::HwHandler& handler, bool others_do, bool own_rate) {
    const views::HwHandlerDefinition* definition = definition_of(hardware_, handler);
    if (definition == nullptr) return add(handler.element, "has no definition");
    check_both(definition->element, definition->read_latency, definition->write_latency);
    check_clock(handler, write_ ? definition->write_latency : definition->read_latency);
    check_rate(definition->element, definition->data_rate);
    if ((others_do || (!definition->data_rate && is_latency_on_the_way())) && !definition->read_latency &&
        !definition->write_latency)
      add(definition->element, "states no latency, although other parts of access paths state theirs");
    else if (!own_rate && lacks_rate(*definition))
      add_missing_rate(*definition);
  }
  bool lacks_rate(const views::HwHandlerDefinition& definition) const {
    return !definition.element.child("dataRate") && has_rated_handler();
  }
  void add_missing_rate(const views::HwHandlerDefinition& definition) {
    add(definition.element, "states no data rate, although another one on the way does");
  }
  /// Along the path or in the memory.
  bool is_latency_on_the_way() const {
    const views::HwMemory& memory = hardware_.memories[*access_.memory];
    return states_latency() || memory.read_latency || memory.write_latency;
  }
  bool has_rated_handler() const {
    return std::any_of(parts_.begin(), parts_.end(), [this](const views::HwPathElement& part) {
      if (part.kind != Kind::handler) return false;
      const views::HwHandlerDefinition* definition = definition_of(hardware_, hardware_.handlers[part.index]);
      return definition != nullptr && is_above_zero(definition->data_rate);
    });
  }

  void check(const views::HwCache& cache, bool others_do) {
    const views::HwCacheDefinition* definition = definition_of(hardware_, cache);
    if (definition == nullptr) return add(cache.element, "has no definition");
    check_clock(cache, definition->access_latency);
    if ((others_do || is_latency_on_the_way()) && !definition->access_latency)
      add(definition->element, "states no accessLatency, although other parts of access paths state theirs");
  }

  void check(const views::HwPort& port, bool others_do) {
    if (write_ ? !port.writable : !port.readable) return;
    check_both(port.element, port.read_cycles, port.write_cycles);
    if (!port.read_cycles && !port.write_cycles) {
      if (others_do) add(port.element, "states no cycles, although another port on an access path does");
      return;
    }
    const views::HwModule* module = module_of(hardware_, port.owner);
    if (module != nullptr && module->clock.is_zero()) add(module->element, "has a port with cycles and no clock");
  }

  const views::Hardware& hardware_;
  const views::HwAccess& access_;
  bool write_;
  std::vector<views::HwPathElement> parts_;
};

/// Caches that serve accesses to labels.
bool holds_data(const views::Hardware& hardware, const views::HwCache& cache) {
  const views::HwCacheDefinition* definition = definition_of(hardware, cache);
  return definition == nullptr || definition->cache_type != "instruction";
}

std::vector<const views::HwCache*> own_caches(const views::Hardware& hardware, const views::HwUnit& unit) {
  std::vector<const views::HwCache*> caches;
  for (const views::HwIndex cache : unit.caches)
    if (holds_data(hardware, hardware.caches[cache])) caches.push_back(&hardware.caches[cache]);
  return caches;
}
std::vector<const views::HwCache*> caches_beside(const views::Hardware& hardware, const views::HwUnit& unit) {
  std::vector<const views::HwCache*> caches;
  for (const views::HwCache& cache : hardware.caches)
    if (unit.structure && cache.structure == unit.structure && !cache.unit && holds_data(hardware, cache))
      caches.push_back(&cache);
  return caches;
}

std::optional<DataSize> line_of(const views::Hardware& hardware, const views::HwCache& cache) {
  const views::HwCacheDefinition* definition = definition_of(hardware, cache);
  if (definition == nullptr || !definition->line_size || definition->line_size->bytes <= 0) return std::nullopt;
  return definition->line_size;
}

std::optional<DataSize> smallest_line(const views::Hardware& hardware,
                                      const std::vector<const views::HwCache*>& caches) {
  std::optional<DataSize> smallest;
  for (const views::HwCache* cache : caches)
    if (const auto line = line_of(hardware, *cache); line && !(smallest && smallest->bytes <= line->bytes))
      smallest = line;
  return smallest;
}

}  // namespace

bool states_rate(const views::HwAccess& access) {
  return is_above_zero(access.data_rate ? access.data_rate : access.path_cost.data_rate);
}

MemoryCosts::MemoryCosts(const views::Hardware& hardware) : hardware_(hardware) {
  stated_.cache = std::any_of(hardware.cache_definitions.begin(), hardware.cache_definitions.end(),
                              [](const views::HwCacheDefinition& one) { return one.access_latency.has_value(); });
  for (const views::HwAccess& access : hardware.accesses) {
    if (!access.memory) continue;
    const views::AccessCost cost = views::cost_of(hardware, access);
    any_stated_ = any_stated_ || cost.read_source != views::LatencySource::none ||
                  cost.write_source != views::LatencySource::none || states_rate(access);
    if (cost.read_source == views::LatencySource::access || cost.read_source == views::LatencySource::path)
      by_path_.insert(*access.memory);
    for (const views::HwPathElement& part : parts_of(hardware, access)) {
      if (part.kind == Kind::handler) {
        const views::HwHandlerDefinition* definition = definition_of(hardware, hardware.handlers[part.index]);
        stated_.handler =
            stated_.handler || (definition != nullptr && (definition->read_latency || definition->write_latency));
      } else if (part.kind == Kind::port) {
        const views::HwPort& port = hardware.ports[part.index];
        if (port.read_cycles || port.write_cycles) stated_.port[is_initiator(port) ? 1 : 0] = true;
      }
    }
  }
}

std::vector<OpenCost> MemoryCosts::open(const views::HwAccess& access, bool write) const {
  OpenCosts costs(hardware_, access, write);
  costs.check_rate(access.element, access.data_rate);
  const auto& own = write ? access.write_latency : access.read_latency;
  if (own) {
    costs.check_rates();
    return costs.found;
  }
  if (access.read_latency || access.write_latency) {
    costs.check_both(access.element, access.read_latency, access.write_latency);
    return costs.found;
  }
  costs.check_parts(stated_);
  for (const views::HwAccess* way : ways_of(hardware_, access)) {
    for (const Element part : way->lost) costs.add(part, "refers to no part of the hardware");
    for (const views::HwLatency& latency : way->latencies) costs.check(latency);
  }
  if (access.element.is("HwAccessElement"))
    costs.check_memory(hardware_.memories[*access.memory]);
  else if (costs.found.empty())  // before 0.9.0 a path as a whole
    costs.check_both(access.element, access.path_cost.read, access.path_cost.write);
  const views::AccessCost cost = views::cost_of(hardware_, access);
  if (access.path.empty() && access.latencies.empty() && !access.data_rate && by_path_.contains(*access.memory))
    costs.add(access.element,
              "states neither a path nor a latency nor a data rate, although other accesses to this memory do");
  if (costs.found.empty() && any_stated_ && !states_rate(access) &&
      (write ? cost.write_source : cost.read_source) == views::LatencySource::none)
    costs.add(access.element, "states no latency and no data rate, nor does its path, although other accesses do");
  return costs.found;
}

void report_costs_besides_path(BuildContext& context, const views::Hardware& hardware, const views::HwAccess& access) {
  if (access.path.empty() || !access.memory) return;
  views::HwAccess by_path = access;
  by_path.read_latency.reset();
  by_path.write_latency.reset();
  const views::AccessCost cost = views::cost_of(hardware, by_path);
  const auto report = [&](std::string_view feature, std::string_view what) {
    context.report_second(fmt::format("{} of the access \"{}\", beside that of its accessPath", what, access.name),
                          access.element.child(feature), "this one");
  };
  // The sum along the path may be rounded: its lower bound down, its upper bound up.
  const auto differ = [](const std::optional<Cycles>& own, const Cycles& sum, views::LatencySource source) {
    return own && source == views::LatencySource::path &&
           (own->upper != sum.upper || own->lower < sum.lower || own->lower > sum.lower + 1);
  };
  if (differ(access.read_latency, cost.read, cost.read_source)) report("readLatency", "read latency");
  if (differ(access.write_latency, cost.write, cost.write_source)) report("writeLatency", "write latency");
  const auto& rate = access.path_cost.data_rate;
  if (is_above_zero(access.data_rate) && rate && access.data_rate->bytes_per_second != rate->bytes_per_second)
    report("dataRate", "data rate");
}

std::optional<DataSize> cache_line(const views::Hardware& hardware, const views::HwUnit& unit) {
  if (const auto line = smallest_line(hardware, own_caches(hardware, unit))) return line;
  return smallest_line(hardware, caches_beside(hardware, unit));
}

std::vector<Element> open_clock_ratios(const views::Hardware& hardware) {
  std::vector<Element> open;
  bool any_stated = false;
  const auto add = [&](const auto& modules) {
    for (const views::HwModule& module : modules) {
      if (!module.prescaler) continue;
      if (views::number_attribute(module.prescaler, "clockRatio").value_or(0) > 0)
        any_stated = true;
      else
        open.push_back(module.prescaler);
    }
  };
  add(hardware.units);
  add(hardware.memories);
  add(hardware.handlers);
  if (!any_stated) open.clear();
  return open;
}

std::vector<OpenCost> open_cache_lines(const views::Hardware& hardware, const views::HwUnit& unit) {
  std::vector<OpenCost> open;
  if (std::none_of(hardware.caches.begin(), hardware.caches.end(),
                   [&](const views::HwCache& cache) { return line_of(hardware, cache).has_value(); }))
    return open;
  auto caches = own_caches(hardware, unit);
  if (caches.empty()) caches = caches_beside(hardware, unit);
  for (const views::HwCache* cache : caches) {
    if (line_of(hardware, *cache)) continue;
    const views::HwCacheDefinition* definition = definition_of(hardware, *cache);
    open.push_back({definition == nullptr ? cache->element : definition->element,
                    "states no lineSize, although that of another cache does"});
  }
  return open;
}

}  // namespace amalthea::importer::detail
