// SPDX-License-Identifier: Apache-2.0
// SystemTable → model. The form of offloading is that of docs/how-to/model-a-gpu-kernel.md.

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "amalthea/editable_model.hpp"
#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"
#include "exporter/tables/system_table.hpp"
#include "exporter/tables/table_quantity.hpp"

namespace amalthea::exporter::tables {
namespace {

std::string id(std::string_view name, std::string_view cls) {
  return fmt::format("{}?type={}", encode_name(name), cls);
}

class ModelWriter {
 public:
  ModelWriter(const SystemTable& table, const GivenPlatform* given) : table_(table), given_(given) {}

  std::string write(const std::vector<std::string>& head) {
    for (std::string line : head) {
      for (std::size_t at = 0; (at = line.find("--", at)) != line.npos;) line.insert(at + 1, " ");  // as XML wants it
      model_.comments_for_change(root_).before.push_back(model_.keep(" " + line + " "));
    }
    add_platform();
    for (const auto& task : table_.tasks) add_task(task);
    for (const auto& step : table_.steps) add_step(step);
    for (const auto& chain : table_.chains) add_chain(chain);
    std::string text = write_emf_form(root_, newest_version);
    if (given_ != nullptr) {
      replace(text, "  <hwModel/>\n", "  " + given_->hardware + "\n");
      replace(text, "  <osModel/>\n", "  " + given_->operating_systems + "\n");
      replace(text, "  <mappingModel>\n", "  <mappingModel>\n" + given_->allocations);
    }
    return text;
  }

 private:
  static void replace(std::string& text, std::string_view from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  }

  Object& named(Object& owner, std::string_view feature, std::string_view cls, std::string_view name) {
    Object& object = owner.create(feature, cls);
    object.set("name", name);
    return object;
  }
  static void set_amount(Object& owner, std::string_view feature, std::string_view cls, std::int64_t amount,
                         std::span<const AmountUnit> units) {
    const auto [number, unit] = in_largest_unit(amount, units);
    Object& value = owner.create(feature, cls);
    value.set("value", std::to_string(number));
    value.set("unit", unit->model_name.empty() ? unit->name : unit->model_name);
  }
  static void set_time(Object& owner, std::string_view feature, Duration time) {
    set_amount(owner, feature, "Time", time.picoseconds(), time_units);
  }
  static void set_property(Object& owner, std::string_view key, std::string_view value) {
    Object& property = owner.create("customProperties", "CustomProperty");
    property.set("key", key);
    property.create("value", "StringObject").set("value", value);
  }

  // ---- platform

  std::string scheduler_of(std::size_t core) const {
    return given_ != nullptr ? given_->schedulers[core] : id(table_.cores[core].name + "_Scheduler", "TaskScheduler");
  }
  std::string gpu_scheduler_of(std::size_t gpu) const {
    return given_ != nullptr ? given_->gpu_schedulers[gpu] : id(table_.gpus[gpu].name + "_Scheduler", "TaskScheduler");
  }
  std::string memory() const { return given_ != nullptr ? given_->memory : id("Memory", "Memory"); }

  Object& add_unit(Object& board, const std::string& name, Frequency clock, std::string_view definition) {
    Object& unit = named(board, "modules", "ProcessingUnit", name);
    unit.add_reference("frequencyDomain", id(name + "_Clock", "FrequencyDomain"));
    unit.add_reference("definition", id(definition, "ProcessingUnitDefinition"));
    Object& domain = named(hardware_, "domains", "FrequencyDomain", name + "_Clock");
    const auto [number, hertz] = in_largest_unit(clock.millihertz(), frequency_units);
    Object& value = domain.create("defaultValue", "Frequency");
    value.set("value", fmt::format("{}.0", number));
    value.set("unit", hertz->name);
    Object& scheduler = named(*system_, "taskSchedulers", "TaskScheduler", name + "_Scheduler");
    Object& allocation = mapping_.create("schedulerAllocation", "SchedulerAllocation");
    allocation.add_reference("scheduler", id(name + "_Scheduler", "TaskScheduler"));
    allocation.add_reference("responsibility", id(name, "ProcessingUnit"));
    current_scheduler_ = &scheduler;
    return unit;
  }

