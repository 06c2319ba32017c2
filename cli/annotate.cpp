#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/input.hpp"
#include "cli/mapping.hpp"
#include "cli/verbs.hpp"
#include "exporter/annotation.hpp"
#include "exporter/annotation_content.hpp"
#include "exporter/zip_writer.hpp"
#include "importer/model_reader.hpp"

namespace amalthea::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  InputOptions input;
  AnalysisInput analysis;
  std::vector<std::string> forms = {"properties"};
  std::string output;
  bool strip = false;
};

bool complain(const std::string& message) {
  fmt::print(stderr, "amalthea: error: {}\n", message);
  return false;
}

/// A file that is read and the one that is written for it.
struct Target {
  std::string input;
  std::string output;
  bool zipped = false;
};

/// Where the files of the model go. One model file goes to the file of --output; several, or those of a folder, go into
/// a folder under their own names. Nothing, and a message, when that cannot be.
std::optional<std::vector<Target>> targets_of(const Model& model, const Options& options) {
  std::error_code error;
  std::vector<Target> targets;
  for (const auto& document : model.documents()) targets.push_back({document->source().path(), {}, document->zipped()});
  const bool folder_given = options.input.models.size() == 1 && fs::is_directory(options.input.models.front(), error);
  if (targets.size() == 1 && !folder_given) {
    targets.front().output = options.output;
    return check_output(options.output) ? std::optional(std::move(targets)) : std::nullopt;
  }
  if (!fs::is_directory(options.output, error) && fs::exists(options.output, error)) {
    complain(fmt::format("cannot write {}: several files are written into a folder, and this is none", options.output));
    return std::nullopt;
  }
  std::map<std::string, std::string> inputs;  // by the name of what is written
  for (Target& target : targets) {
    const std::string name = fs::path(target.input).filename().string();
    if (const auto [same, added] = inputs.emplace(name, target.input); !added) {
      complain(fmt::format("{} and {} have the same name; annotate them into different folders", same->second,
                           target.input));
      return std::nullopt;
    }
    target.output = (fs::path(options.output) / name).string();
  }
  if (!fs::is_directory(options.output, error))  // it is made when there is something to write
    return check_output(options.output) ? std::optional(std::move(targets)) : std::nullopt;
  for (const Target& target : targets)
    if (!check_output(target.output)) return std::nullopt;
  return targets;
}

/// Writes what a file of the model is to hold, into an archive like its own if it came from one.
bool write_model_file(const Target& target, const std::string& bytes, const importer::Limits& limits) {
  if (!target.zipped) return write_output(target.output, bytes);
  Diagnostics diagnostics;
  const auto archive = importer::read_file(target.input, limits, diagnostics);
  if (!archive) {
    print_findings(diagnostics);
    return false;
  }
  const auto changed = exporter::replace_in_zip(*archive, bytes);
  if (!changed)
    return complain(
        fmt::format("cannot write {}: the ZIP archive {}: {}", target.output, target.input, changed.error()));
  return write_output(target.output, *changed);
}

/// Writes all files of the model, each as `text` has it.
template <typename Text>
bool write_model(const Model& model, const std::vector<Target>& targets, const importer::Limits& limits, Text text) {
  const fs::path folder = fs::path(targets.front().output).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error) && !fs::create_directory(folder, error))
    return complain(fmt::format("cannot create the folder {}: {}", folder.string(), error.message()));
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (!write_model_file(targets[i], text(*model.documents()[i]), limits)) return false;
  return true;
}

/// The model as it was before it was annotated; the same when it is not.
std::optional<Model> without_annotations(Model model, const importer::Limits& limits, Diagnostics& diagnostics) {
  std::vector<importer::NamedBytes> files;
  bool changed = false;
  for (const auto& document : model.documents()) {
    files.push_back({document->source().path(), exporter::strip(*document)});
    changed = changed || files.back().bytes != document->source().bytes();
  }
  if (!changed) return model;
  diagnostics = {};  // places move when annotations go
  return importer::read_model_from_bytes(std::move(files), limits, diagnostics);
}

bool can_be_annotated(const Model& model) {
  for (const auto& document : model.documents())
    if (document->itea() != IteaRelease::none)
      return complain(fmt::format("{} is an {} model; only AMALTHEA {} and later can hold annotations",
                                  document->source().path(), document->version_text(), to_string(oldest_version)));
  return true;
}

/// What is to be written; nothing and a message when the mapping changes cannot be understood.
std::optional<exporter::AnnotationRequest> request_of(const Options& options) {
  const auto asked = [&](std::string_view form) {
    return std::find(options.forms.begin(), options.forms.end(), form) != options.forms.end();
  };
  exporter::AnnotationRequest request;
  request.properties = asked("properties");
  request.measurements = asked("measurements");
  request.requirements = asked("requirements");
  request.until = options.analysis.until;
  request.keep_wrappers = options.analysis.build.keep_wrappers;
  const auto changes = read_mapping_changes(options.analysis.mapping_file, options.analysis.map);
  if (!changes) {
    complain(changes.error());
    return std::nullopt;
  }
  for (const importer::MappingChange& change : *changes)
    request.mapping.push_back(
        fmt::format("{}={}{}", change.task, change.core, change.priority ? fmt::format(":{}", *change.priority) : ""));
  return request;
}

int run(const Options& options) {
  int exit_code = ExitCode::all_well;
  Diagnostics diagnostics;
  auto model = load(options.input, diagnostics, exit_code);
  if (!model) {
    print_findings(diagnostics);
    return exit_code;
  }
  const importer::Limits& limits = options.input.limits;
  const auto targets = targets_of(*model, options);
  if (!targets) return ExitCode::unusable;
  if (options.strip)
    return write_model(*model, *targets, limits, exporter::strip) ? ExitCode::all_well : ExitCode::unusable;

  const auto request = request_of(options);
  if (!request || !can_be_annotated(*model)) return ExitCode::unusable;
  model = without_annotations(std::move(*model), limits, diagnostics);
  if (model && !exporter::can_hold(*model, *request, diagnostics)) {
    print_findings(diagnostics);
    return ExitCode::unusable;
  }
  const auto analysed = model ? analyze_model(*model, options.analysis, diagnostics, exit_code) : std::nullopt;
  if (!analysed) {
    print_findings(diagnostics);
    return exit_code;
  }
  const exporter::ModelInfo info = model_info(*model);
  const auto annotations =
      exporter::annotations_of(*model, {info, analysed->system, analysed->results, diagnostics}, *request, diagnostics);
  print_findings(diagnostics);
  if (!write_model(*model, *targets, limits,
                   [&](const Document& document) { return exporter::annotate(document, annotations); }))
    return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_annotate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("annotate", "the model with its timing written in; nothing else changes");
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  verb->add_option("--as", options->forms,
                   "how the timing is written, one or several with commas between: properties (custom properties of "
                   "what was analysed), measurements (AMALTHEA 0.8.2 to 0.9.9), requirements (proposed limits on the "
                   "response times)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"properties", "measurements", "requirements"}))
      ->capture_default_str();
  verb->add_option("-o,--output", options->output,
                   "the annotated model, may be the model itself; of several files or a folder the folder to write "
                   "them into, each under its name")
      ->required();
  verb->add_flag("--strip", options->strip, "take the annotations out again: gives the original back, byte for byte");
  verb->footer(
      "Exit code 0: written, whatever the verdicts; 1: the model has an error; 2: wrong use, unreadable input, "
      "unwritable output, or a version that cannot hold what --as asks for.");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
