// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Runnable graphs: the activities of tasks as a directed graph (Boost.Graph).
///
/// Vertices are activities (activity.hpp). The kind of an edge states why one follows another. There is one graph for
/// the system; `task_graph` (system.hpp) extracts that of one task.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "amalthea/graph/activity.hpp"
#include "amalthea/origin.hpp"

namespace amalthea {

struct GraphNode {
  /// display name; operations of a device task are "<task>.h2d", "<task>.kernel", "<task>.d2h", …
  std::string name;
  Activity activity;
  TaskIndex task = 0;
  std::optional<RunnableIndex> runnable;  ///< the runnable it belongs to
  Origin origin;
  std::uint32_t depth = 0;  ///< depth of nested runnable calls; 1 in a runnable that the task calls
  /// number of the group of activities in any order that it belongs to, from 1 in each task, the outermost if several;
  /// 0: none
  std::uint32_t unordered = 0;
};

enum class EdgeKind : std::uint8_t {
  /// next activity of the same task; from a branch to the first of every alternative, and to the next activity if none
  /// may be taken; from the last of a loop back to it
  sequence,
  trigger,  ///< inter-process trigger → first activity of the activated task
  event,    ///< event set → event awaited; one per awaiting activity and setting task
  data,     ///< label written → label read; one per label and pair of tasks, from the last write to the first read
};
std::string_view to_string(EdgeKind);

struct GraphEdge {
  EdgeKind kind = EdgeKind::sequence;
  /// the label, event or stimulus; for sequence the guard of the alternative it leads to, or ""
  std::string label;
};

using NodeIndex = std::size_t;  ///< in order of addition, from 0

struct BoostGraph;  ///< boost_graph.hpp

/// A value type. Hides Boost's templates, since most users of nodes do not need them.
class RunnableGraph {
 public:
  RunnableGraph();
  RunnableGraph(const RunnableGraph&);
  RunnableGraph(RunnableGraph&&) noexcept;
  RunnableGraph& operator=(const RunnableGraph&);
  RunnableGraph& operator=(RunnableGraph&&) noexcept;
  ~RunnableGraph();

  std::size_t size() const;  ///< number of nodes
  const GraphNode& operator[](NodeIndex) const;
  GraphNode& operator[](NodeIndex);
  /// Reserves memory for this number of nodes.
  void reserve(std::size_t nodes);
  NodeIndex add(GraphNode node);
  void connect(NodeIndex from, NodeIndex to, GraphEdge edge);

  /// For edges and algorithms; needs boost_graph.hpp.
  const BoostGraph& boost() const { return *graph_; }
  BoostGraph& boost() { return *graph_; }

 private:
  std::unique_ptr<BoostGraph> graph_;
};

}  // namespace amalthea
