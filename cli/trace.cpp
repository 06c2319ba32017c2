// SPDX-License-Identifier: Apache-2.0
#include "cli/trace.hpp"

#include <fmt/core.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "amalthea/quantity.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
#include "exporter/traces/trace_text.hpp"
#include "exporter/traces/trace_thread.hpp"

namespace amalthea::cli {

void add_trace_options(CLI::App& verb, TraceOptions& options) {
  add_options(verb, {row("trace", &options.path,
                         "Also write a trace: .btf, .json or .pftrace (Perfetto), .csv, .atdb or .svg. The extension "
                         "selects the format; .json.gz is compressed (docs/reference/traces.md)",
                         {group::output}, {.takes = "FILE", .file = FileKind::written}),
                     row("trace-limit", &options.limit,
                         "Size at which the trace ends, in MiB. A warning states the time; the results still cover the "
                         "whole simulation. 0: no limit",
                         rare(group::output), {.range = Range{0, max_mebibytes}}),
                     row("trace-names", &options.names,
                         "Names in a .btf trace. tracecompass: cores as Core_…, tasks as TASK_…, because Eclipse "
                         "Trace Compass shows no others; model: those of the model",
                         rare(group::output), {.choices = {"tracecompass", "model"}})});
}

bool check_trace(const std::string& path) {
  if (path.empty()) return true;
  if (exporter::trace_format_of(path) != nullptr) return check_output(path);
  std::string known;
  for (const auto& format : exporter::trace_formats())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.extension);
  complain(fmt::format("--trace {}: expected a file that ends in one of {}{}", path, known,
                       extension_suggestion(path, exporter::trace_formats())));
  return false;
}

std::unique_ptr<exporter::TraceWriter> make_trace(const TraceOptions& options, const exporter::ModelInfo& info) {
  const auto date = exporter::date_of_traces();
  if (!date) {
    complain(date.error());
    return nullptr;
  }
  exporter::TraceFacts facts;
  facts.date = *date;
  facts.model_names = options.names == "model";
  for (const std::string& file : info.files) facts.input += fmt::format("{}{}", facts.input.empty() ? "" : " ", file);
  auto writer = exporter::trace_format_of(options.path)->make(options.path, facts);
  if (!writer) {
    complain(writer.error());
    return nullptr;
  }
  return exporter::on_own_thread(std::move(*writer), options.limit << 20U);
}

bool finish_trace(exporter::TraceWriter* trace, const TraceOptions& options) {
  if (trace == nullptr) return true;
  const auto written = trace->finish();
  if (!written) return complain(written.error());
  if (const auto cut = trace->cut())
    tell(
        "amalthea: warning: {} ends at {}, where it reached the limit of {} MiB; use --trace-limit to raise it, or "
        "--until to simulate less\n",
        options.path, format_duration(cut->since_start()), options.limit);
  return true;
}

}  // namespace amalthea::cli
