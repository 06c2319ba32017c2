// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "analysis/conversion.hpp"
#include "analysis/new_model.hpp"
#include "batch/tree_conversion.hpp"
#include "cli/batch_verbs.hpp"
#include "cli/complaint.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/progress.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/models/model_exports.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  InputOptions input;
  analysis::ConversionRequest conversion;
  std::string output;
  std::string table;
  std::string report;
  bool check = false;
  bool tree = false;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  double time_limit = 600;
  std::uint64_t memory_limit = 4096;
  bool resume = false;
};

/// The files of the converted model: names may have changed, and files may have been added.
std::vector<Target> converted_targets(const Model& model, const analysis::Conversion& conversion) {
  const std::vector<Target> all = targets_of(model);
  std::vector<Target> targets;
  for (const EditableModel::File& file : conversion.editable.files()) {
    const Element element = file.root->element();
    Target target = element ? all[element.document().position()] : all.front();
    target.name = fs::path(file.path).filename().string();
    target.zipped = target.zipped && element;
    targets.push_back(std::move(target));
  }
  return targets;
}

analysis::Outcome<void> write_files(const analysis::Conversion& conversion, const std::vector<Target>& targets,
                                    const importer::Limits& limits) {
  const auto text = [&](std::size_t i) -> Pieces {
    const Object& root = *conversion.editable.files()[i].root;
    return [&](const auto& write) { migration::write(root, conversion.to, write); };
  };
  return write_targets(targets, text, limits);
}

bool write_report(const ConvertOptions& options, const analysis::Conversion& conversion, const Model& model) {
  if (options.report.empty() && !options.check) return true;
  const auto report = analysis::report_of(conversion, model);
  const bool json = fs::path(options.report).extension() == ".json";
  return write_output(options.report == "-" ? "" : options.report,
                      json ? exporter::render_conversion_json(report) : exporter::render_conversion_text(report));
}

int convert_version(const ConvertOptions& options, const Model& model, migration::Release to) {
  const analysis::Conversion conversion(model, to, options.conversion.places);
  print_findings(conversion.findings);
  auto targets = converted_targets(model, conversion);
  const bool writes = conversion.done && !options.check;
  if (writes && !place_targets(targets, options.input.models, options.output, InPlace::no)) return ExitCode::unusable;
  if (!write_report(options, conversion, model)) return ExitCode::unusable;
  if (!conversion.done) {
    if (conversion.record.obstacle_count() > 0)
      tell(
          "amalthea: error: {} cannot hold this model; nothing was written. Change the elements that the errors name, "
          "or convert to a newer version\n",
          migration::to_string(to));
    return ExitCode::findings;
  }
  if (!writes) return ExitCode::all_well;
  const auto written = write_files(conversion, targets, options.input.limits);
  return written ? ExitCode::all_well : code_of(written.error());
}

// ---- many models

/// All inputs of a conversion that succeeded, except the model.
std::string in_words(const ConvertOptions& options) {
  return fmt::format("to {} check {} places {}", options.conversion.to, options.check, options.conversion.places);
}

}  // namespace

analysis::Outcome<void> write_converted(const analysis::Conversion& conversion, const Model& model,
                                        const std::string& output, const importer::Limits& limits) {
  auto targets = converted_targets(model, conversion);
  const bool whole = targets.size() == 1 && model.documents().size() == 1;
  const fs::path folder = model.documents().size() > 1 ? fs::path(output) : fs::path(output).parent_path();
  for (Target& target : targets) target.output = whole ? output : (folder / target.name).string();
  return write_files(conversion, targets, limits);
}

