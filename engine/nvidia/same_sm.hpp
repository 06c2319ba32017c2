// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Whether a block joins the SM of an earlier one, for all sizes of both: Tables II to IV of Olmedo et al., RTAS 2020.

#include <cstdint>
#include <vector>

#include "engine/nvidia/block_placement.hpp"

namespace amalthea::engine::nvidia {

/// A block of x warps is on one SM; then comes a block of y warps of another stream.
struct SameSmQuestion {
  std::int64_t warps = 64;  ///< of an SM
  std::int64_t size = 32;   ///< x and y: 1 ... size
  std::int64_t held = 0;    ///< warps of earlier blocks on the SM of x
  std::int64_t others = 0;  ///< warps of earlier blocks on every other SM
  TiePolicy ties = TiePolicy::stream;
};

enum class SameSm : std::uint8_t {
  other,        ///< the rule of block_placement.hpp and the equations of the paper choose another SM, or y does not fit
  same,         ///< both choose the SM of x
  by_rule,      ///< only the rule chooses it
  by_equation,  ///< only the equations do
};

/// Rows by x, columns by y. If all SMs hold equally many warps, x is on the first SM in scan order, and Eq. 3 (with
/// `held` zero Eq. 2) decides. Otherwise x is on the last one, and the paper tries Eq. 3 with the warps on that SM, then
/// Eq. 4. If the rule prefers the first of the other SMs for x, the row is about that SM. No equation describes it, so
/// the rule alone decides.
std::vector<std::vector<SameSm>> same_sm_matrix(const SameSmQuestion& question);

}  // namespace amalthea::engine::nvidia
