// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/core.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "amalthea/primitives/visible_text.hpp"
#include "batch/batch.hpp"
#include "batch/summary.hpp"
#include "batch/tree_conversion.hpp"
#include "cli/batch_verbs.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/progress.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/findings/result_findings.hpp"
#include "exporter/findings/sarif_log.hpp"
#include "exporter/primitives/junit.hpp"
#include "exporter/primitives/new_file.hpp"
#include "exporter/primitives/text_table.hpp"
#include "exporter/results/result_formats.hpp"

namespace amalthea::cli {
namespace {

struct BatchOptions {
  batch::BatchRequest asked;
  bool allow_unknown = false;
  bool list = false;
  std::vector<std::string> summaries;
  std::string sarif;
  std::string format = "json";
  std::string fail_on = "unknown";
  std::string verb = "analyze";
  std::string with;
  std::string into;
};

/// The words of --with; quotes join words.
std::vector<std::string> words_in(const std::string& text) { return CLI::detail::split_up(text); }

/// For each model the file that such a verb writes, or the folder for the files of a split model.
using Outputs = std::map<batch::ModelFiles, std::string>;

/// The tree below --into is that of the paths. nullopt: a message was printed.
std::optional<Outputs> place_outputs(const BatchOptions& options, const std::vector<batch::ModelFiles>& models) {
  namespace fs = std::filesystem;
  // A manifest names its files from the current folder.
  std::vector<std::string> paths = options.asked.paths;
  paths.emplace_back(".");
  const auto placed = batch::place_models(paths, models);
  if (!placed) {
    complain(placed.error());
    return std::nullopt;
  }
  const bool report = options.verb == "report";
  Outputs outputs;
  for (const batch::TreeModel& model : *placed) {
    const fs::path first = fs::path(options.into) / model.places.front();
    for (const std::string& place : model.places) {
      const std::string file = (fs::path(options.into) / place).string();
      if (!will_write({"--into", report ? file + ".html" : file})) return std::nullopt;
      if (report) break;
    }
    const bool folder = !report && model.files.size() > 1;
    outputs[model.files] = report ? first.string() + ".html" : (folder ? first.parent_path() : first).string();
  }
  return outputs;
}

/// A line as the findings and limits that pipelines show.
struct Judged {
  nlohmann::ordered_json results;
  std::string file;  ///< the first of the model
};
Judged judged_in(const std::string& line) {
  auto json = nlohmann::ordered_json::parse(line);
  std::string file = json["files"][0].get<std::string>();
  return {json.contains("results") ? std::move(json["results"]) : std::move(json), std::move(file)};
}

/// All findings of a batch and one for every late task, model by model in order, those of each sorted; they are written
/// immediately.
class FindingsFile {
 public:
  /// "" for none. False: an error was printed.
  bool open(const std::string& path) {
    if (path.empty()) return true;
    auto file = exporter::NewFile::create(path);
    if (!file) {
      complain(file.error());
      return false;
    }
    file_ = std::make_unique<exporter::NewFile>(std::move(*file));
    log_ = std::make_unique<exporter::SarifLog>(
        exporter::SarifLog::Run{{}, true, std::filesystem::current_path().string()},
        [this](std::string_view text) { file_->write(text); });
    return true;
  }
  void add(const std::string& line) {
    if (!log_) return;
    const auto [results, file] = judged_in(line);
    for (Diagnostic& finding : exporter::findings_of_results(results, file)) {
      if (finding.location.file.empty()) finding.location.file = file;  // GitHub refuses results without a place
      log_->add(finding);
    }
  }
  bool close() {
    if (!log_) return true;
    log_->end();
    const auto written = file_->commit();
    if (!written) complain(written.error());
    return written.has_value();
  }

