#pragma once
/// \file
/// The runnable graph as text: Graphviz DOT and JSON.

#include <optional>
#include <string>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// The whole system's graph, one cluster per task; with `task`, that task's alone.
std::string render_graph_dot(const System& system, std::optional<TaskIndex> task);

/// `{"tasks": [{"name", "side", "core", "folded_into"?}], "nodes": [...], "edges": [{"from", "to", "kind", "label"}]}`;
/// nodes are numbered from 0 in the order of tasks and of execution. docs/results.md has the details.
std::string render_graph_json(const System& system, std::optional<TaskIndex> task);

}  // namespace amalthea::exporter