  Object& add_access(Object& unit, const std::string& name) {
    Object& access = named(unit, "accessElements", "HwAccessElement", name + "_to_Memory");
    access.add_reference("destination", memory());
    return access;
  }

  void define_scheduler(std::string_view algorithm, bool priority) {
    current_scheduler_->add_reference("definition", id(algorithm, "SchedulerDefinition"));
    if (!algorithms_.insert(std::string(algorithm)).second) return;
    Object& definition = named(os_, "schedulerDefinitions", "SchedulerDefinition", algorithm);
    if (!priority) return;
    definition.add_reference("processParameters", id("priority", "SchedulingParameterDefinition"));
    if (!std::exchange(has_priority_, true)) {
      Object& parameter = named(os_, "schedulingParameterDefinitions", "SchedulingParameterDefinition", "priority");
      parameter.set("type", "Integer");
      parameter.set("mandatory", "true");
    }
  }

  void add_platform() {
    if (given_ != nullptr) return;
    system_ = &named(os_, "operatingSystems", "OperatingSystem", "Os");
    named(hardware_, "definitions", "ProcessingUnitDefinition", "Cpu").set("puType", "CPU");
    Object& board = named(hardware_, "structures", "HwStructure", "Board");
    board.set("structureType", "System");
    for (const auto& core : table_.cores) {
      Object& unit = add_unit(board, core.name, core.clock, "Cpu");
      if (!table_.chains.empty()) {
        Object& access = add_access(unit, core.name);
        for (const std::string_view latency : {"readLatency", "writeLatency"})
          access.create(latency, "DiscreteValueConstant").set("value", "0");
      }
      define_scheduler(traits_of(core.scheduler).name, needs_priority(core.scheduler));
    }
    if (!table_.gpus.empty()) named(hardware_, "definitions", "ProcessingUnitDefinition", "Gpu").set("puType", "GPU");
    for (const auto& gpu : table_.gpus) {
      Object& unit = add_unit(board, gpu.name, gpu.clock, "Gpu");
      set_property(unit, "gpu.platform", gpu.platform);
      define_scheduler("GpuTimeSlicing", false);
      if (gpu.bandwidth.bytes_per_second == 0) continue;
      set_amount(add_access(unit, gpu.name), "dataRate", "DataRate", gpu.bandwidth.bytes_per_second, rate_units);
    }
    const bool copies = std::any_of(table_.gpus.begin(), table_.gpus.end(),
                                    [](const auto& gpu) { return gpu.bandwidth.bytes_per_second > 0; });
    if (!copies && table_.chains.empty()) return;
    named(hardware_, "definitions", "MemoryDefinition", "Ram").set("memoryType", "DRAM");
    named(board, "modules", "Memory", "Memory").add_reference("definition", id("Ram", "MemoryDefinition"));
  }

  // ---- tasks

  Object& graph_of(Object& owner) { return owner.create("activityGraph", "ActivityGraph"); }

