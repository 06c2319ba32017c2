// SPDX-License-Identifier: Apache-2.0
// Simulations of contexts, streams, queues and blocks.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "amalthea/primitives/near_miss.hpp"
#include "amalthea/primitives/visible_text.hpp"
#include "amalthea/quantity.hpp"
#include "analysis/gpu/detail/steps.hpp"
#include "engine/amd/device_settings.hpp"
#include "engine/devices/examiner_scenario.hpp"
#include "engine/devices/launch_order.hpp"
#include "engine/devices/stream_scenario.hpp"
#include "exporter/gpu/active_threads.hpp"
#include "exporter/gpu/examiner_log.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::analysis::gpu {
namespace {

using engine::gpu::ExaminerBenchmark;

/// A scenario of either format, with the data for its logs.
struct Input : TitledScenario {
  std::vector<ExaminerBenchmark> benchmarks;
};

/// Calls `read` for the two sides of every "NAME=VALUE". `form` is the form of the option for the message.
template <typename Read>
Outcome<void> read_assignments(const std::vector<std::string>& values, const std::string& option, std::string_view form,
                               const Read& read) {
  for (const std::string& value : values) {
    const auto equals = value.rfind('=');
    if (equals == std::string::npos || equals == 0 ||
        !read(value.substr(0, equals), std::string_view(value).substr(equals + 1)))
      return misused(option + " " + value, fmt::format("expected {}", form));
  }
  return {};
}

Outcome<engine::gpu::ExaminerOptions> examiner_options(const RunRequest& request) {
  engine::gpu::ExaminerOptions result;
  if (request.copy_rate) result.copy_bytes_per_second = std::llround(*request.copy_rate * 1e9);
  result.iterations = request.iterations;
  const auto time = [&](const std::string& name, std::string_view text) {
    const auto read = parse_time_text(text);
    return read && *read >= Duration{} && result.block_times.emplace(name, *read).second;
  };
  const auto grid = [&](const std::string& name, std::string_view text) {
    const auto cross = text.find('x');
    const bool has_threads = cross != std::string_view::npos;
    const auto count = parse_integer(text.substr(0, cross));
    const auto threads = has_threads ? parse_integer(text.substr(cross + 1)) : Parsed<std::int64_t>(0);
    return count && threads && *count >= 1 && *count <= engine::gpu::max_simulated_blocks && *threads <= 1 << 20 &&
           (!has_threads || *threads >= 1) &&
           result.blocks.emplace(name, engine::gpu::PluginBlocks{*count, *threads}).second;
  };
  const auto times = read_assignments(request.block_times, "--block-time", "PLUGIN=TIME such as mandelbrot=2ms", time);
  if (!times) return tl::unexpected(times.error());
  return read_assignments(request.blocks, "--blocks", "PLUGIN=BLOCKS or PLUGIN=BLOCKSxTHREADS such as dwt2d=512x256",
                          grid)
      .map([&] { return result; });
}

/// Reports too many queues, and figures by which several contexts share the device but which its profile lacks.
void report_device(const engine::gpu::StreamScenario& scenario, const Watch& watch) {
  if (scenario.device.amd) {
    Diagnostics diagnostics;
    engine::amd::report_queues(engine::amd::device_settings(scenario.device), engine::gpu::hsa_queues(scenario),
                               diagnostics);
    watch.found(diagnostics);
  }
  const bool shared = scenario.contexts.size() > 1;
  const auto tell = [&](std::vector<std::string> figures, std::string_view consequence) {
    std::erase_if(figures, [&](const std::string& figure) {
      if (figure == "staging_gigabytes_per_second") return true;  // scenarios state the time of a copy
      return figure == "context_switch_us" ? !shared : figure.ends_with("_by_cpu") && scenario.device.cpu_traffic == 0;
    });
    if (!figures.empty())
      watch.tell(
          fmt::format("warning: the profile \"{}\" has no published values for {}; {}; measure them and use a "
                      "profile of your own (--platform)",
                      scenario.device.name, fmt::join(figures, ", "), consequence));
  };
  if (shared) tell(scenario.device.unknown, "placeholders are used");
  if (shared || scenario.streams.size() > 1) tell(scenario.device.assumed, "pessimistic values are assumed");
}

Outcome<Input> read_scenario(const RunRequest& request, const engine::DeviceProfile* profile, bool one_gpu,
                             const Watch& watch) {
  const Scenario& scenario = request.scenario;
  const auto text = text_of(scenario);
  if (!text) return tl::unexpected(text.error());
  Input input;
  input.title = std::filesystem::path(scenario.path).filename().string();
  if (engine::gpu::is_examiner_scenario(*text)) {
    const auto figures = examiner_options(request);
    if (!figures) return tl::unexpected(figures.error());
    auto read = engine::gpu::parse_examiner_scenario(*text, profile, *figures);
    if (!read) return tl::unexpected(unreadable(scenario.path, read.error()));
    for (const engine::TextError& remark : read->remarks)
      watch.tell(fmt::format("warning: {}:{}", scenario.path, format(remark)));
    if (!read->name.empty()) input.title = read->name;
    input.scenario = std::move(read->scenario);
    input.benchmarks = std::move(read->benchmarks);
  } else {
    auto read = one_gpu || !request.log_directory.empty() ? engine::gpu::parse_scenario_of_one_gpu(*text, profile)
                                                          : engine::gpu::parse_stream_scenario(*text, profile);
    if (!read) return tl::unexpected(unreadable(scenario.path, read.error()));
    input.scenario = std::move(*read);
    if (!request.log_directory.empty()) input.benchmarks = engine::gpu::benchmarks_of_streams(input.scenario);
  }
  if (input.scenario.gpus.empty()) report_device(input.scenario, watch);
  for (const engine::gpu::GpuPart& part : engine::gpu::parts_of(input.scenario)) report_device(part.scenario, watch);
  return input;
}

/// Whether the files that are asked for have formats.
Outcome<void> check_formats(const RunRequest& request) {
  for (const std::string& path : request.timelines)
    if (exporter::timeline_format_of(path) == nullptr) {
      const auto& formats = exporter::timeline_formats();
      std::string known;
      for (const auto& format : formats) known += fmt::format("{}{}", known.empty() ? "" : ", ", format.extension);
      return misused("--timeline " + path, "expected a file that ends in one of " + known,
                     did_you_mean(path.substr(std::min(path.rfind('.'), path.size())), formats,
                                  &exporter::TimelineFormat::extension));
    }
  const std::string& threads = request.active_threads;
  if (!threads.empty() && !threads.ends_with(".svg") && !threads.ends_with(".csv"))
    return misused("--active-threads " + threads, "expected a file that ends in .csv or .svg");
  return {};
}

std::string log_path(const RunRequest& request, const ExaminerBenchmark& benchmark) {
  return fmt::format("{}/{}", request.log_directory, benchmark.log_name);
}

bool can_write_all(const RunRequest& request, const Input& input, const Watch& watch) {
  const auto possible = [&](const std::string& path) { return watch.can_write("", path); };
  if (!request.log_directory.empty())
    for (const ExaminerBenchmark& benchmark : input.benchmarks)
      if (!watch.can_write("--log-directory", log_path(request, benchmark))) return false;
  return std::all_of(request.timelines.begin(), request.timelines.end(), possible) &&
         (request.active_threads.empty() || possible(request.active_threads));
}

std::vector<std::pair<std::string, std::string>> files_of(const RunRequest& request, const Input& input,
                                                          const engine::gpu::StreamRun& run,
                                                          const exporter::TimelineOptions& timeline) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& path : request.timelines)
    files.emplace_back(path, exporter::timeline_format_of(path)->render(input.scenario, run, timeline));
  if (!request.active_threads.empty())
    files.emplace_back(request.active_threads,
                       request.active_threads.ends_with(".svg")
                           ? exporter::render_active_threads_svg(input.scenario, run, input.title)
                           : exporter::render_active_threads_csv(input.scenario, run));
  if (!request.log_directory.empty())
    for (const ExaminerBenchmark& benchmark : input.benchmarks)
      files.emplace_back(log_path(request, benchmark),
                         visible_text(exporter::render_examiner_log(input.title, benchmark, input.scenario, run)));
  return files;
}

