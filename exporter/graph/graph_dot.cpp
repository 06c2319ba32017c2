// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include <fmt/core.h>

#include "amalthea/graph/boost_graph.hpp"
#include "exporter/graph/detail/graph_text.hpp"
#include "exporter/graph/graph_formats.hpp"
#include "exporter/primitives/dot.hpp"

namespace amalthea::exporter {
namespace {

std::string_view shape_of(const Activity& activity) {
  const std::string_view kind = kind_name(activity);
  if (kind == "read" || kind == "write") return "note";
  if (kind == "ticks" || kind == "call") return "box";
  if (kind == "kernel") return "box3d";
  if (kind == "branch") return "diamond";
  if (kind == "h2d" || kind == "d2h" || kind == "memset") return "cds";
  return "ellipse";
}

std::string_view style_of(EdgeKind kind) {
  constexpr std::array<std::string_view, 4> styles{"color=black", "color=\"#0072b2\", style=bold",
                                                   "color=\"#d55e00\", style=dashed",
                                                   "color=\"#999999\", style=dotted"};
  return styles[static_cast<std::size_t>(kind)];
}

std::string label_of(const System& system, const GraphNode& node) {
  std::string text = "\"";
  for (const std::string& line : describe(system, node)) {
    const std::string part = dot_quoted(line);
    if (text.size() > 1) text += "\\n";
    text.append(part, 1, part.size() - 2);
  }
  return text + "\"";
}

void add_node(std::string& out, const System& system, const RunnableGraph& graph, NodeIndex node,
              std::string_view indent) {
  out += fmt::format("{}n{} [label={}, shape={}];\n", indent, node, label_of(system, graph[node]),
                     shape_of(graph[node].activity));
}

void add_edges(std::string& out, const RunnableGraph& graph) {
  for (const auto edge : boost::make_iterator_range(boost::edges(graph.boost()))) {
    const GraphEdge& payload = graph.boost()[edge];
    out += fmt::format("  n{} -> n{} [{}{}];\n", boost::source(edge, graph.boost()), boost::target(edge, graph.boost()),
                       style_of(payload.kind), payload.label.empty() ? "" : ", label=" + dot_quoted(payload.label));
  }
}

}  // namespace

std::string render_graph_dot(const System& system, std::optional<TaskIndex> task) {
  std::string out =
      "digraph runnable_graph {\n  rankdir=LR;\n  fontname=Helvetica;\n  node [fontname=Helvetica, fontsize=10];\n  "
      "edge [fontname=Helvetica, fontsize=8];\n";
  if (task) {
    const RunnableGraph graph = task_graph(system, *task);
    for (NodeIndex node = 0; node < graph.size(); ++node) add_node(out, system, graph, node, "  ");
    add_edges(out, graph);
    return out + "}\n";
  }
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& candidate = system.tasks[index];
    if (candidate.body.empty()) continue;
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n    style=rounded;\n    color={};\n", index,
                       dot_quoted(fmt::format("{} on {}", candidate.name, system.platform.units[candidate.unit].name)),
                       candidate.side == Side::device ? "\"#009e73\"" : "\"#666666\"");
    for (const NodeIndex node : candidate.body) add_node(out, system, system.graph, node, "    ");
    out += "  }\n";
  }
  add_edges(out, system.graph);
  return out + "}\n";
}

}  // namespace amalthea::exporter
