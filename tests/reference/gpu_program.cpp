// SPDX-License-Identifier: Apache-2.0
#include "reference/gpu_program.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "reference/program.hpp"
#include "reference/reading_values.hpp"

namespace reference {
namespace {

const std::set<std::string> of_kernels{"gpu.grid", "gpu.block", "gpu.registers", "gpu.sharedMemory", "gpu.cacheConfig"};

/// Refuses properties that the reader knows and this reading does not (S-device-3).
void refuse(const Properties& properties, std::initializer_list<const char*> keys, const std::string& where) {
  for (const char* key : keys)
    if (properties.count(key) > 0) throw Refused(where, fmt::format("{} = {}", key, properties.at(key)));
}

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

/// Enabled SMs: a set bit disables a TPC, after ~ it enables one (S-gpu-12).
std::vector<bool> enabled(const std::string& mask, const GpuSettings& settings, const std::string& where) {
  std::vector<bool> result;
  if (mask.empty()) return result;
  const std::size_t begin = mask.front() == '~' ? 1 : 0;
  const std::string digits = mask.size() > begin + 2 ? mask.substr(begin + 2) : "";
  if (mask.compare(begin, 2, "0x") != 0 || digits.empty() || digits.size() > 32 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    throw Refused(where, "gpu.smMask = " + mask);
  for (int sm = 0; sm < settings.sms; ++sm) {
    const auto bit = static_cast<std::size_t>(sm / settings.sms_per_tpc), place = bit / 4;
    const int digit = place < digits.size() ? std::stoi(digits.substr(digits.size() - 1 - place, 1), nullptr, 16) : 0;
    result.push_back((digit >> bit % 4 & 1) == static_cast<int>(begin));
  }
  return result;
}

Index unit_of(const Model& model, Index task) {
  const Task& of = model.tasks[task];
  return of.device && !of.dropped && !of.units.empty() ? of.units.front() : none;  // S-device-1
}

/// The slice that a task states, within the limits of its scheduler; -1: none. S-gpu-5.
Time slice_of(const Model& model, Index number, const GpuSettings& settings) {
  const Task& task = model.tasks[number];
  std::vector<std::string> stated;
  const auto begins = [](std::string key, const std::string& with) {
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
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

/// The copies and kernels of one runnable, in order. S-device-2 to S-device-4.
class RunnableOperations {
 public:
  RunnableOperations(const Model& model, Index task, const Runnable& runnable)
      : model_(model), task_(task), runnable_(runnable), unit_(model.units[unit_of(model, task)]) {
    if (!runnable.condition.any_of.empty()) throw Refused(runnable.name, "a condition of a device task's runnable");
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
      using K = GpuOperation::Kind;
      const auto kind = pick<K>(runnable_.name, copy, "h2d d2h memset", {K::to_device, K::from_device, K::memset});
      return {copy_of(kind, items_)};
    }
    if (!value_of(runnable_.properties, "gpu.instructions").empty()) {
      if (!items_.empty()) throw Refused(runnable_.name, "gpu.instructions beside ticks or accesses");
      return {kernel(nullptr)};
    }
    if (kernels.empty()) {
      add_copies(result, 0, items_.size(), true, true);
      return result;
    }
    add_copies(result, 0, kernels.front(), true, false);
    add_copies(result, kernels.front(), kernels.back() + 1, false, false);
    for (const std::size_t at : kernels) result.push_back(kernel(items_[at]));
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
      const auto time = access_cost(model_, unit_, label, access->write).time();
      result.least += access->accesses.least * time.least;
      result.most += access->accesses.most * time.most;
    }
    return result;
  }

  /// "5L 9C" is LLLLLCCCCCCCCC (S-gpu-16).
  std::string instructions() const {
    std::istringstream text(value_of(runnable_.properties, "gpu.instructions"));
    std::string all;
    for (std::string each; text >> each;) {
      const std::string count = each.substr(0, each.size() - 1);
      if (each.find_last_of("LCSD") != count.size() || value_of(runnable_.properties, "gpu.budget", "1") != "1")
        throw Refused(runnable_.name, "gpu.instructions: " + each);
      all.append(static_cast<std::size_t>(whole_of(count.empty() ? "1" : count, runnable_.name)), each.back());
    }
    return all;
  }

  /// \param item  its ticks; null: it has instructions
  GpuOperation kernel(const Item* item) const {
    GpuOperation result;
    result.task = task_;
    if (item == nullptr) {
      result.instructions = instructions();
      result.least = result.most = duration(1, unit_.hertz);  // of a cycle
    } else {
      const Range& ticks = ticks_on(item->ticks, unit_, runnable_.name);
      result.least = duration(ticks.least, unit_.hertz);
      result.most = duration(ticks.most, unit_.hertz);
    }
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
      if (item == nullptr) throw Refused(runnable_.name, "gpu.instructions without gpu.block");
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
    result.launch = {{number("gpu.grid", 1), static_cast<int>(number("gpu.block", 1)), number("gpu.registers", 0),
                      number("gpu.sharedMemory", 0), stated("gpu.cacheConfig")}};
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
    refuse(of.properties, {"gpu.warpPolicy", "gpu.warpPipelines"}, of.name);
    if (value_of(of.properties, "gpu.platform") == "radeon-vii") throw Refused(of.name, "an AMD GPU");
    const bool by_priority = pick<bool>(of.name, value_of(of.properties, "gpu.contextScheduling"),
                                        "- timeslice priority", {false, false, true});
    Device& device = result.emplace_back();
    device.unit = unit;
    device.gpu = std::make_unique<Gpu>(unit, options.gpu, by_priority, behaviour);
    device.stream.assign(model.tasks.size(), none);
    // S-gpu-2: by name; without one every task has its own context and stream. Names of tasks begin with a blank here.
    std::map<std::string, std::uint32_t> contexts;
    std::vector<GpuContext> of_contexts;
    const auto name_of = [&](Index task, const char* key) {
      return value_of(model.tasks[task].properties, key, " " + model.tasks[task].name);
    };
    for (const Index number : tasks) {
      const Task& task = model.tasks[number];
      refuse(task.properties, {"gpu.budget", "gpu.cuMask", "gpu.mpsShare"}, task.name);
      const int slots =
          pick<int>(task.name, value_of(task.properties, "gpu.contextPriority"), "- low medium high", {2, 1, 2, 3});
      const auto place = static_cast<std::uint32_t>(of_contexts.size());
      const auto [context, added] = contexts.emplace(name_of(number, "gpu.context"), place);
      if (added) of_contexts.push_back({-1, slots, task.priority, false});
      GpuContext& one = of_contexts[context->second];
      one.slice = std::max(one.slice, slice_of(model, number, options.gpu));
      one.shared = !added;
      if (one.slots != slots) throw Refused("context " + context->first, "tasks of different gpu.contextPriority");
      if (!by_priority) continue;  // S-gpu-9
      if (!added) throw Refused("context " + context->first, "several tasks under contexts by priority");
      if (task.parameters.count("priority") == 0) throw Refused("context " + context->first, "no priority");
    }
    for (const GpuContext& context : of_contexts) device.gpu->add_context(context);
    std::map<std::pair<std::uint32_t, std::string>, Index> streams;  // by context and name: its first task
    for (const Index number : tasks) {
      const Task& task = model.tasks[number];
      const std::string priority = value_of(task.properties, "gpu.priority", "low");
      const std::string mask = value_of(task.properties, "gpu.smMask");
      const std::uint32_t context = contexts[name_of(number, "gpu.context")];
      const bool null =
          pick<bool>(task.name, value_of(task.properties, "gpu.nullStream"), "- false true", {false, false, true});
      if (null && task.properties.count("gpu.stream") > 0) throw Refused(task.name, "gpu.stream and gpu.nullStream");
      const auto [stream, added] =
          streams.emplace(std::pair{context, null ? "" : name_of(number, "gpu.stream")}, number);
      const Task& first = model.tasks[stream->second];
      if (priority != value_of(first.properties, "gpu.priority", "low") ||
          mask != value_of(first.properties, "gpu.smMask"))
        throw Refused("stream " + stream->first.second, "tasks of different priority or mask");
      device.stream[number] =
          added ? device.gpu->add_stream(context, pick<bool>(task.name, priority, "low high", {false, true}),
                                         enabled(mask, options.gpu, task.name), null)
                : device.stream[stream->second];
    }
  }
  return result;
}

}  // namespace reference
