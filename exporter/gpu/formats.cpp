// SPDX-License-Identifier: Apache-2.0
#include "amalthea/primitives/visible_text.hpp"
#include "exporter/gpu/answers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "exporter/gpu/timeline.hpp"
#include "exporter/primitives/csv.hpp"
#include "exporter/primitives/text_table.hpp"

namespace amalthea::exporter {
namespace {

using nlohmann::ordered_json;
namespace gpu = engine::gpu;
namespace nvidia = engine::nvidia;

/// Infinite is null: without demand there is no quotient.
ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }
std::string quotient_text(double value) { return std::isfinite(value) ? fmt::format("{:.3f}", value) : "any"; }

/// Threads of the last warp of a block that compute nothing.
std::int64_t idle_threads(const OccupancyAnswer& answer) {
  return answer.occupancy.block.warps * answer.profile.multiprocessors->warp_size - answer.occupancy.shape.threads;
}

/// "4.5" of 9 halves.
std::string halves_text(std::int64_t halves) {
  return fmt::format("{}{}{}", halves < 0 && halves / 2 == 0 ? "-" : "", halves / 2, halves % 2 != 0 ? ".5" : "");
}

struct UnitCount {
  std::string_view unit;
  std::int64_t per_sm;
};

/// The units that the profile states.
std::vector<UnitCount> units_of(const gpu::SmLimits& sm) {
  std::vector<UnitCount> units{{"FP32", sm.cores},
                               {"INT32", sm.int32_units},
                               {"FP64", sm.double_units},
                               {"special functions", sm.special_units},
                               {"load/store", sm.load_store_units},
                               {"tensor cores", sm.tensor_units}};
  std::erase_if(units, [](const UnitCount& count) { return count.per_sm == 0; });
  return units;
}

/// Whether contexts are shown: several of a GPU, or those that a scenario with names of GPUs names, too.
bool shows_contexts(const gpu::StreamScenario& scenario) {
  if (scenario.gpus.empty()) return scenario.contexts.size() > 1;
  return std::any_of(scenario.contexts.begin(), scenario.contexts.end(),
                     [](const gpu::Context& context) { return !context.name.empty(); });
}

double per_sub_core(const UnitCount& count, const gpu::SmLimits& sm) {
  return static_cast<double>(count.per_sm) / static_cast<double>(sm.warp_schedulers);
}

}  // namespace

std::string render_json(const OccupancyAnswer& answer) {
  const auto& [profile, occupancy] = answer;
  ordered_json json;
  json["platform"] = profile.name;
  json["threads"] = occupancy.shape.threads;
  json["registers_per_thread"] = occupancy.shape.registers;
  json["shared_memory"] = occupancy.shape.shared_memory;
  json["warps_per_block"] = occupancy.block.warps;
  json["idle_threads_per_block"] = idle_threads(answer);
  json["blocks_per_sm"] = occupancy.blocks;
  json["warps_per_sm"] = occupancy.warps;
  json["occupancy"] = static_cast<double>(occupancy.warps) / static_cast<double>(profile.multiprocessors->max_warps());
  json["blocks_on_gpu"] = occupancy.blocks * profile.multiprocessors->sms;
  json["harmless_registers_per_thread"] = occupancy.harmless_registers;
  json["limits"] = ordered_json::array();
  json["binding"] = ordered_json::array();
  for (const gpu::ResourceLimit& limit : occupancy.limits) {
    json["limits"].push_back({{"resource", limit.resource},
                              {"per_block", limit.per_block},
                              {"per_sm", limit.per_sm},
                              {"blocks", limit.blocks < 0 ? ordered_json(nullptr) : ordered_json(limit.blocks)},
                              {"binds", limit.binds}});
    if (limit.binds) json["binding"].push_back(limit.resource);
  }
  json["sub_cores_per_sm"] = profile.multiprocessors->warp_schedulers;
  json["units"] = ordered_json::array();
  for (const UnitCount& count : units_of(*profile.multiprocessors))
    json["units"].push_back({{"unit", count.unit},
                             {"per_sm", count.per_sm},
                             {"per_sub_core", per_sub_core(count, *profile.multiprocessors)}});
  json["equation_1"] = ordered_json::array();
  for (const gpu::Equation1& row : occupancy.equation)
    json["equation_1"].push_back({{"block", row.block},
                                  {"printed_maximum", finite(row.printed)},
                                  {"minimum", finite(row.minimum)},
                                  {"admitted", row.admitted}});
  return json.dump(2) + "\n";
}

