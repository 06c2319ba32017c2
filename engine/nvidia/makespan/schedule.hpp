// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Schedules of the warps of an SM, and their representation as strings of warps.
///
/// Source: Berezovskyi, Bletsas, Petters, ETFA 2013: warp pseudo-precedence string ("warpPrecStr") and warp cycle
/// string. Strings represent exactly the work-conserving schedules: in each cycle, no warp is left out that could also
/// execute. The limits are the units of each type and the warp schedulers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/nvidia/makespan/kernel.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Warp numbers from 0, each as often as its kernel has instructions: an entry places the next instruction of its warp.
using WarpString = std::vector<std::uint16_t>;

/// The warps that execute their next instruction, by cycle and in ascending order; twice for two instructions.
using Schedule = std::vector<std::vector<std::uint16_t>>;

/// All warps in turn, instruction by instruction.
WarpString round_robin_string(const Problem& problem);
/// Warp after warp.
WarpString fixed_priority_string(const Problem& problem);
/// In each cycle the warps with the most remaining instructions, among equals the first.
WarpString max_pending_string(const Problem& problem);

/// The number of strings. Those that differ only in the names of warps of a kernel count once: (W I)! / ((I!)^W W!) for
/// W warps of I instructions; several kernels have such a divisor each.
struct StringCount {
  std::string number;       ///< exact up to 30 digits, then rounded: "2.726e452"
  std::int64_t digits = 1;  ///< of the exact number
  bool exact = true;
};
StringCount number_of_strings(const Problem& problem);

/// Describes what is wrong with a string, if anything.
std::optional<std::string> complaint(const Problem& problem, const WarpString& string);

/// The columns of a schedule as a string; it yields the same schedule if that is work-conserving.
WarpString string_of(const Schedule& schedule);

/// Describes what is wrong with a schedule, if anything: a warp that executes twice in a cycle, an overloaded unit or
/// too many warps for the schedulers, a warp that is left out although it could execute, missing or extra instructions.
/// Independent of the code that creates schedules.
std::optional<std::string> violation(const Problem& problem, const Schedule& schedule);

/// A string and its schedule: each entry's instruction is in the earliest cycle after the warp's previous one in which
/// its unit and a scheduler are free. The cost of a change depends on what follows it in the string.
class StringSchedule {
 public:
  /// complaint() must return nothing for `string`.
  StringSchedule(const Problem& problem, WarpString string);

  const WarpString& string() const { return string_; }
  /// of each entry, from 1: the warp cycle string
  const std::vector<std::int32_t>& cycles() const { return cycles_; }
  std::int64_t makespan() const;
  Schedule schedule() const;

  /// Swaps two entries and places all entries from the first of them again.
  void swap(std::size_t one, std::size_t other);
  /// Undoes the last swap(), once.
  void undo();
  /// Replaces the whole string.
  void assign(const WarpString& string);

 private:
  std::size_t instruction_of(std::uint16_t warp, std::int32_t executed) const {
    return parts_[warp].begin + static_cast<std::size_t>(executed);
  }
  void remove(std::size_t from);
  void place(std::size_t from);

  const Kernel kernel_;
  const PerUnit capacity_;
  const std::int64_t schedulers_;
  const std::vector<Part> parts_;         // by warp
  std::vector<std::int32_t> at_the_end_;  // cycles that a warp waits after its last instruction
  std::vector<std::int32_t> gaps_;        // after each instruction of the kernel (Problem::gap_after)
  WarpString string_;
  std::vector<std::int32_t> cycles_;
  std::vector<std::int32_t> kept_;                              // cycles before the last swap, from its first entry on
  std::size_t swapped_[2] = {};                                 // entries of the last swap
  std::vector<std::int32_t> executed_;                          // by warp, while placing
  std::vector<std::int32_t> latest_;                            // cycle of the last instruction, by warp
  std::vector<bool> second_;                                    // whether an entry is its warp's second of the cycle
  std::vector<bool> has_two_;                                   // whether the last instruction was that, by warp
  std::vector<std::array<std::uint16_t, unit_types + 1>> use_;  // by cycle: for each type, and in total
  std::array<std::int32_t, unit_types> full_before_{};          // all cycles up to this one are full for a type
};

}  // namespace amalthea::engine::nvidia::makespan
