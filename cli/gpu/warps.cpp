// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <tl/expected.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "engine/nvidia/warp_study.hpp"
#include "engine/nvidia/warps.hpp"
#include "exporter/gpu/warps_formats.hpp"

namespace amalthea::cli {
namespace {

namespace nvidia = engine::nvidia;

struct WarpsOptions {
  std::vector<std::string> latencies;
  std::int64_t kernels = 0;  ///< 0: the length of the longest list
  std::string warps = "1";
  std::string releases;
  std::int64_t offset = 0;
  std::string policy = "gto";
  std::string budgets = "1";
  std::int64_t sub_cores = 1;
  std::string pipelines = "free";
  bool sweep = false;
  nvidia::WarpStudy study;
  std::string picture;
  std::string format = "text";
};

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

tl::expected<std::int64_t, std::string> whole_number(std::string_view option, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return tl::unexpected(fmt::format("{}: \"{}\" is not a whole number", option, text));
  return value;
}

tl::expected<std::vector<std::int64_t>, std::string> whole_numbers(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : parts_of(text, ',')) {
    const auto number = whole_number(option, part);
    if (!number) return tl::unexpected(number.error());
    numbers.push_back(*number);
  }
  return numbers;
}

tl::expected<nvidia::WarpScenario, std::string> scenario_of(const WarpsOptions& options) {
  std::vector<std::vector<nvidia::WarpInstruction>> programs;
  for (const std::string& text : options.latencies) {
    auto program = nvidia::parse_warp_program(text);
    if (!program) return tl::unexpected(fmt::format("--latencies: {}", program.error()));
    programs.push_back(std::move(*program));
  }
  if (programs.empty()) return tl::unexpected(std::string("--latencies is required (or --sweep)"));
  const auto warps = whole_numbers("--warps", options.warps);
  if (!warps) return tl::unexpected(warps.error());
  const auto budgets = whole_numbers("--budgets", options.budgets);
  if (!budgets) return tl::unexpected(budgets.error());
  std::vector<std::int64_t> releases;
  if (!options.releases.empty()) {
    const auto numbers = whole_numbers("--releases", options.releases);
    if (!numbers) return tl::unexpected(numbers.error());
    releases = *numbers;
  }
  std::size_t kernels = static_cast<std::size_t>(options.kernels);
  if (kernels == 0) kernels = std::max({programs.size(), warps->size(), budgets->size(), releases.size()});
  const auto check = [kernels](std::string_view option, std::size_t values) {
    return values == 1 || values == kernels
               ? std::string()
               : fmt::format("{}: {} values for {} kernels; expected one value, or one per kernel", option, values,
                             kernels);
  };
  for (const std::string& error :
       {check("--latencies", programs.size()), check("--warps", warps->size()), check("--budgets", budgets->size()),
        releases.empty() ? std::string() : check("--releases", releases.size())})
    if (!error.empty()) return tl::unexpected(error);
  const auto of_kernel = [](const auto& values, std::size_t kernel) { return values[values.size() == 1 ? 0 : kernel]; };
  nvidia::WarpScenario scenario;
  scenario.policy = nvidia::find_warp_policy(options.policy);
  scenario.pipelines = nvidia::find_warp_pipelines(options.pipelines);
  scenario.sub_cores = options.sub_cores;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    scenario.kernels.push_back(
        {of_kernel(programs, kernel), of_kernel(*warps, kernel),
         releases.empty() ? options.offset * static_cast<std::int64_t>(kernel) : of_kernel(releases, kernel),
         of_kernel(*budgets, kernel)});
  return scenario;
}

int sweep(const WarpsOptions& options) {
  if (!options.picture.empty() && !check_output(options.picture)) return ExitCode::unusable;
  const auto rows = nvidia::study_warps(options.study);
  if (!rows) return unusable(rows.error());
  if (!options.picture.empty() && !write_output(options.picture, exporter::render_warp_study_svg(options.study, *rows)))
    return ExitCode::unusable;
  if (options.format == "json")
    return written(exporter::render_warp_study_json(options.study, *rows), ExitCode::all_well);
  if (options.format == "csv")
    return written(exporter::render_warp_study_csv(options.study, *rows), ExitCode::all_well);
  return written(exporter::render_warp_study_text(options.study, *rows, use_colour()), ExitCode::all_well);
}

int run(const WarpsOptions& options) {
  if (options.sweep) return sweep(options);
  if (options.format == "csv") return unusable("--format csv requires --sweep");
  const auto scenario = scenario_of(options);
  if (!scenario) return unusable(scenario.error());
  const auto result = nvidia::run_warps(*scenario);
  if (!result) return unusable(result.error());
  return written(options.format == "json" ? exporter::render_warps_json(*scenario, *result)
                                          : exporter::render_warps_text(*scenario, *result, use_colour()),
                 ExitCode::all_well);
}

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace

void add_gpu_warps(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<WarpsOptions>();
  CLI::App* verb = gpu.add_subcommand("warps", "Simulate the warp schedulers of an SM cycle by cycle");
  add_options(*verb, {row("latencies", &options->latencies,
                          "Instruction latencies of a warp in cycles: 2,1,int32:2. The unit is fp32 unless given: "
                          "2,1,int32:2,memory:20. Once for all kernels, or repeated for each",
                          {group::options}, {.takes = "LIST"}),
                      row("kernels", &options->kernels, "Number of kernels. Default: the length of the longest list",
                          {group::options}, {.range = Range{std::int64_t{1}, nvidia::max_warps}, .usual = ""}),
                      row("warps", &options->warps, "Warps per kernel, for all or for each: 2,4", {group::options},
                          {.takes = "LIST"})});
  auto* offset = verb->add_option("--offset", options->offset, "Cycles between the releases of two kernels")
                     ->check(CLI::Range(std::int64_t{0}, nvidia::max_cycles))
                     ->capture_default_str();
  verb->add_option("--releases", options->releases, "Release cycle of each kernel: 0,5")
      ->type_name("LIST")
      ->excludes(offset);
  add_options(*verb,
              {row("policy", &options->policy, "Warp scheduler", {group::options},
                   {.choices = names_of(nvidia::warp_policies())}),
               row("budgets", &options->budgets, "Context switches that QAWS grants, for all kernels or each: 1,4",
                   {group::options}, {.takes = "LIST"}),
               row("sub-cores", &options->sub_cores, "Number of sub-cores. They receive warps round robin",
                   {group::options}, {.range = Range{std::int64_t{1}, nvidia::max_warps}}),
               row("pipelines", &options->pipelines,
                   "Pipeline model. It defines which units share a pipeline and how long they occupy it",
                   {group::options}, {.choices = names_of(nvidia::warp_pipelines())})});
  auto* sweep = verb->add_flag("--sweep", options->sweep,
                               "Run random programs under all policies instead. Varies the budget and the stall share");
  sweep->group(group::sweep);
  verb->add_option("--programs", options->study.programs, "Random programs per point")
      ->needs(sweep)
      ->capture_default_str()
      ->group(rarely(group::sweep));
  verb->add_option("--sweep-budgets", options->study.budgets, "Budgets of the second kernel. The first has 1")
      ->needs(sweep)
      ->delimiter(',')
      ->capture_default_str()
      ->group(rarely(group::sweep));
  verb->add_option("--stall-shares", options->study.stall_shares,
                   "Share of its time that a single warp stalls, in per mille")
      ->needs(sweep)
      ->delimiter(',')
      ->capture_default_str()
      ->group(rarely(group::sweep));
  verb->add_option("--seed", options->study.seed, "Random seed of the programs")
      ->needs(sweep)
      ->capture_default_str()
      ->group(rarely(group::sweep));
  add_output(*verb, "--picture", options->picture, "Also draw the sweep into this SVG file")
      ->type_name("FILE")
      ->needs(sweep)
      ->group(rarely(group::sweep));
  add_options(*verb, {row("format", &options->format, "Output format. csv requires --sweep", {group::output},
                          {.choices = {"text", "json", "csv"}})});
  describe(*verb, {"amalthea gpu warps --latencies 2,1,int32:2,memory:20 --warps 4",
                   "amalthea gpu warps --latencies 2,2,memory:30 --warps 2,4 --policy qaws",
                   "amalthea gpu warps --sweep --programs 10 --format csv"});
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
