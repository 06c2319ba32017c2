// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/warp_study.hpp"

#include <algorithm>
#include <random>

#include <fmt/core.h>

namespace amalthea::engine::nvidia {
namespace {

std::optional<std::string> error_of(const WarpStudy& study) {
  if (study.programs < 1 || study.programs > 10'000) return "programs must be between 1 and 10000";
  if (study.instructions < 8 || study.instructions > 1024) return "instructions must be between 8 and 1024";
  if (study.warps < 1 || study.warps > max_warps / 2)
    return fmt::format("warps of a kernel must be between 1 and {}", max_warps / 2);
  if (study.offset < 0 || study.offset > max_cycles)
    return fmt::format("the offset must be between 0 and {}", max_cycles);
  if (study.budgets.empty() || study.stall_shares.empty()) return "there must be a budget and a share of stalls";
  for (const std::int64_t budget : study.budgets)
    if (budget < 1) return "budgets must be at least 1";
  for (const std::int64_t share : study.stall_shares)
    if (share < 0 || share > max_stall_share)
      return fmt::format("shares of stalls must be between 0 and {} per mille", max_stall_share);
  return std::nullopt;
}

/// The instructions of a program that a stall follows: a quarter, never the last one, whose latency does not count.
std::vector<std::size_t> draw_stalls(std::int64_t instructions, std::mt19937_64& random) {
  std::vector<std::size_t> places(static_cast<std::size_t>(instructions - 1));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  const std::size_t stalls = static_cast<std::size_t>(instructions / 4);
  // The standard defines the generator, but not shuffling. The bias of the remainder is below 2^-53.
  for (std::size_t i = 0; i < stalls; ++i) std::swap(places[i], places[i + random() % (places.size() - i)]);
  places.resize(stalls);
  return places;
}

std::vector<WarpInstruction> program_of(const std::vector<std::size_t>& stalls, std::int64_t instructions,
                                        std::int64_t share) {
  std::vector<WarpInstruction> program(static_cast<std::size_t>(instructions));
  // waiting / (waiting + instructions) = share
  const std::int64_t waiting = (instructions * share + (1000 - share) / 2) / (1000 - share);
  const std::int64_t parts = static_cast<std::int64_t>(stalls.size());
  for (std::int64_t i = 0; i < parts; ++i)
    program[stalls[static_cast<std::size_t>(i)]].latency = 1 + waiting / parts + (i < waiting % parts ? 1 : 0);
  return program;
}

}  // namespace

tl::expected<std::vector<WarpStudyRow>, std::string> study_warps(const WarpStudy& study) {
  if (auto error = error_of(study)) return tl::unexpected(std::move(*error));
  // All points have the same stall positions, so that only the varied parameter differs.
  std::mt19937_64 random(study.seed);
  std::vector<std::array<std::vector<std::size_t>, 2>> stalls(static_cast<std::size_t>(study.programs));
  for (auto& pair : stalls)
    for (auto& places : pair) places = draw_stalls(study.instructions, random);

  std::vector<WarpStudyRow> rows;
  for (const bool homogeneous : {true, false})
    for (const std::int64_t share : study.stall_shares) {
      const std::int64_t first_share = homogeneous ? share : computing_stall_share;
      const std::size_t begin = rows.size();
      for (const WarpPolicy& policy : warp_policies())
        for (const std::int64_t budget : policy.uses_budgets ? study.budgets : std::vector<std::int64_t>{0}) {
          WarpStudyRow row;
          row.homogeneous = homogeneous;
          row.stall_share = share;
          row.policy = &policy;
          row.budget = budget;
          for (const auto& [first, second] : stalls) {
            WarpScenario scenario;
            scenario.policy = &policy;
            scenario.pipelines = &warp_pipelines().front();
            scenario.kernels.push_back({program_of(first, study.instructions, first_share), study.warps, 0, 1});
            scenario.kernels.push_back({program_of(second, study.instructions, share), study.warps, study.offset,
                                        std::max<std::int64_t>(budget, 1)});
            const auto run = run_warps(scenario);
            if (!run) return tl::unexpected(run.error());
            row.first_response += run->kernels[0].response;
            row.second_response += run->kernels[1].response;
            row.cycles += run->cycles;
            row.idle += run->cycles - run->instructions;
          }
          rows.push_back(row);
        }
      const WarpPolicy* const gto = find_warp_policy("gto");
      const auto reference = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(),
                                          [gto](const WarpStudyRow& row) { return row.policy == gto; });
      for (std::size_t i = begin; i < rows.size(); ++i) rows[i].second_response_gto = reference->second_response;
    }
  return rows;
}

}  // namespace amalthea::engine::nvidia
