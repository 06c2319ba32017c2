// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/compared_mappings.hpp"
#include "cli/complaint.hpp"
#include "cli/exploration_input.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/model_output.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/primitives/splice.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "exporter/rewriting/remapping.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::cli {
namespace {

struct ExploreOptions {
  InputOptions input;
  AnalysisInput analysis;
  ExplorationInput exploration;
  std::string format = "text";
  std::size_t solution = 1;
  std::string output;
  std::string mapping_output;
  std::string report;
  std::vector<std::string> compare;
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

/// Checks as far as possible before the search.
bool check_solution(std::size_t solution, std::size_t objectives) {
  const std::size_t most = objectives == 1 ? 1 : explore::max_solutions;
  return solution <= most ||
         complain(fmt::format("--solution {}: the largest number is {}", solution,
                              most == 1 ? "1, because there is one objective" : std::to_string(most)));
}

/// Whether files of the model can express a mapping at all.
bool can_be_remapped(const Model& model) {
  for (const auto& document : model.documents())
    if (document->itea() != IteaRelease::none)
      return complain(fmt::format("{} is an {} model, but only AMALTHEA {} and later can be written; convert it first",
                                  document->source().path(), document->version_text(), to_string(oldest_version)));
  return true;
}

std::optional<explore::Exploration> run_search(Search& search, Diagnostics& diagnostics) {
  StatusLine status(StatusLine::Log::yes);
  const std::uint64_t candidates = search.options.candidates;
  search.options.progress = [&status, candidates](std::uint64_t judged, std::size_t late) {
    if (!status.is_due()) return;
    const std::uint64_t of = std::max(candidates, judged);  // more while it searches for a conflict
    status.show(fmt::format("{} of {} candidates evaluated; best so far: {} late tasks", judged, of,
                            late == 0 ? std::string("no") : std::to_string(late)));
  };
  try {
    auto exploration = explore::explore(search.problem, search.options);
    if (exploration.is_cut)
      diagnostics.add(
          "AM0570", Severity::warning,
          fmt::format("the search ended after {} steps, with {} mappings judged; to judge more of {}, raise "
                      "--search-steps",
                      exploration.steps, exploration.judged, candidates));
    return exploration;
  } catch (const std::overflow_error&) {
    engine::report_time_overflow(diagnostics);
    return std::nullopt;
  }
}

/// The text of a file of the model with the new mapping, without annotations: those are for the old mapping.
std::optional<std::string> unannotated_text(const Document& document, std::string text, const importer::Limits& limits,
                                            Diagnostics& diagnostics) {
  if (!exporter::is_annotated(document)) return text;
  exporter::report_dropped_annotations(document, diagnostics);
  Diagnostics known;  // for example of references to the other files
  const auto read = importer::read_model_from_bytes(document.source().path(), std::move(text), limits, known);
  if (!read) return std::nullopt;
  return exporter::strip(*read->documents().front());
}

/// The model with the mapping of `after`.
bool write_model(const Model& model, const ExploreOptions& options, const std::vector<Target>& targets,
                 const System& after, Diagnostics& diagnostics) {
  Diagnostics known;  // already reported
  importer::BuildOptions build;
  build.keep_wrappers = options.analysis.build.keep_wrappers;
  const auto before = importer::build_system(model, build, known);
  if (!before)
    return complain(
        "the mapping cannot be written, because the model cannot be analyzed without --map; correct it first");
  const auto splices = exporter::remap(model, *before, after, diagnostics);
  if (!splices) return false;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Document& document = *model.documents()[i];
    const auto found = splices->find(document.position());
    auto text = unannotated_text(document,
                                 found == splices->end() ? std::string(document.source().bytes())
                                                         : exporter::apply(document.source().bytes(), found->second),
                                 options.input.limits, diagnostics);
    if (!text)
      return complain(fmt::format("cannot write {}: the file would exceed the limits on input (--max-size and others)",
                                  targets[i].output));
    texts.push_back(std::move(*text));
  }
  return write_targets(
      targets, [&](std::size_t i) { return [&, i](const auto& write) { write(texts[i]); }; }, options.input.limits);
}

bool write_mapping(const std::string& path, const System& after) {
  return can_be_named(path, after) &&
         write_output(path, exporter::render_mapping_file(exporter::mapping_entries(after)));
}

/// Writes everything except standard output; returns the exit code.
int write_all(const Model& model, const ExploreOptions& options, const std::vector<Target>& targets,
              const Search& search, const explore::Exploration& exploration,
              const std::vector<exporter::ComparedMapping>& compared, Diagnostics& diagnostics) {
  const explore::Solution& chosen = exploration.front[options.solution - 1];
  const auto after = explore::applied(search.problem, chosen.candidate);
  if (!after) throw std::logic_error("a solution cannot be applied to the model");
  std::vector<exporter::ExplorationObjective> objectives;
  for (const explore::Objective& objective : search.options.objectives)
    objectives.push_back({explore::describe(search.problem.system, objective),
                          std::holds_alternative<explore::ChainLatency>(objective)});
  const exporter::ModelInfo info = exporter::model_info(model);
  std::optional<engine::Assessment> assessment;
  Diagnostics analyzing = diagnostics;
  if (const auto results = engine::analyze(*after, search.options.analysis, analyzing))
    assessment = engine::assess(*after, *results, analyzing);
  const exporter::ExplorationView view{
      info,       search.problem.system, *after,   exploration,
      objectives, options.solution - 1,  compared, assessment ? &*assessment : nullptr};
  const bool written = options.output.empty() || write_model(model, options, targets, *after, diagnostics);
  print_findings(diagnostics);
  if (!written) return diagnostics.has_errors() ? ExitCode::findings : ExitCode::unusable;
  if (!options.mapping_output.empty() && !write_mapping(options.mapping_output, *after)) return ExitCode::unusable;
  if (!options.report.empty() && !write_output(options.report, exporter::render_exploration_report(view)))
    return ExitCode::unusable;
  // With -o - the model replaces the text output.
  if (options.output != "-" &&
      !write_output("", options.format == "json" ? exporter::render_exploration_json(view)
                                                 : exporter::render_exploration_text(view, use_colour())))
    return ExitCode::unusable;
  const bool kept = chosen.judgement.late.empty() && chosen.judgement.broken == 0 && exploration.impossible.empty();
  if (!kept || !assessment) return ExitCode::findings;
  return exit_code_of(*assessment, options.analysis);
}

int run(const ExploreOptions& options) {
  if (!check_output(options.mapping_output) || !check_output(options.report)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  std::vector<Target> targets;
  if (model && !options.output.empty()) {
    targets = targets_of(*model);
    if (!can_be_remapped(*model) || !place_targets(targets, options.input.models, options.output, InPlace::yes))
      return ExitCode::unusable;
  }
  const auto prepared =
      model.and_then([&](const Model& read) { return prepare_analysis(read, options.analysis, diagnostics); });
  if (!prepared) {
    print_findings(diagnostics);
    return prepared.error();
  }
  auto search = make_search(*model, options.analysis, *prepared, options.exploration, diagnostics);
  if (!search || !check_solution(options.solution, search->options.objectives.size()) ||
      (!options.mapping_output.empty() && !can_be_named(options.mapping_output, search->problem.system)))
    return ExitCode::unusable;
  const auto compared = compared_mappings(options.compare, *model, options.input.limits, options.analysis, *search);
  if (!compared) return ExitCode::unusable;
  const auto exploration = run_search(*search, diagnostics);
  if (!exploration || exploration->front.empty()) {
    print_findings(diagnostics);
    return ExitCode::findings;
  }
  if (options.solution > exploration->front.size()) {
    complain(fmt::format("--solution {}: the largest number is {}", options.solution, exploration->front.size()));
    return ExitCode::unusable;
  }
  return write_all(*model, options, targets, *search, *exploration, *compared, diagnostics);
}

}  // namespace

void add_explore(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App* verb = app.add_subcommand("explore", "Search for a mapping that meets all deadlines");
  verb->group(group::improve);
  add_input_options(*verb, options->input);
  add_exploration_options(*verb, options->exploration);
  add_simulation_options(*verb, options->analysis);
  add_chain_option(*verb, options->analysis);
  verb->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str()
      ->group(rarely(group::output));
  verb->add_option("--solution", options->solution, "Solution of the Pareto front to show and write, counted from 1")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str()
      ->group(rarely(group::output));
  add_output(*verb, "--mapping-out", options->mapping_output, "Write the mapping to this file. --mapping reads it", {},
             verb->get_option("--mapping"))
      ->type_name("FILE")
      ->group(group::output);
  add_output(*verb, "--report", options->report, "Compare before and after in this Markdown file")
      ->type_name("FILE")
      ->group(group::output);
  add_input(*verb, "--compare", options->compare,
            "Also show another mapping. A mapping file (*.json) or a model with the same tasks; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(rarely(group::output));
  add_output(*verb, "-o,--output", options->output,
             "Write the model with the new mapping to this file. Or to a folder for several files. Nothing else "
             "changes. It may be the model itself. Files keep their names in a folder; - writes the model to standard "
             "output and omits the text",
             {}, verb->get_option("MODEL"))
      ->type_name("PATH")
      ->group(group::output);
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