std::string render_text(const OccupancyAnswer& answer, bool colour) {
  const auto& [profile, occupancy] = answer;
  const gpu::SmLimits& sm = *profile.multiprocessors;
  std::string out = fmt::format("{} ({} SMs): {} threads per block = {} warps", line_start(profile.name), sm.sms,
                                occupancy.shape.threads, occupancy.block.warps);
  if (const auto idle = idle_threads(answer); idle > 0) out += fmt::format(" ({} threads idle)", idle);
  if (occupancy.shape.registers > 0) out += fmt::format(", {} registers per thread", occupancy.shape.registers);
  if (occupancy.shape.shared_memory > 0)
    out += fmt::format(", {} bytes of shared memory", occupancy.shape.shared_memory);
  out += "\n";
  TextTable limits(
      {{"resource"}, {"per block", Align::right}, {"per SM", Align::right}, {"blocks", Align::right}, {""}});
  for (const gpu::ResourceLimit& limit : occupancy.limits)
    limits.add(limit.resource, limit.per_block, limit.per_sm,
               limit.blocks < 0 ? "any" : fmt::format("{}", limit.blocks),
               TextTable::Cell{limit.binds ? "binds" : "", Colour::bold});
  out += heading("Limits", colour) + limits.render(colour);
  out += fmt::format("\n{} blocks per SM, {} of {} warps ({:.1f} %), {} blocks on the GPU\n", occupancy.blocks,
                     occupancy.warps, sm.max_warps(),
                     100.0 * static_cast<double>(occupancy.warps) / static_cast<double>(sm.max_warps()),
                     occupancy.blocks * sm.sms);
  out += fmt::format("With up to {} registers per thread, threads are always the limiting resource.\n",
                     occupancy.harmless_registers);
  auto units = TextTable::of("unit", ">per SM", ">per sub-core");
  for (const UnitCount& count : units_of(sm))
    units.add(count.unit, count.per_sm, fmt::format("{:g}", per_sub_core(count, sm)));
  out += heading(fmt::format("Units, of {} sub-cores", sm.warp_schedulers), colour) + units.render(colour);
  TextTable equation(
      {{"block", Align::right}, {"printed (max)", Align::right}, {"minimum", Align::right}, {"admitted"}});
  for (const gpu::Equation1& row : occupancy.equation)
    equation.add(row.block, quotient_text(row.printed), quotient_text(row.minimum), row.admitted ? "yes" : "no");
  out += heading("Eq. 1 for each additional block", colour) + equation.render(colour);
  return out;
}

std::string render_json(const PlacementAnswer& answer) {
  ordered_json json;
  json["sm"] = ordered_json::array();
  for (const auto& stream : answer.sms) {
    auto& row = json["sm"].emplace_back(ordered_json::array());
    for (const auto& sm : stream) row.push_back(sm ? ordered_json(*sm) : ordered_json(nullptr));
  }
  return json.dump() + "\n";
}

std::string render_text(const PlacementAnswer& answer, bool) {
  std::string out;
  for (std::size_t stream = 0; stream < answer.sms.size(); ++stream) {
    out += fmt::format("{} blocks of {} warps: SM", answer.streams[stream].blocks, answer.streams[stream].warps);
    for (const auto& sm : answer.sms[stream]) out += sm ? fmt::format(" {}", *sm) : std::string(" -");
    out += "\n";
  }
  for (const auto& stream : answer.sms)
    if (!stream.empty() && !stream.back()) return out + "- waits for other blocks to end\n";
  return out;
}

