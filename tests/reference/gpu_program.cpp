// SPDX-License-Identifier: Apache-2.0
#include "reference/gpu_program.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "reference/reading_values.hpp"

namespace reference {
namespace {

constexpr std::int64_t second = 1'000'000'000'000;

/// Refuses properties other than these (S-device-3).
void only(const Properties& properties, const std::set<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : properties)
    if (known.count(key) == 0) throw Refused(where, fmt::format("{} = {}", key, value));
}

const std::set<std::string> of_kernels{"gpu.grid", "gpu.block", "gpu.registers", "gpu.sharedMemory", "gpu.cacheConfig"};

std::string value_of(const Properties& properties, const std::string& key, const std::string& otherwise = "") {
  const auto found = properties.find(key);
  return found == properties.end() ? otherwise : found->second;
}

/// 16, 16x16, 16x16x4
std::int64_t product(const std::string& text, const std::string& where) {
  std::int64_t result = 1;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    result *= whole_of(text.substr(begin, end - begin), where);
    begin = end + 1;
  }
  return result;
}

int level(const std::string& text, const std::string& where) {
  return pick<int>(where, text, "low medium high", {1, 2, 3});
}

/// Enabled SMs: a set bit disables a TPC, after ~ it enables one (S-gpu-12).
std::vector<bool> enabled(std::string text, const GpuSettings& settings, const std::string& where) {
  if (text.empty()) return {};
  const std::string whole = text;
  const bool enables = text.front() == '~';
  if (enables) text.erase(0, 1);
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || text.size() > 34)
    throw Refused(where, "gpu.smMask = " + whole);
  std::vector<bool> result;
  for (int sm = 0; sm < settings.sms; ++sm) {
    const auto bit = static_cast<std::size_t>(sm / settings.sms_per_tpc);
    bool set = false;
    if (bit / 4 < text.size() - 2) {
      const char digit = text[text.size() - 1 - bit / 4];
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) throw Refused(where, "gpu.smMask = " + whole);
      set = (std::stoi(std::string(1, digit), nullptr, 16) >> (bit % 4) & 1) != 0;
    }
    result.push_back(set == enables);
  }
  return result;
}

Index unit_of(const Model& model, Index task) {
  const auto& units = model.tasks[task].units;
  if (!model.tasks[task].device || model.tasks[task].dropped || units.empty()) return none;
  return units.front();  // S-device-1
}

/// The slice that a task states, within the limits of its scheduler; -1: none. S-gpu-5.
Time slice_of(const Model& model, Index number, const GpuSettings& settings) {
  const Task& task = model.tasks[number];
  std::vector<std::string> stated;
  const auto begins = [](std::string key, const std::string& with) {
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return key.rfind(with, 0) == 0;
  };
  for (const auto& [key, text] : task.parameters)
    if (begins(key, "timeslice")) stated.push_back(text);
  if (const std::string text = value_of(task.properties, "gpu.timeslice"); !text.empty()) stated.push_back(text);
  if (stated.size() > 1) throw Refused(task.name, "several time slices");
  Time slice = stated.empty() ? settings.slice : time_of(stated.front(), task.name);
  if (task.scheduler == none) return slice;
  for (const auto& [key, text] : model.schedulers[task.scheduler].parameters) {
    if (begins(key, "minimumtimeslice")) slice = std::max(slice, time_of(text, key));
    if (begins(key, "maximumtimeslice")) slice = std::min(slice, time_of(text, key));
  }
  return slice;
}

/// Picoseconds, to the nearest (docs/theory/scheduling.md, Time).
Time cycles(Wide count, const Unit& unit) {
  if (count == 0) return 0;
  if (unit.hertz <= 0) throw Refused(unit.name, "no frequency");
  return static_cast<Time>((count * second + unit.hertz / 2) / unit.hertz);
}

/// The copies and kernels of one runnable, in order. S-device-2 to S-device-4.
class RunnableOperations {
 public:
  RunnableOperations(const Model& model, Index task, const Runnable& runnable)
      : model_(model), task_(task), runnable_(runnable), unit_(model.units[unit_of(model, task)]) {
    if (!runnable.condition.any_of.empty()) throw Refused(runnable.name, "a condition of a device task's runnable");
    std::set<std::string> known = of_kernels;
    known.insert({"gpu.copy", "gpu.memoryIntensity", "gpu.access"});
    only(runnable.properties, known, runnable.name);
    const std::string access = value_of(runnable.properties, "gpu.access");
    if (!access.empty() && access != "zero-copy") throw Refused(runnable.name, "gpu.access = " + access);
    zero_copy_ = !access.empty();
    flatten(runnable.items);
  }

