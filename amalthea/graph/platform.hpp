// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The hardware and its schedulers as the engine needs them: processing units, memories, access costs. The importer
/// builds it from a model; it holds no elements, only `Origin`s that refer to them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "amalthea/graph/scheduling_algorithm.hpp"
#include "amalthea/location.hpp"
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
  Origin origin = {};
};

/// Cost of an access from a processing unit to a memory (HwAccessElement; an access path before 0.9.0).
struct MemoryAccess {
  MemoryIndex memory = 0;
  Cycles read;         ///< cycles of the unit per cache line read
  Cycles write;        ///< cycles of the unit per cache line written
  DataRate data_rate;  ///< maximum transfer rate; 0 if the model states none
};

/// What a GPU states in place of a figure of its profile.
struct UnitSetting {
  std::string property;  ///< its custom property, such as gpu.copyEngines
  std::string value;
};

struct ProcessingUnit {
  std::string name;
  DefinitionIndex definition = 0;
  PuType type = PuType::cpu;
  Frequency frequency;
  DataSize cache_line{64};  ///< line size of the unit's own cache, else of one next to it; 64 B without either
  std::vector<MemoryAccess> accesses;
  std::string device_profile;         ///< custom property gpu.platform, or what is asked instead; "" if not specified
  std::string profile_text;           ///< of a GPU whose `device_profile` is a file: its JSON text
  bool profile_is_asked = false;      ///< `device_profile` is asked for this unit: it precedes one for all GPUs
  std::string warp_policy;            ///< custom property gpu.warpPolicy; "" if not specified
  std::string warp_pipelines;         ///< custom property gpu.warpPipelines; "" if not specified
  std::string context_scheduling;     ///< custom property gpu.contextScheduling; "" if not specified
  std::vector<UnitSetting> settings;  ///< of a GPU
  /// names of the enclosing structures, blank-separated: hints at the product
  std::string enclosing_structures;
  Origin origin;
  Location location;  ///< location in the model, for messages
};

struct Memory {
  std::string name;
  Origin origin;
};

/// Execution time in cycles, by processing unit definition.
struct Ticks {
  std::optional<Cycles> otherwise;  ///< `default`
  std::vector<std::pair<DefinitionIndex, Cycles>> extended;

  /// The cycles on a unit of this definition, or null if the model states none.
  const Cycles* on(DefinitionIndex definition) const {
    for (const auto& [key, cycles] : extended)
      if (key == definition) return &cycles;
    return otherwise ? &*otherwise : nullptr;
  }
  friend bool operator==(const Ticks&, const Ticks&) = default;
};

/// Execution times of the operating system (OsOverhead, since 0.9.3; OsInstructions before). Unstated ones are zero.
struct OverheadTicks {
  std::optional<Ticks> activate_task;   ///< apiActivateTask: in the task whose trigger activates another
  std::optional<Ticks> terminate_task;  ///< apiTerminateTask: at the end of every task
  std::optional<Ticks> set_event;       ///< apiSetEvent
  std::optional<Ticks> wait_event;      ///< apiWaitEvent
  std::optional<Ticks> clear_event;     ///< apiClearEvent
  std::optional<Ticks> request_resource, release_resource;  ///< apiRequestResource, apiReleaseResource
  std::optional<Ticks> request_spinlock, release_spinlock;  ///< apiRequestSpinlock, apiReleaseSpinlock
  std::optional<Ticks> schedule_point;                      ///< apiSchedulePoint
  std::optional<Ticks> isr_category1_before, isr_category1_after;
  std::optional<Ticks> isr_category2_before, isr_category2_after;
};

/// Parameters of a scheduler under its parent (SchedulerAssociation), or of a server without parent.
struct SchedulerShare {
  std::int64_t priority = 0;
  std::optional<Duration> budget;  ///< minBudget/maxBudget, capacity: for servers
  std::optional<Duration> period;  ///< replenishment period
};

struct Scheduler {
  std::string name;
  std::string algorithm;  ///< as in the model, e.g. "FixedPriorityPreemptive"; "" if not specified
  /// the meaning of `algorithm`, if supported
  SchedulingAlgorithm kind = SchedulingAlgorithm::fixed_priority_preemptive;
  bool interrupt_controller = false;
  std::vector<UnitIndex> units;  ///< responsibility, in the order written; a child without any has its parent's
  std::optional<SchedulerIndex> parent;
  SchedulerShare share;                        ///< its own under the parent, and that of servers
  std::optional<Duration> time_slice;          ///< for round robin
  std::optional<OverheadTicks> overhead;       ///< of its operating system
  std::optional<Duration> minimum_time_slice;  ///< for a GPU's contexts
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
