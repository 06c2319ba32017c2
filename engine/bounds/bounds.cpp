// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds/bounds.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <tl/expected.hpp>

#include "amalthea/quantity.hpp"
#include "engine/bounds/core_model.hpp"
#include "engine/cpu/earliest_deadline.hpp"
#include "engine/cpu/fixed_priority.hpp"
#include "engine/cpu/global_fixed_priority.hpp"
#include "engine/gpu/contexts.hpp"
#include "engine/gpu/launch_plan.hpp"
#include "engine/nvidia/time_slice_analysis.hpp"
#include "engine/program/arrivals.hpp"
#include "engine/program/releases.hpp"

namespace amalthea::engine {
namespace {

using gpu::StreamOperationKind;
using nvidia::BoundPart;
using nvidia::BoundShare;
using nvidia::CpuSegment;
using nvidia::GpuOperation;
using nvidia::GpuSegment;
using nvidia::GpuTask;
using nvidia::TimeSliceBounds;
using nvidia::TimeSliceProblem;

/// Longer periods count as this one, and what comes once as if it came again after as much: no window is longer.
constexpr Duration longest_period = nvidia::longest_analysed - Duration::picoseconds(1);

/// A task that is activated in more ways has no bound, lest many triggers of triggers multiply without end.
constexpr std::size_t most_activations = 32;

/// So often jitters grow with bounds and bounds with jitters; what still grows then has none.
constexpr std::size_t most_rounds = 50;

/// Tasks that trigger one another in a row longer than this have no bound.
constexpr std::size_t most_trigger_hops = 64;

/// At saturation nvidia's sums stop growing; what is near is no time.
constexpr Duration largest_time = Duration::picoseconds(std::int64_t{1} << 60);

/// Shortest and longest time of a step or of several.
struct Span {
  Duration best, worst;
  Span& operator+=(const Span& other) {
    best += other.best;
    worst += other.worst;
    return *this;
  }
};

/// One way in which jobs of a task come.
struct Activation {
  Duration period;
  std::optional<std::pair<TaskIndex, std::size_t>> source;  ///< whose job triggers it, by which of its activations
  Duration certain;  ///< the least that the source executes before and after the trigger
  /// How much releases spread: of what comes by itself as stated, of what is triggered as far as the bounds found so
  /// far say, at first as much as those of its source. Nowhere else: what is analysed takes it from here.
  Duration jitter;
  Duration minimum_distance;  ///< of what comes by itself
};
struct Activations {
  std::vector<Activation> all;
  std::string fault;  ///< why they are not known; "" when they are
};

/// A step of a task.
struct Place {
  TaskIndex task = 0;
  std::size_t step = 0;
};

/// What a task is to the analysis.
struct Entity {
  TaskIndex task = 0;     ///< whose CPU segments it has; of a context alone, the first device task
  TaskIndex context = 0;  ///< for whom its GPU segments work: the first device task of its context
  std::size_t activation = 0;
  bool common = false;              ///< a context of which only its slice is known
  std::vector<TaskIndex> segments;  ///< the device task of every GPU segment
};

StreamOperationKind kind_of(const Activity& activity) {
  const auto* copy = std::get_if<Copy>(&activity);
  if (copy == nullptr) return StreamOperationKind::kernel;
  switch (copy->kind) {
    case CopyKind::host_to_device:
      return StreamOperationKind::host_to_device;
    case CopyKind::device_to_host:
      return StreamOperationKind::device_to_host;
    case CopyKind::memset:
      return StreamOperationKind::memset;
  }
  return StreamOperationKind::host_to_device;
}

/// A core, or several that tasks move between, that is analysed apart from GPUs.
struct CoreProblem {
  std::size_t core = 0;               ///< index into the models of cores
  std::vector<std::size_t> entities;  ///< its tasks, as indices into the entities
  std::vector<cpu::CpuTask> tasks;    ///< parallel to them
  std::vector<cpu::CpuBound> bounds;  ///< likewise; obstacles and causes are indices into the tasks
};

bool is_operation(const Step& step) { return step.kind == StepKind::copy || step.kind == StepKind::kernel; }

class Builder {
 public:
  Builder(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
          const std::vector<const DeviceProfile*>& devices)
      : system_(system),
        best_(best),
        worst_(worst),
        devices_(devices),
        count_(system.tasks.size()),
        triggers_(system.stimuli.size()),
        stimuli_(count_),
        activations_(count_),
        faults_(count_),
        driver_(count_),
        own_waits_(count_),
        entities_of_(count_) {
    for (StimulusIndex stimulus = 0; stimulus < system_.stimuli.size(); ++stimulus)
      for (const TaskIndex task : system_.stimuli[stimulus].activates) stimuli_[task].push_back(stimulus);
    for (TaskIndex task = 0; task < count_; ++task)
      for (std::size_t step = 0; step < steps(task).size(); ++step)
        if (steps(task)[step].kind == StepKind::trigger)
          triggers_[activity<Trigger>({task, step}).stimulus].push_back({task, step});
    setters_.resize(system_.events.size());
    for (TaskIndex task = 0; task < count_; ++task)
      for (std::size_t step = 0; step < steps(task).size(); ++step)
        if (steps(task)[step].kind == StepKind::set_events)
          for (const EventIndex event : activity<SetEvents>({task, step}).events)
            setters_[event].push_back({task, step});
  }

  SystemBounds run() {
    find_activations();
    for (TaskIndex task = 0; task < count_; ++task)
      if (is_host(task)) find_offloads(task);
    find_cores();
    exclude_gpus();
    add_contexts();
    add_hosts();
    add_blocking();
    solve();
    return report();
  }

 private:
  const std::vector<Step>& steps(TaskIndex task) const { return worst_[task].steps; }
  bool is_host(TaskIndex task) const { return system_.tasks[task].side == Side::host; }
  const std::string& name(TaskIndex task) const { return system_.tasks[task].name; }
  bool is_activated(TaskIndex task) const {
    return !activations_[task]->all.empty() || !activations_[task]->fault.empty();
  }
  template <typename Kind>
  const Kind& activity(Place place) const {
    return std::get<Kind>(system_.graph[steps(place.task)[place.step].node].activity);
  }

  // ---- how long steps take

  /// Rounds of as many blocks as the GPU holds, as compile_programs counts them.
  std::int64_t rounds_of(TaskIndex task, const Step& step) const {
    if (!step.block) return 1;
    const auto& launch = std::get<Kernel>(system_.graph[step.node].activity).launch;
    return gpu::plan_launch(*launch, *devices_[system_.tasks[task].unit])->rounds;
  }

  /// Whether all of the unit's times are whole picoseconds.
  static bool is_exact(const ProcessingUnit& unit) {
    constexpr std::int64_t millihertz_picoseconds = 1'000'000'000'000'000, second = 1'000'000'000'000;
    return millihertz_picoseconds % unit.frequency.millihertz() == 0 &&
           std::all_of(unit.accesses.begin(), unit.accesses.end(), [](const MemoryAccess& access) {
             return access.data_rate.bytes_per_second == 0 || second % access.data_rate.bytes_per_second == 0;
           });
  }

