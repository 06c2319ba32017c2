// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The hardware and its schedulers as the engine needs them: processing units, memories, access costs.
/// Built from a model by the importer; holds no elements, only `Origin`s back to them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::string warp_policy;           ///< custom property gpu.warpPolicy; "" when not given
  std::string warp_pipelines;        ///< custom property gpu.warpPipelines; "" when not given
  std::string enclosing_structures;  ///< names of the structures around it, blank-separated: hints at the product
  Origin origin;
  Location location;  ///< where it stands, for messages
};

struct Memory {
  std::string name;
  Origin origin;
};

/// Execution time in cycles, by processing unit definition.
struct Ticks {
  std::optional<Cycles> otherwise;  ///< `default`
  std::vector<std::pair<DefinitionIndex, Cycles>> extended;

  /// The cycles on a unit of this definition, or null when the model states none.
  const Cycles* on(DefinitionIndex definition) const {
    for (const auto& [key, cycles] : extended)
      if (key == definition) return &cycles;
    return otherwise ? &*otherwise : nullptr;
  }
  friend bool operator==(const Ticks&, const Ticks&) = default;
};

/// What the operating system itself executes (OsOverhead, from 0.9.3; OsInstructions before). What is not stated takes
/// no time.
struct OverheadTicks {
  std::optional<Ticks> activate_task;   ///< apiActivateTask: by the task whose trigger activates another
  std::optional<Ticks> terminate_task;  ///< apiTerminateTask: by every task as it ends
  std::optional<Ticks> set_event;       ///< apiSetEvent
  std::optional<Ticks> wait_event;      ///< apiWaitEvent
  std::optional<Ticks> clear_event;     ///< apiClearEvent
  std::optional<Ticks> request_resource, release_resource;  ///< apiRequestResource, apiReleaseResource
  std::optional<Ticks> request_spinlock, release_spinlock;  ///< apiRequestSpinlock, apiReleaseSpinlock
  std::optional<Ticks> schedule_point;                      ///< apiSchedulePoint
  std::optional<Ticks> isr_category1_before, isr_category1_after;
  std::optional<Ticks> isr_category2_before, isr_category2_after;
};

/// The algorithms that are simulated; all others are refused by name.
enum class SchedulingAlgorithm : std::uint8_t {
  fixed_priority_preemptive,
  osek,                        ///< fixed priorities; equal ones in the order of their activation
  rate_monotonic,              ///< the shorter the period, the more urgent
  deadline_monotonic,          ///< the shorter the relative deadline, the more urgent
  earliest_deadline_first,     ///< the earlier the absolute deadline, the more urgent
  priority_based_round_robin,  ///< tasks of equal priority take turns, each for a time slice
  grouping,                    ///< of a child: passes the parameters of its tasks on to its parent
  polling_periodic_server,     ///< a budget each period; what is not used at once is lost
  deferrable_server,           ///< a budget each period, kept to its end
  constant_bandwidth_server,   ///< a budget and a deadline that moves as it is used up (under EDF)
  priority_based,              ///< of interrupt controllers
};
/// AMALTHEA's name: "FixedPriorityPreemptive", "OSEK", …
std::string_view to_string(SchedulingAlgorithm);

/// How a scheduler stands under another (SchedulerAssociation), or a server under none.
struct SchedulerShare {
  std::int64_t priority = 0;
  std::optional<Duration> budget;  ///< minBudget/maxBudget, capacity: of servers
  std::optional<Duration> period;  ///< replenishment
};

struct Scheduler {
  std::string name;
  std::string algorithm;  ///< as the model states it, e.g. "FixedPriorityPreemptive"; "" when not given
  SchedulingAlgorithm kind = SchedulingAlgorithm::fixed_priority_preemptive;  ///< what `algorithm` means, if simulated
  bool interrupt_controller = false;
  std::vector<UnitIndex> units;  ///< responsibility, in the order written; of a child without any, its parent's
  std::optional<SchedulerIndex> parent;
  SchedulerShare share;                        ///< of its own under the parent, and of servers
  std::optional<Duration> time_slice;          ///< of round robin
  std::optional<OverheadTicks> overhead;       ///< of its operating system
  std::optional<Duration> minimum_time_slice;  ///< of a GPU's contexts
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
