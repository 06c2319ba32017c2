// SPDX-License-Identifier: Apache-2.0
#include "scenario/model_of_scenario.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "amalthea/editable_model.hpp"
#include "amalthea/emf_form.hpp"
#include "amalthea/identifier.hpp"
#include "amalthea/made_text.hpp"
#include "engine/amd/cu_mask.hpp"
#include "engine/devices/examiner_scenario.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/gpu/profile_settings.hpp"
#include "engine/nvidia/block_time.hpp"
#include "engine/nvidia/sm_warps.hpp"

namespace amalthea::scenario {
namespace {

using namespace engine::gpu;
using engine::DeviceProfile;
using engine::JsonArray;
using engine::JsonObject;
using engine::JsonValue;
using engine::TextError;
using Error = std::optional<TextError>;

/// Whether it is the list of what a scenario's processes do. Results of an analysis have "operations" of other objects.
bool is_list_of_calls(std::string_view key, const JsonValue& value) {
  const auto* list = std::get_if<JsonArray>(&value.value);
  if (list == nullptr) return false;
  if (key != "operations") return key == "benchmarks" || key == "plugins";
  const auto* first = list->elements.empty() ? nullptr : std::get_if<JsonObject>(&list->elements.front().value);
  return list->elements.empty() ||
         (first != nullptr && (find_member(*first, "kernel") != nullptr || find_member(*first, "copy") != nullptr));
}

/// Whether it is the list of GPUs of a scenario that names them.
bool is_list_of_gpus(std::string_view key, const JsonValue& value) {
  const auto* list = std::get_if<JsonArray>(&value.value);
  if (key != "gpus" || list == nullptr || list->elements.empty()) return false;
  const auto* first = std::get_if<JsonObject>(&list->elements.front().value);
  const JsonValue* calls = first != nullptr ? find_member(*first, "operations") : nullptr;
  return calls != nullptr && is_list_of_calls("operations", *calls);
}

std::string id(std::string_view name, std::string_view cls) {
  return fmt::format("{}?type={}", encode_name(name), cls);
}

/// The mask in hexadecimal, whose set bits enable TPCs.
std::string tpc_mask(const CuMask& mask, std::int64_t sms_per_tpc) {
  std::string digits;
  const auto tpcs = (static_cast<std::int64_t>(mask.bits.size()) + sms_per_tpc - 1) / sms_per_tpc;
  for (std::int64_t first = 0; first < tpcs; first += 4) {
    unsigned digit = 0;
    for (std::int64_t tpc = first; tpc < std::min(first + 4, tpcs); ++tpc)
      if (mask.bits[static_cast<std::size_t>(tpc * sms_per_tpc)]) digit |= 1U << static_cast<unsigned>(tpc - first);
    digits.insert(0, fmt::format("{:x}", digit));
  }
  return "~0x" + digits;
}

std::size_t gpu_of(const StreamScenario& scenario, const StreamOperation& operation) {
  return scenario.gpu_of(scenario.streams[operation.stream]);
}

/// An operation of the GPU whose warps execute instructions; null: there is none.
const StreamOperation* with_warps(const StreamScenario& scenario, std::size_t gpu) {
  for (const StreamOperation& operation : scenario.operations)
    if (operation.warps != nullptr && gpu_of(scenario, operation) == gpu) return &operation;
  return nullptr;
}

/// The time of a cycle of the GPU in the model: that of the warps, if any execute instructions.
Duration cycle_of(const StreamScenario& scenario, std::size_t gpu) {
  const StreamOperation* operation = with_warps(scenario, gpu);
  return Duration::picoseconds(operation != nullptr ? operation->warps->clock_picoseconds : 1);
}

/// Of a cycle of 1 ps, in millihertz.
constexpr std::int64_t fastest_clock = 1'000'000'000'000'000;

/// Whether a model can state the cost as that of a kernel like the base, with figures of its own.
bool is_based_on(const KernelCost& base, const KernelCost& cost) {
  KernelCost stated = base;
  stated.full_speed_threads = cost.full_speed_threads;
  stated.weight_ppm = cost.weight_ppm;
  if (cost.dispatch == cost.dispatch_beside) stated.dispatch = stated.dispatch_beside = cost.dispatch;
  return stated == cost;
}

/// A kernel of the profile on which the cost is based; null: none is needed, or none is known.
const NamedKernel* base_of(const DeviceProfile& device, const KernelCost& cost) {
  if (is_based_on({}, cost) || !device.amd) return nullptr;
  for (const NamedKernel& kernel : device.amd->kernels)
    if (is_based_on(kernel.cost, cost)) return &kernel;
  return nullptr;
}

class ModelWriter {
 public:
  ModelWriter(std::string_view path, const StreamScenario& scenario, const std::vector<WrittenCall>& calls,
              const std::vector<std::set<std::string_view>>& stated)
      : scenario_(scenario), calls_(calls) {
    for (std::size_t gpu = 0; gpu < stated.size(); ++gpu)
      gpus_.push_back({scenario.gpus.empty() ? "GPU" : scenario.gpus[gpu].name, stated[gpu],
                       cycle_of(scenario, gpu).picoseconds()});
    model_.comments_for_change(root_).before.push_back(model_.keep(made_from_comment(path)));
  }

