// SPDX-License-Identifier: Apache-2.0
// The hardware of 0.9.0: structures with modules, definitions of both kinds, and domains.

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <unordered_set>

#include <fmt/core.h>

#include "migration/rules/to_0_9_0.hpp"

namespace amalthea::migration::to_0_9_0_hardware {
namespace {

/// Keeps meaningful values; 0 and false are the values of unset attributes.
void keep_value(Step& step, Object& object, std::string_view attribute) {
  const auto value = object.attribute(attribute);
  if (!value) return;
  if (*value == "0" || *value == "0x0" || *value == "false")
    object.unset(attribute);
  else
    step.keep_field(object, attribute);
}

std::string_view type_of(std::string_view feature) {
  return feature == "coreTypes" ? "CoreType" : feature == "memoryTypes" ? "MemoryType" : "NetworkType";
}

/// Moves the types of one kind to the definitions.
void define(Step& step, std::string_view types, std::string_view class_name) {
  for (Object* const model : step.parts("hwModel"))
    for (Object* const type : model->children(types)) {
      type->move_to(*model, "definitions");
      step.changed(*type);
    }
  step.rename_class(type_of(types), class_name);
}

}  // namespace

/// The costs of reading and writing a memory were at its ports; now they are one latency of the definition. Possible if
/// reading costs as much as writing, equally for all memories of a type.
void port_cycles(Step& step) {
  struct Cycles {
    std::string read, write;
  };
  const auto cycles_of = [](const Object& memory) {
    Cycles cycles;
    for (Object* const port : memory.children("ports")) {
      const std::string_view direction = port->attribute_or("direction", ""),
                             read = port->attribute_or("readCycles", "0"),
                             write = port->attribute_or("writeCycles", "0");
      if (cycles.read.empty() && direction != "W" && read != "0") cycles.read = read;
      if (cycles.write.empty() && direction != "R" && write != "0") cycles.write = write;
    }
    // A missing direction costs as much as the other.
    if (cycles.read.empty()) cycles.read = cycles.write;
    if (cycles.write.empty()) cycles.write = cycles.read;
    return cycles;
  };
  std::vector<std::pair<Object*, std::vector<Object*>>> memories_of;  // by type, in document order
  std::map<const Object*, std::size_t> place_of;
  std::vector<Object*> untyped;
  for (Object* const memory : step.objects_of("Memory")) {
    const auto types = memory->references("type");
    if (types.empty()) {
      if (memory->references("definition").empty()) untyped.push_back(memory);
    } else if (Object* const type = step.find(*memory, types.front())) {
      const auto [place, is_new] = place_of.try_emplace(type, memories_of.size());
      if (is_new) memories_of.push_back({type, {}});
      memories_of[place->second].second.push_back(memory);
    }
  }
  const auto take = [&](Object& memory, Object& type, const Cycles& cycles) {
    if (type.child("accessLatency") == nullptr)
      type.create("accessLatency", "LatencyConstant").set("cycles", cycles.read);
    for (Object* const port : memory.children("ports"))
      for (const char* const attribute : {"readCycles", "writeCycles"})
        if (port->attribute(attribute) == cycles.read) port->unset(attribute);
    step.changed(memory, fmt::format("access latency {}", cycles.read));
  };
  for (const auto& entry : memories_of) {
    const Cycles cycles = cycles_of(*entry.second.front());
    if (cycles.read.empty() || cycles.read != cycles.write) continue;
    if (std::any_of(entry.second.begin(), entry.second.end(), [&](const Object* memory) {
          const Cycles other = cycles_of(*memory);
          return other.read != cycles.read || other.write != cycles.write;
        }))
      continue;
    for (Object* const memory : entry.second) take(*memory, *entry.first, cycles);
  }
  std::unordered_set<std::string> names;
  for (const Object* const type : step.objects_of("MemoryType")) names.emplace(type->name());
  for (Object* const memory : untyped) {
    const Cycles cycles = cycles_of(*memory);
    if (cycles.read.empty() || cycles.read != cycles.write) continue;
    Object& type = step.part(*memory, "hwModel", "HWModel").create("memoryTypes", "MemoryType");
    std::string name(memory->name());
    while (!names.insert(name).second) name += "_type";
    type.set("name", name);
    memory->add_reference("type", step.id(type), &type);
    take(*memory, type, cycles);
  }
}

/// A memory of a type CACHE is a cache, within a core that core's own.
void caches(Step& step) {
  Objects types;
  for (Object* const type : step.objects_of("MemoryType"))
    if (type->attribute("type") == "CACHE" && type->owner() != nullptr) types.push_back(type);
  for (Object* const memory : step.objects_of("Memory"))
    for (const Field& reference : memory->references("type"))
      if (std::find(types.begin(), types.end(), step.find(*memory, reference)) != types.end()) {
        step.set_class(*memory, "Cache");
        memory->rename_feature("type", "definition");
        step.changed(*memory);
        break;
      }
  for (Object* const type : types) {
    type->unset("type");
    step.set_class(*type, "CacheDefinition");
    type->move_to(*type->owner(), "definitions");
    step.keep_field(*type, "classifiers");
  }
}

void memory_definitions(Step& step) {
  for (Object* const type : step.objects_of("MemoryType")) keep_value(step, *type, "type");
  define(step, "memoryTypes", "MemoryDefinition");
  step.rename_feature("Memory", "type", "definition");
}

void unit_definitions(Step& step) {
  for (Object* const type : step.objects_of("CoreType")) {
    type->set("puType", "CPU");
    keep_value(step, *type, "bitWidth");
  }
  define(step, "coreTypes", "ProcessingUnitDefinition");
  for (Object* const core : step.objects_of("Core")) keep_value(step, *core, "lockstepGroup");
  step.rename_feature("Core", "coreType", "definition");
}

/// A feature IPC_<n> of the category Instructions, shared by all definitions with that number.
void instructions_per_cycle(Step& step) {
  for (Object* const definition : step.objects_of("ProcessingUnitDefinition")) {
    const auto stated = definition->attribute("instructionsPerCycle");
    if (!stated) continue;
    const std::string value(*stated);
    definition->unset("instructionsPerCycle");
    Object& model = step.part(*definition, "hwModel", "HWModel");
    const auto named = [](const Objects& objects, std::string_view name) -> Object* {
      const auto found = std::find_if(objects.begin(), objects.end(), [&](Object* one) { return one->name() == name; });
      return found == objects.end() ? nullptr : *found;
    };
    Object* category = named(model.children("featureCategories"), "Instructions");
    if (category == nullptr) {
      category = &model.create("featureCategories", "HwFeatureCategory");
      category->set("name", "Instructions");
      category->set("featureType", "performance");
    }
    const std::string name = fmt::format("IPC_{}", value);
    Object* feature = named(category->children("features"), name);
    if (feature == nullptr) {
      feature = &category->create("features", "HwFeature");
      feature->set("name", name);
      feature->set("value", value);
    }
    definition->add_reference("features", step.id(*feature), feature);
    step.changed(*definition, name);
  }
}

void handler_definitions(Step& step) {
  for (const char* const cls : {"NetworkType", "Bus", "Bridge", "CrossbarSwitch"}) {
    for (Object* const type : step.objects_of(cls)) {
      if (const auto policy = type->attribute("schedPolicy")) {
        const std::string_view now = *policy == "RROBIN" ? "RoundRobin" : *policy == "PRIORITY" ? "PriorityBased" : "";
        if (!now.empty()) type->set("policy", now);
        if (now.empty() && *policy != "_undefined_")
          step.keep_field(*type, "schedPolicy");
        else
          type->unset("schedPolicy");
      }
      keep_value(step, *type, "bitWidth");
      keep_value(step, *type, "busType");
      if (type->attribute("conConnections") == "0") type->unset("conConnections");
      // There is a place for it since 0.9.2.
      type->rename_feature("conConnections", "maxConcurrentTransfers");
    }
    if (std::string_view(cls) != "NetworkType") step.rename_class(cls, "ConnectionHandlerDefinition");
  }
  define(step, "networkTypes", "ConnectionHandlerDefinition");
  step.rename_feature("Network", "type", "definition");
}

void frequency_domains(Step& step) {
  for (Object* const quartz : step.objects_of("Quartz")) {
    if (quartz->owner() == nullptr) continue;  // the root of a file
    keep_value(step, *quartz, "type");
    for (Object* const frequency : quartz->children("frequency")) {
      frequency->move_to(*quartz, "defaultValue");
      // Until 0.7.0 frequencies were in hertz, and still are without a unit; a domain must state it.
      if (frequency->attribute_or("unit", "_undefined_") == "_undefined_") frequency->set("unit", "Hz");
    }
    quartz->move_to(step.part(*quartz, "hwModel", "HWModel"), "domains");
  }
  step.rename_class("Quartz", "FrequencyDomain");
}

namespace {

bool is_module(const Object& object) {
  return object.is("Core") || object.is("Memory") || object.is("Cache") || object.is("Network");
}

class Prescalers {
 public:
  explicit Prescalers(Step& step) : step_(step) {}

