// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "exporter/gpu/timeline.hpp"
#include "exporter/gpu/timeline_formats.hpp"
#include "exporter/traces/trace_text.hpp"

namespace amalthea::exporter {
namespace {

namespace gpu = engine::gpu;

// Groups of tracks: processes in the trace format.
constexpr int multiprocessor_tracks = 1;
constexpr int copy_engine_tracks = 2;
constexpr int context_tracks = 3;
constexpr int stream_tracks = 4;

class GpuEvents {
 public:
  void add(const std::string& event) { out_ += fmt::format("{}\n{}", out_.empty() ? "" : ",", event); }

  void name(std::string_view what, int process, std::size_t thread, std::string_view name) {
    add(json_track_name(what == "process", process, thread, name));
  }
  /// A slice of the track that `end_track` writes.
  void slice(std::string_view name, std::string_view category, const TimelineSpan& span, const std::string& arguments) {
    slices_.emplace_back(span,
                         fmt::format(R"("name":{},"cat":"{}","args":{{{}}})", json_text(name), category, arguments));
  }
  /// In the order of time, as begins and ends: readers round the time and the duration of a complete event, and let it
  /// overlap the next one.
  void end_track(int process, std::size_t thread) {
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const auto& one, const auto& other) { return one.first.start < other.first.start; });
    for (const auto& [span, text] : slices_) {
      const auto at = [&](Instant time) {
        return fmt::format(R"("pid":{},"tid":{},"ts":{})", process, thread, json_microseconds(time.picoseconds()));
      };
      add(fmt::format(R"({{"ph":"B",{},{}}})", at(span.start), text));
      add(fmt::format(R"({{"ph":"E",{}}})", at(span.end)));
    }
    slices_.clear();
  }
  /// A time that may overlap others of its track.
  void waiting(int process, std::size_t thread, std::size_t id, std::string_view name, Instant start, Instant end) {
    if (start == end) return;
    for (const bool is_begin : {true, false})
      add(fmt::format(R"({{"ph":"{}","name":{},"cat":"waiting","id":{},"pid":{},"tid":{},"ts":{}}})",
                      is_begin ? "b" : "e", json_text(name), id, process, thread,
                      json_microseconds((is_begin ? start : end).picoseconds())));
  }
  const std::string& text() const { return out_; }

 private:
  std::string out_;
  std::vector<std::pair<TimelineSpan, std::string>> slices_;
};

int group_of(TimelineRowKind kind) {
  if (kind == TimelineRowKind::multiprocessor) return multiprocessor_tracks;
  return kind == TimelineRowKind::copy_engine ? copy_engine_tracks : context_tracks;
}

/// Every GPU has groups of its own.
int group_on(std::size_t gpu, int group) { return static_cast<int>(gpu) * stream_tracks + group; }

std::string_view track_group_name(int group) {
  if (group == multiprocessor_tracks) return "SMs";
  return group == copy_engine_tracks ? "copy engines" : "contexts on engines";
}

}  // namespace

std::string render_gpu_trace_perfetto(const gpu::StreamScenario& scenario, const gpu::StreamRun& run,
                                      const TimelineOptions& options) {
  const Timeline timeline = make_timeline(scenario, run);
  GpuEvents writer;
  int group = 0;
  std::size_t thread = 0;
  for (const TimelineRow& row : timeline.rows) {
    if (group_on(row.gpu, group_of(row.kind)) != group) {
      group = group_on(row.gpu, group_of(row.kind));
      thread = 0;
      writer.name("process", group, 0,
                  gpu_prefix(scenario, row.gpu) + std::string(track_group_name(group_of(row.kind))));
    }
    ++thread;
    const std::string unit = unit_name(scenario, row);
    writer.name("thread", group, thread,
                row.kind == TimelineRowKind::multiprocessor ? fmt::format("{} lane {}", unit, row.lane) : unit);
    for (const TimelineBar& bar : row.bars)
      for (const TimelineSpan& span : bar.spans) {
        if (row.kind == TimelineRowKind::contexts) {
          writer.slice(scenario.contexts[bar.subject].name, "context", span, "");
          continue;
        }
        const gpu::StreamOperation& operation = scenario.operations[bar.subject];
        const bool is_kernel = row.kind == TimelineRowKind::multiprocessor;
        std::string arguments = fmt::format(R"("operation":{},"stream":{})", bar.subject,
                                            json_text(stream_label(scenario.streams[operation.stream])));
        if (is_kernel) arguments += fmt::format(R"(,"block":{})", bar.block);
        writer.slice(timeline.series[timeline.series_of[bar.subject]].name,
                     is_kernel ? std::string_view("block") : name_of(operation.kind), span, arguments);
      }
    writer.end_track(group, thread);
  }
  for (std::size_t gpu = 0; gpu < std::max<std::size_t>(scenario.gpus.size(), 1); ++gpu)
    writer.name("process", group_on(gpu, stream_tracks), 0, gpu_prefix(scenario, gpu) + "streams");
  const auto stream_group = [&](std::size_t stream) {
    return group_on(scenario.gpu_of(scenario.streams[stream]), stream_tracks);
  };
  for (std::size_t stream = 0; stream < scenario.streams.size(); ++stream)
    writer.name("thread", stream_group(stream), stream + 1, stream_label(scenario.streams[stream]));
  for (std::size_t index = 0; index < run.operations.size(); ++index) {
    const gpu::StreamOperation& operation = scenario.operations[index];
    const gpu::OperationRun& done = run.operations[index];
    const std::string& name = timeline.series[timeline.series_of[index]].name;
    const int group_of_stream = stream_group(operation.stream);
    writer.waiting(group_of_stream, operation.stream + 1, 2 * index, fmt::format("{} waits in its stream", name),
                   operation.release, done.enqueued);
    writer.waiting(group_of_stream, operation.stream + 1, 2 * index + 1, fmt::format("{} waits for its engine", name),
                   done.enqueued, done.start);
  }
  return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"title\":{}}},\"traceEvents\":[{}\n]}}\n",
                     json_text(options.title), writer.text());
}

}  // namespace amalthea::exporter