  std::vector<GpuOperation> operations() const {
    std::vector<std::size_t> kernels;
    for (std::size_t at = 0; at < items_.size(); ++at)
      if (items_[at]->kind == Item::Kind::ticks) kernels.push_back(at);
    std::vector<GpuOperation> result;
    const std::string copy = value_of(runnable_.properties, "gpu.copy");
    if (!copy.empty()) {
      if (!kernels.empty()) throw Refused(runnable_.name, "gpu.copy beside ticks");
      if (copy != "h2d" && copy != "d2h" && copy != "memset") throw Refused(runnable_.name, "gpu.copy = " + copy);
      result.push_back(copy_of(copy == "h2d"   ? GpuOperation::Kind::to_device
                               : copy == "d2h" ? GpuOperation::Kind::from_device
                                               : GpuOperation::Kind::memset,
                               items_));
      return result;
    }
    if (kernels.empty()) {
      add_copies(result, 0, items_.size(), true, true);
      return result;
    }
    add_copies(result, 0, kernels.front(), true, false);
    add_copies(result, kernels.front(), kernels.back() + 1, false, false);
    for (const std::size_t at : kernels) result.push_back(kernel(*items_[at]));
    add_copies(result, kernels.back() + 1, items_.size(), false, true);
    return result;
  }