  void add_task(const SystemTable::Task& task) {
    Object& object = named(software_, "tasks", "Task", task.name);
    object.set("preemption", task.preemption);
    object.add_reference("stimuli", id("Release_" + task.name, "PeriodicStimulus"));
    graphs_.push_back(&graph_of(object));
    Object& stimulus = named(stimuli_, "stimuli", "PeriodicStimulus", "Release_" + task.name);
    if (task.offset) set_time(stimulus, "offset", *task.offset);
    set_time(stimulus, "recurrence", task.period);
    if (task.jitter) {
      Object& jitter = stimulus.create("jitter", "TimeBoundaries");
      set_time(jitter, "lowerBound", Duration());
      set_time(jitter, "upperBound", *task.jitter);
    }
    Object& allocation = mapping_.create("taskAllocation", "TaskAllocation");
    allocation.add_reference("task", id(task.name, "Task"));
    allocation.add_reference("scheduler", scheduler_of(task.core));
    if (task.priority) {
      Object& parameter = allocation.create("schedulingParameters", "SchedulingParameter");
      parameter.add_reference("key", id("priority", "SchedulingParameterDefinition"));
      parameter.create("value", "IntegerObject").set("value", std::to_string(*task.priority));
    }
    if (task.deadline) {
      Object& requirement = named(constraints_, "requirements", "ProcessRequirement", "Deadline_" + task.name);
      requirement.add_reference("process", id(task.name, "Task"));
      Object& limit = requirement.create("limit", "TimeRequirementLimit");
      limit.set("limitType", "UpperLimit");
      limit.set("metric", "ResponseTime");
      set_time(limit, "limitValue", *task.deadline);
    }
  }

  static void call(Object& graph, std::string_view runnable) {
    graph.create("items", "RunnableCall").add_reference("runnable", id(runnable, "Runnable"));
  }
  void add_runnable(const SystemTable::Step& step) {
    Object& graph = graph_of(named(software_, "runnables", "Runnable", step.name));
    Object& bounds = graph.create("items", "Ticks").create("default", "DiscreteValueBoundaries");
    bounds.set("lowerBound", std::to_string(step.least));
    bounds.set("upperBound", std::to_string(step.most));
  }

  void add_step(const SystemTable::Step& step) {
    if (step.gpu) return offload(step);
    call(*graphs_[step.task], step.name);
    add_runnable(step);
  }

  void offload(const SystemTable::Step& step) {
    const std::string device_task = step.name + "_on_" + table_.gpus[*step.gpu].name;
    const std::string start = id("Start_" + step.name, "InterProcessStimulus"),
                      done = id(step.name + "_done", "OsEvent");
    Object& host = *graphs_[step.task];
    host.create("items", "InterProcessTrigger").add_reference("stimulus", start);
    Object& wait = host.create("items", "WaitEvent");
    wait.set("waitingBehaviour", step.polls ? "active" : "passive");
    wait.create("eventMask", "EventMask").add_reference("events", done);
    host.create("items", "ClearEvent").create("eventMask", "EventMask").add_reference("events", done);
    named(software_, "events", "OsEvent", step.name + "_done");
    named(stimuli_, "stimuli", "InterProcessStimulus", "Start_" + step.name);

    Object& device = named(software_, "tasks", "Task", device_task);
    if (!step.process.empty()) set_property(device, "gpu.context", step.process);
    device.add_reference("stimuli", start);
    Object& graph = graph_of(device);
    copy(graph, step.name + "_in", step.bytes_in, "host", "device");
    call(graph, step.name);
    add_runnable(step);
    copy(graph, step.name + "_out", step.bytes_out, "device", "host");
    Object& set = graph.create("items", "SetEvent");
    set.add_reference("process", id(table_.tasks[step.task].name, "Task"));
    set.create("eventMask", "EventMask").add_reference("events", done);
    Object& allocation = mapping_.create("taskAllocation", "TaskAllocation");
    allocation.add_reference("task", id(device_task, "Task"));
    allocation.add_reference("scheduler", gpu_scheduler_of(*step.gpu));
  }

  void copy(Object& task, const std::string& data, std::int64_t bytes, std::string_view from, std::string_view to) {
    if (bytes == 0) return;
    call(task, "Copy_" + data);
    Object& runnable = named(software_, "runnables", "Runnable", "Copy_" + data);
    set_property(runnable, "gpu.copy", from == "host" ? "h2d" : "d2h");
    Object& graph = graph_of(runnable);
    for (const auto& [side, way] : {std::pair{from, "read"}, std::pair{to, "write"}}) {
      const std::string label = fmt::format("{}_{}", data, side);
      add_label(label, bytes);
      access(graph, label, way);
    }
  }
  void add_label(const std::string& name, std::int64_t bytes) {
    set_amount(named(software_, "labels", "Label", name), "size", "DataSize", bytes, size_units);
    Object& place = mapping_.create("memoryMapping", "MemoryMapping");
    place.add_reference("abstractElement", id(name, "Label"));
    place.add_reference("memory", memory());
  }
  static void access(Object& graph, std::string_view label, std::string_view way) {
    Object& item = graph.create("items", "LabelAccess");
    item.add_reference("data", id(label, "Label"));
    item.set("access", way);
  }

