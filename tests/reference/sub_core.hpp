// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The warps of one warp scheduler, one cycle after the other, written from the text of docs/reference/gpu.md ("Warp
/// schedulers inside an SM"). All warps are known beforehand; nothing is skipped, forgotten or predicted.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace reference {

struct WarpOp {
  long latency = 1;
  int pipeline = 0;
  long occupies = 0;  ///< cycles of its pipeline
};

/// In the order in which they start.
struct StartingWarp {
  std::vector<WarpOp> ops;
  long start = 0;
  long budget = 1;
  // What becomes of it:
  std::size_t done = 0;
  long may_issue = 0;
  long end = -1;
};

class WarpScheduler {
 public:
  WarpScheduler(std::string policy, bool two_per_cycle, std::vector<StartingWarp> warps)
      : policy_(std::move(policy)), two_(two_per_cycle), warps_(std::move(warps)) {}

  /// The cycle after the last issue of each warp.
  std::vector<long> ends() {
    std::vector<long> ends;
    for (long cycle = 0; std::any_of(warps_.begin(), warps_.end(), [](auto& warp) { return warp.end < 0; }); ++cycle)
      execute(cycle);
    for (const StartingWarp& warp : warps_) ends.push_back(warp.end);
    return ends;
  }

  /// One that starts in the cycle that is executed next. Its number.
  std::size_t add(StartingWarp warp) {
    warps_.push_back(std::move(warp));
    return warps_.size() - 1;
  }
  bool has_ended(std::size_t warp) const { return warps_[warp].end >= 0; }

  /// Two with equal texts, before these cycles, go on alike if warps of equal numbers have equal ops.
  std::string text(long cycle) const {
    std::string text;
    const auto add = [&](long value) { text += std::to_string(value) + ' '; };
    for (const StartingWarp& warp : warps_) {
      add(warp.budget);
      text += warp.end >= 0 ? 'e' : 'w';
      if (warp.end >= 0) continue;
      add(static_cast<long>(warp.done));
      add(std::max(0L, warp.may_issue - cycle));
      add(warp.start - cycle);
    }
    for (const long busy : busy_) add(std::max(0L, busy - cycle));
    for (const long group : groups_) add(group);
    for (const long value : {long(last_), switches_, long(last_of_front_), long(head_issued_)}) add(value);
    return text;
  }

  void execute(long cycle) {
    cycle_ = cycle;
    const int warp = choose();
    if (warp == nobody) return;
    last_ = warp;
    const int first = op_of(warp).pipeline;
    issue(warp);
    if (two_ && at(warp).done < at(warp).ops.size() && at(warp).may_issue == cycle && op_of(warp).pipeline != first &&
        busy_[op_of(warp).pipeline] <= cycle)
      issue(warp);
    StartingWarp& issued = warps_[static_cast<std::size_t>(warp)];
    issued.may_issue = std::max(issued.may_issue, cycle + 1);
    if (issued.done == issued.ops.size()) issued.end = cycle + 1;
  }

 private:
  static constexpr int nobody = -1;

  bool is_there(int warp) const { return at(warp).end < 0 && at(warp).start <= cycle_; }
  bool can_issue(int warp) const {
    return is_there(warp) && at(warp).may_issue <= cycle_ && busy_[op_of(warp).pipeline] <= cycle_;
  }
  const StartingWarp& at(int warp) const { return warps_[static_cast<std::size_t>(warp)]; }
  const WarpOp& op_of(int warp) const { return at(warp).ops[at(warp).done]; }
  int count() const { return static_cast<int>(warps_.size()); }

  void issue(int warp) {
    const WarpOp op = op_of(warp);
    if (op.occupies > 0) busy_[op.pipeline] = cycle_ + op.occupies;
    warps_[static_cast<std::size_t>(warp)].may_issue = cycle_ + op.latency;
    ++warps_[static_cast<std::size_t>(warp)].done;
  }

  int choose() {
    if (policy_ == "lrr") return in_turn(last_ == nobody ? 0 : last_, 0, count());
    if (policy_ == "rotate") return in_turn(last_ + 1, 0, count());
    if (policy_ == "gto") return last_ != nobody && can_issue(last_) ? last_ : oldest(0);
    if (policy_ == "two-level") return by_two_levels();
    return policy_ == "qaws" ? by_budgets() : as_printed();
  }

