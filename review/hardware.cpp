// SPDX-License-Identifier: Apache-2.0
// Hardware: incomplete parts, and inconsistent ports, connections and access paths.

#include <algorithm>
#include <map>
#include <string>

#include <fmt/core.h>

#include "amalthea/views/hardware.hpp"
#include "review/detail/rules.hpp"

namespace amalthea::review {
namespace {

views::Hardware hardware_in(const Context& context) {
  Diagnostics building_findings;
  return views::hardware_of(context.model, building_findings);
}

/// This version introduced ports, connections and structures; their predecessors are less detailed.
bool has_ports(Element element) { return element.document().version() >= Version::v0_9_0; }

/// Counts incomplete elements; reports them once, at the first.
class MissingItems {
 public:
  void count(bool is_lacking, Element element) {
    ++all_;
    if (is_lacking && lacking_++ == 0) first_ = element;
  }
  /// `what` follows the subject: 'Memory "M" has no definition' or '2 of 5 memories have no definition'.
  void report(Report& report, std::string_view plural, std::string_view singular_verb, std::string_view plural_verb,
              std::string_view what) const {
    if (lacking_ == 0) return;
    report.add(first_, lacking_ == 1 ? fmt::format("{} {} {}", describe(first_), singular_verb, what)
                                     : fmt::format("{} of {} {} {} {}; the first is \"{}\"", lacking_, all_, plural,
                                                   plural_verb, what, first_.name()));
  }

