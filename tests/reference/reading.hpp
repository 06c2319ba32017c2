// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names and references. Reading AMALTHEA 3.3.0 has layers, each a class on top of another one: names, software,
/// platform, and the model (reader.cpp). Every element and attribute is used, listed as without meaning for time, or
/// Refused.

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/reading_values.hpp"

namespace reference {

class Names {
 protected:
  explicit Names(const Node& root) {
    // The list of each class whose objects others refer to, and where they are; "": the class that the element states.
    static constexpr struct {
      const char *list, *type, *path;
    } classes[] = {{"tasks", "Task", "swModel/tasks"},
                   {"tasks", "ISR", "swModel/isrs"},
                   {"runnables", "Runnable", "swModel/runnables"},
                   {"labels", "Label", "swModel/labels"},
                   {"sections", "Section", "swModel/sections"},
                   {"OS events", "OsEvent", "swModel/events"},
                   {"mode labels", "ModeLabel", "swModel/modeLabels"},
                   {"modes", "", "swModel/modes"},
                   {"process chains", "ProcessChain", "swModel/processChains"},
                   {"semaphores", "Semaphore", "osModel/semaphores"},
                   {"algorithms", "SchedulerDefinition", "osModel/schedulerDefinitions"},
                   {"parameters", "SchedulingParameterDefinition", "osModel/schedulingParameterDefinitions"},
                   {"overheads", "OsOverhead", "osModel/osOverheads"},
                   {"schedulers", "TaskScheduler", "osModel/operatingSystems/taskSchedulers"},
                   {"schedulers", "InterruptController", "osModel/operatingSystems/interruptControllers"},
                   {"stimuli", "", "stimuliModel/stimuli"},
                   {"events", "", "eventModel/events"},
                   {"chains", "EventChain", "constraintsModel/eventChains"},
                   {"definitions", "", "hwModel/definitions"},
                   {"domains", "", "hwModel/domains"},
                   {"units", "ProcessingUnit", "hwModel//modules[@xsi:type='am:ProcessingUnit']"},
                   {"memories", "Memory", "hwModel//modules[@xsi:type='am:Memory']"}};
    for (const auto& one : classes) {
      auto& list = nodes_[one.list];
      for (const auto& found : root.select_nodes(one.path)) {
        const auto node = found.node();
        const auto type = *one.type == '\0' ? type_of(node) : one.type;
        ids_[text_of(node, "xmi:id")] = ids_[encoded(text_of(node, "name")) + "?type=" + type] =
            static_cast<Index>(list.size());
        list.push_back(node);
      }
    }
  }

  const std::vector<Node>& nodes(const char* list) const { return nodes_.at(list); }
  std::string name(const char* list, Index index) const { return text_of(nodes(list)[index], "name"); }

  /// Adds what `fill` reads of each element of a list. Its place is what references to it become.
  template <class T, class Fill>
  void read_all(const char* list, std::vector<T>& into, const Fill& fill) {
    for (const auto& node : nodes(list)) {
      auto& one = into.emplace_back();
      one.name = text_of(node, "name");
      fill(node, one);
    }
  }

  std::vector<Index> refer_all(const Node& node, const char* attribute) const {
    std::vector<Index> out;
    for (const auto& word : words(node.attribute(attribute).value())) {
      const auto found = ids_.find(word);
      if (found == ids_.end()) throw Refused(at(node), fmt::format("'{}' is not in the model", word));
      out.push_back(found->second);
    }
    return out;
  }
  Index refer(const Node& node, const char* attribute, bool required = false) const {
    const auto all = refer_all(node, attribute);
    if (all.empty() && required) throw Refused(at(node), fmt::format("{} is missing", attribute));
    return all.empty() ? none : all[0];
  }
  /// Whether a reference leads to this class.
  static bool refers_to(const Node& node, const char* attribute, const std::string& type) {
    return text_of(node, attribute).find("?type=" + type) != std::string::npos;
  }

  /// A parameter or property as text.
  static std::string value_of(const Node& node) {
    return type_of(node) == "Time" ? fmt::format("{} ps", time_of(node)) : text_of(node, "value");
  }
  static Properties properties(const Node& node, std::string_view keys) {
    Properties out;
    for (const auto& property : node.children("customProperties")) {
      const auto key = text_of(property, "key");
      if (key.rfind("gpu.", 0) != 0) continue;
      place_of(at(node), key.substr(4), keys);
      out.emplace(key, value_of(property.child("value")));
    }
    return out;
  }

 private:
  std::map<std::string, std::vector<Node>> nodes_;
  std::map<std::string, Index> ids_;
};

}  // namespace reference
