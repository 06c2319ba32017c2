// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Hardware, operating systems, and the mapping to them.

#include "reference/reading_software.hpp"

namespace reference {

class Platform : protected Software {
 protected:
  using Software::Software;

  void platform(const Node& root) {
    for (const auto& node : nodes("definitions")) {
      const auto size = bytes_of(node.child("lineSize"));
      if (size != 0 && lines_stated_ && size != model_.line_bytes)
        throw Refused(at(node), "caches with different lines");
      lines_stated_ = lines_stated_ || size != 0;
      if (size != 0) model_.line_bytes = size;
    }
    read_all("units", model_.units, [&](const Node& node, Unit& unit) {
      unit.definition = refer(node, "definition");
      unit.hertz = hertz(node);
      unit.properties = properties(node, "platform warpPolicy warpPipelines contextScheduling");
      unit.gpu = unit.definition != none && text_of(nodes("definitions")[unit.definition], "puType") == "GPU";
      accesses(node, unit);
    });
    read_all("semaphores", model_.semaphores, [&](const Node& node, Semaphore& semaphore) {
      semaphore.users = whole(node, "initialValue", 0);
      semaphore.most = whole(node, "maxValue", 1);
      semaphore.ceiling = truth(node, "priorityCeilingProtocol", false);
      semaphore.spin = text_of(node, "semaphoreType") == "Spinlock";
      if (semaphore.users > semaphore.most || semaphore.most < 1) throw Refused(at(node), "more users than allowed");
    });
    if (nodes("OS events").size() > 64) throw Refused("events", "more than 64");
    read_all("schedulers", model_.schedulers, [&](const Node& node, Scheduler& one) { scheduler(node, one); });
    mapping(root.child("mappingModel"));
  }

 private:
  std::int64_t hertz(const Node& module) const {
    const auto index = refer(module, "frequencyDomain");
    const auto node = index == none ? Node() : nodes("domains")[index].child("defaultValue");
    if (!node) return 0;
    const auto value =
        real(node, "value", 0) * pick<double>(at(node), text_of(node, "unit"), "Hz kHz MHz GHz", {1, 1e3, 1e6, 1e9});
    if (value < 0 || std::abs(value - std::round(value)) > 1e-3)
      throw Refused(at(node), "a frequency that is no whole number of Hertz");
    return std::llround(value);
  }

  void accesses(const Node& node, Unit& unit) const {
    unit.access.resize(nodes("memories").size());
    for (const auto& element : node.children("accessElements")) {
      if (!refers_to(element, "destination", "Memory")) continue;
      const auto& memory = nodes("memories")[refer(element, "destination")];
      auto& access = unit.access[refer(element, "destination")];
      if (std::exchange(access.stated, true)) throw Refused(at(element), "a second way to the same memory");
      const auto index = refer(memory, "definition");
      const auto definition = index == none ? Node() : nodes("definitions")[index];
      const auto own = definition.child("accessLatency");
      const auto rate = bytes_of(definition.child("dataRate")), on_the_way = bytes_of(element.child("dataRate"));
      access.bytes_per_second = rate != 0 && (on_the_way == 0 || rate < on_the_way) ? rate : on_the_way;
      for (const bool write : {false, true}) {
        const auto stated = element.child(write ? "writeLatency" : "readLatency");
        if (!stated && own && hertz(memory) != unit.hertz)
          throw Refused(at(element), "latency of a memory with another clock");
        if (stated || own) (write ? access.write : access.read) = range_of(stated ? stated : own);
      }
    }
  }

  void parameters(const Node& node, Properties& into) const {
    for (const auto& entry : node.children("schedulingParameters"))
      into[name("parameters", refer(entry, "key", true))] = value_of(entry.child("value"));
  }
  void defaults(Index definition, const char* feature, Properties& into) const {
    for (const auto parameter :
         definition == none ? std::vector<Index>() : refer_all(nodes("algorithms")[definition], feature))
      if (const auto value = nodes("parameters")[parameter].child("defaultValue"))
        into[name("parameters", parameter)] = value_of(value);
  }
  static std::int64_t priority_of(const Properties& parameters, const Node& node) {
    const auto found = parameters.find("priority");
    return found == parameters.end() ? 0 : whole_of(found->second, at(node));
  }
  static Time time_in(const Properties& parameters, std::initializer_list<const char*> names) {
    for (const auto* name : names) {
      const auto found = parameters.find(name);
      if (found != parameters.end()) return time_of(found->second, name);
    }
    return 0;
  }

