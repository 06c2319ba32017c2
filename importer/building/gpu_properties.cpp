// SPDX-License-Identifier: Apache-2.0
// Custom properties with the prefix "gpu." that have no effect: misspelled, misplaced, or without what they need.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "amalthea/primitives/ascii.hpp"
#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/views/properties.hpp"
#include "importer/building/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

enum : unsigned { on_runnable = 1, on_task = 2, on_unit = 4 };

/// What a property may need to have an effect.
enum class Need : std::uint8_t {
  gpu,         ///< the unit is a GPU
  profile,     ///< the same: it states a figure in place of its profile
  device,      ///< the task, or one that calls the runnable, runs on a GPU, or could
  accesses,    ///< of a device task, and the runnable accesses labels
  kernel,      ///< on a GPU, and something there has ticks or instructions
  data,        ///< a kernel, or accesses of a host task whose order counts
  blocks,      ///< a kernel that states its blocks
  share,       ///< the same of its kernels, if it has any: copies are under MPS, too
  qaws,        ///< a kernel on a GPU with this warp policy
  slices,      ///< a GPU that serves contexts in time slices
  process,     ///< a stream within a process of several tasks
  shared,      ///< another task of the process has the same stream
  priorities,  ///< tasks of the GPU state priorities
};

struct UsedProperty {
  std::string_view key;
  unsigned on;  ///< kinds of elements on which it is read
  Need need;
};
/// The tool's properties that the analysis uses (docs/reference/gpu-properties.md).
constexpr std::array<UsedProperty, 52> used_properties{{
    {"gpu.access", on_runnable, Need::data},
    {"gpu.smMask", on_runnable | on_task, Need::blocks},
    {"gpu.mpsShare", on_task, Need::share},
    {"gpu.contextScheduling", on_unit, Need::priorities},
    {"gpu.cuMask", on_task, Need::blocks},
    {"gpu.hsaQueue", on_task, Need::blocks},
    {"gpu.ace", on_task, Need::blocks},
    {"gpu.like", on_runnable | on_task, Need::blocks},
    {"gpu.fullSpeedThreads", on_runnable | on_task, Need::blocks},
    {"gpu.weight", on_runnable | on_task, Need::blocks},
    {"gpu.dispatch", on_runnable | on_task, Need::blocks},
    {"gpu.platform", on_unit, Need::gpu},
    {"gpu.copy", on_runnable, Need::accesses},
    {"gpu.hostMemory", on_runnable, Need::accesses},
    {"gpu.copyTime", on_runnable, Need::accesses},
    {"gpu.memoryIntensity", on_runnable, Need::kernel},
    {"gpu.timeslice", on_task, Need::slices},
    {"gpu.grid", on_runnable | on_task, Need::kernel},
    {"gpu.block", on_runnable | on_task, Need::kernel},
    {"gpu.registers", on_runnable | on_task, Need::kernel},
    {"gpu.sharedMemory", on_runnable | on_task, Need::kernel},
    {"gpu.cacheConfig", on_runnable | on_task, Need::kernel},
    {"gpu.context", on_task, Need::device},
    {"gpu.stream", on_task, Need::shared},
    {"gpu.nullStream", on_task, Need::process},
    {"gpu.priority", on_task, Need::process},
    {"gpu.contextPriority", on_task, Need::slices},
    {"gpu.instructions", on_runnable, Need::device},
    {"gpu.budget", on_runnable | on_task, Need::qaws},
    {"gpu.warpPolicy", on_unit, Need::gpu},
    {"gpu.warpPipelines", on_unit, Need::gpu},
    {"gpu.copyEngines", on_unit, Need::profile},
    {"gpu.preemption", on_unit, Need::profile},
    {"gpu.contextSwitch", on_unit, Need::profile},
    {"gpu.streamPreemption", on_unit, Need::profile},
    {"gpu.cpuTraffic", on_unit, Need::profile},
    {"gpu.kernelSlowdownByMemcpy", on_unit, Need::profile},
    {"gpu.kernelSlowdownByMemset", on_unit, Need::profile},
    {"gpu.kernelSlowdownBySameSm", on_unit, Need::profile},
    {"gpu.kernelSlowdownBySameGpc", on_unit, Need::profile},
    {"gpu.kernelSlowdownByOtherGpc", on_unit, Need::profile},
    {"gpu.kernelSlowdownByCpu", on_unit, Need::profile},
    {"gpu.copySlowdownByKernel", on_unit, Need::profile},
    {"gpu.copySlowdownByCpu", on_unit, Need::profile},
    {"gpu.copyingProcesses", on_unit, Need::profile},
    {"gpu.shaderEngines", on_unit, Need::profile},
    {"gpu.unitsPerEngine", on_unit, Need::profile},
    {"gpu.aces", on_unit, Need::profile},
    {"gpu.slotsPerAce", on_unit, Need::profile},
    {"gpu.poolQueues", on_unit, Need::profile},
    {"gpu.aceSlice", on_unit, Need::profile},
    {"gpu.turns", on_unit, Need::profile},
}};