struct Prepared {
  Input input;
  exporter::TimelineOptions timeline;
};

/// With the platform of the request. `one_gpu`: a scenario that names GPUs is refused.
Outcome<Input> read_input(const RunRequest& request, bool one_gpu, const Watch& watch) {
  std::optional<engine::DeviceProfile> profile;
  if (!request.platform.empty()) {
    auto chosen = profile_with_sms(request.platform);
    if (!chosen) return tl::unexpected(chosen.error());
    profile = std::move(*chosen);
  }
  return read_scenario(request, profile ? &*profile : nullptr, one_gpu, watch);
}

Outcome<Prepared> prepared(const RunRequest& request, bool one_gpu, const Watch& watch) {
  if (const auto known = check_formats(request); !known) return tl::unexpected(known.error());
  auto input = read_input(request, one_gpu, watch);
  if (!input) return tl::unexpected(input.error());
  const auto date = at_place("", exporter::date_of_traces());
  if (!date) return tl::unexpected(date.error());
  if (!can_write_all(request, *input, watch)) return misused("");
  exporter::TimelineOptions timeline;
  timeline.title = input->title;
  timeline.date = *date;
  if (request.width > 0) timeline.width = request.width;
  return Prepared{std::move(*input), std::move(timeline)};
}

/// Says when another order of independent operations of the only GPU ends much earlier (lesson III of Olmedo et al.).
/// Only where all orders together cost little beside the run that was asked for.
void report_launch_order(const engine::gpu::StreamScenario& scenario, const Watch& watch) {
  constexpr std::uint64_t most_orders = 120;
  constexpr std::int64_t most_blocks = 20'000;
  constexpr double much = 0.05;
  if (!scenario.loops.empty() || !scenario.gpus.empty()) return;
  const std::uint64_t orders = engine::gpu::count_launch_orders(scenario, most_orders + 1);
  std::int64_t blocks = 0;
  for (const engine::gpu::StreamOperation& operation : scenario.operations)
    blocks += std::min(operation.blocks, most_blocks);
  if (orders < 2 || orders > most_orders || blocks > most_blocks / static_cast<std::int64_t>(orders)) return;
  const auto found = engine::gpu::search_launch_orders(scenario);
  if (!found || found->given.length.is_zero()) return;
  const double saved = 1 - static_cast<double>(found->best.length.picoseconds()) /
                               static_cast<double>(found->given.length.picoseconds());
  if (saved <= much) return;
  Diagnostics diagnostics;
  diagnostics.add(
      "AM0594", Severity::warning,
      fmt::format("another launch order of the independent operations ends {:.1f} % earlier ({} instead of {}); "
                  "`amalthea gpu study order` shows it",
                  100 * saved, format_duration(found->best.length), format_duration(found->given.length)));
  watch.found(diagnostics);
}

}  // namespace

