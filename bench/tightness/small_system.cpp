// SPDX-License-Identifier: Apache-2.0
#include "bench/tightness/small_system.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/core.h>

namespace amalthea::bench {
namespace {

class Drawing {
 public:
  Drawing(SystemClass kind, std::mt19937& random) : kind_(kind), random_(random) {}

  SmallSystem run() {
    const bool several = kind_ == SystemClass::global || kind_ == SystemClass::shared_semaphore;
    system_.cores = several ? 2 : 1;
    system_.partitioned = kind_ == SystemClass::shared_semaphore;
    system_.ceilings = kind_ == SystemClass::last_section || kind_ == SystemClass::cooperative_row;
    const int count = several ? 4 : 3;
    if (kind_ == SystemClass::earliest_deadline) system_.scheduling = SchedulingAlgorithm::earliest_deadline_first;
    if (kind_ == SystemClass::server) {
      system_.scheduling =
          between(0, 1) == 0 ? SchedulingAlgorithm::polling_periodic_server : SchedulingAlgorithm::deferrable_server;
      system_.server_period = 6;
      system_.budget = between(3, 5);
    }
    if (kind_ == SystemClass::nested_server) {
      system_.scheduling =
          between(0, 1) == 0 ? SchedulingAlgorithm::polling_periodic_server : SchedulingAlgorithm::deferrable_server;
      system_.server_period = 6;
      system_.budget = between(4, 5);
      system_.inner_period = any_of({6, 12});
      system_.inner_budget = system_.inner_period == 6 ? between(2, 3) : between(3, 6);
      system_.inner_priority = any_of({1, 3});  // below or above the task beside it
    }
    if (kind_ == SystemClass::round_robin) {
      system_.scheduling = SchedulingAlgorithm::priority_based_round_robin;
      system_.turn = between(1, 3);
    }
    const bool with_gpu = offloads() || offloads_twice() || kind_ == SystemClass::slices;
    system_.slice = between(1, 3);
    const int supply =
        system_.inner_budget > 0 ? 100 * system_.inner_budget / system_.inner_period : system_.budget * 16;
    const int load = (system_.budget > 0 ? supply : 100) * system_.cores * between(50, 90) / 100;
    for (int index = 0; index < count; ++index) {
      SmallTask task;
      task.period = any_of(with_gpu ? std::vector<int>{12, 24, 48} : std::vector<int>{6, 8, 12, 24});
      task.offset = between(0, task.period - 1);
      task.priority = count - index;
      if (kind_ == SystemClass::round_robin && index > 0) task.priority = between(0, 3) == 0 ? 2 : 1;
      task.core = index % 2;
      task.in_inner = kind_ == SystemClass::nested_server && index != 1;
      const int budget = std::max(1, task.period * load / 100 / count);
      add_phases(task, index, budget);
      if (has_jitter()) task.jitter = between(0, 3);
      if (is_protected(index)) task.preemption = Preemption::non_preemptive;
      if (kind_ == SystemClass::cooperative || kind_ == SystemClass::cooperative_row)
        task.preemption = Preemption::cooperative;
      task.polls = offloads_twice() ? between(0, 1) == 0 : kind_ != SystemClass::suspending;
      system_.tasks.push_back(std::move(task));
    }
    if (kind_ == SystemClass::semaphore || kind_ == SystemClass::shared_semaphore || system_.ceilings) add_sections();
    // With a row, the order counts.
    if (kind_ == SystemClass::cooperative_row) {
      const int first = between(0, count - 2);
      const int second = between(first + 1, count - 1);
      SmallTask& triggered = system_.tasks[static_cast<std::size_t>(between(0, 1) == 0 ? first : second)];
      const int by = &triggered == &system_.tasks[static_cast<std::size_t>(first)] ? second : first;
      triggered.triggered_by = by;
      triggered.period = system_.tasks[static_cast<std::size_t>(by)].period;
      triggered.offset = 0;
      return system_;
    }
    std::shuffle(system_.tasks.begin(), system_.tasks.end(), random_);
    return system_;
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, std::max(low, high))(random_); }
  int any_of(const std::vector<int>& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<int>(values.size()) - 1))];
  }
  bool offloads() const { return kind_ == SystemClass::polling || kind_ == SystemClass::suspending; }
  bool offloads_twice() const { return kind_ == SystemClass::one_after_another || kind_ == SystemClass::at_once; }
  bool has_jitter() const { return kind_ == SystemClass::jitter || kind_ == SystemClass::non_preemptive_jitter; }
  bool is_protected(int index) const {
    return kind_ == SystemClass::non_preemptive || kind_ == SystemClass::non_preemptive_jitter ||
           (kind_ == SystemClass::mixed && index != 0);
  }

  void add(SmallTask& task, Phase::Kind kind, int worst) {
    task.phases.push_back({kind, std::max(1, worst - between(0, 2)), std::max(1, worst)});
  }

  /// One or two copies and a kernel.
  std::vector<Phase> offload() {
    SmallTask device;
    if (between(0, 1) == 0) add(device, Phase::Kind::copy, 1);
    add(device, Phase::Kind::kernel, between(1, 4));
    if (between(0, 2) == 0) add(device, Phase::Kind::copy, 1);
    return device.phases;
  }

  void add_phases(SmallTask& task, int index, int budget) {
    if (offloads_twice() && index < 2) {
      const std::vector<Phase> first = offload(), second = offload();
      add(task, Phase::Kind::core, 1);
      task.phases.insert(task.phases.end(), first.begin(), first.end());
      if (index == 0 && kind_ == SystemClass::at_once) {
        task.beside = second;
        task.one_process = between(0, 1) == 0;
      } else if (index == 0) {
        add(task, Phase::Kind::core, 1);
        task.phases.insert(task.phases.end(), second.begin(), second.end());
      }
      add(task, Phase::Kind::core, 1);
      return;
    }
    if (kind_ == SystemClass::slices || (offloads() && index < 2)) {
      const bool host = offloads();
      const int on_core = host ? std::max(2, budget / 2) : 0;
      if (host) add(task, Phase::Kind::core, on_core / 2);
      if (between(0, 1) == 0) add(task, Phase::Kind::copy, 1);
      add(task, Phase::Kind::kernel, std::min(6, budget - on_core));
      if (host) add(task, Phase::Kind::core, on_core - on_core / 2);
      return;
    }
    const int worst = between(1, std::min(8, 2 * budget - 1));
    const int parts = kind_ == SystemClass::cooperative ? between(1, std::min(3, worst)) : 1;
    for (int part = 0; part < parts; ++part)
      add(task, Phase::Kind::core, worst * (part + 1) / parts - worst * part / parts);
  }

  /// At least two users of one semaphore. Jobs with several phases may hold it in one or two of them.
  void add_sections() {
    const bool at_end = kind_ == SystemClass::last_section;
    const std::size_t none = static_cast<std::size_t>(between(0, 2 * static_cast<int>(system_.tasks.size()) - 1));
    for (std::size_t index = 0; index < system_.tasks.size(); ++index) {
      std::vector<Phase>& phases = system_.tasks[index].phases;
      if (index == none) continue;
      if (phases.size() == 1 && phases.front().worst > 1 && between(0, 2) > 0) {
        Phase first = phases.front();
        first.worst = between(1, first.worst - 1);
        first.best = std::min(first.best, first.worst);
        phases.front().worst -= first.worst;
        phases.front().best = std::max(1, std::min(phases.front().best - first.best, phases.front().worst));
        phases.insert(phases.begin(), first);
      }
      const auto last = static_cast<int>(phases.size()) - 1;
      phases[static_cast<std::size_t>(at_end ? last : between(0, last))].semaphore = 0;
    }
  }

  SystemClass kind_;
  std::mt19937& random_;
  SmallSystem system_;
};

