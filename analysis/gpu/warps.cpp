// SPDX-License-Identifier: Apache-2.0
// The warp schedulers of an SM.

#include <algorithm>

#include "analysis/gpu/detail/steps.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace nvidia = engine::nvidia;

using Scheduled = Answer<exporter::WarpsAnswer, exporter::WarpStudyAnswer>;

Outcome<std::vector<std::int64_t>> whole_numbers(const std::string& option, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : parts_of(text, ',')) {
    const auto number = whole_number(part);
    if (!number) return misused(option, fmt::format("\"{}\" is not a whole number", part));
    numbers.push_back(*number);
  }
  return numbers;
}

Outcome<nvidia::WarpScenario> scenario_of(const WarpsRequest& request) {
  std::vector<std::vector<nvidia::WarpInstruction>> programs;
  for (const std::string& text : request.latencies) {
    auto program = at_place("--latencies", nvidia::parse_warp_program(text));
    if (!program) return tl::unexpected(program.error());
    programs.push_back(std::move(*program));
  }
  if (programs.empty()) return misused("--latencies is required (or --sweep)");
  const auto warps = whole_numbers("--warps", request.warps);
  if (!warps) return tl::unexpected(warps.error());
  const auto budgets = whole_numbers("--budgets", request.budgets);
  if (!budgets) return tl::unexpected(budgets.error());
  const auto releases =
      request.releases.empty() ? std::vector<std::int64_t>{} : whole_numbers("--releases", request.releases);
  if (!releases) return tl::unexpected(releases.error());
  std::size_t kernels = static_cast<std::size_t>(request.kernels);
  if (kernels == 0) kernels = std::max({programs.size(), warps->size(), budgets->size(), releases->size()});
  const std::pair<const char*, std::size_t> lists[] = {{"--latencies", programs.size()},
                                                       {"--warps", warps->size()},
                                                       {"--budgets", budgets->size()},
                                                       {"--releases", std::max<std::size_t>(releases->size(), 1)}};
  for (const auto& [option, values] : lists)
    if (values != 1 && values != kernels)
      return misused(option, fmt::format("{} values for {} kernels", values, kernels),
                     "expected one value, or one per kernel");
  const auto of_kernel = [](const auto& values, std::size_t kernel) { return values[values.size() == 1 ? 0 : kernel]; };
  nvidia::WarpScenario scenario;
  scenario.policy = nvidia::find_warp_policy(request.policy);
  scenario.pipelines = nvidia::find_warp_pipelines(request.pipelines);
  scenario.sub_cores = request.sub_cores;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    scenario.kernels.push_back(
        {of_kernel(programs, kernel), of_kernel(*warps, kernel),
         releases->empty() ? request.offset * static_cast<std::int64_t>(kernel) : of_kernel(*releases, kernel),
         of_kernel(*budgets, kernel)});
  return scenario;
}

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace

OptionTable options(WarpsRequest& request) {
  return {
      row("latencies", &request.latencies,
          "Instruction latencies of a warp in cycles: 2,1,int32:2. The unit is fp32 unless given: "
          "2,1,int32:2,memory:20. Once for all kernels, or repeated for each",
          {group::options}, {.takes = "LIST"}),
      row("kernels", &request.kernels, "Number of kernels. Default: the length of the longest list", {group::options},
          {.range = Range{std::int64_t{1}, nvidia::max_warps}, .usual = ""}),
      row("warps", &request.warps, "Warps per kernel, for all or for each: 2,4", {group::options}, {.takes = "LIST"}),
      row("offset", &request.offset, "Cycles between the releases of two kernels", {group::options},
          {.range = Range{std::int64_t{0}, nvidia::max_cycles}}),
      row("releases", &request.releases, "Release cycle of each kernel: 0,5", {group::options},
          {.takes = "LIST", .excludes = {"offset"}}),
      row("policy", &request.policy, "Warp scheduler", {group::options},
          {.choices = names_of(nvidia::warp_policies())}),
      row("budgets", &request.budgets, "Context switches that QAWS grants, for all kernels or each: 1,4",
          {group::options}, {.takes = "LIST"}),
      row("sub-cores", &request.sub_cores, "Number of sub-cores. They receive warps round robin", {group::options},
          {.range = Range{std::int64_t{1}, nvidia::max_warps}}),
      row("pipelines", &request.pipelines,
          "Pipeline model. It defines which units share a pipeline and how long they occupy it", {group::options},
          {.choices = names_of(nvidia::warp_pipelines())}),
      row("sweep", &request.sweep,
          "Run random programs under all policies instead. Varies the budget and the stall share", {group::sweep}),
      row("programs", &request.study.programs, "Random programs per point", rare(group::sweep), {.needs = "sweep"}),
      row("sweep-budgets", &request.study.budgets, "Budgets of the second kernel. The first has 1", rare(group::sweep),
          {.by_commas = true, .needs = "sweep"}),
      row("stall-shares", &request.study.stall_shares, "Share of its time that a single warp stalls, in per mille",
          rare(group::sweep), {.by_commas = true, .needs = "sweep"}),
      row("seed", &request.study.seed, "Random seed of the programs", rare(group::sweep), {.needs = "sweep"}),
      row("picture", &request.picture, "Also draw the sweep into this SVG file", rare(group::sweep),
          {.takes = "FILE", .file = FileKind::written, .needs = "sweep"})};
}

Outcome<Scheduled> answer(const WarpsRequest& request, const Watch& watch) {
  if (request.sweep) {
    if (!request.picture.empty() && !watch.can_write("", request.picture)) return misused("");
    return at_place("", nvidia::study_warps(request.study)).map([&](auto&& rows) {
      exporter::WarpStudyAnswer study{request.study, std::move(rows)};
      std::vector<std::pair<std::string, std::string>> files;
      if (!request.picture.empty()) files.emplace_back(request.picture, exporter::render_warp_study_svg(study));
      return Scheduled{std::move(study), true, std::move(files)};
    });
  }
  return scenario_of(request).and_then([](const nvidia::WarpScenario& scenario) {
    return at_place("", nvidia::run_warps(scenario)).map([&](nvidia::WarpRun&& run) {
      return Scheduled{exporter::WarpsAnswer{scenario, std::move(run)}};
    });
  });
}

}  // namespace amalthea::analysis::gpu
