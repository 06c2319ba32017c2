// SPDX-License-Identifier: Apache-2.0
// ITEA 1.1.0 (AMALTHEA 1.0.3) → ITEA 1.2.0 (AMALTHEA 1.1.0).
//
// DeadlineMonotinic needs no rule: in memory it has its later name DeadlineMonotonic.

#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "migration/detail/itea_reference.hpp"
#include "migration/detail/steps.hpp"

namespace amalthea::migration {
namespace {

// ---- operating systems

void schedulers_in_operating_systems(Step& step) {
  for (Object* const os_model : step.objects_of("OSModel")) {
    Object* const first = os_model->child("scheduler");
    if (first == nullptr) continue;
    Object& system = os_model->create("operatingSystems", "OperatingSystem");
    system.set("name", "OperatingSystem");
    os_model->add("operatingSystems", os_model->take(system), first);
    for (OwnedObject& scheduler : os_model->take_all("scheduler"))
      step.changed(system.add("taskSchedulers", std::move(scheduler)));
  }
}

// ---- label accesses

void access_statistics(Step& step) {
  for (Object* const access : step.objects_of("LabelAccess")) {
    Object* const statistic = access->child("statistic");
    if (statistic == nullptr) continue;
    const bool writes = access->attribute_or("access", "read") == "write";
    if (statistic->child("value") == nullptr && statistic->child(writes ? "write" : "read") != nullptr) {
      statistic->rename_feature(writes ? "write" : "read", "value");
      step.changed(*access, writes ? "write became value" : "read became value");
    }
    // The write part of a reading access never had a meaning.
    for (const std::string_view other : {"read", "write"})
      while (Object* const left = statistic->child(other)) step.keep_child(*statistic, *left);
    if (statistic->child("cacheMisses") == nullptr && statistic->child("readCacheMisses") != nullptr) {
      statistic->rename_feature("readCacheMisses", "cacheMisses");
      step.changed(*access, "readCacheMisses became cacheMisses");
    }
  }
}

// ---- allocations

/// "InterruptController" or "Task" for the type in `<feature xsi:type="…" href="…"/>`.
std::string_view written_type(const Object& holder, std::string_view feature) {
  const Object* const address = holder.child(feature);
  const std::string_view type = address == nullptr ? "" : address->attribute_or("xsi:type", "");
  return type.substr(type.find(':') + 1);
}

bool is_allocation_of_isr(const Object& allocation, const IteaReferences& references) {
  if (const Object* const process = references.target(allocation, "process")) return process->is("ISR");
  return written_type(allocation, "process") == "ISR";
}

/// The interrupt controller that replaces a scheduler: one of an operating system, created on demand.
class InterruptControllers {
 public:
  Object& instead_of(Object& scheduler) {
    Object& system = *scheduler.owner();
    const auto [known, is_new] = made_.try_emplace(&system, nullptr);
    if (!is_new) return *known->second;
    const std::string name = fmt::format("interruptController{}_migration_generated", made_.size());
    Object& controller = system.create("interruptControllers", "InterruptController");
    controller.set("xmi:id", fmt::format("_{}", name));
    controller.set("name", name);
    controller.create("schedulingAlgorithm", "PriorityBased");
    system.add("interruptControllers", system.take(controller), &scheduler);
    return *(known->second = &controller);
  }

 private:
  std::unordered_map<const Object*, Object*> made_;
};

/// The address of `target` in a reference that referred to `before` ("os.amxmi#_x", "_x").
std::string address_like(std::string_view before, Object& target) {
  const std::size_t hash = before.find('#');
  return std::string(hash == std::string_view::npos ? "" : before.substr(0, hash + 1)).append(lasting_id(target));
}

/// An ISRAllocation has a reference that 0.7.0 lacks, so it is kept as written.
void redirect_to_controller(Object& allocation, Object& scheduler, InterruptControllers& controllers) {
  Object& controller = controllers.instead_of(scheduler);
  if (Object* const address = allocation.child("scheduler")) {
    const std::string after = address_like(address->attribute_or("href", ""), controller);
    address->set("xsi:type", "os:InterruptController");
    address->set("href", after);
  } else {
    allocation.set("scheduler", lasting_id(controller));
  }
}

/// A TaskAllocation and a RunnableAllocation have a reference `scheduler` in 0.7.0.
void lead_to_scheduler(Step& step, Object& allocation, const IteaReferences& references) {
  Object* const target = references.target(allocation, "scheduler");
  Object* const address = allocation.child("scheduler");
  const std::string written(address != nullptr ? address->attribute_or("href", "")
                                               : allocation.attribute_or("scheduler", ""));
  if (written.empty()) return;
  if (address != nullptr) step.drop(*address, {"href", "xsi:type"});
  allocation.unset("scheduler");
  const auto task_scheduler = metamodel::find_class("TaskScheduler").value_or(no_class);
  if (written.find('#') != std::string::npos)
    allocation.add_remote_reference("scheduler", written, task_scheduler);
  else if (target != nullptr)
    refer(allocation, "scheduler", *target, references);
  else
    allocation.add_reference("scheduler", written);
}

void allocate_process(Step& step, Object& allocation, const IteaReferences& references,
                      InterruptControllers& controllers) {
  const bool of_isr = is_allocation_of_isr(allocation, references);
  allocation.unset("xsi:type");
  allocation.set_class(of_isr ? "ISRAllocation" : "TaskAllocation");
  if (!of_isr) return lead_to_scheduler(step, allocation, references);
  Object* const scheduler = references.target(allocation, "scheduler");
  if (scheduler == nullptr || !scheduler->is("TaskScheduler")) return;
  redirect_to_controller(allocation, *scheduler, controllers);
  step.altered(allocation, "the ISR now runs on an interrupt controller instead of a task scheduler");
}

void allocations(Step& step) {
  const IteaReferences references(step.model);
  InterruptControllers controllers;
  for (Object* const mapping : step.objects_of("MappingModel"))
    for (Object* const allocation : mapping->children("executableAllocation")) {
      const bool of_runnable = allocation->is("RunnableAllocation");
      if (!of_runnable) allocate_process(step, *allocation, references, controllers);
      allocation->set_feature(of_runnable ? "runnableAllocation" : "processAllocation");
      step.changed(*allocation);
    }
}

constexpr Rule rules_to_itea_1_2_0[] = {
    {"references by position are resolved", "Later rules may move the objects; the references follow them.",
     hold_positions},
    {"the schedulers of an OSModel belong to an operating system",
     "A scheduler becomes a task scheduler of an operating system named OperatingSystem.",
     schedulers_in_operating_systems},
    {"the statistic of a label access has one value",
     "Of the values for reading and writing, only the one that matches the access remains. readCacheMisses becomes "
     "cacheMisses.",
     access_statistics},
    {"an executable allocation is one of a task, an ISR or a runnable",
     "An ISR is allocated to an interrupt controller. If there is none, one is created.", allocations},
    {"references by position are written again", "They name the new positions of the objects (see the first rule).",
     release_positions},
};

}  // namespace

StepRules to_itea_1_2_0() { return {IteaRelease::v1_2_0, rules_to_itea_1_2_0}; }

}  // namespace amalthea::migration
