// SPDX-License-Identifier: Apache-2.0
// Assumptions for what a model leaves open although it affects timing: reported once for each kind.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/quantity.hpp"
#include "amalthea/views/mapping.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer {

constexpr std::string_view missing_priority_id = "AM0446";

}  // namespace amalthea::importer

namespace amalthea::importer::detail {
namespace {

struct UnstatedKind {
  Unstated what;
  std::string_view id;
  std::string_view one;      ///< for one occurrence
  std::string_view several;  ///< "{}" stands for the number
  std::string_view remedy;
};

/// What others of the same kind state is a hole, not an assumption.
constexpr std::string_view partly_stated_id = "AM0480";

constexpr std::array<UnstatedKind, 28> unstated_kinds{{
    {Unstated::label_memory, "AM0442", "1 access to a label without a memory takes no time",
     "{} accesses to labels without a memory take no time", "map labels to memories (memoryMapping)"},
    {Unstated::other_label_memory, partly_stated_id,
     "1 accessed label has no memory, although others have one; its accesses take no time",
     "{} accessed labels have no memory, although others have one; their accesses take no time",
     "map labels to memories (memoryMapping)"},
    {Unstated::only_memory, "AM0443", "1 access to a label without a memory uses the only memory that its unit reaches",
     "{} accesses to labels without a memory use the only memory that their unit reaches",
     "map labels to memories (memoryMapping)"},
    {Unstated::latency, "AM0444", "1 label access takes no time, because the path to the memory has no latency",
     "{} label accesses take no time, because the paths to the memories have no latency",
     "state latencies or data rates of access elements, connections or memories"},
    {Unstated::label_size, "AM0445", "1 accessed label has no size; its size is assumed to be 0",
     "{} accessed labels have no size; their size is assumed to be 0", "state their sizes"},
    {Unstated::other_label_size, partly_stated_id,
     "1 accessed label has no size, although others have one; it counts as empty",
     "{} accessed labels have no size, although others have one; they count as empty", "state their sizes"},
    {Unstated::access, "AM0457", "1 label access is neither a read nor a write; it is assumed to be a read",
     "{} label accesses are neither reads nor writes; they are assumed to be reads", "state access"},
    {Unstated::priority, missing_priority_id, "1 task that shares its scheduler has no priority; priority 0 is assumed",
     "{} tasks that share their schedulers have no priority; priority 0 is assumed",
     "state the priority in the taskAllocation"},
    {Unstated::pu_type, "AM0447",
     "the definition of 1 processing unit with tasks has no puType; the unit is assumed to be a CPU",
     "the definitions of {} processing units with tasks have no puType; the units are assumed to be CPUs",
     "state puType in their definitions"},
    {Unstated::accelerator, "AM0448", "1 processing unit is an accelerator; it is analyzed like a CPU",
     "{} processing units are accelerators; they are analyzed like CPUs",
     "set puType=GPU if its tasks are offloaded work"},
    {Unstated::normal_bound, "AM0449",
     "1 execution time is a normal distribution without an upper bound; mean + 3 sd is assumed",
     "{} execution times are normal distributions without an upper bound; mean + 3 sd is assumed", "state upperBound"},
    {Unstated::instructions, "AM0450",
     "1 item executes instructions on a unit without instructionsPerCycle above 0; the analysis uses 1",
     "{} items execute instructions on units without instructionsPerCycle above 0; the analysis uses 1",
     "state instructionsPerCycle"},
    {Unstated::cache_line, "AM0451",
     "1 processing unit with label accesses has no cache with a lineSize; cache lines of 64 B are assumed",
     "{} processing units with label accesses have no cache with a lineSize; cache lines of 64 B are assumed",
     "state lineSize in the definitions of their caches"},
    {Unstated::other_clock_ratio, partly_stated_id,
     "1 prescaler has no clockRatio above zero, although others have one; it counts as 1",
     "{} prescalers have no clockRatio above zero, although others have one; they count as 1", "state clockRatio"},
    {Unstated::other_registers, partly_stated_id,
     "1 kernel states its blocks and no gpu.registers, although others do; its registers limit nothing",
     "{} kernels state their blocks and no gpu.registers, although others do; their registers limit nothing",
     "state gpu.registers"},
    {Unstated::other_shared_memory, partly_stated_id,
     "1 kernel states its blocks and no gpu.sharedMemory, although others do; its shared memory limits nothing",
     "{} kernels state their blocks and no gpu.sharedMemory, although others do; their shared memory limits nothing",
     "state gpu.sharedMemory"},
    {Unstated::preemption, "AM0452",
     "1 task that shares its scheduler does not state its preemption; preemptive is assumed",
     "{} tasks that share their schedulers do not state their preemption; preemptive is assumed", "state preemption"},
    {Unstated::waiting, "AM0453", "1 item does not state its waitingBehaviour; passive waiting is assumed",
     "{} items do not state their waitingBehaviour; passive waiting is assumed", "state waitingBehaviour"},
    {Unstated::mask, "AM0454",
     "1 item that waits for several events states no maskType; any of the events ends the wait",
     "{} items that wait for several events state no maskType; any of the events ends the wait", "state maskType"},
    {Unstated::mode_value, "AM0455",
     "1 mode label in conditions has no initial value, or one that its mode does not have; the first value is assumed",
     "{} mode labels in conditions have no initial value, or one that their modes do not have; the first value is "
     "assumed",
     "state a value of the mode as initialValue"},
    {Unstated::deadline, "AM0456",
     "1 task under deadline-based scheduling has no deadline; its period is used, and without a period it is the least "
     "urgent",
     "{} tasks under deadline-based scheduling have no deadline; their periods are used, and tasks without a period "
     "are the least urgent",
     "state an upper limit on the response time (ProcessRequirement)"},
    {Unstated::period, "AM0470",
     "the period of 1 task decides how urgent it is, and no single periodic stimulus states it; the least distance of "
     "its activations in the long run counts, and with several stimuli or triggers it is the least urgent",
     "the periods of {} tasks decide how urgent they are, and no single periodic stimulus states them; the least "
     "distance of their activations in the long run counts, and with several stimuli or triggers they are the least "
     "urgent",
     "state deadlines (ProcessRequirement) under deadline-based scheduling, or use fixed priorities"},
    {Unstated::cooperation, "AM0471",
     "1 task that is not cooperative may rank between cooperative tasks of its core; it is assumed not to run while "
     "one of these waits for a runnable of another to end",
     "{} tasks that are not cooperative may rank between cooperative tasks of their cores; they are assumed not to run "
     "while one of these waits for a runnable of another to end",
     "make them cooperative, or give them priorities above or below all cooperative tasks of the core"},
    {Unstated::schedule_point, "AM0469", "1 schedule point of a non-preemptive task has no effect",
     "{} schedule points of non-preemptive tasks have no effect",
     "make such a task cooperative if others may run there, or remove the schedule point"},
    {Unstated::semaphore_type, "AM0494", "1 semaphore has no semaphoreType; it is assumed to be no spinlock",
     "{} semaphores have no semaphoreType; they are assumed to be no spinlocks", "state semaphoreType"},
    {Unstated::other_semaphore_type, partly_stated_id,
     "1 semaphore has no semaphoreType, although others have one; it counts as no spinlock",
     "{} semaphores have no semaphoreType, although others have one; they count as no spinlocks",
     "state semaphoreType"},
    {Unstated::isr_priority, "AM0516", "1 ISR that shares a core with others has no priority; priority 0 is assumed",
     "{} ISRs that share cores with others have no priority; priority 0 is assumed",
     "state the priority in the isrAllocation"},
    {Unstated::clock, "AM0498",
     "the clock of 1 processing unit with tasks may change or stop; it is assumed to keep the stated frequency",
     "the clocks of {} processing units with tasks may change or stop; they are assumed to keep the stated frequencies",
     "state the lowest frequency, and no clockGating (before 0.9.0: a quartz that is not DYNAMIC)"},
}};

/// That of the only stimulus that activates it, if that is periodic.
std::optional<Duration> period_of(const System& system, TaskIndex task) {
  std::size_t activating = 0;
  std::optional<Duration> period;
  for (const Stimulus& stimulus : system.stimuli) {
    if (std::find(stimulus.activates.begin(), stimulus.activates.end(), task) == stimulus.activates.end()) continue;
    ++activating;
    if (const auto* periodic = std::get_if<Periodic>(&stimulus.occurrence)) period = periodic->period;
  }
  return activating == 1 ? period : std::nullopt;
}

/// A scheduling parameter of its allocation that states how urgent a task is otherwise than the analysis takes it.
void check_stated_order(BuildContext& context, TaskIndex task, bool by_deadline) {
  const auto allocation = context.mapping.task_allocation_of.find(context.task_elements[task]);
  if (!allocation) return;
  const auto& deadline = context.system.tasks[task].deadline;
  const bool limited = by_deadline && deadline;
  const auto used = limited ? deadline : period_of(context.system, task);
  const std::string_view name = by_deadline ? "deadline" : "period";
  for (const Parameter& parameter : context.mapping.tasks[*allocation].parameters) {
    if (!equal_ignoring_case(parameter.name, name)) continue;
    const auto stated = parse_time_text(parameter.value);
    if (used && stated && *stated == *used) continue;
    const std::string& of = context.system.tasks[task].name;
    // Many tasks may share a default of the definition of their scheduler: it is reported for the first.
    const bool is_default = parameter.element.tag() == "defaultValue";
    const Origin origin = parameter.element.origin();
    if (is_default && !context.reported_parameters.insert({origin.document, origin.element}).second) continue;
    context.report_second(fmt::format("{}{} by which task \"{}\" is scheduled", name,
                                      is_default ? ", the default of the definition of its scheduler," : "", of),
                          parameter.element, limited ? "the limit on its response time" : "the period of its stimuli");
  }
}

/// Up to 1.2.0 a priority is an attribute with the default 0, which is not written. There it counts as stated if
/// another task of the scheduler has one.
bool counts_as_stated(const BuildContext& context, Element task, bool others_do) {
  return states_priority(context, task) || (task.document().version() < Version::v2_0_0 && others_do);
}

/// Device tasks of GPUs that serve contexts by priority.
void check_gpus(BuildContext& context) {
  const System& system = context.system;
  for (UnitIndex unit = 0; unit < system.platform.units.size(); ++unit) {
    if (system.platform.units[unit].context_scheduling != "priority") continue;
    std::vector<Element> tasks;
    for (TaskIndex task = 0; task < system.tasks.size(); ++task)
      if (system.tasks[task].side == Side::device && system.tasks[task].unit == unit)
        tasks.push_back(context.task_elements[task]);
    const auto stated = [&](Element task) { return states_priority(context, task); };
    if (tasks.size() < 2 || std::none_of(tasks.begin(), tasks.end(), stated)) continue;  // AM0414
    for (const Element task : tasks)
      if (!counts_as_stated(context, task, true)) context.assume(Unstated::priority, task);
  }
}

/// The scheduler that decides when the tasks of a scheduler run: the parent schedules the tasks of a group.
SchedulerIndex ruling_scheduler(const Platform& platform, SchedulerIndex scheduler) {
  const auto& schedulers = platform.schedulers;
  while (traits_of(schedulers[scheduler].kind).passes_tasks_on && schedulers[scheduler].parent)
    scheduler = *schedulers[scheduler].parent;
  return scheduler;
}
SchedulerIndex ruling_of(const System& system, TaskIndex task) {
  return ruling_scheduler(system.platform, system.tasks[task].scheduler);
}

SchedulerIndex outermost_scheduler(const Platform& platform, SchedulerIndex scheduler) {
  while (platform.schedulers[scheduler].parent) scheduler = *platform.schedulers[scheduler].parent;
  return scheduler;
}

void check_schedulers(BuildContext& context) {
  const System& system = context.system;
  const Platform& platform = system.platform;
  // What each scheduler chooses from, and what a task that cannot be preempted delays.
  std::vector<std::vector<TaskIndex>> tasks_of(platform.schedulers.size());
  std::vector<std::set<SchedulerIndex>> children_of(platform.schedulers.size());  // that have tasks
  std::vector<std::size_t> sharing(platform.schedulers.size(), 0);
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (system.tasks[task].side == Side::host && system.tasks[task].kind == ProcessKind::task) {
      SchedulerIndex scheduler = ruling_scheduler(platform, system.tasks[task].scheduler);
      tasks_of[scheduler].push_back(task);
      while (const auto parent = platform.schedulers[scheduler].parent) {
        const SchedulerIndex ruling = ruling_scheduler(platform, *parent);
        children_of[ruling].insert(scheduler);
        scheduler = ruling;
      }
      ++sharing[scheduler];
    }
  for (SchedulerIndex ruling = 0; ruling < tasks_of.size(); ++ruling) {
    const SchedulingAlgorithm algorithm = platform.schedulers[ruling].kind;
    const auto& tasks = tasks_of[ruling];
    const bool chooses = tasks.size() + children_of[ruling].size() > 1,
               shares = sharing[outermost_scheduler(platform, ruling)] > 1;
    const bool one_does = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex task) {
      return states_priority(context, context.task_elements[task]);
    });
    for (const TaskIndex task : tasks) {
      const Element element = context.task_elements[task];
      if (chooses && has_fixed_priorities(algorithm) && !counts_as_stated(context, element, one_does))
        context.assume(Unstated::priority, element);
      const bool preemption = element.attribute_or("preemption", "_undefined_") != "_undefined_";
      if (shares && !preemption && element.document().itea() == IteaRelease::none)
        context.assume(Unstated::preemption, element);
    }
  }
}

