// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The hardware of a model of any version as one view.
///
/// Two worlds are brought together:
/// - from 0.9.0 on: structures that nest, modules in them (processing units, memories, caches, connection handlers),
///   definitions, frequency and power domains, features, ports, connections, access elements with access paths;
/// - before 0.9.0: a system of ECUs, microcontrollers and components (structures here), cores (units), memories,
///   networks (connection handlers), their types (definitions), quartzes (frequency domains) with prescalers, ports,
///   and access paths from a core to a memory (accesses here).
///
/// A file is read by its structure, whatever its namespace says. What a view is made of can always be told: every
/// part has its element, whose class is kept ("Core" or "ProcessingUnit", "CoreType" or "ProcessingUnitDefinition").
/// Parts refer to each other by index; a reference that is not set, or leads to nothing usable, is empty.
/// Names and literals are views into the documents, which must outlive the Hardware.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/element.hpp"
#include "amalthea/graph/platform.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"
#include "amalthea/views/attributes.hpp"

namespace amalthea::views {

/// An index into one of the vectors of Hardware; which one is said at each member.
using HwIndex = std::uint32_t;

/// A property of processing units, such as "Instructions/IPC_1" with the value 1.0.
struct HwFeature {
  Element element;
  std::string_view category;       ///< name of its HwFeatureCategory
  std::string_view category_type;  ///< "performance", "power", "performance_and_power" or ""
  std::string_view name;
  double value = 0;
};

/// ProcessingUnitDefinition, or CoreType.
struct HwUnitDefinition {
  Element element;
  std::string_view name;
  std::optional<PuType> type;     ///< none before 0.9.0
  std::vector<HwIndex> features;  ///< into Hardware::features
  /// The first feature "IPC…" of a category "Instructions", or CoreType.instructionsPerCycle; above 0.
  std::optional<double> instructions_per_cycle;
  std::optional<std::int64_t> bit_width;  ///< CoreType only
  std::vector<Element> classifiers;
};

/// MemoryDefinition, or MemoryType.
struct HwMemoryDefinition {
  Element element;
  std::string_view name;
  /// Nothing where the model states no unit, as in 0.7.0.
  std::optional<DataSize> size;
  std::optional<Cycles> access_latency;  ///< cycles of the memory
  std::optional<DataRate> data_rate;
  std::string_view memory_type;  ///< "DRAM", "SRAM", …; before 0.9.0 "RAM", "CACHE", "FLASH_INT", "FLASH_EXT"; or ""
  std::vector<Element> classifiers;
};

struct HwCacheDefinition {
  Element element;
  std::string_view name;
  std::optional<DataSize> size;
  std::optional<DataSize> line_size;
  std::optional<Cycles> access_latency;  ///< cycles of the cache
  std::string_view cache_type;           ///< "instruction", "data", "unified" or ""
  std::string_view write_strategy;       ///< "none", "writeback", "writethrough" or ""
  std::optional<std::int64_t> ways;
  std::optional<bool> coherent;
  std::optional<bool> exclusive;
  std::optional<double> hit_rate;
};

enum class HwPolicy : std::uint8_t { round_robin, first_come_first_served, priority_based };

/// ConnectionHandlerDefinition, or a NetworkType (Bus, Bridge, CrossbarSwitch).
struct HwHandlerDefinition {
  Element element;
  std::string_view name;
  std::optional<HwPolicy> policy;
  std::optional<Cycles> read_latency;   ///< cycles of the handler
  std::optional<Cycles> write_latency;  ///< cycles of the handler
  std::optional<DataRate> data_rate;
  std::optional<std::int64_t> max_burst_size;
  std::optional<std::int64_t> max_concurrent_transfers;  ///< or CrossbarSwitch.conConnections
  std::optional<std::int64_t> bit_width;                 ///< NetworkType only
  std::string_view bus_type;                             ///< "CAN", …; Bus only
};

/// FrequencyDomain, PowerDomain, or Quartz (a frequency domain).
struct HwDomain {
  Element element;
  std::string_view name;
  bool power = false;
  Frequency frequency;            ///< 0 where none is stated, and of power domains
  std::optional<double> voltage;  ///< in volts, of power domains
  std::optional<bool> gating;     ///< clockGating or powerGating
};

struct HwPort {
  Element element;
  std::string_view name;
  Element owner;                          ///< the structure or module it belongs to
  std::optional<std::int64_t> bit_width;  ///< as the following, not of plain ports before 0.9.0
  std::optional<std::int64_t> priority;   ///< or ComplexPort.schedValue
  std::string_view type;                  ///< "initiator" (or a master), "responder" (or a slave) or ""
  std::string_view interface;             ///< "AXI", "CAN", …, or ""
  // Of a ComplexPort, before 0.9.0:
  std::optional<HwIndex> network;            ///< into Hardware::handlers
  std::optional<std::int64_t> read_cycles;   ///< of the clock of its owner; 0 counts as not stated
  std::optional<std::int64_t> write_cycles;  ///< of the clock of its owner; 0 counts as not stated
  std::optional<std::uint64_t> base_address;
  std::optional<std::uint64_t> address_range;
  bool readable = true;  ///< direction R or RW, or not stated
  bool writable = true;  ///< direction W or RW, or not stated
};

/// HwStructure; HwSystem, ECU, Microcontroller, HwComponent.
struct HwStructure {
  Element element;
  std::string_view name;
  std::string_view type;          ///< "System", "ECU", "Microcontroller", "SoC", …; "" where none is stated
  std::optional<HwIndex> parent;  ///< into Hardware::structures
  std::vector<HwIndex> ports;     ///< into Hardware::ports
  Element definition;             ///< SystemType, ECUType, MicrocontrollerType before 0.9.0
};

/// What all modules have.
struct HwModule {
  Element element;
  std::string_view name;
  std::optional<HwIndex> structure;         ///< innermost structure around it, into Hardware::structures
  std::optional<HwIndex> unit;              ///< the processing unit it is part of, into Hardware::units
  std::optional<HwIndex> definition;        ///< into the definitions of its kind
  std::optional<HwIndex> frequency_domain;  ///< into Hardware::domains
  std::optional<HwIndex> power_domain;      ///< into Hardware::domains
  Element prescaler;                        ///< the one that counts, before 0.9.0
  /// The domain's frequency; before 0.9.0 that of the quartz of the prescaler times its clockRatio (1 where it is 0 or
  /// not stated), the prescaler being its own or that of the nearest part around it that has one. 0: not stated.
  Frequency clock;
  std::vector<HwIndex> ports;  ///< into Hardware::ports
};

/// ProcessingUnit, or Core.
struct HwUnit : HwModule {
  std::vector<HwIndex> accesses;               ///< into Hardware::accesses, in the order written
  std::vector<HwIndex> caches;                 ///< its own, into Hardware::caches
  std::optional<std::int64_t> lockstep_group;  ///< of a Core
};

/// Memory. One whose MemoryType is CACHE, before 0.9.0, is a memory too, since labels may be mapped to it.
struct HwMemory : HwModule {
  /// Of its own, in its own cycles: its definition's accessLatency; before 0.9.0 the cycles of its first port that
  /// states some.
  std::optional<Cycles> read_latency;
  std::optional<Cycles> write_latency;
};
struct HwCache : HwModule {};

/// ConnectionHandler, or Network.
struct HwHandler : HwModule {
  std::vector<HwIndex> internal_connections;  ///< into Hardware::connections
};

struct HwConnection {
  Element element;
  std::string_view name;
  std::optional<HwIndex> structure;     ///< into Hardware::structures
  std::optional<HwIndex> port1, port2;  ///< into Hardware::ports
  std::optional<Cycles> read_latency;   ///< cycles of what stands before it in an access path
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
  std::optional<std::int64_t> transfer_size;
};

/// What a path costs from end to end, in cycles of the unit it starts at; nothing where no part of it states a cost.
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

