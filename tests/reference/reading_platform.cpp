// SPDX-License-Identifier: Apache-2.0
/// Hardware, operating systems, and the mapping to them.
#include "reference/reading.hpp"

#include <cmath>
#include <cstdlib>

#include "reference/gpu_program.hpp"

namespace reference {

namespace {

using Algorithm = Scheduler::Algorithm;
using Parameters = std::map<std::string, std::string>;

Time time_in(const Parameters& parameters, std::initializer_list<const char*> names) {
  for (const auto* name : names) {
    const auto found = parameters.find(name);
    if (found != parameters.end()) return reference::time_of(found->second, name);
  }
  return 0;
}

std::int64_t number_in(const Parameters& parameters, const char* name, const std::string& where) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return 0;
  char* end = nullptr;
  const auto value = std::strtoll(found->second.c_str(), &end, 10);
  if (found->second.empty() || *end != '\0') throw Refused(where, std::string(name) + " is no whole number");
  return value;
}

}  // namespace

std::int64_t Reader::hertz(const Node& module) const {
  const auto index = refer(module, "frequencyDomain");
  if (index == none) return 0;
  const auto node = domain_nodes_[index].child("defaultValue");
  if (!node) return 0;
  const auto unit = pick<double>(node, node.attribute("unit").value(), "Hz kHz MHz GHz", {1, 1e3, 1e6, 1e9});
  const auto value = real(node, "value", 0) * unit;
  if (value < 0 || std::abs(value - std::round(value)) > 1e-3)
    throw Refused(at(node), "a frequency that is no whole number of Hertz");
  return std::llround(value);
}

void Reader::hardware() {
  std::int64_t line = 0;
  for (const auto& node : definition_nodes_) {
    const auto size = bytes_of(node.child("lineSize"));
    if (size == 0) continue;
    if (line != 0 && line != size) throw Refused(at(node), "caches with different lines");
    line = size;
  }
  if (line != 0) model_.line_bytes = line;
  for (std::size_t i = 0; i < model_.units.size(); ++i) {
    auto& unit = model_.units[i];
    const auto& node = unit_nodes_[i];
    unit.definition = refer(node, "definition");
    unit.hertz = hertz(node);
    unit.properties = properties(node, "platform warpPolicy warpPipelines contextScheduling");
    if (unit.definition != none) {
      unit.gpu = std::string(definition_nodes_[unit.definition].attribute("puType").value()) == "GPU";
    }
    accesses(node, unit);
  }
}

void Reader::accesses(const Node& node, Unit& unit) const {
  unit.access.resize(model_.memories.size());
  for (const auto& element : node.children("accessElements")) {
    if (!refers_to(element, "destination", "Memory")) continue;
    const auto memory = refer(element, "destination");
    auto& access = unit.access[memory];
    if (access.stated) throw Refused(at(element), "a second way to the same memory");
    access.stated = true;
    access.bytes_per_second = bytes_of(element.child("dataRate"));
    const auto memory_definition = refer(memory_nodes_[memory], "definition");
    for (const bool write : {false, true}) {
      auto latency = element.child(write ? "writeLatency" : "readLatency");
      if (!latency && memory_definition != none) {
        latency = definition_nodes_[memory_definition].child("accessLatency");
        if (latency && hertz(memory_nodes_[memory]) != unit.hertz)
          throw Refused(at(element), "latency of a memory with another clock");
      }
      if (latency) (write ? access.write : access.read) = range_of(latency);
    }
  }
}

Overhead Reader::overhead_of(const Node& node) const {
  Overhead overhead;
  const auto api = node.child("apiOverhead");
  const std::pair<const char*, Ticks*> calls[] = {{"apiTerminateTask", &overhead.terminate},
                                                  {"apiSchedule", &overhead.schedule},
                                                  {"apiRequestResource", &overhead.request},
                                                  {"apiReleaseResource", &overhead.release},
                                                  {"apiSetEvent", &overhead.set},
                                                  {"apiWaitEvent", &overhead.wait},
                                                  {"apiClearEvent", &overhead.clear},
                                                  {"apiActivateTask", &overhead.activate},
                                                  {"apiRequestSpinlock", &overhead.request_spinlock},
                                                  {"apiReleaseSpinlock", &overhead.release_spinlock}};
  for (const auto& [name, ticks] : calls) *ticks = ticks_of(api.child(name));
  for (const std::size_t category : {0u, 1u}) {
    const auto isr = node.child(category == 0 ? "isrCategory1Overhead" : "isrCategory2Overhead");
    overhead.before[category] = ticks_of(isr.child("preExecutionOverhead"));
    overhead.after[category] = ticks_of(isr.child("postExecutionOverhead"));
  }
  return overhead;
}

void Reader::parameters(const Node& node, Parameters& into) const {
  for (const auto& entry : node.children("schedulingParameters")) {
    into[parameters_[refer(entry, "key", true)]] = value_of(entry.child("value"));
  }
}

