// SPDX-License-Identifier: Apache-2.0
#include "exporter/gpu/timeline.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "exporter/primitives/drawing.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

/// Gives the series unique names.
void name_series(const gpu::StreamScenario& scenario, std::vector<TimelineSeries>& all) {
  std::map<std::pair<std::size_t, std::string>, std::set<std::size_t>> streams_of_name;
  const auto gpu_of = [&](const TimelineSeries& series) { return scenario.gpu_of(scenario.streams[series.stream]); };
  for (const TimelineSeries& series : all) streams_of_name[{gpu_of(series), series.name}].insert(series.stream);
  std::set<std::string> taken;
  for (TimelineSeries& series : all) {
    if (streams_of_name[{gpu_of(series), series.name}].size() > 1)
      series.name = fmt::format("{}/{}", stream_label(scenario.streams[series.stream]), series.name);
    series.name = gpu_prefix(scenario, gpu_of(series), "/") + series.name;
    std::string name = series.name;
    if (taken.count(name) > 0) name = fmt::format("{} ({})", series.name, name_of(series.kind));
    for (std::size_t number = 2; taken.count(name) > 0; ++number) name = fmt::format("{} ({})", series.name, number);
    taken.insert(name);
    series.name = std::move(name);
  }
}

void add_series(const gpu::StreamScenario& scenario, Timeline& timeline) {
  std::map<std::tuple<std::size_t, gpu::StreamOperationKind, std::string_view>, std::size_t> known;
  for (std::size_t index = 0; index < scenario.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    const auto [at, is_new] = known.emplace(
        std::tuple(operation.stream, operation.kind, std::string_view(operation.name)), timeline.series.size());
    if (is_new) timeline.series.push_back({operation.name, operation.stream, operation.kind, {}});
    timeline.series[at->second].operations.push_back(index);
    timeline.series_of.push_back(at->second);
  }
  name_series(scenario, timeline.series);
}

void add_multiprocessors(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, const ServedTime& served,
                         std::size_t gpu, const std::vector<std::size_t>& operations, Timeline& timeline) {
  std::vector<std::vector<TimelineBar>> blocks(static_cast<std::size_t>(scenario.device_of(gpu).multiprocessors->sms));
  for (const std::size_t index : operations) {
    const auto& runs = run.operations[index].blocks;
    for (std::size_t block = 0; block < runs.size(); ++block)
      blocks[runs[block].sm].push_back({index, block, runs[block].start, runs[block].end,
                                        served.within(scenario.operations[index], runs[block].start, runs[block].end)});
  }
  for (std::size_t sm = 0; sm < blocks.size(); ++sm) {
    std::stable_sort(blocks[sm].begin(), blocks[sm].end(),
                     [](const TimelineBar& a, const TimelineBar& b) { return a.start < b.start; });
    const std::size_t first_row = timeline.rows.size();
    timeline.rows.push_back({TimelineRowKind::multiprocessor, sm, 0, {}, gpu});  // idle SMs are also shown
    std::vector<Instant> lanes;
    for (TimelineBar& bar : blocks[sm]) {
      const std::size_t lane = take_lane(lanes, bar.start, bar.end);
      if (first_row + lane == timeline.rows.size())
        timeline.rows.push_back({TimelineRowKind::multiprocessor, sm, lane, {}, gpu});
      timeline.rows[first_row + lane].bars.push_back(std::move(bar));
    }
  }
}

void add_copy_engines(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, const ServedTime& served,
                      std::size_t gpu, const std::vector<std::size_t>& operations, Timeline& timeline) {
  std::vector<TimelineRow> rows;
  for (std::size_t unit = 0; unit < static_cast<std::size_t>(scenario.device_of(gpu).copy_engines); ++unit)
    rows.push_back({TimelineRowKind::copy_engine, unit, 0, {}, gpu});
  bool has_copies = false;
  for (const std::size_t index : operations) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    if (operation.kind == gpu::StreamOperationKind::kernel) continue;
    has_copies = true;
    const gpu::OperationRun& done = run.operations[index];
    rows[engine_of(scenario, operation) - 1].bars.push_back(
        {index, 0, done.start, done.completion, served.within(operation, done.start, done.completion)});
  }
  if (!has_copies) return;
  for (TimelineRow& row : rows) {
    std::stable_sort(row.bars.begin(), row.bars.end(), [](const TimelineBar& a, const TimelineBar& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    });
    timeline.rows.push_back(std::move(row));
  }
}

std::size_t contexts_on(const gpu::StreamScenario& scenario, std::size_t gpu) {
  return static_cast<std::size_t>(std::count_if(scenario.contexts.begin(), scenario.contexts.end(),
                                                [&](const gpu::Context& context) { return context.gpu == gpu; }));
}