  std::string write() {
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) add_gpu(gpu);
    const std::vector<std::string> names = task_names();
    // The order of the tasks is that of the contexts in the runlist, and of the streams within each.
    std::vector<std::size_t> order(calls_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return place(a) < place(b); });
    for (const std::size_t call : order) add_task(call, names[call]);
    // Stimuli that occur at the same instant release in their order.
    for (std::size_t call = 0; call < calls_.size(); ++call) add_stimulus(call, names[call]);
    return write_emf_form(root_, newest_version);
  }

 private:
  const StreamOperation& operation(std::size_t call) const { return scenario_.operations[calls_[call].operation]; }
  const Stream& stream(std::size_t call) const { return scenario_.streams[operation(call).stream]; }
  std::size_t gpu(std::size_t call) const { return scenario_.gpu_of(stream(call)); }
  const DeviceProfile& device(std::size_t call) const { return scenario_.device_of(gpu(call)); }
  std::pair<std::size_t, std::size_t> place(std::size_t call) const {
    return {stream(call).context, operation(call).stream};
  }

  /// Those of the operations. Where several share one, the stream precedes it, and calls of one stream are numbered.
  /// Where several GPUs share one, the GPU precedes it.
  std::vector<std::string> task_names() const {
    std::map<std::string, std::set<std::size_t>> streams, gpus;
    for (std::size_t call = 0; call < calls_.size(); ++call) {
      streams[operation(call).name].insert(operation(call).stream);
      gpus[operation(call).name].insert(gpu(call));
    }
    std::set<std::string> taken;
    std::vector<std::string> names;
    for (std::size_t call = 0; call < calls_.size(); ++call) {
      const std::string& own = operation(call).name;
      std::string name = own.empty() ? std::string(name_of(operation(call).kind)) : own;
      if (streams[own].size() > 1) {
        name = fmt::format("{}/{}", stream(call).is_null ? "NULL" : stream_name(call), name);
        if (scenario_.contexts.size() > 1 || !calls_[call].process.empty())
          name = fmt::format("{}/{}", context_name(call), name);
        if (gpus[own].size() > 1) name = fmt::format("{}/{}", gpus_[gpu(call)].name, name);
      }
      std::string one = name;
      for (std::size_t number = 2; !taken.insert(one).second; ++number) one = fmt::format("{} {}", name, number);
      names.push_back(std::move(one));
    }
    return names;
  }
  /// Under MPS the name of the process precedes it.
  std::string stream_name(std::size_t call) const {
    const std::string& process = calls_[call].process;
    return process.empty() ? stream(call).name : stream(call).name.substr(process.size() + 1);
  }
  std::string context_name(std::size_t call) const {
    if (!calls_[call].process.empty()) return calls_[call].process;
    const std::string& name = scenario_.contexts[stream(call).context].name;
    return name.empty() ? "process" : name;
  }