  /// A step's time with what rounding may have lost or gained.
  Span span_of(TaskIndex task, std::size_t index) const {
    const Step& step = steps(task)[index];
    const Activity& activity = system_.graph[step.node].activity;
    std::int64_t roundings = 1, rounds = 1;
    if (const auto* copy = std::get_if<Copy>(&activity))
      roundings =
          std::max<std::int64_t>(1, static_cast<std::int64_t>(copy->sources.size() + copy->destinations.size()));
    if (std::holds_alternative<Call>(activity) || is_exact(system_.platform.units[system_.tasks[task].unit]))
      roundings = 0;
    if (step.kind == StepKind::kernel) rounds = rounds_of(task, step);
    const Duration rounding = Duration::picoseconds(roundings);
    // Of a branch the cheapest alternative is another than the dearest, which alone keeps its work in `step`.
    const Duration cheapest = best_[task].steps[index].work;
    const Duration shortest = step.skipped ? cheapest : std::min(cheapest, step.work);
    Span span{(shortest - std::min(shortest, rounding)) * rounds, (step.work + rounding) * rounds};
    // Time lost to rounding may cost a whole turn, so that it must be part of the work.
    if (is_operation(step) && slows(system_.tasks[task].unit))
      span.worst += Duration::nanoseconds(1) + scale(span.worst, 1, 1'000'000, Rounding::up);
    return span;
  }

  /// Whether copies and kernels of a GPU slow each other.
  bool slows(UnitIndex unit) const {
    const gpu::InterferenceTable& table = devices_[unit]->interference;
    return std::max({table.kernel_by_memcpy, table.kernel_by_memset, table.copy_by_kernel}) > Slowdown{};
  }

  Span execution(TaskIndex task, std::size_t from, std::size_t to) const {
    Span sum;
    for (std::size_t step = from; step < to; ++step)
      if (steps(task)[step].kind == StepKind::execute) sum += span_of(task, step);
    return sum;
  }
  Span operations_time(TaskIndex task) const {
    Span sum;
    for (std::size_t step = 0; step < steps(task).size(); ++step)
      if (is_operation(steps(task)[step])) sum += span_of(task, step);
    return sum;
  }

  GpuSegment segment_of(TaskIndex device) const {
    GpuSegment segment;
    for (std::size_t step = 0; step < steps(device).size(); ++step) {
      if (!is_operation(steps(device)[step])) continue;
      const Activity& activity = system_.graph[steps(device)[step].node].activity;
      const Span span = span_of(device, step);
      const auto* kernel = std::get_if<Kernel>(&activity);
      segment.operations.push_back({kind_of(activity),
                                    span.best,
                                    std::max(span.worst, Duration::picoseconds(1)),
                                    {},
                                    kernel != nullptr ? kernel->memory_intensity : 1});
    }
    return segment;
  }

  // ---- when jobs come

  void find_activations() {
    for (TaskIndex task = 0; task < count_; ++task) activations_of(task, 0);
  }

  Activations activations_of(TaskIndex task, std::size_t hops) {
    if (activations_[task]) return *activations_[task];
    if (hops > most_trigger_hops) return {{}, "too many tasks trigger each other in a row"};
    // Found again on the way, it triggers itself.
    activations_[task].emplace().fault = "tasks trigger each other in a circle, which has no period";
    Activations found;
    for (const StimulusIndex index : stimuli_[task]) {
      const Stimulus& stimulus = system_.stimuli[index];
      if (const auto* driven = std::get_if<EventDriven>(&stimulus.occurrence)) {
        for (const EventIndex event : driven->events)
          for (const Place& place : setters_[event]) add_triggered(place, hops + 1, found);
      } else if (!std::holds_alternative<InterProcess>(stimulus.occurrence)) {
        const auto bound = arrival_bound(stimulus);
        if (bound && bound->jitter < nvidia::longest_analysed && bound->period > Duration{})
          found.all.push_back(
              {std::min(bound->period, longest_period), {}, {}, bound->jitter, bound->minimum_distance});
        else if (found.fault.empty())
          found.fault = fmt::format("nothing limits how often the stimulus {} occurs", stimulus.name);
      }
      for (const Place& place : triggers_[index]) add_triggered(place, hops + 1, found);
    }
    if (found.fault.empty() && found.all.size() > most_activations) found.fault = "it is activated in too many ways";
    if (!found.fault.empty()) found.all.clear();
    activations_[task] = std::move(found);
    return *activations_[task];
  }

  void add_triggered(const Place& place, std::size_t hops, Activations& found) {
    const Activations source = activations_of(place.task, hops);
    if (found.fault.empty()) found.fault = source.fault;
    if (found.fault.empty() && !worst_[place.task].unanalysable.empty())
      found.fault = fmt::format("{} activates it: {}", name(place.task), worst_[place.task].unanalysable);
    const Duration certain = execution(place.task, 0, place.step).best +
                             execution(place.task, place.step + 1, steps(place.task).size()).best;
    for (std::size_t index = 0; index < source.all.size() && found.all.size() <= most_activations; ++index)
      found.all.push_back(
          {source.all[index].period, std::pair(place.task, index), certain, source.all[index].jitter, {}});
  }

  // ---- offloads

  /// Steps that set the event for the task.
  std::vector<Place> setters_of(EventIndex event, TaskIndex task) const {
    std::vector<Place> setters;
    for (const Place& place : setters_[event])
      if (const auto receiver = activity<SetEvents>(place).task; !receiver || *receiver == task)
        setters.push_back(place);
    return setters;
  }

  /// The device task that a wait is for, or why it is not for one alone.
  tl::expected<TaskIndex, std::string> awaited(Place wait_place) const {
    const auto& wait = activity<WaitEvents>(wait_place);
    if (wait.events.size() != 1) return tl::unexpected(std::string("it waits for several events at a time"));
    const auto setters = setters_of(wait.events.front(), wait_place.task);
    const std::string& event = system_.events[wait.events.front()].name;
    if (setters.empty()) return tl::unexpected(fmt::format("it waits for {}, which no task sets", event));
    if (setters.size() > 1)
      return tl::unexpected(fmt::format("it waits for {}, which is set in several places", event));
    const auto [setter, set_step] = setters.front();
    if (is_host(setter))
      return tl::unexpected(
          fmt::format("it waits for {}, a task on a CPU, and only waits for a GPU are analysed", name(setter)));
    bool works = false;
    for (std::size_t step = 0; step < steps(setter).size(); ++step) {
      if (steps(setter)[step].kind == StepKind::wait)
        return tl::unexpected(fmt::format("it waits for {}, which itself waits for an event", name(setter)));
      works = works || is_operation(steps(setter)[step]);
      if (step > set_step && is_operation(steps(setter)[step]))
        return tl::unexpected(fmt::format("{} goes on with the GPU after it has told that it is ready", name(setter)));
    }
    if (!works) return tl::unexpected(fmt::format("it waits for {}, which does nothing on the GPU", name(setter)));
    for (const StimulusIndex stimulus : stimuli_[setter]) {
      const auto& activates = system_.stimuli[stimulus].activates;
      if (std::count(activates.begin(), activates.end(), setter) > 1)
        return tl::unexpected(fmt::format("it waits for {}, which one trigger activates twice", name(setter)));
      const bool by_trigger = std::holds_alternative<InterProcess>(system_.stimuli[stimulus].occurrence);
      const auto& places = triggers_[stimulus];
      if (!by_trigger ||
          std::any_of(places.begin(), places.end(), [&](const Place& place) { return place.task != wait_place.task; }))
        return tl::unexpected(fmt::format("it waits for {}, whose jobs others activate, too", name(setter)));
    }
    return setter;
  }

