// Vertices and edges of the system's runnable graph.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "importer/detail/build_context.hpp"

namespace amalthea::importer::detail {
namespace {

/// What leads to the next activity, and the words on that edge.
struct Open {
  NodeIndex node;
  std::string label;
};

/// Sequence edges between the activities [begin, end) of a body. `open` is what leads into them, then what leads out.
void add_sequence(System& system, const std::vector<NodeIndex>& body, std::size_t begin, std::size_t end,
                  std::vector<Open>& open) {
  const auto connect = [&system](const std::vector<Open>& from, NodeIndex to) {
    for (const Open& one : from) system.graph.connect(one.node, to, GraphEdge{EdgeKind::sequence, one.label});
  };
  for (std::size_t i = begin; i < end; ++i) {
    const NodeIndex node = body[i];
    connect(open, node);
    open.clear();
    const auto* branch = std::get_if<Branch>(&system.graph[node].activity);
    if (branch == nullptr) {
      if (!std::holds_alternative<Terminate>(system.graph[node].activity)) open.push_back({node, {}});
      continue;
    }
    bool one_is_taken = false;
    for (std::size_t a = 0; a < branch->alternatives.size(); ++a) {  // adding edges moves no vertex
      const auto& [guard, length] = branch->alternatives[a];
      std::vector<Open> inner{{node, describe(system, guard)}};
      add_sequence(system, body, i + 1, i + 1 + length, inner);
      if (branch->repeats && a == 0) {
        if (length > 0) connect(inner, node);
      } else {
        open.insert(open.end(), inner.begin(), inner.end());
      }
      one_is_taken =
          one_is_taken || std::holds_alternative<Otherwise>(guard) || std::holds_alternative<Probability>(guard);
      i += length;
    }
    if (!one_is_taken) open.push_back({node, "otherwise"});
  }
}

void add_vertices(BuildContext& context) {
  System& system = context.system;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    auto& body = system.tasks[task].body;
    for (GraphNode& node : context.raw_bodies[task]) body.push_back(system.graph.add(std::move(node)));
    std::vector<Open> open;
    add_sequence(system, body, 0, body.size(), open);
  }
  context.raw_bodies.clear();
}

template <typename A>
const A* activity_at(const System& system, NodeIndex node) {
  return std::get_if<A>(&system.graph[node].activity);
}

void add_trigger_edges(System& system) {
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* trigger = activity_at<Trigger>(system, node))
      for (const TaskIndex task : system.stimuli[trigger->stimulus].activates)
        if (!system.tasks[task].body.empty())
          system.graph.connect(node, system.tasks[task].body.front(),
                               GraphEdge{EdgeKind::trigger, system.stimuli[trigger->stimulus].name});
}

/// Events that one task sets for another, or for all, are one relation, however often they are set: its last activity
/// that sets them stands for it.
void add_event_edges(System& system) {
  using Receiver = std::optional<TaskIndex>;
  std::vector<std::map<std::pair<TaskIndex, Receiver>, NodeIndex>> setters(system.events.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node)
    if (const auto* set = activity_at<SetEvents>(system, node))
      for (const EventIndex event : set->events) setters[event][{system.graph[node].task, set->task}] = node;
  for (NodeIndex to = 0; to < system.graph.size(); ++to)
    if (const auto* wait = activity_at<WaitEvents>(system, to))
      for (const EventIndex event : wait->events)
        for (const auto& [who, from] : setters[event])
          if (!who.second || *who.second == system.graph[to].task)
            system.graph.connect(from, to, GraphEdge{EdgeKind::event, system.events[event].name});
}

/// Labels that an activity reads or writes.
std::vector<LabelIndex> labels_of(const Activity& activity, bool written) {
  if (const auto* read = std::get_if<ReadLabel>(&activity))
    return written ? std::vector<LabelIndex>{} : std::vector{read->label};
  if (const auto* write = std::get_if<WriteLabel>(&activity))
    return written ? std::vector{write->label} : std::vector<LabelIndex>{};
  if (const auto* copy = std::get_if<Copy>(&activity)) return written ? copy->destinations : copy->sources;
  return {};
}

/// One edge per label and pair of tasks, from the last activity that writes it to the first that reads it.
void add_data_edges(System& system) {
  std::vector<std::map<TaskIndex, NodeIndex>> writers(system.labels.size()), readers(system.labels.size());
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const TaskIndex task = system.graph[node].task;
    for (const LabelIndex label : labels_of(system.graph[node].activity, true)) writers[label][task] = node;
    for (const LabelIndex label : labels_of(system.graph[node].activity, false)) readers[label].emplace(task, node);
  }
  for (LabelIndex label = 0; label < system.labels.size(); ++label)
    for (const auto& [writer, from] : writers[label])
      for (const auto& [reader, to] : readers[label])
        if (writer != reader) system.graph.connect(from, to, GraphEdge{EdgeKind::data, system.labels[label].name});
}

/// A unit that reaches a memory through no access element would make accesses free without anybody noticing.
void report_free_accesses(BuildContext& context) {
  System& system = context.system;
  std::set<UnitIndex> reported;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    const Task& task = system.tasks[system.graph[node].task];
    const std::vector<UnitIndex> units = task.units.empty() ? std::vector{task.unit} : task.units;
    for (const bool written : {false, true})
      for (const LabelIndex label : labels_of(system.graph[node].activity, written))
        for (const UnitIndex unit : units) {
          if (access_to(system.platform.units[unit], system.labels[label]) != nullptr || !reported.insert(unit).second)
            continue;
          const Element element = context.model.element(system.platform.units[unit].origin);
          context.diagnostics.add(
              "AM0411", Severity::warning,
              fmt::format("processing unit \"{}\" has no accessElement for the memory of label "
                          "\"{}\"; such accesses take no time in the analysis; add one with its latency or data rate",
                          system.platform.units[unit].name, system.labels[label].name),
              element.location(), element.path());
        }
  }
}

void report_missing_setters(BuildContext& context) {
  const System& system = context.system;
  for (NodeIndex node = 0; node < system.graph.size(); ++node) {
    if (activity_at<WaitEvents>(system, node) == nullptr) continue;
    const auto in = boost::in_edges(node, system.graph.boost());
    const bool set = std::any_of(in.first, in.second,
                                 [&](const auto& edge) { return system.graph.boost()[edge].kind == EdgeKind::event; });
    if (set) continue;
    const Element element = context.model.element(system.graph[node].origin);
    context.diagnostics.add("AM0413", Severity::warning,
                            fmt::format("task \"{}\" waits for {}, which no task sets; it waits for ever; add a "
                                        "SetEvent to the task that is awaited",
                                        system.tasks[system.graph[node].task].name, system.graph[node].name),
                            element.location(), element.path());
  }
}

}  // namespace

void build_graph(BuildContext& context) {
  add_vertices(context);
  add_trigger_edges(context.system);
  add_event_edges(context.system);
  add_data_edges(context.system);
  report_free_accesses(context);
  report_missing_setters(context);
}

}  // namespace amalthea::importer::detail