  Object& named(Object& owner, std::string_view feature, std::string_view cls, std::string_view name) {
    Object& object = owner.create(feature, cls);
    object.set("name", name);
    return object;
  }
  /// The same, which stands in the scenario where the call does.
  Object& named(Object& owner, std::string_view feature, std::string_view cls, std::string_view name,
                const WrittenCall& call) {
    Object& object = named(owner, feature, cls, name);
    model_.comments_for_change(object).before.push_back(model_.keep(origin_comment(call.line, call.column)));
    return object;
  }
  static void set_time(Object& owner, std::string_view feature, Duration time) {
    Object& value = owner.create(feature, "Time");
    value.set("value", std::to_string(time.picoseconds()));
    value.set("unit", "ps");
  }
  static void set_property(Object& owner, std::string_view key, std::string_view value) {
    Object& property = owner.create("customProperties", "CustomProperty");
    property.set("key", key);
    property.create("value", "StringObject").set("value", value);
  }
  static void set_property(Object& owner, std::string_view key, std::int64_t value) {
    set_property(owner, key, std::to_string(value));
  }

  struct Gpu {
    std::string name;
    const std::set<std::string_view>& stated;  ///< figures
    std::int64_t cycle = 1;                    ///< ps
    Object* unit = nullptr;
    bool has_copies = false;
  };

  /// "Picoseconds of front", where the scenario names its GPUs.
  std::string of_gpu(std::string_view what, std::size_t gpu) const {
    return scenario_.gpus.empty() ? std::string(what) : fmt::format("{} of {}", what, gpus_[gpu].name);
  }

  void add_gpu(std::size_t index) {
    Gpu& gpu = gpus_[index];
    const DeviceProfile& profile = scenario_.device_of(index);
    if (index == 0) named(hardware_, "definitions", "ProcessingUnitDefinition", "Gpu").set("puType", "GPU");
    const std::string domain = of_gpu(gpu.cycle == 1 ? "Picoseconds" : "Cycles", index);
    Object& clock = named(hardware_, "domains", "FrequencyDomain", domain).create("defaultValue", "Frequency");
    const std::int64_t millihertz = fastest_clock / gpu.cycle;
    clock.set("value", gpu.cycle == 1 ? "1000.0" : fmt::format("{}.{:03}", millihertz / 1000, millihertz % 1000));
    clock.set("unit", gpu.cycle == 1 ? "GHz" : "Hz");
    if (index == 0) {
      board_ = &named(hardware_, "structures", "HwStructure", "Board");
      board_->set("structureType", "System");
    }
    gpu.unit = &named(*board_, "modules", "ProcessingUnit", gpu.name);
    gpu.unit->add_reference("frequencyDomain", id(domain, "FrequencyDomain"));
    gpu.unit->add_reference("definition", id("Gpu", "ProcessingUnitDefinition"));
    set_property(*gpu.unit, "gpu.platform", profile.name);
    for (const ProfileSetting& setting : profile_settings()) {
      if (!has_effect(setting, profile)) continue;
      if (const std::string text = setting.text(profile);
          gpu.stated.contains(setting.property) || text != setting.text(*engine::find_profile(profile.name)))
        set_property(*gpu.unit, setting.property, text);
    }
    if (scenario_.by_urgency_on(index)) set_property(*gpu.unit, "gpu.contextScheduling", "priority");
    if (const StreamOperation* operation = with_warps(scenario_, index)) {
      set_property(*gpu.unit, "gpu.warpPolicy", operation->warps->policy->name);
      set_property(*gpu.unit, "gpu.warpPipelines", operation->warps->pipelines->name);
    }
    if (index == 0) driver_ = &named(os_, "operatingSystems", "OperatingSystem", "Driver");
    const std::string slicing = of_gpu("GpuTimeSlicing", index);
    named(*driver_, "taskSchedulers", "TaskScheduler", gpu.name)
        .add_reference("definition", id(slicing, "SchedulerDefinition"));
    Object& algorithm = named(os_, "schedulerDefinitions", "SchedulerDefinition", slicing);
    if (scenario_.by_urgency_on(index))
      algorithm.add_reference("processParameters", id("priority", "SchedulingParameterDefinition"));
    if (scenario_.by_urgency_on(index) && !std::exchange(has_priorities_, true)) {
      Object& parameter = named(os_, "schedulingParameterDefinitions", "SchedulingParameterDefinition", "priority");
      parameter.set("type", "Integer");
      parameter.set("mandatory", "true");
    }
    Object& allocation = mapping_.create("schedulerAllocation", "SchedulerAllocation");
    allocation.add_reference("scheduler", id(gpu.name, "TaskScheduler"));
    allocation.add_reference("responsibility", id(gpu.name, "ProcessingUnit"));
  }