/// Deadlines and periods that decide between tasks of a scheduler, or between tasks and child schedulers.
void check_order(BuildContext& context) {
  const System& system = context.system;
  const auto& schedulers = system.platform.schedulers;
  std::vector<std::size_t> ordered(schedulers.size());
  for (const Scheduler& scheduler : schedulers)
    if (scheduler.parent && !traits_of(scheduler.kind).passes_tasks_on) ++ordered[*scheduler.parent];
  const auto is_task = [&](TaskIndex task) {
    return system.tasks[task].side == Side::host && system.tasks[task].kind == ProcessKind::task;
  };
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    if (is_task(task)) ++ordered[ruling_of(system, task)];
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (!is_task(task) || ordered[ruling_of(system, task)] < 2) continue;
    const UrgencyOrder order = traits_of(schedulers[ruling_of(system, task)].kind).order;
    const bool by_deadline = order == UrgencyOrder::relative_deadline || order == UrgencyOrder::absolute_deadline;
    const bool no_deadline = by_deadline && !system.tasks[task].deadline;
    if (no_deadline) context.assume(Unstated::deadline, context.task_elements[task]);
    if ((no_deadline || order == UrgencyOrder::period) && !period_of(system, task))
      context.assume(Unstated::period, context.task_elements[task]);
    if (by_deadline || order == UrgencyOrder::period) check_stated_order(context, task, by_deadline);
  }
}

