// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The runnable graph as text: Graphviz DOT, JSON, and a drawing.

#include <optional>
#include <string>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// The graph of the whole system, one cluster per task; with `task`, only that of the task.
std::string render_graph_dot(const System& system, std::optional<TaskIndex> task);

/// `{"tasks": [{"name", "side", "core", "folded_into"?}], "nodes": [...], "edges": [{"from", "to", "kind", "label"}]}`;
/// nodes are numbered from 0 in the order of tasks and of execution. docs/reference/results.md describes the details.
std::string render_graph_json(const System& system, std::optional<TaskIndex> task);

/// SVG with our own layout, so that it is the same on every machine: tasks in columns (detail/columns.hpp), each with
/// boxes in the order of execution, one for each part of a runnable without a branch. One arrow shows all data that one
/// task writes and another reads. With `task`, only that task.
std::string render_graph_svg(const System& system, std::optional<TaskIndex> task);

/// The same if the graph has at most `most` activities; otherwise one box per task.
std::string render_graph_overview_svg(const System& system, std::size_t most = 400);

}  // namespace amalthea::exporter