  static std::string cycles(const Gpu& gpu, Duration time) { return std::to_string(time.picoseconds() / gpu.cycle); }

  void add_task(std::size_t call, const std::string& name) {
    Object& task = named(software_, "tasks", "Task", name, calls_[call]);
    task.add_reference("stimuli", stimulus(call, name));
    set_process(task, call);
    Object& graph = task.create("activityGraph", "ActivityGraph");
    graph.create("items", "RunnableCall").add_reference("runnable", id(name, "Runnable"));
    Object& allocation = mapping_.create("taskAllocation", "TaskAllocation");
    allocation.add_reference("task", id(name, "Task"));
    allocation.add_reference("scheduler", id(gpus_[gpu(call)].name, "TaskScheduler"));
    const Context& context = scenario_.contexts[stream(call).context];
    if (scenario_.by_urgency_on(gpu(call))) {
      Object& parameter = allocation.create("schedulingParameters", "SchedulingParameter");
      parameter.add_reference("key", id("priority", "SchedulingParameterDefinition"));
      parameter.create("value", "IntegerObject").set("value", std::to_string(context.urgency));
    }
    Object& runnable = named(software_, "runnables", "Runnable", name, calls_[call]);
    if (operation(call).kind == StreamOperationKind::kernel)
      add_kernel(runnable, call, name);
    else
      add_copy(runnable, call, name);
    if (!calls_[call].deadline.is_zero())
      add_limit(calls_[call], name, name + " by its deadline", calls_[call].deadline);
    else if (!calls_[call].period.is_zero())
      add_limit(calls_[call], name, name + " before its next release", calls_[call].period);
  }

  /// Its place among the processes and streams that share the GPU.
  void set_process(Object& task, std::size_t call) {
    const Stream& own = stream(call);
    const Context& context = scenario_.contexts[own.context];
    set_property(task, "gpu.context", context_name(call));
    if (own.is_null)
      set_property(task, "gpu.nullStream", "true");
    else
      set_property(task, "gpu.stream", stream_name(call));
    if (calls_[call].mps_share > 0) set_property(task, "gpu.mpsShare", fmt::format("{}", calls_[call].mps_share));
    const bool is_masked = own.mask && operation(call).kind == StreamOperationKind::kernel;
    if (device(call).amd) {  // its contexts run concurrently, and its streams have no priorities
      if (is_masked) set_property(task, "gpu.cuMask", engine::amd::hexadecimal(*own.mask));
      if (operation(call).kind != StreamOperationKind::kernel) return;
      if (own.queue) set_property(task, "gpu.hsaQueue", *own.queue);
      if (own.on_ace) set_property(task, "gpu.ace", *own.on_ace);
      return;
    }
    if (own.priority == StreamPriority::high) set_property(task, "gpu.priority", "high");
    if (is_masked) set_property(task, "gpu.smMask", tpc_mask(*own.mask, device(call).multiprocessors->sms_per_tpc));
    const auto is_beside = [&](const Context& other) { return other.gpu == context.gpu && &other != &context; };
    if (scenario_.by_urgency_on(context.gpu) ||
        std::none_of(scenario_.contexts.begin(), scenario_.contexts.end(), is_beside))
      return;
    set_property(task, "gpu.timeslice", fmt::format("{} ps", context.slice.picoseconds()));
    if (context.priority != ContextPriority::medium)
      set_property(task, "gpu.contextPriority", name_of(context.priority));
  }

