// SPDX-License-Identifier: Apache-2.0
// The longest execution time of the warps of a kernel on an SM.

#include <algorithm>

#include "analysis/gpu/detail/steps.hpp"
#include "engine/nvidia/makespan/sass.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace makespan = engine::nvidia::makespan;

constexpr std::uint64_t usual_iterations = 2'000'000;

/// The usual number, or fewer for a large problem, so that a run takes seconds.
std::uint64_t default_iterations(const makespan::Problem& problem, const Watch& watch) {
  constexpr std::uint64_t instructions_placed = 250'000'000;
  const std::uint64_t iterations = std::clamp<std::uint64_t>(instructions_placed / problem.work(), 1, usual_iterations);
  if (iterations < usual_iterations)
    watch.tell(
        fmt::format("note: {} iterations instead of {}, because the problem is large; --iterations sets another number",
                    iterations, usual_iterations));
  return iterations;
}

/// Each "L=16" into the entry of L; each "L=1+400" into those of two tables.
Outcome<void> read_settings(const char* option, const std::vector<std::string>& texts, makespan::PerUnit& values,
                            makespan::PerUnit* further = nullptr) {
  for (const std::string& text : texts) {
    const auto unit = text.empty() ? std::string::npos : makespan::unit_letters.find(text.front());
    const std::string_view numbers = text.size() > 2 && text[1] == '=' ? std::string_view(text).substr(2) : "";
    const std::size_t plus = further != nullptr ? numbers.find('+') : std::string_view::npos;
    const auto number = whole_number(numbers.substr(0, plus));
    const auto more =
        plus == std::string_view::npos ? std::optional(std::int64_t{0}) : whole_number(numbers.substr(plus + 1));
    if (unit == std::string::npos || !number || !more)
      return misused(fmt::format("{} \"{}\"", option, text),
                     fmt::format("expected UNIT=NUMBER such as L=16{}, of the units L, C, S, D",
                                 further != nullptr ? " or L=1+400" : ""));
    values[unit] = *number;
    if (further != nullptr) (*further)[unit] = *more;
  }
  return {};
}

using Kernels = std::vector<std::pair<makespan::Kernel, std::int64_t>>;

/// The kernels of --kernel, or that of --ptx or --sass, with their warps.
Outcome<Kernels> kernels_of(const MakespanRequest& request, const Watch& watch) {
  const std::size_t count = std::max<std::size_t>(request.kernels.size(), 1);
  if (request.warps.size() != 1 && request.warps.size() != count)
    return misused("--warps",
                   fmt::format("the number of values is {}, that of kernels {}", request.warps.size(), count),
                   "expected one value, or one per kernel");
  std::vector<std::int64_t> all_warps;
  for (const std::string& text : request.warps) {
    const auto warps = whole_number(text);
    if (!warps || *warps < 1 || *warps > makespan::max_warps)
      return misused(fmt::format("--warps {}", text),
                     fmt::format("expected a whole number from 1 to {}", makespan::max_warps));
    all_warps.push_back(*warps);
  }
  Kernels kernels;
  const auto add = [&](makespan::Kernel&& kernel) {
    const std::size_t value = all_warps.size() == 1 ? 0 : kernels.size();
    kernels.emplace_back(std::move(kernel), all_warps[value]);
  };
  for (const std::string& text : request.kernels)
    if (auto added = at_place("--kernel", makespan::parse_kernel(text)).map(add); !added)
      return tl::unexpected(added.error());
  if (!kernels.empty()) return kernels;
  const std::string& file = request.ptx.empty() ? request.sass : request.ptx;
  const auto text = text_of({file});
  if (!text) return tl::unexpected(text.error());
  std::vector<std::string> warnings;
  auto kernel = request.ptx.empty() ? makespan::kernel_of_sass(*text, request.architecture)
                                    : makespan::kernel_of_ptx(*text, &warnings);
  for (const std::string& warning : warnings) watch.tell(fmt::format("warning: {}: {}", file, warning));
  return at_place(file, std::move(kernel)).map(add).map([&] { return std::move(kernels); });
}