  /// Whether every trigger of the stimulus activates.
  static bool is_conditional(const Stimulus& stimulus) {
    return stimulus.condition || stimulus.counter.prescaler != 1 || stimulus.counter.offset != 0;
  }

  bool triggers_device(Place place, TaskIndex device) const {
    const auto& activates = system_.stimuli[activity<Trigger>(place).stimulus].activates;
    return std::find(activates.begin(), activates.end(), device) != activates.end();
  }
  bool clears(Place place, EventIndex event) const {
    const auto& events = activity<ClearEvents>(place).events;
    return std::find(events.begin(), events.end(), event) != events.end();
  }

  /// Finds which device tasks the task waits for, or why its waits are not analysed.
  void find_offloads(TaskIndex task) {
    std::vector<std::optional<TaskIndex>> waits(steps(task).size());
    std::vector<TaskIndex> partners;
    for (std::size_t step = 0; step < steps(task).size(); ++step) {
      if (steps(task)[step].kind != StepKind::wait) continue;
      const auto device = awaited({task, step});
      if (!device) {
        faults_[task] = device.error();
        return;
      }
      waits[step] = *device;
      if (std::find(partners.begin(), partners.end(), *device) == partners.end()) partners.push_back(*device);
    }
    for (const TaskIndex device : partners)
      if (faults_[task].empty()) faults_[task] = fault_of_turns(task, device, waits);
    if (faults_[task].empty()) faults_[task] = fault_of_overlap(task, partners, waits);
    if (faults_[task].empty()) faults_[task] = fault_of_contexts(task, partners);
    if (!faults_[task].empty()) return;
    for (const TaskIndex device : partners) driver_[device] = task;
    own_waits_[task] = std::move(waits);
  }

  /// Trigger, wait, trigger, wait, with the event cleared after every wait and before the next trigger.
  std::string fault_of_turns(TaskIndex task, TaskIndex device,
                             const std::vector<std::optional<TaskIndex>>& waits) const {
    bool triggered = false;
    for (const StimulusIndex stimulus : stimuli_[device])
      if (is_conditional(system_.stimuli[stimulus]))
        return fmt::format("it waits for {}, which not every trigger activates", name(device));
    std::optional<EventIndex> event;
    for (std::size_t step = 0; step < waits.size(); ++step)
      if (waits[step] == device) {
        const EventIndex awaited_event = activity<WaitEvents>({task, step}).events.front();
        if (event && *event != awaited_event) return fmt::format("it waits for different events of {}", name(device));
        event = awaited_event;
      }
    bool cleared = true;  // no event is set before the first job
    bool first_cleared = false, any_trigger = false;
    for (std::size_t step = 0; step < waits.size(); ++step) {
      const Place place{task, step};
      switch (steps(task)[step].kind) {
        case StepKind::trigger:
          if (!triggers_device(place, device)) break;
          if (triggered) return fmt::format("it triggers {} again before it has waited for it", name(device));
          if (!cleared)
            return fmt::format("it does not clear the event of {} before it triggers it again", name(device));
          triggered = any_trigger = true;
          break;
        case StepKind::wait:
          if (waits[step] != device) break;
          if (!triggered) return fmt::format("it waits for {} without having triggered it", name(device));
          triggered = cleared = false;
          break;
        case StepKind::clear_events:
          if (!clears(place, *event)) break;
          if (triggered) return fmt::format("it clears the event of {} before it waits for it", name(device));
          cleared = true;
          if (!any_trigger) first_cleared = true;
          break;
        default:
          break;
      }
    }
    if (triggered) return fmt::format("it triggers {} once more than it waits for it", name(device));
    if (!cleared && !first_cleared)
      return fmt::format("it does not clear the event of {}, so that its next job does not wait", name(device));
    return {};
  }

  std::string fault_of_overlap(TaskIndex task, const std::vector<TaskIndex>& partners,
                               const std::vector<std::optional<TaskIndex>>& waits) const {
    const TaskIndex* open = nullptr;  ///< at work
    for (std::size_t step = 0; step < waits.size(); ++step) {
      if (waits[step]) open = nullptr;
      if (steps(task)[step].kind != StepKind::trigger) continue;
      for (const TaskIndex device : partners) {
        if (!triggers_device({task, step}, device)) continue;
        if (open != nullptr) return fmt::format("it has {} and {} at work at a time", name(*open), name(device));
        open = &device;
      }
    }
    return {};
  }

  /// All that it offloads must be in one context, and nothing else in that.
  std::string fault_of_contexts(TaskIndex task, const std::vector<TaskIndex>& partners) {
    for (const TaskIndex device : partners) {
      const Task& first = system_.tasks[partners.front()];
      const Task& other = system_.tasks[device];
      if (device != partners.front() &&
          (first.unit != other.unit || first.gpu.context.empty() || first.gpu.context != other.gpu.context))
        return fmt::format("it waits for {} and {}, which are in different contexts", name(partners.front()),
                           name(device));
    }
    if (partners.empty() || system_.tasks[partners.front()].gpu.context.empty()) return {};
    for (TaskIndex other = 0; other < count_; ++other) {
      const Task& candidate = system_.tasks[other];
      if (candidate.side != Side::device || candidate.unit != system_.tasks[partners.front()].unit ||
          candidate.gpu.context != system_.tasks[partners.front()].gpu.context || !is_activated(other) ||
          std::find(partners.begin(), partners.end(), other) != partners.end())
        continue;
      return fmt::format("it waits for {}, which shares its GPU context with {}; {} does not wait for that",
                         name(partners.front()), name(other), name(task));
    }
    return {};
  }

  // ---- cores

  bool offloads(TaskIndex host) const {
    return std::any_of(own_waits_[host].begin(), own_waits_[host].end(),
                       [](const auto& wait) { return wait.has_value(); });
  }

  /// How urgent host tasks are, what they leave to whom, and which cores are analysed apart from GPUs.
  void find_cores() {
    std::vector<bool> active(count_);
    for (TaskIndex task = 0; task < count_; ++task) active[task] = is_host(task) && is_activated(task);
    models_ = cpu::core_models(
        system_, active, worst_,
        [this](TaskIndex task, std::size_t step) {
          const Span span = span_of(task, step);
          return cpu::StepTime{span.best, span.worst};
        },
        periods_of(system_));
    problem_of_core_.resize(models_.cores.size());
    for (TaskIndex task = 0; task < count_; ++task)
      if (active[task] && faults_[task].empty()) faults_[task] = models_.shapes[task].fault;
    for (std::size_t index = 0; index < models_.cores.size(); ++index) {
      cpu::CoreModel& core = models_.cores[index];
      const auto offloading =
          std::find_if(core.tasks.begin(), core.tasks.end(), [this](TaskIndex task) { return offloads(task); });
      if (core.fault.empty() && offloading != core.tasks.end()) core.fault = fault_with_offloads(core, *offloading);
      for (const TaskIndex task : core.tasks)
        if (faults_[task].empty()) faults_[task] = core.fault;
      if (!core.fault.empty() || offloading != core.tasks.end() || is_plain(core)) continue;
      problem_of_core_[index] = core_problems_.size();
      core_problems_.push_back({index, {}, {}, {}});
    }
  }

