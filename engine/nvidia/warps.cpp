// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/warps.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"
#include "engine/nvidia/sub_core.hpp"

namespace amalthea::engine::nvidia {
namespace {

SubCoreResult run_to_end(SubCore& sub_core) {
  SubCoreResult result;
  while (sub_core.has_warps()) {
    const std::int64_t cycle = sub_core.cycle(), switches = sub_core.group_switches();
    result.trace.push_back(sub_core.step());
    if (sub_core.group_switches() > switches) result.switches.push_back(cycle);
  }
  return result;
}

}  // namespace

WarpCycles& WarpCycles::operator+=(const WarpCycles& other) {
  issued += other.issued;
  latency += other.latency;
  pipeline += other.pipeline;
  not_selected += other.not_selected;
  return *this;
}

const std::vector<WarpPipelines>& warp_pipelines() {
  // Lanes per sub-core, from the arithmetic throughputs in the CUDA C++ Programming Guide (compute capability 6.1/6.2
  // and 7.x, a quarter of an SM's) and 8 load/store lanes in both.
  // FP64: 4 lanes per SM on 6.1 and 6.2, 32 on 7.0, 7.2 and 8.0, 2 on 7.5 and 8.6, 64 on 9.0. Tensor cores: cycles of an
  // HMMA of a warp, of 1024 multiplications and additions on Volta and Turing (128 per sub-core and cycle) and of 2048
  // on Ampere (256) and Hopper (512), from the whitepapers of V100, A100 and H100.
  static const std::vector<WarpPipelines> pipelines = {
      {"free", "no pipeline is ever occupied", {}, false},
      {"pascal",
       "FP32 and INT32 share 32 lanes, 8 for special functions, 1 for FP64; two instructions per cycle",
       {{{0, 1}, {0, 1}, {2, 4}, {3, 4}, {4, 32}, {5, -1}}},
       true},
      {"volta",
       "FP32 and INT32 have 16 lanes each, 4 for special functions, 8 for FP64",
       {{{0, 2}, {1, 2}, {2, 8}, {3, 4}, {4, 4}, {5, 8}}},
       false},
      {"turing",
       "as volta, with one lane for FP64 in two sub-cores",
       {{{0, 2}, {1, 2}, {2, 8}, {3, 8}, {4, 64}, {5, 8}}},
       false},
      {"ampere", "as volta, of the A100", {{{0, 2}, {1, 2}, {2, 8}, {3, 4}, {4, 4}, {5, 8}}}, false},
      {"hopper", "FP32 has 32 lanes, INT32 16, FP64 16", {{{0, 1}, {1, 2}, {2, 8}, {3, 4}, {4, 2}, {5, 4}}}, false},
  };
  return pipelines;
}

const WarpPipelines* find_warp_pipelines(std::string_view name) {
  for (const WarpPipelines& pipelines : warp_pipelines())
    if (pipelines.name == name) return &pipelines;
  return nullptr;
}

tl::expected<std::vector<WarpInstruction>, std::string> parse_warp_program(std::string_view text) {
  std::vector<WarpInstruction> program;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    WarpInstruction instruction;
    if (const std::size_t colon = part.find(':'); colon != part.npos) {
      const auto unit = std::find(warp_unit_names.begin(), warp_unit_names.end(), part.substr(0, colon));
      if (unit == warp_unit_names.end())
        return tl::unexpected(fmt::format("\"{}\" is not a unit; expected fp32, int32, special, memory, fp64 or tensor",
                                          part.substr(0, colon)));
      instruction.unit = static_cast<WarpUnit>(unit - warp_unit_names.begin());
      part.remove_prefix(colon + 1);
    }
    const auto latency = parse_integer(part);
    if (!latency) return tl::unexpected(fmt::format("\"{}\" is not a whole number", part));
    instruction.latency = *latency;
    program.push_back(instruction);
    begin = end + 1;
  }
  return program;
}