/// By priorities alone: those of tasks under fixed priorities that have no parent.
bool has_plain_priority(const System& system, TaskIndex task) {
  const Scheduler& scheduler = system.platform.schedulers[system.tasks[task].scheduler];
  return has_fixed_priorities(scheduler.kind) && !scheduler.parent;
}

/// Whether preemptive tasks run between a cooperative task and another one that waits for it.
void check_cooperation(BuildContext& context) {
  const System& system = context.system;
  struct OfCore {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    int cooperative = 0;
    bool plain = true;  ///< priorities of tasks alone decide
  };
  std::vector<OfCore> cores(system.platform.units.size());
  const auto each_core = [&](TaskIndex task, const auto& use) {
    const Task& stated = system.tasks[task];
    if (stated.side != Side::host || stated.kind != ProcessKind::task) return;
    if (stated.units.empty()) use(cores[stated.unit]);
    for (const UnitIndex unit : stated.units) use(cores[unit]);
  };
  for (TaskIndex task = 0; task < system.tasks.size(); ++task)
    each_core(task, [&](OfCore& core) {
      core.plain = core.plain && has_plain_priority(system, task);
      if (system.tasks[task].preemption != Preemption::cooperative) return;
      ++core.cooperative;
      core.least = std::min(core.least, system.tasks[task].priority);
      core.most = std::max(core.most, system.tasks[task].priority);
    });
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& stated = system.tasks[task];
    if (stated.preemption == Preemption::cooperative) continue;
    bool between = false;
    each_core(task, [&](const OfCore& core) {
      between = between || (core.cooperative > 1 &&
                            (!core.plain || (core.least <= stated.priority && stated.priority < core.most)));
    });
    if (between) context.assume(Unstated::cooperation, context.task_elements[task]);
  }
}

