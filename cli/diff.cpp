// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/change_effects.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "exporter/differences/difference_formats.hpp"

namespace amalthea::cli {
namespace {

struct DiffOptions {
  std::string older, newer;
  importer::Limits limits;
  AnalysisInput analysis;
  bool timing = false;
  bool gate = false;
  std::string format = "text";
  std::string output;
};

int run(const DiffOptions& options) {
  if (options.gate && !options.timing) return unusable("--gate requires --timing");
  if (!check_output(options.output)) return ExitCode::unusable;
  const auto understood = understand(options.analysis);
  if (!understood) return ExitCode::unusable;
  Diagnostics findings;
  const auto older = load({{options.older}, options.limits}, findings);
  const auto newer = older ? load({{options.newer}, options.limits}, findings) : tl::unexpected(older.error());
  if (!older || !newer) {
    print_findings(findings);
    return ExitCode::unusable;
  }
  const analysis::ComparedModels compared(*older, *newer);
  if (!compared.comparable) {
    print_findings(compared.findings);
    return unusable("the models cannot be compared as one AMALTHEA version");
  }
  std::optional<exporter::ChangeEffects> effects;
  if (options.timing) {
    Diagnostics timing_findings;
    auto found = analysis::change_effects(*older, *newer, compared.comparison, understood->options, timing_findings);
    if (!found) {
      print_findings(timing_findings);
      return unusable(found.error().message.empty() ? "--timing: a model cannot be analyzed" : found.error().message);
    }
    effects = std::move(*found);
  }
  const auto before = exporter::model_info(*older), after = exporter::model_info(*newer);
  const exporter::DifferenceView view{before, after, to_string(compared.release), compared.comparison.changes,
                                      effects ? &*effects : nullptr};
  const bool colour = use_colour() && is_standard_output(options.output);
  if (!write_output(options.output, exporter::find_difference_format(options.format)->render(view, colour)))
    return ExitCode::unusable;
  if (options.gate) return exit_code_of(effects->after.assessment, options.analysis);
  return compared.comparison.changes.empty() ? ExitCode::all_well : ExitCode::findings;
}

}  // namespace

void add_diff(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* verb = app.add_subcommand("diff", "Compare two states of a model, object by object");
  verb->group(group::understand);
  add_input(*verb, "OLD", options->older, "Model file or folder before the changes", model_files)->required();
  add_input(*verb, "NEW", options->newer, "Model file or folder after them", model_files)->required();
  verb->add_flag("--timing", options->timing,
                 "Also analyze both and show what the changes do to verdicts, bounds and demand, and the share of each "
                 "part of the model")
      ->group(group::analysis);
  verb->add_flag("--gate", options->gate, "With --timing: exit with the code of NEW's verdict, as analyze does")
      ->group(group::verdict);
  add_analysis_options(*verb, options->analysis);
  add_chain_options(*verb, options->analysis);
  std::vector<std::string> names;
  for (const auto& format : exporter::difference_formats()) names.emplace_back(format.name);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember(names))
      ->capture_default_str()
      ->group(group::output);
  add_output_option(*verb, options->output);
  add_limit_options(*verb, options->limits);
  describe(*verb,
           {"amalthea diff old.amxmi new.amxmi", "amalthea diff --timing old.amxmi new.amxmi",
            "amalthea diff --timing --format markdown -o review.md old.amxmi new.amxmi"},
           "Exit codes:\n"
           "  0  no differences\n"
           "  1  there are differences\n"
           "  2  wrong usage or unreadable input\n"
           "With --timing --gate, those of amalthea analyze for NEW.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
