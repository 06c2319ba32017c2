// SPDX-License-Identifier: Apache-2.0
#include "explore/detail/archive.hpp"

#include <algorithm>
#include <tuple>

namespace amalthea::explore::detail {
namespace {

/// Not worse in any objective.
bool covers(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return x <= y; });
}

}  // namespace

bool is_closer(const Judgement& a, const Judgement& b) {
  return std::tuple(a.broken, a.late.size(), a.excess, a.unbounded) <
         std::tuple(b.broken, b.late.size(), b.excess, b.unbounded);
}

void Archive::add(const Member& member) {
  if (!members_.empty()) {
    const Judgement& present = members_.front().judgement;
    if (is_closer(present, member.judgement)) return;
    if (is_closer(member.judgement, present)) members_.clear();
  }
  const auto& objectives = member.judgement.objectives;
  for (const Member& other : members_)
    if (covers(other.judgement.objectives, objectives)) return;
  members_.erase(std::remove_if(members_.begin(), members_.end(),
                                [&](const Member& other) { return covers(objectives, other.judgement.objectives); }),
                 members_.end());
  members_.push_back(member);
}

void Archive::sort() {
  std::stable_sort(members_.begin(), members_.end(),
                   [](const Member& a, const Member& b) { return a.judgement.objectives < b.judgement.objectives; });
}

void Archive::thin(std::size_t most) {
  if (members_.size() <= most) return;
  std::vector<bool> kept(members_.size(), false);
  std::size_t left = most;
  const auto keep = [&](std::size_t index) {
    if (kept[index] || left == 0) return;
    kept[index] = true;
    --left;
  };
  const std::size_t objectives = members_.front().judgement.objectives.size();
  for (std::size_t objective = 0; objective < objectives; ++objective) {
    const auto best = std::min_element(members_.begin(), members_.end(), [&](const Member& a, const Member& b) {
      return a.judgement.objectives[objective] < b.judgement.objectives[objective];
    });
    keep(static_cast<std::size_t>(best - members_.begin()));
  }
  const std::size_t room = left;
  for (std::size_t i = 0; i < room; ++i) keep((2 * i + 1) * members_.size() / (2 * room));
  for (std::size_t i = 0; i < members_.size(); ++i) keep(i);
  std::vector<Member> rest;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (kept[i]) rest.push_back(std::move(members_[i]));
  members_ = std::move(rest);
}

}  // namespace amalthea::explore::detail