  static void add_cost(Object& runnable, const KernelCost& cost, const DeviceProfile& profile) {
    const NamedKernel* like = base_of(profile, cost);
    const KernelCost base = like != nullptr ? like->cost : KernelCost{};
    if (like != nullptr) set_property(runnable, "gpu.like", like->name);
    if (cost.full_speed_threads != base.full_speed_threads)
      set_property(runnable, "gpu.fullSpeedThreads", cost.full_speed_threads);
    if (cost.weight_ppm != base.weight_ppm)
      set_property(runnable, "gpu.weight", fmt::format("{}", static_cast<double>(cost.weight_ppm) / 1e6));
    if (cost.dispatch != base.dispatch || cost.dispatch_beside != base.dispatch_beside)
      set_property(runnable, "gpu.dispatch", fmt::format("{} ps", cost.dispatch.picoseconds()));
  }

  void add_kernel(Object& runnable, std::size_t index, const std::string& name) {
    const StreamOperation& kernel = operation(index);
    const WrittenCall& call = calls_[index];
    set_property(runnable, "gpu.grid", kernel.blocks);
    set_property(runnable, "gpu.block", kernel.shape.threads);
    if (kernel.shape.registers > 0) set_property(runnable, "gpu.registers", kernel.shape.registers);
    if (kernel.shape.shared_memory > 0) set_property(runnable, "gpu.sharedMemory", kernel.shape.shared_memory);
    if (!kernel.cache_config.empty()) set_property(runnable, "gpu.cacheConfig", kernel.cache_config);
    if (kernel.mask)
      set_property(runnable, "gpu.smMask", tpc_mask(*kernel.mask, device(index).multiprocessors->sms_per_tpc));
    set_property(runnable, "gpu.memoryIntensity", fmt::format("{}", kernel.memory_share));
    add_cost(runnable, kernel.cost, device(index));
    Object& graph = runnable.create("activityGraph", "ActivityGraph");
    if (kernel.warps != nullptr) {
      set_property(runnable, "gpu.instructions", call.instructions);
      if (kernel.warps->policy->name.starts_with("qaws")) set_property(runnable, "gpu.budget", call.budget);
    } else {
      graph.create("items", "Ticks")
          .create("default", "DiscreteValueConstant")
          .set("value", cycles(gpus_[gpu(index)], kernel.duration));
    }
    // A label that only device tasks use is a part of the kernel: it has the size of its data, and no copy moves it.
    if (kernel.memory != nullptr) add_access(graph, name, call, kernel.memory->footprint, "read");
  }
  /// To a label of this name in a memory of its own.
  void add_access(Object& graph, const std::string& name, const WrittenCall& call, std::int64_t bytes,
                  std::string_view access) {
    Object& accessed = graph.create("items", "LabelAccess");
    accessed.add_reference("data", id(name, "Label"));
    accessed.set("access", access);
    Object& size = named(software_, "labels", "Label", name, call).create("size", "DataSize");
    size.set("value", std::to_string(bytes));
    size.set("unit", "B");
    if (!std::exchange(has_memories_, true))
      named(hardware_, "definitions", "MemoryDefinition", "Dram").set("memoryType", "DRAM");
    named(*board_, "modules", "Memory", name, call).add_reference("definition", id("Dram", "MemoryDefinition"));
    Object& mapping = mapping_.create("memoryMapping", "MemoryMapping");
    mapping.add_reference("abstractElement", id(name, "Label"));
    mapping.add_reference("memory", id(name, "Memory"));
  }

  /// Its only cache line takes as long to read as the copy does.
  void add_copy(Object& runnable, std::size_t index, const std::string& name) {
    const StreamOperation& copy = operation(index);
    const WrittenCall& call = calls_[index];
    Gpu& on = gpus_[gpu(index)];
    set_property(runnable, "gpu.copy", name_of(copy.kind));
    if (copy.pageable) set_property(runnable, "gpu.hostMemory", "pageable");
    // A latency states whole cycles, and pageable memory takes more time than that.
    if (copy.pageable || copy.duration.picoseconds() % on.cycle != 0)
      set_property(runnable, "gpu.copyTime", fmt::format("{} ps", copy.duration.picoseconds()));
    const bool writes = copy.kind == StreamOperationKind::memset;
    add_access(runnable.create("activityGraph", "ActivityGraph"), name, call, 64, writes ? "write" : "read");
    if (!std::exchange(has_copies_, true)) {
      Object& line = named(hardware_, "definitions", "CacheDefinition", "Cache").create("lineSize", "DataSize");
      line.set("value", "64");
      line.set("unit", "B");
    }
    if (!std::exchange(on.has_copies, true))
      named(*on.unit, "caches", "Cache", of_gpu("Cache", gpu(index)))
          .add_reference("definition", id("Cache", "CacheDefinition"));
    Object& way = named(*on.unit, "accessElements", "HwAccessElement", name, call);
    way.add_reference("destination", id(name, "Memory"));
    way.create(writes ? "writeLatency" : "readLatency", "DiscreteValueConstant")
        .set("value", cycles(on, copy.duration));
  }