/// What executes a runnable, or what a task executes.
struct Use {
  bool executed = false;
  bool device = false;
  bool movable = false;  ///< on a CPU, but it states ticks for a GPU or its place is only a change of the mapping
  bool accesses = false;
  bool kernel = false;
  bool blocks = false;  ///< of a kernel
  bool qaws = false;
};

class PropertyReview {
 public:
  explicit PropertyReview(const BuildContext& context)
      : context_(context), system_(context.system), runnables_(system_.runnables.size()), tasks_(system_.tasks.size()) {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) note(task);
  }

  /// "" if the property has an effect, else why not, as a clause, with a remedy.
  std::string fault(Element property, std::string_view key) const {
    const auto used = std::find_if(used_properties.begin(), used_properties.end(),
                                   [key](const UsedProperty& one) { return one.key == key; });
    if (used == used_properties.end()) {
      NearMisses near(key.substr(4));  // all begin with "gpu."
      for (const UsedProperty& one : used_properties) near.offer(one.key.substr(4), one.key);
      return near.nearest().empty()
                 ? ", because no property has this name; remove it, or look it up in docs/reference/gpu-properties.md"
                 : ", because no property has this name" + near.suggestion();
    }
    const Element owner = property.parent();
    const auto runnable = context_.runnables.find(owner), task = context_.tasks.find(owner),
               unit = context_.units.find(owner);
    const unsigned on = (runnable ? on_runnable : 0U) | (task ? on_task : 0U) | (unit ? on_unit : 0U);
    if ((on & used->on) == 0)
      return fmt::format(" on an element of class {}; move it to a {}", owner.class_name(),
                         used->on == on_unit         ? "ProcessingUnit"
                         : used->on == on_task       ? "Task"
                         : (used->on & on_task) != 0 ? "Runnable or a Task"
                                                     : "Runnable");
    const auto stated = custom_property(owner, key);
    const std::string value = stated ? stated->value : std::string();
    if (!property.child("value") || value.find_first_not_of(' ') == value.npos)
      return ", because it has no value; state one";
    return unit       ? fault_on_unit(*unit, used->need, value)
           : runnable ? fault_of_use(runnables_[*runnable], std::nullopt, used->need, value)
                      : fault_of_use(tasks_[*task], task, used->need, value);
  }

 private:
  void note(TaskIndex index) {
    const Task& task = system_.tasks[index];
    const MappingChange* change = mapping_change_of(context_, task.name);
    Use self;
    self.executed = true;
    self.device = task.side == Side::device;
    self.movable = change != nullptr && !change->core.empty();
    const bool qaws = system_.platform.units[task.unit].warp_policy.starts_with("qaws");
    for (const NodeIndex node : task.body) {
      const GraphNode& activity = system_.graph[node];
      const auto* kernel = std::get_if<Kernel>(&activity.activity);
      const auto* compute = std::get_if<Compute>(&activity.activity);
      Use use = self;
      use.kernel = kernel != nullptr;
      use.blocks = kernel != nullptr && kernel->launch;
      use.qaws = kernel != nullptr && qaws;
      use.accesses = std::holds_alternative<ReadLabel>(activity.activity) ||
                     std::holds_alternative<WriteLabel>(activity.activity) ||
                     std::holds_alternative<Copy>(activity.activity);
      use.movable =
          self.movable || (compute != nullptr && has_gpu_ticks(compute->ticks)) ||
          (activity.runnable && custom_property(context_.runnable_elements[*activity.runnable], "gpu.instructions"));
      if (activity.runnable) add(runnables_[*activity.runnable], use);
      add(tasks_[index], use);
    }
    for (const Contained& contained : task.contained)
      if (contained.runnable) {
        Use use = self;
        use.accesses = contained.label.has_value();
        add(runnables_[*contained.runnable], use);
      }
    add(tasks_[index], self);
  }

  bool has_gpu_ticks(const Ticks& ticks) const {
    return std::any_of(ticks.extended.begin(), ticks.extended.end(), [this](const auto& entry) {
      return system_.platform.definitions[entry.first].type == PuType::gpu;
    });
  }

  static void add(Use& all, const Use& one) {
    all.executed |= one.executed;
    all.device |= one.device;
    all.movable |= one.movable;
    all.accesses |= one.accesses;
    all.kernel |= one.kernel;
    all.blocks |= one.blocks;
    all.qaws |= one.qaws;
  }

  std::vector<TaskIndex> tasks_on(UnitIndex unit) const {
    std::vector<TaskIndex> tasks;
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task)
      if (system_.tasks[task].side == Side::device && system_.tasks[task].unit == unit) tasks.push_back(task);
    return tasks;
  }

  std::string fault_on_unit(UnitIndex unit, Need need, const std::string& value) const {
    if (system_.platform.units[unit].type != PuType::gpu)
      return ", because this unit is not a GPU; move it to the GPU, or set puType=\"GPU\" in the definition of this "
             "unit";
    if (need != Need::priorities || value != "priority") return {};
    const auto tasks = tasks_on(unit);
    const bool one_does = std::any_of(tasks.begin(), tasks.end(), [&](TaskIndex task) {
      return states_priority(context_, context_.task_elements[task]);
    });
    return tasks.size() < 2 || one_does
               ? ""
               : ", because no task of this GPU states a priority; state priorities in the taskAllocations";
  }

  /// `task`: if the property is on a task.
  std::string fault_of_use(const Use& use, std::optional<TaskIndex> task, Need need, const std::string& value) const {
    if (!use.executed) return {};  // neither has what it is on
    if (need == Need::data && !use.device && use.accesses && !use.movable) {
      if (value.starts_with("random") || value.starts_with("sequential") || value.starts_with("coalesced")) return {};
      return ", because only kernels access labels in this way; move it to the Runnable of a kernel";
    }
    if (!use.device) {
      if (use.movable) return {};
      return task ? ", because this task does not run on a GPU; move it to the Task that does"
                  : ", because no task on a GPU calls this runnable; move it to a Runnable of such a task";
    }
    if (need == Need::accesses)
      return use.accesses ? "" : ", because this runnable accesses no label; add the accesses, or remove it";
    const bool in_place = need == Need::data && value.find("zero-copy") != value.npos;
    const bool of_kernels = need == Need::kernel || need == Need::data || need == Need::blocks || need == Need::qaws;
    if (of_kernels && !use.kernel && !in_place)
      return fmt::format(", because this {} contains no kernel (ticks); move it to the Runnable{} that does",
                         task ? "task" : "runnable", task ? " or Task" : "");
    if ((need == Need::blocks || (need == Need::share && use.kernel)) && !use.blocks && value != "100")
      return ", because no kernel of this task states its blocks, so that each occupies the whole GPU; add gpu.block";
    if (need == Need::qaws && !use.qaws)
      return ", because it counts only under the warp policy qaws; set gpu.warpPolicy of the GPU, or remove it";
    return task ? fault_of_sharing(*task, need, value) : std::string();
  }

  std::string fault_of_sharing(TaskIndex index, Need need, const std::string& value) const {
    const Task& task = system_.tasks[index];
    const auto others = tasks_on(task.unit);
    if (others.size() < 2) return {};  // nothing to share with
    if (need == Need::slices && system_.platform.units[task.unit].context_scheduling == "priority")
      return ", because the GPU serves contexts by priority (gpu.contextScheduling), not in time slices; remove one of "
             "the two";
    if (need != Need::process && need != Need::shared) return {};
    if (!task.gpu.context.empty() || task.gpu.mps_share > 0) return {};
    const bool meant = need == Need::process
                           ? value == "high" || value == "true"
                           : std::any_of(others.begin(), others.end(), [&](TaskIndex other) {
                               return other != index && system_.tasks[other].gpu.stream == task.gpu.stream;
                             });
    return meant
               ? ", because streams belong to a process, and this task has one of its own; state the same gpu.context "
                 "for all tasks of the process"
               : "";
  }

  const BuildContext& context_;
  const System& system_;
  std::vector<Use> runnables_, tasks_;
};