/// ISRs that share a unit. Up to 1.2.0 a priority of 0 is not written; see states_priority.
void check_isrs(BuildContext& context) {
  const System& system = context.system;
  struct Isr {
    Element element;
    std::vector<UnitIndex> units;
    bool stated = false;
  };
  std::vector<Isr> isrs;
  bool one_does = false;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& isr = system.tasks[task];
    if (isr.kind == ProcessKind::task) continue;
    const Element element = context.task_elements[task];
    const auto allocation = context.mapping.isr_allocation_of.find(element);
    const bool stated = element.attribute("priority") || (allocation && context.mapping.isrs[*allocation].priority);
    isrs.push_back({element, isr.units.empty() ? std::vector<UnitIndex>{isr.unit} : isr.units, stated});
    one_does = one_does || stated;
  }
  for (const Isr& isr : isrs) {
    if (isr.stated || (isr.element.document().version() < Version::v2_0_0 && one_does)) continue;
    const bool shares = std::any_of(isrs.begin(), isrs.end(), [&](const Isr& other) {
      return other.element != isr.element &&
             std::find_first_of(other.units.begin(), other.units.end(), isr.units.begin(), isr.units.end()) !=
                 other.units.end();
    });
    if (shares) context.assume(Unstated::isr_priority, isr.element);
  }
}