  /// Also for content of a node without its own prescaler.
  void visit(Object& node, Object* prescaler) {
    if (Object* const own = node.child("prescaler")) {
      prescaler = own;
      found_.push_back(own);
    }
    if (prescaler != nullptr && is_module(node)) drive(node, *prescaler);
    for (std::size_t i = 0; i < node.children().size(); ++i)
      if (Object& child = *node.children()[i]; !child.is("Prescaler")) visit(child, prescaler);
  }

  void take_out() {
    for (Object* const prescaler : found_) {
      Object& node = *prescaler->owner();
      // Only the name of a module remains; a structure has no domain.
      if (!is_module(node) || prescaler->references("quartz").empty()) {
        step_.keep_child(node, *prescaler);
        continue;
      }
      if (const auto name = prescaler->attribute("name"); name && !name->empty()) step_.keep(node, "prescaler", *name);
      if (said_.contains(prescaler))
        step_.drop(*prescaler, {"name", "quartz", "clockRatio"});
      else
        step_.drop(*prescaler, {"name"});
    }
  }

 private:
  void drive(Object& module, const Object& prescaler) {
    if (!module.references("frequencyDomain").empty()) return;
    const auto quartz = prescaler.references("quartz");
    if (quartz.empty()) return;
    const std::string_view stated = prescaler.attribute_or("clockRatio", "");
    double ratio = 0;
    std::from_chars(stated.data(), stated.data() + stated.size(), ratio);
    Object* const domain = step_.find(prescaler, quartz.front());
    if (ratio > 0 && ratio != 1 && domain == nullptr) step_.keep(module, "clockRatio", stated);
    if (ratio > 0 && ratio != 1 && domain != nullptr && quartz.front().kind == FieldKind::local)
      step_.refer(module, "frequencyDomain", divided(*domain, ratio, stated));
    else
      module.add_reference_like("frequencyDomain", quartz.front());
    if (ratio == 0 || ratio == 1 || domain == nullptr || quartz.front().kind == FieldKind::local)
      said_.insert(&prescaler);
    step_.changed(module);
  }

