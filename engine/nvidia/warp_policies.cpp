// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/warp_policies.hpp"

#include <algorithm>
#include <tuple>

namespace amalthea::engine::nvidia {
namespace {

using Warps = std::vector<WarpView>;
using Choice = std::optional<std::size_t>;

bool older(const Warps& warps, std::size_t a, std::size_t b) {
  return std::tie(warps[a].release, a) < std::tie(warps[b].release, b);
}

/// The oldest ready warp among those for which `belongs` is true.
template <typename Belongs>
Choice oldest_ready(const Warps& warps, const Belongs& belongs) {
  Choice oldest;
  for (std::size_t warp = 0; warp < warps.size(); ++warp)
    if (warps[warp].ready && belongs(warp) && (!oldest || older(warps, warp, *oldest))) oldest = warp;
  return oldest;
}

/// The first ready warp in cyclic order, starting with `first`, among those for which `belongs` is true.
template <typename Belongs>
Choice next_ready(const Warps& warps, std::size_t first, const Belongs& belongs) {
  for (std::size_t i = 0; i < warps.size(); ++i)
    if (const std::size_t warp = (first + i) % warps.size(); warps[warp].ready && belongs(warp)) return warp;
  return std::nullopt;
}

constexpr auto every = [](std::size_t) { return true; };

Choice remembered(Choice choice, WarpMemory& memory) {
  if (choice) memory.last = choice;
  return choice;
}

Choice loose_round_robin(const Warps& warps, WarpMemory& memory) {
  return remembered(next_ready(warps, memory.last.value_or(0), every), memory);
}

Choice rotate(const Warps& warps, WarpMemory& memory) {
  return remembered(next_ready(warps, memory.last ? *memory.last + 1 : 0, every), memory);
}

/// Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling", MICRO 2011: a group
/// keeps the scheduler while one of its warps is ready, so that the groups do not wait for memory at the same time.
Choice two_level(const Warps& warps, WarpMemory& memory) {
  constexpr std::size_t group_size = 8;
  const std::size_t first = memory.last ? *memory.last + 1 : 0;
  const std::size_t active = memory.last ? warps[*memory.last].number / group_size : 0;
  const auto is_active = [&](std::size_t warp) { return warps[warp].number / group_size == active; };
  if (const Choice choice = next_ready(warps, first, is_active)) return remembered(choice, memory);
  return remembered(next_ready(warps, first, [&](std::size_t warp) { return !is_active(warp); }), memory);
}

Choice greedy_then_oldest(const Warps& warps, WarpMemory& memory) {
  if (memory.last && warps[*memory.last].ready) return memory.last;
  return remembered(oldest_ready(warps, every), memory);
}

/// Removes groups without present warps, and appends new ones: in order of release, among equals the larger budget
/// first. True if the front group changed.
bool update_groups(const Warps& warps, WarpMemory& memory) {
  const auto oldest_of = [&warps](std::int64_t budget) {
    Choice oldest;
    for (std::size_t warp = 0; warp < warps.size(); ++warp)
      if (warps[warp].present && warps[warp].budget == budget && (!oldest || older(warps, warp, *oldest)))
        oldest = warp;
    return oldest;
  };
  std::vector<std::int64_t>& groups = memory.groups;
  const std::int64_t front = groups.empty() ? 0 : groups.front();  // budgets are at least 1
  groups.erase(std::remove_if(groups.begin(), groups.end(), [&](std::int64_t budget) { return !oldest_of(budget); }),
               groups.end());
  std::vector<std::int64_t> arrived;
  for (const WarpView& warp : warps)
    if (warp.present && std::find(groups.begin(), groups.end(), warp.budget) == groups.end() &&
        std::find(arrived.begin(), arrived.end(), warp.budget) == arrived.end())
      arrived.push_back(warp.budget);
  std::sort(arrived.begin(), arrived.end(), [&](std::int64_t a, std::int64_t b) {
    const std::int64_t release_a = warps[*oldest_of(a)].release, release_b = warps[*oldest_of(b)].release;
    return release_a != release_b ? release_a < release_b : a > b;
  });
  groups.insert(groups.end(), arrived.begin(), arrived.end());
  return !groups.empty() && groups.front() != front;
}

void to_the_end(WarpMemory& memory) {
  std::rotate(memory.groups.begin(), memory.groups.begin() + 1, memory.groups.end());
  memory.relieved = 0;
  memory.last_of_front = std::nullopt;
  ++memory.group_switches;
}

/// Counts context switches (W3): the stall of the front group's last warp is detected in the cycle in which it cannot
/// issue, including its end. Only a sibling that replaces it counts, not the first warp after the group became the
/// front, and not what other groups do meanwhile.
Choice qaws(const Warps& warps, WarpMemory& memory) {
  if (update_groups(warps, memory)) {
    memory.relieved = 0;
    memory.last_of_front = std::nullopt;
  }
  if (memory.groups.size() <= 1) {  // a single group: as without groups, and nothing counts
    memory.relieved = 0;
    const Choice choice = greedy_then_oldest(warps, memory);
    if (choice) memory.last_of_front = choice;
    return choice;
  }
  const auto in_group = [&](std::size_t warp, std::int64_t budget) { return warps[warp].budget == budget; };
  if (const Choice last = memory.last_of_front) {
    if (warps[*last].ready) return remembered(last, memory);
    const std::int64_t front = memory.groups.front();
    bool siblings = false;
    for (std::size_t warp = 0; warp < warps.size(); ++warp)
      siblings = siblings || (warp != *last && warps[warp].present && in_group(warp, front));
    if (siblings && memory.relieved >= front) to_the_end(memory);
  }
  const bool relieves = memory.last_of_front.has_value();
  for (const std::int64_t group : memory.groups) {
    const Choice choice = oldest_ready(warps, [&](std::size_t warp) { return in_group(warp, group); });
    if (!choice) continue;
    if (group == memory.groups.front()) {
      if (relieves) ++memory.relieved;
      memory.last_of_front = choice;
    }
    return remembered(choice, memory);
  }
  return std::nullopt;
}

/// Algorithm 1 as printed (W2): the previous cycle decides, so idle cycles count too.
Choice qaws_literal(const Warps& warps, WarpMemory& memory) {
  if (update_groups(warps, memory)) memory.relieved = 0;
  if (memory.groups.size() > 1 && !memory.head_issued && memory.last &&
      warps[*memory.last].budget == memory.groups.front()) {
    if (memory.relieved < memory.groups.front())
      ++memory.relieved;
    else
      to_the_end(memory);
  }
  std::vector<std::size_t> order;
  for (const std::int64_t group : memory.groups) {
    const std::size_t first = order.size();
    for (std::size_t warp = 0; warp < warps.size(); ++warp)
      if (warps[warp].present && warps[warp].budget == group) order.push_back(warp);
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), [&](std::size_t a, std::size_t b) {
      const bool greedy_a = memory.last == a, greedy_b = memory.last == b;
      return greedy_a != greedy_b ? greedy_a : older(warps, a, b);
    });
  }
  const auto choice =
      std::find_if(order.begin(), order.end(), [&warps](std::size_t warp) { return warps[warp].ready; });
  memory.head_issued = order.empty() || choice == order.begin();
  if (choice == order.end()) return std::nullopt;
  return remembered(*choice, memory);
}

}  // namespace

const std::vector<WarpPolicy>& warp_policies() {
  static const std::vector<WarpPolicy> policies = {
      {"lrr", "the same warp until it stalls, then the next one in cyclic order", false, false, loose_round_robin},
      {"rotate", "the next warp in cyclic order in every cycle", false, false, rotate},
      {"gto", "the same warp until it stalls, then the oldest ready one", false, false, greedy_then_oldest},
      {"two-level", "groups of eight warps: in turn within a group, the next group once all of it stalls", false, false,
       two_level},
      {"qaws", "groups of kernels by budget, context switches within a group counted", true, false, qaws},
      {"qaws-literal", "the same as its Algorithm 1 is printed", true, true, qaws_literal},
  };
  return policies;
}

const WarpPolicy* find_warp_policy(std::string_view name) {
  for (const WarpPolicy& policy : warp_policies())
    if (policy.name == name) return &policy;
  return nullptr;
}

}  // namespace amalthea::engine::nvidia