std::string render_json(const RtaAnswer& answer) {
  const auto& [problem, result] = answer;
  ordered_json json;
  json["f"] = result.completion;
  json["R"] = result.response;
  for (std::size_t index = result.completion.size(); index < problem.kernels.size(); ++index) {
    json["f"].push_back(nullptr);
    json["R"].push_back(nullptr);
  }
  if (result.endless_at) json["endless_at"] = *result.endless_at;
  for (const nvidia::PrintedClosedForm& row : result.printed) {
    json["printed"]["t_a"].push_back(static_cast<double>(row.t_a_halves) / 2);
    json["printed"]["g_f"].push_back(static_cast<double>(row.g_f_halves) / 2);
    json["printed"]["f"].push_back(static_cast<double>(row.f_halves) / 2);
  }
  if (const auto sum = utilization(problem); sum && !problem.kernels.empty()) {
    json["u"] = ordered_json::array();
    for (const nvidia::RtaKernel& kernel : problem.kernels) json["u"].push_back(*utilization(kernel));
    json["U"] = *sum;
  }
  const bool has_period = std::any_of(problem.kernels.begin(), problem.kernels.end(),
                                      [](const nvidia::RtaKernel& kernel) { return kernel.period > 0; });
  if (has_period && !result.endless_at) json["schedulable"] = meets_deadlines(problem, result.response);
  return json.dump() + "\n";
}

std::string render_text(const RtaAnswer& answer, bool colour) {
  const auto& [problem, result] = answer;
  auto table = TextTable::of(">kernel", ">r", ">C", ">g", ">f", ">R", ">T", ">u", "");
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const nvidia::RtaKernel& kernel = problem.kernels[index];
    const bool known = index < result.completion.size();
    const bool late = known && kernel.period > 0 && result.response[index] > kernel.period;
    const auto share = utilization(kernel);
    table.add(index, kernel.release, kernel.execution, kernel.blocks,
              known ? fmt::format("{}", result.completion[index]) : "-",
              known ? fmt::format("{}", result.response[index]) : "-",
              kernel.period > 0 ? fmt::format("{}", kernel.period) : "", share ? fmt::format("{:.3f}", *share) : "",
              TextTable::Cell{late ? "late" : "", Colour::bad});
  }
  std::string out = table.render(colour);
  if (!result.printed.empty()) {
    auto printed = TextTable::of(">kernel", ">t_a", ">g_f", ">f", ">to above");
    for (std::size_t index = 0; index < result.printed.size(); ++index) {
      const nvidia::PrintedClosedForm& row = result.printed[index];
      printed.add(index, halves_text(row.t_a_halves), halves_text(row.g_f_halves), halves_text(row.f_halves),
                  halves_text(row.f_halves - 2 * result.completion[index]));
    }
    out += heading("Eq. 3.11 to 3.15 as printed", colour) + printed.render(colour);
  }
  if (result.endless_at) out += fmt::format("\nThe printed algorithm never ends on kernel {}.\n", *result.endless_at);
  if (const auto sum = utilization(problem); sum && !problem.kernels.empty())
    out += fmt::format("\nU = {:.3f} threads\n", *sum);
  return out;
}

std::string render_json(const PeriodicRtaAnswer& answer) {
  const auto& [problem, result] = answer;
  ordered_json json;
  json["R"] = result.worst_response;
  json["release"] = result.worst_release;
  json["jobs"] = result.jobs;
  json["hyperperiod"] = result.hyperperiod;
  json["until"] = result.until;
  json["repeats"] = result.repeats;
  if (const auto sum = utilization(problem)) json["U"] = *sum;
  json["schedulable"] = meets_deadlines(problem, result.worst_response);
  return json.dump() + "\n";
}

