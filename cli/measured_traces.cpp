// SPDX-License-Identifier: Apache-2.0
#include "cli/measured_traces.hpp"

#include <optional>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/quantity.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/progress.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"
#include "exporter/traces/trace_names.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

std::optional<traces::NameRules> read_names(const std::string& path) {
  if (path.empty()) return traces::NameRules{};
  const auto text = importer::read_bytes(path);
  if (!text) {
    complain(fmt::format("--names {}: {}", path, text.error()));
    return std::nullopt;
  }
  auto rules = traces::NameRules::parse(*text);
  if (rules) return std::move(*rules);
  complain(fmt::format("{}:{}", path, rules.error()));
  return std::nullopt;
}

/// False, and a message, for anything else than a time >= 0.
bool read_limit(const char* option, const std::string& text, std::optional<Instant>& instant) {
  if (text.empty()) return true;
  const auto time = parse_time_text(text);
  if (!time || *time < Duration{} || *time > longest_simulation)
    return complain(
        fmt::format("{} {}: expected a time of the trace such as 2s or 500ms, below 26 days", option, text));
  instant = Instant::at(*time);
  return true;
}

}  // namespace

void add_measured_inputs(CLI::App& verb, InputOptions& input, MeasuredTraces& traces, AnalysisInput& analysis) {
  add_input(verb, "MODEL", input.models, "Model file, or a folder of .amxmi files that form one model", model_files)
      ->expected(1)
      ->allow_extra_args(false)
      ->required();
  add_input(
      verb, "TRACE", traces.paths,
      "Traces: BTF, ATDB, CSV or JSON of --trace, SQLite of Nsight Systems, logs of cuda_scheduling_examiner. JSON may "
      "be any with trace events. Text may be packed by gzip; - is standard input")
      ->required();
  add_options(
      verb,
      {row("names", &traces.names,
           "JSON object from patterns of names in the trace to names in the model, such as {\"Os_*\": \"Control\"}",
           {group::traces}, {.takes = "FILE", .file = FileKind::read}),
       row("from", &traces.from, "Measure only jobs activated at this time of the trace or later", rare(group::traces),
           {.takes = "TIME"}),
       row("to", &traces.to, "Measure only jobs activated before this time of the trace", rare(group::traces),
           {.takes = "TIME"})});
  add_finding_options(verb);
  add_options(verb, analysis::limit_options(input.limits));
  add_simulation_options(verb, analysis);
}

tl::expected<traces::Comparison, int> read_measured_traces(const MeasuredTraces& traces,
                                                           const analysis::Prepared& prepared,
                                                           const engine::Results* bounds, Diagnostics& diagnostics,
                                                           engine::SimulationObserver* observer, bool mapped) {
  const auto rules = read_names(traces.names);
  if (!rules) return tl::unexpected(int{ExitCode::unusable});
  Diagnostics ignored;
  const auto directory = exporter::trace_names(prepared.system, prepared.analysis, ignored);
  if (!directory) return tl::unexpected(int{ExitCode::findings});
  traces::ComparisonInput input{prepared.system, prepared.analysis, bounds, *directory, *rules};
  if (!read_limit("--from", traces.from, input.from) || !read_limit("--to", traces.to, input.until))
    return tl::unexpected(int{ExitCode::unusable});
  input.observer = observer;
  input.mapped = mapped;
  ReadingProgress progress;
  input.progress = [&](std::uint64_t done, std::uint64_t of) { progress.show(done, of); };
  auto compared = traces::compare_traces(input, traces.paths, diagnostics);
  progress.clear();
  if (compared) return std::move(*compared);
  complain(compared.error());
  return tl::unexpected(int{ExitCode::unusable});
}

}  // namespace amalthea::cli