 private:
  std::size_t all_ = 0, lacking_ = 0;
  Element first_;
};

template <typename Modules>
void check_definitions(const Modules& modules, std::string_view plural, std::string_view unknown, Report& report) {
  MissingItems missing_items;
  for (const views::HwModule& module : modules)
    if (has_ports(module.element))
      missing_items.count(
          !module.definition && !module.element.attribute("definition") && !module.element.child("definition"),
          module.element);
  missing_items.report(report, plural, "has", "have", fmt::format("no definition, so {}; reference one", unknown));
}

std::string quoted_port(const views::HwPort& port) {
  return port.owner ? fmt::format("\"{}\" of \"{}\"", port.name, port.owner.name()) : fmt::format("\"{}\"", port.name);
}

bool is_below(Element element, Element ancestor) {
  for (element = element.parent(); element; element = element.parent())
    if (element == ancestor) return true;
  return false;
}

/// A connection within a connection handler joins ports of any kind.
bool is_internal(const views::HwConnection& connection) { return connection.element.tag() == "internalConnections"; }

/// Calls visit(connection, port, port) for connections between two different ports.
template <typename Visit>
void for_each_link(const views::Hardware& hardware, Visit visit) {
  for (const views::HwConnection& connection : hardware.connections)
    if (connection.port1 && connection.port2 && connection.port1 != connection.port2 && !is_internal(connection))
      visit(connection, hardware.ports[*connection.port1], hardware.ports[*connection.port2]);
}

/// A part of an access path, with the ports through which a path can enter or leave it; none if they are not known.
struct Stage {
  std::string_view name;
  std::vector<views::HwIndex> ports;
};

Stage stage_of(const views::Hardware& hardware, const views::HwPathElement& part) {
  using Kind = views::HwPathElement::Kind;
  const auto of = [](const views::HwModule& module) { return Stage{module.name, module.ports}; };
  switch (part.kind) {
    case Kind::connection: {
      const views::HwConnection& connection = hardware.connections[part.index];
      Stage stage{connection.name, {}};
      if (connection.port1 && connection.port2) stage.ports = {*connection.port1, *connection.port2};
      return stage;
    }
    case Kind::handler:
      return of(hardware.handlers[part.index]);
    case Kind::cache:
      return of(hardware.caches[part.index]);
    case Kind::unit:
      return of(hardware.units[part.index]);
    case Kind::port:
      return {hardware.ports[part.index].name, {}};
    case Kind::access:
      return {hardware.accesses[part.index].name, {}};
  }
  return {};
}

/// From the unit to the destination, as far as they are known.
std::vector<Stage> stages_of(const views::Hardware& hardware, const views::HwAccess& access) {
  std::vector<Stage> stages;
  const auto add_unit = [&](const std::optional<views::HwIndex>& unit) {
    if (unit) stages.push_back(stage_of(hardware, {views::HwPathElement::Kind::unit, *unit}));
  };
  add_unit(access.unit);
  for (const views::HwPathElement& part : access.path) {
    // A cache within a unit has no ports: what follows is joined to the unit.
    const bool inside = part.kind == views::HwPathElement::Kind::cache && hardware.caches[part.index].unit &&
                        hardware.caches[part.index].ports.empty();
    if (!inside) stages.push_back(stage_of(hardware, part));
  }
  if (access.memory)
    stages.push_back({hardware.memories[*access.memory].name, hardware.memories[*access.memory].ports});
  add_unit(access.target_unit);
  return stages;
}

bool have_common_port(const Stage& a, const Stage& b) {
  return std::find_first_of(a.ports.begin(), a.ports.end(), b.ports.begin(), b.ports.end()) != a.ports.end();
}

Element path_of(const views::HwAccess& access) {
  const Element path = access.element.child("accessPath");
  return path ? path : access.element;
}

}  // namespace

void check_module_definitions(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  check_definitions(parts.units, "processing units", "one instruction per cycle is assumed", report);
  check_definitions(parts.memories, "memories", "neither size nor latency is known", report);
  check_definitions(parts.caches, "caches", "neither size nor latency is known", report);
  check_definitions(parts.handlers, "connection handlers", "the latency is not known", report);
}

void check_port_types(const Context& context, Report& report) {
  MissingItems missing_items;
  for (const views::HwPort& port : hardware_in(context).ports)
    if (has_ports(port.element)) missing_items.count(port.type.empty(), port.element);
  missing_items.report(report, "ports", "does", "do",
                       "not state a portType, so the direction of requests is unknown; state it");
}

void check_connection_ends(const Context& context, Report& report) {
  for (const views::HwConnection& connection : hardware_in(context).connections) {
    if (report.is_reported(connection.element)) continue;
    if (connection.port1 && connection.port1 == connection.port2)
      report.add(connection.element, "port2",
                 fmt::format("connection \"{}\" leads from a port to the same port; expected two", connection.name));
    else if (!connection.port1 || !connection.port2)
      report.add(connection.element, fmt::format("connection \"{}\" has {}; expected port1 and port2", connection.name,
                                                 connection.port1 || connection.port2 ? "one port" : "no ports"));
  }
}

void check_connection_interfaces(const Context& context, Report& report) {
  for_each_link(hardware_in(context), [&](const auto& connection, const auto& first, const auto& second) {
    if (!first.interface.empty() && !second.interface.empty() && first.interface != second.interface)
      report.add(connection.element, fmt::format("connection \"{}\" joins port {} with the interface {} and port {} "
                                                 "with the interface {}; expected the same interface",
                                                 connection.name, quoted_port(first), first.interface,
                                                 quoted_port(second), second.interface));
  });
}

void check_connection_directions(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  for_each_link(parts, [&](const auto& connection, const auto& first, const auto& second) {
    if (!connection.structure || first.type.empty() || second.type.empty()) return;
    const Element structure = parts.structures[*connection.structure].element;
    const bool first_outer = first.owner == structure, second_outer = second.owner == structure;
    if ((!first_outer && !is_below(first.owner, structure)) || (!second_outer && !is_below(second.owner, structure)))
      return;
    // A structure's own port passes on the requests of an inner port.
    const bool delegates = first_outer != second_outer;
    if (delegates == (first.type == second.type)) return;
    report.add(connection.element,
               fmt::format("connection \"{}\" joins the {} port {} and the {} port {}; expected {}", connection.name,
                           first.type, quoted_port(first), second.type, quoted_port(second),
                           delegates ? "two of the same kind, because one belongs to the enclosing structure"
                                     : "an initiator and a responder"));
  });
}

void check_port_connections(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  std::vector<std::size_t> connections(parts.ports.size());
  for (const views::HwConnection& connection : parts.connections) {
    if (is_internal(connection)) continue;
    if (connection.port1) ++connections[*connection.port1];
    if (connection.port2 && connection.port2 != connection.port1) ++connections[*connection.port2];
  }
  for (views::HwIndex port = 0; port < parts.ports.size(); ++port)
    if (connections[port] > 1 && parts.ports[port].owner && !parts.ports[port].owner.is("HwStructure"))
      report.add(parts.ports[port].element,
                 fmt::format("port {} has {} connections; expected one, or a connection handler between them",
                             quoted_port(parts.ports[port]), connections[port]));
}

void check_access_paths(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  for (const views::HwAccess& access : parts.accesses) {
    if (access.path.empty() || !has_ports(access.element)) continue;
    const auto stages = stages_of(parts, access);
    for (std::size_t i = 1; i < stages.size(); ++i) {
      // A part without ports has no known position.
      if (stages[i - 1].ports.empty() || stages[i].ports.empty() || have_common_port(stages[i - 1], stages[i]))
        continue;
      if (const Element place = path_of(access); !report.is_reported(place))
        report.add(place, fmt::format("the access path of \"{}\" is broken: its consecutive elements \"{}\" and \"{}\" "
                                      "have no port in common; correct pathElements",
                                      access.name, stages[i - 1].name, stages[i].name));
      break;
    }
  }
}

void check_address_ranges(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  for (const views::HwAccess& access : parts.accesses) {
    if (!has_ports(access.element)) continue;
    const Element place = path_of(access);
    const std::uint64_t start = access.start_address.value_or(0), end = access.end_address.value_or(0);
    if (end < start) {
      report.add(place, "endAddress",
                 fmt::format("the addresses of \"{}\" end ({:#x}) before they start ({:#x}); correct one of them",
                             access.name, end, start));
      continue;
    }
    if (!access.memory || !parts.memories[*access.memory].definition) continue;
    const auto size = parts.memory_definitions[*parts.memories[*access.memory].definition].size;
    if (!size || size->bytes <= 0) continue;
    const auto bytes = static_cast<std::uint64_t>(size->bytes), offset = access.memory_offset.value_or(0);
    if (end - start > bytes || offset > bytes - (end - start))
      report.add(place, "endAddress",
                 fmt::format("the addresses {:#x} to {:#x} of \"{}\" with the offset {:#x} exceed memory \"{}\" of {} "
                             "bytes; correct the range or the size of the memory",
                             start, end, access.name, offset, parts.memories[*access.memory].name, bytes));
  }
}

void check_unit_features(const Context& context, Report& report) {
  const views::Hardware parts = hardware_in(context);
  for (const views::HwUnitDefinition& definition : parts.unit_definitions) {
    std::map<std::string_view, std::vector<std::string_view>> by_category;
    for (const views::HwIndex feature : definition.features)
      by_category[parts.features[feature].category].push_back(parts.features[feature].name);
    for (const auto& [category, names] : by_category) {
      if (names.size() < 2) continue;
      std::string listed;
      for (const std::string_view name : names) listed += fmt::format("{}\"{}\"", listed.empty() ? "" : ", ", name);
      report.add(definition.element, "features",
                 fmt::format("definition \"{}\" has {} features of the category \"{}\" ({}); expected one, because "
                             "execution times vary between the slowest and the fastest",
                             definition.name, names.size(), category, listed));
    }
  }
}

void check_instruction_rates(const Context& context, Report& report) {
  for (const views::HwFeature& feature : hardware_in(context).features)
    if (feature.category == "Instructions" && feature.name.starts_with("IPC") && feature.value <= 0 &&
        !report.is_reported(feature.element))
      report.add(
          feature.element, "value",
          fmt::format("feature \"{}\" states {:g} instructions per cycle, which has no effect; expected a number "
                      "above zero",
                      feature.name, feature.value));
}

void check_frequencies(const Context& context, Report& report) {
  // The frequency of a domain behind a misspelled reference is not read, but may be stated.
  const auto states_one = [](Element domain) {
    const Element value = domain.child("defaultValue");
    return value && views::number_attribute(value, "value").value_or(0) > 0;
  };
  for (const views::HwDomain& domain : hardware_in(context).domains)
    if (!domain.power && domain.frequency == Frequency{} && !states_one(domain.element) &&
        !context.facts.uses_of(domain.element).empty() && !report.is_reported(domain.element))
      report.add(domain.element, fmt::format("{} is in use, but its frequency is missing or zero; state one",
                                             describe(domain.element)));
}

}  // namespace amalthea::review
