// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "amalthea/quantity.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/gpu/gpu_verbs.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/amd/partition.hpp"
#include "engine/devices/examiner_scenario.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "engine/devices/stream_simulation.hpp"
#include "exporter/gpu/active_threads.hpp"
#include "exporter/gpu/examiner_log.hpp"
#include "exporter/gpu/formats.hpp"
#include "exporter/gpu/timeline_formats.hpp"

namespace amalthea::cli {
namespace {

namespace gpu = engine::gpu;

struct RunOptions {
  std::string scenario;
  std::string platform;
  std::string format = "text";
  std::vector<std::string> timelines;
  std::string log_directory;
  std::string active_threads;
  std::size_t width = 0;
  std::uint64_t max_steps = gpu::default_stream_steps;
  std::optional<double> copy_rate;
  std::vector<std::string> block_times;
  std::vector<std::string> blocks;
  std::int64_t iterations = 0;
};

/// A scenario of either format, with the data for its logs.
struct Input {
  std::string title;
  gpu::StreamScenario scenario;
  std::vector<gpu::ExaminerBenchmark> benchmarks;
};

/// Calls `read` for the two sides of every "NAME=VALUE". `form` is the form of the option for the message.
template <typename Read>
bool read_assignments(const std::vector<std::string>& values, std::string_view option, std::string_view form,
                      const Read& read) {
  for (const std::string& value : values) {
    const auto equals = value.rfind('=');
    if (equals == std::string::npos || equals == 0 ||
        !read(value.substr(0, equals), std::string_view(value).substr(equals + 1))) {
      unusable(fmt::format("{} {}: expected {}", option, value, form));
      return false;
    }
  }
  return true;
}

std::optional<gpu::ExaminerOptions> examiner_options(const RunOptions& options) {
  gpu::ExaminerOptions result;
  if (options.copy_rate) result.copy_bytes_per_second = std::llround(*options.copy_rate * 1e9);
  result.iterations = options.iterations;
  const bool has_times =
      read_assignments(options.block_times, "--block-time", "PLUGIN=TIME such as mandelbrot=2ms",
                       [&](const std::string& name, std::string_view text) {
                         const auto time = parse_time_text(text);
                         return time && *time >= Duration{} && result.block_times.emplace(name, *time).second;
                       });
  const bool has_blocks =
      read_assignments(options.blocks, "--blocks", "PLUGIN=BLOCKS or PLUGIN=BLOCKSxTHREADS such as dwt2d=512x256",
                       [&](const std::string& name, std::string_view text) {
                         const auto cross = text.find('x');
                         const auto count = parse_integer(text.substr(0, cross));
                         const auto threads = cross == std::string_view::npos ? Parsed<std::int64_t>(0)
                                                                              : parse_integer(text.substr(cross + 1));
                         return count && threads && *count >= 1 && *count <= gpu::max_simulated_blocks &&
                                *threads <= 1 << 20 && (cross == std::string_view::npos || *threads >= 1) &&
                                result.blocks.emplace(name, gpu::PluginBlocks{*count, *threads}).second;
                       });
  if (!has_times || !has_blocks) return std::nullopt;
  return result;
}

void report_queues(const gpu::StreamScenario& scenario) {
  if (!scenario.device.amd) return;
  Diagnostics diagnostics;
  engine::amd::report_queues(engine::amd::device_settings(scenario.device), gpu::hsa_queues(scenario), diagnostics);
  print_findings(diagnostics);
}

/// Several contexts share the device by figures that its profile may lack.
void report_unknown_figures(const gpu::StreamScenario& scenario) {
  const auto& unknown = scenario.device.unknown;
  if (scenario.contexts.size() < 2 || unknown.empty()) return;
  tell(
      "amalthea: warning: the profile \"{}\" has no published values for {}; placeholders are used; measure them and "
      "use "
      "a profile of your own (--platform)\n",
      scenario.device.name, fmt::join(unknown, ", "));
}

std::optional<Input> read_scenario(const RunOptions& options, const engine::DeviceProfile* profile) {
  const auto text = file_text(options.scenario);
  if (!text) return std::nullopt;
  const auto refused = [&](const engine::TextError& error) {
    unusable(fmt::format("{}:{}", options.scenario, format(error)));
    return std::nullopt;
  };
  Input input;
  input.title = std::filesystem::path(options.scenario).filename().string();
  if (gpu::is_examiner_scenario(*text)) {
    const auto figures = examiner_options(options);
    if (!figures) return std::nullopt;
    auto read = gpu::parse_examiner_scenario(*text, profile, *figures);
    if (!read) return refused(read.error());
    for (const engine::TextError& remark : read->remarks)
      tell("amalthea: warning: {}:{}\n", options.scenario, format(remark));
    if (!read->name.empty()) input.title = read->name;
    input.scenario = std::move(read->scenario);
    input.benchmarks = std::move(read->benchmarks);
    report_queues(input.scenario);
    report_unknown_figures(input.scenario);
    return input;
  }
  auto read = gpu::parse_stream_scenario(*text, profile);
  if (!read) return refused(read.error());
  input.scenario = std::move(*read);
  report_queues(input.scenario);
  report_unknown_figures(input.scenario);
  if (!options.log_directory.empty()) input.benchmarks = gpu::benchmarks_of_streams(input.scenario);
  return input;
}

/// Columns of the terminal; 0 without one.
std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string log_path(const RunOptions& options, const gpu::ExaminerBenchmark& benchmark) {
  return fmt::format("{}/{}", options.log_directory, benchmark.log_name);
}

/// Checks in advance whether all outputs are writable.
bool outputs_are_possible(const RunOptions& options, const Input& input) {
  std::vector<std::string> outputs = options.timelines;
  if (!options.active_threads.empty()) outputs.push_back(options.active_threads);
  if (!options.log_directory.empty())
    for (const gpu::ExaminerBenchmark& benchmark : input.benchmarks) {
      outputs.push_back(log_path(options, benchmark));
      if (!will_write({"--log-directory", outputs.back()})) return false;
    }
  return std::all_of(outputs.begin(), outputs.end(), check_output);
}

int run(const RunOptions& options) {
  std::optional<engine::DeviceProfile> profile;
  for (const std::string& path : options.timelines)
    if (exporter::timeline_format_of(path) == nullptr) {
      std::string known;
      for (const auto& format : exporter::timeline_formats())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", format.extension);
      return unusable(fmt::format("--timeline {}: expected a file that ends in one of {}{}", path, known,
                                  extension_suggestion(path, exporter::timeline_formats())));
    }
  const bool is_drawn = options.active_threads.ends_with(".svg");
  if (!options.active_threads.empty() && !is_drawn && !options.active_threads.ends_with(".csv"))
    return unusable(
        fmt::format("--active-threads {}: expected a file that ends in .csv or .svg", options.active_threads));
  if (!options.platform.empty()) {
    profile = profile_with_sms(options.platform);
    if (!profile) return ExitCode::unusable;
  }
  auto input = read_scenario(options, profile ? &*profile : nullptr);
  const auto date = date_of_traces();
  if (!input || !date || !outputs_are_possible(options, *input)) return ExitCode::unusable;
  auto run = gpu::simulate_streams(input->scenario, options.max_steps);
  if (!run) return unusable(fmt::format("{}: {}", options.scenario, run.error()));
  gpu::take_iterations(input->benchmarks, *run);
  gpu::append_repeated(input->scenario, *run);

  exporter::TimelineOptions timeline;
  timeline.title = input->title;
  timeline.date = *date;
  if (options.width > 0) timeline.width = options.width;
  for (const std::string& path : options.timelines)
    if (!write_data(path, exporter::timeline_format_of(path)->render(input->scenario, *run, timeline)))
      return ExitCode::unusable;
  if (!options.active_threads.empty() &&
      !write_data(options.active_threads, is_drawn
                                              ? exporter::render_active_threads_svg(input->scenario, *run, input->title)
                                              : exporter::render_active_threads_csv(input->scenario, *run)))
    return ExitCode::unusable;
  if (!options.log_directory.empty())
    for (const gpu::ExaminerBenchmark& benchmark : input->benchmarks)
      if (!write_output(log_path(options, benchmark),
                        exporter::render_examiner_log(input->title, benchmark, input->scenario, *run)))
        return ExitCode::unusable;
  if (options.format == "json")
    return written(exporter::render_streams_json(input->scenario, *run), ExitCode::all_well);
  if (options.format == "text")
    return written(exporter::render_streams_text(input->scenario, *run, use_colour()), ExitCode::all_well);
  if (const std::size_t columns = terminal_width(); options.width == 0 && columns > 0) timeline.width = columns;
  return written(exporter::render_gpu_gantt_text(input->scenario, *run, timeline), ExitCode::all_well);
}

}  // namespace

void add_gpu_run(CLI::App& gpu, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = gpu.add_subcommand("run", "Simulate contexts, streams, queues and blocks of a GPU");
  add_input(*verb, "SCENARIO", options->scenario,
            "JSON file (docs/reference/gpu.md). Configurations of cuda_scheduling_examiner and "
            "hip_plugin_framework work, too")
      ->required();
  add_options(
      *verb,
      {row("platform", &options->platform,
           "GPU profile: built-in name or JSON file. Default: that of the scenario, or tx2", {group::options},
           {.takes = "NAME", .file = FileKind::read}),
       row("format", &options->format, "Output format", {group::output}, {.choices = {"text", "json", "gantt"}}),
       row("timeline", &options->timelines,
           "Also write a timeline: .txt, .svg, .json (Perfetto) or .btf. May be repeated", {group::output},
           {.takes = "FILE", .file = FileKind::written}),
       row("active-threads", &options->active_threads,
           "Also write how many threads are resident over time: .csv or .svg", {group::output},
           {.takes = "FILE", .file = FileKind::written}),
       row("width", &options->width, "Width of a text timeline in characters. Default: that of the terminal, or 100",
           {group::output}, {.range = Range{1, 10000}, .usual = ""})});
  add_folder(*verb, "--log-directory", options->log_directory,
             "Folder for a log per stream, as cuda_scheduling_examiner or hip_plugin_framework writes it")
      ->type_name("FOLDER")
      ->group(rarely(group::output));
  verb->add_option("--block-time", options->block_times,
                   "PLUGIN=TIME: how long a block of a plugin takes, such as mandelbrot=2ms, for configurations of "
                   "cuda_scheduling_examiner and hip_plugin_framework. A benchmark's label works, too. May be repeated")
      ->type_name("PLUGIN=TIME")
      ->allow_extra_args(false)
      ->group("Scenario");
  verb->add_option("--blocks", options->blocks,
                   "PLUGIN=BLOCKS or PLUGIN=BLOCKSxTHREADS: the grid of a plugin whose configuration does not state "
                   "it. May be repeated")
      ->type_name("PLUGIN=N")
      ->allow_extra_args(false)
      ->group("Scenario");
  verb->add_option("--copy-bandwidth,--copy-rate", options->copy_rate,
                   "Copy rate in GB/s, for such configurations, which give copies in bytes. Default: that of the "
                   "profile")
      ->check(CLI::Range(1e-6, 1e6))
      ->group("Scenario");
  verb->add_option("--iterations", options->iterations,
                   "Iterations of each benchmark of such a configuration at most. Default: as it states")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->group("Scenario");
  verb->add_option("--max-steps", options->max_steps,
                   "Steps that the simulation may take. A scenario that needs more is refused")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str()
      ->group(rarely("Scenario"));
  describe(*verb, {"amalthea gpu run scenario.json", "amalthea gpu run --format gantt scenario.json",
                   "amalthea gpu run --platform xavier --timeline run.svg scenario.json"});
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
