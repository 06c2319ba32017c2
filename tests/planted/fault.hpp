// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Faults as engineers make them, each planted at one place of a sound design, and how to recognize that a text names it.

#include <array>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/planted/design.hpp"

namespace planted {

inline constexpr std::array<std::string_view, 17> fault_kinds{
    "period at a tenth",   "period tenfold",      "interrupt tenfold",      "swapped deadlines",
    "limit in us",         "chain limit in us",   "forgotten ceiling",      "slice of 50 ms",
    "slice of 10 us",      "copy of 200 MB",      "kernel tenfold",         "polling",
    "clock at a tenth",    "impossible deadline", "minimum equals maximum", "event not cleared",
    "ticks per nanosecond"};

struct Fault {
  std::string kind;
  std::string place;
  Design design;                   ///< with it
  std::vector<std::string> names;  ///< what a text that names the cause contains: one of these
  std::vector<std::string> words;  ///< and one of these, in any case
};

/// Nothing if the design has no place for it.
std::optional<Fault> plant(const Design& sound, std::string_view kind, std::mt19937& random);

/// Whether the text names it.
bool names(const Fault& fault, std::string_view text);

}  // namespace planted
