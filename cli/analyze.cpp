// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "analysis/certification.hpp"
#include "analysis/diagnosis.hpp"
#include "analysis/headroom.hpp"
#include "analysis/ratchet.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/trace.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/result_formats.hpp"

namespace amalthea::cli {
namespace {

struct AnalyzeOptions {
  InputOptions input;
  AnalysisInput analysis;
  std::string format = "text";
  std::string output;
  TraceOptions trace;
  bool metrics = false;
  bool verbose = false;
  std::string table = "tasks";
  analysis::HeadroomRequest headroom;
  analysis::RatchetRequest ratchet;
};

/// A pipeline also reads why a model was not analyzed.
bool write_failure(const AnalyzeOptions& options, const exporter::ResultFormat& format,
                   const Diagnostics& diagnostics) {
  std::vector<Diagnostic> findings = diagnostics.all();
  exporter::sort_findings(findings);
  const exporter::ModelInfo info{options.input.models, "", ""};
  return write_output(options.output,
                      format.render_findings({info, findings, 0, std::filesystem::current_path().string()}));
}

/// The exit code is that of the verdict, or of what got worse.
int write_results(const AnalyzeOptions& options, const Model& model, const analysis::Analyzed& analyzed,
                  const analysis::Known& known, const engine::Headroom* headroom, const Diagnostics& diagnostics) {
  const exporter::ModelInfo info = exporter::model_info(model);
  const bool colour = options.output.empty() && use_colour();
  const exporter::Causes causes = analysis::diagnose(analyzed.system, analyzed.analysis, analyzed.results, diagnostics);
  const exporter::Ratchet ratchet = compared(analyzed.assessment, options.ratchet, known);
  const exporter::ResultView view{
      info,   analyzed.system, analyzed.results, diagnostics,
      &model, headroom,        &causes,          options.ratchet.compares() ? &ratchet : nullptr};
  const auto* const format = exporter::find_result_format(options.format);
  if (!write_output(options.output, format->render(view, {colour, options.metrics, options.verbose, options.table})))
    return ExitCode::unusable;
  if (!options.ratchet.write_accepted.empty() &&
      !write_data(options.ratchet.write_accepted,
                  exporter::write_accepted(exporter::known_limits(analyzed.assessment), known.accepted)))
    return ExitCode::unusable;
  engine::Assessment judged = analyzed.assessment;
  if (options.ratchet.compares()) judged.verdict = ratchet.verdict();
  return exit_code_of(judged, diagnostics, options.analysis.allow_unknown);
}

int run(const AnalyzeOptions& options) {
  if (options.table == "headroom" && !options.headroom.wanted) return unusable("--table headroom requires --headroom");
  if (const auto possible = check_headroom(options.headroom, options.analysis); !possible)
    return code_of(possible.error());
  if (!check_output(options.output) || !check_trace(options.trace.path) ||
      !check_output(options.ratchet.write_accepted))
    return ExitCode::unusable;
  Diagnostics diagnostics, of_baseline;
  const auto known = analysis::read_known(options.ratchet, options.analysis, options.input.limits, of_baseline);
  if (!known) {
    print_findings(of_baseline);
    return code_of(known.error());
  }
  const auto model = load(options.input, diagnostics);
  auto prepared = model.and_then(
      [&](const Model& read) { return analysis::prepare(read, options.analysis, diagnostics).map_error(code_of); });
  std::unique_ptr<exporter::TraceWriter> trace;
  if (prepared && !options.trace.path.empty()) {
    trace = make_trace(options.trace, exporter::model_info(*model));
    if (!trace) return ExitCode::unusable;
    prepared->analysis.observer = trace.get();
  }
  auto analyzed = std::move(prepared).and_then([&](analysis::Prepared&& ready) {
    return analysis::results_of(std::move(ready), diagnostics)
        .and_then([&](analysis::Analyzed&& judged) {
          return analysis::with_proofs(*model, options.analysis, std::move(judged), diagnostics);
        })
        .map_error(code_of);
  });
  print_findings(diagnostics);
  const exporter::ResultFormat* format = exporter::find_result_format(options.format);
  if (!analyzed && format->render_findings != nullptr && !write_failure(options, *format, diagnostics))
    return ExitCode::unusable;
  if (!analyzed) return analyzed.error();
  if (!finish_trace(trace.get(), options.trace)) return ExitCode::unusable;
  std::optional<engine::Headroom> headroom;
  if (options.headroom.wanted) {
    LongWork long_work(LongWork::CtrlC::stops);
    headroom = find_headroom(options.headroom, *analyzed, analyzed->results, &long_work.work());
  }
  return write_results(options, *model, *analyzed, *known, headroom ? &*headroom : nullptr, diagnostics);
}

}  // namespace

void add_analyze(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* verb =
      app.add_subcommand("analyze", "Compute response times and verdicts of tasks, GPUs and resources");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  add_options(*verb, analysis::chain_options(options->analysis));
  add_options(*verb, analysis::certificates_option(options->analysis));
  add_options(*verb, analysis::headroom_options(options->headroom));
  add_options(*verb, analysis::ratchet_options(options->ratchet));
  std::vector<std::string> names;
  for (const auto& format : exporter::result_formats()) names.emplace_back(format.name);
  add_options(*verb, {row("format", &options->format, "Output format", {group::output}, {.choices = names})});
  add_output_option(*verb, options->output);
  add_trace_options(*verb, options->trace);
  std::vector<std::string> tables;
  for (const std::string_view table : exporter::result_tables()) tables.emplace_back(table);
  add_options(
      *verb,
      {row("table", &options->table, "Table that --format csv writes", rare(group::output), {.choices = tables}),
       row("metrics", &options->metrics,
           "Also print the time that tasks spend in each state. JSON and CSV always include it", rare(group::output)),
       row("verbose", &options->verbose,
           "Also print what every guarantee covers: offsets, orders of equally urgent tasks, lost activations. JSON "
           "and CSV always include it",
           rare(group::output), {.letter = 'v'})});
  describe(*verb,
           {"amalthea analyze --headroom model.amxmi", "amalthea analyze --format json -o results.json model.amxmi",
            "amalthea analyze --until 2s --trace trace.json model.amxmi   # for Perfetto"},
           verdict_exit_codes);
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
