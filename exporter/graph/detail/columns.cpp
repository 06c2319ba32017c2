// SPDX-License-Identifier: Apache-2.0
#include "exporter/graph/detail/columns.hpp"

#include <algorithm>
#include <limits>

namespace amalthea::exporter {
namespace {

using CellIndex = std::size_t;
using CellList = std::vector<CellIndex>;

constexpr std::size_t max_way_points = 20'000;
constexpr int sweeps = 12;

/// The cells of the adjacent column that edges connect a cell with, once per edge.
struct Neighbors {
  std::vector<CellList> left, right;

  explicit Neighbors(const Columns& columns) : left(columns.size), right(columns.size) {
    std::vector<std::size_t> column(columns.size);
    for (std::size_t index = 0; index < columns.cells.size(); ++index)
      for (const CellIndex cell : columns.cells[index]) column[cell] = index;
    for (const CellList& route : columns.routes)
      for (std::size_t step = 1; step < route.size(); ++step) {
        if (column[route[step]] != column[route[step - 1]] + 1) continue;  // without way points
        right[route[step - 1]].push_back(route[step]);
        left[route[step]].push_back(route[step - 1]);
      }
  }
};

bool reaches(const std::vector<CellList>& next, CellIndex from, CellIndex to) {
  std::vector<bool> seen(next.size());
  CellList open = {from};
  while (!open.empty()) {
    const CellIndex cell = open.back();
    open.pop_back();
    if (cell == to) return true;
    if (seen[cell]) continue;
    seen[cell] = true;
    open.insert(open.end(), next[cell].begin(), next[cell].end());
  }
  return false;
}

/// `next` has no cycles. First the longest path from the left, then as far to the right as edges do not get longer.
std::vector<std::size_t> columns_by_path(const std::vector<CellList>& next) {
  std::vector<std::size_t> column(next.size()), waiting(next.size());
  for (const CellList& targets : next)
    for (const CellIndex target : targets) ++waiting[target];
  const std::vector<std::size_t> incoming = waiting;
  CellList order;
  for (CellIndex node = 0; node < next.size(); ++node)
    if (waiting[node] == 0) order.push_back(node);
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const CellIndex target : next[order[at]]) {
      column[target] = std::max(column[target], column[order[at]] + 1);
      if (--waiting[target] == 0) order.push_back(target);
    }
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if (next[*node].empty() || next[*node].size() < incoming[*node]) continue;
    std::size_t nearest = next.size();
    for (const CellIndex target : next[*node]) nearest = std::min(nearest, column[target]);
    column[*node] = nearest - 1;
  }
  return column;
}

void order_by(CellList& cells, const std::vector<CellList>& neighbors, const std::vector<std::size_t>& position) {
  std::vector<std::pair<double, CellIndex>> keys;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    const CellList& others = neighbors[cells[index]];
    std::size_t sum = 0;
    for (const CellIndex other : others) sum += position[other];
    keys.emplace_back(
        others.empty() ? static_cast<double>(index) : static_cast<double>(sum) / static_cast<double>(others.size()),
        cells[index]);
  }
  std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t index = 0; index < cells.size(); ++index) cells[index] = keys[index].second;
}

/// The positions in order, at their distances, with the least squares of deviations from the wanted ones: neighbors
/// that contradict each other become a block at their mean.
void place(const CellList& cells, const std::vector<Extent>& extents, const std::vector<std::int64_t>& wanted,
           std::vector<std::int64_t>& heights) {
  struct Block {
    std::int64_t sum, count;
    std::int64_t mean() const { return sum / count; }
  };
  std::vector<Block> blocks;
  std::vector<std::int64_t> offsets;
  std::int64_t offset = 0;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    if (index > 0) offset += extents[cells[index - 1]].below + extents[cells[index]].above;
    offsets.push_back(offset);
    blocks.push_back({wanted[cells[index]] - offset, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back() = {blocks.back().sum + last.sum, blocks.back().count + last.count};
    }
  }
  std::size_t index = 0;
  for (const Block& block : blocks)
    for (std::int64_t i = 0; i < block.count; ++i, ++index) heights[cells[index]] = block.mean() + offsets[index];
}

/// Nothing pulls parts of the graph that no edge connects towards each other; each moves up as far as it can.
void close_gaps(const Columns& columns, const Neighbors& neighbors, const std::vector<Extent>& extents,
                std::vector<std::int64_t>& heights) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> part_of(columns.size, none);
  std::vector<std::pair<std::int64_t, std::size_t>> parts;  // by their upper ends
  for (const CellList& cells : columns.cells)
    for (const CellIndex first : cells) {
      if (part_of[first] != none) continue;
      const std::size_t part = parts.size();
      std::int64_t top = std::numeric_limits<std::int64_t>::max();
      CellList open = {first};
      while (!open.empty()) {
        const CellIndex cell = open.back();
        open.pop_back();
        if (part_of[cell] != none) continue;
        part_of[cell] = part;
        top = std::min(top, heights[cell] - extents[cell].above);
        open.insert(open.end(), neighbors.left[cell].begin(), neighbors.left[cell].end());
        open.insert(open.end(), neighbors.right[cell].begin(), neighbors.right[cell].end());
      }
      parts.emplace_back(top, part);
    }
  std::sort(parts.begin(), parts.end());
  for (const auto& [top, part] : parts) {
    std::int64_t room = top;
    for (const CellList& cells : columns.cells)
      for (std::size_t index = 1; index < cells.size(); ++index) {
        const CellIndex above = cells[index - 1], cell = cells[index];
        if (part_of[cell] == part && part_of[above] != part)
          room = std::min(room, heights[cell] - extents[cell].above - heights[above] - extents[above].below);
      }
    for (CellIndex cell = 0; cell < columns.size; ++cell)
      if (part_of[cell] == part) heights[cell] -= room;
  }
}

}  // namespace

