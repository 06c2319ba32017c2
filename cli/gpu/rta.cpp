// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "engine/gpu/device_profile.hpp"
#include "engine/nvidia/response_time.hpp"
#include "engine/nvidia/response_time_trace.hpp"
#include "exporter/gpu/formats.hpp"
#include "exporter/gpu/rta_formats.hpp"
#include "exporter/gpu/timeline_formats.hpp"

namespace amalthea::cli {
namespace {

namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;

struct RtaOptions {
  std::string file;
  std::string algorithm = "corrected";
  std::string releases = "once";
  bool trace = false;
  std::int64_t sms = 0;
  std::string drawing;
  std::string format = "text";
};

/// The blocks of the kernels on `sms` SMs that hold g_max of them together; a unit of time is a second.
std::optional<gpu::StreamScenario> drawn_scenario(const nvidia::RtaProblem& problem, std::int64_t sms) {
  gpu::StreamScenario scenario;
  scenario.device = *engine::find_profile("tx2");
  gpu::SmLimits& limits = scenario.limits();
  limits.sms = sms;
  limits.blocks = problem.g_max / sms;
  limits.threads = limits.blocks * limits.warp_size;
  scenario.contexts.push_back({"process", scenario.device.time_slice, gpu::Context{}.priority, 0});
  constexpr std::int64_t longest = 1'000'000;  // seconds
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const nvidia::RtaKernel& kernel = problem.kernels[index];
    if (kernel.release > longest || kernel.execution > longest) return std::nullopt;
    gpu::Stream& stream = scenario.streams.emplace_back();
    stream.name = fmt::format("{}", index);
    gpu::StreamOperation& operation = scenario.operations.emplace_back();
    operation.name = fmt::format("kernel {}", index);
    operation.stream = index;
    operation.release = Instant::at(Duration::seconds(kernel.release));
    operation.duration = Duration::seconds(kernel.execution);
    operation.blocks = kernel.blocks;
    operation.shape.threads = limits.warp_size;
  }
  return scenario;
}

/// Draws the blocks, as text or into a file.
int draw(const RtaOptions& options, const nvidia::RtaProblem& problem) {
  if (problem.g_max % options.sms != 0)
    return unusable(fmt::format("--sms {}: g_max is {}; expected a divisor of it", options.sms, problem.g_max));
  if (!options.drawing.empty() && exporter::timeline_format_of(options.drawing) == nullptr)
    return unusable(
        fmt::format("--timeline {}: expected a file that ends in .txt, .svg, .json or .btf", options.drawing));
  const auto scenario = drawn_scenario(problem, options.sms);
  if (!scenario) return unusable("--sms draws times up to 1000000 only");
  const auto run = gpu::simulate_streams(*scenario);
  if (!run) return unusable(fmt::format("{}: {}", options.file, run.error()));
  const auto date = date_of_traces();
  if (!date) return ExitCode::unusable;
  exporter::TimelineOptions timeline;
  timeline.title = options.sms == 1 ? fmt::format("One SM of {} blocks; a unit of time is a second", problem.g_max)
                                    : fmt::format("{} SMs of {} blocks; a unit of time is a second", options.sms,
                                                  problem.g_max / options.sms);
  timeline.date = *date;
  if (!options.drawing.empty() &&
      !write_data(options.drawing, exporter::timeline_format_of(options.drawing)->render(*scenario, *run, timeline)))
    return ExitCode::unusable;
  return written(exporter::render_gpu_gantt_text(*scenario, *run, timeline), ExitCode::all_well);
}

int run(const RtaOptions& options) {
  const auto text = file_text(options.file);
  if (!text) return ExitCode::unusable;
  const auto problem = nvidia::parse_rta_problem(*text);
  if (!problem) return unusable(fmt::format("{}:{}", options.file, format(problem.error())));
  if (!options.drawing.empty() && options.sms == 0) return unusable("--timeline requires --sms");
  if (options.trace || options.sms > 0) {
    if (options.algorithm != "corrected" || options.releases != "once")
      return unusable("--trace and --sms require --algorithm corrected and --releases once");
    if (options.sms > 0) return draw(options, *problem);
    const auto steps = nvidia::trace_response_times(*problem);
    if (!steps) return unusable(fmt::format("{}: {}", options.file, steps.error()));
    return written(options.format == "json" ? exporter::render_rta_trace_json(*steps)
                                            : exporter::render_rta_trace_text(*steps, use_colour()),
                   ExitCode::all_well);
  }
  if (options.releases == "periodic") {
    if (options.algorithm != "corrected") return unusable("--releases periodic requires --algorithm corrected");
    const auto result = nvidia::response_times_periodic(*problem);
    if (!result) return unusable(fmt::format("{}: {}", options.file, result.error()));
    return written(options.format == "json" ? exporter::render_periodic_rta_json(*problem, *result)
                                            : exporter::render_periodic_rta_text(*problem, *result, use_colour()),
                   meets_deadlines(*problem, result->worst_response) ? ExitCode::all_well : ExitCode::findings);
  }
  const auto result = options.algorithm == "paper"    ? nvidia::response_times_as_printed(*problem)
                      : options.algorithm == "closed" ? nvidia::response_times_closed(*problem)
                                                      : nvidia::response_times(*problem);
  if (!result) return unusable(fmt::format("{}: {}", options.file, result.error()));
  const bool good = !result->endless_at && meets_deadlines(*problem, result->response);
  return written(options.format == "json" ? exporter::render_rta_json(*problem, *result)
                                          : exporter::render_rta_text(*problem, *result, use_colour()),
                 good ? ExitCode::all_well : ExitCode::findings);
}

}  // namespace

void add_gpu_rta(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RtaOptions>();
  CLI::App* verb = gpu.add_subcommand("rta", "Analyze response times of kernels on one execution engine");
  add_input(*verb, "FILE", options->file,
            "JSON file such as {\"g_max\": 8, \"kernels\": [{\"r\": 0, \"C\": 4, \"g\": 2}]}")
      ->required();
  add_options(
      *verb,
      {row("algorithm", &options->algorithm,
           "Algorithm. closed: for kernels with the same release and C; paper: as printed, for comparison",
           {group::options}, {.choices = {"corrected", "closed", "paper"}}),
       row("releases", &options->releases,
           "Release kernels once or with period T. periodic: over as many hyperperiods as the schedule needs to repeat",
           {group::options}, {.choices = {"once", "periodic"}})});
  CLI::Option* trace =
      verb->add_flag("--trace", options->trace, "Print the list h, t_a and g_f after every step instead");
  verb->add_option("--sms", options->sms,
                   "Draw the blocks on so many SMs, which hold g_max blocks together, instead. 1: one big SM")
      ->check(CLI::Range(1, 1024))
      ->excludes(trace);
  add_options(*verb, {row("timeline", &options->drawing, "Also write the drawing: .txt, .svg, .json (Perfetto) or .btf",
                          {group::output}, {.takes = "FILE", .file = FileKind::written})});
  add_format(*verb, options->format);
  describe(*verb,
           {"amalthea gpu rta kernels.json", "amalthea gpu rta --releases periodic kernels.json",
            "amalthea gpu rta --trace kernels.json"},
           "Exit codes:\n  0  every kernel ends within its period T\n  1  a kernel ends after its period T, or the "
           "printed algorithm does not\n     terminate\n  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
