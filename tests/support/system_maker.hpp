// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Small systems for engine tests: every unit runs at 1 MHz, so one tick is one microsecond.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "amalthea/diagnostic.hpp"
#include "amalthea/graph/system.hpp"
#include "engine/analysis.hpp"

namespace test {

using namespace amalthea;

constexpr Duration us(std::int64_t value) { return Duration::microseconds(value); }

inline Ticks constant_ticks(std::int64_t value) {
  Ticks ticks;
  ticks.otherwise = Cycles{value, value, value};
  return ticks;
}

/// The names of the literals of a mode.
inline std::shared_ptr<const std::vector<std::string>> literals(std::vector<std::string> names) {
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}

/// Adds the event edges, from which the engine knows which task sets which event.
inline void connect_events(System& system) {
  for (NodeIndex from = 0; from < system.graph.size(); ++from)
    for (NodeIndex to = 0; to < system.graph.size(); ++to) {
      const auto* set = std::get_if<SetEvents>(&system.graph[from].activity);
      const auto* wait = std::get_if<WaitEvents>(&system.graph[to].activity);
      if (set != nullptr && wait != nullptr && set->task.value_or(system.graph[to].task) == system.graph[to].task &&
          std::find_first_of(set->events.begin(), set->events.end(), wait->events.begin(), wait->events.end()) !=
              set->events.end())
        system.graph.connect(from, to, GraphEdge{EdgeKind::event, {}});
    }
}

class SystemMaker {
 public:
  UnitIndex core(const std::string& name) { return unit(name, PuType::cpu); }
  UnitIndex gpu(const std::string& name) { return unit(name, PuType::gpu); }

  StimulusIndex periodic(std::int64_t period_us, std::int64_t offset_us = 0) {
    return stimulus(Periodic{us(period_us), us(offset_us)});
  }
  StimulusIndex inter_process() { return stimulus(InterProcess{}); }
  EventIndex event(const std::string& name) {
    system_.events.push_back({name});
    return static_cast<EventIndex>(system_.events.size() - 1);
  }

  TaskIndex task(const std::string& name, UnitIndex unit, std::int64_t priority, StimulusIndex stimulus) {
    Task task;
    task.name = name;
    task.unit = task.scheduler = unit;  // one scheduler per unit
    task.priority = priority;
    task.side = system_.platform.units[unit].type == PuType::gpu ? Side::device : Side::host;
    system_.tasks.push_back(std::move(task));
    const auto index = static_cast<TaskIndex>(system_.tasks.size() - 1);
    system_.stimuli[stimulus].activates.push_back(index);
    return index;
  }
  Task& operator[](TaskIndex task) { return system_.tasks[task]; }
  System& system() { return system_; }

  void add(TaskIndex task, Activity activity) { append_activity(system_, task, std::move(activity)); }
  void compute(TaskIndex task, std::int64_t ticks) { add(task, Compute{constant_ticks(ticks)}); }
  void kernel(TaskIndex task, std::int64_t ticks, double intensity = 1) {
    Kernel kernel;
    kernel.ticks = constant_ticks(ticks);
    kernel.memory_intensity = intensity;
    add(task, kernel);
  }
  /// A copy that takes `ticks` microseconds: a label whose one line costs that many cycles.
  void copy(TaskIndex task, std::int64_t ticks, CopyKind kind = CopyKind::host_to_device) {
    Copy copy;
    copy.kind = kind;
    system_.labels.push_back({"label", DataSize{64 * ticks}, MemoryIndex{0}, LabelSide::host, {}});
    copy.sources.push_back(static_cast<LabelIndex>(system_.labels.size() - 1));
    copy.size = DataSize{64 * ticks};
    add(task, copy);
  }
  void trigger(TaskIndex task, StimulusIndex stimulus) { add(task, Trigger{stimulus}); }
  void set(TaskIndex task, EventIndex event, TaskIndex receiver) { add(task, SetEvents{{event}, receiver}); }
  void clear(TaskIndex task, EventIndex event) { add(task, ClearEvents{{event}}); }
  void wait(TaskIndex task, EventIndex event, bool active) { add(task, WaitEvents{{event}, false, active}); }

  /// A host task that computes, offloads to `device`, waits and computes again; `device` sets the event.
  void offload(TaskIndex host, TaskIndex device, StimulusIndex request, std::int64_t pre, std::int64_t post,
               bool active) {
    const EventIndex done = event("done" + std::to_string(device));
    compute(host, pre);
    trigger(host, request);
    wait(host, done, active);
    clear(host, done);
    compute(host, post);
    set(device, done, host);
  }

  /// With event edges.
  System build() {
    connect_events(system_);
    return system_;
  }

 private:
  UnitIndex unit(const std::string& name, PuType type) {
    Platform& platform = system_.platform;
    if (platform.memories.empty()) platform.memories.push_back({"memory", {}});
    const auto index = static_cast<UnitIndex>(platform.units.size());
    ProcessingUnit unit;
    unit.name = name;
    unit.type = type;
    unit.definition = static_cast<DefinitionIndex>(platform.definitions.size());
    unit.frequency = Frequency::millihertz(1'000'000'000);
    unit.accesses.push_back({0, Cycles{1, 1, 1}, Cycles{1, 1, 1}, {}});
    platform.definitions.push_back({name, type});
    platform.units.push_back(std::move(unit));
    Scheduler scheduler;
    scheduler.name = name;
    scheduler.algorithm = "FixedPriorityPreemptive";
    scheduler.units = {index};
    platform.schedulers.push_back(std::move(scheduler));
    return index;
  }
  template <typename Occurrence>
  StimulusIndex stimulus(Occurrence occurrence) {
    Stimulus stimulus;
    stimulus.name = "stimulus";
    stimulus.occurrence = occurrence;
    system_.stimuli.push_back(std::move(stimulus));
    return static_cast<StimulusIndex>(system_.stimuli.size() - 1);
  }

  System system_;
};

/// Each of these tasks writes a label that the next one reads, without time.
inline void pass_data(System& system, const std::vector<TaskIndex>& tasks) {
  for (std::size_t i = 1; i < tasks.size(); ++i) {
    const auto label = static_cast<LabelIndex>(system.labels.size());
    system.labels.emplace_back().name = "data" + std::to_string(label);
    system.tasks[tasks[i - 1]].contained.push_back({{}, label, true});
    system.tasks[tasks[i]].contained.push_back({{}, label, false});
  }
}

/// A device without slowdown, with this default time slice.
inline engine::DeviceProfile plain_profile(Duration slice) {
  engine::DeviceProfile profile;
  profile.name = "plain";
  profile.time_slice = slice;
  return profile;
}

/// Analyzes for `until`; the findings must be free of errors.
inline engine::Results analyzed(const System& system, Duration until, const engine::DeviceProfile& profile) {
  engine::AnalysisOptions options;
  options.until = until;
  options.profile = &profile;
  Diagnostics diagnostics;
  auto results = engine::analyze(system, options, diagnostics);
  return std::move(results.value());
}
inline engine::Results analyzed(const System& system, Duration until) {
  return analyzed(system, until, plain_profile(us(1000)));
}

}  // namespace test
