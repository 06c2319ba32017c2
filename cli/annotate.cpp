// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "analysis/annotation.hpp"
#include "analysis/certification.hpp"
#include "cli/declared_options.hpp"
#include "cli/file_options.hpp"
#include "cli/help.hpp"
#include "cli/input.hpp"
#include "cli/model_output.hpp"
#include "cli/shown_findings.hpp"
#include "cli/streams.hpp"
#include "cli/verbs.hpp"
#include "exporter/results/verdict_text.hpp"
#include "exporter/rewriting/annotation.hpp"
#include "exporter/rewriting/annotation_state.hpp"

namespace amalthea::cli {
namespace {

struct AnnotateOptions {
  InputOptions input;
  analysis::AnnotationRequest request;
  bool allow_unknown = false;  ///< accepted as by other verbs; the exit code states no verdict
  std::string output;
  bool strip = false;
};

int run(const AnnotateOptions& options) {
  Diagnostics diagnostics;
  const auto model = load(options.input, diagnostics);
  if (!model) {
    print_findings(diagnostics);
    return model.error();
  }
  const importer::Limits& limits = options.input.limits;
  const auto& documents = model->documents();
  auto targets = targets_of(*model);
  if (!place_targets(targets, options.input.models, options.output, InPlace::yes)) return ExitCode::unusable;
  if (options.strip) {
    if (!is_quiet() && std::none_of(documents.begin(), documents.end(),
                                    [](const auto& document) { return exporter::is_annotated(*document); }))
      tell("amalthea: note: the model has no annotations; --strip does not change it\n");
    std::vector<std::string> bare;
    for (const auto& document : documents) bare.push_back(exporter::strip(*document));
    const auto written = write_texts(targets, bare, limits);
    return written ? ExitCode::all_well : code_of(written.error());
  }

  const auto annotated = analysis::annotate(*model, options.request, limits, diagnostics, nullptr);
  if (!annotated) {
    const int code = code_of(annotated.error());
    if (annotated.error().message.empty()) print_findings(diagnostics);
    return code;
  }
  print_findings(diagnostics);
  for (const exporter::VerdictLine& said : exporter::verdict_lines(annotated->assessment)) tell("{}\n", said.text);
  if (const auto written = write_texts(targets, annotated->texts, limits); !written) return code_of(written.error());
  return diagnostics.has_errors() && !options.request.lenient ? ExitCode::findings : ExitCode::all_well;
}

}  // namespace

void add_annotate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<AnnotateOptions>();
  CLI::App* verb = app.add_subcommand("annotate", "Write the computed timing into the model and change nothing else");
  verb->group(group::timing);
  add_input_options(*verb, options->input);
  add_judging_options(*verb, analysis::analysis_options(options->request), options->allow_unknown);
  add_options(*verb, analysis::certificates_option(options->request));
  add_options(*verb, analysis::form_options(options->request));
  add_output(*verb, "-o,--output", options->output,
             "Annotated model, or a folder for several files. It may be the model itself. Files keep their "
             "names in a folder",
             {}, verb->get_option("MODEL"))
      ->required()
      ->type_name("PATH")
      ->group(group::output);
  add_options(*verb, {row("strip", &options->strip, "Remove the annotations. This restores the original byte for byte",
                          {group::output})});
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