Outcome<makespan::Problem> problem_of(const MakespanRequest& request, const Watch& watch) {
  if (static_cast<int>(request.kernels.empty()) + static_cast<int>(request.ptx.empty()) +
          static_cast<int>(request.sass.empty()) !=
      2)
    return misused("gpu makespan requires one of --kernel, --ptx and --sass");
  makespan::SmUnits sm;
  sm.dispatch_units = request.dispatch;
  const auto read = read_settings("--units", request.units, sm.units).and_then([&] {
    return read_settings("--latency", request.latencies, sm.latency, &sm.wait);
  });
  if (!read) return tl::unexpected(read.error());
  const auto sigma = request.sigma == "units" ? makespan::no_scheduler_limit : whole_number(request.sigma);
  if (!sigma || *sigma < 1 || *sigma > makespan::no_scheduler_limit)
    return misused(fmt::format("--sigma \"{}\"", request.sigma), "expected a number of warps above zero, or \"units\"");
  return kernels_of(request, watch).and_then([&](const Kernels& kernels) {
    return at_place("", makespan::problem_on(sm, kernels, *sigma));
  });
}

/// Warps from 1, separated by blanks or commas; nothing for other text.
std::optional<makespan::WarpString> warps_in(std::string_view text) {
  makespan::WarpString warps;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\n", at), text.size());
    if (end > at) {
      const auto warp = whole_number(text.substr(at, end - at));
      if (!warp || *warp < 1 || *warp > makespan::max_warps) return std::nullopt;
      warps.push_back(static_cast<std::uint16_t>(*warp - 1));
    }
    at = end + 1;
  }
  return warps;
}

/// The warp string of --string or --schedule.
Outcome<makespan::WarpString> string_of(const MakespanRequest& request, const makespan::Problem& problem) {
  if (request.schedule.empty()) {
    auto warps = warps_in(request.string);
    if (!warps) return misused("--string", "expected numbers of warps from 1, such as \"1 1 2 2\"");
    if (const auto wrong = makespan::complaint(problem, *warps)) return misused("--string", *wrong);
    return std::move(*warps);
  }
  makespan::Schedule schedule;
  for (const std::string_view cycle : parts_of(request.schedule, ';')) {
    auto warps = warps_in(cycle);
    if (!warps)
      return misused(fmt::format("--schedule, cycle {}: expected numbers of warps from 1", schedule.size() + 1));
    std::sort(warps->begin(), warps->end());
    schedule.push_back(std::move(*warps));
  }
  if (const auto wrong = makespan::violation(problem, schedule))
    return misused("--schedule", "not a work-conserving schedule: " + *wrong);
  return makespan::string_of(schedule);
}

/// Improves the result of bounds only.
makespan::AnnealingResult anneal(const MakespanRequest& request, const makespan::Problem& problem,
                                 std::optional<double> time_limit, const Watch& watch, makespan::SearchResult& result) {
  makespan::AnnealingOptions settings = request.annealing;
  settings.iterations = request.iterations ? *request.iterations : default_iterations(problem, watch);
  settings.threads = request.jobs;
  settings.time_limit = time_limit;
  settings.progress = [&](std::int64_t best, double seconds) {
    watch.progress(fmt::format("{} cycles after {:.1f} s", best, seconds));
  };
  auto annealing = makespan::anneal(problem, settings);
  if (annealing.best > result.lower) {
    result.lower = annealing.best;
    result.witness = makespan::StringSchedule(problem, annealing.string).schedule();
  }
  result.seconds += annealing.seconds;
  return annealing;
}

}  // namespace

