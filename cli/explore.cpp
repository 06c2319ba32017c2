// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <memory>
#include <set>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "analysis/plan.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/progress.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/exploration/exploration_formats.hpp"

namespace amalthea::cli {
namespace {

struct ExploreOptions {
  InputOptions input;
  analysis::ExplorationRequest request;
  bool allow_unknown = false;
  std::string format = "text";
  std::string output;
  std::string mapping_output;
  std::string report;
};

/// Whether every task has a unique name, as a mapping file requires.
bool can_be_named(const std::string& path, const System& system) {
  std::set<std::string> names;
  for (const exporter::MappingEntry& entry : exporter::mapping_entries(system))
    if (!names.insert(entry.task).second)
      return complain(
          fmt::format("cannot write {}: several tasks are named \"{}\"; rename all but one", path, entry.task));
  return true;
}

/// Whether files of the model can express a mapping at all.
bool can_be_remapped(const Model& model) {
  for (const auto& document : model.documents())
    if (document->itea() != IteaRelease::none)
      return complain(fmt::format("{} is an {} model, but only AMALTHEA {} and later can be written; convert it first",
                                  document->source().path(), document->version_text(), to_string(oldest_version)));
  return true;
}

/// The search, with progress. Ctrl-C ends it with what it has by then.
analysis::Outcome<analysis::Explored> run_search(analysis::Exploration& exploration, Diagnostics& diagnostics) {
  std::atomic<std::uint64_t> judged = 0;
  std::atomic<std::size_t> late = 0;
  LongWork long_work(LongWork::CtrlC::stops, StatusLine::Log::yes, [&] {
    const std::uint64_t now = judged;
    const std::uint64_t of = std::max(exploration.request.candidates, now);  // more while it searches for a conflict
    return fmt::format("{} of {} candidates evaluated; best so far: {} tasks without a guarantee", now, of,
                       late == 0 ? std::string("no") : std::to_string(late));
  });
  analysis::ExplorationWatch watch;
  watch.work = &long_work.work();
  watch.progress = [&](std::uint64_t now, std::size_t fewest) {
    judged = now;
    late = fewest;
  };
  watch.failed = [](const std::string& text) { complain(text); };
  return analysis::explore(exploration, watch, diagnostics);
}

/// The changed files of the model, and the mapping file, as far as they are asked for; returns 0, or the exit code.
int write_mapping(const ExploreOptions& options, const std::vector<Target>& targets,
                  const analysis::Exploration& exploration, const System& after, Diagnostics& diagnostics) {
  if (!options.output.empty()) {
    const auto written =
        analysis::remapped_texts(exploration, after, diagnostics)
            .and_then([&](const auto& texts) { return write_texts(targets, texts, options.input.limits); })
            .map_error(code_of);
    print_findings(diagnostics);
    if (!written) return written.error();
  } else {
    print_findings(diagnostics);
  }
  if (!options.mapping_output.empty() &&
      !write_output(options.mapping_output, exporter::render_mapping_file(exporter::mapping_entries(after))))
    return ExitCode::unusable;
  return 0;
}

/// The plan, and the files with those of its changes that can be written; returns the exit code.
int write_plan(const Model& read, const ExploreOptions& options, const std::vector<Target>& targets,
               const analysis::Exploration& exploration, Diagnostics& diagnostics) {
  const auto planned = analysis::plan(exploration, diagnostics);
  if (!planned) {
    print_findings(diagnostics);
    return code_of(planned.error());
  }
  if (const int code = write_mapping(options, targets, exploration, planned->after, diagnostics); code != 0)
    return code;
  const engine::Assessment* const after = planned->assessment ? &*planned->assessment : nullptr;
  if (options.output != "-" &&
      !write_output("", options.format == "json"
                            ? exporter::render_plan_json(planned->plan, after, exporter::model_info(read))
                            : exporter::render_plan_text(planned->plan, after, use_colour())))
    return ExitCode::unusable;
  return after == nullptr ? ExitCode::findings : exit_code_of(*after, diagnostics, options.allow_unknown);
}

/// Writes everything; returns the exit code.
int write_all(const Model& read, const ExploreOptions& options, const std::vector<Target>& targets,
              const analysis::Exploration& exploration, const analysis::Explored& explored, Diagnostics& diagnostics) {
  const auto chosen = analysis::chosen_mapping(exploration, explored, diagnostics);
  const exporter::ModelInfo info = exporter::model_info(read);
  const auto view = analysis::view_of(info, exploration, explored, chosen);
  if (const int code = write_mapping(options, targets, exploration, chosen.after, diagnostics); code != 0) return code;
  if (!options.report.empty() && !write_output(options.report, exporter::render_exploration_report(view)))
    return ExitCode::unusable;
  // With -o - the model replaces the text output.
  if (options.output != "-" &&
      !write_output("", options.format == "json" ? exporter::render_exploration_json(view)
                                                 : exporter::render_exploration_text(view, use_colour())))
    return ExitCode::unusable;
  if (!chosen.keeps_limits || !chosen.assessment) return ExitCode::findings;
  return exit_code_of(*chosen.assessment, chosen.findings, options.allow_unknown);
}

int run(const ExploreOptions& options) {
  if (!check_output(options.mapping_output) || !check_output(options.report) ||
      !check_output(options.request.checkpoint))
    return ExitCode::unusable;
  Diagnostics diagnostics, of_compared;
  const auto model = load(options.input, diagnostics);
  std::vector<Target> targets;
  if (model && !options.output.empty()) {
    targets = targets_of(*model);
    if (!can_be_remapped(*model) || !place_targets(targets, options.input.models, options.output, InPlace::yes))
      return ExitCode::unusable;
  }
  if (!model) {
    print_findings(diagnostics);
    return model.error();
  }
  const auto stopped = [&](const analysis::Failure& failure) {
    if (failure.message.empty()) print_findings(diagnostics);
    return code_of(failure);
  };
  auto exploration =
      analysis::prepare_exploration(*model, options.request, options.input.limits, diagnostics, of_compared);
  print_findings(of_compared);
  if (!exploration) return stopped(exploration.error());
  for (const std::string& note : exploration->notes)
    if (!is_quiet()) tell("amalthea: note: {}\n", note);
  if (!options.mapping_output.empty() && !can_be_named(options.mapping_output, exploration->search.problem.system))
    return ExitCode::unusable;
  if (options.request.plan) return write_plan(*model, options, targets, *exploration, diagnostics);
  const auto explored = run_search(*exploration, diagnostics);
  if (!explored) return stopped(explored.error());
  if (!options.request.shard.empty()) {
    print_findings(diagnostics);
    if (explored->interrupted)
      tell("amalthea: warning: interrupted; the checkpoint has the walks that were finished\n");
    return explored->interrupted ? ExitCode::interrupted : ExitCode::all_well;
  }
  const int code = write_all(*model, options, targets, *exploration, *explored, diagnostics);
  return explored->interrupted && code != ExitCode::unusable ? ExitCode::interrupted : code;
}

}  // namespace

void add_explore(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App* verb = app.add_subcommand("explore", "Search for a mapping that meets all deadlines");
  verb->group(group::improve);
  add_input_options(*verb, options->input);
  add_options(*verb, analysis::search_options(options->request));
  add_judging_options(*verb, analysis::simulation_options(options->request), options->allow_unknown);
  const analysis::OptionTable all = analysis::exploration_options(options->request);
  add_options(*verb, analysis::picked(all, {"chain"}));
  add_options(*verb,
              {row("format", &options->format, "Output format", rare(group::output), {.choices = {"text", "json"}})});
  add_options(*verb, analysis::picked(all, {"solution"}));
  add_output(*verb, "--mapping-out", options->mapping_output, "Write the mapping to this file. --mapping reads it", {},
             verb->get_option("--mapping"))
      ->type_name("FILE")
      ->group(group::output);
  add_options(*verb, {row("report", &options->report, "Compare before and after in this Markdown file", {group::output},
                          {.takes = "FILE", .file = FileKind::written, .excludes = {"plan"}})});
  add_options(*verb, analysis::picked(all, {"compare"}));
  add_output(*verb, "-o,--output", options->output,
             "Write the model with the new mapping to this file. Or to a folder for several files. Nothing else "
             "changes. It may be the model itself. Files keep their names in a folder; - writes the model to standard "
             "output and omits the text",
             {}, verb->get_option("MODEL"))
      ->type_name("PATH")
      ->group(group::output);
  add_options(*verb, analysis::walk_options(options->request));
  describe(*verb,
           {"amalthea explore model.amxmi", "amalthea explore --keep offloading,waiting -o better.amxmi model.amxmi",
            "amalthea explore --pin Monitor=Core --candidates 5000 model.amxmi"},
           "Exit codes:\n"
           "  0  the search found a mapping that meets or guarantees every limit\n"
           "  1  it found none, no mapping can meet a deadline, or the model has an error\n"
           "  2  wrong usage, unreadable input or unwritable output\n"
           "  4  something that limits timing could not be judged\n"
           "See docs/reference/verdicts.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
