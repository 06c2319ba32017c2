// SPDX-License-Identifier: Apache-2.0
// Overheads of operating systems that are stated in part: of some functions that tasks use, or of some of the systems.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// A function that a process uses, and its overhead.
struct Used {
  std::string_view function;
  const std::optional<Ticks>* ticks;
};

std::optional<Used> used_by(const System& system, const Activity& activity, const OverheadTicks& overhead) {
  if (std::holds_alternative<Trigger>(activity)) return Used{"apiActivateTask", &overhead.activate_task};
  if (std::holds_alternative<SetEvents>(activity)) return Used{"apiSetEvent", &overhead.set_event};
  if (std::holds_alternative<ClearEvents>(activity)) return Used{"apiClearEvent", &overhead.clear_event};
  if (std::holds_alternative<WaitEvents>(activity)) return Used{"apiWaitEvent", &overhead.wait_event};
  if (std::holds_alternative<SchedulePoint>(activity)) return Used{"apiSchedule", &overhead.schedule_point};
  const auto* use = std::get_if<UseSemaphore>(&activity);
  if (use == nullptr) return std::nullopt;
  const bool releases = use->operation == UseSemaphore::Operation::release;
  if (system.semaphores[use->semaphore].spinlock)
    return releases ? Used{"apiReleaseSpinlock", &overhead.release_spinlock}
                    : Used{"apiRequestSpinlock", &overhead.request_spinlock};
  return releases ? Used{"apiReleaseResource", &overhead.release_resource}
                  : Used{"apiRequestResource", &overhead.request_resource};
}

std::vector<Used> used_by(const System& system, const Task& task, const OverheadTicks& overhead) {
  std::vector<Used> used;
  for (const NodeIndex node : task.body)
    if (const auto one = used_by(system, system.graph[node].activity, overhead)) used.push_back(*one);
  if (task.kind == ProcessKind::task) {
    used.push_back({"apiTerminateTask", &overhead.terminate_task});
  } else {
    const bool first = task.kind == ProcessKind::isr_category1;
    used.push_back({first ? "preExecutionOverhead of ISRs of category 1" : "preExecutionOverhead of ISRs of category 2",
                    first ? &overhead.isr_category1_before : &overhead.isr_category2_before});
    used.push_back(
        {first ? "postExecutionOverhead of ISRs of category 1" : "postExecutionOverhead of ISRs of category 2",
         first ? &overhead.isr_category1_after : &overhead.isr_category2_after});
  }
  return used;
}

bool states(const std::optional<Ticks>& ticks, DefinitionIndex definition) {
  if (!ticks) return false;
  if (ticks->otherwise) return true;
  for (const auto& [key, cycles] : ticks->extended)
    if (key == definition) return true;
  return false;
}

/// What the processes of one operating system use of its overhead.
struct Usage {
  bool any_stated = false;
  std::set<std::string_view> missing;
  std::set<TaskIndex> by;  ///< that use what is missing
};

using Key = std::pair<std::uint32_t, std::uint32_t>;
Key key_of(Element element) { return {element.origin().document, element.origin().element}; }

/// An overhead that the model states and no operating system refers to.
void report_unused_overhead(BuildContext& context, const std::map<Key, std::vector<Origin>>& processes_of) {
  std::vector<Origin> processes;
  for (const auto& [os, its_processes] : processes_of)
    processes.insert(processes.end(), its_processes.begin(), its_processes.end());
  std::set<Key> used;
  for (const Element os : context.model.all("osModel", "operatingSystems"))
    if (const Element overhead = context.model.reference(os, "overhead")) used.insert(key_of(overhead));
  for (const Element overhead : context.model.all("osModel", "osOverheads")) {
    const auto parts = overhead.children();
    if (parts.begin() == parts.end() || processes.empty() || used.contains(key_of(overhead))) continue;
    context.report_partly_stated(
        fmt::format("no operating system refers to the overhead \"{}\", so its functions take no time; let the "
                    "operating systems refer to it, or remove it",
                    overhead.name()),
        overhead, std::move(processes));
    return;
  }
}

}  // namespace

void report_partial_overheads(BuildContext& context) {
  const System& system = context.system;
  std::map<Key, Usage> usages;                          // by overhead
  std::map<Key, std::vector<Origin>> without_overhead;  // processes by operating system
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    if (task.side != Side::host || task.folded_into || task.body.empty()) continue;
    const Scheduler& scheduler = system.platform.schedulers[task.scheduler];
    const Element os = context.model.element(scheduler.origin).parent();
    const Element overhead = context.model.reference(os, "overhead");
    if (!overhead || !scheduler.overhead) {
      without_overhead[key_of(os)].push_back(task.origin);
      continue;
    }
    Usage& usage = usages[key_of(overhead)];
    std::vector<UnitIndex> units = task.units;
    if (units.empty()) units.push_back(task.unit);
    for (const Used& used : used_by(system, task, *scheduler.overhead))
      for (const UnitIndex unit : units)
        if (states(*used.ticks, system.platform.units[unit].definition)) {
          usage.any_stated = true;
        } else {
          usage.missing.insert(used.function);
          usage.by.insert(index);
        }
  }
  if (usages.empty()) report_unused_overhead(context, without_overhead);
  bool any_stated = false;
  for (const auto& [key, usage] : usages) {
    any_stated = any_stated || usage.any_stated;
    if (!usage.any_stated || usage.missing.empty()) continue;
    std::string functions;
    for (const std::string_view function : usage.missing)
      functions.append(functions.empty() ? "" : ", ").append(function);
    std::vector<Origin> processes;
    for (const TaskIndex task : usage.by) processes.push_back(system.tasks[task].origin);
    const Element overhead = context.model.element({key.first, key.second});
    context.report_partly_stated(
        fmt::format("overhead \"{}\" does not state the time of functions that processes use, although it states that "
                    "of others; it counts as 0: {}; state it",
                    overhead.name(), functions),
        overhead, std::move(processes));
  }
  if (!any_stated) return;
  for (auto& [key, processes] : without_overhead) {
    const Element os = context.model.element({key.first, key.second});
    context.report_partly_stated(
        fmt::format("operating system \"{}\" has no overhead, although others have one; its functions take no time; "
                    "state its overhead",
                    os.name()),
        os, std::move(processes));
  }
}

}  // namespace amalthea::importer::detail
