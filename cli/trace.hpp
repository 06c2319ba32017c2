// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// --trace, which several verbs have.

#include <memory>
#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "exporter/results/result_view.hpp"
#include "exporter/traces/trace_formats.hpp"

namespace amalthea::cli {

void add_trace_option(CLI::App& verb, std::string& path);

/// Before the work is done: whether `path` names a form of trace, and a file that can be written; also when it is
/// empty. False and a message otherwise.
bool check_trace(const std::string& path);

/// A writer to `path`; null and a message when there can be none.
std::unique_ptr<exporter::TraceWriter> make_trace(const std::string& path, const exporter::ModelInfo& info);
/// False and a message when the trace could not be written. Null is well.
bool finish_trace(exporter::TraceWriter* trace);

/// Of forms that must state a date: SOURCE_DATE_EPOCH if that is set, else the epoch, so that equal runs give equal
/// files. Nothing and a message when it cannot be understood.
std::optional<std::string> date_of_traces();

}  // namespace amalthea::cli