  /// From `first` on in a circle, among the warps from `from` to before `to`.
  int in_turn(int first, int from, int to) const {
    for (int step = 0; step < count(); ++step) {
      const int warp = (first + step) % count();
      if (from <= warp && warp < to && can_issue(warp)) return warp;
    }
    return nobody;
  }

  int by_two_levels() const {
    const int groups = (count() + 7) / 8, active = last_ == nobody ? 0 : last_ / 8;
    int found = in_turn(last_ + 1, 8 * active, 8 * active + 8);
    for (int step = 1; found == nobody && step < groups; ++step) {
      const int group = (active + step) % groups;
      found = in_turn(8 * group, 8 * group, 8 * group + 8);
    }
    return found;
  }

  /// Of one budget, or of all (0). Warps are in the order of their starts.
  int oldest(long budget) const {
    for (int warp = 0; warp < count(); ++warp)
      if ((budget == 0 || at(warp).budget == budget) && can_issue(warp)) return warp;
    return nobody;
  }

  bool has_warps(long budget) const {
    for (int warp = 0; warp < count(); ++warp)
      if (is_there(warp) && at(warp).budget == budget) return true;
    return false;
  }

  /// True if another group is in front now.
  bool groups_change() {
    const long front = groups_.empty() ? 0 : groups_.front();
    for (std::size_t group = 0; group < groups_.size();) {
      if (has_warps(groups_[group]))
        ++group;
      else
        groups_.erase(groups_.begin() + static_cast<long>(group));
    }
    // By the first start of a warp that is there, then by the larger budget.
    std::vector<std::pair<long, long>> joining;
    for (int warp = 0; warp < count(); ++warp) {
      if (!is_there(warp) || std::count(groups_.begin(), groups_.end(), at(warp).budget) > 0) continue;
      const auto same = [&](auto& other) { return other.second == -at(warp).budget; };
      if (std::none_of(joining.begin(), joining.end(), same)) joining.emplace_back(at(warp).start, -at(warp).budget);
    }
    std::sort(joining.begin(), joining.end());
    for (const auto& [start, budget] : joining) groups_.push_back(-budget);
    return !groups_.empty() && groups_.front() != front;
  }

  void front_goes_behind() {
    groups_.push_back(groups_.front());
    groups_.erase(groups_.begin());
    switches_ = 0;
    last_of_front_ = nobody;
  }

  int by_budgets() {
    if (groups_change()) {
      switches_ = 0;
      last_of_front_ = nobody;
    }
    if (groups_.size() < 2) {
      switches_ = 0;
      const int warp = last_ != nobody && can_issue(last_) ? last_ : oldest(0);
      if (warp != nobody) last_of_front_ = warp;
      return warp;
    }
    if (last_of_front_ != nobody) {
      if (can_issue(last_of_front_)) return last_of_front_;
      bool has_sibling = false;
      for (int warp = 0; warp < count(); ++warp)
        has_sibling = has_sibling || (warp != last_of_front_ && is_there(warp) && at(warp).budget == groups_.front());
      if (has_sibling && switches_ >= groups_.front()) front_goes_behind();
    }
    const int own = oldest(groups_.front());
    if (own != nobody) {
      if (last_of_front_ != nobody) ++switches_;
      return last_of_front_ = own;
    }
    for (const long group : groups_)
      if (const int other = oldest(group); other != nobody) return other;
    return nobody;
  }

  int as_printed() {
    if (groups_change()) switches_ = 0;
    if (groups_.size() > 1 && !head_issued_ && last_ != nobody && at(last_).budget == groups_.front()) {
      if (switches_ < groups_.front())
        ++switches_;
      else
        front_goes_behind();
    }
    std::vector<int> order;
    for (const long group : groups_) {
      if (last_ != nobody && is_there(last_) && at(last_).budget == group) order.push_back(last_);
      for (int warp = 0; warp < count(); ++warp)
        if (warp != last_ && is_there(warp) && at(warp).budget == group) order.push_back(warp);
    }
    int found = nobody;
    for (const int warp : order)
      if (found == nobody && can_issue(warp)) found = warp;
    head_issued_ = order.empty() || found == order.front();
    return found;
  }

  std::string policy_;
  bool two_ = false;
  std::vector<StartingWarp> warps_;
  long busy_[8] = {};
  long cycle_ = 0;
  int last_ = nobody;
  std::vector<long> groups_;
  long switches_ = 0;
  int last_of_front_ = nobody;
  bool head_issued_ = true;
};

}  // namespace reference
