// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/makespan/detail/relaxation.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "amalthea/primitives/threads.hpp"

namespace amalthea::engine::nvidia::makespan {
namespace {

/// Calls `found(present)` for all distributions of `warps` warps over the phases, in the order of their ranks.
template <class Found>
void for_each_block(std::size_t phases, int warps, Found&& found) {
  int present[max_phases] = {};
  const auto choose = [&](const auto& self, std::size_t p, int left) -> bool {
    if (p == phases) return found(present);
    for (int n = 0; n <= left; ++n) {
      present[p] = n;
      if (!self(self, p + 1, left - n)) return false;
    }
    return true;
  };
  choose(choose, 0, warps);
}

std::uint64_t states_of(const std::vector<Phase>& phases, const int* present) {
  std::uint64_t states = 1;
  for (std::size_t p = 0; p < phases.size(); ++p)
    states *= static_cast<std::uint64_t>(present[p] * (phases[p].length - 1) + 1);
  return states;
}

}  // namespace

std::optional<std::uint64_t> table_bytes(const Problem& problem, std::uint64_t most) {
  const auto phases = phases_of(problem.kernel);
  const std::int64_t simple = simple_bound(problem);
  if (phases.size() > max_phases || simple > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  // Blocks also cost memory, and a walk through too many of them costs time.
  constexpr std::uint64_t bytes_per_block = 16;
  const std::uint64_t value = simple > std::numeric_limits<std::uint8_t>::max() ? 2 : 1;
  std::uint64_t bytes = 0;
  // The product for one block fits: lengths are at most 4096, and the warps of all phases at most 64.
  for_each_block(phases.size(), static_cast<int>(problem.warps), [&](const int* present) {
    std::uint64_t states = 1;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      states *= static_cast<std::uint64_t>(present[p] * (phases[p].length - 1) + 1);
      if (states > most) break;
    }
    bytes += std::min(states, most + 1) * value + bytes_per_block;
    return bytes <= most;
  });
  if (bytes > most) return std::nullopt;
  return bytes;
}

template <class Value>
RelaxationTable<Value>::RelaxationTable(const Problem& problem, unsigned threads, const std::function<bool()>& stop)
    : problem_(problem),
      phases_(phases_of(problem.kernel)),
      warps_(static_cast<int>(problem.warps)),
      stride_(static_cast<std::size_t>(warps_) + 1) {
  const std::size_t count = phases_.size();
  // Vectors of d entries with a sum up to w.
  std::vector<std::vector<std::size_t>> vectors(count + 1, std::vector<std::size_t>(stride_, 1));
  for (std::size_t d = 1; d <= count; ++d)
    for (std::size_t w = 1; w < stride_; ++w) vectors[d][w] = vectors[d][w - 1] + vectors[d - 1][w];
  before_.resize(count * stride_ * stride_);
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t left = 0; left < stride_; ++left)
      for (std::size_t n = 1; n <= left; ++n) {
        const std::size_t at = (p * stride_ + left) * stride_ + n;
        before_[at] = before_[at - 1] + vectors[count - 1 - p][left - (n - 1)];
      }

  // A cycle leads to a block with less remaining work, or to an earlier row of the same block.
  struct Work {
    std::vector<std::uint8_t> present;  // of all blocks of the level, one after the other
  };
  std::vector<Work> levels(count * static_cast<std::size_t>(warps_) + 1);
  std::uint64_t states = 0;
  for_each_block(count, warps_, [&](const int* present) {
    blocks_.push_back({states});
    states += states_of(phases_, present);
    std::size_t level = 0;
    for (std::size_t p = 0; p < count; ++p) level += static_cast<std::size_t>(present[p]) * (count - p);
    for (std::size_t p = 0; p < count; ++p) levels[level].present.push_back(static_cast<std::uint8_t>(present[p]));
    return true;
  });
  values_.assign(states, 0);

  for (const Work& work : levels) {
    const std::size_t blocks = work.present.size() / count;
    std::atomic<std::size_t> next = 0;
    const auto take = [&](std::size_t) {
      for (;;) {
        const std::size_t block = next++;
        if (block >= blocks || stop()) return;
        int present[max_phases] = {};
        for (std::size_t p = 0; p < count; ++p) present[p] = work.present[block * count + p];
        fill(present);
      }
    };
    in_threads(std::min<std::size_t>(threads, blocks), take);
    if (stop()) {
      usable_ = false;
      return;
    }
  }
}

template <class Value>
Value RelaxationTable<Value>::at_start() const {
  int present[max_phases] = {};
  int rest[max_phases] = {};
  present[0] = warps_;
  rest[0] = warps_ * (phases_[0].length - 1);
  return at(present, rest);
}

