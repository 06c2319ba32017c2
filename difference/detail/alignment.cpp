// SPDX-License-Identifier: Apache-2.0
#include "difference/detail/alignment.hpp"

#include <algorithm>
#include <unordered_map>

namespace amalthea::difference::detail {
namespace {

/// The table of a longest common subsequence has at most this many cells.
constexpr std::size_t max_cells = 4'000'000;

class Matches {
 public:
  Matches(std::size_t olds, std::size_t news, const std::function<void(std::size_t, std::size_t)>& take)
      : old_taken_(olds), new_taken_(news), take_(take) {}

  void match(std::size_t i, std::size_t k) {
    old_taken_[i] = new_taken_[k] = true;
    take_(i, k);
  }
  bool is_open(std::size_t i, std::size_t k) const { return !old_taken_[i] && !new_taken_[k]; }

  /// Open items with equal hashes, in the order in which they stand.
  void match_equal(const std::vector<Hash>& olds, const std::vector<Hash>& news) {
    std::unordered_map<Hash, std::vector<std::size_t>> open;  // last first
    for (std::size_t i = olds.size(); i-- > 0;)
      if (!old_taken_[i]) open[olds[i]].push_back(i);
    for (std::size_t k = 0; k < news.size(); ++k) {
      if (new_taken_[k]) continue;
      const auto found = open.find(news[k]);
      if (found == open.end() || found->second.empty()) continue;
      const std::size_t i = found->second.back();
      found->second.pop_back();
      match(i, k);
    }
  }

 private:
  std::vector<bool> old_taken_, new_taken_;
  const std::function<void(std::size_t, std::size_t)>& take_;
};

/// Between the equal items at both ends.
void match_in_order(const std::vector<Hash>& olds, const std::vector<Hash>& news, Matches& matches) {
  std::size_t begin = 0, old_end = olds.size(), new_end = news.size();
  while (begin < old_end && begin < new_end && olds[begin] == news[begin]) {
    matches.match(begin, begin);
    ++begin;
  }
  while (old_end > begin && new_end > begin && olds[old_end - 1] == news[new_end - 1])
    matches.match(--old_end, --new_end);
  const std::size_t rows = old_end - begin, columns = new_end - begin;
  if (rows == 0 || columns == 0 || rows > max_cells / columns) return;
  // lengths[i][k]: of the items from i and k on.
  std::vector<std::uint32_t> lengths((rows + 1) * (columns + 1), 0);
  const auto length = [&](std::size_t i, std::size_t k) -> std::uint32_t& { return lengths[i * (columns + 1) + k]; };
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t k = columns; k-- > 0;)
      length(i, k) =
          olds[begin + i] == news[begin + k] ? length(i + 1, k + 1) + 1 : std::max(length(i + 1, k), length(i, k + 1));
  for (std::size_t i = 0, k = 0; i < rows && k < columns;) {
    if (olds[begin + i] == news[begin + k]) {
      matches.match(begin + i, begin + k);
      ++i;
      ++k;
    } else if (length(i + 1, k) >= length(i, k + 1)) {
      ++i;
    } else {
      ++k;
    }
  }
}

}  // namespace

void align(const std::vector<Hash>& old_contents, const std::vector<Hash>& new_contents,
           const std::vector<Hash>& old_keys, const std::vector<Hash>& new_keys, bool ordered,
           const std::function<void(std::size_t, std::size_t)>& take) {
  Matches matches(old_contents.size(), new_contents.size(), take);
  if (ordered) match_in_order(old_contents, new_contents, matches);
  matches.match_equal(old_contents, new_contents);
  matches.match_equal(old_keys, new_keys);
}

}  // namespace amalthea::difference::detail