void add_contexts(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, std::size_t gpu, Timeline& timeline) {
  if (contexts_on(scenario, gpu) < 2) return;
  std::map<std::size_t, TimelineRow> rows;
  for (const gpu::EngineSlice& slice : run.slices) {
    if (scenario.contexts[slice.context].gpu != gpu) continue;
    TimelineRow& row = rows[slice.engine];
    row.kind = TimelineRowKind::contexts;
    row.unit = slice.engine;
    row.gpu = gpu;
    TimelineBar bar{slice.context, 0, slice.start, slice.end, {}};
    if (slice.ready < slice.end) bar.spans.push_back({slice.ready, slice.end});
    row.bars.push_back(std::move(bar));
  }
  for (auto& [engine, row] : rows) timeline.rows.push_back(std::move(row));
}

}  // namespace

namespace {

std::string unit_name(const engine::DeviceProfile& device, const TimelineRow& row) {
  if (row.kind == TimelineRowKind::multiprocessor && device.amd) {
    const auto per_engine = static_cast<std::size_t>(device.multiprocessors->sms_per_gpc);
    return fmt::format("SE {} CU {}", row.unit / per_engine, row.unit % per_engine);
  }
  if (row.kind == TimelineRowKind::multiprocessor) return fmt::format("SM {}", row.unit);
  if (row.kind == TimelineRowKind::contexts) {
    if (row.unit == 0) return "contexts on EE";
    if (device.copy_engines < 2) return "contexts on CE";
    return row.unit == 1 ? "contexts on CE to GPU" : "contexts on CE to host";
  }
  if (device.copy_engines < 2) return "copy engine";
  return row.unit == 0 ? "copy engine to GPU" : "copy engine to host";
}

}  // namespace

std::string unit_name(const gpu::StreamScenario& scenario, const TimelineRow& row) {
  return gpu_prefix(scenario, row.gpu) + unit_name(scenario.device_of(row.gpu), row);
}

std::size_t gpu_of(const gpu::StreamScenario& scenario, const gpu::StreamOperation& operation) {
  return scenario.gpu_of(scenario.streams[operation.stream]);
}

std::string gpu_prefix(const gpu::StreamScenario& scenario, std::size_t gpu, std::string_view separator) {
  return scenario.gpus.empty() ? "" : fmt::format("{}{}", scenario.gpus[gpu].name, separator);
}

std::size_t engine_of(const gpu::StreamScenario& scenario, const gpu::StreamOperation& operation) {
  if (operation.kind == gpu::StreamOperationKind::kernel) return 0;
  if (operation.kind != gpu::StreamOperationKind::device_to_host) return 1;
  return scenario.device_of(gpu_of(scenario, operation)).copy_engines > 1 ? 2 : 1;
}

ServedTime::ServedTime(const gpu::StreamScenario& scenario, const gpu::StreamRun& run)
    : scenario_(scenario), is_shared_(std::max<std::size_t>(scenario.gpus.size(), 1)) {
  // AMD GPUs have no slices.
  for (const gpu::EngineSlice& slice : run.slices) is_shared_[scenario.contexts[slice.context].gpu] = true;
  for (std::size_t gpu = 0; gpu < is_shared_.size(); ++gpu)
    is_shared_[gpu] = is_shared_[gpu] && contexts_on(scenario, gpu) > 1;
  served_.resize(3 * scenario.contexts.size());
  for (const gpu::EngineSlice& slice : run.slices)
    if (slice.ready < slice.end)
      served_[slice.engine * scenario.contexts.size() + slice.context].push_back({slice.ready, slice.end});
}

std::vector<TimelineSpan> ServedTime::within(const gpu::StreamOperation& operation, Instant start, Instant end) const {
  if (!is_shared_[gpu_of(scenario_, operation)] || start == end) return {{start, end}};
  const auto& served = served_[engine_of(scenario_, operation) * scenario_.contexts.size() +
                               scenario_.streams[operation.stream].context];
  std::vector<TimelineSpan> spans;
  auto slice = std::partition_point(served.begin(), served.end(),
                                    [&](const TimelineSpan& candidate) { return candidate.end <= start; });
  for (; slice != served.end() && slice->start < end; ++slice)
    spans.push_back({std::max(slice->start, start), std::min(slice->end, end)});
  return spans;
}

Timeline make_timeline(const gpu::StreamScenario& scenario, const gpu::StreamRun& run) {
  Timeline timeline;
  add_series(scenario, timeline);
  const ServedTime served(scenario, run);
  std::vector<std::vector<std::size_t>> operations(std::max<std::size_t>(scenario.gpus.size(), 1));
  for (std::size_t index = 0; index < run.operations.size(); ++index)
    operations[gpu_of(scenario, scenario.operations[index])].push_back(index);
  for (std::size_t gpu = 0; gpu < operations.size(); ++gpu) {
    add_multiprocessors(scenario, run, served, gpu, operations[gpu], timeline);
    add_copy_engines(scenario, run, served, gpu, operations[gpu], timeline);
    add_contexts(scenario, run, gpu, timeline);
  }
  for (const gpu::OperationRun& done : run.operations) timeline.end = std::max(timeline.end, done.completion);
  for (const gpu::EngineSlice& slice : run.slices) timeline.end = std::max(timeline.end, slice.end);
  return timeline;
}

std::string stream_label(const gpu::Stream& stream) { return stream.is_null ? "NULL" : stream.name; }

}  // namespace amalthea::exporter
