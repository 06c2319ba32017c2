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
void RunnableGraph::reserve(std::size_t nodes) { graph_->m_vertices.reserve(nodes); }
NodeIndex RunnableGraph::add(GraphNode node) {
  const NodeIndex added = boost::add_vertex(*graph_);
  (*graph_)[added] = std::move(node);
  return added;
}
void RunnableGraph::connect(NodeIndex from, NodeIndex to, GraphEdge edge) {
  const auto added = boost::add_edge(from, to, *graph_).first;
  (*graph_)[added] = std::move(edge);
}

}  // namespace amalthea
