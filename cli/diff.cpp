// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/change_effects.hpp"
#include "analysis/ratchet.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/streams.hpp"
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
  analysis::RatchetRequest ratchet;
  std::string format = "text";
  std::string output;
};

/// The models, in one release.
struct Models {
  std::vector<std::unique_ptr<Model>> read;
  std::vector<exporter::ModelInfo> infos;
  std::unique_ptr<analysis::ComparedModels> compared;
};

/// Nothing, and messages, if one cannot be read or converted.
std::optional<Models> models_of(const std::vector<std::string>& files, const importer::Limits& limits) {
  Models models;
  Diagnostics findings;
  std::vector<const Model*> all;
  for (const std::string& file : files) {
    auto model = load({{file}, limits}, findings);
    if (!model) {
      print_findings(findings);
      return std::nullopt;
    }
    models.read.push_back(std::make_unique<Model>(std::move(*model)));
    models.infos.push_back(exporter::model_info(*models.read.back()));
    all.push_back(models.read.back().get());
  }
  models.compared = std::make_unique<analysis::ComparedModels>(all);
  const auto& failed = models.compared->unconverted;
  if (!failed) return models;
  print_findings(models.compared->findings);
  complain(fmt::format("{} cannot be compared as AMALTHEA {}", all[*failed]->documents().front()->source().path(),
                       to_string(models.compared->release)));
  return std::nullopt;
}

int write(const DiffOptions& options, const exporter::DifferenceView& view, int exit_code) {
  const bool colour = use_colour() && is_standard_output(options.output);
  const auto* const format = exporter::find_difference_format(options.format);
  return write_output(options.output, format->render(view, colour)) ? exit_code : ExitCode::unusable;
}

int check_merge(const DiffOptions& options) {
  const auto models = models_of({options.base, options.older, options.newer}, options.limits);
  if (!models) return ExitCode::unusable;
  const analysis::ComparedModels& all = *models->compared;
  const auto ours = all.compare(0, 1), theirs = all.compare(0, 2);
  const auto conflicts = difference::conflicts(ours, theirs, all.release.version);
  std::vector<difference::Change> changes = ours.changes;
  changes.insert(changes.end(), theirs.changes.begin(), theirs.changes.end());
  const exporter::DifferenceView view{models->infos[0], models->infos[1], to_string(all.release), changes,
                                      nullptr,          &conflicts,       &models->infos[2]};
  return write(options, view, conflicts.empty() ? ExitCode::all_well : ExitCode::findings);
}

/// What got worse from OLD to NEW; what was renamed is the same.
exporter::Ratchet gated(const exporter::ChangeEffects& effects, const difference::Comparison& comparison,
                        const std::string& older, const analysis::Known& known) {
  std::vector<exporter::KnownLimit> before = exporter::known_limits(effects.before.assessment);
  for (exporter::KnownLimit& limit : before)
    for (const difference::Change& change : comparison.changes)
      if (change.kind == difference::Kind::renamed && change.before == limit.name) limit.name = change.after;
  exporter::Ratchet found = exporter::ratchet(exporter::known_limits(effects.after.assessment), before, known.accepted);
  found.baseline = older;
  return found;
}

int run(const DiffOptions& options) {
  if (options.gate && !options.timing) return unusable("--gate requires --timing");
  if (!options.ratchet.accepted.empty() && !options.gate) return unusable("--accepted requires --gate");
  if (options.timing && !options.base.empty())
    return unusable("--timing does not apply to the check of a merge (--base)");
  if (!check_output(options.output)) return ExitCode::unusable;
  if (!options.base.empty()) return check_merge(options);
  const auto resolved = analysis::resolve(options.analysis).map_error(code_of);
  if (!resolved) return resolved.error();
  Diagnostics findings;
  const auto known = read_known(options.ratchet, options.analysis, options.limits, findings).map_error(code_of);
  if (!known) return known.error();
  const auto models = models_of({options.older, options.newer}, options.limits);
  if (!models) return ExitCode::unusable;
  const auto comparison = models->compared->compare(0, 1);
  std::optional<exporter::ChangeEffects> effects;
  if (options.timing) {
    auto found = analysis::change_effects(*models->read[0], *models->read[1], comparison, resolved->options, findings);
    if (!found) {
      print_findings(findings);
      return unusable(found.error().message.empty() ? "--timing: a model cannot be analyzed" : found.error().text());
    }
    effects = std::move(*found);
  }
  const exporter::DifferenceView view{models->infos[0], models->infos[1], to_string(models->compared->release),
                                      comparison.changes, effects ? &*effects : nullptr};
  if (options.gate) {
    const exporter::Ratchet ratchet = gated(*effects, comparison, options.older, *known);
    for (const std::string& line : ratchet_lines(ratchet)) tell("{}\n", line);
    engine::Assessment judged = effects->after.assessment;
    judged.verdict = ratchet.verdict();
    return write(options, view, exit_code_of(judged, findings, options.analysis.allow_unknown));
  }
  return write(options, view, comparison.changes.empty() ? ExitCode::all_well : ExitCode::findings);
}

}  // namespace

void add_diff(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* verb = app.add_subcommand("diff", "Compare two states of a model, object by object");
  verb->group(group::understand);
  add_input(*verb, "OLD", options->older, "Model file or folder before the changes", model_files)->required();
  add_input(*verb, "NEW", options->newer, "Model file or folder after them", model_files)->required();
  add_options(
      *verb,
      {row("timing", &options->timing,
           "Also analyze both and show what the changes do to verdicts, bounds and demand, and the share of each part "
           "of the model",
           {group::analysis}),
       row("gate", &options->gate, "With --timing: fail only for what got worse", {group::verdict}),
       row("base", &options->base,
           "Check a three-way merge: OLD and NEW are changed versions of this model. Print the conflicts",
           {group::findings}, {.takes = "MODEL", .file = FileKind::read})});
  add_options(*verb, analysis::picked(analysis::ratchet_options(options->ratchet), {"accepted"}));
  add_analysis_options(*verb, options->analysis);
  add_options(*verb, analysis::chain_options(options->analysis));
  std::vector<std::string> names;
  for (const auto& format : exporter::difference_formats()) names.emplace_back(format.name);
  add_options(*verb, {row("format", &options->format, "Output format", {group::output}, {.choices = names})});
  add_output_option(*verb, options->output);
  add_options(*verb, analysis::limit_options(options->limits));
  describe(*verb,
           {"amalthea diff old.amxmi new.amxmi", "amalthea diff --timing old.amxmi new.amxmi",
            "amalthea diff --base common.amxmi ours.amxmi theirs.amxmi"},
           "Exit codes:\n"
           "  0  no differences; with --base, no conflicts\n"
           "  1  there are differences or conflicts\n"
           "  2  wrong usage or unreadable input\n"
           "With --timing --gate, those of amalthea analyze --baseline OLD NEW.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