  std::string fault_with_offloads(const cpu::CoreModel& core, TaskIndex task) const {
    const Scheduler& scheduler = system_.platform.schedulers[system_.tasks[task].scheduler];
    const std::string kind(to_string(scheduler.kind));
    if (core.analysis == cpu::CoreAnalysis::earliest_deadline)
      return fmt::format("{} schedules by {}, and {} waits for a GPU", scheduler.name, kind, name(task));
    if (core.analysis == cpu::CoreAnalysis::global)
      return fmt::format("{} schedules tasks on several cores by {}, and {} waits for a GPU", scheduler.name, kind,
                         name(task));
    return {};
  }

  /// Preemptive at any time by fixed priorities, and nothing comes but once a period.
  bool is_plain(const cpu::CoreModel& core) const {
    return core.analysis == cpu::CoreAnalysis::fixed_priority &&
           std::all_of(core.tasks.begin(), core.tasks.end(), [this](TaskIndex task) {
             const auto& all = activations_[task]->all;
             return models_.shapes[task].sections.empty() && !models_.shapes[task].cooperative &&
                    std::all_of(all.begin(), all.end(), [](const Activation& activation) {
                      return activation.jitter.is_zero() && activation.minimum_distance.is_zero();
                    });
           });
  }

  std::int64_t rank(TaskIndex task) const { return models_.shapes[task].rank; }

  cpu::CpuTask cpu_task(TaskIndex task) const {
    const cpu::TaskShape& shape = models_.shapes[task];
    cpu::CpuTask result;
    result.arrivals.period = longest_period;
    result.worst = execution(task, 0, steps(task).size()).worst;
    result.priority = shape.rank;
    result.sections = shape.sections;
    result.last = shape.last;
    result.cooperative = shape.cooperative;
    result.last_cooperative = shape.last_cooperative;
    result.lingers = shape.lingers;
    result.deadline = models_.relative_deadline[task].value_or(Duration{});
    result.unlimited = !faults_[task].empty();
    // Times this long are of no use, and must not count for less.
    if (result.worst >= nvidia::longest_analysed) result.unlimited = true;
    return result;
  }

  /// Of tasks on cores that they share with such as wait for a GPU.
  void add_blocking() {
    for (std::size_t index = 0; index < models_.cores.size(); ++index) {
      if (problem_of_core_[index]) continue;
      std::vector<cpu::CpuTask> tasks;
      for (const TaskIndex task : models_.cores[index].tasks) tasks.push_back(cpu_task(task));
      const auto bounds = cpu::blocking_bounds(tasks);
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        const TaskIndex task = models_.cores[index].tasks[i];
        if (!bounds[i].response || bounds[i].response->is_zero()) continue;
        for (const std::size_t entity : entities_of_[task]) {
          if (*bounds[i].response >= cpu::endless) {
            problem_.tasks[entity].unlimited = true;
            if (faults_[task].empty()) faults_[task] = endless_blocking(models_.cores[index], bounds[i]);
            continue;
          }
          for (const cpu::CpuShare& share : bounds[i].parts) {
            const TaskIndex by = models_.cores[index].tasks[*share.by];
            problem_.tasks[entity].blocking.push_back({entities_of_[by].front(), share.time});
          }
        }
      }
    }
  }

  std::string endless_blocking(const cpu::CoreModel& core, const cpu::CpuBound& blocking) const {
    for (const cpu::CpuShare& share : blocking.parts)
      if (share.time >= cpu::endless)
        return fmt::format("{} may keep it from its core for as long as it waits for something",
                           name(core.tasks[*share.by]));
    return "less urgent tasks may keep it from its core";
  }

  // ---- GPUs

  /// Which GPU is analysed; the device tasks of others have a reason.
  void exclude_gpus() {
    std::vector<UnitIndex> used;
    for (TaskIndex task = 0; task < count_; ++task)
      if (!is_host(task) && is_activated(task)) used.push_back(system_.tasks[task].unit);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const UnitIndex unit : used) {
      std::string fault = fault_of_gpu(unit);
      if (used.size() > 1) fault = "tasks work on several GPUs, and only one is analysed at a time";
      if (fault.empty()) {
        gpu_ = unit;
        continue;
      }
      for (TaskIndex task = 0; task < count_; ++task)
        if (!is_host(task) && system_.tasks[task].unit == unit) exclude(task, fault);
    }
  }

  void exclude(TaskIndex device, const std::string& fault) {
    faults_[device] = fault;
    if (const auto host = driver_[device]; host && faults_[*host].empty())
      faults_[*host] = fmt::format("it waits for {}, which has no bound: {}", name(device), fault);
    if (const auto host = driver_[device]) own_waits_[*host].clear();
  }

  std::string fault_of_gpu(UnitIndex unit) const {
    const DeviceProfile& profile = *devices_[unit];
    if (profile.amd)
      return fmt::format(
          "on {}, an AMD GPU, kernels of all tasks run beside each other and may cut ahead, and no bound "
          "is known for that",
          system_.platform.units[unit].name);
    if (profile.preemption != gpu::Preemption::instruction)
      return fmt::format("on {} contexts are left at the end of {}s, and only preemption at instructions is analysed",
                         system_.platform.units[unit].name, gpu::name_of(profile.preemption));
    for (const GpuContext& context : contexts_on(system_, unit, profile))
      if (context.slice >= nvidia::longest_analysed)
        return fmt::format("a time slice on {} is not below {}", system_.platform.units[unit].name,
                           format_duration(nvidia::longest_analysed));
    bool from_device = false;
    for (TaskIndex task = 0; task < count_; ++task) {
      if (is_host(task) || system_.tasks[task].unit != unit) continue;
      for (const Step& step : steps(task))
        from_device = from_device || (step.kind == StepKind::copy && kind_of(system_.graph[step.node].activity) ==
                                                                         StreamOperationKind::device_to_host);
      if (operations_time(task).worst >= nvidia::longest_analysed)
        return fmt::format("{} may take {} or more", name(task), format_duration(nvidia::longest_analysed));
    }
    if (profile.copy_engines != 1 && from_device)
      return fmt::format("{} has {} copy engines, and only one is analysed", system_.platform.units[unit].name,
                         profile.copy_engines);
    return {};
  }

  // ---- the problem

