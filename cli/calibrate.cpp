// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "analysis/calibration.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/measured_traces.hpp"
#include "cli/model_output.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "importer/reading/file_bytes.hpp"

namespace amalthea::cli {
namespace {

struct CalibrateOptions {
  InputOptions input;
  analysis::CalibrationRequest request;
  bool allow_unknown = false;  ///< accepted as by other verbs; the exit code states no verdict
  bool check = false;
  std::string output;
};

/// The text of the only input, if that is a scenario of streams instead of a model.
std::optional<std::string> scenario_in(const std::vector<std::string>& inputs) {
  if (inputs.size() != 1) return std::nullopt;
  auto text = importer::read_bytes(inputs.front());
  const std::size_t first = text ? text->find_first_not_of(" \t\r\n") : std::string::npos;
  if (first == std::string::npos || (*text)[first] != '{') return std::nullopt;
  return std::move(*text);
}

int run_on_scenario(const CalibrateOptions& options, const std::string& text) {
  if (!options.check && !check_output(options.output)) return ExitCode::unusable;
  const auto calibrated = while_reading([&](const traces::Progress& progress) {
    return analysis::calibrate_scenario(options.input.models.front(), text, options.request, progress);
  });
  if (!calibrated) return code_of(calibrated.error());
  if (!calibrated->unmatched.empty())
    tell("amalthea: note: the scenario has no duration of {}; use --names to state what these are\n",
         fmt::join(calibrated->unmatched, ", "));
  if (calibrated->changes.durations.empty())
    return unusable("the traces contain no execution of a kernel or copy of the scenario");
  print_text(exporter::render_calibration(calibrated->changes, use_colour()));
  if (!output_is_written() || (!options.check && !write_data(options.output, calibrated->text)))
    return ExitCode::unusable;
  return ExitCode::all_well;
}

int run(const CalibrateOptions& options) {
  if (options.output.empty() && !options.check)
    return unusable("--output is missing; state where to write the model, or use --check to see what would change");
  if (const auto scenario = scenario_in(options.input.models)) return run_on_scenario(options, *scenario);
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  std::vector<Target> targets;
  if (model) targets = targets_of(*model);
  if (!options.check && model && !place_targets(targets, options.input.models, options.output, InPlace::yes))
    return ExitCode::unusable;
  const auto calibrated = model.and_then([&](const Model& read) {
    return while_reading([&](const traces::Progress& progress) {
             return analysis::calibrate(read, options.request, progress, diagnostics);
           })
        .map_error(code_of);
  });
  print_findings(diagnostics);
  if (!calibrated) return calibrated.error();
  const exporter::Calibration& changes = calibrated->changes;
  if (changes.changes.empty() && changes.stimuli.empty() && changes.accesses.empty())
    return unusable(
        "the traces contain no complete run of a runnable or kernel of the model; use --names to state what "
        "the names of the trace are in the model");
  print_text(exporter::render_calibration(changes, use_colour()));
  if (!output_is_written()) return ExitCode::unusable;
  if (!options.check)
    if (const auto written = write_texts(targets, calibrated->texts, options.input.limits); !written)
      return code_of(written.error());
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_calibrate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* verb = app.add_subcommand("calibrate", "Write measured times into the model and change nothing else");
  verb->group(group::measured);
  add_measured_inputs(*verb, options->input, options->request, options->allow_unknown);
  const analysis::OptionTable rows = analysis::calibration_options(options->request);
  add_options(*verb, analysis::picked(rows, {"form", "percentile", "margin", "isolated", "copies", "stimuli"}));
  add_options(*verb, {row("check", &options->check, "Show what would change and write nothing", {group::output})});
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
