// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The hardware of a model of any version as one view.
///
/// It unifies two structures:
/// - since 0.9.0: nested structures with modules (processing units, memories, caches, connection handlers),
///   definitions, frequency and power domains, features, ports, connections, access elements with access paths;
/// - before 0.9.0: a system of ECUs, microcontrollers and components (structures here), cores (units), memories,
///   networks (connection handlers), their types (definitions), quartzes (frequency domains) with prescalers, ports,
///   and access paths from a core to a memory (accesses here).
///
/// A file is read by its structure, whatever its namespace. Every part refers to its element, whose class is unchanged
/// ("Core" or "ProcessingUnit", "CoreType" or "ProcessingUnitDefinition"). Parts refer to each other by index; a
/// reference that is not set, or has no usable target, is empty. Names and literals are views into the documents, which
/// must outlive the Hardware.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/element.hpp"
#include "amalthea/graph/platform.hpp"
#include "amalthea/location.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/attributes.hpp"

namespace amalthea::views {

/// An index into one of the vectors of Hardware; each member states which one.
using HwIndex = std::uint32_t;

/// A property of processing units, such as "Instructions/IPC_1" with the value 1.0.
struct HwFeature {
  Element element;
  std::string_view category;  ///< name of its HwFeatureCategory
  std::string_view name;
  double value = 0;
};

/// ProcessingUnitDefinition, or CoreType.
struct HwUnitDefinition {
  Element element;
  std::string_view name;
  std::optional<PuType> type;     ///< none before 0.9.0
  std::vector<HwIndex> features;  ///< into Hardware::features
};

/// MemoryDefinition, or MemoryType.
struct HwMemoryDefinition {
  Element element;
  /// Nothing if the model states no unit, as in 0.7.0.
  std::optional<DataSize> size;
  std::optional<Cycles> access_latency;  ///< cycles of the memory
  std::optional<DataRate> data_rate;
};

struct HwCacheDefinition {
  Element element;
  std::optional<DataSize> line_size;
  std::optional<Cycles> access_latency;  ///< cycles of the cache
  std::string_view cache_type;           ///< "instruction", "data", "unified" or ""
};

/// ConnectionHandlerDefinition, or a NetworkType (Bus, Bridge, CrossbarSwitch).
struct HwHandlerDefinition {
  Element element;
  std::optional<Cycles> read_latency;   ///< cycles of the handler
  std::optional<Cycles> write_latency;  ///< cycles of the handler
  std::optional<DataRate> data_rate;
};

/// FrequencyDomain, PowerDomain, or Quartz (a frequency domain).
struct HwDomain {
  Element element;
  bool power = false;
  Frequency frequency;  ///< 0 if none is stated, and for power domains
};

struct HwPort {
  Element element;
  std::string_view name;
  Element owner;               ///< the structure or module it belongs to
  std::string_view type;       ///< "initiator" (or a master), "responder" (or a slave) or ""
  std::string_view interface;  ///< "AXI", "CAN", …, or ""
  // Of a ComplexPort, before 0.9.0:
  std::optional<std::int64_t> read_cycles;   ///< in clock cycles of its owner; 0 is treated as unstated
  std::optional<std::int64_t> write_cycles;  ///< in clock cycles of its owner; 0 is treated as unstated
  bool readable = true;                      ///< direction R or RW, or not stated
  bool writable = true;                      ///< direction W or RW, or not stated
};

/// HwStructure; HwSystem, ECU, Microcontroller, HwComponent.
struct HwStructure {
  Element element;
  std::string_view name;
  std::optional<HwIndex> parent;  ///< into Hardware::structures
};

/// Common to all modules.
struct HwModule {
  Element element;
  std::string_view name;
  std::optional<HwIndex> structure;   ///< innermost structure around it, into Hardware::structures
  std::optional<HwIndex> unit;        ///< the processing unit it is part of, into Hardware::units
  std::optional<HwIndex> definition;  ///< into the definitions of its kind
  Element prescaler;                  ///< the effective one, before 0.9.0
  /// The frequency of the domain; before 0.9.0 that of the prescaler's quartz times its clockRatio (1 if it is 0 or
  /// unstated). The prescaler is its own or that of the nearest enclosing part that has one. 0: unstated.
  Frequency clock;
  std::vector<HwIndex> ports;  ///< into Hardware::ports
};

/// ProcessingUnit, or Core.
struct HwUnit : HwModule {
  std::vector<HwIndex> accesses;  ///< into Hardware::accesses, in the order written
  std::vector<HwIndex> caches;    ///< its own, into Hardware::caches
};

/// Memory. Before 0.9.0 this includes memories whose MemoryType is CACHE, since labels may be mapped to them.
struct HwMemory : HwModule {
  /// The latency of the memory itself, in its own cycles: the accessLatency of its definition; before 0.9.0 the cycles
  /// of its first port that states some.
  std::optional<Cycles> read_latency;
  std::optional<Cycles> write_latency;
};
struct HwCache : HwModule {};

/// ConnectionHandler, or Network.
struct HwHandler : HwModule {};

struct HwConnection {
  Element element;
  std::string_view name;
  std::optional<HwIndex> structure;     ///< into Hardware::structures
  std::optional<HwIndex> port1, port2;  ///< into Hardware::ports
  std::optional<Cycles> read_latency;   ///< in cycles of the preceding part in an access path
  std::optional<Cycles> write_latency;
  std::optional<DataRate> data_rate;
};

/// One step of an access path.
struct HwPathElement {
  enum class Kind : std::uint8_t {
    connection,  ///< into Hardware::connections
    handler,     ///< into Hardware::handlers
    cache,       ///< into Hardware::caches
    unit,        ///< into Hardware::units
    port,        ///< into Hardware::ports; before 0.9.0
    access,      ///< into Hardware::accesses: that path is part of this one; before 0.9.0
  };
  Kind kind = Kind::connection;
  HwIndex index = 0;
  friend bool operator==(const HwPathElement&, const HwPathElement&) = default;
};

/// One entry of a LatencyAccessPath, before 0.9.0.
struct HwLatency {
  Element element;
  Cycles cycles;
  std::optional<HwIndex> clock;  ///< the quartz whose cycles they are, into Hardware::domains
  bool reads = true;             ///< accessType R or RW, or not stated
  bool writes = true;            ///< accessType W or RW, or not stated
};

/// The cost of a whole path, in cycles of the unit it starts at; nothing if no part of it states a cost.
struct HwPathCost {
  std::optional<Cycles> read;
  std::optional<Cycles> write;
  std::optional<DataRate> data_rate;  ///< the smallest along the path
};

/// HwAccessElement with its access path; HwAccessPath or LatencyAccessPath before 0.9.0.
struct HwAccess {
  Element element;
  std::string_view name;
  std::optional<HwIndex> unit;         ///< where it starts, into Hardware::units
  std::optional<HwIndex> memory;       ///< destination, into Hardware::memories
  std::optional<HwIndex> target_unit;  ///< destination, into Hardware::units
  std::optional<Cycles> read_latency;  ///< stated for the access as a whole, in cycles of the unit
  std::optional<Cycles> write_latency;
  std::optional<DataRate> data_rate;
  std::vector<HwPathElement> path;
  std::vector<HwLatency> latencies;  ///< of a LatencyAccessPath
  std::vector<Element> lost;         ///< references to a port or to another path that lead nowhere, before 0.9.0
  std::optional<std::uint64_t> start_address, end_address, memory_offset;
  HwPathCost path_cost;
};

struct Hardware {
  std::vector<HwFeature> features;
  std::vector<HwUnitDefinition> unit_definitions;
  std::vector<HwMemoryDefinition> memory_definitions;
  std::vector<HwCacheDefinition> cache_definitions;
  std::vector<HwHandlerDefinition> handler_definitions;
  std::vector<HwDomain> domains;
  std::vector<HwStructure> structures;
  std::vector<HwUnit> units;
  std::vector<HwMemory> memories;
  std::vector<HwCache> caches;
  std::vector<HwHandler> handlers;
  std::vector<HwPort> ports;
  std::vector<HwConnection> connections;
  std::vector<HwAccess> accesses;

