// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/block_placement.hpp"

#include <algorithm>
#include <utility>

namespace amalthea::engine::nvidia {

std::vector<SmIndex> scan_order(const SmLimits& limits, ScanOrder order) {
  const auto sms = static_cast<SmIndex>(limits.sms);
  const auto group = order == ScanOrder::gpc         ? static_cast<SmIndex>(limits.sms_per_gpc)
                     : order == ScanOrder::ascending ? SmIndex{1}
                                                     : SmIndex{2};
  std::vector<SmIndex> result;
  result.reserve(sms);
  for (SmIndex first = 0; first < group; ++first)
    for (SmIndex sm = first; sm < sms; sm += group) result.push_back(sm);
  return result;
}

BlockPlacement::BlockPlacement(const SmLimits& limits, ScanOrder order, TiePolicy ties)
    : limits_(limits),
      ties_(ties),
      order_(scan_order(limits, order)),
      use_(order_.size()),
      own_(order_.size()),
      preceding_(order_.size()) {}

void BlockPlacement::next_stream() {
  preceding_ = std::move(own_);
  own_.assign(order_.size(), 0);
  ++turn_;
}

void BlockPlacement::remove(SmIndex sm, const SmUse& block, std::uint64_t turn) {
  use_[sm] -= block;
  if (turn == turn_) own_[sm] -= block.warps;
  if (turn + 1 == turn_) preceding_[sm] -= block.warps;
}

bool BlockPlacement::is_preferred(SmIndex sm, std::int64_t room, const SmUse& block) const {
  if (ties_ == TiePolicy::last_sm) return sm == last_;
  return ties_ == TiePolicy::stream && preceding_[sm] > 0 &&
         (limits_.max_warps() - use_[sm].warps + preceding_[sm]) / block.warps == room;
}

template <typename Allowed>
std::optional<SmIndex> BlockPlacement::best(const SmUse& block, const Allowed& allowed) const {
  std::optional<SmIndex> best;
  std::int64_t most = 0;
  for (const SmIndex sm : order_) {
    if (!allowed(sm) || !fits(limits_, use_[sm], block)) continue;
    const std::int64_t room = (limits_.max_warps() - use_[sm].warps) / block.warps;
    if (room > most || (room == most && best && is_preferred(sm, room, block) && !is_preferred(*best, room, block))) {
      most = room;
      best = sm;
    }
  }
  return best;
}

std::optional<SmIndex> BlockPlacement::put(const SmUse& block, std::optional<SmIndex> sm) {
  if (!sm) return std::nullopt;
  use_[*sm] += block;
  last_ = sm;
  own_[*sm] += block.warps;
  return sm;
}

std::optional<SmIndex> BlockPlacement::choose(const SmUse& block) const {
  return best(block, [](SmIndex) { return true; });
}

std::optional<SmIndex> BlockPlacement::choose(const SmUse& block, const std::vector<bool>& allowed) const {
  return best(block, [&](SmIndex sm) { return allowed[sm]; });
}

std::optional<SmIndex> BlockPlacement::place(const SmUse& block) { return put(block, choose(block)); }

std::optional<SmIndex> BlockPlacement::place(const SmUse& block, const std::vector<bool>& allowed) {
  return put(block, choose(block, allowed));
}

bool BlockPlacement::idle() const {
  return std::all_of(use_.begin(), use_.end(), [](const SmUse& use) { return use.blocks == 0; });
}

bool equation_2(std::int64_t warps, std::int64_t x, std::int64_t y) { return equation_3(warps, 0, x, y); }

bool equation_3(std::int64_t warps, std::int64_t z, std::int64_t x, std::int64_t y) {
  // Without the first condition, y > warps - z would make the right side 0 or y, depending on rounding.
  if (y > warps - z - x) return false;
  return warps - z - x >= ((warps - z - y) / y + 1) * y;
}

bool equation_4(std::int64_t warps, std::int64_t z, std::int64_t x, std::int64_t y) {
  const std::int64_t whole = (warps - x) / y * y;
  return warps - z < whole && whole <= warps - x;
}

std::vector<std::vector<std::optional<SmIndex>>> place_streams(BlockPlacement placement,
                                                               const std::vector<StreamBlocks>& streams) {
  std::vector<std::vector<std::optional<SmIndex>>> result(streams.size());
  bool waiting = false;
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    placement.next_stream();
    const SmUse block{1, streams[stream].warps, 0, 0};
    for (std::int64_t index = 0; index < streams[stream].blocks; ++index) {
      result[stream].push_back(waiting ? std::nullopt : placement.place(block));
      waiting = !result[stream].back();
    }
  }
  return result;
}

}  // namespace amalthea::engine::nvidia
