// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/change_effects.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "difference/comparison.hpp"
#include "difference/conflicts.hpp"
#include "exporter/differences/difference_formats.hpp"

namespace amalthea::cli {
namespace {

struct DiffOptions {
  std::string older, newer, base;
  importer::Limits limits;
  AnalysisInput analysis;
  bool timing = false;
  bool gate = false;
  std::string format = "text";
  std::string output;
};

/// The models, in one release.
class Comparables {
 public:
  /// False, and messages, if one cannot be read or converted.
  bool read(const std::vector<std::string>& files, const importer::Limits& limits) {
    Diagnostics findings;
    for (const std::string& file : files) {
      auto model = load({{file}, limits}, findings);
      if (!model) {
        print_findings(findings);
        return false;
      }
      models.push_back(std::make_unique<Model>(std::move(*model)));
      infos.push_back(exporter::model_info(*models.back()));
    }
    std::vector<const Model*> all;
    for (const auto& model : models) all.push_back(model.get());
    release = analysis::common_release(all);
    Diagnostics conversion;
    for (const auto& model : models) {
      states.push_back(std::make_unique<analysis::ComparableModel>(*model, release, conversion));
      if (states.back()->converted) continue;
      print_findings(conversion);
      return complain(fmt::format("{} cannot be compared as AMALTHEA {}", model->documents().front()->source().path(),
                                  to_string(release)));
    }
    return true;
  }
  difference::Comparison compare(std::size_t older, std::size_t newer) const {
    return difference::compare(states[older]->editable, states[newer]->editable, release.version);
  }

  std::vector<std::unique_ptr<Model>> models;
  std::vector<exporter::ModelInfo> infos;
  std::vector<std::unique_ptr<analysis::ComparableModel>> states;
  migration::Release release;
};

int write(const DiffOptions& options, const exporter::DifferenceView& view, int exit_code) {
  const bool colour = use_colour() && is_standard_output(options.output);
  const auto* const format = exporter::find_difference_format(options.format);
  return write_output(options.output, format->render(view, colour)) ? exit_code : ExitCode::unusable;
}

int check_merge(const DiffOptions& options) {
  Comparables models;
  if (!models.read({options.base, options.older, options.newer}, options.limits)) return ExitCode::unusable;
  const auto ours = models.compare(0, 1), theirs = models.compare(0, 2);
  const auto conflicts = difference::conflicts(ours, theirs, models.release.version);
  std::vector<difference::Change> changes = ours.changes;
  changes.insert(changes.end(), theirs.changes.begin(), theirs.changes.end());
  const exporter::DifferenceView view{models.infos[0], models.infos[1], to_string(models.release), changes,
                                      nullptr,         &conflicts,      &models.infos[2]};
  return write(options, view, conflicts.empty() ? ExitCode::all_well : ExitCode::findings);
}

int run(const DiffOptions& options) {
  if (options.gate && !options.timing) return unusable("--gate requires --timing");
  if (options.timing && !options.base.empty())
    return unusable("--timing does not apply to the check of a merge (--base)");
  if (!check_output(options.output)) return ExitCode::unusable;
  if (!options.base.empty()) return check_merge(options);
  const auto understood = understand(options.analysis);
  if (!understood) return ExitCode::unusable;
  Comparables models;
  if (!models.read({options.older, options.newer}, options.limits)) return ExitCode::unusable;
  const auto comparison = models.compare(0, 1);
  std::optional<exporter::ChangeEffects> effects;
  Diagnostics findings;
  if (options.timing) {
    auto found =
        analysis::change_effects(*models.models[0], *models.models[1], comparison, understood->options, findings);
    if (!found) {
      print_findings(findings);
      return unusable(found.error().message.empty() ? "--timing: a model cannot be analyzed" : found.error().message);
    }
    effects = std::move(*found);
  }
  const exporter::DifferenceView view{models.infos[0], models.infos[1], to_string(models.release), comparison.changes,
                                      effects ? &*effects : nullptr};
  if (options.gate) return write(options, view, exit_code_of(effects->after.assessment, findings, options.analysis));
  return write(options, view, comparison.changes.empty() ? ExitCode::all_well : ExitCode::findings);
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
  verb->add_flag("--gate", options->gate,
                 "With --timing: exit with the code of NEW's verdict. These are the codes of analyze")
      ->group(group::verdict);
  add_input(*verb, "--base", options->base,
            "Check a three-way merge: OLD and NEW are changed versions of this model. Print the conflicts")
      ->type_name("MODEL")
      ->group(group::findings);
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
            "amalthea diff --base common.amxmi ours.amxmi theirs.amxmi"},
           "Exit codes:\n"
           "  0  no differences; with --base, no conflicts\n"
           "  1  there are differences or conflicts\n"
           "  2  wrong usage or unreadable input\n"
           "With --timing --gate, those of amalthea analyze for NEW.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