  ElementIndex unit_definition_of, unit_of, memory_of;  ///< from elements to indices
};

/// All hardware of a model, everything in document order. Reports values that cannot be read.
Hardware hardware_of(const Model& model, Diagnostics& diagnostics);

/// Where the latency of an access is stated.
enum class LatencySource : std::uint8_t {
  access,  ///< by the access as a whole
  path,    ///< as the sum along its path, and the latency of the memory itself where that is stated
  memory,  ///< by the memory alone
  none,    ///< nowhere
};

/// The cost of reaching a memory from a unit.
struct AccessCost {
  Cycles read;  ///< cycles of the unit; zeros where the source is none
  Cycles write;
  LatencySource read_source = LatencySource::none;
  LatencySource write_source = LatencySource::none;
  /// The access's own, else the smallest along its path, else, for a unit without an access to it, the memory's.
  DataRate data_rate;  ///< 0: not stated
};

/// Read and write cost each come from the first of: the latencies of the access itself; the sum along its path, to
/// which the memory's own latency is added; the memory's own latency.
///
/// Cycles of parts with another clock than the unit's are converted to cycles of the unit: the lower bound of the whole
/// is rounded down, the upper bound up, the average to nearest. A thousandth of a cycle or less is taken to come from
/// clocks that do not divide each other and is not rounded up. A connection ticks with the part before it in the path,
/// the first one with the unit; a part without a clock with the unit.
AccessCost cost_of(const Hardware& hardware, const HwAccess& access);
/// The cost of the unit's first access to the memory; the memory's own latency and data rate where it has none.
AccessCost access_cost(const Hardware& hardware, HwIndex unit, HwIndex memory);

/// Instructions per cycle of a ProcessingUnitDefinition or CoreType: see HwUnitDefinition.
std::optional<double> instructions_per_cycle(const Model& model, Element definition);

}  // namespace amalthea::views