  /// The domain of the quartz with that ratio, shared by all users.
  Object& divided(const Object& domain, double ratio, std::string_view stated) {
    Object*& made = divided_[{&domain, ratio}];
    if (made != nullptr) return *made;
    made = &step_.part(domain, "hwModel", "HWModel").create("domains", "FrequencyDomain");
    made->fields() = domain.fields();
    made->set("name", fmt::format("{}__{}", domain.name(), stated));
    for (const Object* const property : domain.children("customProperties")) copy(*property, *made);
    for (const Object* const frequency : domain.children("defaultValue")) {
      Object& value = copy(*frequency, *made);
      const std::string_view number = frequency->attribute_or("value", "0");
      double hertz = 0;
      std::from_chars(number.data(), number.data() + number.size(), hertz);
      value.set("value", fmt::format("{}", hertz * ratio));
    }
    return *made;
  }

  Step& step_;
  Objects found_;
  std::unordered_set<const Object*> said_;  ///< whose domain and ratio a module has now
  std::map<std::pair<const Object*, double>, Object*> divided_;
};

}  // namespace

/// A module belongs to the domain of the quartz of the nearest enclosing prescaler. A ratio other than 1 creates a
/// separate domain, `<quartz>__<ratio>`; an unset ratio, 0, divides nothing.
void prescalers(Step& step) {
  Prescalers all(step);
  for (Object* const model : step.parts("hwModel")) all.visit(*model, nullptr);
  all.take_out();
}

void ports(Step& step) {
  for (Object* const port : step.objects_of("ComplexPort")) {
    if (const auto master = port->attribute("master")) {
      port->set("portType", *master == "true" ? "initiator" : "responder");
      port->unset("master");
    }
    port->rename_feature("schedValue", "priority");
    for (const char* const attribute : {"baseAddress", "addressRange", "direction", "writeCycles", "readCycles"})
      keep_value(step, *port, attribute);
  }
  step.rename_class("ComplexPort", "HwPort");
}

namespace {

/// The nodes of a feature in a node, then those in its memories and networks, which can hold nothing any more.
void collect(const Object& node, std::string_view feature, Objects& nodes) {
  for (Object* const child : node.children(feature)) nodes.push_back(child);
  for (const char* const holder : {"memories", "networks"})
    for (const Object* const child : node.children(holder)) collect(*child, feature, nodes);
}

void move_all(const Objects& nodes, Object& owner, std::string_view feature) {
  for (Object* const node : nodes) node->move_to(owner, feature);
}

void structure(Step& step, Object& node);

/// The content of a structure, or of a core in it.
void place_content(Step& step, Object& node, Object& owner) {
  Objects memories, networks, components, nested;
  collect(node, "memories", memories);
  collect(node, "networks", networks);
  collect(node, "components", components);
  collect(node, "nestedComponents", nested);
  for (Object* const memory : memories)
    if (&node != &owner && memory->is("Cache"))
      memory->move_to(node, "caches");
    else
      memory->move_to(owner, "modules");
  move_all(networks, owner, "modules");
  move_all(components, owner, "structures");
  move_all(nested, owner, "structures");
  for (const auto* const parts : {&components, &nested})
    for (Object* const component : *parts) structure(step, *component);
}

void structure(Step& step, Object& node) {
  for (const auto& [cls, type] :
       {std::pair{"HwSystem", "System"}, {"ECU", "ECU"}, {"Microcontroller", "Microcontroller"}})
    if (node.is(cls)) node.set("structureType", type);
  for (const char* const type : {"systemType", "ecuType", "microcontrollerType"}) step.keep_field(node, type);
  place_content(step, node, node);
  const auto cores = node.children("cores");
  move_all(cores, node, "modules");
  for (Object* const core : cores) place_content(step, *core, node);
  for (const char* const inner : {"ecus", "microcontrollers"}) {
    const auto parts = node.children(inner);
    move_all(parts, node, "structures");
    for (Object* const part : parts) structure(step, *part);
  }
}

}  // namespace

/// Memories and networks in other memories, networks and cores move to the enclosing structure; a component is a
/// structure without type.
void structures(Step& step) {
  for (Object* const model : step.parts("hwModel")) {
    const auto systems = model->children("system");
    move_all(systems, *model, "structures");
    for (Object* const system : systems) structure(step, *system);
  }
  for (const char* const cls : {"HwSystem", "ECU", "Microcontroller", "HwComponent"})
    step.rename_class(cls, "HwStructure");
  step.rename_class("Core", "ProcessingUnit");
  step.rename_class("Network", "ConnectionHandler");
}

/// A port stated its network; now a connection leads from it to a port of the handler.
void connections(Step& step) {
  for (Object* const port : step.objects_of("HwPort")) {
    const auto networks = port->references("network");
    if (networks.empty()) continue;
    Object* const handler = step.find(*port, networks.front());
    Object* owner = port->owner();
    while (owner != nullptr && !owner->is("HwStructure")) owner = owner->owner();
    if (handler == nullptr || owner == nullptr || &step.root_of(*handler) != &step.root_of(*port)) {
      step.keep_field(*port, "network");
      continue;
    }
    port->unset("network");
    const std::string base = fmt::format("{}_{}", port->owner()->name(), port->name());
    std::string name = base;
    const auto ports = handler->children("ports");
    for (std::size_t number = 2;
         std::any_of(ports.begin(), ports.end(), [&](const Object* one) { return one->name() == name; }); ++number)
      name = fmt::format("{}_{}", base, number);
    Object& other = handler->create("ports", "HwPort");
    other.set("name", name);
    if (const auto width = port->attribute("bitWidth")) other.set("bitWidth", *width);
    if (const auto type = port->attribute("portType"))
      other.set("portType", *type == "initiator" ? "responder" : "initiator");
    Object& connection = owner->create("connections", "HwConnection");
    connection.set("name", name);
    connection.add_reference("port1", step.id(*port), port);
    connection.add_reference("port2", step.id(other), &other);
    step.changed(*port, name);
  }
}

}  // namespace amalthea::migration::to_0_9_0_hardware