  void scheduler(const Node& node, Scheduler& one) const {
    const auto overhead = refer(node.parent(), "overhead"), definition = refer(node, "definition");
    if (overhead != none)
      for (const auto& kind : nodes("overheads")[overhead].children()) {
        const auto of = std::string(kind.name()) == "apiOverhead" ? "" : std::string(kind.name()) + " ";
        for (const auto& call : kind.children()) one.overhead[of + call.name()] = ticks_of(call);
      }
    defaults(definition, "algorithmParameters", one.parameters);
    parameters(node, one.parameters);
    if (one.parameters.count("priority") > 0) throw Refused(at(node), "a priority beside the association");
    if (const auto association = node.child("parentAssociation")) {
      one.parent = refer(association, "parent", true);
      parameters(association, one.parameters);
    }
    one.priority = priority_of(one.parameters, node);
    one.budget = time_in(one.parameters, {"maxBudget", "capacity", "budget", "minBudget"});
    one.period = time_in(one.parameters, {"replenishment", "period"});
    one.slice = time_in(one.parameters, {"timeSliceLength", "timeSlice", "quantSize"});
  }

  /// S-cores-1: the algorithm of a scheduler follows from the name of its definition, unless all its units are GPUs.
  void algorithm(const Node& node, Scheduler& one) const {
    using A = Scheduler::Algorithm;
    const auto gpu = [&](Index unit) { return model_.units[unit].gpu; };
    const auto definition = refer(node, "definition");
    std::string name;
    for (const char c : definition == none ? "" : this->name("algorithms", definition))
      if (std::isalnum(static_cast<unsigned char>(c))) name += static_cast<char>(std::tolower(c));
    one.osek = name == "osek";
    one.algorithm = std::string(node.name()) == "interruptControllers" ? A::interrupts : A::gpu;
    if (one.algorithm == A::interrupts || (!one.units.empty() && std::all_of(one.units.begin(), one.units.end(), gpu)))
      return;
    one.algorithm =
        pick<A>(at(node), name,
                "- fpp prioritybased osek fixedprioritypreemptive ratemonotonic deadlinemonotonic "
                "earliestdeadlinefirst prioritybasedroundrobin grouping pollingperiodicserver deferrableserver "
                "constantbandwidthserver",
                {A::fixed, A::fixed, A::fixed, A::fixed, A::fixed, A::rate, A::deadline, A::edf, A::turns, A::grouping,
                 A::polling, A::deferrable, A::bandwidth});
    if ((is_server(one.algorithm) && (one.budget <= 0 || one.period < one.budget)) ||
        (one.algorithm == A::grouping && one.parent == none))
      throw Refused(one.name, "budget, period or parent");
  }

  void allocation(const Node& node, bool isr) {
    auto& task = model_.tasks[refer(node, isr ? "isr" : "task", true)];
    if (task.scheduler != none) throw Refused(at(node), "a second allocation of " + task.name);
    task.scheduler = refer(node, isr ? "controller" : "scheduler", true);
    if (!isr) defaults(refer(nodes("schedulers")[task.scheduler], "definition"), "processParameters", task.parameters);
    parameters(node, task.parameters);
    if (isr && node.attribute("priority")) task.parameters["priority"] = text_of(node, "priority");
    task.priority = priority_of(task.parameters, node);
    const auto& all = model_.schedulers[task.scheduler].units;
    task.units = refer_all(node, "affinity");
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

  void mapping(const Node& map) {
    for (const auto& node : map.children("schedulerAllocation")) {
      auto& units = model_.schedulers[refer(node, "scheduler", true)].units;
      for (const auto unit : refer_all(node, "responsibility")) units.push_back(unit);
    }
    for (std::size_t rounds = 0; rounds < model_.schedulers.size(); ++rounds) {
      for (auto& one : model_.schedulers)
        if (one.units.empty() && one.parent != none) one.units = model_.schedulers[one.parent].units;
    }
    for (std::size_t i = 0; i < model_.schedulers.size(); ++i) algorithm(nodes("schedulers")[i], model_.schedulers[i]);
    for (const auto& node : map.children("taskAllocation")) allocation(node, false);
    for (const auto& node : map.children("isrAllocation")) allocation(node, true);
    for (const auto& node : map.children("memoryMapping")) {
      if (refers_to(node, "abstractElement", "Label"))
        model_.labels[refer(node, "abstractElement")].memory = refer(node, "memory", true);
    }
    for (const auto& node : map.children("physicalSectionMapping")) {
      const auto sections = refer_all(node, "origin"), named = refer_all(node, "labels");
      for (Index label = 0; label < model_.labels.size(); ++label) {
        auto& one = model_.labels[label];
        const bool mapped = std::find(sections.begin(), sections.end(), one.section) != sections.end();
        if ((mapped && one.memory == none) || std::find(named.begin(), named.end(), label) != named.end())
          one.memory = refer(node, "memory", true);
      }
    }
    for (auto& label : model_.labels) {
      if (label.memory == none && nodes("memories").size() == 1) label.memory = 0;  // AM0443
    }
  }

  bool lines_stated_ = false;
};

}  // namespace reference
