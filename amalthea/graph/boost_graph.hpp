// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The graph of Boost.Graph behind a runnable graph: `boost::edges(system.graph.boost())` and all of its algorithms.

#include <boost/graph/adjacency_list.hpp>

#include "amalthea/graph/runnable_graph.hpp"

namespace amalthea {

struct BoostGraph : boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, GraphNode, GraphEdge> {};

}  // namespace amalthea
