// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/sub_core.hpp"

#include <algorithm>
#include <limits>

namespace amalthea::engine::nvidia {

void SubCore::add(const Added& warp) {
  forget_ended();
  warps_.push_back({warp, 0, warp.release, 0, {}});
  views_.push_back({warp.release, warp.budget, added_++, false, false});
  ++left_;
}

/// The policy still refers to the warps that issued last: their ends count in QAWS, and cyclic orders start there.
void SubCore::forget_ended() {
  std::size_t kept = 0;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const bool is_last = memory_.last == warp, is_last_of_front = memory_.last_of_front == warp;
    if (warps_[warp].has_ended() && !is_last && !is_last_of_front) continue;
    if (is_last) memory_.last = kept;
    if (is_last_of_front) memory_.last_of_front = kept;
    warps_[kept] = warps_[warp];
    views_[kept] = views_[warp];
    ++kept;
  }
  warps_.resize(kept);
  views_.resize(kept);
}

std::optional<WarpIndex> SubCore::step() {
  const std::optional<std::size_t> choice = select();
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) account(warp, choice);
  if (choice) issue(warps_[*choice]);
  ++cycle_;
  return choice ? std::optional(warps_[*choice].given.index) : std::nullopt;
}

std::optional<WarpIndex> SubCore::run(std::int64_t limit) {
  while (cycle_ < limit) {
    if (const std::optional<std::size_t> choice = select()) {
      const bool ends = issue(warps_[*choice]);
      ++cycle_;
      if (ends) return warps_[*choice].given.index;
    } else {
      cycle_ = policy_->counts_idle_cycles && left_ > 0 ? cycle_ + 1 : std::min(limit, next_change());
    }
  }
  return std::nullopt;
}

/// No policy but those that count idle cycles changes its mind before, if nothing is ready now.
std::int64_t SubCore::next_change() const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const Warp& warp : warps_) {
    if (warp.has_ended()) continue;
    const std::int64_t ready = std::max(warp.ready_at, occupied_until_[use_of(warp).pipeline]);
    next = std::min(next, warp.given.release > cycle_ ? warp.given.release : ready);
  }
  return std::max(next, cycle_ + 1);
}

const WarpPipelines::Use& SubCore::use_of(const Warp& warp) const {
  return pipelines_->uses[static_cast<std::size_t>((*warp.given.program)[warp.next].unit)];
}

std::optional<std::size_t> SubCore::select() {
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const Warp& warp = warps_[i];
    views_[i].present = !warp.has_ended() && warp.given.release <= cycle_;
    views_[i].ready = views_[i].present && warp.ready_at <= cycle_ && occupied_until_[use_of(warp).pipeline] <= cycle_;
  }
  return policy_->choose(views_, memory_);
}

void SubCore::account(std::size_t warp, std::optional<std::size_t> choice) {
  if (!views_[warp].present) return;
  WarpCycles& cycles = warps_[warp].cycles;
  if (choice == warp)
    ++cycles.issued;
  else if (views_[warp].ready)
    ++cycles.not_selected;
  else
    ++(warps_[warp].ready_at > cycle_ ? cycles.latency : cycles.pipeline);
}

/// True when the warp has ended.
bool SubCore::issue(Warp& warp) {
  const std::size_t first = issue_one(warp);
  const bool may_issue_again = pipelines_->dual_issue && !warp.has_ended() && warp.ready_at == cycle_;
  if (may_issue_again && use_of(warp).pipeline != first && occupied_until_[use_of(warp).pipeline] <= cycle_) {
    issue_one(warp);
    ++second_issues_;
  }
  warp.ready_at = std::max(warp.ready_at, cycle_ + 1);
  if (!warp.has_ended()) return false;
  warp.finish = cycle_ + 1;
  --left_;
  return true;
}

/// The pipeline that the instruction uses.
std::size_t SubCore::issue_one(Warp& warp) {
  const auto& use = use_of(warp);
  if (use.cycles > 0) occupied_until_[use.pipeline] = cycle_ + use.cycles;
  warp.ready_at = cycle_ + (*warp.given.program)[warp.next].latency;
  ++warp.next;
  return use.pipeline;
}

}  // namespace amalthea::engine::nvidia
