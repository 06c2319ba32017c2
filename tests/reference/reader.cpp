// SPDX-License-Identifier: Apache-2.0
/// Reads AMALTHEA 3.3.0. Every element and attribute is either used, listed as without meaning for time, or Refused.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "reference/folding.hpp"
#include "reference/gpu_program.hpp"
#include "reference/model.hpp"

namespace reference {

namespace {

using Node = pugi::xml_node;

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c != ' ') {
      out.back() += c;
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

/// Names in references are form-url-encoded (spec/amalthea.md, 2).
std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::strchr(".-*_", c)) {
      out += c;
    } else {
      out += c == ' ' ? "+" : fmt::format("%{:02X}", byte);
    }
  }
  return out.empty() ? "no-name" : out;
}

std::string type_of(const Node& node) {
  const std::string type = node.attribute("xsi:type").value();
  const auto colon = type.find(':');
  return colon == std::string::npos ? type : type.substr(colon + 1);
}

std::string at(const Node& node) {
  return fmt::format("{} '{}' at byte {}", node.name(), node.attribute("name").value(), node.offset_debug());
}

/// Refuses what is not known, in this element and all below. Names mean the same in all classes, with the exceptions below.
void check(const Node& node) {
  static const auto list = words(
      "xsi:type xmi:id name tags description displayName customProperties key value unit tasks isrs runnables "
      "labels sections events modes modeLabels processChains literals size activityGraph items stimuli preemption "
      "multipleTaskActivationLimit category executionCondition callback service section constant bVolatile mode "
      "initialValue processes entries condition defaultEntry probability counter prescaler offset runnable "
      "serverRunnable waitingBehaviour ordered interruptible eventMask maskType process stimulus semaphore access "
      "data step event statistic default extended lowerBound upperBound average pRemainPromille alpha beta mean sd "
      "samplingType occurrences min avg max label relation label1 label2 definitions structures domains "
      "featureCategories features featureType structureType modules ports bitWidth portType portInterface priority "
      "puType classifiers cacheType nWays coherency exclusive hitRate lineSize writeStrategy memoryType "
      "accessLatency dataRate frequencyDomain powerDomain definition accessElements source destination readLatency "
      "writeLatency caches defaultValue clockGating semaphores operatingSystems osOverheads schedulerDefinitions "
      "schedulingParameterDefinitions semaphoreType maxValue ownership priorityCeilingProtocol overhead "
      "taskSchedulers interruptControllers algorithmParameters processParameters requiresParentScheduler "
      "passesParametersUpwards hasExactlyOneChild type many mandatory schedulingParameters parentAssociation "
      "parent apiOverhead isrCategory1Overhead isrCategory2Overhead apiTerminateTask apiSchedule "
      "apiRequestResource apiReleaseResource apiSetEvent apiWaitEvent apiClearEvent apiActivateTask "
      "apiRequestSpinlock apiReleaseSpinlock preExecutionOverhead postExecutionOverhead setModeValueList "
      "recurrence jitter minDistance nextOccurrence occurrenceTimes occurrence burstLength occurrenceMinDistance "
      "occurrenceCount numberOfOccurrences lowerTimeBorder upperTimeBorder occurrencesPerStep maxIncreasePerStep "
      "maxDecreasePerStep triggeringEvents schedulerAllocation taskAllocation isrAllocation memoryMapping "
      "physicalSectionMapping addressMappingType scheduler responsibility executingPU task affinity isr controller "
      "abstractElement memory memoryPositionAddress origin startAddress endAddress runEntities eventType entity "
      "processingUnit eventChains timingConstraints runnableSequencingConstraints dataAgeConstraints requirements "
      "dataCoherencyGroups dataStabilityGroups physicalSectionConstraints response itemType minItemsCompleted "
      "eventChain mappingType target upper lower span period multipleOccurrencesAllowed tolerance scope minimum "
      "maximum dataAge minimumTime maximumTime minimumCycle maximumCycle direction orderType processScope "
      "runnableGroups memories severity limit processChain limitType metric limitValue hardwareContext "
      "communicationOverheadInBit");
  static const std::set<std::string> known(list.begin(), list.end());
  for (const auto& attribute : node.attributes()) {
    if (known.count(attribute.name()) == 0) throw Refused(at(node), attribute.name());
  }
  if (type_of(node) == "RunnableCall" && node.child("statistic")) throw Refused(at(node), "statistic");
  for (const auto& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string key = child.attribute("key").value();
    const bool property = std::string(child.name()) == "customProperties";
    if (known.count(child.name()) == 0 ||
        (property && key.rfind("gpu.", 0) != 0 && key.rfind("amalthea-timing.", 0) != 0))
      throw Refused(at(node), fmt::format("{} {}", child.name(), key));
    if (!property) check(child);
  }
}

std::int64_t whole(const Node& node, const char* name, std::int64_t otherwise) {
  const auto attribute = node.attribute(name);
  if (!attribute) return otherwise;
  char* end = nullptr;
  errno = 0;
  const auto value = std::strtoll(attribute.value(), &end, 10);
  if (*attribute.value() == '\0' || *end != '\0' || errno != 0)
    throw Refused(at(node), fmt::format("{} is no whole number", name));
  return value;
}