  void add_limit(const WrittenCall& call, const std::string& name, const std::string& what, Duration time) {
    Object& requirement = named(constraints_, "requirements", "ProcessRequirement", what, call);
    requirement.add_reference("process", id(name, "Task"));
    Object& limit = requirement.create("limit", "TimeRequirementLimit");
    limit.set("limitType", "UpperLimit");
    limit.set("metric", "ResponseTime");
    set_time(limit, "limitValue", time);
  }

  std::string stimulus(std::size_t call, const std::string& name) const {
    return id(name, calls_[call].period.is_zero() ? "SingleStimulus" : "PeriodicStimulus");
  }
  void add_stimulus(std::size_t call, const std::string& name) {
    const Duration release = operation(call).release.since_start();
    const bool once = calls_[call].period.is_zero();
    Object& stimulus = named(stimuli_, "stimuli", once ? "SingleStimulus" : "PeriodicStimulus", name, calls_[call]);
    set_time(stimulus, once ? "occurrence" : "offset", release);
    if (!once) set_time(stimulus, "recurrence", calls_[call].period);
  }

  const StreamScenario& scenario_;
  const std::vector<WrittenCall>& calls_;
  std::vector<Gpu> gpus_;
  EditableModel model_;
  Object& root_ = model_.add_file("model.amxmi");
  Object& software_ = root_.create("swModel", "SWModel");
  Object& hardware_ = root_.create("hwModel", "HWModel");
  Object& os_ = root_.create("osModel", "OSModel");
  Object& stimuli_ = root_.create("stimuliModel", "StimuliModel");
  Object& constraints_ = root_.create("constraintsModel", "ConstraintsModel");
  Object& mapping_ = root_.create("mappingModel", "MappingModel");
  Object* board_ = nullptr;
  Object* driver_ = nullptr;
  bool has_memories_ = false, has_copies_ = false, has_priorities_ = false;
};

using Keys = std::span<const std::string_view>;
constexpr std::string_view settings[] = {
    "$schema",           "description", "gpus",           "name",         "platform",           "amd",
    "contexts",          "streams",     "operations",     "until",        "until_ps",           "cycle",
    "cycle_ps",          "warp_policy", "warp_pipelines", "copy_engines", "context_scheduling", "context_switch",
    "context_switch_ps", "preemption",  "interference",   "cpu_traffic",  "stream_preemption",  "stream_preemption_ps"};
constexpr std::string_view of_contexts[] = {"name",    "timeslice", "timeslice_ps", "priority",
                                            "urgency", "mps_share", "cu_mask"};
constexpr std::string_view of_streams[] = {"name",     "context",     "priority",  "sm_mask", "cu_mask",
                                           "deadline", "deadline_ps", "hsa_queue", "ace"};
constexpr std::string_view of_operations[] = {"kernel",       "copy",
                                              "kind",         "context",
                                              "stream",       "release",
                                              "period",       "duration",
                                              "blocks",       "threads",
                                              "registers",    "shared_memory",
                                              "cache_config", "memory_share",
                                              "release_ps",   "period_ps",
                                              "duration_ps",  "deadline",
                                              "deadline_ps",  "footprint",
                                              "instructions", "budget",
                                              "sm_mask",      "host_memory",
                                              "like",         "full_speed_threads",
                                              "weight",       "dispatch",
                                              "dispatch_ps"};

