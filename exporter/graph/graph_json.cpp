// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "amalthea/graph/boost_graph.hpp"
#include "exporter/graph/graph_formats.hpp"
#include "exporter/results/json_parts.hpp"

namespace amalthea::exporter {
namespace {

using Json = nlohmann::ordered_json;

Json cycles(const Cycles& value) {
  return {{"lower", value.lower}, {"average", value.average}, {"upper", value.upper}};
}

Json ticks(const System& system, const Ticks& value) {
  Json json = Json::object();
  if (value.otherwise) json["default"] = cycles(*value.otherwise);
  for (const auto& [definition, entry] : value.extended)
    json[system.platform.definitions[definition].name] = cycles(entry);
  return json;
}

/// What is particular to the kind of activity.
struct AddDetails {
  const System& system;
  Json& json;

  void operator()(const ReadLabel& read) const { access(read.label, read.count); }
  void operator()(const WriteLabel& write) const { access(write.label, write.count); }
  void operator()(const Compute& compute) const { json["ticks"] = ticks(system, compute.ticks); }
  void operator()(const Trigger& trigger) const { json["stimulus"] = system.stimuli[trigger.stimulus].name; }
  void operator()(const SetEvents& set) const {
    json["events"] = names_json(system.events, set.events);
    json["for"] = name_or_null(system.tasks, set.task);
  }
  void operator()(const ClearEvents& clear) const { json["events"] = names_json(system.events, clear.events); }
  void operator()(const WaitEvents& wait) const {
    json["events"] = names_json(system.events, wait.events);
    json["mask"] = wait.all ? "AND" : "OR";
    json["waiting"] = wait.active ? "active" : "passive";
  }
  void operator()(const Copy& copy) const {
    json["bytes"] = copy.size.bytes;
    json["reads"] = names_json(system.labels, copy.sources);
    json["writes"] = names_json(system.labels, copy.destinations);
  }
  void operator()(const Kernel& kernel) const { json["ticks"] = ticks(system, kernel.ticks); }
  void operator()(const UseSemaphore& use) const {
    json["semaphore"] = system.semaphores[use.semaphore].name;
    if (use.operation == UseSemaphore::Operation::release) return;
    json["exclusive"] = use.operation == UseSemaphore::Operation::exclusive;
    json["waiting"] = use.active ? "active" : "passive";
  }
  void operator()(const Branch& branch) const {
    json["repeats"] = branch.repeats;
    json["alternatives"] = Json::array();
    for (const Branch::Alternative& alternative : branch.alternatives)
      json["alternatives"].push_back(
          {{"guard", describe(system, alternative.guard)}, {"activities", alternative.length}});
  }
  void operator()(const SetMode& set) const {
    const Mode& mode = system.modes[set.mode];
    json["mode"] = mode.name;
    if (set.operation == SetMode::Operation::set)
      json["value"] = mode_value_name(mode, set.value);
    else
      json[set.operation == SetMode::Operation::increment ? "increment" : "decrement"] = set.value;
  }
  template <typename Other>
  void operator()(const Other&) const {}

 private:
  void access(LabelIndex label, const AccessCount& count) const {
    json["label"] = system.labels[label].name;
    json["bytes"] = system.labels[label].size.bytes;
    if (count.least != 1 || count.most != 1)
      json["accesses"] = {{"min", count.least}, {"avg", count.average}, {"max", count.most}};
  }
};

Json node(const System& system, const RunnableGraph& graph, NodeIndex index) {
  const GraphNode& payload = graph[index];
  Json json = {{"id", index},
               {"task", system.tasks[payload.task].name},
               {"kind", kind_name(payload.activity)},
               {"name", payload.name}};
  json["runnable"] = name_or_null(system.runnables, payload.runnable);
  std::visit(AddDetails{system, json}, payload.activity);
  return json;
}

Json task_json(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  Json json = {{"name", task.name},
               {"side", task.side == Side::device ? "device" : "host"},
               {"core", system.platform.units[task.unit].name}};
  if (task.units.size() > 1) json["cores"] = names_json(system.platform.units, task.units);
  if (task.kind != ProcessKind::task) json["isr_category"] = task.kind == ProcessKind::isr_category1 ? 1 : 2;
  if (task.folded_into) json["folded_into"] = system.tasks[*task.folded_into].name;
  return json;
}

/// The text of an object of lists, as written() writes it, item by item: the values of all nodes and edges of a large
/// graph would take many times the memory of their text.
class Lists {
 public:
  void begin(std::string_view name) {
    text_ += fmt::format("{}\n  \"{}\": [", text_.empty() ? "{" : ",", name);
    items_ = 0;
  }
  void add(const Json& item) {
    const std::string text = written(item);
    text_ += items_++ == 0 ? "\n    " : ",\n    ";
    std::string_view lines = text;
    lines.remove_suffix(1);  // the line end
    for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n')) {
      text_.append(lines.substr(0, end + 1)).append("    ");
      lines.remove_prefix(end + 1);
    }
    text_ += lines;
  }
  void end() { text_ += items_ == 0 ? "]" : "\n  ]"; }
  std::string whole() { return std::move(text_.append("\n}\n")); }

 private:
  std::string text_;
  std::size_t items_ = 0;
};

}  // namespace

std::string render_graph_json(const System& system, std::optional<TaskIndex> task) {
  std::optional<RunnableGraph> part;
  if (task) part = task_graph(system, *task);
  const RunnableGraph& graph = part ? *part : system.graph;
  Lists lists;
  lists.begin("tasks");
  for (TaskIndex index = 0; index < system.tasks.size(); ++index)
    if (!task || *task == index) lists.add(task_json(system, index));
  lists.end();
  lists.begin("nodes");
  for (NodeIndex index = 0; index < graph.size(); ++index) lists.add(node(system, graph, index));
  lists.end();
  lists.begin("edges");
  for (const auto edge : boost::make_iterator_range(boost::edges(graph.boost())))
    lists.add({{"from", boost::source(edge, graph.boost())},
               {"to", boost::target(edge, graph.boost())},
               {"kind", to_string(graph.boost()[edge].kind)},
               {"label", graph.boost()[edge].label}});
  lists.end();
  return lists.whole();
}

}  // namespace amalthea::exporter