double real(const Node& node, const char* name, double otherwise) {
  const auto attribute = node.attribute(name);
  if (!attribute) return otherwise;
  char* end = nullptr;
  const auto value = std::strtod(attribute.value(), &end);
  if (*attribute.value() == '\0' || *end != '\0' || !std::isfinite(value))
    throw Refused(at(node), fmt::format("{} is no number", name));
  return value;
}

bool truth(const Node& node, const char* name, bool otherwise) {
  const std::string value = node.attribute(name).value();
  if (value.empty()) return otherwise;
  if (value != "true" && value != "false") throw Refused(at(node), fmt::format("{} is neither true nor false", name));
  return value == "true";
}

template <class T>
T pick(const Node& node, const std::string& word, std::string_view names, std::initializer_list<T> values) {
  auto value = values.begin();
  for (const auto& name : words(names)) {
    if (name == (word.empty() ? "-" : word)) return *value;
    ++value;
  }
  throw Refused(at(node), fmt::format("'{}' is not known", word));
}

/// An enumerator by its place.
template <class E>
E pick(const Node& node, const std::string& word, std::string_view names) {
  const auto list = words(names);
  const auto found = std::find(list.begin(), list.end(), word);
  if (found == list.end()) throw Refused(at(node), fmt::format("'{}' is not known", word));
  return static_cast<E>(found - list.begin());
}

Time time_of(const Node& node) {
  const auto unit = pick<std::int64_t>(node, node.attribute("unit").value(), "s ms us ns ps",
                                       {1'000'000'000'000, 1'000'000'000, 1'000'000, 1'000, 1});
  const Wide time = static_cast<Wide>(whole(node, "value", 0)) * unit;
  if (time > never || time < -never) throw Refused(at(node), "a time that is too long");
  return static_cast<Time>(time);
}

Time time_of(const Node& parent, const char* name, Time otherwise) {
  const auto node = parent.child(name);
  return node ? time_of(node) : otherwise;
}

