// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Schedules of the warps of an SM, and how a string of warps stands for one.
///
/// Source: Berezovskyi, Bletsas, Petters, ETFA 2013: warp pseudo-precedence string ("warpPrecStr") and warp cycle
/// string. What strings give are exactly the work-conserving schedules: in each cycle, no warp that could execute
/// beside the others is left out. Limits are the units of each type and the warp schedulers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/nvidia/makespan/kernel.hpp"

namespace amalthea::engine::nvidia::makespan {

/// Warps from 0, each as often as the kernel has instructions: whose next instruction is placed next.
using WarpString = std::vector<std::uint16_t>;

/// Which warps execute their next instruction, by cycle and in ascending order.
using Schedule = std::vector<std::vector<std::uint16_t>>;

/// All warps in turn, instruction by instruction.
WarpString round_robin_string(const Problem& problem);
/// Warp after warp.
WarpString fixed_priority_string(const Problem& problem);
/// Cycle by cycle the warps with most instructions left, among equals the first.
WarpString max_pending_string(const Problem& problem);

/// What is wrong with a string, if anything.
std::optional<std::string> complaint(const Problem& problem, const WarpString& string);

/// The columns of a schedule as a string: it gives that schedule back when it is work-conserving.
WarpString string_of(const Schedule& schedule);

/// What is wrong with a schedule, if anything: a warp that executes twice in a cycle, too much for a unit or the
/// schedulers, a warp that is left out though it could execute, instructions too many or too few. Shares nothing with
/// what makes schedules.
std::optional<std::string> violation(const Problem& problem, const Schedule& schedule);

/// A string and its schedule: each entry's instruction is in the earliest cycle after the warp's previous one in which
/// its unit and a scheduler are free. Changes of the string cost what comes after them.
class StringSchedule {
 public:
  /// `string` must have no complaint().
  StringSchedule(const Problem& problem, WarpString string);

  const WarpString& string() const { return string_; }
  const std::vector<std::int32_t>& cycles() const { return cycles_; }  ///< of each entry, from 1: the warp cycle string
  std::int64_t makespan() const;
  Schedule schedule() const;

  /// Exchanges two entries and places all from the first of them on anew.
  void swap(std::size_t one, std::size_t other);
  /// Takes the last swap() back, once.
  void undo();
  /// Another string as a whole, placed from its beginning.
  void assign(const WarpString& string);

 private:
  void remove(std::size_t from);
  void place(std::size_t from);

  const Kernel kernel_;
  const PerUnit capacity_;
  const std::int64_t schedulers_;
  WarpString string_;
  std::vector<std::int32_t> cycles_;
  std::vector<std::int32_t> kept_;                              // cycles before the last swap, from its first entry on
  std::size_t swapped_[2] = {};                                 // entries of the last swap
  std::vector<std::int32_t> executed_;                          // by warp, while placing
  std::vector<std::int32_t> latest_;                            // cycle of the last instruction, by warp
  std::vector<std::array<std::uint16_t, unit_types + 1>> use_;  // by cycle: of each type, and in all
  std::array<std::int32_t, unit_types> full_before_{};          // no room for a type up to this cycle
};

}  // namespace amalthea::engine::nvidia::makespan