/// The first of several properties of one element with the same key counts.
void report_repeated(BuildContext& context, Element property, std::string_view key) {
  const auto first = custom_property(property.parent(), key);
  const Element value = property.child("value");
  if (!first || !value || first->element == value) return;
  const auto same = [&](std::string_view attribute) {
    return value.attribute_or(attribute, "") == first->element.attribute_or(attribute, "");
  };
  if (!same("value") || !same("unit")) context.report_second(fmt::format("custom property {}", key), property);
}

/// Where the time slice of a device task is stated.
Element time_slice_element(const BuildContext& context, TaskIndex task) {
  if (const auto property = custom_property(context.task_elements[task], "gpu.timeslice")) return property->element;
  const auto allocation = context.mapping.task_allocation_of.find(context.task_elements[task]);
  return allocation ? context.mapping.tasks[*allocation].element : context.task_elements[task];
}

/// A process has one time slice.
void report_different_slices(BuildContext& context) {
  const auto& tasks = context.system.tasks;
  std::map<std::pair<UnitIndex, std::string>, TaskIndex> first;
  for (TaskIndex task = 0; task < tasks.size(); ++task) {
    const MappingChange* change = mapping_change_of(context, tasks[task].name);
    if (tasks[task].side != Side::device || tasks[task].gpu.context.empty() || !tasks[task].time_slice ||
        (change != nullptr && change->time_slice))
      continue;
    const auto [known, added] = first.emplace(std::pair(tasks[task].unit, tasks[task].gpu.context), task);
    if (!added && tasks[task].time_slice != tasks[known->second].time_slice)
      context.report_second(fmt::format("time slice of the tasks with gpu.context \"{}\"", tasks[task].gpu.context),
                            time_slice_element(context, task), "the longest");
  }
}

}  // namespace