/// Bytes, or bytes per second.
std::int64_t bytes_of(const Node& node) {
  if (!node) return 0;
  std::string unit = node.attribute("unit").value();
  if (const auto rate = unit.find("PerSecond"); rate != std::string::npos) unit.resize(rate);
  const bool bits = unit.size() >= 3 && unit.substr(unit.size() - 3) == "bit";
  unit.resize(unit.size() - (bits ? 3 : unit.empty() ? 0 : 1));
  const auto factor =
      pick<std::int64_t>(node, unit, "- k M G T Ki Mi Gi",
                         {1, 1000, 1'000'000, 1'000'000'000, 1'000'000'000'000, 1 << 10, 1 << 20, 1 << 30});
  const auto amount = whole(node, "value", 0) * factor;
  return bits ? (amount + 7) / 8 : amount;
}

/// S-time-2: every distribution with two bounds is the range between them.
Range range_of(const Node& node) {
  const auto type = type_of(node);
  const bool time = type.rfind("Time", 0) == 0;
  const auto value = [&](const Node& from, const char* name) {
    return time ? time_of(from, name, 0) : whole(from, name, 0);
  };
  const auto stated = [&](const char* name) { return time ? bool(node.child(name)) : bool(node.attribute(name)); };
  Range range{value(node, "lowerBound"), value(node, "upperBound")};
  if (type.find("Constant") != std::string::npos) {
    range.least = range.most = value(node, "value");
  } else if (type.find("Histogram") != std::string::npos) {
    range = {never, -never};
    for (const auto& entry : node.children("entries")) {
      range.least = std::min(range.least, value(entry, "lowerBound"));
      range.most = std::max(range.most, value(entry, "upperBound"));
    }
  } else if (!stated("upperBound") || ((time || type.find("Gauss") != std::string::npos) && !stated("lowerBound"))) {
    throw Refused(at(node), "a distribution without bounds");
  }
  if (range.least > range.most || (!time && range.least < 0))
    throw Refused(at(node), "bounds in the wrong order, or negative");
  return range;
}

class Reader {
 public:
  explicit Reader(const ReadOptions& options) : options_(options) {}

  Model read(std::string_view amxmi) {
    pugi::xml_document document;
    const auto result = document.load_buffer(amxmi.data(), amxmi.size());
    if (!result) throw Refused("file", result.description());
    const auto root = document.document_element();
    if (std::string(root.attribute("xmlns:am").value()) != "http://app4mc.eclipse.org/amalthea/3.3.0")
      throw Refused("file", "another version than 3.3.0");
    for (const auto& child : root.children()) {
      static const std::set<std::string> known{"commonElements",   "swModel",      "hwModel",
                                               "osModel",          "stimuliModel", "eventModel",
                                               "constraintsModel", "mappingModel", "customProperties"};
      if (child.type() != pugi::node_element || known.count(child.name()) == 0) throw Refused(at(child), child.name());
      if (std::string(child.name()) != "customProperties") check(child);
    }
    names(root);
    hardware();
    operating_systems(root.child("osModel"));
    mode_labels(root.child("swModel"));
    stimuli(root.child("stimuliModel"));
    software(root.child("swModel"));
    mapping(root.child("mappingModel"));
    events(root.child("eventModel"));
    constraints(root.child("constraintsModel"));
    derive();
    return std::move(model_);
  }

 private:
  // ------------------------------------------------------------------ names and references

  void enter(const Node& node, const std::string& type, std::size_t index, const std::string& prefix = "") {
    const auto computed = prefix + encoded(node.attribute("name").value()) + "?type=" + type;
    const std::string id = node.attribute("xmi:id").value();
    for (const auto& key : {computed, id}) {
      if (!key.empty()) ids_[key] = static_cast<Index>(index);
    }
  }

  template <class T>
  void enter_all(const Node& parent, const char* list, const char* type, std::vector<T>& into) {
    for (const auto& node : parent.children(list)) {
      const auto own = type_of(node);
      enter(node, own.empty() ? type : own, into.size());
      if constexpr (std::is_same_v<T, std::string>) {
        into.emplace_back(node.attribute("name").value());
      } else {
        into.emplace_back().name = node.attribute("name").value();
      }
    }
  }

  void modules(const Node& parent, const std::string& path) {
    const auto here = path + " " + parent.attribute("name").value();
    for (const auto& node : parent.children("modules")) {
      const auto type = type_of(node);
      if (type == "ProcessingUnit") {
        enter(node, type, model_.units.size());
        model_.units.emplace_back().name = node.attribute("name").value();
        model_.units.back().platform_hint = std::string(node.attribute("name").value()) + here;
        unit_nodes_.push_back(node);
      } else if (type == "Memory") {
        enter(node, type, model_.memories.size());
        model_.memories.emplace_back(node.attribute("name").value());
        memory_nodes_.push_back(node);
      } else if (type != "Cache" && type != "ConnectionHandler") {
        throw Refused(at(node), type);
      }
    }
    for (const auto& node : parent.children("structures")) modules(node, here);
  }

  void names(const Node& root) {
    const auto software = root.child("swModel"), os = root.child("osModel"), stimuli = root.child("stimuliModel");
    enter_all(software, "tasks", "Task", model_.tasks);
    first_isr_ = model_.tasks.size();
    enter_all(software, "isrs", "ISR", model_.tasks);
    enter_all(software, "runnables", "Runnable", model_.runnables);
    enter_all(software, "labels", "Label", model_.labels);
    enter_all(software, "sections", "Section", model_.sections);
    enter_all(software, "events", "OsEvent", model_.os_events);
    enter_all(software, "modeLabels", "ModeLabel", model_.modes);
    enter_all(software, "processChains", "ProcessChain", process_chains_);
    enter_all(os, "semaphores", "Semaphore", model_.semaphores);
    enter_all(os, "schedulerDefinitions", "SchedulerDefinition", definitions_);
    enter_all(os, "schedulingParameterDefinitions", "SchedulingParameterDefinition", parameters_);
    enter_all(os, "osOverheads", "OsOverhead", overheads_);
    for (const auto& system : os.children("operatingSystems")) {
      enter_all(system, "taskSchedulers", "TaskScheduler", model_.schedulers);
      enter_all(system, "interruptControllers", "InterruptController", model_.schedulers);
    }
    enter_all(stimuli, "stimuli", "", model_.stimuli);
    enter_all(stimuli, "clocks", "", clocks_);
    enter_all(root.child("eventModel"), "events", "", model_.events);
    enter_all(root.child("constraintsModel"), "eventChains", "EventChain", model_.chains);
    std::size_t definitions = 0, domains = 0;
    for (const auto& node : root.child("hwModel").children("definitions")) {
      enter(node, type_of(node), definitions++);
      model_.definitions.emplace_back(node.attribute("name").value());
      definition_nodes_.push_back(node);
    }
    for (const auto& node : root.child("hwModel").children("domains")) {
      enter(node, type_of(node), domains++);
      domain_nodes_.push_back(node);
    }
    for (const auto& node : root.child("hwModel").children("structures")) modules(node, "");
    for (const auto& mode : software.children("modes")) {
      std::size_t literal = 0;
      for (const auto& node : mode.children("literals"))
        enter(node, "ModeLiteral", literal++, encoded(mode.attribute("name").value()) + "/");
      enter(mode, type_of(mode), mode_nodes_.size());
      mode_nodes_.push_back(mode);
    }
  }

  Index token(const Node& node, const std::string& token) const {
    const auto found = ids_.find(token);
    if (found == ids_.end()) throw Refused(at(node), fmt::format("'{}' is not in the model", token));
    return found->second;
  }
  Index refer(const Node& node, const char* name, bool required = false) const {
    const std::string value = node.attribute(name).value();
    if (value.empty() && required) throw Refused(at(node), fmt::format("{} is missing", name));
    return value.empty() ? none : token(node, value);
  }
  std::vector<Index> refer_all(const Node& node, const char* name) const {
    std::vector<Index> out;
    for (const auto& word : words(node.attribute(name).value())) out.push_back(token(node, word));
    return out;
  }
  /// Whether a reference leads to this class.
  static bool refers_to(const Node& node, const char* name, const char* type) {
    return std::string(node.attribute(name).value()).find(std::string("?type=") + type) != std::string::npos;
  }

  static Properties properties(const Node& node, std::string_view keys) {
    Properties out;
    const auto allowed = words(keys);
    for (const auto& property : node.children("customProperties")) {
      const std::string key = property.attribute("key").value();
      if (key.rfind("gpu.", 0) != 0) continue;
      if (std::find(allowed.begin(), allowed.end(), key.substr(4)) == allowed.end()) throw Refused(at(node), key);
      out.emplace(key, value_of(property.child("value")));
    }
    return out;
  }

  /// A parameter or property as text; times in picoseconds ("5000 ps").
  static std::string value_of(const Node& node) {
    if (type_of(node) == "Time") return fmt::format("{} ps", time_of(node));
    return node.attribute("value").value();
  }

  // ------------------------------------------------------------------ hardware

  std::int64_t hertz(const Node& module) const {
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

  void hardware() {
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
  }

  // ------------------------------------------------------------------ operating system

  Ticks ticks_of(const Node& node) {
    Ticks ticks;
    if (!node) return ticks;
    for (const auto& entry : node.children("extended")) {
      ticks.of.emplace_back(refer(entry, "key", true), range_of(entry.child("value")));
    }
    if (const auto all = node.child("default")) ticks.of.emplace_back(none, range_of(all));
    return ticks;
  }

  Overhead overhead_of(const Node& node) {
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

  void parameters(const Node& node, std::map<std::string, std::string>& into) {
    for (const auto& entry : node.children("schedulingParameters")) {
      into[parameters_[refer(entry, "key", true)]] = value_of(entry.child("value"));
    }
  }

  static Time time_in(const std::map<std::string, std::string>& parameters, std::initializer_list<const char*> names) {
    for (const auto* name : names) {
      const auto found = parameters.find(name);
      if (found != parameters.end()) return reference::time_of(found->second, name);
    }
    return 0;
  }

  static std::int64_t number_in(const std::map<std::string, std::string>& parameters, const char* name,
                                const std::string& where) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return 0;
    char* end = nullptr;
    const auto value = std::strtoll(found->second.c_str(), &end, 10);
    if (found->second.empty() || *end != '\0') throw Refused(where, std::string(name) + " is no whole number");
    return value;
  }

  void operating_systems(const Node& os) {
    std::size_t number = 0;
    for (const auto& node : os.children("semaphores")) {
      auto& semaphore = model_.semaphores[number++];
      semaphore.users = whole(node, "initialValue", 0);
      semaphore.most = whole(node, "maxValue", 1);
      semaphore.ceiling = truth(node, "priorityCeilingProtocol", false);
      semaphore.spin = std::string(node.attribute("semaphoreType").value()) == "Spinlock";
      if (semaphore.users > semaphore.most || semaphore.most < 1) throw Refused(at(node), "more users than allowed");
    }
    std::vector<Node> overheads, definitions, parameters;
    for (const auto& node : os.children("osOverheads")) overheads.push_back(node);
    for (const auto& node : os.children("schedulerDefinitions")) definitions.push_back(node);
    for (const auto& node : os.children("schedulingParameterDefinitions")) parameters.push_back(node);
    number = 0;
    for (const auto& system : os.children("operatingSystems")) {
      const auto overhead = refer(system, "overhead");
      for (const char* list : {"taskSchedulers", "interruptControllers"}) {
        for (const auto& node : system.children(list)) {
          auto& one = model_.schedulers[number++];
          if (overhead != none) one.overhead = overhead_of(overheads[overhead]);
          if (std::string(list) == "interruptControllers") one.algorithm = Scheduler::Algorithm::interrupts;
          const auto definition = refer(node, "definition");
          if (definition != none) {
            for (const auto parameter : refer_all(definitions[definition], "algorithmParameters")) {
              if (const auto value = parameters[parameter].child("defaultValue"))
                one.parameters[parameters_[parameter]] = value_of(value);
            }
          }
          this->parameters(node, one.parameters);
          if (one.parameters.count("priority") > 0) throw Refused(at(node), "a priority beside the association");
          if (const auto association = node.child("parentAssociation")) {
            one.parent = refer(association, "parent", true);
            this->parameters(association, one.parameters);
          }
          algorithm_names_.push_back(definition == none ? "" : definitions_[definition]);
          one.priority = number_in(one.parameters, "priority", at(node));
          one.budget = time_in(one.parameters, {"maxBudget", "capacity", "budget", "minBudget"});
          one.period = time_in(one.parameters, {"replenishment", "period"});
          one.slice = time_in(one.parameters, {"timeSliceLength", "timeSlice", "quantSize"});
        }
      }
    }
  }

  /// S-cores-1: the algorithm of a scheduler follows from the name of its definition, unless all its units are GPUs.
  void algorithms() {
    using A = Scheduler::Algorithm;
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
      one.algorithm = pick<A>(
          Node(), name,
          "fixedprioritypreemptive ratemonotonic deadlinemonotonic earliestdeadlinefirst prioritybasedroundrobin "
          "grouping pollingperiodicserver deferrableserver constantbandwidthserver");
      const bool server = one.algorithm == A::polling_server || one.algorithm == A::deferrable_server ||
                          one.algorithm == A::constant_bandwidth_server;
      if ((server && (one.budget <= 0 || one.period < one.budget)) ||
          (one.algorithm == A::grouping && one.parent == none))
        throw Refused(one.name, "budget, period or parent");
    }
  }

  // ------------------------------------------------------------------ stimuli

  static Counter counter_of(const Node& node) {
    const Counter counter{whole(node, "prescaler", 1), whole(node, "offset", 0)};
    if (counter.prescaler < 1 || counter.offset < 0) throw Refused(at(node), "counter");
    return counter;
  }

  void stimuli(const Node& parent) {
    std::size_t number = 0;
    for (const auto& node : parent.children("stimuli")) {
      using K = Stimulus::Kind;
      auto& stimulus = model_.stimuli[number++];
      stimulus.kind = pick<K>(
          node, type_of(node),
          "PeriodicStimulus RelativePeriodicStimulus PeriodicSyntheticStimulus SingleStimulus PeriodicBurstStimulus "
          "ArrivalCurveStimulus VariableRateStimulus InterProcessStimulus EventStimulus");
      stimulus.condition = condition_of(node.child("executionCondition"));
      for (const auto& entry : node.child("setModeValueList").children("entries")) {
        const auto label = refer(entry, "label", true);
        stimulus.modes.emplace_back(label, mode_value(entry, label, entry.attribute("value").value()));
      }
      stimulus.offset = time_of(node, "offset", 0);
      stimulus.period = time_of(node, "recurrence", 0);
      stimulus.least_distance = time_of(node, "minDistance", time_of(node, "occurrenceMinDistance", 0));
      if (const auto jitter = node.child("jitter")) stimulus.jitter = range_of(jitter);
      if (stimulus.jitter.least != 0) {  // S-release-2
        stimulus.offset += stimulus.jitter.least;
        stimulus.jitter = {0, stimulus.jitter.most - stimulus.jitter.least};
      }
      if (const auto next = node.child("nextOccurrence")) stimulus.distance = range_of(next);
      for (const auto& time : node.children("occurrenceTimes")) stimulus.instants.push_back(time_of(time));
      if (stimulus.kind == K::single) stimulus.offset = time_of(node, "occurrence", 0);
      stimulus.burst_length = time_of(node, "burstLength", 0);
      stimulus.burst_count = whole(node, "occurrenceCount", 1);
      for (const auto& entry : node.children("entries")) {
        stimulus.borders.push_back({whole(entry, "numberOfOccurrences", 1), time_of(entry, "lowerTimeBorder", 0),
                                    time_of(entry, "upperTimeBorder", never)});
      }
      stimulus.step = time_of(node, "step", 0);
      if (const auto rate = node.child("occurrencesPerStep")) {
        const bool constant = type_of(rate) == "ContinuousValueConstant";
        if (!constant && !rate.attribute("upperBound")) throw Refused(at(rate), "a distribution without bounds");
        stimulus.least_per_step = real(rate, constant ? "value" : "lowerBound", 0);
        stimulus.most_per_step = real(rate, constant ? "value" : "upperBound", 0);
      }
      stimulus.increase = real(node, "maxIncreasePerStep", -1);
      stimulus.decrease = real(node, "maxDecreasePerStep", -1);
      if (const auto counter = node.child("counter")) {
        stimulus.counts = true;
        stimulus.counter = counter_of(counter);
      }
      stimulus.triggers = refer_all(node, "triggeringEvents");
      const bool recurs = stimulus.kind == K::periodic || stimulus.kind == K::synthetic || stimulus.kind == K::burst;
      if (stimulus.offset < 0 || (recurs && stimulus.period <= 0) ||
          (stimulus.kind == K::relative && stimulus.distance.least <= 0) ||
          (stimulus.kind == K::variable_rate && stimulus.step < 1'000'000))
        throw Refused(at(node), "recurrence or offset");
    }
  }

  // ------------------------------------------------------------------ software

  std::int64_t mode_value(const Node& node, Index label, const std::string& text) const {
    const auto& literals = model_.modes[label].literals;
    const auto literal = std::find(literals.begin(), literals.end(), text);
    if (literal != literals.end()) return literal - literals.begin();
    char* end = nullptr;
    const auto value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || !literals.empty()) throw Refused(at(node), fmt::format("mode '{}'", text));
    return value;
  }

  Condition condition_of(const Node& node) {
    Condition condition;
    if (!node) return condition;
    const auto term_of = [&](const Node& entry) {
      Condition::Term term;
      const auto type = type_of(entry);
      if (type == "ChannelFillCondition" || type == "LocalModeCondition") return term;
      using R = Condition::Relation;
      term.relation = pick<R>(entry, entry.attribute("relation").value(),
                              "EQUAL NOT_EQUAL LESS_THAN LESS_THAN_OR_EQUAL GREATER_THAN GREATER_THAN_OR_EQUAL");
      if (type == "ModeValueCondition") {
        term.mode = refer(entry, "label", true);
        term.value = mode_value(entry, term.mode, entry.attribute("value").value());
      } else if (type == "ModeLabelCondition") {
        term.mode = refer(entry, "label1", true);
        term.other = refer(entry, "label2", true);
      } else {
        throw Refused(at(entry), type);
      }
      return term;
    };
    for (const auto& entry : node.children("entries")) {
      auto& terms = condition.any_of.emplace_back();
      if (type_of(entry) != "ConditionConjunction") {
        terms.push_back(term_of(entry));
        continue;
      }
      for (const auto& inner : entry.children("entries")) terms.push_back(term_of(inner));
    }
    return condition;
  }

  std::vector<Item> items_of(const Node& parent) {
    std::vector<Item> items;
    for (const auto& node : parent.children("items")) items.push_back(item_of(node));
    return items;
  }

  void statistic(const Node& value, Item& item) {
    if (!value) return;
    const bool several = type_of(value) == "MinAvgMaxStatistic";
    const auto least = real(value, several ? "min" : "value", 0), most = real(value, several ? "max" : "value", 0);
    if (least != std::floor(least) || most != std::floor(most) || least < 0 || least > most)
      throw Refused(at(value), "a statistic that is not whole, or in the wrong order");
    item.accesses_least = static_cast<std::int64_t>(least);
    item.accesses_most = static_cast<std::int64_t>(most);
  }

  Item item_of(const Node& node) {
    using K = Item::Kind;
    Item item;
    const std::string access = node.attribute("access").value();
    item.kind = pick<K>(
        node, type_of(node),
        "Ticks LabelAccess RunnableCall Group WaitEvent SetEvent ClearEvent InterProcessTrigger SemaphoreAccess "
        "ModeLabelAccess Switch ProbabilitySwitch WhileLoop SchedulePoint TerminateProcess CustomEventTrigger "
        "SynchronousServerCall",
        {K::ticks, K::label, K::call, K::group, K::wait, K::set, K::clear, K::trigger, K::semaphore, K::mode,
         K::switch_, K::probability, K::loop, K::schedule_point, K::terminate, K::custom_event, K::call});
    for (const char* name : {"data", "runnable", "serverRunnable", "process", "stimulus", "semaphore", "event"}) {
      if (node.attribute(name)) item.target = refer(node, name);
    }
    const bool whole_process = item.kind == K::set || item.kind == K::terminate || item.kind == K::schedule_point;
    const bool composed = item.kind == K::ticks || item.kind == K::group || item.kind == K::wait ||
                          item.kind == K::clear || item.kind == K::switch_ || item.kind == K::probability ||
                          item.kind == K::loop;
    if (item.target == none && !whole_process && !composed) throw Refused(at(node), "a reference is missing");
    item.ticks = ticks_of(node);
    statistic(node.child("statistic").child("value"), item);
    item.ordered = truth(node, "ordered", true);
    item.interruptible = truth(node, "interruptible", true);
    item.active = std::string(node.attribute("waitingBehaviour").value()) == "active";  // S-event-2
    item.all = std::string(node.attribute("maskType").value()) == "AND";
    item.events = refer_all(node.child("eventMask"), "events");
    if (const auto counter = node.child("counter")) {
      item.counts = true;
      item.counter = counter_of(counter);
    }
    item.condition = condition_of(node.child("condition"));
    item.items = items_of(node);
    switch (item.kind) {
      case K::label:
        item.write = pick<bool>(node, access, "read write -", {false, true, false});
        break;
      case K::wait:
      case K::set:
      case K::clear:
        if (item.events.empty()) throw Refused(at(node), "no event");
        break;
      case K::semaphore:
        item.release = pick<bool>(node, access, "request release exclusive", {false, true, false});
        item.exclusive = access == "exclusive";
        break;
      case K::mode: {
        const auto sign = pick<int>(node, access, "read set increment decrement", {0, 0, 1, -1});
        item.write = access != "read";
        item.step = sign != 0;
        item.value = item.step ? sign * whole(node, "step", 1) : 0;
        if (access == "set") item.value = mode_value(node, item.target, node.attribute("value").value());
        break;
      }
      case K::switch_:
      case K::probability:
        for (const char* list : {"entries", "defaultEntry"}) {
          for (const auto& entry : node.children(list)) {
            auto& one = item.items.emplace_back();
            one.kind = K::entry;
            one.otherwise = std::string(list) == "defaultEntry";
            one.probability = real(entry, "probability", 0);
            one.condition = condition_of(entry.child("condition"));
            one.items = items_of(entry);
          }
        }
        break;
      default:
        break;
    }
    return item;
  }

  void mode_labels(const Node& sw) {
    std::size_t number = 0;
    for (const auto& node : sw.children("modeLabels")) {
      auto& label = model_.modes[number++];
      const auto mode = refer(node, "mode");
      if (mode != none) {
        for (const auto& literal : mode_nodes_[mode].children("literals"))
          label.literals.emplace_back(literal.attribute("name").value());
      }
      const std::string initial = node.attribute("initialValue").value();
      if (!initial.empty()) label.initial = mode_value(node, static_cast<Index>(number - 1), initial);
    }
  }

  void software(const Node& sw) {
    std::size_t number = 0;
    for (const auto& node : sw.children("labels")) {
      model_.labels[number].bytes = bytes_of(node.child("size"));
      model_.labels[number++].section = refer(node, "section");
    }
    number = 0;
    for (const auto& node : sw.children("runnables")) {
      auto& runnable = model_.runnables[number++];
      runnable.condition = condition_of(node.child("executionCondition"));
      runnable.section = refer(node, "section");
      runnable.properties = properties(
          node, "copy access memoryIntensity grid block registers sharedMemory cacheConfig instructions budget");
      runnable.items = items_of(node.child("activityGraph"));
    }
    number = 0;
    for (const char* list : {"tasks", "isrs"}) {
      for (const auto& node : sw.children(list)) {
        auto& task = model_.tasks[number];
        task.isr = number++ >= first_isr_;
        const std::string category = node.attribute("category").value();
        task.category = category == "CATEGORY_1" ? 1 : 2;
        using P = Task::Preemption;
        task.preemption = pick<P>(node, node.attribute("preemption").value(), "- preemptive cooperative non_preemptive",
                                  {P::preemptive, P::preemptive, P::cooperative, P::none});
        task.limit = whole(node, "multipleTaskActivationLimit", 0);
        task.stimuli = refer_all(node, "stimuli");
        task.properties = properties(node,
                                     "grid block registers sharedMemory cacheConfig budget timeslice context "
                                     "contextPriority stream priority cuMask smMask mpsShare");
        task.items = items_of(node.child("activityGraph"));
      }
    }
    for (const auto& node : sw.children("processChains")) {
      chain_processes_.push_back(refer_all(node, "processes"));
    }
  }

  // ------------------------------------------------------------------ mapping

  void mapping(const Node& map) {
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
      for (const auto& node : map.children(list)) {
        const bool isr = std::string(list) == "isrAllocation";
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

  // ------------------------------------------------------------------ events, chains, constraints

  void events(const Node& parent) {
    std::size_t number = 0;
    for (const auto& node : parent.children("events")) {
      auto& event = model_.events[number++];
      using O = Event::Of;
      event.of = pick<O>(node, type_of(node),
                         "ProcessEvent ProcessChainEvent RunnableEvent LabelEvent StimulusEvent SemaphoreEvent "
                         "ModeLabelEvent CustomEvent ChannelEvent ComponentEvent EventSet");
      if (event.of == O::channel || event.of == O::component || event.of == O::set)
        throw Refused(at(node), type_of(node));
      event.type = event.of == O::custom ? "" : node.attribute("eventType").value();
      if (event.type == "_all_") event.type.clear();
      event.entity = event.of == O::custom ? static_cast<Index>(number - 1) : refer(node, "entity");
      event.runnable = refer(node, "runnable");
      event.process = refer(node, "process");
      event.unit = refer(node, "processingUnit");
    }
  }

  /// The events of a chain in order, without repetitions of neighbours; parallel parts are left out (docs/reference/constraints.md).
  void chain_events(const Node& node, std::vector<Index>& into) const {
    const auto add = [&](Index event) {
      if (event != none && (into.empty() || into.back() != event)) into.push_back(event);
    };
    add(refer(node, "stimulus"));
    if (std::string(node.attribute("itemType").value()) != "parallel") {
      for (const auto& item : node.children("items")) {
        if (type_of(item) != "EventChainContainer") throw Refused(at(item), type_of(item));
        chain_events(item.child("eventChain"), into);
      }
    }
    add(refer(node, "response"));
  }

  void constraints(const Node& parent) {
    std::size_t number = 0;
    for (const auto& node : parent.children("eventChains")) {
      std::vector<Index> all;
      chain_events(node, all);
      for (const auto event : all) model_.chains[number].links.push_back({event, none, none, false, false});
      ++number;
    }
    using K = Constraint::Kind;
    const auto add = [&](const Node& node, K kind) -> Constraint& {
      auto& constraint = model_.constraints.emplace_back();
      constraint.name = node.attribute("name").value();
      constraint.kind = kind;
      return constraint;
    };
    const auto limits = [](const Node& node, Constraint& constraint, const char* lower, const char* upper) {
      constraint.lower_stated = bool(node.child(lower));
      constraint.upper_stated = bool(node.child(upper));
      constraint.lower = time_of(node, lower, 0);
      constraint.upper = time_of(node, upper, never);
    };
    for (const auto& node : parent.children("timingConstraints")) {
      auto& one = add(node, pick<K>(node, type_of(node),
                                    "DelayConstraint RepetitionConstraint EventSynchronizationConstraint "
                                    "EventChainSynchronizationConstraint EventChainLatencyConstraint"));
      one.type = node.attribute(one.kind == K::delay ? "mappingType" : "type").value();
      if (one.kind == K::delay) {
        one.events = {refer(node, "source", true), refer(node, "target", true)};
      } else if (one.kind == K::repetition) {
        one.events = {refer(node, "event", true)};
      } else if (one.kind == K::synchronization) {
        one.events = refer_all(node, "events");
      } else {
        one.chains = refer_all(node, "scope");
      }
      one.kind == K::chain_latency ? limits(node, one, "minimum", "maximum") : limits(node, one, "lower", "upper");
      one.jitter = time_of(node, "jitter", 0);
      one.tolerance = time_of(node, "tolerance", 0);
      one.span = std::max<std::int64_t>(1, whole(node, "span", 0));
      one.multiple = truth(node, "multipleOccurrencesAllowed", false);
      if (const auto period = node.child("period"); period && !one.lower_stated && !one.upper_stated) {
        one.lower = one.upper = time_of(period);
        one.lower_stated = one.upper_stated = true;
      }
    }
    for (const auto& node : parent.children("dataAgeConstraints")) {
      const auto age = node.child("dataAge");
      const bool cycles = type_of(age) == "DataAgeCycle";
      auto& one = add(node, cycles ? K::data_age_cycle : K::data_age_time);
      one.runnable = refer(node, "runnable", true);
      one.labels = {refer(node, "label", true)};
      if (!cycles) {
        limits(age, one, "minimumTime", "maximumTime");
      } else {
        one.lower = whole(age, "minimumCycle", 0);
        one.upper = whole(age, "maximumCycle", 0);
        one.lower_stated = one.lower > 0;
        one.upper_stated = one.upper > 0 || one.lower == 0;
        if (!one.upper_stated) one.upper = never;
      }
    }
    const auto scope = [&](const Node& node, Constraint& one) {
      const auto type = type_of(node);
      if (type != "ProcessScope" && type != "RunnableScope") throw Refused(at(node), type);
      one.scope = type == "ProcessScope" ? Constraint::Scope::process : Constraint::Scope::runnable;
      one.scopes = {refer(node, type == "ProcessScope" ? "process" : "runnable", true)};
    };
    for (const char* list : {"dataCoherencyGroups", "dataStabilityGroups"}) {
      for (const auto& node : parent.children(list)) {
        auto& one = add(node, std::string(list) == "dataCoherencyGroups" ? K::coherency : K::stability);
        one.type = node.attribute("direction").value();
        one.labels = refer_all(node, "labels");
        scope(node.child("scope"), one);
      }
    }
    for (const auto& node : parent.children("runnableSequencingConstraints")) {
      auto& one = add(node, K::sequencing);
      one.type = node.attribute("orderType").value();
      one.scopes = refer_all(node, "processScope");
      for (const auto& group : node.children("runnableGroups")) one.groups.push_back(refer_all(group, "runnables"));
    }
    for (const auto& node : parent.children("physicalSectionConstraints")) {
      auto& one = add(node, K::section);
      one.section = refer(node, "section", true);
      one.memories = refer_all(node, "memories");
    }
    for (const auto& node : parent.children("requirements")) requirement(node);
  }

  void requirement(const Node& node) {
    auto& one = model_.requirements.emplace_back();
    one.name = node.attribute("name").value();
    const auto type = type_of(node);
    using O = Requirement::Of;
    one.of = pick<O>(node, type, "ProcessRequirement RunnableRequirement ProcessChainRequirement",
                     {O::process, O::runnable, O::chain});
    one.entity = refer(node,
                       one.of == O::process    ? "process"
                       : one.of == O::runnable ? "runnable"
                                               : "processChain",
                       true);
    if (one.of == O::chain) {
      one.processes = chain_processes_[one.entity];
      one.entity = add_chain(model_, one.name, one.processes);
    }
    const auto limit = node.child("limit");
    using M = Requirement::Measure;
    one.measure =
        pick<M>(limit, type_of(limit),
                "TimeRequirementLimit CountRequirementLimit PercentageRequirementLimit CPUPercentageRequirementLimit",
                {M::time, M::count, M::percentage, M::cpu});
    one.metric = limit.attribute("metric").value();
    one.upper = pick<bool>(limit, limit.attribute("limitType").value(), "UpperLimit LowerLimit", {true, false});
    one.limit =
        one.measure == M::time ? static_cast<double>(time_of(limit.child("limitValue"))) : real(limit, "limitValue", 0);
    one.unit = refer(limit, "hardwareContext");
    if (one.of == O::process && one.measure == M::time && one.metric == "ResponseTime" && one.upper) {
      auto& deadline = model_.tasks[one.entity].deadline;
      const auto value = static_cast<Time>(one.limit);
      deadline = deadline < 0 ? value : std::min(deadline, value);
    }
  }

  // ------------------------------------------------------------------ what follows

  void derive() {
    for (std::size_t i = 0; i < model_.labels.size(); ++i) {
      auto& label = model_.labels[i];
      if (label.memory == none && model_.memories.size() == 1) label.memory = 0;  // AM0443
    }
    finish(model_, options_);
  }

  const ReadOptions& options_;
  Model model_;
  std::map<std::string, Index> ids_;
  std::vector<Node> unit_nodes_, memory_nodes_, definition_nodes_, domain_nodes_, mode_nodes_;
  std::vector<std::string> process_chains_, definitions_, parameters_, overheads_, clocks_, algorithm_names_;
  std::vector<std::vector<Index>> chain_processes_;
  std::size_t first_isr_ = 0;
};

}  // namespace

Model read(std::string_view amxmi, const ReadOptions& options) { return Reader(options).read(amxmi); }

}  // namespace reference
