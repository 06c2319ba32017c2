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
  std::map<std::string, std::set<std::size_t>> streams_of_name;
  for (const TimelineSeries& series : all) streams_of_name[series.name].insert(series.stream);
  std::set<std::string> taken;
  for (TimelineSeries& series : all) {
    if (streams_of_name[series.name].size() > 1)
      series.name = fmt::format("{}/{}", stream_label(scenario.streams[series.stream]), series.name);
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
                         Timeline& timeline) {
  std::vector<std::vector<TimelineBar>> blocks(static_cast<std::size_t>(scenario.limits().sms));
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const auto& runs = run.operations[index].blocks;
    for (std::size_t block = 0; block < runs.size(); ++block)
      blocks[runs[block].sm].push_back({index, block, runs[block].start, runs[block].end,
                                        served.within(scenario.operations[index], runs[block].start, runs[block].end)});
  }
  for (std::size_t sm = 0; sm < blocks.size(); ++sm) {
    std::stable_sort(blocks[sm].begin(), blocks[sm].end(),
                     [](const TimelineBar& a, const TimelineBar& b) { return a.start < b.start; });
    const std::size_t first_row = timeline.rows.size();
    timeline.rows.push_back({TimelineRowKind::multiprocessor, sm, 0, {}});  // idle SMs are also shown
    std::vector<Instant> lanes;
    for (TimelineBar& bar : blocks[sm]) {
      const std::size_t lane = take_lane(lanes, bar.start, bar.end);
      if (first_row + lane == timeline.rows.size())
        timeline.rows.push_back({TimelineRowKind::multiprocessor, sm, lane, {}});
      timeline.rows[first_row + lane].bars.push_back(std::move(bar));
    }
  }
}

void add_copy_engines(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, const ServedTime& served,
                      Timeline& timeline) {
  std::vector<TimelineRow> rows;
  for (std::size_t unit = 0; unit < static_cast<std::size_t>(scenario.device.copy_engines); ++unit)
    rows.push_back({TimelineRowKind::copy_engine, unit, 0, {}});
  bool has_copies = false;
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    if (operation.kind == gpu::StreamOperationKind::kernel) continue;
    has_copies = true;
    const gpu::OperationRun& done = run.operations[index];
    rows[engine_of(scenario, operation.kind) - 1].bars.push_back(
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

void add_contexts(const gpu::StreamScenario& scenario, const gpu::StreamRun& run, Timeline& timeline) {
  if (scenario.contexts.size() < 2) return;
  std::map<std::size_t, TimelineRow> rows;
  for (const gpu::EngineSlice& slice : run.slices) {
    TimelineRow& row = rows[slice.engine];
    row.kind = TimelineRowKind::contexts;
    row.unit = slice.engine;
    TimelineBar bar{slice.context, 0, slice.start, slice.end, {}};
    if (slice.ready < slice.end) bar.spans.push_back({slice.ready, slice.end});
    row.bars.push_back(std::move(bar));
  }
  for (auto& [engine, row] : rows) timeline.rows.push_back(std::move(row));
}

}  // namespace

std::string unit_name(const gpu::StreamScenario& scenario, const TimelineRow& row) {
  if (row.kind == TimelineRowKind::multiprocessor && scenario.device.amd) {
    const auto per_engine = static_cast<std::size_t>(scenario.limits().sms_per_gpc);
    return fmt::format("SE {} CU {}", row.unit / per_engine, row.unit % per_engine);
  }
  if (row.kind == TimelineRowKind::multiprocessor) return fmt::format("SM {}", row.unit);
  if (row.kind == TimelineRowKind::contexts) {
    if (row.unit == 0) return "contexts on EE";
    if (scenario.device.copy_engines < 2) return "contexts on CE";
    return row.unit == 1 ? "contexts on CE to GPU" : "contexts on CE to host";
  }
  if (scenario.device.copy_engines < 2) return "copy engine";
  return row.unit == 0 ? "copy engine to GPU" : "copy engine to host";
}

std::size_t engine_of(const gpu::StreamScenario& scenario, gpu::StreamOperationKind kind) {
  if (kind == gpu::StreamOperationKind::kernel) return 0;
  return kind == gpu::StreamOperationKind::device_to_host && scenario.device.copy_engines > 1 ? 2 : 1;
}

ServedTime::ServedTime(const gpu::StreamScenario& scenario, const gpu::StreamRun& run)
    : scenario_(scenario), is_shared_(scenario.contexts.size() > 1 && !run.slices.empty()) {
  if (!is_shared_) return;
  served_.resize(3 * scenario.contexts.size());
  for (const gpu::EngineSlice& slice : run.slices)
    if (slice.ready < slice.end)
      served_[slice.engine * scenario.contexts.size() + slice.context].push_back({slice.ready, slice.end});
}

std::vector<TimelineSpan> ServedTime::within(const gpu::StreamOperation& operation, Instant start, Instant end) const {
  if (!is_shared_ || start == end) return {{start, end}};
  const auto& served = served_[engine_of(scenario_, operation.kind) * scenario_.contexts.size() +
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
  add_multiprocessors(scenario, run, served, timeline);
  add_copy_engines(scenario, run, served, timeline);
  add_contexts(scenario, run, timeline);
  for (const gpu::OperationRun& done : run.operations) timeline.end = std::max(timeline.end, done.completion);
  for (const gpu::EngineSlice& slice : run.slices) timeline.end = std::max(timeline.end, slice.end);
  return timeline;
}

std::string stream_label(const gpu::Stream& stream) { return stream.is_null ? "NULL" : stream.name; }

}  // namespace amalthea::exporter