std::optional<std::string> fault_of(const WarpScenario& scenario) {
  if (scenario.kernels.empty()) return "there must be a kernel";
  if (scenario.sub_cores < 1 || scenario.sub_cores > max_warps)
    return fmt::format("sub-cores must be between 1 and {}", max_warps);
  std::int64_t warps = 0, latest = 0, worst = 0;
  for (std::size_t k = 0; k < scenario.kernels.size(); ++k) {
    const WarpKernel& kernel = scenario.kernels[k];
    if (kernel.warps < 1 || kernel.warps > max_warps - warps)
      return fmt::format("kernel {}: warps must be at least 1, and at most {} of all kernels", k + 1, max_warps);
    if (kernel.release < 0 || kernel.release > max_cycles)
      return fmt::format("kernel {}: the release must be between 0 and {}", k + 1, max_cycles);
    if (kernel.budget < 1) return fmt::format("kernel {}: the budget must be at least 1", k + 1);
    if (kernel.program.empty()) return fmt::format("kernel {}: there must be an instruction", k + 1);
    warps += kernel.warps;
    latest = std::max(latest, kernel.release);
    for (const WarpInstruction& instruction : kernel.program) {
      const std::int64_t least = scenario.pipelines->dual_issue ? 0 : 1;
      if (instruction.latency < least || instruction.latency > max_cycles)
        return fmt::format("kernel {}: latencies must be between {} and {}", k + 1, least, max_cycles);
      // Some warp always makes progress, so the sum over all is an upper bound.
      const auto& use = scenario.pipelines->uses[static_cast<std::size_t>(instruction.unit)];
      if (use.cycles < 0)
        return fmt::format("kernel {}: \"{}\" has no unit for {} instructions", k + 1, scenario.pipelines->name,
                           warp_unit_names[static_cast<std::size_t>(instruction.unit)]);
      worst += std::max({std::int64_t{1}, instruction.latency, use.cycles}) * kernel.warps;
      if (worst + latest > max_cycles) return fmt::format("this could take more than {} cycles", max_cycles);
    }
  }
  return std::nullopt;
}

tl::expected<WarpRun, std::string> run_warps(const WarpScenario& scenario) {
  if (auto error = fault_of(scenario)) return tl::unexpected(std::move(*error));
  WarpRun run;
  std::vector<SubCore> sub_cores(static_cast<std::size_t>(scenario.sub_cores),
                                 SubCore(*scenario.policy, *scenario.pipelines));
  for (std::size_t kernel = 0; kernel < scenario.kernels.size(); ++kernel)
    for (std::int64_t i = 0; i < scenario.kernels[kernel].warps; ++i) {
      const WarpIndex index = run.warps.size();
      const std::size_t at = index % sub_cores.size();
      const WarpKernel& added = scenario.kernels[kernel];
      sub_cores[at].add({&added.program, added.release, added.budget, index});
      run.warps.push_back({kernel, at, 0, {}});
    }
  for (SubCore& sub_core : sub_cores) {
    run.sub_cores.push_back(run_to_end(sub_core));
    run.second_issues += sub_core.second_issues();
    for (const SubCore::Warp& warp : sub_core.warps()) {
      run.warps[warp.given.index].finish = warp.finish;
      run.warps[warp.given.index].cycles = warp.cycles;
    }
  }

  run.kernels.resize(scenario.kernels.size());
  for (const WarpResult& warp : run.warps) {
    WarpKernelResult& kernel = run.kernels[warp.kernel];
    kernel.finish = std::max(kernel.finish, warp.finish);
    kernel.cycles += warp.cycles;
  }
  std::int64_t first = max_cycles, last = 0;
  for (std::size_t kernel = 0; kernel < run.kernels.size(); ++kernel) {
    WarpKernelResult& result = run.kernels[kernel];
    result.response = result.finish - scenario.kernels[kernel].release;
    run.instructions += result.cycles.issued;
    first = std::min(first, scenario.kernels[kernel].release);
    last = std::max(last, result.finish);
  }
  run.instructions += run.second_issues;
  run.cycles = last - first;
  return run;
}

std::string trace_text(const std::vector<std::optional<WarpIndex>>& trace) {
  constexpr std::string_view names = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
  static_assert(names.size() == max_warps);
  std::string text;
  for (const auto& warp : trace) text += warp ? names[*warp] : '.';
  return text;
}

}  // namespace amalthea::engine::nvidia
