// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/measured_traces.hpp"
#include "cli/model_output.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/rewriting/calibration.hpp"

namespace amalthea::cli {
namespace {

struct CalibrateOptions {
  InputOptions input;
  AnalysisInput analysis;
  MeasuredTraces traces;
  std::string form = "statistics";
  double percentile = 100;
  double margin = 0;
  bool isolated = false;
  bool stimuli = false;
  bool copies = false;
  bool check = false;
  std::string output;
};

exporter::CalibrationRequest request_of(const CalibrateOptions& options) {
  exporter::CalibrationRequest request;
  using Form = exporter::CalibrationForm;
  request.form = options.form == "histogram" ? Form::histogram
                 : options.form == "gauss"   ? Form::gauss
                 : options.form == "beta"    ? Form::beta
                                             : Form::statistics;
  request.percentile = std::llround(options.percentile * 10);
  request.margin = options.margin;
  request.isolated = options.isolated;
  for (const std::string& path : options.traces.paths)
    request.traces.push_back(std::filesystem::path(path).filename().string());
  return request;
}

int run(const CalibrateOptions& options) {
  if (options.output.empty() && !options.check)
    return unusable("--output is missing; state where to write the model, or use --check to see what would change");
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  if (!model) {
    print_findings(diagnostics);
    return model.error();
  }
  auto targets = targets_of(*model);
  if (!options.check && !place_targets(targets, options.input.models, options.output, InPlace::yes))
    return ExitCode::unusable;
  auto prepared = analysis::prepare(*model, options.analysis, diagnostics).map_error(code_of);
  if (!prepared) {
    print_findings(diagnostics);
    return prepared.error();
  }
  const auto measured = read_measured_traces(options.traces, *prepared, nullptr, diagnostics);
  if (!measured) {
    print_findings(diagnostics);
    return measured.error();
  }
  exporter::Measurement what{traces::measured_ticks(prepared->system, prepared->analysis, *measured)};
  if (options.copies) what.accesses = traces::measured_accesses(prepared->system, prepared->analysis, *measured);
  if (options.stimuli) what.arrivals = traces::measured_arrivals(prepared->system, *measured);
  const auto calibration = exporter::calibrate(*model, prepared->system, what, request_of(options), diagnostics);
  print_findings(diagnostics);
  if (!calibration) return ExitCode::unusable;
  if (calibration->changes.empty() && calibration->stimuli.empty() && calibration->accesses.empty())
    return unusable(
        "the traces contain no complete run of a runnable or kernel of the model; use --names to state what "
        "the names of the trace are in the model");
  print_text(exporter::render_calibration(*calibration, use_colour()));
  if (!output_is_written()) return ExitCode::unusable;
  if (!options.check) {
    for (std::size_t index = 0; index < targets.size(); ++index) {
      const Document& document = *model->documents()[index];
      const auto splices = calibration->splices.find(document.position());
      const std::string text = splices == calibration->splices.end()
                                   ? std::string(document.source().bytes())
                                   : exporter::apply(document.source().bytes(), splices->second);
      if (!write_target(
              targets[index], [&](const auto& write) { write(text); }, options.input.limits))
        return ExitCode::unusable;
    }
  }
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb = app.add_subcommand("calibrate", "Write measured times into the model and change nothing else");
  verb->group(group::measured);
  add_measured_inputs(*verb, options->input, options->traces, options->analysis);
  add_options(*verb,
              {row("form", &options->form,
                   "How to state execution times. statistics: bounds and average; histogram; gauss and beta: "
                   "distributions with the measured mean and deviation between the bounds",
                   {group::calibration}, {.choices = {"statistics", "histogram", "gauss", "beta"}}),
               row("percentile", &options->percentile,
                   "Percentile of the measured times that becomes the upper bound. 100: the maximum",
                   rare(group::calibration), {.range = RealRange{0.1, 100.0}}),
               row("margin", &options->margin, "Percent to add to the upper bound", {group::calibration},
                   {.range = RealRange{0.0, 1000.0}}),
               row("isolated", &options->isolated,
                   "The measured times contain no contention. Nothing else ran then, and the analysis adds it. By "
                   "default the times of kernels contain it, and their gpu.memoryIntensity becomes 0",
                   {group::calibration}),
               row("copies", &options->copies,
                   "Also scale the latencies with which GPUs access memories, so that copies take their measured times",
                   rare(group::calibration)),
               row("stimuli", &options->stimuli,
                   "Also write period, offset and jitter of periodic stimuli, and the distances of sporadic ones",
                   {group::calibration}),
               row("check", &options->check, "Show what would change and write nothing", {group::output})});
  add_output(*verb, "-o,--output", options->output,
             "Calibrated model, or a folder for several files. It may be the model itself. Files keep their names in a "
             "folder",
             {}, verb->get_option("MODEL"))
      ->type_name("PATH")
      ->group(group::output);
  describe(
      *verb,
      {"amalthea calibrate -o calibrated.amxmi model.amxmi run.btf", "amalthea calibrate --check model.amxmi run.btf",
       "amalthea calibrate --form histogram --stimuli -o new.amxmi model.amxmi run.btf"},
      "Exit codes:\n"
      "  0  written, or shown with --check\n"
      "  1  the model has an error, or the traces contradict their format or the\n"
      "     model; what they show is written nevertheless\n"
      "  2  wrong usage, unreadable input, unwritable output, or nothing measured\n"
      "See docs/reference/compare.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
