// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Traces of a simulation, written while it runs, one format per file (docs/reference/traces.md describes their
/// content). All are deterministic, and their memory does not grow with the length of the simulation, except for
/// that of a drawing.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/simulation/simulation_observer.hpp"

namespace amalthea::exporter {

/// Metadata of a trace.
struct TraceFacts {
  std::string input;                          ///< source of the model
  std::string date = "1970-01-01T00:00:00Z";  ///< ISO 8601 with time zone, for formats that require a date
  /// BTF only: cores and tasks keep their names. Else those of cores begin with "Core", those of tasks with "TASK": the
  /// state view of Eclipse Trace Compass shows no others.
  bool model_names = false;
};

/// Observes one simulation.
class TraceWriter : public engine::SimulationObserver {
 public:
  /// After the simulation: the file exists, or the error states why not. A writer destroyed without this leaves no
  /// file.
  virtual tl::expected<void, std::string> finish() = 0;
  /// Bytes that the file has so far, about.
  virtual std::uint64_t size() = 0;
  /// After the simulation: when the trace ended before it, because the file had reached its limit.
  virtual std::optional<Instant> cut() const { return std::nullopt; }
};

/// Best Trace Format 2.1.5, in nanoseconds.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_btf(const std::string& path, const TraceFacts&);
/// Trace event JSON, for ui.perfetto.dev and chrome://tracing.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto(const std::string& path, const TraceFacts&);
/// The same, compressed by gzip.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto_gz(const std::string& path,
                                                                               const TraceFacts&);
/// Perfetto's protocol buffers, in nanoseconds: the same, with counters.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_perfetto_protobuf(const std::string& path,
                                                                                     const TraceFacts&);
/// The drawing of `amalthea gpu run --timeline`, of the only GPU that tasks are on.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_svg(const std::string& path, const TraceFacts&);
/// One line for every activation, interval and end of a job, in picoseconds.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_csv(const std::string& path, const TraceFacts&);
/// AMALTHEA Trace Database, in picoseconds.
tl::expected<std::unique_ptr<TraceWriter>, std::string> make_trace_atdb(const std::string& path, const TraceFacts&);

struct TraceFormat {
  std::string_view extension;  ///< ".btf"
  tl::expected<std::unique_ptr<TraceWriter>, std::string> (*make)(const std::string& path, const TraceFacts&);
};
/// All formats of this build; the extension of a file selects one.
const std::vector<TraceFormat>& trace_formats();
/// Nothing if no format has the extension.
const TraceFormat* trace_format_of(std::string_view path);

}  // namespace amalthea::exporter