void Reader::operating_systems(const Node& os) {
  std::size_t number = 0;
  for (const auto& node : os.children("semaphores")) {
    auto& semaphore = model_.semaphores[number++];
    semaphore.users = whole(node, "initialValue", 0);
    semaphore.most = whole(node, "maxValue", 1);
    semaphore.ceiling = truth(node, "priorityCeilingProtocol", false);
    semaphore.spin = std::string(node.attribute("semaphoreType").value()) == "Spinlock";
    if (semaphore.users > semaphore.most || semaphore.most < 1) throw Refused(at(node), "more users than allowed");
  }
  std::vector<Node> overheads, definitions, defaults;
  for (const auto& node : os.children("osOverheads")) overheads.push_back(node);
  for (const auto& node : os.children("schedulerDefinitions")) definitions.push_back(node);
  for (const auto& node : os.children("schedulingParameterDefinitions")) defaults.push_back(node);
  number = 0;
  for (const auto& system : os.children("operatingSystems")) {
    const auto overhead = refer(system, "overhead");
    for (const char* list : {"taskSchedulers", "interruptControllers"}) {
      for (const auto& node : system.children(list)) {
        auto& one = model_.schedulers[number++];
        if (overhead != none) one.overhead = overhead_of(overheads[overhead]);
        if (std::string(list) == "interruptControllers") one.algorithm = Algorithm::interrupts;
        const auto definition = refer(node, "definition");
        if (definition != none) {
          for (const auto parameter : refer_all(definitions[definition], "algorithmParameters")) {
            if (const auto value = defaults[parameter].child("defaultValue"))
              one.parameters[parameters_[parameter]] = value_of(value);
          }
        }
        algorithm_names_.push_back(definition == none ? "" : definitions_[definition]);
        scheduler(node, one);
      }
    }
  }
}

void Reader::scheduler(const Node& node, Scheduler& one) const {
  parameters(node, one.parameters);
  if (one.parameters.count("priority") > 0) throw Refused(at(node), "a priority beside the association");
  if (const auto association = node.child("parentAssociation")) {
    one.parent = refer(association, "parent", true);
    parameters(association, one.parameters);
  }
  one.priority = number_in(one.parameters, "priority", at(node));
  one.budget = time_in(one.parameters, {"maxBudget", "capacity", "budget", "minBudget"});
  one.period = time_in(one.parameters, {"replenishment", "period"});
  one.slice = time_in(one.parameters, {"timeSliceLength", "timeSlice", "quantSize"});
}

/// S-cores-1: the algorithm of a scheduler follows from the name of its definition, unless all its units are GPUs.
void Reader::algorithms() {
  using A = Algorithm;
  for (std::size_t i = 0; i < model_.schedulers.size(); ++i) {
    auto& one = model_.schedulers[i];
    if (one.algorithm == A::interrupts) continue;
    std::string name;
    for (const char c : algorithm_names_[i]) {
      if (std::isalnum(static_cast<unsigned char>(c))) name += static_cast<char>(std::tolower(c));
    }
    one.osek = name == "osek";
    if (name.empty() || name == "fpp" || name == "prioritybased" || one.osek) name = "fixedprioritypreemptive";
    const auto gpu = [&](Index unit) { return model_.units[unit].gpu; };
    if (!one.units.empty() && std::all_of(one.units.begin(), one.units.end(), gpu)) {
      one.algorithm = A::gpu;
      continue;
    }
    one.algorithm =
        pick<A>(Node(), name,
                "fixedprioritypreemptive ratemonotonic deadlinemonotonic earliestdeadlinefirst prioritybasedroundrobin "
                "grouping pollingperiodicserver deferrableserver constantbandwidthserver");
    if ((is_server(one.algorithm) && (one.budget <= 0 || one.period < one.budget)) ||
        (one.algorithm == A::grouping && one.parent == none))
      throw Refused(one.name, "budget, period or parent");
  }
}

void Reader::allocation(const Node& node, bool isr) {
  auto& task = model_.tasks[refer(node, isr ? "isr" : "task", true)];
  if (task.scheduler != none) throw Refused(at(node), "a second allocation of " + task.name);
  task.scheduler = refer(node, isr ? "controller" : "scheduler", true);
  parameters(node, task.parameters);
  task.priority_stated = isr ? bool(node.attribute("priority")) : task.parameters.count("priority") > 0;
  task.priority = isr ? whole(node, "priority", 0) : number_in(task.parameters, "priority", at(node));
  task.units = isr ? std::vector<Index>{} : refer_all(node, "affinity");
  const auto& all = model_.schedulers[task.scheduler].units;
  if (task.units.empty()) task.units = all;
  for (const auto unit : task.units) {
    if (std::find(all.begin(), all.end(), unit) == all.end())
      throw Refused(at(node), "affinity to a unit that the scheduler does not have");
  }
  if (task.units.empty()) throw Refused(at(node), "no unit");
  task.device = model_.units[task.units.front()].gpu;
  if (task.device) task.units.resize(1);
  for (const auto unit : task.units) {
    if (model_.units[unit].gpu != task.device) throw Refused(at(node), "GPU and CPU");
    if (model_.units[unit].hertz <= 0) throw Refused(at(node), "a unit without clock");
  }
}

void Reader::mapping(const Node& map) {
  for (const auto& node : map.children("schedulerAllocation")) {
    auto& units = model_.schedulers[refer(node, "scheduler", true)].units;
    for (const auto unit : refer_all(node, "responsibility")) units.push_back(unit);
  }
  for (std::size_t rounds = 0; rounds < model_.schedulers.size(); ++rounds) {
    for (auto& scheduler : model_.schedulers) {
      if (scheduler.units.empty() && scheduler.parent != none)
        scheduler.units = model_.schedulers[scheduler.parent].units;
    }
  }
  algorithms();
  for (const char* list : {"taskAllocation", "isrAllocation"}) {
    for (const auto& node : map.children(list)) allocation(node, std::string(list) == "isrAllocation");
  }
  for (const auto& node : map.children("memoryMapping")) {
    if (refers_to(node, "abstractElement", "Label"))
      model_.labels[refer(node, "abstractElement")].memory = refer(node, "memory", true);
  }
  for (const auto& node : map.children("physicalSectionMapping")) {
    for (const auto section : refer_all(node, "origin")) {
      for (auto& label : model_.labels) {
        if (label.section == section && label.memory == none) label.memory = refer(node, "memory", true);
      }
    }
    for (const auto label : refer_all(node, "labels")) model_.labels[label].memory = refer(node, "memory", true);
  }
}

}  // namespace reference
