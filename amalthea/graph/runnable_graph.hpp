// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Runnable graphs: what tasks do, as a directed graph (Boost.Graph).
///
/// Vertices are activities (activity.hpp). Edges say why one comes after another. There is one graph for the system;
/// `task_graph` (system.hpp) cuts out that of one task.

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
  std::string name;  ///< for people; operations of a device task are "<task>.h2d", "<task>.kernel", "<task>.d2h", …
  Activity activity;
  TaskIndex task = 0;
  std::optional<RunnableIndex> runnable;  ///< the runnable it belongs to
  Origin origin;
  std::uint32_t depth = 0;  ///< how many runnables are open here that call one another; 1 in one that the task calls
};

enum class EdgeKind : std::uint8_t {
  sequence,  ///< next activity of the same task; from a branch to the first of every alternative, and to what follows
             ///< where none may be taken; from the last of a loop back to it
  trigger,   ///< inter-process trigger → first activity of the activated task
  event,     ///< event set → event awaited; one per awaiting activity and setting task
  data,      ///< label written → label read; one per label and pair of tasks, from the last write to the first read
};
std::string_view to_string(EdgeKind);

struct GraphEdge {
  EdgeKind kind = EdgeKind::sequence;
  std::string label;  ///< the label, event or stimulus; of sequence the guard of the alternative it leads into, or ""
};

using NodeIndex = std::size_t;  ///< in order of addition, from 0

struct BoostGraph;  ///< boost_graph.hpp

/// A value. Boost's templates stay behind it: most of those who look at nodes need none of them.
class RunnableGraph {
 public:
  RunnableGraph();
  RunnableGraph(const RunnableGraph&);
  RunnableGraph(RunnableGraph&&) noexcept;
  RunnableGraph& operator=(const RunnableGraph&);
  RunnableGraph& operator=(RunnableGraph&&) noexcept;
  ~RunnableGraph();

  std::size_t size() const;  ///< nodes
  const GraphNode& operator[](NodeIndex) const;
  GraphNode& operator[](NodeIndex);
  NodeIndex add(const GraphNode& node);
  void connect(NodeIndex from, NodeIndex to, const GraphEdge& edge);

  /// For edges and algorithms, with boost_graph.hpp.
  const BoostGraph& boost() const { return *graph_; }
  BoostGraph& boost() { return *graph_; }

 private:
  std::unique_ptr<BoostGraph> graph_;
};

}  // namespace amalthea
