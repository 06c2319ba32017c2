// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "analysis/comparison.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/measured_traces.hpp"
#include "cli/verbs.hpp"
#include "exporter/comparison/comparison_formats.hpp"

namespace amalthea::cli {
namespace {

struct CompareOptions {
  InputOptions input;
  analysis::ComparisonRequest request;
  bool allow_unknown = false;
  std::string output;
};

/// Without a model: what the trace contains.
int list(const CompareOptions& options) {
  const std::string &format = options.request.format, &path = options.input.models.front();
  if (path.ends_with(".amxmi")) return unusable("TRACE is missing; state traces after the model");
  if (format != "text" && format != "markdown")
    return unusable("--format " + format + " requires a model before the trace");
  Diagnostics diagnostics;
  const auto listed = while_reading([&](const traces::Progress& progress) {
                        return analysis::list_trace(path, options.request.columns, progress, diagnostics);
                      }).map_error(code_of);
  print_findings(diagnostics);
  if (!listed) return listed.error();
  const bool colour = options.output.empty() && use_colour();
  if (!write_output(options.output, exporter::render_listed_trace(*listed, format == "markdown", colour)))
    return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

int run(const CompareOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  if (options.request.trace_files.empty()) return list(options);
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto compared = model.and_then([&](const Model& read) {
    return while_reading([&](const traces::Progress& progress) {
             return analysis::compare(read, options.request, options.input.limits, progress, diagnostics);
           })
        .map_error(code_of);
  });
  print_findings(diagnostics);
  if (!compared) return compared.error();
  const bool colour = options.output.empty() && use_colour();
  if (!write_output(options.output, analysis::text_of(*compared, *model, diagnostics, options.request.format, colour)))
    return ExitCode::unusable;
  if (diagnostics.has_errors()) return ExitCode::findings;
  return exit_code_of(compared->assessment, diagnostics, options.allow_unknown);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "Hold traces of the real system against the model");
  verb->group(group::measured);
  add_measured_inputs(*verb, options->input, options->request, options->allow_unknown);
  verb->get_option("TRACE")->required(false);
  const analysis::OptionTable rows = analysis::comparison_options(options->request);
  add_options(*verb, analysis::picked(rows, {"runs", "seed"}));
  add_options(*verb, {row("format", &options->request.format,
                          "Output format. html: a page with the measured and the simulated schedule on one time axis",
                          {group::output}, {.choices = {"text", "json", "markdown", "html"}})});
  add_options(*verb, analysis::picked(rows, {"trace-events"}));
  add_output_option(*verb, options->output);
  describe(*verb,
           {"amalthea compare model.amxmi run.btf", "amalthea compare --format html -o run.html model.amxmi run.btf",
            "amalthea compare --names names.json model.amxmi run.btf"},
           "Exit codes:\n"
           "  0  every limit was met in the traces, and they contradict neither their\n"
           "     format nor the model\n"
           "  1  a limit was missed, or the traces contradict their format, the model\n"
           "     or a bound\n"
           "  2  wrong usage or unreadable input\n"
           "  4  the traces do not show whether a limit was met\n"
           "Without MODEL it lists the names of one trace.\n"
           "See docs/reference/compare.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
