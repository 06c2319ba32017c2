// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/warps.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "amalthea/quantity.hpp"

namespace amalthea::engine::nvidia {
namespace {

/// A warp on its sub-core.
struct Warp {
  WarpIndex index = 0;
  const WarpKernel* kernel = nullptr;
  std::size_t next = 0;       ///< instruction
  std::int64_t ready_at = 0;  ///< earliest cycle at which it may issue, with regard to latency
  bool ended() const { return next == kernel->program.size(); }
};

std::optional<std::string> error_of(const WarpScenario& scenario) {
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

class SubCore {
 public:
  SubCore(const WarpScenario& scenario, std::vector<Warp> warps, WarpRun& run)
      : scenario_(scenario), warps_(std::move(warps)), views_(warps_.size()), run_(run) {
    for (std::size_t i = 0; i < warps_.size(); ++i) {
      warps_[i].ready_at = views_[i].release = warps_[i].kernel->release;
      views_[i].budget = warps_[i].kernel->budget;
    }
  }

  SubCoreResult run() {
    for (std::size_t left = warps_.size(); left > 0; ++cycle_) {
      for (std::size_t i = 0; i < warps_.size(); ++i) classify_warp(i);
      const std::int64_t switches = memory_.group_switches;
      const std::optional<std::size_t> choice = scenario_.policy->choose(views_, memory_);
      if (memory_.group_switches > switches) result_.switches.push_back(cycle_);
      for (std::size_t i = 0; i < warps_.size(); ++i) account(i, choice);
      result_.trace.push_back(choice ? std::optional(warps_[*choice].index) : std::nullopt);
      if (choice && issue(warps_[*choice])) --left;
    }
    return std::move(result_);
  }

 private:
  const WarpPipelines::Use& use_of(const Warp& warp) const {
    return scenario_.pipelines->uses[static_cast<std::size_t>(warp.kernel->program[warp.next].unit)];
  }

  void classify_warp(std::size_t i) {
    const Warp& warp = warps_[i];
    views_[i].present = !warp.ended() && warp.kernel->release <= cycle_;
    views_[i].ready = views_[i].present && warp.ready_at <= cycle_ && occupied_until_[use_of(warp).pipeline] <= cycle_;
  }

  void account(std::size_t i, std::optional<std::size_t> choice) {
    if (!views_[i].present) return;
    WarpCycles& cycles = run_.warps[warps_[i].index].cycles;
    if (choice == i)
      ++cycles.issued;
    else if (views_[i].ready)
      ++cycles.not_selected;
    else
      ++(warps_[i].ready_at > cycle_ ? cycles.latency : cycles.pipeline);
  }

  /// True when the warp has ended.
  bool issue(Warp& warp) {
    const std::size_t first = issue_one(warp);
    const bool may_issue_again = scenario_.pipelines->dual_issue && !warp.ended() && warp.ready_at == cycle_;
    if (may_issue_again && use_of(warp).pipeline != first && occupied_until_[use_of(warp).pipeline] <= cycle_) {
      issue_one(warp);
      ++run_.second_issues;
    }
    warp.ready_at = std::max(warp.ready_at, cycle_ + 1);
    if (!warp.ended()) return false;
    run_.warps[warp.index].finish = cycle_ + 1;
    return true;
  }

  /// The pipeline that the instruction uses.
  std::size_t issue_one(Warp& warp) {
    const auto& use = use_of(warp);
    if (use.cycles > 0) occupied_until_[use.pipeline] = cycle_ + use.cycles;
    warp.ready_at = cycle_ + warp.kernel->program[warp.next].latency;
    ++warp.next;
    return use.pipeline;
  }

  const WarpScenario& scenario_;
  std::vector<Warp> warps_;
  std::vector<WarpView> views_;  ///< parallel to warps_
  WarpRun& run_;
  WarpMemory memory_;
  std::array<std::int64_t, warp_unit_names.size()> occupied_until_{};
  std::int64_t cycle_ = 0;
  SubCoreResult result_;
};

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

tl::expected<WarpRun, std::string> run_warps(const WarpScenario& scenario) {
  if (auto error = error_of(scenario)) return tl::unexpected(std::move(*error));
  WarpRun run;
  std::vector<std::vector<Warp>> warps(static_cast<std::size_t>(scenario.sub_cores));
  for (std::size_t kernel = 0; kernel < scenario.kernels.size(); ++kernel)
    for (std::int64_t i = 0; i < scenario.kernels[kernel].warps; ++i) {
      const WarpIndex index = run.warps.size();
      const std::size_t sub_core = index % warps.size();
      warps[sub_core].push_back({index, &scenario.kernels[kernel], 0, 0});
      run.warps.push_back({kernel, sub_core, 0, {}});
    }
  for (std::vector<Warp>& own : warps) run.sub_cores.push_back(SubCore(scenario, std::move(own), run).run());

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
