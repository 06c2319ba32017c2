// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "analysis/validation.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/shown_findings.hpp"
#include "cli/verbs.hpp"
#include "exporter/findings/finding_formats.hpp"

namespace amalthea::cli {
namespace {

struct ValidateOptions {
  InputOptions input;
  analysis::ValidationRequest request;
  std::string format = "text";
  std::string output;
};

int run(const ValidateOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const bool passes = model && analysis::validate(*model, options.request, diagnostics);

  std::vector<Diagnostic> findings;
  std::copy_if(diagnostics.all().begin(), diagnostics.all().end(), std::back_inserter(findings), is_shown);
  exporter::sort_findings(findings);
  const exporter::ModelInfo info =
      model ? exporter::model_info(*model) : exporter::ModelInfo{options.input.models, "", ""};
  const exporter::FindingView view{info, findings, diagnostics.all().size() - findings.size(),
                                   std::filesystem::current_path().string(), analysis::failing(options.request)};
  if (!write_output(options.output, exporter::find_finding_format(options.format)->render(view)))
    return ExitCode::unusable;
  if (!model) return model.error();
  return passes ? ExitCode::all_well : ExitCode::findings;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* verb = app.add_subcommand("validate", "Check a model for errors, missing timing data and design flaws");
  verb->group(group::understand);
  add_input_options(*verb, options->input);
  add_options(*verb, analysis::validation_options(options->request));
  std::vector<std::string> names;
  for (const auto& format : exporter::finding_formats()) names.emplace_back(format.name);
  add_options(*verb, {row("format", &options->format, "Output format", {group::output}, {.choices = names})});
  add_output_option(*verb, options->output);
  describe(*verb,
           {"amalthea validate model.amxmi", "amalthea validate --fail-on warning model.amxmi",
            "amalthea validate --format sarif -o findings.sarif model.amxmi"},
           "Exit codes:\n"
           "  0  no finding has the severity of --fail-on or a higher one\n"
           "  1  there is such a finding\n"
           "  2  wrong usage or unreadable input");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