Columns columns_of(std::size_t nodes, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  Columns columns;
  columns.routes.resize(edges.size());
  columns.size = nodes;
  std::vector<CellList> next(nodes);
  std::vector<bool> connected(nodes);
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    auto [left, right] = edges[edge];
    columns.routes[edge] = {left};
    if (left == right) continue;
    if (reaches(next, right, left)) std::swap(left, right);
    next[left].push_back(right);
    columns.routes[edge] = {left, right};
    connected[left] = connected[right] = true;
  }
  const std::vector<std::size_t> column = columns_by_path(next);
  for (CellIndex node = 0; node < nodes; ++node) {
    if (!connected[node]) continue;
    columns.cells.resize(std::max(columns.cells.size(), column[node] + 1));
    columns.cells[column[node]].push_back(node);
  }
  for (CellList& route : columns.routes) {
    if (route.size() < 2) continue;
    const std::size_t first = column[route[0]] + 1, last = column[route[1]];
    if (columns.size + (last - first) > nodes + max_way_points) continue;
    for (std::size_t between = first; between < last; ++between) {
      columns.cells[between].push_back(columns.size);
      route.insert(route.end() - 1, columns.size++);
    }
  }
  return columns;
}

std::size_t crossings(const Columns& columns) {
  const Neighbors neighbors(columns);
  std::vector<std::size_t> position(columns.size);
  std::size_t count = 0;
  for (const CellList& cells : columns.cells)
    for (std::size_t index = 0; index < cells.size(); ++index) position[cells[index]] = index;
  for (const CellList& cells : columns.cells) {
    std::vector<std::size_t> ends;  // of the edges from cells above, in order
    for (const CellIndex cell : cells) {
      for (const CellIndex other : neighbors.right[cell])
        count += static_cast<std::size_t>(ends.end() - std::upper_bound(ends.begin(), ends.end(), position[other]));
      for (const CellIndex other : neighbors.right[cell])
        ends.insert(std::upper_bound(ends.begin(), ends.end(), position[other]), position[other]);
    }
  }
  return count;
}

void reduce_crossings(Columns& columns) {
  const Neighbors neighbors(columns);
  std::vector<std::vector<CellIndex>> best = columns.cells;
  std::size_t fewest = crossings(columns);
  std::vector<std::size_t> position(columns.size);
  const auto number = [&position](const CellList& cells) {
    for (std::size_t index = 0; index < cells.size(); ++index) position[cells[index]] = index;
  };
  for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
    for (CellList& cells : columns.cells) {
      order_by(cells, neighbors.left, position);
      number(cells);
    }
    for (auto cells = columns.cells.rbegin(); cells != columns.cells.rend(); ++cells) {
      order_by(*cells, neighbors.right, position);
      number(*cells);
    }
    if (const std::size_t now = crossings(columns); now < fewest) {
      fewest = now;
      best = columns.cells;
    }
  }
  columns.cells = std::move(best);
}

std::vector<std::int64_t> heights_of(const Columns& columns, const std::vector<Extent>& extents) {
  const Neighbors neighbors(columns);
  std::vector<std::int64_t> heights(columns.size), wanted(columns.size);
  const auto settle = [&](const CellList& cells, bool left, bool right) {
    for (const CellIndex cell : cells) {
      std::int64_t sum = 0, count = 0;
      for (const auto* others : {left ? &neighbors.left[cell] : nullptr, right ? &neighbors.right[cell] : nullptr}) {
        if (others == nullptr) continue;
        for (const CellIndex other : *others) sum += heights[other];
        count += static_cast<std::int64_t>(others->size());
      }
      wanted[cell] = count > 0 ? sum / count : heights[cell];
    }
    place(cells, extents, wanted, heights);
  };
  for (const CellList& cells : columns.cells) settle(cells, true, false);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (auto cells = columns.cells.rbegin(); cells != columns.cells.rend(); ++cells) settle(*cells, false, true);
    for (const CellList& cells : columns.cells) settle(cells, true, false);
    for (const CellList& cells : columns.cells) settle(cells, true, true);
  }
  std::int64_t top = std::numeric_limits<std::int64_t>::max();
  for (const CellList& cells : columns.cells)
    top = std::min(top, heights[cells.front()] - extents[cells.front()].above);
  for (const CellList& cells : columns.cells)
    for (const CellIndex cell : cells) heights[cell] -= top;
  close_gaps(columns, neighbors, extents, heights);
  return heights;
}

}  // namespace amalthea::exporter