class Translation {
 public:
  explicit Translation(const SmallSystem& small) : small_(small) {}

  System run() {
    add_units();
    for (std::size_t index = 0; index < small_.tasks.size(); ++index) add(small_.tasks[index], index);
    for (std::size_t index = 0; index < small_.tasks.size(); ++index)
      if (const int by = small_.tasks[index].triggered_by; by >= 0)
        append(tasks_[static_cast<std::size_t>(by)], Trigger{released_by_[index]});
    for (NodeIndex from = 0; from < system_.graph.size(); ++from)
      for (NodeIndex to = 0; to < system_.graph.size(); ++to) {
        const auto* set = std::get_if<SetEvents>(&system_.graph[from].activity);
        const auto* wait = std::get_if<WaitEvents>(&system_.graph[to].activity);
        if (set == nullptr || wait == nullptr) continue;
        if (std::find(wait->events.begin(), wait->events.end(), set->events.front()) != wait->events.end())
          system_.graph.connect(from, to, GraphEdge{EdgeKind::event, {}});
      }
    return std::move(system_);
  }

 private:
  void add_unit(const std::string& name, PuType type) {
    Platform& platform = system_.platform;
    ProcessingUnit unit;
    unit.name = name;
    unit.type = type;
    unit.definition = type == PuType::gpu ? 1 : 0;
    unit.frequency = Frequency::millihertz(1'000'000'000);
    unit.accesses.push_back({0, Cycles{1, 1, 1}, Cycles{1, 1, 1}, {}});
    platform.units.push_back(std::move(unit));
  }

  void add_units() {
    Platform& platform = system_.platform;
    platform.memories.push_back({"memory", {}});
    platform.definitions.push_back({"core", PuType::cpu});
    platform.definitions.push_back({"GPU", PuType::gpu});
    Scheduler scheduler;
    scheduler.name = "OS";
    scheduler.kind = small_.scheduling;
    if (small_.turn > 0) scheduler.time_slice = Duration::microseconds(small_.turn);
    for (int core = 0; core < small_.cores; ++core) {
      scheduler.units.push_back(static_cast<UnitIndex>(platform.units.size()));
      add_unit(fmt::format("core{}", core), PuType::cpu);
      if (small_.partitioned) platform.schedulers.push_back(std::exchange(scheduler, scheduler));
      if (small_.partitioned) scheduler.units.clear();
    }
    if (small_.budget > 0) {
      scheduler.share.budget = Duration::microseconds(small_.budget);
      scheduler.share.period = Duration::microseconds(small_.server_period);
    }
    if (!small_.partitioned) platform.schedulers.push_back(scheduler);
    if (small_.inner_budget > 0) {
      scheduler.name = "inner";
      scheduler.parent = 0;
      scheduler.share.budget = Duration::microseconds(small_.inner_budget);
      scheduler.share.period = Duration::microseconds(small_.inner_period);
      scheduler.share.priority = small_.inner_priority;
      platform.schedulers.push_back(scheduler);
    }
    if (holds_any()) system_.semaphores.push_back({"semaphore", 1, 1, small_.ceilings, false, {}});
    Scheduler gpu;
    gpu.name = "GPU";
    gpu.units = {static_cast<UnitIndex>(platform.units.size())};
    platform.schedulers.push_back(gpu);
    add_unit("GPU", PuType::gpu);
  }

  bool holds_any() const {
    return std::any_of(small_.tasks.begin(), small_.tasks.end(), [](const SmallTask& task) {
      return std::any_of(task.phases.begin(), task.phases.end(),
                         [](const Phase& phase) { return phase.semaphore >= 0; });
    });
  }

  StimulusIndex add(Occurrence occurrence) {
    system_.stimuli.emplace_back();
    system_.stimuli.back().name = fmt::format("stimulus{}", system_.stimuli.size());
    system_.stimuli.back().occurrence = std::move(occurrence);
    return static_cast<StimulusIndex>(system_.stimuli.size() - 1);
  }

  TaskIndex add_task(const std::string& name, bool device, StimulusIndex stimulus) {
    Task task;
    task.name = name;
    task.side = device ? Side::device : Side::host;
    task.scheduler = device ? static_cast<SchedulerIndex>(system_.platform.schedulers.size() - 1) : 0;
    task.unit = device ? static_cast<UnitIndex>(small_.cores) : 0;
    if (!device && small_.cores > 1 && !small_.partitioned) task.units = system_.platform.schedulers.front().units;
    system_.tasks.push_back(std::move(task));
    const auto index = static_cast<TaskIndex>(system_.tasks.size() - 1);
    system_.stimuli[stimulus].activates.push_back(index);
    return index;
  }

  void append(TaskIndex task, Activity activity) { append_activity(system_, task, std::move(activity)); }

  void append(TaskIndex task, const Phase& phase) {
    Ticks ticks;
    ticks.otherwise = Cycles{phase.best, phase.best, phase.worst};
    if (phase.kind == Phase::Kind::core) return append(task, Compute{ticks});
    if (phase.kind == Phase::Kind::kernel) {
      Kernel kernel;
      kernel.ticks = ticks;
      return append(task, kernel);
    }
    // A label whose lines cost one cycle each: copies take constant time.
    Copy copy;
    copy.kind = CopyKind::host_to_device;
    copy.size = DataSize{64 * phase.worst};
    system_.labels.push_back({"label", copy.size, MemoryIndex{0}, LabelSide::host, {}});
    copy.sources.push_back(static_cast<LabelIndex>(system_.labels.size() - 1));
    append(task, copy);
  }

  void add(const SmallTask& small, std::size_t number) {
    Periodic releases{Duration::microseconds(small.period), Duration::microseconds(small.offset)};
    releases.jitter.upper = Duration::microseconds(small.jitter).picoseconds();
    releases.jitter.average = releases.jitter.upper / 2;
    const std::string name = fmt::format("task{}", number);
    const StimulusIndex stimulus = small.triggered_by >= 0 ? add(InterProcess{}) : add(releases);
    const TaskIndex task = add_task(name, small.is_device(), stimulus);
    tasks_.push_back(task);
    released_by_.push_back(stimulus);
    if (small_.partitioned) {
      system_.tasks[task].scheduler = static_cast<SchedulerIndex>(small.core);
      system_.tasks[task].unit = static_cast<UnitIndex>(small.core);
    }
    if (small.in_inner) system_.tasks[task].scheduler = 1;
    system_.tasks[task].priority = small.priority;
    system_.tasks[task].preemption = small.preemption;
    std::vector<TaskIndex> devices;
    WaitEvents wait{{}, true, small.polls};
    for (std::size_t at = 0; at < small.phases.size(); ++at) {
      const Phase& phase = small.phases[at];
      if (phase.kind != Phase::Kind::core && !small.is_device()) {
        if (devices.empty()) {
          trigger(task, small, devices, wait);
          if (!small.beside.empty()) trigger(task, small, devices, wait);
          for (const Phase& other : small.beside) append(devices.back(), other);
        }
        append(devices.front(), phase);
        continue;
      }
      if (!devices.empty()) finish(task, devices, wait);
      if (at > 0 && small.preemption == Preemption::cooperative) append(task, SchedulePoint{});
      const int before = at > 0 ? small.phases[at - 1].semaphore : -1;
      const int after = at + 1 < small.phases.size() ? small.phases[at + 1].semaphore : -1;
      const auto semaphore = static_cast<SemaphoreIndex>(std::max(0, phase.semaphore));
      if (phase.semaphore >= 0 && phase.semaphore != before)
        append(task, UseSemaphore{semaphore, UseSemaphore::Operation::request, false});
      append(task, phase);
      if (phase.semaphore >= 0 && phase.semaphore != after)
        append(task, UseSemaphore{semaphore, UseSemaphore::Operation::release, false});
    }
  }

  void trigger(TaskIndex task, const SmallTask& small, std::vector<TaskIndex>& devices, WaitEvents& wait) {
    const std::string name = system_.tasks[task].name;
    const StimulusIndex request = add(InterProcess{});
    wait.events.push_back(static_cast<EventIndex>(system_.events.size()));
    system_.events.push_back({name + "_done"});
    devices.push_back(add_task(name + "_gpu", true, request));
    if (small.one_process) system_.tasks[devices.back()].gpu.context = name;
    append(task, Trigger{request});
  }

  void finish(TaskIndex task, std::vector<TaskIndex>& devices, WaitEvents& wait) {
    append(task, wait);
    append(task, ClearEvents{wait.events});
    for (std::size_t at = 0; at < devices.size(); ++at) append(devices[at], SetEvents{{wait.events[at]}, task});
    devices.clear();
    wait.events.clear();
  }

  const SmallSystem& small_;
  System system_;
  std::vector<TaskIndex> tasks_;            ///< by small task
  std::vector<StimulusIndex> released_by_;  ///< the same
};

}  // namespace

