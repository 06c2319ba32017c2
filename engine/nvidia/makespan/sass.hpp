// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Kernels from SASS listings, the machine code that cuobjdump -sass and nvdisasm print.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "engine/nvidia/makespan/kernel.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Architectures differ in the units of conversions and bit counts (docs/reference/makespan.md has the table).
enum class SassFamily : std::uint8_t {
  maxwell,  ///< sm_50 to sm_62: Maxwell, Pascal
  volta,    ///< sm_70 and later: Volta, Turing, Ampere, Hopper
};

/// The family of "sm_72"; nothing for other text and older architectures.
std::optional<SassFamily> sass_family(std::string_view architecture);

/// The first kernel of a listing in the order of its lines: every instruction once, ignoring jumps; NOPs and what follows
/// the last EXIT or jump to itself are padding. `architecture` is "sm_72", or empty if the listing names it. Or an error
/// message with the line.
tl::expected<Kernel, std::string> kernel_of_sass(std::string_view text, std::string_view architecture);

}  // namespace amalthea::engine::nvidia::makespan
