// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "batch/model_list.hpp"
#include "cli/compared_mappings.hpp"
#include "cli/complaint.hpp"
#include "cli/exploration_input.hpp"
#include "cli/file_options.hpp"
#include "cli/first_mapping.hpp"
#include "cli/help.hpp"
#include "cli/model_output.hpp"
#include "cli/progress.hpp"
#include "cli/remapped_model.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/exploration/exploration_formats.hpp"
#include "exporter/exploration/walk_parts.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/primitives/write_file.hpp"
#include "importer/reading/file_bytes.hpp"

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
  std::string shard;
  std::vector<std::string> merge;
  std::string checkpoint;
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

/// What all results depend on.
std::string key_of(const ExploreOptions& options, const Model& model, const std::string& files) {
  const ExplorationInput& search = options.exploration;
  std::string text =
      fmt::format("{} {}\n{}\nlimits {}{}\n{}", exporter::tool_name, exporter::tool_version,
                  exporter::hash_of_model(model), words_of(options.input.limits), files, words_of(search));
  for (const auto& [name, value] : words_of(options.analysis)) text += fmt::format("\n{} {}", name, value);
  return exporter::hash_of_text(text);
}

/// Adds the walks of a file; false, and a message, if it is none of this search or repeats a walk.
bool read_part(const std::string& path, const std::string& key, std::size_t tasks,
               std::vector<explore::WalkRecord>& walks) {
  const auto text = importer::read_bytes(path);
  if (!text) return complain(fmt::format("{}: {}", path, text.error()));
  auto part = exporter::parse_walk_part(*text, tasks);
  if (!part) return complain(fmt::format("{}: {}", path, part.error()));
  if (part->key != key)
    return complain(
        fmt::format("{}: the part belongs to another model, or to other options or another version of amalthea", path));
  for (explore::WalkRecord& walk : part->walks) {
    if (std::any_of(walks.begin(), walks.end(), [&](const auto& other) { return other.number == walk.number; }))
      return complain(fmt::format("{}: walk {} is in several parts", path, walk.number + 1));
    walks.push_back(std::move(walk));
  }
  return true;
}

/// The walks of a search, or of a part of it.
struct Walks {
  std::string key;
  std::vector<std::size_t> numbers;           ///< those to make
  std::vector<explore::WalkRecord> finished;  ///< from a checkpoint or from parts
  bool is_part = false;                       ///< of a search that several processes share
};

/// Nothing, and a message, if an option does not fit.
std::optional<Walks> walks_of(const ExploreOptions& options, const Model& model, const std::string& files,
                              std::size_t tasks) {
  Walks walks{key_of(options, model, files), {}, {}, !options.shard.empty()};
  for (const std::string& path : options.merge)
    if (!read_part(path, walks.key, tasks, walks.finished)) return std::nullopt;
  std::error_code error;
  if (!options.checkpoint.empty() && std::filesystem::exists(options.checkpoint, error) &&
      !read_part(options.checkpoint, walks.key, tasks, walks.finished))
    return std::nullopt;
  batch::Shard shard;
  if (walks.is_part) {
    const auto parsed = batch::parse_shard(options.shard);
    if (!parsed || options.checkpoint.empty()) {
      complain(parsed ? "--shard requires --checkpoint FILE, in which the part is written"
                      : fmt::format("--shard {}", parsed.error()));
      return std::nullopt;
    }
    shard = *parsed;
  }
  std::string missing;
  for (std::size_t number = 0; number < explore::walk_count; ++number) {
    const bool known = std::any_of(walks.finished.begin(), walks.finished.end(),
                                   [&](const auto& walk) { return walk.number == number; });
    if (known || !shard.has(number)) continue;
    walks.numbers.push_back(number);
    missing += fmt::format("{}{}", missing.empty() ? "" : ", ", number + 1);
  }
  if (options.merge.empty() || walks.numbers.empty()) return walks;
  complain(fmt::format("--merge: the parts lack walks {} of {}", missing, explore::walk_count));
  return std::nullopt;
}