std::string render_text(const PeriodicRtaAnswer& answer, bool colour) {
  const auto& [problem, result] = answer;
  auto table = TextTable::of(">kernel", ">T", ">C", ">g", ">jobs", ">worst R", ">released at", "");
  for (std::size_t index = 0; index < problem.kernels.size(); ++index) {
    const nvidia::RtaKernel& kernel = problem.kernels[index];
    const bool late = kernel.period > 0 && result.worst_response[index] > kernel.period;
    table.add(index, kernel.period > 0 ? fmt::format("{}", kernel.period) : "once", kernel.execution, kernel.blocks,
              result.jobs[index], result.worst_response[index], result.worst_release[index],
              TextTable::Cell{late ? "late" : "", Colour::bad});
  }
  return table.render(colour) +
         fmt::format("\nReleases up to {}; hyperperiod {}; {}.\n", result.until, result.hyperperiod,
                     result.repeats ? "the schedule repeats from there on, so these are the worst cases"
                                    : "the schedule has not repeated yet, so later jobs may take longer");
}

std::string render_json(const StreamsAnswer& answer) {
  const gpu::StreamScenario& scenario = answer.scenario;
  const gpu::StreamRun& run = answer.run;
  ordered_json json{{"kernels", ordered_json::array()}, {"copies", ordered_json::array()}};
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    const gpu::OperationRun& done = run.operations[index];
    const gpu::Stream& stream = scenario.streams[operation.stream];
    const bool is_kernel = operation.kind == gpu::StreamOperationKind::kernel;
    ordered_json row;
    row["name"] = operation.name;
    row["stream"] = stream.is_null ? ordered_json(nullptr) : ordered_json(stream.name);
    if (!scenario.gpus.empty()) row["gpu"] = scenario.gpus[scenario.gpu_of(stream)].name;
    if (shows_contexts(scenario)) row["context"] = scenario.contexts[stream.context].name;
    if (!is_kernel) row["kind"] = name_of(operation.kind);
    row["release_ps"] = operation.release.picoseconds();
    row["enqueued_ps"] = done.enqueued.picoseconds();
    row["start_ps"] = done.start.picoseconds();
    row["completion_ps"] = done.completion.picoseconds();
    if (is_kernel) {
      row["blocks"] = ordered_json::array();
      for (const gpu::BlockRun& block : done.blocks)
        row["blocks"].push_back(
            {{"sm", block.sm}, {"start_ps", block.start.picoseconds()}, {"end_ps", block.end.picoseconds()}});
    }
    json[is_kernel ? "kernels" : "copies"].push_back(std::move(row));
  }
  if (shows_contexts(scenario)) {
    json["slices"] = ordered_json::array();
    for (const gpu::EngineSlice& slice : run.slices) {
      const gpu::Context& context = scenario.contexts[slice.context];
      ordered_json row;
      if (!scenario.gpus.empty()) row["gpu"] = scenario.gpus[context.gpu].name;
      row["engine"] = gpu::name_of_engine(slice.engine);
      row["context"] = context.name;
      row["start_ps"] = slice.start.picoseconds();
      row["ready_ps"] = slice.ready.picoseconds();
      row["end_ps"] = slice.end.picoseconds();
      json["slices"].push_back(std::move(row));
    }
  }
  return json.dump() + "\n";
}