template <class Value>
void RelaxationTable<Value>::fill(const int* present) {
  const std::size_t count = phases_.size();
  if (std::all_of(present, present + count, [](int n) { return n == 0; })) return;

  /// A move from a box of states of this block, by their rests, to states at a fixed distance.
  struct Move {
    int least[max_phases];
    int most[max_phases];
    std::int64_t shift[max_phases];  // added to a rest
    std::int64_t base;               // target of the row of rests 0
    std::int64_t stride[max_phases];
  };
  std::vector<Move> moves, in_row;  // to other rows, and in the same row of this block
  for_each_cycle(problem_, phases_, present, [&](const int* executed) {
    int leave[max_phases] = {};
    const auto choose = [&](const auto& self, std::size_t p) -> void {
      if (p < count) {
        for (int l = 0; l <= executed[p]; ++l) {
          if (phases_[p].length == 1 && l != executed[p]) continue;
          leave[p] = l;
          self(self, p + 1);
        }
        return;
      }
      Move move;
      int target[max_phases] = {};
      bool inside = true;  // stays in the same block
      for (std::size_t q = 0; q < count; ++q) {
        const int arrive = q == 0 ? 0 : leave[q - 1];
        const int length = phases_[q].length;
        target[q] = present[q] - leave[q] + arrive;
        // k - l of the warps have at least two instructions left, and l exactly one.
        move.least[q] = executed[q] - leave[q];
        move.most[q] = (length - 1) * (present[q] - leave[q]);
        if (move.least[q] > move.most[q]) return;
        move.shift[q] = arrive * (length - 1) - (executed[q] - leave[q]);
        if (leave[q] > 0) inside = false;
      }
      std::int64_t stride = 1;
      move.base = static_cast<std::int64_t>(blocks_[rank(target)].base);
      for (std::size_t q = count; q-- > 0;) {
        move.stride[q] = stride;
        move.base += move.shift[q] * stride;
        stride *= target[q] * (phases_[q].length - 1) + 1;
      }
      const bool same =
          inside && std::all_of(move.shift, move.shift + count - 1, [](std::int64_t s) { return s == 0; });
      (same ? in_row : moves).push_back(move);
    };
    choose(choose, 0);
  });

  const std::size_t last = count - 1;
  int size[max_phases];
  for (std::size_t p = 0; p < count; ++p) size[p] = present[p] * (phases_[p].length - 1) + 1;
  int rest[max_phases] = {};  // of all phases except the last: the row
  Value* row = values_.data() + blocks_[rank(present)].base;
  const std::uint64_t rows = states_of(phases_, present) / static_cast<std::uint64_t>(size[last]);
  constexpr Value largest = std::numeric_limits<Value>::max();
  struct Source {
    int least, most;
    std::int64_t target;
  };
  std::vector<Source> sources;  // of the moves within a row, those that its rests allow
  for (std::uint64_t r = 0; r < rows; ++r, row += size[last]) {
    const auto target_of = [&](const Move& move) -> std::int64_t {
      std::int64_t target = move.base;
      for (std::size_t p = 0; p < last; ++p) {
        if (rest[p] < move.least[p] || rest[p] > move.most[p]) return -1;
        target += rest[p] * move.stride[p];
      }
      return target;
    };
    for (const Move& move : moves) {
      const std::int64_t target = target_of(move);
      if (target < 0) continue;
      // Rows are short and numerous: this loop dominates the run time, and works on bytes to be vectorized.
      const Value* from = values_.data() + target;
      Value* const to = row;
      const int end = move.most[last] + 1;
      for (int s = move.least[last]; s < end; ++s) to[s] = std::max(to[s], from[s]);
    }
    sources.clear();
    for (const Move& move : in_row)
      if (const std::int64_t target = target_of(move); target >= 0)
        sources.push_back({move.least[last], move.most[last], target});
    for (int s = 0; s < size[last]; ++s) {
      // The longest so far over all targets, without the cycle itself.
      Value longest = row[s];
      for (const Source& source : sources)
        if (s >= source.least && s <= source.most)
          longest = std::max(longest, values_[static_cast<std::size_t>(source.target + s)]);
      row[s] = longest == largest ? largest : static_cast<Value>(longest + 1);
    }
    for (std::size_t p = last; p-- > 0;) {
      if (++rest[p] < size[p]) break;
      rest[p] = 0;
    }
  }
}

template class RelaxationTable<std::uint8_t>;
template class RelaxationTable<std::uint16_t>;

}  // namespace amalthea::engine::nvidia::makespan
