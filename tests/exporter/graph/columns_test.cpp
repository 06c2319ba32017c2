// SPDX-License-Identifier: Apache-2.0
// The layout of the graph's picture: tasks in columns, few crossings.

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "exporter/graph/detail/columns.hpp"

namespace graph_columns_test {

using namespace amalthea::exporter;
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

namespace {

Edges random_edges(std::mt19937& random, std::size_t nodes) {
  Edges edges;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t count = random() % (3 * nodes); count > 0; --count) {
    const std::pair<std::size_t, std::size_t> edge = {random() % nodes, random() % nodes};
    if (pairs.insert(std::minmax(edge.first, edge.second)).second) edges.push_back(edge);
  }
  return edges;
}

struct CellPlace {
  std::size_t column = 0, row = 0;
  bool there = false;
};
std::vector<CellPlace> places_of(const Columns& columns) {
  std::vector<CellPlace> places(columns.size);
  for (std::size_t column = 0; column < columns.cells.size(); ++column)
    for (std::size_t row = 0; row < columns.cells[column].size(); ++row) {
      CellPlace& place = places[columns.cells[column][row]];
      CHECK_FALSE(place.there);
      place = {column, row, true};
    }
  return places;
}

/// Every pair of edges compared.
std::size_t counted_crossings(const Columns& columns) {
  const auto places = places_of(columns);
  struct Piece {
    CellPlace from, to;
  };
  std::vector<Piece> pieces;
  for (const auto& route : columns.routes)
    for (std::size_t i = 1; i < route.size(); ++i) pieces.push_back({places[route[i - 1]], places[route[i]]});
  std::size_t count = 0;
  for (const Piece& a : pieces)
    for (const Piece& b : pieces)
      count += a.from.column == b.from.column && a.from.row < b.from.row && a.to.row > b.to.row ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("columns of the graph: edges run from column to column through one way point each") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t nodes = 1 + random() % 20;
    const Edges edges = random_edges(random, nodes);
    const Columns columns = columns_of(nodes, edges);
    const auto places = places_of(columns);
    REQUIRE(columns.routes.size() == edges.size());
    std::vector<bool> connected(nodes);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto& route = columns.routes[i];
      const auto [from, to] = edges[i];
      if (from == to) {
        CHECK(route == std::vector<std::size_t>{from});
        continue;
      }
      connected[from] = connected[to] = true;
      const auto ends = std::minmax(from, to);
      CHECK(std::minmax(route.front(), route.back()) == ends);
      for (std::size_t step = 1; step < route.size(); ++step) {
        CHECK(places[route[step]].column == places[route[step - 1]].column + 1);
        if (step + 1 < route.size()) CHECK(route[step] >= nodes);
      }
    }
    for (std::size_t node = 0; node < nodes; ++node) CHECK(places[node].there == connected[node]);
  }
}

TEST_CASE("columns of the graph: only edges that close a cycle point to the left") {
  const Columns chain = columns_of(4, {{2, 3}, {1, 2}, {0, 1}, {3, 0}});
  CHECK(chain.cells.size() == 4);
  CHECK(chain.routes[0] == std::vector<std::size_t>{2, 3});
  CHECK(chain.routes[3].front() == 0);
  CHECK(chain.routes[3].back() == 3);
  // A source stands next to what it feeds.
  const Columns late = columns_of(4, {{0, 1}, {1, 2}, {3, 2}});
  CHECK(late.cells == std::vector<std::vector<std::size_t>>{{0}, {1, 3}, {2}});
}

TEST_CASE("columns of the graph: barycenters never add crossings and mostly remove them") {
  std::mt19937 random(2);
  std::size_t before = 0, after = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t nodes = 2 + random() % 30;
    Columns columns = columns_of(nodes, random_edges(random, nodes));
    const std::size_t initially = crossings(columns);
    CHECK(initially == counted_crossings(columns));
    auto sorted = columns.cells;
    reduce_crossings(columns);
    CHECK(crossings(columns) == counted_crossings(columns));
    CHECK(crossings(columns) <= initially);
    for (std::size_t column = 0; column < sorted.size(); ++column)
      CHECK(std::is_permutation(sorted[column].begin(), sorted[column].end(), columns.cells[column].begin(),
                                columns.cells[column].end()));
    before += initially;
    after += crossings(columns);
  }
  CHECK(after * 2 < before);
  Columns twisted = columns_of(6, {{0, 5}, {1, 4}, {2, 3}});
  CHECK(crossings(twisted) == 3);
  reduce_crossings(twisted);
  CHECK(crossings(twisted) == 0);
}

TEST_CASE("columns of the graph: cells keep their order and do not overlap and edges are short") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t nodes = 2 + random() % 20;
    Columns columns = columns_of(nodes, random_edges(random, nodes));
    reduce_crossings(columns);
    std::vector<Extent> extents;
    for (std::size_t cell = 0; cell < columns.size; ++cell)
      extents.push_back({static_cast<std::int64_t>(random() % 50), static_cast<std::int64_t>(random() % 200)});
    const auto heights = heights_of(columns, extents);
    std::int64_t top = std::numeric_limits<std::int64_t>::max();
    for (const auto& cells : columns.cells) {
      CHECK_FALSE(cells.empty());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        top = std::min(top, heights[cells[i]] - extents[cells[i]].above);
        if (i > 0)
          CHECK(heights[cells[i]] - extents[cells[i]].above >= heights[cells[i - 1]] + extents[cells[i - 1]].below);
      }
    }
    if (!columns.cells.empty()) CHECK(top == 0);
  }
  // Two cells of the same height side by side are connected by a straight line; a third is halfway between its
  // neighbors.
  const auto straight = heights_of(columns_of(2, {{0, 1}}), {{10, 10}, {10, 50}});
  CHECK(straight[0] == straight[1]);
  const auto fork = heights_of(columns_of(3, {{0, 1}, {0, 2}}), {{10, 10}, {10, 50}, {10, 10}});
  CHECK(fork[0] == (fork[1] + fork[2]) / 2);
  // A separate part is right below another one, although that one is high.
  const auto parts = heights_of(columns_of(4, {{0, 1}, {2, 3}}), {{10, 10}, {10, 500}, {10, 10}, {10, 10}});
  CHECK(parts[3] == parts[1] + 510);
}

}  // namespace graph_columns_test