std::vector<UnitSetting> unit_settings(Element unit) {
  std::vector<UnitSetting> settings;
  for (const UsedProperty& used : used_properties)
    if (used.need == Need::profile)
      if (const auto stated = custom_property(unit, used.key))
        settings.push_back({std::string(used.key), stated->value});
  return settings;
}

void report_unused_properties(BuildContext& context) {
  report_different_slices(context);
  std::optional<PropertyReview> review;
  std::map<std::string, std::vector<Element>> unused;  // by key and fault
  for (const auto& document : context.model.documents())
    for (std::uint32_t index = 0; index < document->size(); ++index) {
      const Element property = document->element(index);
      const std::string_view key = property.attribute_or("key", "");
      if (!lower_case(key).starts_with("gpu.")) continue;
      if (!review) review.emplace(context);
      report_repeated(context, property, key);
      if (const std::string fault = review->fault(property, key); !fault.empty())
        unused[fmt::format("custom property {} has no effect on the analysis{}", key, fault)].push_back(property);
    }
  for (const auto& [message, found] : unused) {
    std::vector<Origin> owners;
    for (const Element property : found) owners.push_back(property.parent().origin());
    context.diagnostics.add(
        "AM0414", Severity::warning,
        found.size() == 1 ? message : fmt::format("{} ({} occurrences, this is the first)", message, found.size()),
        found.front().attribute_location("key"), found.front().path(), found.size(), std::move(owners));
  }
}

}  // namespace amalthea::importer::detail