std::string render_text(const StreamsAnswer& answer, bool colour) {
  const gpu::StreamScenario& scenario = answer.scenario;
  const gpu::StreamRun& run = answer.run;
  const bool several_contexts = shows_contexts(scenario);
  const std::string streams_title =
      fmt::format("{}{}stream", scenario.gpus.empty() ? "" : "GPU/", several_contexts ? "context/" : "");
  Instant last;
  for (const gpu::OperationRun& operation : run.operations) last = std::max(last, operation.completion);
  // Six digits follow the point: picoseconds, or nanoseconds where all takes long.
  const bool is_long = last - Instant{} >= Duration::milliseconds(10);
  const std::string_view unit = is_long ? "ms" : "us";
  TextTable table({{"operation"},
                   {"kind"},
                   {streams_title},
                   {fmt::format("release {}", unit), Align::right},
                   {fmt::format("start {}", unit), Align::right},
                   {fmt::format("completion {}", unit), Align::right},
                   {fmt::format("response {}", unit), Align::right},
                   {"blocks per SM"}});
  const auto in_unit = [&](Duration time) {
    const std::int64_t parts = is_long ? (time.picoseconds() + 500) / 1000 : time.picoseconds();
    return fmt::format("{}.{:06}", parts / 1'000'000, parts % 1'000'000);
  };
  const auto title_of = [&](const gpu::Stream& stream) {
    const std::string name = stream.is_null ? "(NULL)" : stream.name;
    const std::string prefix = gpu_prefix(scenario, scenario.gpu_of(stream), "/");
    return prefix + (several_contexts ? scenario.contexts[stream.context].name + "/" + name : name);
  };
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    const gpu::OperationRun& done = run.operations[index];
    std::map<gpu::SmIndex, std::int64_t> per_sm;
    for (const gpu::BlockRun& block : done.blocks) ++per_sm[block.sm];
    std::string blocks;
    for (const auto& [sm, count] : per_sm) blocks += fmt::format("{}{}:{}", blocks.empty() ? "" : " ", sm, count);
    table.add(operation.name, name_of(operation.kind), title_of(scenario.streams[operation.stream]),
              in_unit(operation.release - Instant{}), in_unit(done.start - Instant{}),
              in_unit(done.completion - Instant{}), in_unit(done.completion - operation.release), blocks);
  }
  struct OfStream {
    std::int64_t operations = 0;
    std::optional<Instant> first;
    Instant last;
    Duration longest;
    double sum = 0;  ///< of the responses, in picoseconds
  };
  std::vector<OfStream> streams(scenario.streams.size());
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    OfStream& stream = streams[scenario.operations[index].stream];
    const gpu::OperationRun& done = run.operations[index];
    const Duration response = done.completion - scenario.operations[index].release;
    ++stream.operations;
    stream.first = std::min(stream.first.value_or(done.start), done.start);
    stream.last = std::max(stream.last, done.completion);
    stream.longest = std::max(stream.longest, response);
    stream.sum += static_cast<double>(response.picoseconds());
  }
  TextTable summary({{streams_title},
                     {"operations", Align::right},
                     {fmt::format("first start {}", unit), Align::right},
                     {fmt::format("last completion {}", unit), Align::right},
                     {fmt::format("longest response {}", unit), Align::right},
                     {fmt::format("mean response {}", unit), Align::right}});
  for (std::size_t index = 0; index < streams.size(); ++index) {
    const OfStream& stream = streams[index];
    if (stream.operations == 0) continue;
    summary.add(title_of(scenario.streams[index]), stream.operations, in_unit(*stream.first - Instant{}),
                in_unit(stream.last - Instant{}), in_unit(stream.longest),
                in_unit(Duration::picoseconds(std::llround(stream.sum / static_cast<double>(stream.operations)))));
  }
  return table.render(colour) + "\nStreams\n" + summary.render(colour);
}

std::string render_csv(const StreamsAnswer& answer) {
  const gpu::StreamScenario& scenario = answer.scenario;
  std::string csv =
      fmt::format("operation,kind,{}context,stream,release_ps,enqueued_ps,start_ps,completion_ps,response_ps,blocks\n",
                  scenario.gpus.empty() ? "" : "gpu,");
  for (std::size_t index = 0; index < answer.run.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    const gpu::OperationRun& done = answer.run.operations[index];
    const gpu::Stream& stream = scenario.streams[operation.stream];
    const std::string gpu = scenario.gpus.empty() ? "" : csv_field(scenario.gpus[scenario.gpu_of(stream)].name) + ",";
    csv += fmt::format("{},{},{}{},{},{},{},{},{},{},{}\n", csv_field(operation.name), name_of(operation.kind), gpu,
                       csv_field(scenario.contexts[stream.context].name), csv_field(stream.name),
                       operation.release.picoseconds(), done.enqueued.picoseconds(), done.start.picoseconds(),
                       done.completion.picoseconds(), (done.completion - operation.release).picoseconds(),
                       done.blocks.size());
  }
  return csv;
}

std::string render_text(const StreamsDrawing& drawing, bool) {
  return render_gpu_gantt_text(drawing.drawn.scenario, drawing.drawn.run, drawing.drawn.timeline);
}

}  // namespace amalthea::exporter