OptionTable options(MakespanRequest& request) {
  return {
      row("kernel", &request.kernels,
          "Instructions by unit (L, C, S, D), such as \"5L 9C 2L 9C\". Repeated for kernels that share the SM",
          {group::options}, {.takes = "INSTRUCTIONS"}),
      row("ptx", &request.ptx, "Read the instructions from a PTX file, each once", {group::options},
          {.takes = "FILE", .file = FileKind::read}),
      row("sass", &request.sass, "Read the instructions from a listing of cuobjdump -sass, each once", {group::options},
          {.takes = "FILE", .file = FileKind::read}),
      row("arch", &request.architecture, "Architecture of the listing, such as sm_72. Default: as it states",
          {group::options}, {.takes = "SM", .needs = "sass"}),
      row("string", &request.string,
          "Evaluate this warp string, such as \"1 1 2 2\", instead of searching: print the cycle of every "
          "instruction",
          {group::options}, {.takes = "WARPS"}),
      row("schedule", &request.schedule,
          "Check and evaluate this schedule: the warps of every cycle, separated by semicolons, such as "
          "\"1; 1 2; 2\"",
          {group::options}, {.takes = "CYCLES", .excludes = {"string"}}),
      row("warps", &request.warps, "Number of warps on the SM, for all kernels or for each: 2,4", {group::options},
          {.takes = "LIST", .by_commas = true, .required = true}),
      row("sigma", &request.sigma, "Number of warps that execute in a cycle. \"units\": as many as the units allow",
          {group::options}, {.takes = "N"}),
      row("units", &request.units, "Lanes of a unit: UNIT=N. Default: L=32, C=128, S=32, D=64", {group::options},
          {.takes = "UNIT=N", .by_commas = true}),
      row("latency", &request.latencies,
          "Latency of an instruction: UNIT=CYCLES, during which it occupies its unit. UNIT=CYCLES+WAIT: its warp then "
          "waits, and the unit is free. Default: 1",
          {group::options}, {.takes = "UNIT=N", .by_commas = true}),
      row("dispatch", &request.dispatch, "Dispatch units of a scheduler: instructions of a warp in one cycle",
          {group::options}, {.range = Range{1, 2}}),
      row("anneal", &request.anneal, "Compute a lower bound by simulated annealing instead of the exact value",
          {group::options}),
      row("iterations", &request.iterations,
          "Iterations per annealing run. Default: 2000000, fewer for more than 125 instructions in all warps",
          rare(group::annealing), {.range = Range{1, 1'000'000'000'000}, .usual = ""}),
      row("runs", &request.annealing.runs, "Number of annealing runs", rare(group::annealing),
          {.range = Range{1, 100'000}}),
      row("curve", &request.curve, "Write the longest schedule of every annealing run by iteration, as .csv or .svg",
          {group::annealing}, {.takes = "FILE", .file = FileKind::written}),
      row("temperature", &request.annealing.temperature, "Initial annealing temperature, in cycles",
          rare(group::annealing), {.range = RealRange{0.0, 1e6}}),
      row("seed", &request.annealing.seed, "Random seed of the annealing", rare(group::annealing),
          {.range = Range{0, (std::uint64_t{1} << 53U) - 1}}),
      row("time-limit", &request.time_limit, "Stop after this many seconds and print the bounds found so far",
          {group::options}, {.range = RealRange{0.001, 1e9}, .usual = ""}),
      row("memory-limit", &request.memory_limit, "Memory for states and bounds, in MiB", rare(group::run),
          {.range = Range{1, 1 << 24}}),
      row("jobs", &request.jobs, "Number of threads. Default: one per core. The result does not depend on it",
          rare(group::run), {.range = Range{1, 1024}, .usual = ""})};
}

Outcome<Answer<exporter::MakespanAnswer, exporter::WarpStringAnswer>> answer(const MakespanRequest& request,
                                                                             const Watch& watch) {
  using Longest = Answer<exporter::MakespanAnswer, exporter::WarpStringAnswer>;
  auto problem = problem_of(request, watch);
  if (!problem) return tl::unexpected(problem.error());
  if (!request.string.empty() || !request.schedule.empty())
    return string_of(request, *problem).map([&](makespan::WarpString&& string) {
      makespan::StringSchedule schedule(*problem, std::move(string));
      return Longest{exporter::WarpStringAnswer{std::move(*problem), std::move(schedule)}};
    });
  const bool is_drawing = request.curve.ends_with(".svg");
  if (!request.curve.empty() && (!request.anneal || (!is_drawing && !request.curve.ends_with(".csv"))))
    return misused("--curve requires --anneal, and a file that ends in .csv or .svg");
  const auto time_limit = request.time_limit > 0 ? std::optional(request.time_limit) : std::nullopt;
  makespan::SearchOptions search{request.jobs, time_limit, request.memory_limit << 20U, !request.anneal};
  search.progress = [&](const makespan::SearchProgress& now) {
    watch.progress(fmt::format("{} to {} cycles, {} states, {:.0f} s{}", now.lower, now.upper, now.states, now.seconds,
                               time_limit ? fmt::format(", at most {:.0f} s left", *time_limit - now.seconds) : ""));
  };
  exporter::MakespanAnswer found{*problem, makespan::worst_makespan(*problem, search), {}, time_limit.has_value()};
  if (request.anneal) found.annealing = anneal(request, *problem, time_limit, watch, found.result);
  if (const auto wrong = makespan::violation(*problem, found.result.witness))
    return misused(fmt::format("the witness is not a work-conserving schedule: {}", *wrong));
  std::vector<std::pair<std::string, std::string>> files;
  if (!request.curve.empty())
    files.emplace_back(request.curve,
                       is_drawing ? exporter::render_annealing_svg(found) : exporter::render_annealing_csv(found));
  return Longest{std::move(found), true, std::move(files)};
}

}  // namespace amalthea::analysis::gpu
