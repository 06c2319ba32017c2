// SPDX-License-Identifier: Apache-2.0
#include "analysis/measured_traces.hpp"

#include <optional>
#include <utility>

#include "amalthea/quantity.hpp"
#include "exporter/traces/trace_names.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::analysis {
namespace {

Outcome<std::optional<Instant>> read_instant(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto time = parse_time_text(text);
  if (time && *time >= Duration{} && *time <= longest_simulation) return Instant::at(*time);
  return misused(option + text, "expected a time of the trace such as 2s or 500ms, below 26 days");
}

}  // namespace

Outcome<traces::NameRules> read_names(const std::string& path) {
  if (path.empty()) return traces::NameRules{};
  const auto text = importer::read_bytes(path);
  if (!text) return misused("--names " + path, text.error());
  auto rules = traces::NameRules::parse(*text);
  if (!rules) return misread(path, rules.error());
  return std::move(*rules);
}

OptionTable trace_options(TraceRequest& request) {
  return {row("names", &request.names,
              "JSON object from patterns of names in the trace to names in the model, such as {\"Os_*\": \"Control\"}",
              {group::traces}, {.takes = "FILE", .file = FileKind::read}),
          row("columns", &request.columns,
              "Columns of CSV with any titles: name=TITLE, and duration=TITLE or start=TITLE and end=TITLE, by commas. "
              "Units are those of the titles, such as \"Start (ns)\", or unit=us",
              rare(group::traces), {.takes = "COLUMNS"}),
          row("from", &request.from, "Measure only jobs activated at this time of the trace or later",
              rare(group::traces), {.takes = "TIME", .keyword = "from_"}),
          row("to", &request.to, "Measure only jobs activated before this time of the trace", rare(group::traces),
              {.takes = "TIME"})};
}

Outcome<traces::Comparison> read_traces(const TraceRequest& request, const Prepared& prepared,
                                        const TraceReading& reading, Diagnostics& findings) {
  const auto rules = read_names(request.names);
  if (!rules) return tl::unexpected(rules.error());
  Diagnostics ignored;
  const auto directory = exporter::trace_names(prepared.system, prepared.analysis, ignored);
  if (!directory) return tl::unexpected(Failure{});
  const auto from = read_instant("--from ", request.from);
  if (!from) return tl::unexpected(from.error());
  const auto until = read_instant("--to ", request.to);
  if (!until) return tl::unexpected(until.error());
  const traces::ComparisonInput input{.system = prepared.system,
                                      .analysis = prepared.analysis,
                                      .bounds = reading.bounds,
                                      .directory = *directory,
                                      .rules = *rules,
                                      .from = *from,
                                      .until = *until,
                                      .progress = reading.progress,
                                      .columns = request.columns,
                                      .mapped = reading.mapped,
                                      .observer = reading.observer};
  auto compared = traces::compare_traces(input, request.trace_files, findings);
  if (!compared) return misused(std::move(compared.error()));
  return std::move(*compared);
}

}  // namespace amalthea::analysis