  std::size_t core_of(TaskIndex task) {
    const UnitIndex unit = system_.tasks[task].unit;
    for (std::size_t core = 0; core < core_units_.size(); ++core)
      if (core_units_[core] == unit) return core;
    core_units_.push_back(unit);
    problem_.cores.push_back(system_.platform.units[unit].name);
    return core_units_.size() - 1;
  }
  /// One that nothing else is on.
  std::size_t core_alone(TaskIndex device) {
    core_units_.emplace_back();
    problem_.cores.push_back(name(device));
    return core_units_.size() - 1;
  }

  std::size_t add(Entity entity, GpuTask task) {
    task.name = name(entity.task);
    task.deadline = task.period;
    problem_.tasks.push_back(std::move(task));
    entities_.push_back(std::move(entity));
    return entities_.size() - 1;
  }

  void add_contexts() {
    if (!gpu_) return;
    const DeviceProfile& profile = *devices_[*gpu_];
    problem_.context_switch = profile.context_switch;
    problem_.kernel_by_memcpy = profile.interference.kernel_by_memcpy;
    problem_.kernel_by_memset = profile.interference.kernel_by_memset;
    problem_.copy_by_kernel = profile.interference.copy_by_kernel;
    for (const GpuContext& context : contexts_on(system_, *gpu_, profile)) {
      std::vector<TaskIndex> active;
      for (const TaskIndex task : context.tasks)
        if (is_activated(task)) active.push_back(task);
      if (!active.empty()) add_context(context, active);
    }
  }

  void add_context(const GpuContext& context, const std::vector<TaskIndex>& active) {
    const TaskIndex first = active.front();
    GpuTask task;
    task.slice = context.slice;
    task.gpu_priority = static_cast<gpu::ContextPriority>(context.runlist_slots);
    task.wait = nvidia::WaitMode::suspend;
    if (driver_[first]) {  // and then it drives them all
      add_host(*driver_[first], std::move(task));
      for (const TaskIndex device : active)
        entities_of_[device].assign(std::max<std::size_t>(1, activations_[device]->all.size()),
                                    entities_of_[*driver_[first]].front());
      return;
    }
    if (active.size() > 1)
      for (const TaskIndex device : active)
        exclude(device, fmt::format("it shares its GPU context with {}, and several device tasks of a context are "
                                    "analysed only where one host task waits for each in turn",
                                    name(device == first ? active[1] : first)));
    for (const Step& step : steps(first))
      if (step.kind == StepKind::wait && faults_[first].empty()) faults_[first] = "it waits for an event on the GPU";
    const Activations& activations = *activations_[first];
    if (faults_[first].empty()) faults_[first] = activations.fault;
    if (faults_[first].empty() && activations.all.size() > 1)
      faults_[first] = "it is activated in several ways, and its jobs may queue";
    task.core = core_alone(first);
    task.period = activations.all.empty() ? longest_period : activations.all.front().period;
    Entity entity{first, first, 0, !faults_[first].empty() && active.size() > 1, {}};
    task.unlimited = !faults_[first].empty();
    GpuSegment segment;
    if (entity.common) {
      // All that counts of it is which engines it may use and whom it slows.
      for (const TaskIndex device : active)
        for (const GpuOperation& operation : segment_of(device).operations)
          segment.operations.push_back({operation.kind, {}, Duration::picoseconds(1), {}, 1});
    } else {
      segment = segment_of(first);
      entity.segments.push_back(first);
    }
    if (segment.operations.empty())
      entity.segments.clear();
    else
      task.segments.push_back(std::move(segment));
    const std::size_t index = add(std::move(entity), std::move(task));
    for (const TaskIndex device : active)
      entities_of_[device].assign(std::max<std::size_t>(1, activations_[device]->all.size()), index);
  }

  void add_hosts() {
    for (TaskIndex task = 0; task < count_; ++task) {
      if (!is_host(task) || !is_activated(task) || !entities_of_[task].empty()) continue;
      const auto problem = problem_of_core_[*models_.core_of[task]];
      if (problem)
        add_to_core(task, core_problems_[*problem]);
      else
        add_host(task, {});
    }
  }

  /// To what is analysed apart; for the GPUs' sake it is on a core alone.
  void add_to_core(TaskIndex host, CoreProblem& problem) {
    const Activations& activations = *activations_[host];
    if (faults_[host].empty()) faults_[host] = activations.fault;
    cpu::CpuTask core_task = cpu_task(host);
    if (core_task.unlimited && faults_[host].empty())
      faults_[host] = fmt::format("a job may take {} or more", format_duration(nvidia::longest_analysed));
    GpuTask task;
    task.core = core_alone(host);
    task.period = longest_period;
    task.unlimited = true;
    const std::size_t count = core_task.unlimited ? 1 : activations.all.size();
    for (std::size_t activation = 0; activation < count; ++activation) {
      if (!core_task.unlimited) {
        const Activation& comes = activations.all[activation];
        core_task.arrivals = {comes.period, {}, comes.minimum_distance};
      }
      const std::size_t index = add({host, host, activation, false, {}}, task);
      entities_of_[host].push_back(index);
      problem.entities.push_back(index);
      problem.tasks.push_back(core_task);
    }
    entities_of_[host].resize(std::max(entities_of_[host].size(), activations.all.size()), entities_of_[host].front());
  }

  /// With the context in `gpu` where it offloads.
  void add_host(TaskIndex host, GpuTask gpu) {
    const Activations& activations = *activations_[host];
    std::string& fault = faults_[host];
    if (fault.empty()) fault = activations.fault;
    if (fault.empty() && offloads(host) && activations.all.size() > 1)
      fault = "it is activated in several ways, and its jobs may queue while it waits for the GPU";
    GpuTask task = std::move(gpu);
    Entity entity{host, host, 0, false, {}};
    task.core = core_of(host);
    task.priority = rank(host);
    task.wait = nvidia::WaitMode::suspend;
    add_segments(host, task, entity);
    Duration longest;
    for (const nvidia::Segment& segment : task.segments)
      if (const auto* cpu = std::get_if<CpuSegment>(&segment)) longest += cpu->worst;
    for (const TaskIndex device : entity.segments) longest += operations_time(device).worst;
    if (longest >= nvidia::longest_analysed) {
      if (fault.empty()) fault = fmt::format("a job may take {} or more", format_duration(nvidia::longest_analysed));
      task.segments.erase(
          std::remove_if(task.segments.begin(), task.segments.end(),
                         [](const auto& segment) { return std::holds_alternative<CpuSegment>(segment); }),
          task.segments.end());
    }
    task.unlimited = !fault.empty();
    task.period = longest_period;
    if (task.unlimited) {
      const std::size_t index = add(entity, task);
      entities_of_[host].assign(std::max<std::size_t>(1, activations.all.size()), index);
      return;
    }
    for (std::size_t activation = 0; activation < activations.all.size(); ++activation) {
      entity.activation = activation;
      task.period = activations.all[activation].period;
      entities_of_[host].push_back(add(entity, task));
    }
  }

