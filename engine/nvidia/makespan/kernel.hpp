// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A kernel as a string of the units that its instructions need, and the SM that executes it.
///
/// Source: Berezovskyi, Bletsas, Petters, "Faster Makespan Estimation for GPU Threads on a Single Streaming
/// Multiprocessor", ETFA 2013: instruction strings, Eq. 1 and the transformation of slow units.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace amalthea::engine::nvidia::makespan {

/// The unit that executes an instruction.
enum class Unit : std::uint8_t {
  memory,        ///< L: load/store unit
  core,          ///< C: CUDA core
  special,       ///< S: special function unit
  double_float,  ///< D: double precision unit
};
inline constexpr std::size_t unit_types = 4;
inline constexpr std::string_view unit_letters = "LCSD";

using Kernel = std::vector<Unit>;
using PerUnit = std::array<std::int64_t, unit_types>;

/// Maximum length of a kernel string, as written and after the transformation.
inline constexpr std::size_t max_instructions = 4096;

/// Letters L, C, S, D, case-insensitive; a number before a letter repeats it ("5L 9C"), blanks are skipped. Or an error
/// message.
tl::expected<Kernel, std::string> parse_kernel(std::string_view text);
std::string to_string(const Kernel& kernel);

/// The kernel of a PTX text, in the order of its lines: every instruction once, ignoring jumps. The table of opcodes is
/// in docs/reference/makespan.md. A mov from a symbol loads an address. Two misprints of published listings are read,
/// with a warning for each: an instruction without its semicolon, and a label without its colon. Or an error message with
/// the line.
tl::expected<Kernel, std::string> kernel_of_ptx(std::string_view text, std::vector<std::string>* warnings = nullptr);

/// The units of an SM.
struct SmUnits {
  PerUnit units{32, 128, 32, 64};   ///< lanes of each type; > 0
  PerUnit latency{1, 1, 1, 1};      ///< cycles until a unit accepts the next instruction; > 0
  PerUnit wait{};                   ///< further cycles until a warp may execute what follows; its unit is free; >= 0
  std::int64_t warp_size = 32;      ///< > 0
  std::int64_t dispatch_units = 1;  ///< per scheduler, 1 or 2: instructions of a warp in one cycle
};

/// A kernel among several on the SM: its place in the string of all, and its warps.
struct Part {
  std::size_t begin = 0, end = 0;  ///< of its instructions; not empty
  std::int64_t warps = 1;          ///< > 0

  std::size_t size() const { return end - begin; }
};

/// Warps that execute a string of one-cycle instructions, in order, from time 0. Those of several kernels execute a
/// part of it each.
struct Problem {
  Kernel kernel;                 ///< not empty; of all kernels, one after the other
  PerUnit capacity{1, 4, 1, 2};  ///< warps that can execute an instruction of a type in one cycle (Eq. 1); > 0
  std::int64_t warps = 1;        ///< of all kernels: 1 … max_warps
  std::int64_t schedulers = 4;   ///< warps that can execute in one cycle; > 0, or no_scheduler_limit

  PerUnit wait{};                   ///< cycles that a warp waits after an instruction of a type, as its unit is free
  std::int64_t dispatch_units = 1;  ///< 1 or 2: instructions of a warp in one cycle
  /// Whether the warp goes on to its own next instruction: not from one part of a slow instruction to the next part.
  /// Empty: always.
  std::vector<bool> completes = {};
  std::vector<Part> several = {};  ///< the kernels, if there is more than one

  /// The kernels, of which there may be one.
  std::vector<Part> parts() const { return several.empty() ? std::vector{Part{0, kernel.size(), warps}} : several; }
  /// The kernel of each warp: warps of a kernel follow one another.
  std::vector<Part> part_by_warp() const {
    std::vector<Part> by_warp;
    for (const Part& part : parts()) by_warp.insert(by_warp.end(), static_cast<std::size_t>(part.warps), part);
    return by_warp;
  }
  /// The instructions that all warps execute.
  std::size_t work() const {
    std::size_t instructions = 0;
    for (const Part& part : parts()) instructions += part.size() * static_cast<std::size_t>(part.warps);
    return instructions;
  }

  /// The cycles that a warp waits after an instruction. It also ends after them.
  std::int64_t wait_after(std::size_t instruction) const {
    return completes.empty() || completes[instruction] ? wait[static_cast<std::size_t>(kernel[instruction])] : 0;
  }
  /// The cycles from an instruction to the next one of its warp, at least; 0: both may be in one cycle, but no third.
  std::int64_t gap_after(std::size_t instruction) const {
    const bool pairs = dispatch_units > 1 && (completes.empty() || completes[instruction]);
    return pairs && wait_after(instruction) == 0 ? 0 : wait_after(instruction) + 1;
  }
  /// Whether it is the model of the paper, which the compressed search needs.
  bool is_plain() const { return wait == PerUnit{} && dispatch_units == 1 && several.empty(); }
  std::int64_t instructions() const { return static_cast<std::int64_t>(kernel.size()); }
  std::int64_t capacity_of(Unit unit) const { return capacity[static_cast<std::size_t>(unit)]; }
};
inline constexpr std::int64_t no_scheduler_limit = std::int64_t{1} << 30;
inline constexpr std::int64_t max_warps = 64;
/// Maximum number of cycles that a warp waits in all.
inline constexpr std::int64_t max_waiting = 1'000'000;

/// The problem of a kernel on an SM. If a type has fewer units than a warp has threads, or takes several cycles, its
/// instructions become several one-cycle instructions on one unit. This adds schedules and loses none. Or an error
/// message: units and warp size must be multiples of one another, in either direction.
tl::expected<Problem, std::string> problem_on(const SmUnits& sm, const Kernel& kernel, std::int64_t warps,
                                              std::int64_t schedulers);

/// The same for kernels that start together, with their warps: at most max_instructions and max_warps in all.
tl::expected<Problem, std::string> problem_on(const SmUnits& sm,
                                              const std::vector<std::pair<Kernel, std::int64_t>>& kernels,
                                              std::int64_t schedulers);

/// The cycles that a warp of each kernel waits for its own instructions, in all.
std::int64_t waiting(const Problem& problem);

/// Upper bound on every work-conserving schedule, in cycles: a warp executes, or waits while its unit or the schedulers
/// are occupied by others (after Graham, 1969), or waits after an instruction.
std::int64_t simple_bound(const Problem& problem);
/// The same for a kernel, from its start to its end, whenever the other kernels start: in that time they execute all of
/// their instructions at most.
std::int64_t simple_bound(const Problem& problem, const Part& part);

}  // namespace amalthea::engine::nvidia::makespan