/// The clock of a unit, which says that it may change or stop: a quartz before 0.9.0.
bool is_dynamic_clock(const BuildContext& context, Element unit) {
  const Element domain = context.model.reference(unit, "frequencyDomain");
  if (domain) return equal_ignoring_case(domain.attribute_or("clockGating", "false"), "true");
  const Element prescaler = unit.child("prescaler");
  const Element quartz = prescaler ? context.model.reference(prescaler, "quartz") : Element();
  return quartz && quartz.attribute_or("type", "") == "DYNAMIC";
}

void check_units(BuildContext& context) {
  const Platform& platform = context.system.platform;
  std::vector<bool> seen(platform.units.size(), false);
  const auto check_unit = [&](UnitIndex index) {
    if (seen[index]) return;
    seen[index] = true;
    const ProcessingUnit& unit = platform.units[index];
    const Element element = context.model.element(unit.origin);
    if (is_dynamic_clock(context, element)) context.assume(Unstated::clock, element);
    if (unit.type == PuType::accelerator) context.assume(Unstated::accelerator, element);
    if (unit.type != PuType::cpu || !element.is("ProcessingUnit")) return;
    const Element definition = context.model.reference(element, "definition");
    if (!definition && !context.is_explained(element))
      context.diagnostics.add(
          "AM0526", Severity::warning,
          fmt::format("processing unit \"{}\" has tasks and no definition; the analysis takes it for "
                      "a CPU and uses default ticks; state the definition",
                      unit.name),
          element.location(), element.path());
    else if (definition && definition.attribute_or("puType", "_undefined_") == "_undefined_")
      context.assume(Unstated::pu_type, element);
  };
  for (const Task& task : context.system.tasks) {
    check_unit(task.unit);
    for (const UnitIndex unit : task.units) check_unit(unit);
  }
}

void note_modes(const ModeCondition& condition, std::vector<bool>& used) {
  for (const auto& conjunction : condition.any_of)
    for (const ModeTest& test : conjunction) {
      used[test.mode] = true;
      if (test.other) used[*test.other] = true;
    }
}

void check_modes(BuildContext& context) {
  const System& system = context.system;
  std::vector<bool> used(system.modes.size(), false);
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* branch = std::get_if<Branch>(&system.graph[node].activity))
      for (const Branch::Alternative& alternative : branch->alternatives)
        if (const auto* condition = std::get_if<ModeCondition>(&alternative.guard)) note_modes(*condition, used);
  for (const Stimulus& stimulus : system.stimuli)
    if (stimulus.condition) note_modes(*stimulus.condition, used);
  for (const auto& [mode, element] : context.modes_without_value)
    if (used[mode]) context.assume(Unstated::mode_value, element);
}

}  // namespace

bool states_priority(const BuildContext& context, Element task) {
  const auto allocation = context.mapping.task_allocation_of.find(task);
  if (!allocation || views::priority_of(task, context.mapping.tasks[*allocation])) return true;
  const MappingChange* change = mapping_change_of(context, task.name());
  return change != nullptr && change->priority;
}

void BuildContext::report_partly_stated(std::string message, Element place, std::vector<Origin> elements) {
  diagnostics.add(partly_stated_id, Severity::note, std::move(message), place.location(), place.path(), 1,
                  std::move(elements));
}

void report_assumptions(BuildContext& context) {
  check_schedulers(context);
  check_order(context);
  check_cooperation(context);
  check_isrs(context);
  check_gpus(context);
  check_units(context);
  check_modes(context);
  for (const UnstatedKind& kind : unstated_kinds) {
    const auto found = context.unstated.find(kind.what);
    if (found == context.unstated.end()) continue;
    auto& elements = found->second;
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    const std::size_t count = elements.size();
    const auto [document, index] = elements.front();
    const Element first = context.model.element({document, index});
    std::vector<Origin> all;
    for (const auto& [of, element] : elements) all.push_back({of, element});
    context.diagnostics.add(
        kind.id, Severity::note,
        fmt::format("{}; {}{}", count == 1 ? std::string(kind.one) : fmt::format(fmt::runtime(kind.several), count),
                    kind.remedy, count == 1 ? "" : " (this is the first)"),
        first.location(), first.path(), count, std::move(all));
  }
}

}  // namespace amalthea::importer::detail
