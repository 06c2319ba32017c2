// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Compute unit (CU) masks of an AMD GPU, in the notations of HIP users and of the driver.
///
/// Source: Otterness and Anderson, "Exploring AMD GPU Scheduling Details by Experimenting With 'Worst Practices'", RTNS
/// 2021: bit i stands for CU i div e of shader engine (SE) i mod e, where e is the number of SEs; a set bit enables the
/// CU (A7). The paper prints masks with bit 0 on the left; HIP uses numbers with bit 0 on the right.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/amd/names.hpp"
#include "engine/gpu/sharing.hpp"

namespace amalthea::engine::amd {

/// CUs are numbered by engine: unit u is CU u mod units_per_engine of SE u div units_per_engine.
struct Layout {
  std::int64_t engines = 4;
  std::int64_t units_per_engine = 15;

  std::int64_t units() const { return engines * units_per_engine; }
  /// The CU of a bit of a mask (A7).
  std::int64_t unit_of_bit(std::int64_t bit) const { return bit % engines * units_per_engine + bit / engines; }
};

CuMask full_mask(const Layout& layout);
/// The first `count` CUs, SE by SE (A8). 0 <= count <= units.
CuMask packed_mask(const Layout& layout, std::int64_t count);
/// Bits 0 … count - 1, which are distributed round robin over the SEs (A8).
CuMask distributed_mask(const Layout& layout, std::int64_t count);
/// The CUs that are not in `mask`.
CuMask complement(const CuMask& mask);
/// Number of CUs in both masks.
std::int64_t shared_units(const CuMask& a, const CuMask& b);
/// Enabled CUs of each SE.
std::vector<std::int64_t> units_by_engine(const Layout& layout, const CuMask& mask);

/// Notations of a mask:
/// - "0xffff": a number, bit 0 least significant;
/// - "0xffffffff,0x3": the array of 32-bit words of hipExtStreamCreateWithCUMask, lowest word first;
/// - "0-14,59": bits and ranges of bits, as in HSA_CU_MASK;
/// - "packed:16", "distributed:16", "full": the helpers above; "even", "odd": every other bit.
/// - "bits:1010": bit by bit with bit 0 on the left, as in the paper; missing bits are not set.
/// The error states what is wrong; a mask without CUs and bits beyond the last CU are errors.
tl::expected<CuMask, std::string> parse_cu_mask(std::string_view text, const Layout& layout);

/// "0xffff": bit 0 least significant.
std::string hexadecimal(const CuMask& mask);

}  // namespace amalthea::engine::amd
