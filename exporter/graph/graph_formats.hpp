// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The runnable graph as text: Graphviz DOT, JSON, and a picture.

#include <optional>
#include <string>

#include "amalthea/graph/system.hpp"

namespace amalthea::exporter {

/// The whole system's graph, one cluster per task; with `task`, that task's alone.
std::string render_graph_dot(const System& system, std::optional<TaskIndex> task);

/// `{"tasks": [{"name", "side", "core", "folded_into"?}], "nodes": [...], "edges": [{"from", "to", "kind", "label"}]}`;
/// nodes are numbered from 0 in the order of tasks and of execution. docs/reference/results.md has the details.
std::string render_graph_json(const System& system, std::optional<TaskIndex> task);

/// SVG, laid out here, so that it is the same on every machine: a band per task, in it boxes in the order of execution,
/// one for what a runnable does without a branch; edges between tasks along lines on the right. With `task`, that
/// task's band alone.
std::string render_graph_svg(const System& system, std::optional<TaskIndex> task);

/// The same where the graph has no more than `most` activities; else one box per task in a band per processing unit,
/// and one arrow for all edges of a kind between two tasks.
std::string render_graph_overview_svg(const System& system, std::size_t most = 400);

}  // namespace amalthea::exporter