int SmallSystem::hyperperiod() const {
  int multiple = std::lcm(std::max(1, server_period), std::max(1, inner_period));
  for (const SmallTask& task : tasks) multiple = std::lcm(multiple, task.period);
  return multiple;
}

std::string_view name_of(SystemClass kind) {
  switch (kind) {
    case SystemClass::preemptive:
      return "preemptive";
    case SystemClass::jitter:
      return "preemptive, with jitter";
    case SystemClass::non_preemptive:
      return "non-preemptive";
    case SystemClass::non_preemptive_jitter:
      return "non-preemptive, with jitter";
    case SystemClass::cooperative:
      return "cooperative";
    case SystemClass::mixed:
      return "preemptive and non-preemptive";
    case SystemClass::earliest_deadline:
      return "earliest deadline first";
    case SystemClass::global:
      return "global fixed priorities, two cores";
    case SystemClass::polling:
      return "offloading, polling";
    case SystemClass::suspending:
      return "offloading, suspending";
    case SystemClass::slices:
      return "kernels in time slices";
    case SystemClass::one_after_another:
      return "offloading twice, one after the other";
    case SystemClass::at_once:
      return "two device tasks of one host at once";
    case SystemClass::server:
      return "polling and deferrable servers";
    case SystemClass::nested_server:
      return "servers within servers";
    case SystemClass::round_robin:
      return "round robin";
    case SystemClass::semaphore:
      return "semaphores of one core, no ceiling";
    case SystemClass::shared_semaphore:
      return "semaphores of two cores, no ceiling";
    case SystemClass::last_section:
      return "jobs that end with a section, ceiling";
    case SystemClass::cooperative_row:
      return "cooperative, triggered, ceiling";
  }
  return "";
}

SmallSystem draw_system(SystemClass kind, std::mt19937& random) { return Drawing(kind, random).run(); }

System system_of(const SmallSystem& small) { return Translation(small).run(); }

engine::DeviceProfile profile_of(const SmallSystem& small) {
  engine::DeviceProfile profile;
  profile.name = "small";
  profile.time_slice = Duration::microseconds(small.slice);
  return profile;
}

}  // namespace amalthea::bench