  void add_segments(TaskIndex host, GpuTask& task, Entity& entity) {
    const auto& waits = own_waits_[host];
    const auto is_awaited = [&](TaskIndex device) {
      return std::find(waits.begin(), waits.end(), std::optional(device)) != waits.end();
    };
    CpuSegment before, beside;
    bool at_work = false;
    for (std::size_t step = 0; step < steps(host).size(); ++step) {
      const Step& at = steps(host)[step];
      if (at.kind == StepKind::execute) {
        const Span span = span_of(host, step);
        (at_work ? beside : before).worst += span.worst;
        (at_work ? beside : before).best += span.best;
      } else if (at.kind == StepKind::trigger) {
        for (const TaskIndex device : system_.stimuli[activity<Trigger>({host, step}).stimulus].activates)
          if (!at_work && is_awaited(device)) {
            at_work = true;
            task.segments.push_back(before);
            before = {};
          }
      } else if (at.kind == StepKind::wait && step < waits.size() && waits[step]) {
        if (activity<WaitEvents>({host, step}).active) task.wait = nvidia::WaitMode::busy;
        if (!beside.worst.is_zero()) task.segments.push_back(CpuSegment{{}, beside.worst});
        task.segments.push_back(segment_of(*waits[step]));
        entity.segments.push_back(*waits[step]);
        entity.context = entity.segments.front();
        at_work = false;
        beside = {};
      }
    }
    if (models_.shapes[host].lingers) before.worst += Duration::picoseconds(1);
    task.segments.push_back(before);
  }

  // ---- the common solution

  Activation* activation_of(const Entity& entity) {
    auto& all = activations_[entity.task]->all;
    return entity.activation < all.size() ? &all[entity.activation] : nullptr;
  }

  void set_jitters() {
    for (std::size_t index = 0; index < entities_.size(); ++index) {
      const Activation* activation = activation_of(entities_[index]);
      if (is_unlimited(index) || activation == nullptr) continue;
      const auto [problem, at] = core_task_of(index);
      (problem != nullptr ? problem->tasks[at].arrivals.jitter : problem_.tasks[index].jitter) = activation->jitter;
    }
  }

  void solve() {
    for (std::size_t round = 0;; ++round) {
      set_jitters();
      auto found = nvidia::time_slice_bounds(problem_);
      if (!found) {
        fault_ = found.error();
        return;
      }
      bounds_ = std::move(*found);
      core_bounds_.assign(entities_.size(), std::nullopt);
      for (CoreProblem& problem : core_problems_) solve_core(problem);
      bool again = false;
      for (std::size_t index = 0; index < entities_.size(); ++index) {
        Activation* activation = activation_of(entities_[index]);
        if (is_unlimited(index) || activation == nullptr || !activation->source) continue;
        const auto jitter = jitter_of(*activation);
        if (jitter && *jitter <= activation->jitter) continue;
        again = true;
        if (jitter && *jitter < nvidia::longest_analysed && round < most_rounds) {
          activation->jitter = *jitter;
          continue;
        }
        set_unlimited(index);
        faults_[entities_[index].task] =
            jitter ? fmt::format("it is triggered by {}, and the bounds of both grow without end",
                                 name(activation->source->first))
                   : fmt::format("it is triggered by {}, which has no bound", name(activation->source->first));
      }
      if (!again) return;
    }
  }

  /// Where a task that is analysed apart is.
  std::pair<CoreProblem*, std::size_t> core_task_of(std::size_t index) {
    const TaskIndex task = entities_[index].task;
    if (!is_host(task) || !models_.core_of[task] || !problem_of_core_[*models_.core_of[task]]) return {nullptr, 0};
    CoreProblem& problem = core_problems_[*problem_of_core_[*models_.core_of[task]]];
    const auto at = std::find(problem.entities.begin(), problem.entities.end(), index);
    return {&problem, static_cast<std::size_t>(at - problem.entities.begin())};
  }
  bool is_unlimited(std::size_t index) {
    const auto [problem, at] = core_task_of(index);
    return problem != nullptr ? problem->tasks[at].unlimited : problem_.tasks[index].unlimited;
  }
  void set_unlimited(std::size_t index) {
    const auto [problem, at] = core_task_of(index);
    (problem != nullptr ? problem->tasks[at].unlimited : problem_.tasks[index].unlimited) = true;
  }

