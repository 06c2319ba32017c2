#include "amalthea/graph/system.hpp"

#include <array>

namespace amalthea {

std::string_view kind_name(const Activity& activity) {
  constexpr std::array<std::string_view, 10> names{"call", "read",  "write", "ticks", "trigger",
                                                   "set",  "clear", "wait",  "",      "kernel"};
  static_assert(names.size() == std::variant_size_v<Activity>);
  if (const auto* copy = std::get_if<Copy>(&activity)) {
    switch (copy->kind) {
      case CopyKind::host_to_device:
        return "h2d";
      case CopyKind::device_to_host:
        return "d2h";
      case CopyKind::memset:
        return "memset";
    }
  }
  return names[activity.index()];
}

std::string_view to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::sequence:
      return "sequence";
    case EdgeKind::trigger:
      return "trigger";
    case EdgeKind::event:
      return "event";
    case EdgeKind::data:
      return "data";
  }
  return "sequence";
}

const MemoryAccess* access_to(const ProcessingUnit& unit, const Label& label) {
  if (!label.memory) return unit.accesses.size() == 1 ? &unit.accesses.front() : nullptr;
  for (const MemoryAccess& access : unit.accesses)
    if (access.memory == *label.memory) return &access;
  return nullptr;
}

RunnableGraph task_graph(const System& system, TaskIndex task) {
  RunnableGraph graph;
  std::vector<NodeIndex> position(boost::num_vertices(system.graph));
  for (const NodeIndex node : system.tasks[task].body) position[node] = boost::add_vertex(system.graph[node], graph);
  for (const auto edge : boost::make_iterator_range(boost::edges(system.graph))) {
    const NodeIndex from = boost::source(edge, system.graph), to = boost::target(edge, system.graph);
    const bool inside = system.graph[from].task == task && system.graph[to].task == task;
    if (inside && system.graph[edge].kind == EdgeKind::sequence)
      boost::add_edge(position[from], position[to], system.graph[edge], graph);
  }
  return graph;
}

}  // namespace amalthea