TextError refused(TextError where, std::string_view what) {
  where.message += fmt::format("a model cannot say {}; amalthea gpu run simulates it", what);
  return where;
}

/// What has a meaning for a simulation of the scenario and no counterpart in a model is refused, key by key: a key that
/// scenarios get later is refused until it is translated.
Error untranslated(const JsonObject& object, Keys translated) {
  for (const auto& [key, value] : object.members)
    if (std::find(translated.begin(), translated.end(), key) == translated.end())
      return refused(error_at(value, ""), fmt::format("what \"{}\" says", key));
  return std::nullopt;
}

/// What of the keys of a scenario a model cannot say.
Error unsaid(const JsonObject& root) {
  if (auto error = untranslated(root, settings)) return error;
  for (const auto& [key, value] : root.members) {
    const auto* list = std::get_if<JsonArray>(&value.value);
    if (list == nullptr) continue;
    const Keys keys = key == "contexts" ? Keys(of_contexts) : key == "streams" ? Keys(of_streams) : Keys(of_operations);
    for (const JsonValue& element : list->elements) {
      const auto& object = std::get<JsonObject>(element.value);
      if (auto error = key == "gpus" ? unsaid(object) : untranslated(object, keys)) return error;
    }
  }
  return std::nullopt;
}

/// What of times and instructions a model with this clock cannot say.
Error unsaid_of_cycles(const TextError& here, const StreamOperation& operation, const WrittenCall& call,
                       Duration cycle) {
  if (operation.warps == nullptr)
    return operation.kind != StreamOperationKind::kernel || operation.duration.picoseconds() % cycle.picoseconds() == 0
               ? std::nullopt
               : Error(refused(here, "a time that is no whole number of cycles"));
  // A model takes the longest time that letters may have, whatever the warps beside them do.
  const auto instructions = engine::nvidia::parse_block_instructions(call.instructions);
  if (instructions && std::holds_alternative<engine::nvidia::makespan::Kernel>(*instructions))
    return refused(here, "how long instructions in letters take in one run");
  return std::nullopt;
}

/// A model counts the bits of a label.
constexpr std::int64_t largest_footprint = std::int64_t{1} << 60U;

/// What of its operations a model cannot say.
Error unsaid(const StreamScenario& scenario, const std::vector<WrittenCall>& calls) {
  std::vector<Duration> clocks{cycle_of(scenario, 0)};
  for (std::size_t gpu = 1; gpu < scenario.gpus.size(); ++gpu) clocks.push_back(cycle_of(scenario, gpu));
  for (const WrittenCall& call : calls) {
    const StreamOperation& operation = scenario.operations[call.operation];
    const Stream& stream = scenario.streams[operation.stream];
    const std::size_t gpu = scenario.gpu_of(stream);
    const TextError here{call.line, call.column, {}};
    if (base_of(scenario.device_of(gpu), operation.cost) == nullptr && !is_based_on({}, operation.cost))
      return refused(here, "what its blocks cost beside their time");
    if (call.process.empty() && (stream.process > 0 || stream.process_sms > 0))
      return refused(here, "which share of MPS the process of a benchmark has");
    if (!call.period.is_zero() && call.deadline > call.period)
      return refused(here, "that the next call may come before the deadline, because a job waits for the one before");
    if (operation.memory != nullptr && operation.memory->footprint >= largest_footprint)
      return refused(here, "a footprint of 2^60 bytes or more");
    if (auto error = unsaid_of_cycles(here, operation, call, clocks[gpu])) return error;
  }
  return std::nullopt;
}

const JsonValue& cycle_in(const JsonObject& root) {
  const JsonValue* value = find_member(root, "cycle");
  return value != nullptr ? *value : *find_member(root, "cycle_ps");
}

/// A scenario of either form.
struct Read {
  StreamScenario scenario;
  std::vector<WrittenCall> calls;
  std::vector<TextError> assumptions;
  /// By GPU: properties of the figures that it states, which no profile replaces.
  std::vector<std::set<std::string_view>> stated = {};
};

