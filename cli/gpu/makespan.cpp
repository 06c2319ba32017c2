// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/makespan/annealing.hpp"
#include "engine/nvidia/makespan/sass.hpp"
#include "engine/nvidia/makespan/search.hpp"
#include "exporter/gpu/makespan_formats.hpp"

namespace amalthea::cli {
namespace {

namespace makespan = engine::nvidia::makespan;

struct MakespanOptions {
  std::string kernel;
  std::string ptx;
  std::string sass;
  std::string architecture;
  std::string string;
  std::string schedule;
  std::string curve;
  std::int64_t warps = 0;
  std::string sigma = "4";
  std::vector<std::string> units;
  std::vector<std::string> latencies;
  bool exact = false;  // the default; the option makes it explicit
  bool anneal = false;
  std::optional<std::uint64_t> iterations;
  std::uint64_t runs = 8;
  double temperature = 0.3;
  std::uint64_t seed = 1;
  double time_limit = 0;
  std::uint64_t memory_limit = 900;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string format = "text";
};

constexpr std::uint64_t usual_iterations = 2'000'000;

/// The usual number, or fewer for a large problem, so that a run takes seconds.
std::uint64_t default_iterations(const makespan::Problem& problem) {
  constexpr std::uint64_t instructions_placed = 250'000'000;
  const std::uint64_t each = static_cast<std::uint64_t>(problem.warps) * problem.kernel.size();
  const std::uint64_t iterations = std::clamp<std::uint64_t>(instructions_placed / each, 1, usual_iterations);
  if (iterations < usual_iterations)
    tell(
        "amalthea: note: {} iterations instead of {}, because the problem is large; --iterations sets another number\n",
        iterations, usual_iterations);
  return iterations;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Parses "L=16" into the entry of L; false and a message for other text.
bool read_setting(const std::string& option, const std::string& text, makespan::PerUnit& values) {
  const auto unit = text.empty() ? std::string_view::npos : makespan::unit_letters.find(text.front());
  const auto number = text.size() > 2 && text[1] == '=' ? number_in(std::string_view(text).substr(2)) : std::nullopt;
  if (unit == std::string_view::npos || !number) {
    unusable(fmt::format("{} \"{}\": expected UNIT=NUMBER such as L=16, of the units L, C, S, D", option, text));
    return false;
  }
  values[unit] = *number;
  return true;
}

/// The kernel of --kernel, --ptx or --sass; nothing and a message for an error.
std::optional<makespan::Kernel> kernel_of(const MakespanOptions& options) {
  const std::string& file = options.ptx.empty() ? options.sass : options.ptx;
  tl::expected<makespan::Kernel, std::string> kernel;
  if (file.empty()) {
    kernel = makespan::parse_kernel(options.kernel);
  } else {
    const auto text = file_text(file);
    if (!text) return std::nullopt;
    std::vector<std::string> warnings;
    kernel = options.ptx.empty() ? makespan::kernel_of_sass(*text, options.architecture)
                                 : makespan::kernel_of_ptx(*text, &warnings);
    for (const std::string& warning : warnings) tell("amalthea: warning: {}: {}\n", file, warning);
  }
  if (kernel) return std::move(*kernel);
  unusable(fmt::format("{}: {}", file.empty() ? std::string("--kernel") : file, kernel.error()));
  return std::nullopt;
}

/// Warps from 1, separated by blanks or commas; nothing for other text.
std::optional<makespan::WarpString> warps_in(std::string_view text) {
  makespan::WarpString warps;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\n", at), text.size());
    if (end > at) {
      const auto warp = number_in(text.substr(at, end - at));
      if (!warp || *warp < 1 || *warp > makespan::max_warps) return std::nullopt;
      warps.push_back(static_cast<std::uint16_t>(*warp - 1));
    }
    at = end + 1;
  }
  return warps;
}

/// Evaluates --string or --schedule.
int evaluate(const MakespanOptions& options, const makespan::Problem& problem) {
  makespan::WarpString string;
  const bool is_schedule = !options.schedule.empty();
  if (is_schedule) {
    makespan::Schedule schedule;
    for (std::string_view rest = options.schedule;;) {
      const auto end = rest.find(';');
      auto warps = warps_in(rest.substr(0, end));
      if (!warps)
        return unusable(fmt::format("--schedule, cycle {}: expected numbers of warps from 1", schedule.size() + 1));
      std::sort(warps->begin(), warps->end());
      schedule.push_back(std::move(*warps));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    if (const auto wrong = makespan::violation(problem, schedule))
      return unusable(fmt::format("--schedule: not a work-conserving schedule: {}", *wrong));
    string = makespan::string_of(schedule);
  } else {
    auto warps = warps_in(options.string);
    if (!warps) return unusable("--string: expected numbers of warps from 1, such as \"1 1 2 2\"");
    if (const auto wrong = makespan::complaint(problem, *warps)) return unusable(fmt::format("--string: {}", *wrong));
    string = std::move(*warps);
  }
  const makespan::StringSchedule evaluated(problem, std::move(string));
  return written(options.format == "json" ? exporter::render_string_json(problem, evaluated)
                                          : exporter::render_string_text(problem, evaluated),
                 ExitCode::all_well);
}

/// Nothing and a message for invalid options.
std::optional<makespan::Problem> problem_of(const MakespanOptions& options) {
  if (static_cast<int>(options.kernel.empty()) + static_cast<int>(options.ptx.empty()) +
          static_cast<int>(options.sass.empty()) !=
      2) {
    unusable("gpu makespan requires one of --kernel, --ptx and --sass");
    return std::nullopt;
  }
  makespan::SmUnits sm;
  for (const std::string& text : options.units)
    if (!read_setting("--units", text, sm.units)) return std::nullopt;
  for (const std::string& text : options.latencies)
    if (!read_setting("--latency", text, sm.latency)) return std::nullopt;
  const auto sigma = options.sigma == "units" ? makespan::no_scheduler_limit : number_in(options.sigma);
  if (!sigma || *sigma < 1 || *sigma > makespan::no_scheduler_limit) {
    unusable(fmt::format("--sigma \"{}\": expected a number of warps above zero, or \"units\"", options.sigma));
    return std::nullopt;
  }
  const auto kernel = kernel_of(options);
  if (!kernel) return std::nullopt;
  auto problem = makespan::problem_on(sm, *kernel, options.warps, *sigma);
  if (!problem) {
    unusable(problem.error());
    return std::nullopt;
  }
  return std::move(*problem);
}

int run(const MakespanOptions& options) {
  const auto problem = problem_of(options);
  if (!problem) return ExitCode::unusable;
  if (!options.string.empty() || !options.schedule.empty()) return evaluate(options, *problem);
  const bool is_drawing = options.curve.ends_with(".svg");
  if (!options.curve.empty() && (!options.anneal || (!is_drawing && !options.curve.ends_with(".csv"))))
    return unusable("--curve requires --anneal, and a file that ends in .csv or .svg");
  const auto time_limit = options.time_limit > 0 ? std::optional(options.time_limit) : std::nullopt;
  StatusLine status;
  makespan::SearchOptions search;
  search.threads = options.jobs;
  search.time_limit = time_limit;
  search.memory = options.memory_limit << 20;
  search.search = !options.anneal;
  search.progress = [&](const makespan::SearchProgress& now) {
    status.show(fmt::format("{} to {} cycles, {} states, {:.0f} s{}", now.lower, now.upper, now.states, now.seconds,
                            time_limit ? fmt::format(", at most {:.0f} s left", *time_limit - now.seconds) : ""));
  };
  makespan::SearchResult result = makespan::worst_makespan(*problem, search);
  std::optional<makespan::AnnealingResult> annealing;
  if (options.anneal) {
    makespan::AnnealingOptions settings;
    settings.iterations = options.iterations ? *options.iterations : default_iterations(*problem);
    settings.runs = options.runs;
    settings.temperature = options.temperature;
    settings.seed = options.seed;
    settings.threads = options.jobs;
    settings.time_limit = time_limit;
    settings.progress = [&](std::int64_t best, double seconds) {
      status.show(fmt::format("{} cycles after {:.1f} s", best, seconds));
    };
    annealing = makespan::anneal(*problem, settings);
    if (annealing->best > result.lower) {
      result.lower = annealing->best;
      result.witness = makespan::StringSchedule(*problem, annealing->string).schedule();
    }
    result.seconds += annealing->seconds;
  }
  status.clear();
  if (const auto wrong = makespan::violation(*problem, result.witness))
    return unusable(fmt::format("the witness is not a work-conserving schedule: {}", *wrong));
  const exporter::MakespanView view{*problem, result, annealing ? &*annealing : nullptr};
  if (!options.curve.empty() && !write_data(options.curve, is_drawing ? exporter::render_annealing_svg(view)
                                                                      : exporter::render_annealing_csv(*annealing)))
    return ExitCode::unusable;
  return written(options.format == "json" ? exporter::render_makespan_json(view) : exporter::render_makespan_text(view),
                 ExitCode::all_well);
}

}  // namespace

void add_gpu_makespan(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<MakespanOptions>();
  CLI::App* verb =
      gpu.add_subcommand("makespan", "Compute the longest execution time of the warps of a kernel on an SM");
  add_options(*verb, {row("kernel", &options->kernel, "Instructions by unit (L, C, S, D), such as \"5L 9C 2L 9C\"",
                          {group::options}, {.takes = "INSTRUCTIONS"}),
                      row("ptx", &options->ptx, "Read the instructions from a PTX file, each once", {group::options},
                          {.takes = "FILE", .file = FileKind::read})});
  CLI::Option* sass =
      add_input(*verb, "--sass", options->sass, "Read the instructions from a listing of cuobjdump -sass, each once")
          ->type_name("FILE");
  verb->add_option("--arch", options->architecture, "Architecture of the listing, such as sm_72. Default: as it states")
      ->type_name("SM")
      ->needs(sass);
  CLI::Option* string =
      verb->add_option("--string", options->string,
                       "Evaluate this warp string, such as \"1 1 2 2\", instead of searching: print the cycle of every "
                       "instruction")
          ->type_name("WARPS");
  verb->add_option("--schedule", options->schedule,
                   "Check and evaluate this schedule: the warps of every cycle, separated by semicolons, such as "
                   "\"1; 1 2; 2\"")
      ->type_name("CYCLES")
      ->excludes(string);
  verb->add_option("--warps", options->warps, "Number of warps on the SM")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, makespan::max_warps));
  add_options(*verb, {row("sigma", &options->sigma,
                          "Number of warps that execute in a cycle. \"units\": as many as the units allow",
                          {group::options}, {.takes = "N"}),
                      row("units", &options->units, "Lanes of a unit: UNIT=N. Default: L=32, C=128, S=32, D=64",
                          {group::options}, {.takes = "UNIT=N", .by_commas = true}),
                      row("latency", &options->latencies, "Latency of an instruction: UNIT=CYCLES. Default: 1",
                          {group::options}, {.takes = "UNIT=N", .by_commas = true})});
  CLI::Option* exact = verb->add_flag("--exact", options->exact, "Search for the exact value. This is the default");
  verb->add_flag("--anneal", options->anneal, "Compute a lower bound by simulated annealing instead")->excludes(exact);
  add_options(
      *verb,
      {row("iterations", &options->iterations,
           "Iterations per annealing run. Default: 2000000, fewer for more than 125 instructions in all warps",
           rare(group::annealing), {.range = Range{1, 1'000'000'000'000}, .usual = ""}),
       row("runs", &options->runs, "Number of annealing runs", rare(group::annealing), {.range = Range{1, 100'000}}),
       row("curve", &options->curve, "Write the longest schedule of every annealing run by iteration, as .csv or .svg",
           {group::annealing}, {.takes = "FILE", .file = FileKind::written}),
       row("temperature", &options->temperature, "Initial annealing temperature, in cycles", rare(group::annealing),
           {.range = RealRange{0.0, 1e6}}),
       row("seed", &options->seed, "Random seed of the annealing", rare(group::annealing),
           {.range = Range{0, (std::uint64_t{1} << 53U) - 1}}),
       row("time-limit", &options->time_limit, "Stop after this many seconds and print the bounds found so far",
           {group::options}, {.range = RealRange{0.001, 1e9}, .usual = ""}),
       row("memory-limit", &options->memory_limit, "Memory for states and bounds, in MiB", rare(group::run),
           {.range = Range{1, 1 << 24}}),
       row("jobs", &options->jobs, "Number of threads. Default: one per core. The result does not depend on it",
           rare(group::run), {.range = Range{1, 1024}, .usual = ""})});
  add_format(*verb, options->format);
  describe(*verb,
           {"amalthea gpu makespan --kernel \"5L 9C 2L 9C\" --warps 4",
            "amalthea gpu makespan --ptx kernel.ptx --warps 2 --time-limit 10",
            "amalthea gpu makespan --kernel LCL --warps 2 --string \"1 2 1 2 1 2\""},
           "docs/reference/makespan.md describes the model. Without --time-limit, every run gives the same result.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