/// False, and a message, if the file cannot be written.
bool write_part(const std::string& path, const Walks& walks) {
  if (path.empty()) return true;
  const auto done = exporter::write_file(path, exporter::render_walk_part({walks.key, walks.finished}));
  return done || complain(done.error());
}

std::optional<explore::Exploration> run_search(Search& search, Walks& walks, const std::string& checkpoint,
                                               Diagnostics& diagnostics, bool& interrupted) {
  std::atomic<std::uint64_t> judged = 0;
  std::atomic<std::size_t> late = 0;
  const std::uint64_t candidates = search.options.candidates;
  LongWork long_work(LongWork::CtrlC::stops, StatusLine::Log::yes, [&] {
    const std::uint64_t now = judged, of = std::max(candidates, now);  // more while it searches for a conflict
    return fmt::format("{} of {} candidates evaluated; best so far: {} late tasks", now, of,
                       late == 0 ? std::string("no") : std::to_string(late));
  });
  search.options.analysis.work = &long_work.work();
  search.options.progress = [&](std::uint64_t now, std::size_t fewest) {
    judged = now;
    late = fewest;
  };
  try {
    for (explore::WalkRecord& walk :
         explore::walk(search.problem, search.options, walks.numbers, [&](const explore::WalkRecord& done) {
           if (checkpoint.empty()) return;
           walks.finished.push_back(done);
           write_part(checkpoint, walks);
         }))
      if (std::none_of(walks.finished.begin(), walks.finished.end(),
                       [&](const auto& known) { return known.number == walk.number; }))
        walks.finished.push_back(std::move(walk));
    if (walks.is_part) {
      interrupted = long_work.was_interrupted();
      return std::nullopt;
    }
    auto exploration = explore::conclude(search.problem, search.options, walks.finished);
    long_work.end();
    interrupted = long_work.was_interrupted();
    search.options.analysis.work = nullptr;
    if (interrupted)
      diagnostics.add("AM0571", Severity::warning,
                      fmt::format("the search was interrupted after {} of {} mappings; it may have missed better ones",
                                  exploration.judged, candidates));
    else if (exploration.is_cut)
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

/// The model with the mapping of `after`.
bool write_model(const Model& model, const ExploreOptions& options, const std::vector<Target>& targets,
                 const System& after, Diagnostics& diagnostics) {
  const auto texts =
      remapped_texts(model, options.analysis.build.keep_wrappers, after, options.input.limits, diagnostics);
  if (!texts) return false;
  return write_targets(
      targets, [&](std::size_t i) { return [&, i](const auto& write) { write((*texts)[i]); }; }, options.input.limits);
}

bool write_mapping(const std::string& path, const System& after) {
  return can_be_named(path, after) &&
         write_output(path, exporter::render_mapping_file(exporter::mapping_entries(after)));
}

/// Writes everything; returns the exit code.
int write_all(const Model& read, const MappedModel* mapped, const ExploreOptions& options,
              const std::vector<Target>& targets, const Search& search, const explore::Exploration& exploration,
              const std::vector<exporter::ComparedMapping>& compared, Diagnostics& diagnostics) {
  const explore::Solution& chosen = exploration.front[options.solution - 1];
  const auto after = explore::applied(search.problem, chosen.candidate);
  if (!after) throw std::logic_error("a solution cannot be applied to the model");
  std::vector<exporter::ExplorationObjective> objectives;
  for (const explore::Objective& objective : search.options.objectives)
    objectives.push_back({explore::describe(search.problem.system, objective), explore::unit_of(objective)});
  const exporter::ModelInfo info = exporter::model_info(read);
  std::optional<engine::Assessment> assessment;
  Diagnostics analyzing = diagnostics;
  if (const auto results = engine::analyze(*after, search.options.analysis, analyzing))
    assessment = engine::assess(*after, *results, analyzing);
  const exporter::ExplorationView view{info,
                                       search.problem.system,
                                       *after,
                                       exploration,
                                       objectives,
                                       options.solution - 1,
                                       compared,
                                       assessment ? &*assessment : nullptr,
                                       mapped != nullptr ? &mapped->created : nullptr};
  const bool written = options.output.empty() ||
                       write_model(mapped != nullptr ? mapped->model : read, options, targets, *after, diagnostics);
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
  return exit_code_of(*assessment, analyzing, options.analysis);
}

int run(const ExploreOptions& options) {
  if (!check_output(options.mapping_output) || !check_output(options.report) || !check_output(options.checkpoint))
    return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  std::vector<Target> targets;
  if (model && !options.output.empty()) {
    targets = targets_of(*model);
    if (!can_be_remapped(*model) || !place_targets(targets, options.input.models, options.output, InPlace::yes))
      return ExitCode::unusable;
  }
  const auto understood = understand(options.analysis);
  if (!understood) return ExitCode::unusable;
  const std::optional<MappedModel> mapped =
      model ? map_unmapped_tasks(*model, options.analysis.build.keep_wrappers, options.input.limits, diagnostics)
            : std::nullopt;
  const std::size_t reading = diagnostics.all().size();
  const auto prepared = model.and_then(
      [&](const Model& read) { return prepare_analysis(mapped ? mapped->model : read, *understood, diagnostics); });
  if (!prepared) {
    print_findings(mapped ? mapped->in_files(diagnostics, reading) : diagnostics);
    return prepared.error();
  }
  const Model& subject = mapped ? mapped->model : *model;
  auto search = make_search(subject, options.analysis, *prepared, options.exploration, diagnostics);
  if (mapped) diagnostics = mapped->in_files(diagnostics, reading);
  if (!search || !check_solution(options.solution, search->options.objectives.size()) ||
      (!options.mapping_output.empty() && !can_be_named(options.mapping_output, search->problem.system)))
    return ExitCode::unusable;
  const auto compared = compared_mappings(options.compare, subject, options.input.limits, options.analysis, *search);
  if (!compared) return ExitCode::unusable;
  bool interrupted = false;
  auto walks = walks_of(options, *model, understood->files, search->problem.system.tasks.size());
  if (!walks) return ExitCode::unusable;
  const auto exploration = run_search(*search, *walks, options.checkpoint, diagnostics, interrupted);
  if (walks->is_part && !diagnostics.has_errors()) {
    print_findings(diagnostics);
    if (interrupted) tell("amalthea: warning: interrupted; the checkpoint has the walks that were finished\n");
    if (interrupted) return ExitCode::interrupted;
    return write_part(options.checkpoint, *walks) ? ExitCode::all_well : ExitCode::unusable;
  }
  if (!interrupted && !options.checkpoint.empty()) {
    std::error_code error;
    std::filesystem::remove(options.checkpoint, error);
  }
  if (!exploration || exploration->front.empty()) {
    print_findings(diagnostics);
    return ExitCode::findings;
  }
  if (options.solution > exploration->front.size()) {
    complain(fmt::format("--solution {}: the largest number is {}", options.solution, exploration->front.size()));
    return ExitCode::unusable;
  }
  const int code =
      write_all(*model, mapped ? &*mapped : nullptr, options, targets, *search, *exploration, *compared, diagnostics);
  return interrupted && code != ExitCode::unusable ? ExitCode::interrupted : code;
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
  CLI::Option* shard = verb->add_option("--shard", options->shard,
                                        "Do only the I-th of N parts of the search, at most 8, and leave it in "
                                        "--checkpoint. --merge joins the parts")
                           ->type_name("I/N")
                           ->group(rarely(group::run));
  add_input(*verb, "--merge", options->merge,
            "Join this part, with the same options, instead of searching. May be repeated")
      ->type_name("PART")
      ->allow_extra_args(false)
      ->excludes(shard)
      ->group(rarely(group::run));
  add_output(*verb, "--checkpoint", options->checkpoint,
             "Keep the finished parts of the search in this file. The same command goes on from there; at the end it "
             "removes the file")
      ->type_name("FILE")
      ->group(rarely(group::run));
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