 private:
  std::unique_ptr<exporter::NewFile> file_;
  std::unique_ptr<exporter::SarifLog> log_;
};

/// A line as --format shows it on standard output.
std::string shown_line(const std::string& line, const std::string& format) {
  if (format == "json") return line + "\n";
  const auto [results, file] = judged_in(line);
  if (format == "text") {
    std::string text;
    for (const Diagnostic& finding : exporter::findings_of_results(results, file))
      if (is_shown(finding)) text += amalthea::format(finding) + "\n";
    return text;
  }
  return format == "junit" ? exporter::junit_suite_of(results, file) : exporter::github_commands(results, file);
}

int code_for(const batch::Totals& totals, const std::string& fail_on, bool allow_unknown) {
  using batch::ModelVerdict;
  if (fail_on == "never") return ExitCode::all_well;
  if (totals.of(ModelVerdict::failed) > 0) return ExitCode::findings;
  if (fail_on == "failed") return ExitCode::all_well;
  if (totals.of(ModelVerdict::unbounded) > 0) return ExitCode::findings;
  if (fail_on == "unbounded") return ExitCode::all_well;
  if (totals.of(ModelVerdict::missed) > 0) return ExitCode::findings;
  const bool unknown = fail_on == "unknown" && !allow_unknown && totals.of(ModelVerdict::unknown) > 0;
  return unknown ? ExitCode::unknown : ExitCode::all_well;
}

std::optional<std::vector<batch::ModelFiles>> read_models(const BatchOptions& options) {
  auto models = batch::models_of(options.asked);
  if (!models) {
    complain(models.error().text());
    return std::nullopt;
  }
  if (!options.into.empty()) {
    std::erase_if(*models, [&](const auto& files) { return batch::is_below(files.front(), options.into); });
    if (models->empty()) {
      complain(fmt::format("--into {}: all models are below this folder", options.into));
      return std::nullopt;
    }
  }
  for (const batch::ModelFiles& files : *models)
    for (const std::string& file : files)
      if (!will_read({"PATH", file})) return std::nullopt;
  return std::move(*models);
}

bool outputs_are_possible(const BatchOptions& options) {
  for (const std::string& path : options.summaries)
    if (!batch::is_summary_file(path)) {
      complain(
          fmt::format("--summary {}: expected a name that ends with .md, .html, .txt, .csv, .db or .sqlite{}", path,
                      did_you_mean(path.substr(std::min(path.rfind('.'), path.size())),
                                   std::array<std::string_view, 6>{".md", ".html", ".txt", ".csv", ".db", ".sqlite"})));
      return false;
    }
  for (const std::string& path : options.summaries)
    if (!check_output(path)) return false;
  for (const std::string& path : options.summaries)
    if (options.asked.output.empty() && (path.ends_with(".db") || path.ends_with(".sqlite"))) {
      complain(fmt::format("--summary {} requires -o FILE, because its table of tasks is read from that file", path));
      return false;
    }
  return check_output(options.asked.output) && check_output(options.sarif);
}

int run(const BatchOptions& options) {
  const std::string& output = options.asked.output;
  auto models = read_models(options);
  if (!models) return ExitCode::unusable;
  if (options.list) {
    const auto list = batch::manifest_text(*models);
    if (!list) return unusable(list.error());
    // Byte by byte, for --manifest; nobody reads a terminal that way.
    const bool shown = is_standard_output(output) && ::isatty(STDOUT_FILENO) != 0;
    return write_data(output, shown ? visible_text(*list) : *list) ? ExitCode::all_well : ExitCode::unusable;
  }
  if (!outputs_are_possible(options)) return ExitCode::unusable;
  if (options.verb == "analyze" && !options.with.empty())
    return unusable("--with requires --verb; the options of analyze are options of batch");
  if (writes_files(options.verb) != !options.into.empty())
    return unusable(writes_files(options.verb)
                        ? fmt::format("--verb {} requires --into FOLDER for its files", options.verb)
                        : "--into applies to --verb convert and --verb report only");
  if (!options.into.empty() && !options.asked.cache.empty())
    return unusable("--cache keeps lines, not the files below --into; use --resume");
  const std::vector<std::string> with = words_in(options.with);
  if (options.verb == "convert" && std::find(with.begin(), with.end(), "--to") == with.end())
    return unusable("--verb convert requires a version: --with \"--to 3.3.0\"");
  Outputs outputs;
  if (writes_files(options.verb)) {
    auto placed = place_outputs(options, *models);
    if (!placed) return ExitCode::unusable;
    outputs = std::move(*placed);
  }
  if ((options.verb == "explore" || writes_files(options.verb)) && options.format != "json")
    return unusable(
        fmt::format("--format {} requires another --verb, because {} judges no limits", options.format, options.verb));
  auto prepared = batch::prepare_batch(options.asked, std::move(*models));
  if (!prepared) return code_of(prepared.error());
  batch::BatchOptions& work = *prepared;
  if (options.verb != "analyze") {
    work.options += fmt::format("\n--verb {} --with {}", options.verb, options.with);
    if (!options.into.empty()) work.options += fmt::format("\n--into {}", options.into);
    work.analyze = [body = batch_verb(options.verb, with), &outputs](const batch::ModelFiles& files) {
      return body(files, outputs[files]);
    };
  }
  batch::Summary summary(work.models);
  FindingsFile findings;
  if (!findings.open(options.sarif)) return ExitCode::unusable;
  StatusLine status(StatusLine::Log::yes);
  // With -o, standard output has the summary, unless --format asks for something else.
  const bool prints_models = output.empty() || options.format != "json";
  if (options.format == "junit") print_text(exporter::junit_begin());
  work.done = [&](const batch::Record& record, const std::string& line) {
    summary.add(record);
    findings.add(line);
    if (!prints_models) return;
    status.clear();
    print_text(visible_text(shown_line(line, options.format)));
    flush_output();
  };
  work.damaged = [&](const batch::ModelFiles& files) {
    status.clear();
    tell("amalthea: warning: {}: what {} kept of it is damaged; it is analyzed again\n", visible_text(files.front()),
         options.asked.cache.empty() ? "the log" : "the log or the cache");
  };
  work.progress = [&](std::size_t done, std::size_t of, std::size_t known) { show_models(status, done, of, known); };
  if (const auto done = batch::run_batch(work); !done) return unusable(done.error());
  status.clear();
  if (options.format == "junit") print_text(exporter::junit_end());

  if (!prints_models || !is_quiet())
    batch::summary_text(summary, !prints_models && use_colour(), [&](std::string_view text) {
      if (prints_models)
        tell_text(text);
      else
        print_summary(use_colour() ? exporter::visible_painted_text(text) : visible_text(text));
    });
  if (prints_models && options.format == "json" && !is_quiet() && ::isatty(STDOUT_FILENO) != 0)
    tell("amalthea: note: use -o FILE to write the lines of JSON to a file and see only this table\n");
  if (!findings.close()) return ExitCode::unusable;
  for (const std::string& path : options.summaries)
    if (const auto written = batch::write_summary(path, summary, output); !written) return unusable(written.error());
  return code_for(summary.totals(), options.fail_on, options.allow_unknown);
}

struct MergeOptions {
  std::vector<std::string> parts;
  std::string output;
};

int merge(const MergeOptions& options) {
  if (options.output.empty()) {
    const auto merged =
        batch::merge_parts(options.parts, [](std::string_view line) { print_text(visible_text(line)); });
    if (!merged) return unusable(merged.error());
    return ExitCode::all_well;
  }
  auto file = exporter::NewFile::create(options.output);
  if (!file) return unusable(file.error());
  const auto merged = batch::merge_parts(options.parts, [&file](std::string_view line) { file->write(line); });
  if (!merged) return unusable(merged.error());
  const auto written = file->commit();
  return written ? ExitCode::all_well : unusable(written.error());
}

}  // namespace

void add_batch(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* verb = app.add_subcommand("batch", "Analyze many models and write one line of JSON per model");
  verb->group(group::many);
  add_input(*verb, "PATH", options->asked.paths, "Models, or folders that contain models at any depth");
  add_options(*verb,
              {row("manifest", &options->asked.manifest, "File that lists the models, one per line. --list writes one",
                   rare(group::run), {.takes = "FILE", .file = FileKind::read}),
               row("list", &options->list, "Only list the models, as a manifest", rare(group::run)),
               row("verb", &options->verb, "What to do with each model. --with passes options to it", rare(group::run),
                   {.choices = {"analyze", "validate", "simulate", "explore", "convert", "report"}}),
               row("with", &options->with, "Options of --verb, such as \"--runs 1000 --seed 5\"", rare(group::run),
                   {.takes = "OPTIONS"})});
  add_folder(*verb, "--into", options->into, "Folder for the files that --verb convert or --verb report writes")
      ->type_name("FOLDER")
      ->group(rarely(group::run));
  add_options(*verb, batch::process_options(options->asked));
  add_folder(*verb, "--cache", options->asked.cache, "Folder that keeps results of unchanged models")
      ->type_name("FOLDER")
      ->group(group::run);
  add_options(
      *verb,
      {row("fail-on", &options->fail_on,
           "Mildest outcome that makes the exit code 1. The exit code is 4 if models are unknown and none is worse",
           rare(group::run), {.choices = {"unknown", "missed", "unbounded", "failed", "never"}})});
  add_output_option(*verb, options->asked.output, {".partial", ".lock"});
  add_options(*verb,
              {row("summary", &options->summaries,
                   "Also write the summary to this file. The extension selects the format: .md, .html, .txt, or .db or "
                   ".sqlite for an SQLite database; may be repeated",
                   {group::output}, {.takes = "FILE", .file = FileKind::written}),
               row("format", &options->format,
                   "What to print on standard output. json: the lines, or with -o the summary; text: findings and "
                   "violated limits, one per line; junit: JUnit XML with one suite per model; github: workflow "
                   "commands of GitHub Actions",
                   rare(group::output), {.choices = {"json", "text", "junit", "github"}}),
               row("sarif", &options->sarif, "Also write all findings and late tasks to this file, as SARIF 2.1.0",
                   rare(group::output), {.takes = "FILE", .file = FileKind::written})});
  add_judging_options(*verb, analysis::analysis_options(options->asked.analysis), options->allow_unknown);
  add_options(*verb, analysis::chain_options(options->asked.analysis));
  add_finding_options(*verb);
  add_options(*verb, analysis::limit_options(options->asked.limits));
  describe(*verb,
           {"amalthea batch models -o results.jsonl", "amalthea batch models -o results.jsonl --summary summary.html",
            "amalthea batch models -o results.jsonl --resume"},
           "Exit codes:\n"
           "  0  no outcome of a model reaches --fail-on\n"
           "  1  the outcome of a model reaches --fail-on\n"
           "  2  wrong usage or unwritable output\n"
           "  4  models are unknown and none is worse (docs/reference/batch.md)");

  auto merge_options = std::make_shared<MergeOptions>();
  CLI::App* parts = verb->add_subcommand("merge", "Join the results of all --shard parts into those of one batch");
  parts->group("Verbs");
  add_input(*parts, "PART", merge_options->parts, "Files that batch --shard wrote")->required();
  add_output_option(*parts, merge_options->output);
  describe(*parts, {"amalthea batch merge part1.jsonl part2.jsonl",
                    "amalthea batch merge part1.jsonl part2.jsonl -o results.jsonl",
                    "amalthea batch merge part*.jsonl -o results.jsonl"});
  set_run(*parts, exit_code, [merge_options] {
    if (is_standard_output(merge_options->output)) merge_options->output.clear();
    return merge(*merge_options);
  });
  set_run(*verb, exit_code, [options] {
    if (is_standard_output(options->asked.output)) options->asked.output.clear();
    return run(*options);
  });
}

}  // namespace amalthea::cli