namespace {

std::string convert_one(const ConvertOptions& options, migration::Release to, const batch::TreeModel& tree_model) {
  nlohmann::ordered_json line;
  const auto failed = [&](const std::vector<Diagnostic>& findings, std::string_view otherwise) {
    const auto error = std::find_if(findings.begin(), findings.end(),
                                    [](const Diagnostic& finding) { return finding.severity == Severity::error; });
    line["status"] = "failed";
    line["error"] = error != findings.end() ? format(*error) : std::string(otherwise);
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  };
  Diagnostics diagnostics;
  const auto model = load({tree_model.files, options.input.limits}, diagnostics);
  if (!model) return failed(diagnostics.all(), "the model cannot be read");
  const analysis::Conversion conversion(*model, to, options.conversion.places);
  if (!conversion.done) return failed(conversion.findings.all(), "the model cannot be converted");
  auto targets = converted_targets(*model, conversion);
  line["status"] = "converted";
  for (Target& target : targets) {
    const auto file = std::find(tree_model.files.begin(), tree_model.files.end(), target.input);
    if (file == tree_model.files.end()) return failed({}, "a file is listed under another name");
    const fs::path place(tree_model.places[static_cast<std::size_t>(file - tree_model.files.begin())]);
    target.output = (fs::path(options.output) / place.parent_path() / target.name).string();
    if (!options.check && !will_write({"-o", target.output}))
      return failed({}, fmt::format("{} would take the place of another file", target.output));
    line["outputs"].push_back(target.output);
  }
  if (!options.check && !write_files(conversion, targets, options.input.limits))
    return failed({}, "the converted model cannot be written");
  if (options.check) line["outputs"] = nlohmann::ordered_json::array();
  line.update(
      nlohmann::ordered_json::parse(exporter::render_conversion_json(analysis::report_of(conversion, *model), true)));
  line.erase("schema");
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int convert_tree(const ConvertOptions& options, migration::Release to) {
  auto models = batch::find_models(options.input.models, options.input.limits.max_file_size);
  if (!models) return unusable(models.error());
  std::erase_if(*models, [&](const auto& files) { return batch::is_below(files.front(), options.output); });
  if (models->empty()) return unusable("there is no model below these paths; expected folders with .amxmi files");
  for (const batch::ModelFiles& files : *models)
    for (const std::string& file : files)
      if (!will_read({"MODEL", file})) return ExitCode::unusable;
  auto placed = batch::place_models(options.input.models, std::move(*models));
  if (!placed) return unusable(placed.error());
  std::error_code error;
  fs::create_directories(options.output, error);
  if (!fs::is_directory(options.output))
    return unusable(
        fmt::format("cannot write {}: expected a folder, not a file, for the converted tree", options.output));
  batch::TreeConversion work;
  work.models = std::move(*placed);
  work.log = (fs::path(options.output) / "convert.jsonl").string();
  for (const char* ending : {"", ".partial", ".lock"})
    if (!will_write({"-o", work.log + ending})) return ExitCode::unusable;
  work.resume = options.resume;
  work.options = in_words(options);
  work.max_bytes = options.input.limits.max_file_size;
  work.at_once = options.jobs;
  work.limits.time = std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit * 1000));
  if (options.memory_limit > 0) work.limits.memory = options.memory_limit << 20U;
  work.convert = [&](const batch::TreeModel& model) { return convert_one(options, to, model); };
  StatusLine status(StatusLine::Log::yes);
  work.progress = [&](std::size_t done, std::size_t of, std::size_t known) { show_models(status, done, of, known); };
  const auto totals = batch::convert_tree(work);
  if (!totals) return unusable(totals.error());
  status.clear();
  print_summary(fmt::format("{} converted, {} unchanged, {} failed; details are in {}\n", totals->converted,
                            totals->unchanged, totals->failed, work.log));
  return totals->failed > 0 ? ExitCode::findings : ExitCode::all_well;
}

// ---- other formats

int convert_form(const ConvertOptions& options, const Model& model, const exporter::ModelExport& form) {
  exporter::ModelExportOptions export_options{options.table};
  if (!options.table.empty() && !form.tables)
    return unusable(fmt::format("--table applies to .csv output only, not to {}", form.extension));
  if (form.tables && (options.table.empty() || options.table == "tasks"))
    export_options.execution = analysis::execution_times(model);
  Diagnostics diagnostics;
  const Target target{{}, {}, options.output, false};
  const auto text = [&](std::size_t) -> Pieces {
    return [&](const auto& write) { form.write(model, export_options, diagnostics, write); };
  };
  const auto written = write_targets({target}, text, options.input.limits).map_error(code_of);
  print_findings(diagnostics);
  return written ? ExitCode::all_well : written.error();
}

// ---- tools of others

int convert_for_peer(const ConvertOptions& options, const exporter::PeerFormat& format) {
  if (options.output.empty() || (format.folder && is_standard_output(options.output)))
    return unusable(format.folder ? "expected -o FOLDER, for the files of all cores" : "expected -o OUT");
  if (options.check || options.tree || !options.report.empty())
    return unusable(
        fmt::format("--check, --report and --tree apply to version conversion only, not to {}", format.name));
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto files = model ? analysis::second_opinion(*model, format, diagnostics)
                           : analysis::Outcome<std::vector<exporter::PeerFile>>();
  print_findings(diagnostics);
  if (!model) return model.error();
  if (!files) return code_of(files.error());
  std::vector<Target> targets;
  std::vector<std::string> texts;
  for (const exporter::PeerFile& file : *files) {
    const fs::path output = format.folder ? fs::path(options.output) / file.name : fs::path(options.output);
    targets.push_back({{}, file.name, output.string(), false});
    texts.push_back(file.text);
    if (format.folder && !will_write({"-o", output.string()})) return ExitCode::unusable;
  }
  const auto written = write_texts(targets, texts, options.input.limits);
  return written ? ExitCode::all_well : code_of(written.error());
}

