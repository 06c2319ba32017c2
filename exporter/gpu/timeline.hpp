// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A run of streams as rows of intervals, the common basis of all timeline formats.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/devices/stream_simulation.hpp"

namespace amalthea::exporter {

struct TimelineSpan {
  Instant start;
  Instant end;
};

/// A block, a copy, or (in the rows of contexts) a slice of an engine's time.
struct TimelineBar {
  std::size_t subject = 0;  ///< index of the operation, or of the context
  std::size_t block = 0;    ///< of a kernel, in order of assignment
  Instant start;
  Instant end;
  /// When it executes: while its context is served. In between it makes no progress. In rows of contexts without the
  /// switch.
  std::vector<TimelineSpan> spans;
};

enum class TimelineRowKind : std::uint8_t { multiprocessor, copy_engine, contexts };

/// Non-overlapping bars, by start.
struct TimelineRow {
  TimelineRowKind kind = TimelineRowKind::multiprocessor;
  std::size_t unit = 0;  ///< the SM; the copy engine from 0; the engine as in EngineSlice
  std::size_t lane = 0;  ///< blocks that are resident on an SM at the same time have different lanes
  std::vector<TimelineBar> bars;
  std::size_t gpu = 0;
};
/// "SM 1", "copy engine to host", "contexts on EE"; of a scenario that names GPUs "front: SM 1".
std::string unit_name(const engine::gpu::StreamScenario& scenario, const TimelineRow& row);

/// Runs of one operation of one stream: iterations, periods.
struct TimelineSeries {
  std::string name;  ///< the operation's name; preceded by the stream's if it is not unique, and by the GPU's if named
  std::size_t stream = 0;
  engine::gpu::StreamOperationKind kind = engine::gpu::StreamOperationKind::kernel;
  std::vector<std::size_t> operations;
};

struct Timeline {
  std::vector<TimelineRow> rows;  ///< by GPU: SMs, copy engines if there are copies, contexts if there are several
  std::vector<TimelineSeries> series;
  std::vector<std::size_t> series_of;  ///< for every operation
  Instant end;
};
Timeline make_timeline(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run);

/// For every operation the times in which its engine serves it, within [its start, its completion).
class ServedTime {
 public:
  /// Both arguments must outlive this.
  ServedTime(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run);
  std::vector<TimelineSpan> within(const engine::gpu::StreamOperation& operation, Instant start, Instant end) const;

 private:
  const engine::gpu::StreamScenario& scenario_;
  std::vector<bool> is_shared_;                    ///< by GPU: its contexts take turns
  std::vector<std::vector<TimelineSpan>> served_;  ///< by engine and context, in order
};

/// The GPU of an operation.
std::size_t gpu_of(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamOperation& operation);
/// "front: ", or nothing if the scenario names no GPUs.
std::string gpu_prefix(const engine::gpu::StreamScenario& scenario, std::size_t gpu, std::string_view separator = ": ");
/// Numbered as in EngineSlice.
std::size_t engine_of(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamOperation& operation);

/// "NULL" for the NULL stream.
std::string stream_label(const engine::gpu::Stream& stream);

}  // namespace amalthea::exporter
