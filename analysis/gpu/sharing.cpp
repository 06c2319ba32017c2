// SPDX-License-Identifier: Apache-2.0
// Response times of kernels on one execution engine, and of tasks that share GPUs in time slices.

#include <algorithm>

#include "analysis/gpu/detail/steps.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::analysis::gpu {
namespace {

namespace nvidia = engine::nvidia;

using RtaAnswers =
    Answer<exporter::RtaAnswer, exporter::PeriodicRtaAnswer, exporter::RtaTrace, exporter::StreamsDrawing>;

/// The blocks of the kernels on `sms` SMs that hold g_max of them together; a unit of time is a second.
std::optional<engine::gpu::StreamScenario> drawn_scenario(const nvidia::RtaProblem& problem, std::int64_t sms) {
  engine::gpu::StreamScenario scenario;
  scenario.device = *engine::find_profile("tx2");
  engine::gpu::SmLimits& limits = scenario.limits();
  limits.sms = sms;
  limits.blocks = problem.g_max / sms;
  limits.threads = limits.blocks * limits.warp_size;
  scenario.contexts.push_back({"process", scenario.device.time_slice, engine::gpu::Context{}.priority, 0});
  constexpr std::int64_t longest = 1'000'000;  // seconds
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const nvidia::RtaKernel& kernel = problem.kernels[index];
    if (kernel.release > longest || kernel.execution > longest) return std::nullopt;
    scenario.streams.emplace_back().name = fmt::format("{}", index);
    engine::gpu::StreamOperation& operation = scenario.operations.emplace_back();
    operation.name = fmt::format("kernel {}", index);
    operation.stream = index;
    operation.release = Instant::at(Duration::seconds(kernel.release));
    operation.duration = Duration::seconds(kernel.execution);
    operation.blocks = kernel.blocks;
    operation.shape.threads = limits.warp_size;
  }
  return scenario;
}

/// The drawing of the blocks, and a file of it.
Outcome<RtaAnswers> draw(const RtaRequest& request, const nvidia::RtaProblem& problem) {
  if (problem.g_max % request.sms != 0)
    return misused(fmt::format("--sms {}", request.sms), fmt::format("g_max is {}", problem.g_max),
                   "expected a divisor of it");
  const exporter::TimelineFormat* format = exporter::timeline_format_of(request.timeline);
  if (!request.timeline.empty() && format == nullptr)
    return misused("--timeline " + request.timeline, "expected a file that ends in .txt, .svg, .json or .btf");
  auto scenario = drawn_scenario(problem, request.sms);
  if (!scenario) return misused("--sms draws times up to 1000000 only");
  auto run = at_place(request.scenario.path, engine::gpu::simulate_streams(*scenario));
  if (!run) return tl::unexpected(run.error());
  const auto date = at_place("", exporter::date_of_traces());
  if (!date) return tl::unexpected(date.error());
  exporter::TimelineOptions timeline;
  timeline.title = request.sms == 1 ? fmt::format("One SM of {} blocks; a unit of time is a second", problem.g_max)
                                    : fmt::format("{} SMs of {} blocks; a unit of time is a second", request.sms,
                                                  problem.g_max / request.sms);
  timeline.date = *date;
  std::vector<std::pair<std::string, std::string>> files;
  if (format != nullptr) files.emplace_back(request.timeline, format->render(*scenario, *run, timeline));
  return RtaAnswers{exporter::StreamsDrawing{{std::move(*scenario), std::move(*run), std::move(timeline)}}, true,
                    std::move(files)};
}

}  // namespace

OptionTable options(RtaRequest& request) {
  return {
      row("algorithm", &request.algorithm,
          "Algorithm. closed: for kernels with the same release and C; paper: as printed, for comparison",
          {group::options}, {.choices = {"corrected", "closed", "paper"}}),
      row("releases", &request.releases,
          "Release kernels once or with period T. periodic: over as many hyperperiods as the schedule needs to repeat",
          {group::options}, {.choices = {"once", "periodic"}}),
      row("trace", &request.trace, "Print the list h, t_a and g_f after every step instead", {group::options}),
      row("sms", &request.sms,
          "Draw the blocks on so many SMs, which hold g_max blocks together, instead. 1: one big SM", {group::options},
          {.range = Range{1, 1024}, .usual = "", .excludes = {"trace"}}),
      row("timeline", &request.timeline, "Also write the drawing: .txt, .svg, .json (Perfetto) or .btf",
          {group::output}, {.takes = "FILE", .file = FileKind::written})};
}

Outcome<RtaAnswers> answer(const RtaRequest& request, const Watch&) {
  const auto problem = content_of(request.scenario, nvidia::parse_rta_problem);
  if (!problem) return tl::unexpected(problem.error());
  if (const auto error = nvidia::unequal_blocks(*problem))
    return at_place(request.scenario.path, tl::expected<RtaAnswers, std::string>(tl::unexpected(*error)));
  if (!request.timeline.empty() && request.sms == 0) return misused("--timeline requires --sms");
  const auto of_file = [&](auto result) { return at_place(request.scenario.path, std::move(result)); };
  if (request.trace || request.sms > 0) {
    if (request.algorithm != "corrected" || request.releases != "once")
      return misused("--trace and --sms require --algorithm corrected and --releases once");
    if (request.sms > 0) return draw(request, *problem);
    return of_file(nvidia::trace_response_times(*problem)).map([](auto&& steps) {
      return RtaAnswers{exporter::RtaTrace{std::move(steps)}};
    });
  }
  if (request.releases == "periodic") {
    if (request.algorithm != "corrected") return misused("--releases periodic requires --algorithm corrected");
    return of_file(nvidia::response_times_periodic(*problem)).map([&](auto&& result) {
      const bool good = meets_deadlines(*problem, result.worst_response);
      return RtaAnswers{exporter::PeriodicRtaAnswer{*problem, std::move(result)}, good};
    });
  }
  return of_file(request.algorithm == "paper"    ? nvidia::response_times_as_printed(*problem)
                 : request.algorithm == "closed" ? nvidia::response_times_closed(*problem)
                                                 : nvidia::response_times(*problem))
      .map([&](auto&& result) {
        const bool good = !result.endless_at && meets_deadlines(*problem, result.response);
        return RtaAnswers{exporter::RtaAnswer{*problem, std::move(result)}, good};
      });
}

OptionTable options(BoundsRequest&) { return {}; }

Outcome<Answer<exporter::BoundsAnswer>> answer(const BoundsRequest& request, const Watch&) {
  auto problem = content_of(request.scenario, nvidia::parse_time_slice_problem);
  if (!problem) return tl::unexpected(problem.error());
  return at_place(request.scenario.path, nvidia::time_slice_bounds(*problem))
      .map([&](nvidia::TimeSliceBounds&& bounds) {
        const bool good = std::all_of(bounds.tasks.begin(), bounds.tasks.end(),
                                      [](const nvidia::TaskBound& bound) { return bound.in_time; });
        return Answer<exporter::BoundsAnswer>{exporter::BoundsAnswer{std::move(*problem), std::move(bounds)}, good};
      });
}

}  // namespace amalthea::analysis::gpu