  // ---- chains

  std::string event(const std::string& task, std::string_view type) {
    const std::string name = fmt::format("{}_{}", task, type);
    if (event_names_.insert(name).second) {
      Object& object = named(events_, "events", "ProcessEvent", name);
      object.add_reference("entity", id(task, "Task"));
      object.set("eventType", type);
    }
    return id(name, "ProcessEvent");
  }

  /// What a task that triggers nothing but its GPU reads and writes stands in its graph, beside what it calls.
  void pass_data(std::size_t from, std::size_t to) {
    const std::string label = fmt::format("{}_to_{}", table_.tasks[from].name, table_.tasks[to].name);
    if (!data_.insert(label).second) return;
    add_label(label, 1);
    access(*graphs_[from], label, "write");
    Object& reader = *graphs_[to];
    access(reader, label, "read");
    reader.add("items", reader.take(*reader.children().back()), reader.children().front().get());
  }

  void add_chain(const SystemTable::Chain& chain) {
    const auto task = [&](std::size_t i) -> const std::string& { return table_.tasks[chain.tasks[i]].name; };
    const std::size_t last = chain.tasks.size() - 1;
    Object& whole = named(constraints_, "eventChains", "EventChain", chain.name);
    const auto connect = [&](Object& object, const std::string& stimulus, const std::string& response) {
      object.add_reference("stimulus", stimulus);
      object.add_reference("response", response);
    };
    connect(whole, event(task(0), "start"), event(task(last), "terminate"));
    for (std::size_t i = 0; i <= last; ++i) {
      if (i < last) pass_data(chain.tasks[i], chain.tasks[i + 1]);
      Object& part = named(whole.create("items", "EventChainContainer"), "eventChain", "SubEventChain",
                           fmt::format("{}_{}", chain.name, i + 1));
      connect(part, event(task(i), "start"), i < last ? event(task(i + 1), "start") : event(task(last), "terminate"));
    }
    for (const auto& [type, limit] : {std::pair{"Reaction", chain.reaction}, std::pair{"Age", chain.age}}) {
      if (!limit) continue;
      Object& constraint = named(constraints_, "timingConstraints", "EventChainLatencyConstraint",
                                 fmt::format("{}_{}", type, chain.name));
      constraint.add_reference("scope", id(chain.name, "EventChain"));
      constraint.set("type", type);
      set_time(constraint, "maximum", *limit);
    }
  }

  const SystemTable& table_;
  const GivenPlatform* given_;
  EditableModel model_;
  Object& root_ = model_.add_file("model.amxmi");
  Object& software_ = root_.create("swModel", "SWModel");
  Object& hardware_ = root_.create("hwModel", "HWModel");
  Object& os_ = root_.create("osModel", "OSModel");
  Object& stimuli_ = root_.create("stimuliModel", "StimuliModel");
  Object& events_ = root_.create("eventModel", "EventModel");
  Object& constraints_ = root_.create("constraintsModel", "ConstraintsModel");
  Object& mapping_ = root_.create("mappingModel", "MappingModel");
  Object* system_ = nullptr;
  Object* current_scheduler_ = nullptr;
  bool has_priority_ = false;
  std::set<std::string> algorithms_, event_names_, data_;
  std::vector<Object*> graphs_;  // of the tasks
};

}  // namespace

std::string model_of(const SystemTable& table, const GivenPlatform* platform, const std::vector<std::string>& head) {
  return ModelWriter(table, platform).write(head);
}

}  // namespace amalthea::exporter::tables
