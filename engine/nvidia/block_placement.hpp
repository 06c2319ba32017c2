// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Selects the streaming multiprocessor (SM) for the next block.
///
/// Source: Olmedo et al., RTAS 2020, III-C. The paper gives a scan order (N9: even SMs, then odd ones) and three
/// conditions under which a block of a second or third stream joins the SM of an earlier one (N11: Eq. 2, N12: Eq. 3,
/// N13: Eq. 4). One rule covers all of them (N14) and is implemented here:
///   the next block, of y warps, goes to the SM with the largest floor(free warps / y), if that is at least 1;
///   among equals as TiePolicy states. The scan restarts for every block.
///
/// The equations are included as printed, to check the rule against them. Resources other than warps only restrict
/// admission (R1–R3): an SM that lacks registers, shared memory or a block slot is skipped.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/gpu/occupancy.hpp"
#include "engine/gpu/operation.hpp"
#include "engine/nvidia/names.hpp"

namespace amalthea::engine::nvidia {

/// The order in which SMs are tried.
enum class ScanOrder : std::uint8_t {
  even_odd,   ///< 0, 2, 4, … then 1, 3, 5, … (N9)
  gpc,        ///< the first SM of every GPC, then the second of every GPC, …; with GPCs of two it is even_odd (N2)
  ascending,  ///< 0, 1, 2, …
};

/// Which SM gets a block if several have equal room.
enum class TiePolicy : std::uint8_t {
  scan,  ///< the first in scan order (N14)
  /// the SM that got the previous block, if it is among them, else the first in scan order. It contradicts Figure 5 of
  /// the paper.
  last_sm,
  /// An SM that got blocks of the preceding stream, if as many blocks of y warps fit there as without those (Eq. 3); the
  /// first of them in scan order, else the first of all. The paper tries Eq. 3 before Eq. 4, and all of its examples
  /// agree with this policy.
  stream,
};

std::vector<SmIndex> scan_order(const SmLimits& limits, ScanOrder order);

/// The graphics processing cluster of an SM: SMs by consecutive numbers (N2).
constexpr std::int64_t gpc_of(const SmLimits& limits, SmIndex sm) { return sm / limits.sms_per_gpc; }

/// The SMs and their resident blocks.
class BlockPlacement {
 public:
  explicit BlockPlacement(const SmLimits& limits, ScanOrder order = ScanOrder::even_odd,
                          TiePolicy ties = TiePolicy::scan);

  /// The SM for a block that occupies `block` (at least one warp), or nothing if it fits on none. Linear in the number
  /// of SMs.
  std::optional<SmIndex> choose(const SmUse& block) const;
  /// The same among the SMs whose bits in `allowed` are set.
  std::optional<SmIndex> choose(const SmUse& block, const std::vector<bool>& allowed) const;
  /// Places a block on the SM that `choose` selects.
  std::optional<SmIndex> place(const SmUse& block);
  std::optional<SmIndex> place(const SmUse& block, const std::vector<bool>& allowed);
  /// Blocks from now on belong to another stream (TiePolicy::stream).
  void next_stream();
  /// The number of such changes: blocks with the same one belong together.
  std::uint64_t turn() const { return turn_; }
  /// Removes a placed block from an SM. `turn` is that in which it was placed.
  void remove(SmIndex sm, const SmUse& block, std::uint64_t turn = 0);

  const SmLimits& limits() const { return limits_; }
  const SmUse& use_of(SmIndex sm) const { return use_[sm]; }
  bool idle() const;

 private:
  template <typename Allowed>
  std::optional<SmIndex> best(const SmUse& block, const Allowed& allowed) const;
  bool is_preferred(SmIndex sm, std::int64_t room, const SmUse& block) const;
  std::optional<SmIndex> put(const SmUse& block, std::optional<SmIndex> sm);

  SmLimits limits_;
  TiePolicy ties_;
  std::vector<SmIndex> order_;
  std::vector<SmUse> use_;
  std::optional<SmIndex> last_;
  std::vector<std::int64_t> own_;        ///< by SM: warps of the current stream's blocks
  std::vector<std::int64_t> preceding_;  ///< and of the stream before
  std::uint64_t turn_ = 1;
};

/// Eq. 2 (N11): x warps of a block of one stream are on an SM of `warps` warps, and everything else is idle. Whether a
/// block of y warps of another stream joins it. As printed, and y must fit. All numbers at least 1.
bool equation_2(std::int64_t warps, std::int64_t x, std::int64_t y);

/// Eq. 3 (N12): the same if every SM already holds z warps.
bool equation_3(std::int64_t warps, std::int64_t z, std::int64_t x, std::int64_t y);

/// Eq. 4 (N13): one SM holds x warps, all others hold z. Whether a block of y warps joins x.
bool equation_4(std::int64_t warps, std::int64_t z, std::int64_t x, std::int64_t y);

/// Blocks of a stream for place_streams.
struct StreamBlocks {
  std::int64_t blocks = 1;
  std::int64_t warps = 1;  ///< of each
};

/// Places all blocks of the first stream, then of the second, and so on, on idle SMs; no block ever ends. One row per
/// stream, one entry per block. A block without room waits and, since no block overtakes another (X1), so do all
/// following ones: they have no SM.
std::vector<std::vector<std::optional<SmIndex>>> place_streams(BlockPlacement placement,
                                                               const std::vector<StreamBlocks>& streams);

}  // namespace amalthea::engine::nvidia