 private:
  void flatten(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.kind == Item::Kind::group && item.ordered && item.interruptible)
        flatten(item.items);
      else if (item.kind == Item::Kind::ticks || item.kind == Item::Kind::label)
        items_.push_back(&item);
      else
        throw Refused(runnable_.name, "an activity that device tasks do not have");
    }
  }

  /// The accesses in [begin, end): a copy to the device of what reads host labels and writes device labels, a copy from
  /// it of the others. Accesses to device labels alone belong to the kernel. S-device-2.
  void add_copies(std::vector<GpuOperation>& result, std::size_t begin, std::size_t end, bool to, bool from) const {
    if (zero_copy_) return;
    std::vector<const Item*> in, out;
    bool host_read = false, host_write = false;
    for (std::size_t at = begin; at < end; ++at) {
      if (items_[at]->kind != Item::Kind::label) continue;
      const bool of_host = model_.labels[items_[at]->target].host, write = items_[at]->write;
      (of_host != write ? in : out).push_back(items_[at]);
      (write ? host_write : host_read) |= of_host;
    }
    if ((host_read && !to) || (host_write && !from))
      throw Refused(runnable_.name, "accesses to host labels on the wrong side of the kernel, or between two");
    // A runnable that copies in one direction only has all its accesses in that copy.
    if (host_read && !host_write) in.insert(in.end(), out.begin(), out.end());
    if (host_write && !host_read) out.insert(out.end(), in.begin(), in.end());
    const auto host = [this](const Item* access) { return model_.labels[access->target].host; };
    if (host_read && host_write && std::all_of(in.begin(), in.end(), host) && std::all_of(out.begin(), out.end(), host))
      throw Refused(runnable_.name, "a copy between host labels");
    if (host_read) result.push_back(copy_of(GpuOperation::Kind::to_device, in));
    if (host_write) result.push_back(copy_of(GpuOperation::Kind::from_device, out));
  }

  /// Every line that is read or written takes the latency of the GPU, at least its bytes at its data rate. S-device-4.
  GpuOperation copy_of(GpuOperation::Kind kind, const std::vector<const Item*>& accesses) const {
    GpuOperation result;
    result.kind = kind;
    result.task = task_;
    // Both sides move the bytes of the larger one: the largest label of the other side, the first of equals, stands for
    // what that side lacks.
    std::int64_t moved[2] = {0, 0};
    const Item* largest[2] = {nullptr, nullptr};
    for (const Item* access : accesses) {
      const std::int64_t bytes = model_.labels[access->target].bytes;
      moved[access->write] += bytes;
      const Item*& most = largest[access->write];
      if (most == nullptr || bytes > model_.labels[most->target].bytes) most = access;
    }
    for (const Item* access : accesses) {
      Label label = model_.labels[access->target];
      if (access == largest[access->write])
        label.bytes += std::max<std::int64_t>(0, moved[!access->write] - moved[access->write]);
      if (label.memory == none || label.memory >= unit_.access.size() || !unit_.access[label.memory].stated) continue;
      const Access& way = unit_.access[label.memory];
      const Range& latency = access->write ? way.write : way.read;
      const std::int64_t lines = (label.bytes + model_.line_bytes - 1) / model_.line_bytes;
      const auto rate = way.bytes_per_second;
      const Time rated = rate > 0 ? static_cast<Time>((static_cast<Wide>(label.bytes) * second + rate / 2) / rate) : 0;
      result.least += access->accesses.least * std::max(rated, cycles(static_cast<Wide>(lines) * latency.least, unit_));
      result.most += access->accesses.most * std::max(rated, cycles(static_cast<Wide>(lines) * latency.most, unit_));
    }
    return result;
  }

  GpuOperation kernel(const Item& item) const {
    GpuOperation result;
    result.task = task_;
    const Ticks& ticks = item.ticks;
    const Range* found = nullptr;
    for (const auto& [definition, range] : ticks.of)
      if (definition == unit_.definition || (definition == none && found == nullptr)) found = &range;
    if (found == nullptr) throw Refused(runnable_.name, "no ticks for " + unit_.name);
    result.least = cycles(found->least, unit_);
    result.most = cycles(found->most, unit_);
    if (const std::string share = value_of(runnable_.properties, "gpu.memoryIntensity"); !share.empty()) {
      char* rest = nullptr;
      const double thousandths = 1000 * std::strtod(share.c_str(), &rest);
      result.memory = static_cast<std::int64_t>(std::lround(thousandths));
      if (*rest != '\0' || std::abs(thousandths - static_cast<double>(result.memory)) > 1e-6 || result.memory < 0 ||
          result.memory > 1000)
        throw Refused(runnable_.name, "gpu.memoryIntensity = " + share);
    }
    // S-device-3: a property of the runnable, else of its task.
    const Properties& task = model_.tasks[task_].properties;
    const auto stated = [&](const std::string& key) {
      return value_of(runnable_.properties, key, value_of(task, key));
    };
    if (stated("gpu.block").empty()) {
      for (const std::string& key : of_kernels)
        if (!stated(key).empty()) throw Refused(runnable_.name, key + " without gpu.block");
      if (!value_of(task, "gpu.smMask").empty()) throw Refused(runnable_.name, "gpu.smMask without gpu.block");
      return result;
    }
    // The measured law applies to kernels with a launch (docs/theory/contention.md); this reading has factors only.
    if (zero_copy_) throw Refused(runnable_.name, "gpu.access beside gpu.block");
    const auto number = [&](const std::string& key, std::int64_t otherwise) {
      return stated(key).empty() ? otherwise : product(stated(key), runnable_.name);
    };
    Launch launch;
    launch.blocks = number("gpu.grid", 1);
    launch.threads = static_cast<int>(number("gpu.block", 1));
    launch.registers = number("gpu.registers", 0);
    launch.shared_memory = number("gpu.sharedMemory", 0);
    launch.cache = stated("gpu.cacheConfig");
    result.launch.push_back(launch);
    return result;
  }

  const Model& model_;
  Index task_;
  const Runnable& runnable_;
  const Unit& unit_;
  bool zero_copy_ = false;
  std::vector<const Item*> items_;  ///< ticks and accesses
};

/// S-device-5
void add_steps(const Model& model, Index task, const std::vector<Item>& items, std::vector<DeviceStep>& steps) {
  for (const Item& item : items) {
    switch (item.kind) {
      case Item::Kind::call: {
        if (item.accesses.least != item.accesses.most)
          throw Refused(model.tasks[task].name, "a varying number of calls");
        const Runnable& runnable = model.runnables[item.target];
        const std::vector<GpuOperation> operations = RunnableOperations(model, task, runnable).operations();
        for (std::int64_t call = 0; call < item.accesses.least; ++call)
          for (const GpuOperation& operation : operations) steps.push_back({true, operation, runnable.name, nullptr});
        break;
      }
      case Item::Kind::group:
        if (!item.ordered || !item.interruptible) throw Refused(model.tasks[task].name, "a group in a device task");
        add_steps(model, task, item.items, steps);
        break;
      case Item::Kind::set:
      case Item::Kind::clear:
      case Item::Kind::trigger:
      case Item::Kind::custom_event:
        if (item.counter.stated) throw Refused(model.tasks[task].name, "a counter in a device task");
        steps.push_back({false, {}, {}, &item});
        break;
      default:
        throw Refused(model.tasks[task].name, "an activity that device tasks do not have");
    }
  }
}

}  // namespace