Outcome<TitledScenario> stream_scenario(const Scenario& scenario, const std::string& platform, const Watch& watch) {
  RunRequest run;
  run.scenario = scenario;
  run.platform = platform;
  return read_input(run, true, watch).map([](Input&& input) { return TitledScenario(std::move(input)); });
}

OptionTable options(RunRequest& request) {
  const char* const scenario = "Scenario";
  return {
      row("platform", &request.platform,
          "GPU profile: built-in name or JSON file. Default: that of the scenario, or tx2", {group::options},
          {.takes = "NAME", .file = FileKind::read}),
      row("timeline", &request.timelines,
          "Also write a timeline: .txt, .svg, .json (Perfetto) or .btf. May be repeated", {group::output},
          {.takes = "FILE", .file = FileKind::written}),
      row("active-threads", &request.active_threads, "Also write how many threads are resident over time: .csv or .svg",
          {group::output}, {.takes = "FILE", .file = FileKind::written}),
      row("width", &request.width, "Width of a text timeline in characters. Default: that of the terminal, or 100",
          {group::output}, {.range = Range{1, 10000}, .usual = ""}),
      row("log-directory", &request.log_directory,
          "Folder for a log per stream, as cuda_scheduling_examiner or hip_plugin_framework writes it",
          rare(group::output), {.takes = "FOLDER", .file = FileKind::folder}),
      row("block-time", &request.block_times,
          "PLUGIN=TIME: how long a block of a plugin takes, such as mandelbrot=2ms, for configurations of "
          "cuda_scheduling_examiner and hip_plugin_framework. A benchmark's label works, too. May be repeated",
          {scenario}, {.takes = "PLUGIN=TIME"}),
      row("blocks", &request.blocks,
          "PLUGIN=BLOCKS or PLUGIN=BLOCKSxTHREADS: the grid of a plugin whose configuration does not state it. May be "
          "repeated",
          {scenario}, {.takes = "PLUGIN=N"}),
      row("copy-bandwidth", &request.copy_rate,
          "Copy rate in GB/s, for such configurations, which give copies in bytes. Default: that of the profile",
          {scenario}, {.range = RealRange{1e-6, 1e6}, .usual = "", .alias = "copy-rate"}),
      row("iterations", &request.iterations,
          "Iterations of each benchmark of such a configuration at most. Default: as it states", {scenario},
          {.range = Range{1, 1'000'000}, .usual = ""}),
      row("max-steps", &request.max_steps, "Steps that the simulation may take. A scenario that needs more is refused",
          rare(scenario), {.range = Range{1, 1'000'000'000}})};
}

Outcome<Answer<exporter::StreamsAnswer>> answer(const RunRequest& request, const Watch& watch) {
  auto ready = prepared(request, false, watch);
  if (!ready) return tl::unexpected(ready.error());
  auto& [input, timeline] = *ready;
  auto run = at_place(request.scenario.path, engine::gpu::simulate_streams(input.scenario, request.max_steps));
  if (!run) return tl::unexpected(run.error());
  report_launch_order(input.scenario, watch);
  engine::gpu::take_iterations(input.benchmarks, *run);
  engine::gpu::append_repeated(input.scenario, *run);
  auto files = files_of(request, input, *run, timeline);
  return Answer<exporter::StreamsAnswer>{
      exporter::StreamsAnswer{std::move(input.scenario), std::move(*run), std::move(timeline)}, true, std::move(files)};
}

OptionTable options(LaunchOrderRequest& request) {
  return {row("platform", &request.platform,
              "GPU profile: built-in name or JSON file. Default: that of the scenario, or tx2", {group::options},
              {.takes = "NAME", .file = FileKind::read}),
          row("timeline", &request.timeline, "Also write a timeline of the best order: .txt, .svg, .json or .btf",
              {group::output}, {.takes = "FILE", .file = FileKind::written}),
          row("orders", &request.search.orders, "Orders to simulate at most. More are searched at random",
              {group::options}, {.range = Range{1, 10'000'000}}),
          row("seed", &request.search.seed, "Random seed of that search", rare(group::options)),
          row("max-steps", &request.search.max_steps, "Steps that a simulation may take", rare(group::options),
              {.range = Range{1, 1'000'000'000}})};
}

Outcome<Answer<exporter::LaunchOrderAnswer>> answer(const LaunchOrderRequest& request, const Watch& watch) {
  RunRequest run;
  run.scenario = request.scenario;
  run.platform = request.platform;
  if (!request.timeline.empty()) run.timelines = {request.timeline};
  auto ready = prepared(run, true, watch);
  if (!ready) return tl::unexpected(ready.error());
  const engine::gpu::StreamScenario& scenario = ready->input.scenario;
  auto orders = at_place(request.scenario.path, engine::gpu::search_launch_orders(scenario, request.search));
  if (!orders) return tl::unexpected(orders.error());
  auto given = at_place(request.scenario.path, engine::gpu::simulate_streams(scenario, request.search.max_steps));
  if (!given) return tl::unexpected(given.error());
  ready->input.scenario = engine::gpu::in_order(scenario, orders->best.operations);
  auto best =
      at_place(request.scenario.path, engine::gpu::simulate_streams(ready->input.scenario, request.search.max_steps));
  if (!best) return tl::unexpected(best.error());
  auto files = files_of(run, ready->input, *best, ready->timeline);
  // The answer numbers operations as the scenario does.
  std::vector<std::size_t> back(orders->best.operations.size());
  for (std::size_t place = 0; place < back.size(); ++place) back[orders->best.operations[place]] = place;
  return Answer<exporter::LaunchOrderAnswer>{
      exporter::LaunchOrderAnswer{engine::gpu::in_order(ready->input.scenario, back), std::move(*orders),
                                  std::move(*given), std::move(*best)},
      true, std::move(files)};
}

}  // namespace amalthea::analysis::gpu
