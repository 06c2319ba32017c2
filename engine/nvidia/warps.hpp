// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Cycle-by-cycle model of the sub-cores of one SM: which warp issues an instruction, and why the others do not.
///
/// W1 (docs/reference/gpu.md): a sub-core has one warp scheduler that issues one instruction per cycle; warps are
/// distributed over the sub-cores round robin. Times are cycles of the SM's clock. A warp issues in order, its next
/// instruction at the earliest `latency` cycles after the previous one, when the pipeline of its unit is free. Not
/// modeled: fetch, barriers, divergence, register banks, and latencies that depend on the load of the memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/nvidia/warp_policies.hpp"

namespace amalthea::engine::nvidia {

/// The unit that executes an instruction.
enum class WarpUnit : std::uint8_t { fp32, int32, special, memory, fp64, tensor };
inline constexpr std::array<std::string_view, 6> warp_unit_names = {"fp32",   "int32", "special",
                                                                    "memory", "fp64",  "tensor"};

struct WarpInstruction {
  /// Minimum cycles from its issue to the next issue of the warp. 0: the next instruction does not depend on it; it may
  /// issue in the same cycle, if the scheduler issues two and they use different pipelines, else in the next one.
  std::int64_t latency = 1;
  WarpUnit unit = WarpUnit::fp32;
};

/// Latencies in cycles, each with its unit if that is not fp32: "2,1,int32:2,memory:20". Or an error message.
tl::expected<std::vector<WarpInstruction>, std::string> parse_warp_program(std::string_view text);

struct WarpKernel {
  std::vector<WarpInstruction> program;  ///< of every warp; not empty
  std::int64_t warps = 1;
  std::int64_t release = 0;  ///< cycle
  std::int64_t budget = 1;   ///< context switches within its group; policies without budgets ignore it
};

/// The pipelines of a sub-core: for each unit the pipeline it uses, and for how many cycles an instruction occupies its
/// input (32 lanes of a warp divided by the lanes of the unit); 0 cycles: never occupied; negative: there is no such unit.
struct WarpPipelines {
  std::string_view name;
  std::string_view meaning;
  struct Use {
    std::size_t pipeline = 0;
    std::int64_t cycles = 0;
  };
  std::array<Use, warp_unit_names.size()> uses;
  bool dual_issue = false;  ///< the scheduler may issue two instructions of a warp in a cycle
};

/// All of them; the first is the default.
const std::vector<WarpPipelines>& warp_pipelines();
/// The one with this name; null if there is none.
const WarpPipelines* find_warp_pipelines(std::string_view name);

struct WarpScenario {
  std::vector<WarpKernel> kernels;  ///< warps are numbered from 0, kernel by kernel
  const WarpPolicy* policy = nullptr;
  const WarpPipelines* pipelines = nullptr;
  std::int64_t sub_cores = 1;  ///< warp i is on sub-core i mod sub_cores
};

inline constexpr std::int64_t max_warps = 64;          ///< of an SM
inline constexpr std::int64_t max_cycles = 1'000'000;  ///< maximum length of a scenario

/// The state of a warp, or of all warps of a kernel, in the cycles between release and finish; their sum is the
/// response.
struct WarpCycles {
  std::int64_t issued = 0;        ///< an instruction was issued
  std::int64_t latency = 0;       ///< the previous instruction was not done
  std::int64_t pipeline = 0;      ///< its pipeline was occupied
  std::int64_t not_selected = 0;  ///< could have issued, but another warp did
  WarpCycles& operator+=(const WarpCycles& other);
};

struct WarpResult {
  std::size_t kernel = 0;
  std::size_t sub_core = 0;
  std::int64_t finish = 0;  ///< the cycle after the issue of its last instruction, whose latency does not count
  WarpCycles cycles;
};

struct WarpKernelResult {
  std::int64_t finish = 0;  ///< of its last warp
  std::int64_t response = 0;
  WarpCycles cycles;  ///< of all its warps
};

struct SubCoreResult {
  std::vector<std::optional<WarpIndex>> trace;  ///< the issuing warp, by cycle from 0 to the last issue
  std::vector<std::int64_t> switches;           ///< cycles in which the budget of a group was used up
};

struct WarpRun {
  std::vector<SubCoreResult> sub_cores;
  std::vector<WarpResult> warps;
  std::vector<WarpKernelResult> kernels;
  std::int64_t instructions = 0;
  std::int64_t second_issues = 0;  ///< instructions that were issued in the cycle of another one
  std::int64_t cycles = 0;         ///< from the first release to the last finish
};

/// Which figure is out of range, if any.
std::optional<std::string> fault_of(const WarpScenario& scenario);

/// The error is that of fault_of.
tl::expected<WarpRun, std::string> run_warps(const WarpScenario& scenario);

/// One character per cycle: 0-9, a-z, A-Z, + and / for the warps, a dot if none issues.
std::string trace_text(const std::vector<std::optional<WarpIndex>>& trace);

}  // namespace amalthea::engine::nvidia
