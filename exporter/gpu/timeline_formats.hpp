// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Timelines of a run of streams, one format per file (docs/reference/gpu.md describes their content). All are
/// deterministic.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/devices/stream_simulation.hpp"

namespace amalthea::exporter {

struct TimelineOptions {
  std::string title;                          ///< source of the scenario
  std::string date = "1970-01-01T00:00:00Z";  ///< ISO 8601 with time zone, for formats that require a date
  std::size_t width = 100;                    ///< of the text format, in characters
};

/// Rows of letters.
std::string render_gpu_gantt_text(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                  const TimelineOptions& options);
/// A self-contained SVG image.
std::string render_gpu_gantt_svg(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                 const TimelineOptions& options);
/// Trace event JSON, for ui.perfetto.dev and chrome://tracing.
std::string render_gpu_trace_perfetto(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                      const TimelineOptions& options);
/// Best Trace Format 2.1.5, in nanoseconds.
std::string render_gpu_trace_btf(const engine::gpu::StreamScenario& scenario, const engine::gpu::StreamRun& run,
                                 const TimelineOptions& options);

struct TimelineFormat {
  std::string_view extension;  ///< ".svg"
  std::string (*render)(const engine::gpu::StreamScenario&, const engine::gpu::StreamRun&, const TimelineOptions&);
};
/// All formats; the extension of a file selects one.
const std::vector<TimelineFormat>& timeline_formats();
/// Nothing if no format has the extension.
const TimelineFormat* timeline_format_of(std::string_view path);

}  // namespace amalthea::exporter
