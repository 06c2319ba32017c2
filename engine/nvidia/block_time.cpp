// SPDX-License-Identifier: Apache-2.0
#include "engine/nvidia/block_time.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "engine/nvidia/makespan/schedule.hpp"
#include "engine/nvidia/makespan/search.hpp"

namespace amalthea::engine::nvidia {
namespace {

constexpr std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// Memory limit for the search; everything else is small.
constexpr std::uint64_t search_memory = std::uint64_t{512} << 20;

/// A lower bound on every schedule of the warps: a warp executes its instructions in sequence; units and schedulers
/// have a limit per cycle.
std::int64_t least_cycles(const makespan::Problem& problem) {
  std::int64_t least =
      std::max(problem.instructions(), divided_up(problem.warps * problem.instructions(), problem.schedulers));
  for (std::size_t unit = 0; unit < makespan::unit_types; ++unit) {
    const auto own = std::count(problem.kernel.begin(), problem.kernel.end(), static_cast<makespan::Unit>(unit));
    least = std::max(least, divided_up(problem.warps * own, problem.capacity[unit]));
  }
  return least;
}

/// Bounds on the longest schedule, the lower one of some schedule. A search takes seconds, and all variants that an
/// exploration or a study judges ask for the same few, so each problem is searched once.
std::pair<std::int64_t, std::int64_t> longest_schedule(const makespan::Problem& problem) {
  using Key = std::tuple<makespan::Kernel, makespan::PerUnit, std::int64_t, std::int64_t>;
  static std::mutex mutex;
  static std::map<Key, std::pair<std::int64_t, std::int64_t>> known;
  const std::lock_guard lock(mutex);  // during the search, too, which uses all cores itself
  const Key key(problem.kernel, problem.capacity, problem.warps, problem.schedulers);
  if (const auto bounds = known.find(key); bounds != known.end()) return bounds->second;
  makespan::SearchOptions options;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  options.memory = search_memory;
  options.search = problem.warps * problem.instructions() <= max_searched_instructions;
  const makespan::SearchResult found = makespan::worst_makespan(problem, options);
  return known[key] = {found.lower, found.upper};
}

tl::expected<BlockCycles, std::string> cycles_of(const makespan::Kernel& kernel, const BlockPlace& place) {
  const auto one = problem_of(kernel, place.limits, place.warps);
  if (!one) return tl::unexpected(one.error());
  const auto all = problem_of(kernel, place.limits, place.warps * place.blocks);
  if (!all) return tl::unexpected(all.error());
  BlockCycles cycles;
  cycles.best = least_cycles(*one);
  cycles.average = makespan::StringSchedule(*all, makespan::round_robin_string(*all)).makespan();
  const auto [lower, upper] = longest_schedule(*all);
  cycles.seen = std::max(lower, cycles.average);
  cycles.worst = place.in_rounds ? std::max(upper, makespan::simple_bound(*all)) : upper;
  return cycles;
}

/// The end of the last warp of the first kernel.
tl::expected<std::int64_t, std::string> finish_of(const BlockPlace& place, std::vector<WarpKernel> kernels) {
  WarpScenario scenario;
  scenario.kernels = std::move(kernels);
  scenario.policy = place.policy;
  scenario.pipelines = place.pipelines;
  scenario.sub_cores = place.limits.warp_schedulers;
  const auto run = run_warps(scenario);
  if (!run) return tl::unexpected(run.error());
  return run->kernels.front().finish;
}

/// A lower bound on the time of a block, whatever else its SM executes: a warp executes its instructions in sequence,
/// and the warps of a sub-core share its scheduler and its pipelines.
std::int64_t least_cycles(const std::vector<WarpInstruction>& program, const BlockPlace& place) {
  const std::int64_t warps = divided_up(place.warps, place.limits.warp_schedulers);
  std::int64_t sequence = 1;  // the last instruction only issues
  std::array<std::int64_t, warp_unit_names.size()> occupied{};
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (i + 1 < program.size()) sequence += program[i].latency;
    const auto& use = place.pipelines->uses[static_cast<std::size_t>(program[i].unit)];
    // The last one on a pipeline need not end there.
    occupied[use.pipeline] += use.cycles;
  }
  std::int64_t least = std::max(
      sequence, divided_up(warps * static_cast<std::int64_t>(program.size()), place.pipelines->dual_issue ? 2 : 1));
  for (const auto& use : place.pipelines->uses)
    least = std::max(least, warps * occupied[use.pipeline] - std::max<std::int64_t>(0, use.cycles - 1));
  return least;
}

tl::expected<BlockCycles, std::string> cycles_of(const std::vector<WarpInstruction>& program, const BlockPlace& place) {
  const auto alone = finish_of(place, {{program, place.warps, 0, place.budget}});
  if (!alone) return tl::unexpected(alone.error());
  const auto together = finish_of(place, {{program, place.warps * place.blocks, 0, place.budget}});
  if (!together) return tl::unexpected(together.error());
  std::int64_t best = std::min(*alone, *together), worst = std::max(*alone, *together);
  if (!place.even && place.blocks > 2) {
    const auto fewer = finish_of(place, {{program, place.warps * (place.blocks - 1), 0, place.budget}});
    if (!fewer) return tl::unexpected(fewer.error());
    best = std::min(best, *fewer);
    worst = std::max(worst, *fewer);
  }
  if (place.in_rounds || !place.company.empty()) best = std::min(best, least_cycles(program, place));
  return BlockCycles{best, *together, worst, worst};
}

}  // namespace