  void solve_core(CoreProblem& problem) {
    const cpu::CoreModel& core = models_.cores[problem.core];
    switch (core.analysis) {
      case cpu::CoreAnalysis::fixed_priority:
        problem.bounds = cpu::fixed_priority_bounds(problem.tasks);
        break;
      case cpu::CoreAnalysis::earliest_deadline:
        problem.bounds = bounds_by_deadline(problem);
        break;
      case cpu::CoreAnalysis::global:
        problem.bounds = bounds_on_several_cores(problem);
        break;
    }
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const cpu::CpuBound& bound = problem.bounds[i];
      if (bound.response && *bound.response < nvidia::longest_analysed)
        core_bounds_[problem.entities[i]] = bound.response;
    }
  }

  /// Interrupts among themselves go by their priorities.
  std::vector<cpu::CpuBound> bounds_by_deadline(const CoreProblem& problem) const {
    std::vector<cpu::CpuTask> tasks, interrupts;
    std::vector<std::size_t> of_task, of_interrupt;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      const bool interrupt = system_.tasks[entities_[problem.entities[i]].task].kind != ProcessKind::task;
      (interrupt ? interrupts : tasks).push_back(problem.tasks[i]);
      (interrupt ? of_interrupt : of_task).push_back(i);
    }
    std::vector<cpu::CpuBound> bounds(problem.tasks.size());
    const auto take = [](std::vector<cpu::CpuBound> found, const std::vector<std::size_t>& of_found,
                         const std::vector<std::size_t>& names, std::vector<cpu::CpuBound>& all) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (cpu::CpuShare& share : found[i].parts)
          if (share.by) share.by = names[*share.by];
        if (found[i].reason == cpu::NoBound::unlimited) found[i].obstacle = names[found[i].obstacle];
        all[of_found[i]] = std::move(found[i]);
      }
    };
    std::vector<std::size_t> names = of_task;
    names.insert(names.end(), of_interrupt.begin(), of_interrupt.end());
    take(cpu::earliest_deadline_bounds(tasks, interrupts), of_task, names, bounds);
    take(cpu::fixed_priority_bounds(interrupts), of_interrupt, of_interrupt, bounds);
    return bounds;
  }

  std::vector<cpu::CpuBound> bounds_on_several_cores(const CoreProblem& problem) const {
    const cpu::CoreModel& core = models_.cores[problem.core];
    std::vector<cpu::GlobalTask> tasks;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      cpu::GlobalTask task{problem.tasks[i], {}, entities_[problem.entities[i]].task};
      task.task.worst = std::max(task.task.worst, Duration::picoseconds(1));  // what takes no time needs a core, too
      const Task& stated = system_.tasks[entities_[problem.entities[i]].task];
      for (std::size_t unit = 0; unit < core.units.size(); ++unit)
        if (stated.units.empty()
                ? stated.unit == core.units[unit]
                : std::find(stated.units.begin(), stated.units.end(), core.units[unit]) != stated.units.end())
          task.cores.push_back(unit);
      tasks.push_back(std::move(task));
    }
    return cpu::global_fixed_priority_bounds(tasks);
  }

  std::optional<Duration> response_of(std::size_t index) const {
    return core_bounds_[index] ? core_bounds_[index] : bounds_.tasks[index].response;
  }

  /// Of a triggered task: how much its releases spread; nothing where its source has no bound.
  std::optional<Duration> jitter_of(const Activation& activation) {
    const auto& entities = entities_of_[activation.source->first];
    if (activation.source->second >= entities.size()) return std::nullopt;
    const std::size_t source = entities[activation.source->second];
    const auto response = response_of(source);
    const Activation* comes = activation_of(entities_[source]);
    if (!response || comes == nullptr) return std::nullopt;
    const bool own_steps = entities_[source].task == activation.source->first;
    const Duration latest = comes->jitter + *response;
    return own_steps ? latest - std::min(latest, activation.certain) : latest;
  }

  // ---- results

  SystemBounds report() const {
    SystemBounds result;
    result.tasks.resize(count_);
    for (TaskIndex task = 0; task < count_; ++task) {
      Bound& bound = result.tasks[task];
      if (system_.tasks[task].folded_into) continue;
      if (!is_activated(task)) {
        bound.reason = "nothing activates it";
      } else {
        bound.best = shortest(task);
        if (is_host(task) || !driver_[task])
          bound_task(task, bound);
        else
          bound_driven(task, bound);
      }
      if (!is_host(task)) bound_operations(task, bound, result.operations);
    }
    for (TaskIndex task = 0; task < count_; ++task)
      if (const auto function = system_.tasks[task].folded_into) result.tasks[task] = result.tasks[*function];
    return result;
  }

  /// No job is shorter: all it does one after the other, but what it executes beside an offload. Behind a Terminate,
  /// which may be in an alternative, it does no more than what the operating system adds.
  Duration shortest(TaskIndex task) const {
    if (!is_host(task)) return operations_time(task).best;
    Duration total, beside;
    bool at_work = false, ended = false;
    const auto& waits = own_waits_[task];
    for (std::size_t step = 0; step < steps(task).size(); ++step) {
      ended = ended || steps(task)[step].kind == StepKind::terminate;
      if (ended && (step + 1 < steps(task).size() || !steps(task)[step].overhead)) continue;
      if (steps(task)[step].kind == StepKind::execute) (at_work ? beside : total) += span_of(task, step).best;
      if (steps(task)[step].kind == StepKind::trigger)
        for (const TaskIndex device : system_.stimuli[activity<Trigger>({task, step}).stimulus].activates)
          at_work = at_work || std::find(waits.begin(), waits.end(), std::optional(device)) != waits.end();
      if (step >= waits.size() || !waits[step]) continue;
      total += std::max(beside, operations_time(*waits[step]).best);
      beside = {};
      at_work = false;
    }
    return total + beside;
  }

  void bound_task(TaskIndex task, Bound& bound) const {
    bound.reason = fault_.empty() ? faults_[task] : fault_;
    if (!bound.reason.empty()) return;
    if (is_host(task) && problem_of_core_[*models_.core_of[task]]) {
      bound_on_core(task, core_problems_[*problem_of_core_[*models_.core_of[task]]], bound);
      return;
    }
    for (const std::size_t index : entities_of_[task]) {
      const auto& found = bounds_.tasks[index];
      if (!found.response) {
        bound.worst.reset();
        bound.parts.clear();
        bound.reason = reason_of(task, found.reason);
        return;
      }
      if (bound.worst && *bound.worst >= *found.response) continue;
      bound.worst = *found.response;
      bound.parts = parts_of(index, found.parts, entities_[index].segments);
    }
  }

  void bound_on_core(TaskIndex task, const CoreProblem& problem, Bound& bound) const {
    for (std::size_t i = 0; i < problem.entities.size(); ++i) {
      if (entities_[problem.entities[i]].task != task) continue;
      const cpu::CpuBound& found = problem.bounds[i];
      if (!core_bounds_[problem.entities[i]]) {
        bound.worst.reset();
        bound.parts.clear();
        bound.reason = core_reason(task, problem, found);
        return;
      }
      if (bound.worst && *bound.worst >= *found.response) continue;
      bound.worst = *found.response;
      bound.parts = core_parts(task, problem, found);
    }
  }

  std::vector<Contribution> core_parts(TaskIndex task, const CoreProblem& problem, const cpu::CpuBound& found) const {
    std::vector<Contribution> parts;
    for (const cpu::CpuShare& share : found.parts) {
      Contribution part{ContributionKind::execution, std::nullopt, share.time};
      if (share.by) part.by = entities_[problem.entities[*share.by]].task;
      if (share.part == cpu::CpuPart::preemption) part.kind = ContributionKind::preemption;
      if (share.part == cpu::CpuPart::blocking) part.kind = ContributionKind::blocking;
      if (share.part == cpu::CpuPart::supply) part.kind = ContributionKind::budget;
      if (share.part == cpu::CpuPart::backlog || part.by == task) {
        part.kind = ContributionKind::backlog;
        part.by = task;
      }
      const auto same = std::find_if(parts.begin(), parts.end(), [&part](const Contribution& other) {
        return other.kind == part.kind && other.by == part.by;
      });
      if (same == parts.end())
        parts.push_back(part);
      else
        same->time += part.time;
    }
    return parts;
  }

  std::string core_reason(TaskIndex task, const CoreProblem& problem, const cpu::CpuBound& found) const {
    const cpu::CoreModel& core = models_.cores[problem.core];
    std::string where = fmt::format("core {}", system_.platform.units[core.units.front()].name);
    for (std::size_t unit = 1; unit < core.units.size(); ++unit)
      where += fmt::format(", {}", system_.platform.units[core.units[unit]].name);
    if (found.reason == cpu::NoBound::unlimited) {
      const TaskIndex other = entities_[problem.entities[found.obstacle]].task;
      const std::string& why = faults_[other];
      // Of several activations another one may be what has none.
      if (other == task) return why.empty() ? core_reason(task, problem, problem.bounds[found.obstacle]) : why;
      return fmt::format("{}, which may come before it on {}, has no bound{}", name(other), where,
                         why.empty() ? "" : ": " + why);
    }
    const auto blocking = cpu::blocking_bounds(problem.tasks);
    double demand = 0;
    const bool by_rank = core.analysis != cpu::CoreAnalysis::earliest_deadline;
    for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
      if (!by_rank || problem.tasks[i].priority >= rank(task)) demand += cpu::utilization({problem.tasks[i]});
      if (entities_[problem.entities[i]].task != task || *blocking[i].response < cpu::endless) continue;
      for (const cpu::CpuShare& share : blocking[i].parts)
        if (share.time >= cpu::endless)
          return fmt::format("{} may keep it from its core for as long as it waits for something",
                             name(entities_[problem.entities[*share.by]].task));
    }
    if (core.analysis == cpu::CoreAnalysis::global)
      return fmt::format("with those before it on {} the response may exceed the least time between releases", where);
    if (found.reason == cpu::NoBound::overload)
      return fmt::format("{} is overloaded{}: demand {:.4f}", where,
                         by_rank ? " by those of at least its priority" : "", demand);
    return fmt::format("no bound was found in the steps that the analysis takes; {} has a demand of {:.4f}", where,
                       demand);
  }

  /// Why the analysis has none; who is in the way may have a reason of its own.
  std::string reason_of(TaskIndex task, const std::string& found) const {
    if (!is_host(task)) return found;
    for (std::size_t index = 0; index < entities_.size(); ++index) {
      const TaskIndex other = entities_[index].task;
      if (problem_.tasks[index].unlimited && other != task && is_host(other) &&
          models_.core_of[other] == models_.core_of[task] && rank(other) >= rank(task))
        return fmt::format("{}, of at least its priority on {}, has no bound: {}", name(other),
                           system_.platform.units[system_.tasks[task].unit].name, faults_[other]);
    }
    return found;
  }

  /// Of a device task for which its host waits: the longest of its segments, which do not depend on the host's bound.
  void bound_driven(TaskIndex device, Bound& bound) const {
    bound.reason = fault_.empty() ? faults_[device] : fault_;
    if (!bound.reason.empty()) return;
    for_segments(device, [&](std::size_t index, std::size_t segment) {
      const auto& found = bounds_.tasks[index];
      if (bound.worst && *bound.worst >= found.gpu_segments[segment]) return;
      bound.worst = found.gpu_segments[segment];
      bound.parts = parts_of(index, found.segment_parts[segment], {device});
    });
    if (bound.worst && *bound.worst < largest_time) return;
    bound.worst.reset();
    bound.parts.clear();
    bound.reason = "the time that the GPU may be given to others is beyond what can be counted";
  }

  template <typename Visit>
  void for_segments(TaskIndex device, Visit visit) const {
    if (entities_of_[device].empty()) return;
    const std::size_t index = entities_of_[device].front();
    for (std::size_t segment = 0; segment < entities_[index].segments.size(); ++segment)
      if (entities_[index].segments[segment] == device) visit(index, segment);
  }

  /// Operations have bounds wherever no more than one is outstanding in the context, even if jobs pile up.
  void bound_operations(TaskIndex device, const Bound& task, std::map<NodeIndex, Bound>& operations) const {
    std::size_t operation = 0;
    for (std::size_t step = 0; step < steps(device).size(); ++step) {
      if (!is_operation(steps(device)[step])) continue;
      Bound bound;
      if (is_activated(device)) bound.best = span_of(device, step).best;
      if (fault_.empty() && is_activated(device))
        for_segments(device, [&](std::size_t index, std::size_t segment) {
          const Duration found = bounds_.tasks[index].operations[segment][operation];
          if (found < largest_time) bound.worst = std::max(found, bound.worst.value_or(Duration{}));
        });
      if (!bound.worst)
        bound.reason = task.reason.empty()
                           ? "the time that the GPU may be given to others is beyond what can be counted"
                           : task.reason;
      operations.emplace(steps(device)[step].node, std::move(bound));
      ++operation;
    }
  }

  /// In the words of the simulation's contributions. `segments` are those whose own work is among the parts.
  std::vector<Contribution> parts_of(std::size_t self, const std::vector<BoundShare>& shares,
                                     const std::vector<TaskIndex>& segments) const {
    std::vector<Contribution> parts;
    const auto add_part = [&parts](ContributionKind kind, std::optional<TaskIndex> by, Duration time) {
      if (time.is_zero()) return;
      for (Contribution& part : parts)
        if (part.kind == kind && part.by == by) {
          part.time += time;
          return;
        }
      parts.push_back({kind, by, time});
    };
    Duration copies;
    for (const TaskIndex device : segments)
      for (std::size_t step = 0; step < steps(device).size(); ++step)
        if (steps(device)[step].kind == StepKind::copy) copies += span_of(device, step).worst;
    for (const BoundShare& share : shares) {
      std::optional<TaskIndex> core_user, gpu_user;
      if (share.by) {
        core_user = entities_[*share.by].task;
        gpu_user = entities_[*share.by].context;
      }
      switch (share.part) {
        case BoundPart::execution:
          add_part(ContributionKind::execution, std::nullopt, share.time);
          break;
        case BoundPart::gpu:
          add_part(ContributionKind::copy, std::nullopt, std::min(copies, share.time));
          add_part(ContributionKind::kernel, std::nullopt, share.time - std::min(copies, share.time));
          break;
        case BoundPart::slowdown:
          add_part(ContributionKind::interference, std::nullopt, share.time);
          break;
        case BoundPart::own_switches:
          add_part(ContributionKind::context_switch, std::nullopt, share.time);
          break;
        case BoundPart::preemption:
          add_part(core_user == entities_[self].task ? ContributionKind::backlog : ContributionKind::preemption,
                   core_user, share.time);
          break;
        case BoundPart::blocking:
          add_part(ContributionKind::blocking, core_user, share.time);
          break;
        case BoundPart::slices:
        case BoundPart::overruns:
          add_part(ContributionKind::engine_slice, gpu_user, share.time);
          break;
        case BoundPart::switches:
          add_part(ContributionKind::context_switch, gpu_user, share.time);
          break;
      }
    }
    return parts;
  }

  const System& system_;
  const std::vector<Program>& best_;
  const std::vector<Program>& worst_;
  const std::vector<const DeviceProfile*>& devices_;
  std::size_t count_;

  std::vector<std::vector<Place>> triggers_;             ///< of every stimulus, the steps that trigger it
  std::vector<std::vector<Place>> setters_;              ///< of every event, the steps that set it
  std::vector<std::vector<StimulusIndex>> stimuli_;      ///< of every task
  std::vector<std::optional<Activations>> activations_;  ///< of every task
  std::vector<std::string> faults_;                      ///< of every task: why it is outside of the analysis
  std::vector<std::optional<TaskIndex>> driver_;         ///< of a device task, the host task that offloads to it
  std::vector<std::vector<std::optional<TaskIndex>>> own_waits_;  ///< of a host task, per step: what it waits for
  std::optional<UnitIndex> gpu_;
  cpu::CoreModels models_;
  std::vector<std::optional<std::size_t>> problem_of_core_;  ///< of every core model: where it is analysed apart
  std::vector<CoreProblem> core_problems_;

  TimeSliceProblem problem_;
  std::vector<Entity> entities_;                       ///< parallel to the problem's tasks
  std::vector<std::vector<std::size_t>> entities_of_;  ///< of every task, per activation
  std::vector<std::optional<UnitIndex>> core_units_;   ///< parallel to the problem's cores
  TimeSliceBounds bounds_;
  std::vector<std::optional<Duration>> core_bounds_;  ///< parallel to the entities: of those analysed apart
  std::string fault_;                                 ///< the problem as a whole is refused
};

}  // namespace

SystemBounds system_bounds(const System& system, const std::vector<Program>& best, const std::vector<Program>& worst,
                           const std::vector<const DeviceProfile*>& devices) {
  return Builder(system, best, worst, devices).run();
}

SystemBounds system_bounds(const System& system, const std::vector<const DeviceProfile*>& devices,
                           CompileOptions options) {
  options.flatten_branches = true;
  return system_bounds(system, compile_programs(system, Execution::best, devices, options),
                       compile_programs(system, Execution::worst, devices, options), devices);
}

}  // namespace amalthea::engine
