#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "cli/input.hpp"
#include "cli/verbs.hpp"
#include "exporter/annotation.hpp"
#include "importer/model_reader.hpp"

namespace amalthea::cli {
namespace {

struct Options {
  InputOptions input;
  AnalysisInput analysis;
  std::string output;
  bool strip = false;
};

/// The model as it was before it was annotated; the same when it is not.
std::optional<Model> without_annotations(Model model, const importer::Limits& limits, Diagnostics& diagnostics) {
  const Document& document = *model.documents().front();
  std::string bytes = exporter::strip(document);
  if (bytes == document.source().bytes()) return model;
  diagnostics = {};  // places move when annotations go
  return importer::read_model_from_bytes(document.source().path(), std::move(bytes), limits, diagnostics);
}

int run(const Options& options) {
  if (!check_output(options.output)) return ExitCode::unusable;
  int exit_code = ExitCode::all_well;
  Diagnostics diagnostics;
  auto model = load(options.input, diagnostics, exit_code);
  if (!model) {
    print_findings(diagnostics);
    return exit_code;
  }
  if (model->documents().size() != 1) {
    fmt::print(stderr, "amalthea: error: annotate takes one model file, not {}\n", model->documents().size());
    return ExitCode::unusable;
  }
  const Document& document = *model->documents().front();
  if (document.itea() != IteaRelease::none) {
    fmt::print(stderr, "amalthea: error: {} is an {} model; only AMALTHEA {} and later can hold annotations\n",
               document.source().path(), document.version_text(), to_string(oldest_version));
    return ExitCode::unusable;
  }
  if (document.zipped())
    diagnostics.add("AM0119", Severity::note, "the model comes from a ZIP archive and is written without one",
                    {document.source().path()});
  if (options.strip)
    return write_output(options.output, exporter::strip(*model->documents().front())) ? ExitCode::all_well
                                                                                      : ExitCode::unusable;

  model = without_annotations(std::move(*model), options.input.limits, diagnostics);
  const auto analysed = model ? analyze_model(*model, options.analysis, diagnostics, exit_code) : std::nullopt;
  print_findings(diagnostics);
  if (!analysed) return exit_code;
  const exporter::ModelInfo info = model_info(*model);
  const auto annotations = exporter::annotations_of(*model, {info, analysed->system, analysed->results, diagnostics});
  if (!write_output(options.output, exporter::annotate(*model->documents().front(), annotations)))
    return ExitCode::unusable;
  return diagnostics.has_errors() ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_annotate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("annotate", "the model with its timing written in as custom properties; nothing else changes");
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  verb->add_option("-o,--output", options->output, "the annotated model; may be the model itself")->required();
  verb->add_flag("--strip", options->strip, "take the annotations out again: gives the original back, byte for byte");
  verb->footer(
      "Exit code 0: written, whatever the verdicts; 1: the model has an error; 2: wrong use, unreadable input or "
      "unwritable output.");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace amalthea::cli