tl::expected<makespan::Problem, std::string> problem_of(const makespan::Kernel& letters, const SmLimits& limits,
                                                        std::int64_t warps) {
  makespan::SmUnits sm;
  sm.units = {limits.load_store_units, limits.cores, limits.special_units, limits.double_units};
  sm.warp_size = limits.warp_size;
  for (std::size_t unit = 0; unit < makespan::unit_types; ++unit) {
    if (sm.units[unit] > 0) continue;
    if (std::find(letters.begin(), letters.end(), static_cast<makespan::Unit>(unit)) != letters.end())
      return tl::unexpected(
          fmt::format("the platform does not say how many units of type {} an SM has", makespan::unit_letters[unit]));
    sm.units[unit] = sm.warp_size;  // irrelevant
  }
  return makespan::problem_on(sm, letters, warps, limits.warp_schedulers);
}

tl::expected<BlockInstructions, std::string> parse_block_instructions(std::string_view text) {
  if (text.find_first_of("LCSDlcsd") != text.npos && text.find_first_of(":,") == text.npos) {
    auto kernel = makespan::parse_kernel(text);
    if (!kernel) return tl::unexpected(kernel.error());
    return BlockInstructions(std::move(*kernel));
  }
  auto program = parse_warp_program(text);
  if (!program)
    return tl::unexpected(
        fmt::format("{}; expected letters L, C, S, D such as \"5L 9C\", or latencies in cycles such "
                    "as \"2,1,memory:20\"",
                    program.error()));
  return BlockInstructions(std::move(*program));
}

WarpKernel warps_of(const BlockInstructions& instructions, std::int64_t warps, std::int64_t budget) {
  WarpKernel kernel;
  kernel.warps = warps;
  kernel.budget = budget;
  if (const auto* program = std::get_if<std::vector<WarpInstruction>>(&instructions)) {
    kernel.program = *program;
  } else {
    for (const makespan::Unit unit : std::get<makespan::Kernel>(instructions))
      kernel.program.push_back({1, unit == makespan::Unit::memory    ? WarpUnit::memory
                                   : unit == makespan::Unit::special ? WarpUnit::special
                                                                     : WarpUnit::fp32});
  }
  return kernel;
}

tl::expected<BlockCycles, std::string> block_cycles(const BlockInstructions& instructions, const BlockPlace& place) {
  auto cycles = std::visit([&](const auto& form) { return cycles_of(form, place); }, instructions);
  if (cycles && place.by_policy) {
    const std::vector<WarpInstruction> program = warps_of(instructions, 1, 1).program;
    const auto by_policy = cycles_of(program, place);
    if (!by_policy) return by_policy;
    cycles->best = std::min(cycles->best, least_cycles(program, place));
    cycles->worst = std::max(cycles->worst, by_policy->worst);
  }
  if (!cycles || place.company.empty()) return cycles;
  std::vector<WarpKernel> kernels = {warps_of(instructions, place.warps * place.blocks, place.budget)};
  kernels.insert(kernels.end(), place.company.begin(), place.company.end());
  const auto beside = finish_of(place, std::move(kernels));
  if (!beside) return tl::unexpected(beside.error());
  cycles->worst = std::max(cycles->worst, *beside);
  cycles->seen = std::max(cycles->seen, *beside);
  return cycles;
}

}  // namespace amalthea::engine::nvidia
