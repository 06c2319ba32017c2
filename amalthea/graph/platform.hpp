#pragma once
/// \file
/// The hardware and its schedulers as the engine needs them: processing units, memories, access costs.
/// Built from a model by the importer; holds no elements, only `Origin`s back to them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/origin.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/time.hpp"

namespace amalthea {

using UnitIndex = std::uint32_t;        ///< into Platform::units
using DefinitionIndex = std::uint32_t;  ///< into Platform::definitions
using MemoryIndex = std::uint32_t;      ///< into Platform::memories
using SchedulerIndex = std::uint32_t;   ///< into Platform::schedulers

enum class PuType : std::uint8_t { cpu, gpu, accelerator };

struct ProcessingUnitDefinition {
  std::string name;
  PuType type = PuType::cpu;
};

/// Cost of reaching one memory from one processing unit (HwAccessElement; an access path before 0.9.0).
struct MemoryAccess {
  MemoryIndex memory = 0;
  Cycles read;         ///< cycles of the unit per cache line read
  Cycles write;        ///< cycles of the unit per cache line written
  DataRate data_rate;  ///< ceiling of the transfer; 0 when the model gives none
};

struct ProcessingUnit {
  std::string name;
  DefinitionIndex definition = 0;
  PuType type = PuType::cpu;
  Frequency frequency;
  DataSize cache_line{64};  ///< line size of the unit's own cache, else of one beside it; 64 B without either
  std::vector<MemoryAccess> accesses;
  std::string device_profile;        ///< custom property gpu.platform; "" when not given
  std::string enclosing_structures;  ///< names of the structures around it, blank-separated: hints at the product
  Origin origin;
  Location location;  ///< where it stands, for messages
};

struct Memory {
  std::string name;
  Origin origin;
};

struct Scheduler {
  std::string name;
  std::string algorithm;         ///< AMALTHEA's name, e.g. "FixedPriorityPreemptive"; "" when not given
  std::vector<UnitIndex> units;  ///< responsibility, in the order written
  std::optional<Duration> minimum_time_slice;
  std::optional<Duration> maximum_time_slice;
  Origin origin;
};

struct Platform {
  std::string name;  ///< outermost hardware structure
  std::vector<ProcessingUnitDefinition> definitions;
  std::vector<ProcessingUnit> units;
  std::vector<Memory> memories;
  std::vector<Scheduler> schedulers;
};

}  // namespace amalthea