  ElementIndex unit_of, memory_of;  ///< from elements to indices
};

/// All hardware of a model, everything in document order. Reports values that cannot be read.
Hardware hardware_of(const Model& model, Diagnostics& diagnostics);

/// Where the model states the latency of an access.
enum class LatencySource : std::uint8_t {
  access,  ///< for the access as a whole
  path,    ///< as the sum along its path, plus the latency of the memory itself if stated
  memory,  ///< only for the memory
  none,    ///< none stated
};

/// The cost of an access from a unit to a memory.
struct AccessCost {
  Cycles read;  ///< cycles of the unit; zeros where the source is none
  Cycles write;
  LatencySource read_source = LatencySource::none;
  LatencySource write_source = LatencySource::none;
  /// The access's own, else the smallest along its path, and not above that of the memory.
  DataRate data_rate;  ///< 0: not stated
};

/// The cost of reads and writes is the first of these that is stated: the latencies of the access itself; the sum along
/// its path plus the memory's own latency; the memory's own latency.
///
/// Cycles of parts with another clock than the unit's are converted to cycles of the unit: the lower bound of the total
/// is rounded down, the upper bound up, the average to nearest. A thousandth of a cycle or less is considered a result
/// of non-divisible clocks and is not rounded up. A connection uses the clock of the preceding part in the path, the
/// first one that of the unit; a part without a clock uses that of the unit.
AccessCost cost_of(const Hardware& hardware, const HwAccess& access);

/// Instructions per cycle of a ProcessingUnitDefinition or CoreType: see HwUnitDefinition.
std::optional<double> instructions_per_cycle(const Model& model, Element definition);

}  // namespace amalthea::views