std::set<std::string_view> stated_figures(const JsonObject& root) {
  std::set<std::string_view> stated;
  const auto add = [&stated](std::string_view key, std::string_view object) {
    if (key.ends_with("_ps")) key.remove_suffix(3);
    if (const ProfileSetting* setting = engine::gpu::find_setting(key, object)) stated.insert(setting->property);
  };
  for (const auto& [key, value] : root.members) {
    add(key, "");
    if (const auto* object = std::get_if<JsonObject>(&value.value))
      for (const engine::JsonMember& member : object->members) add(member.key, key);
  }
  return stated;
}

tl::expected<Read, TextError> read_scenario(std::string_view text) {
  Read read;
  auto scenario = parse_stream_scenario(text, nullptr, &read.calls);
  if (!scenario) return tl::unexpected(scenario.error());
  read.scenario = std::move(*scenario);
  const auto parsed = engine::parse_located_json(text);
  const auto& root = std::get<JsonObject>(parsed->value);
  if (auto error = unsaid(root)) return tl::unexpected(*error);
  std::vector<const JsonObject*> gpus;
  if (const JsonValue* list = find_member(root, "gpus"))
    for (const JsonValue& gpu : std::get<JsonArray>(list->value).elements)
      gpus.push_back(&std::get<JsonObject>(gpu.value));
  else
    gpus.push_back(&root);
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    read.stated.push_back(stated_figures(*gpus[gpu]));
    if (fastest_clock % cycle_of(read.scenario, gpu).picoseconds() != 0)
      return tl::unexpected(
          refused(error_at(cycle_in(*gpus[gpu]), ""), "a cycle whose frequency is no whole number of mHz"));
    const auto& operations = std::get<JsonArray>(find_member(*gpus[gpu], "operations")->value).elements;
    for (const JsonValue& value : operations) {
      const auto& operation = std::get<JsonObject>(value.value);
      if (operations.size() > 1 && find_member(operation, "kernel") != nullptr &&
          find_member(operation, "memory_share") == nullptr)
        read.assumptions.push_back(error_at(value, "the kernel states no \"memory_share\", so nothing slows it down"));
    }
  }
  return read;
}

tl::expected<Read, TextError> read_configuration(std::string_view text) {
  auto configuration = parse_examiner_scenario(text);
  if (!configuration) return tl::unexpected(configuration.error());
  Read read;
  read.stated.emplace_back();
  read.scenario = std::move(configuration->scenario);
  read.assumptions = std::move(configuration->remarks);
  for (const ExaminerBenchmark& benchmark : configuration->benchmarks) {
    const TextError here{benchmark.line, benchmark.column, {}};
    if (benchmark.loop) return tl::unexpected(refused(here, "that an iteration begins when the one before has ended"));
    bool has_kernel = false;
    for (const auto& iteration : benchmark.iterations)
      for (const std::size_t operation : iteration) {
        read.calls.push_back({operation, Duration(), here.line, here.column});
        has_kernel |= read.scenario.operations[operation].kind == StreamOperationKind::kernel;
      }
    if (has_kernel && read.scenario.operations.size() > 1)
      read.assumptions.push_back({here.line, here.column,
                                  "a benchmark does not state how much of the time of its "
                                  "kernels is bound by memory, so nothing slows them down"});
  }
  return read;
}

}  // namespace

bool is_scenario(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  const auto parsed = engine::parse_located_json(text, "comment");
  const auto* object = parsed ? std::get_if<JsonObject>(&parsed->value) : nullptr;
  return object != nullptr &&
         std::any_of(object->members.begin(), object->members.end(), [](const engine::JsonMember& member) {
           return is_list_of_calls(member.key, member.value) || is_list_of_gpus(member.key, member.value);
         });
}

tl::expected<MadeModel, TextError> model_of_scenario(std::string_view path, std::string_view text) {
  auto read = is_examiner_scenario(text) ? read_configuration(text) : read_scenario(text);
  if (!read) return tl::unexpected(read.error());
  if (auto error = unsaid(read->scenario, read->calls)) return tl::unexpected(*error);
  return MadeModel{ModelWriter(path, read->scenario, read->calls, read->stated).write(), std::move(read->assumptions)};
}

}  // namespace amalthea::scenario
