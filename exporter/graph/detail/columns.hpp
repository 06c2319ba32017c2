// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A layered layout of a directed graph, in the manner of Sugiyama, Tagawa and Toda ("Methods for Visual Understanding
/// of Hierarchical System Structures", 1981): nodes in columns, edges from left to right, few crossings. It uses no
/// random choice and no measured text, so the same graph has the same layout everywhere.

#include <cstdint>
#include <utility>
#include <vector>

namespace amalthea::exporter {

/// Cells 0 … nodes-1 are the nodes. The others are way points: an edge has one in each column between its ends.
struct Columns {
  std::vector<std::vector<std::size_t>> cells;   ///< per column, from top to bottom; no nodes without edges
  std::vector<std::vector<std::size_t>> routes;  ///< per edge: its cells from left to right; one cell if it is a loop
  std::size_t size = 0;                          ///< number of cells
};

/// The columns, each with its nodes in the order of their numbers, then its way points in the order of the edges. An
/// edge that would close a cycle with edges before it in the list points to the left; its route begins at its target.
/// The column of a node is the length of the longest path to it, or one that shortens its edges. Very long edges of
/// large graphs have no way points.
Columns columns_of(std::size_t nodes, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

/// Pairs of edges that cross between two adjacent columns.
std::size_t crossings(const Columns& columns);

/// Orders the cells of each column by the barycenters of their neighbors in the column before and then after, several
/// times; cells with the same barycenter keep their order. Keeps the best order seen, so that crossings never increase.
void reduce_crossings(Columns& columns);

struct Extent {
  std::int64_t above = 0, below = 0;  ///< the place where the edges of a cell meet
};

/// Per cell, the height at which its edges meet it: near those of its neighbors, while cells of a column keep their
/// order and do not overlap. The topmost cell begins at 0; nodes without edges are at 0 too.
std::vector<std::int64_t> heights_of(const Columns& columns, const std::vector<Extent>& extents);

}  // namespace amalthea::exporter
