// SPDX-License-Identifier: Apache-2.0
/// The document as a whole, its names and its references.
#include "reference/reading.hpp"

#include <set>

#include "reference/folding.hpp"

namespace reference {

Model Reader::read(std::string_view amxmi) {
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
  for (auto& label : model_.labels) {
    if (label.memory == none && model_.memories.size() == 1) label.memory = 0;  // AM0443
  }
  finish(model_, options_);
  return std::move(model_);
}

void Reader::enter(const Node& node, const std::string& type, std::size_t index, const std::string& prefix) {
  const auto computed = prefix + encoded(node.attribute("name").value()) + "?type=" + type;
  const std::string id = node.attribute("xmi:id").value();
  for (const auto& key : {computed, id}) {
    if (!key.empty()) ids_[key] = static_cast<Index>(index);
  }
}

template <class T>
void Reader::enter_all(const Node& parent, const char* list, const char* type, std::vector<T>& into) {
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

void Reader::modules(const Node& parent, const std::string& path) {
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

void Reader::names(const Node& root) {
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

Index Reader::token(const Node& node, const std::string& token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) throw Refused(at(node), fmt::format("'{}' is not in the model", token));
  return found->second;
}

Index Reader::refer(const Node& node, const char* name, bool required) const {
  const std::string value = node.attribute(name).value();
  if (value.empty() && required) throw Refused(at(node), fmt::format("{} is missing", name));
  return value.empty() ? none : token(node, value);
}

std::vector<Index> Reader::refer_all(const Node& node, const char* name) const {
  std::vector<Index> out;
  for (const auto& word : words(node.attribute(name).value())) out.push_back(token(node, word));
  return out;
}

/// Whether a reference leads to this class.
bool Reader::refers_to(const Node& node, const char* name, const char* type) {
  return std::string(node.attribute(name).value()).find(std::string("?type=") + type) != std::string::npos;
}

Properties Reader::properties(const Node& node, std::string_view keys) {
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
std::string Reader::value_of(const Node& node) {
  if (type_of(node) == "Time") return fmt::format("{} ps", time_of(node));
  return node.attribute("value").value();
}

Model read(std::string_view amxmi, const ReadOptions& options) { return Reader(options).read(amxmi); }

}  // namespace reference
