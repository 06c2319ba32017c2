// SPDX-License-Identifier: Apache-2.0
#include "amalthea/graph/runnable_graph.hpp"

#include <utility>

#include "amalthea/graph/boost_graph.hpp"

namespace amalthea {

RunnableGraph::RunnableGraph() : graph_(std::make_unique<BoostGraph>()) {}
RunnableGraph::RunnableGraph(const RunnableGraph& other) : graph_(std::make_unique<BoostGraph>(*other.graph_)) {}
RunnableGraph::RunnableGraph(RunnableGraph&& other) noexcept = default;
RunnableGraph& RunnableGraph::operator=(const RunnableGraph& other) {
  graph_ = std::make_unique<BoostGraph>(*other.graph_);
  return *this;
}
RunnableGraph& RunnableGraph::operator=(RunnableGraph&& other) noexcept = default;
RunnableGraph::~RunnableGraph() = default;

std::size_t RunnableGraph::size() const { return boost::num_vertices(*graph_); }
const GraphNode& RunnableGraph::operator[](NodeIndex node) const { return (*graph_)[node]; }
GraphNode& RunnableGraph::operator[](NodeIndex node) { return (*graph_)[node]; }
NodeIndex RunnableGraph::add(const GraphNode& node) { return boost::add_vertex(node, *graph_); }
void RunnableGraph::connect(NodeIndex from, NodeIndex to, const GraphEdge& edge) {
  boost::add_edge(from, to, edge, *graph_);
}

}  // namespace amalthea
