// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "amalthea/quantity.hpp"
#include "cli/complaint.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/detail/verdict_text.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_content.hpp"
#include "exporter/rewriting/annotation_state.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::cli {
namespace {

struct AnnotateOptions {
  InputOptions input;
  AnalysisInput analysis;
  std::vector<std::string> forms = {"properties"};
  std::string detail = "full";
  std::string output;
  bool strip = false;
};

/// Writes all files of the model, with the content returned by `text`.
template <typename Text>
bool write_model(const Model& model, const std::vector<Target>& targets, const importer::Limits& limits, Text text) {
  return write_targets(
      targets, [&](std::size_t i) { return [&, i](const auto& write) { write(text(*model.documents()[i])); }; },
      limits);
}

/// The model before it was annotated; unchanged if it is not annotated.
std::optional<Model> without_annotations(Model model, const importer::Limits& limits, Diagnostics& diagnostics) {
  std::vector<importer::NamedBytes> files;
  bool changed = false;
  for (const auto& document : model.documents()) {
    files.push_back({document->source().path(), exporter::strip(*document)});
    changed = changed || files.back().bytes != document->source().bytes();
  }
  if (!changed) return model;
  diagnostics = {};  // removing annotations changes locations
  exporter::check_annotations(model, diagnostics);
  return importer::read_model_from_bytes(std::move(files), limits, diagnostics);
}

bool can_be_annotated(const Model& model) {
  for (const auto& document : model.documents())
    if (document->itea() != IteaRelease::none)
      return complain(
          fmt::format("{} is an {} model, but only AMALTHEA {} and later can hold annotations; convert it first "
                      "(amalthea convert --to)",
                      document->source().path(), document->version_text(), to_string(oldest_version)));
  return true;
}

/// The annotations to write.
exporter::AnnotationRequest request_of(const AnnotateOptions& options,
                                       const std::vector<importer::MappingChange>& mapping) {
  const auto asked = [&](std::string_view form) {
    return std::find(options.forms.begin(), options.forms.end(), form) != options.forms.end();
  };
  exporter::AnnotationRequest request;
  request.properties = asked("properties");
  request.measurements = asked("measurements");
  request.requirements = asked("requirements");
  request.detail = options.detail == "summary" ? exporter::AnnotationDetail::summary
                   : options.detail == "brief" ? exporter::AnnotationDetail::brief
                                               : exporter::AnnotationDetail::full;
  request.until = options.analysis.until;
  request.keep_wrappers = options.analysis.build.keep_wrappers;
  for (const importer::MappingChange& change : mapping)
    request.mapping.push_back(
        fmt::format("{}={}{}{}{}", change.task, change.core.empty() ? "(as it is)" : change.core,
                    change.priority ? fmt::format(":{}", *change.priority) : "",
                    change.waits_actively ? *change.waits_actively ? " active" : " passive" : "",
                    change.time_slice ? fmt::format(" slice {}", format_duration(*change.time_slice)) : ""));
  return request;
}

int run(const AnnotateOptions& options) {
  Diagnostics diagnostics;
  auto loaded = load(options.input, diagnostics);
  if (!loaded) {
    print_findings(diagnostics);
    return loaded.error();
  }
  std::optional<Model> model = std::move(*loaded);
  const importer::Limits& limits = options.input.limits;
  auto targets = targets_of(*model);
  if (!place_targets(targets, options.input.models, options.output, InPlace::yes)) return ExitCode::unusable;
  if (options.strip) {
    const auto& documents = model->documents();
    if (!is_quiet() && std::none_of(documents.begin(), documents.end(),
                                    [](const auto& document) { return exporter::is_annotated(*document); }))
      tell("amalthea: note: the model has no annotations; --strip does not change it\n");
    return write_model(*model, targets, limits, exporter::strip) ? ExitCode::all_well : ExitCode::unusable;
  }

  const auto understood = understand(options.analysis);
  if (!understood || !can_be_annotated(*model)) return ExitCode::unusable;
  const auto request = request_of(options, understood->options.build.mapping);
  model = without_annotations(std::move(*model), limits, diagnostics);
  if (!model || !exporter::can_hold(*model, request, diagnostics)) {
    print_findings(diagnostics);
    return ExitCode::unusable;
  }
  const auto analyzed = analyze_model(*model, *understood, diagnostics);
  if (!analyzed) {
    print_findings(diagnostics);
    return analyzed.error();
  }
  const exporter::ModelInfo info = exporter::model_info(*model);
  const auto annotations =
      exporter::annotations_of(*model, {info, analyzed->system, analyzed->results, diagnostics}, request, diagnostics);
  print_findings(diagnostics);
  for (const exporter::VerdictLine& said :
       exporter::verdict_lines(engine::assess(analyzed->system, analyzed->results, diagnostics)))
    tell("{}\n", said.text);
  if (!write_model(*model, targets, limits,
                   [&](const Document& document) { return exporter::annotate(document, annotations); }))
    return ExitCode::unusable;
  return diagnostics.has_errors() && !options.analysis.lenient ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_annotate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AnnotateOptions>();
  CLI::App* verb = app.add_subcommand("annotate", "Write the computed timing into the model and change nothing else");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_analysis_options(*verb, options->analysis);
  verb->add_option("--as", options->forms,
                   "What to write, separated by commas: properties, measurements, requirements. "
                   "properties: custom properties of the analyzed elements; measurements: AMALTHEA 0.8.2 to 0.9.9; "
                   "requirements: proposed limits on response times (docs/reference/annotation.md)")
      ->type_name("FORM")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"properties", "measurements", "requirements"}))
      ->capture_default_str()
      ->group(group::output);
  verb->add_option("--detail", options->detail,
                   "How much the custom properties contain. summary: a sentence for each process and event chain; "
                   "brief: verdicts, bounds, and what they consist of; full: everything")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"summary", "brief", "full"}))
      ->capture_default_str()
      ->group(group::output);
  add_output(*verb, "-o,--output", options->output,
             "Annotated model, or a folder for several files. It may be the model itself. Files keep their "
             "names in a folder",
             {}, verb->get_option("MODEL"))
      ->required()
      ->type_name("PATH")
      ->group(group::output);
  verb->add_flag("--strip", options->strip, "Remove the annotations. This restores the original byte for byte")
      ->group(group::output);
  describe(*verb,
           {"amalthea annotate -o annotated.amxmi model.amxmi",
            "amalthea annotate --as properties,requirements -o annotated.amxmi model.amxmi",
            "amalthea annotate --strip -o original.amxmi annotated.amxmi"},
           "Exit codes:\n"
           "  0  written, whatever the verdicts\n"
           "  1  the model has an error\n"
           "  2  wrong usage, unreadable input, unwritable output, or a model version\n"
           "     without the elements that --as needs");
  set_run(*verb, exit_code, [options] { return run(*options); });
}

}  // namespace amalthea::cli