std::vector<DeviceStep> device_program(const Model& model, Index task) {
  if (unit_of(model, task) == none) throw Refused(model.tasks[task].name, "not a task on a GPU");
  std::vector<DeviceStep> steps;
  add_steps(model, task, model.tasks[task].items, steps);
  return steps;
}

bool shares_memory(const Model& model, Index gpu, Index memory) {
  const std::vector<Access>& access = model.units[gpu].access;
  if (std::none_of(access.begin(), access.end(), [](const Access& way) { return way.stated; })) return true;
  return memory < access.size() && access[memory].stated;
}

std::vector<Device> devices(const Model& model, Behaviour& behaviour, const RunOptions& options) {
  std::vector<Device> result;
  for (Index unit = 0; unit < model.units.size(); ++unit) {
    std::vector<Index> tasks;
    for (Index task = 0; task < model.tasks.size(); ++task)
      if (unit_of(model, task) == unit) tasks.push_back(task);
    if (tasks.empty()) continue;
    const Unit& of = model.units[unit];
    only(of.properties, {"gpu.platform", "gpu.contextScheduling"}, of.name);
    if (value_of(of.properties, "gpu.platform") == "radeon-vii") throw Refused(of.name, "an AMD GPU");
    const std::string scheduling = value_of(of.properties, "gpu.contextScheduling", "timeslice");
    if (scheduling != "timeslice" && scheduling != "priority")
      throw Refused(of.name, "gpu.contextScheduling = " + scheduling);
    const bool by_priority = scheduling == "priority";
    const auto own = options.gpus.find(of.name);
    const GpuSettings& settings = own == options.gpus.end() ? options.gpu : own->second;

    Device& device = result.emplace_back();
    device.unit = unit;
    device.gpu = std::make_unique<Gpu>(unit, settings, by_priority, behaviour);
    device.stream.assign(model.tasks.size(), none);
    // S-gpu-2: by name; without one every task has its own context and stream. Names of tasks begin with a blank here.
    std::vector<std::pair<std::string, std::vector<Index>>> contexts;
    for (const Index number : tasks) {
      const Task& task = model.tasks[number];
      std::set<std::string> known = of_kernels;
      known.insert({"gpu.timeslice", "gpu.context", "gpu.contextPriority", "gpu.stream", "gpu.priority", "gpu.smMask"});
      only(task.properties, known, task.name);
      const std::string name = value_of(task.properties, "gpu.context", " " + task.name);
      auto found = std::find_if(contexts.begin(), contexts.end(), [&](const auto& each) { return each.first == name; });
      if (found == contexts.end()) found = contexts.insert(contexts.end(), {name, {}});
      found->second.push_back(number);
    }
    for (const auto& [name, members] : contexts) {
      const auto property = [&](Index task, const std::string& key, const std::string& otherwise) {
        return value_of(model.tasks[task].properties, key, otherwise);
      };
      GpuContext context;
      context.shared = members.size() > 1;
      context.slots = level(property(members.front(), "gpu.contextPriority", "medium"), name);
      for (const Index task : members) {
        context.slice = std::max(context.slice, slice_of(model, task, settings));
        if (level(property(task, "gpu.contextPriority", "medium"), name) != context.slots)
          throw Refused("context " + name, "tasks of different gpu.contextPriority");
      }
      if (by_priority) {  // S-gpu-9
        if (context.shared) throw Refused("context " + name, "several tasks under contexts by priority");
        if (model.tasks[members.front()].parameters.count("priority") == 0)
          throw Refused("context " + name, "no priority");
        context.urgency = model.tasks[members.front()].priority;
      }
      const std::uint32_t number = device.gpu->add_context(context);
      std::map<std::string, std::uint32_t> streams;
      std::map<std::string, std::pair<std::string, std::string>> described;
      for (const Index task : members) {
        const std::string stream = property(task, "gpu.stream", " " + model.tasks[task].name);
        const std::pair<std::string, std::string> what{property(task, "gpu.priority", "low"),
                                                       property(task, "gpu.smMask", "")};
        if (streams.count(stream) == 0) {
          if (what.first != "low" && what.first != "high")
            throw Refused(model.tasks[task].name, "gpu.priority = " + what.first);
          described[stream] = what;
          streams[stream] = device.gpu->add_stream(number, what.first == "high",
                                                   enabled(what.second, settings, model.tasks[task].name));
        }
        if (described[stream] != what) throw Refused("stream " + stream, "tasks of different priority or mask");
        device.stream[task] = streams[stream];
      }
    }
  }
  return result;
}

}  // namespace reference
