// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The option --trace of several verbs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "exporter/results/result_view.hpp"
#include "exporter/traces/trace_formats.hpp"

namespace amalthea::cli {

struct TraceOptions {
  std::string path;
  std::uint64_t limit = 1024;  ///< MiB; 0: none
  std::string names = "tracecompass";
};
/// --trace, --trace-limit and --trace-names.
void add_trace_options(CLI::App& verb, TraceOptions& options);

/// Checks in advance whether `path` is empty, or has a trace format and is writable. False and a message otherwise.
bool check_trace(const std::string& path);

/// A writer to `path`; null and a message if there can be none.
std::unique_ptr<exporter::TraceWriter> make_trace(const TraceOptions& options, const exporter::ModelInfo& info);
/// False and a message if the trace could not be written; a warning if its limit cut it. Null is accepted.
bool finish_trace(exporter::TraceWriter* trace, const TraceOptions& options);

}  // namespace amalthea::cli