/// What of the model a table can say; findings name the rest.
int convert_to_table(const ConvertOptions& options) {
  if (options.output.empty()) return unusable("expected -o OUT");
  if (options.check || options.tree || !options.report.empty())
    return unusable("--check, --report and --tree apply to version conversion only, not to a table");
  if (!check_output(options.output)) return ExitCode::unusable;
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  const auto table = model ? analysis::table_text(*model, diagnostics) : analysis::Outcome<std::string>();
  print_findings(diagnostics);
  if (!model) return model.error();
  if (!table) return code_of(table.error());
  return write_data(options.output, *table) ? ExitCode::all_well : ExitCode::unusable;
}

int run(const ConvertOptions& options) {
  if (options.conversion.to == "table") return convert_to_table(options);
  if (const auto* const peer = exporter::peer_format_of(options.conversion.to)) return convert_for_peer(options, *peer);
  const bool named = !options.conversion.to.empty();
  const auto to = analysis::target_of(options.conversion);
  if (named && !to) return code_of(to.error());
  const exporter::ModelExport* const form = exporter::model_export_of(options.output);
  if (!to && form == nullptr) return unusable("expected --to VERSION, or an output that ends with .json, .dot or .csv");
  if (to && form != nullptr)
    return unusable(
        fmt::format("--to does not apply to {}, which shows the model in its own version; omit --to", options.output));
  if (options.output.empty() && !options.check) return unusable("expected -o OUT, or --check to write nothing");
  if (options.tree && !to) return unusable("--tree requires --to VERSION");
  if (options.tree && options.output.empty())
    return unusable("--tree requires -o FOLDER for the converted models and their log convert.jsonl");
  if (options.tree && !options.report.empty())
    return unusable(
        "--report applies to one model; with --tree, convert.jsonl in the output folder has this information");
  if (options.tree) return convert_tree(options, *to);
  if (form != nullptr && (options.check || !options.report.empty()))
    return unusable(fmt::format("--check and --report apply to version conversion only, not to {}", options.output));
  if (!check_output(options.report == "-" ? "" : options.report)) return ExitCode::unusable;

  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  print_findings(diagnostics);
  if (!model) return model.error();
  return to ? convert_version(options, *model, *to) : convert_form(options, *model, *form);
}

}  // namespace

void add_convert(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* verb = app.add_subcommand("convert", "Convert a model to another AMALTHEA version, JSON, DOT or CSV");
  verb->group(group::many);
  add_input_options(*verb, options->input);
  const analysis::OptionTable rows = analysis::conversion_options(options->conversion);
  add_options(*verb, analysis::picked(rows, {"to"}));
  add_options(
      *verb,
      {row("check", &options->check, "Only report what would change. Write no model", {group::conversion}),
       row("report", &options->report,
           "Write what changed, by rule and place, to this file. JSON if it ends with .json; - is standard output",
           {group::conversion}, {.takes = "FILE", .file = FileKind::written})});
  add_options(*verb, analysis::picked(rows, {"places"}));
  add_options(*verb, {row("output", &options->output,
                          "File to write, or a folder for several files. Without --to, a file that ends with .json, "
                          ".dot or .csv holds the model in that format",
                          {group::output}, {.takes = "PATH", .file = FileKind::written, .letter = 'o'}),
                      row("table", &options->table, "Table of a .csv output. Default: tasks", {group::output},
                          {.choices = exporter::model_tables()}),
                      row("tree", &options->tree,
                          "Convert all models below MODEL into the same tree below the output folder", {group::tree}),
                      row("jobs", &options->jobs, "Number of processes. Default: one per core", rare(group::tree),
                          {.range = Range{1, 1024}, .usual = ""}),
                      row("time-limit", &options->time_limit, "Time limit per model, in seconds", rare(group::tree),
                          {.range = RealRange{0.01, 1e7}}),
                      row("memory-limit", &options->memory_limit, "Address space per model, in MiB. 0: no limit",
                          rare(group::tree), {.range = Range{0, max_mebibytes}}),
                      row("resume", &options->resume, "Skip models that are converted and have not changed",
                          rare(group::tree))});
  describe(*verb,
           {"amalthea convert --to 3.3.0 -o new.amxmi model.amxmi",
            "amalthea convert --to 2.0.0 --check model.amxmi   # can version 2.0.0 hold it?",
            "amalthea convert --table runnables -o runnables.csv model.amxmi"},
           "Exit codes:\n"
           "  0  converted, or with --check: convertible\n"
           "  1  an older version cannot hold the model, or models of a tree failed\n"
           "  2  wrong usage, unreadable input or unwritable output\n"
           "See docs/reference/convert.md.");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
