// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/validation.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/findings/finding_formats.hpp"
#include "exporter/primitives/splice.hpp"
#include "lsp/fixes.hpp"

namespace amalthea::cli {
namespace {

struct ValidateOptions {
  InputOptions input;
  analysis::ValidationRequest request;
  std::string format = "text";
  std::string output;
  bool fix = false;
  bool fix_deadlines = false;
};

/// Corrects the files of the model; an exit code if that is impossible. A model that cannot be read has nothing to fix.
std::optional<int> fix(const ValidateOptions& options) {
  const InputOptions& input = options.input;
  Diagnostics findings;
  const auto model = load(input, findings);
  if (!model) return std::nullopt;
  static_cast<void>(analysis::validate(*model, {}, findings));
  lsp::SafeFixes safe = lsp::safe_fixes(*model, findings);
  if (options.fix_deadlines) lsp::exchange_swapped_deadlines(*model, safe);
  std::vector<Target> targets;
  std::vector<std::string> texts;
  for (const Target& target : targets_of(*model)) {
    const auto& document = *model->documents()[targets.size()];
    if (target.zipped || is_standard_output(target.input))
      return unusable(fmt::format("--fix changes model files, and {} is none", target.input));
    targets.push_back(target);
    targets.back().output = target.input;
    texts.push_back(exporter::apply(document, safe.splices));
  }
  if (safe.fixed.empty()) return std::nullopt;
  if (const auto written = write_texts(targets, texts, input.limits); !written) return code_of(written.error());
  for (const auto& [finding, text] : safe.fixed)
    tell("{}:{}:{}: fixed: \"{}\"{}\n", finding.location.file, finding.location.line, finding.location.column, text,
         finding.id.empty() ? ", exchanged" : fmt::format(" [{}]", finding.id));
  return std::nullopt;
}

int run(const ValidateOptions& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  if (options.fix)
    if (const auto failed = fix(options)) return *failed;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const bool passes = model && analysis::validate(*model, options.request, diagnostics);

  std::vector<Diagnostic> findings;
  std::copy_if(diagnostics.all().begin(), diagnostics.all().end(), std::back_inserter(findings), is_shown);
  exporter::sort_findings(findings);
  const exporter::ModelInfo info =
      model ? exporter::model_info(*model) : exporter::ModelInfo{options.input.models, "", ""};
  const exporter::FindingView view{info,
                                   findings,
                                   diagnostics.all().size() - findings.size(),
                                   std::filesystem::current_path().string(),
                                   analysis::failing(options.request),
                                   is_terminal(options.output),
                                   use_colour()};
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
  add_options(*verb, {row("fix", &options->fix,
                          "Correct the model files where a finding has one safe remedy, then check them. No other byte "
                          "changes",
                          {group::findings}),
                      row("fix-deadlines", &options->fix_deadlines,
                          "With --fix: also exchange the deadlines of two tasks that look swapped", {group::findings},
                          {.needs = "fix"})});
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
