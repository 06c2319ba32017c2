// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// --trace, which several verbs have.

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
};
/// --trace and --trace-limit.
void add_trace_options(CLI::App& verb, TraceOptions& options);

/// Before the work is done: whether `path` names a form of trace, and a file that can be written; also when it is
/// empty. False and a message otherwise.
bool check_trace(const std::string& path);

/// A writer; null and a message when there can be none.
std::unique_ptr<exporter::TraceWriter> make_trace(const TraceOptions& options, const exporter::ModelInfo& info);
/// False and a message when the trace could not be written; a message, too, when it is not of the whole simulation. Null
/// is well.
bool finish_trace(exporter::TraceWriter* trace, const TraceOptions& options);

/// Of forms that must state a date: SOURCE_DATE_EPOCH if that is set, else the epoch, so that equal runs give equal
/// files. Nothing and a message when it cannot be understood.
std::optional<std::string> date_of_traces();

}  // namespace amalthea::cli
